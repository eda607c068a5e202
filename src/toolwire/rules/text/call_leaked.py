"""No call is sent as content.

What it checks
    Where tools were offered, the joined content of each choice holds no markup of a tool call in any of the known
    forms, no call written out bare, and no debris of either. What the prompt contains or asks for, what is quoted,
    and what stands in a code fence that explains a format is left alone.

Why it matters
    The model made a call and the server's parser did not take it: the client gets text, the agent stops. Beside a
    call that did arrive, a second one in content is lost in the same way, and the same one is shown to the user.

Basis
    De facto: markup is the server's to parse. Rule book G-15. With `tool_choice: "none"` some servers pass markup
    through by design (vLLM), so there it is only a note.

Which clients break
    All: the call is not run, and its text is shown to the user or stored in the history, where the model imitates
    it.

How to fix
    Enable the parser that fits the model; join tokens before matching markers; let the parser start at the seam
    behind the reasoning; flush the end of the text through it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.markup import Strength
from toolwire.pairing import PlainCall, same_written, show_call
from toolwire.protocol.request import Contract
from toolwire.rule import (
    Basis,
    Breaks,
    Certainty,
    ClientEffect,
    Complaint,
    Effect,
    Evidence,
    Level,
    LossKind,
    rule,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Choice
    from toolwire.markup import LeakedCall, Scan

__all__ = ["call_leaked"]

QUOTED = 60
"""Characters of the markup that a message quotes where no call could be read from it."""


@rule(
    name="call-leaked",
    code="TW601",
    level=Level.MUST,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("G-15",),
    source="formats.md, section 2",
    effect=Effect.LOSS,
    clients=(
        ClientEffect("all", Breaks.SILENTLY, "the call is not run, its text is shown", "vllm-project/vllm issue 39056"),
    ),
)
def call_leaked(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each call, or else of the first mark, in a choice's content."""
    if not evidence.request.tools:
        return
    level = Level.NOTE if evidence.contract is Contract.NONE else None
    for choice in evidence.completion.choices.values():
        if not choice.content:
            continue
        scanned = evidence.content_scan(choice)
        if not scanned.leaked or _cut_marker_only(choice, scanned):
            continue
        calls = [call for call in scanned.calls if call.declared] or list(scanned.calls)
        behind = 0
        for call in calls:
            yield _call(evidence, choice, scanned, call, level, behind=behind)
            behind = call.end
        if not calls:
            yield _marks(evidence, choice, scanned, level)


def _call(
    evidence: Evidence, choice: Choice, scanned: Scan, call: LeakedCall, level: Level | None, *, behind: int
) -> Complaint:
    """Complain of a call that could be read; its markup begins `behind` the call before it."""
    start = next((mark.start for mark in scanned.marks if behind <= mark.start < call.start), call.start)
    whole = call.complete and call.arguments is not None
    shown = show_call(PlainCall(call.name, call.arguments, 0))
    return Complaint(
        f"the call `{shown}`{evidence.form_of(scanned)} was sent as content{_beside(evidence, choice, call)}",
        evidence.at_event(choice.content.event_at(start)),
        level=level,
        expected=f"a call to {call.name} in tool_calls",
        actual=choice.content.text[start : call.end][:QUOTED],
        kind=LossKind.LEAKED,
        certainty=Certainty.PROVEN if whole and call.declared else Certainty.EVIDENT,
        dialect=scanned.dialects,
    )


def _cut_marker_only(choice: Choice, scanned: Scan) -> bool:
    """Whether the budget cut the turn inside the first marker, so that no parser could know it for one."""
    if choice.finish != "length" or scanned.calls:
        return False
    end = len(choice.content.text.rstrip())
    return all(mark.strength is Strength.PARTIAL and mark.end == end for mark in scanned.marks)


def _marks(evidence: Evidence, choice: Choice, scanned: Scan, level: Level | None) -> Complaint:
    """Complain of markup from which no call can be read."""
    mark = scanned.marks[0]
    what = choice.content.text[mark.start :][:QUOTED]
    return Complaint(
        f"markup of a call ({mark.text!r}){evidence.form_of(scanned)} was sent as content"
        + (f" beside {len(choice.calls)} calls" if choice.calls else ", and no call came"),
        evidence.at_event(choice.content.event_at(mark.start)),
        level=level,
        expected="no markup in content",
        actual=what,
        kind=LossKind.LEAKED,
        dialect=scanned.dialects,
    )


def _beside(evidence: Evidence, choice: Choice, leaked: LeakedCall) -> str:
    """Say what came in the field for calls."""
    if not choice.calls:
        return ", and no call came"
    for call in evidence.plain_calls(choice):
        if call.name == leaked.name and same_written(leaked.arguments, call.arguments):
            return f" beside the same call (number {call.position})"
    return f" beside {len(choice.calls)} other calls"
