"""No call is left in the reasoning.

What it checks
    Where tools were offered and a choice has no call, its reasoning holds none either: no markup in any of the
    known forms, no call or bare arguments as its whole text. Mentions in prose or in backticks do not count. Where
    a call was delivered, only a whole marked-up call that was not delivered counts, and markers without a call that
    end the reasoning; the draft of a call that was delivered does not.

Why it matters
    The parser for reasoning swallowed the call: the end of the thoughts was missed, split over tokens or never
    written, and the parser for calls never saw the text. The turn looks as if the model had only thought.

Basis
    De facto: markup is the server's to parse, wherever it stands. Rule book G-15.

Which clients break
    All: the call is not run, and few clients even show the reasoning.

How to fix
    Let an opening call marker end the reasoning, or run the call parser over reasoning that was never closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.markup import Strength
from toolwire.pairing import PlainCall, same_written, show_call
from toolwire.protocol.request import Contract
from toolwire.rule import Basis, Certainty, Complaint, Effect, Evidence, Level, LossKind, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Choice
    from toolwire.markup import LeakedCall, Mark, Scan

__all__ = ["call_in_reasoning"]

QUOTED = 60
"""Characters of the markup that a message quotes where no call could be read from it."""


@rule(
    name="call-in-reasoning",
    code="TW602",
    level=Level.MUST,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("G-15",),
    source="formats.md, section 2, false-positive rule 6",
    effect=Effect.LOSS,
)
def call_in_reasoning(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of the calls in a choice's reasoning that the client did not get."""
    if not evidence.request.tools or evidence.contract is Contract.NONE:
        return
    for choice in evidence.completion.choices.values():
        if not choice.reasoning:
            continue
        scanned = evidence.reasoning_scan(choice)
        if not scanned.leaked:
            continue
        if choice.calls or choice.foreign_calls:
            yield from _beside_calls(evidence, choice, scanned)
        else:
            yield _instead_of_calls(evidence, choice, scanned)


def _instead_of_calls(evidence: Evidence, choice: Choice, scanned: Scan) -> Complaint:
    """Complain where no call came."""
    mark = scanned.marks[0]
    read = next((call for call in scanned.calls if call.declared), None)
    strong = any(mark.strength is Strength.STRONG for mark in scanned.marks)
    # behind reasoning that ended in an ordinary answer a call may have been a thought that was given up
    drafted = bool(evidence.answer_text(choice)) and not evidence.request.demands_call and not (strong and read)
    start = read.start if read is not None else mark.start
    what = f"the call `{_shown(read)}`" if read is not None else f"markup of a call ({mark.text!r})"
    return Complaint(
        f"{what}{evidence.form_of(scanned)} stayed in the reasoning, and no call came",
        evidence.at_event(choice.reasoning.event_at(start)),
        level=Level.SHOULD if drafted else None,
        expected="a call in tool_calls",
        actual=choice.reasoning.text[start:][:QUOTED],
        kind=LossKind.IN_REASONING,
        certainty=Certainty.PROVEN if scanned.proven else Certainty.EVIDENT,
        dialect=scanned.dialects,
    )


def _beside_calls(evidence: Evidence, choice: Choice, scanned: Scan) -> Iterator[Complaint]:
    """Complain of whole, marked-up calls beside delivered ones, and of markers that were cut off from them."""
    if not scanned.calls:
        yield from _seam(evidence, choice, scanned)
    if not any(mark.strength is Strength.STRONG for mark in scanned.marks):
        return
    delivered = evidence.plain_calls(choice)
    for call in scanned.calls:
        if not (call.declared and call.complete and call.arguments is not None):
            continue
        same = any(call.name == other.name and same_written(call.arguments, other.arguments) for other in delivered)
        where = (
            "stands in the reasoning too" if same else f"stayed in the reasoning, beside {len(delivered)} other calls"
        )
        yield Complaint(
            f"the call `{_shown(call)}`{evidence.form_of(scanned)} {where}",
            evidence.at_event(choice.reasoning.event_at(call.start)),
            level=Level.SHOULD if same else None,
            expected="no marked-up call in the reasoning" if same else f"a call to {call.name} in tool_calls",
            actual=choice.reasoning.text[call.start : call.end][:QUOTED],
            kind=LossKind.IN_REASONING,
            certainty=Certainty.EVIDENT,
            dialect=scanned.dialects,
        )


def _seam(evidence: Evidence, choice: Choice, scanned: Scan) -> Iterator[Complaint]:
    """Complain of markers at the end of the reasoning whose call was delivered: the parser missed the seam."""
    text = choice.reasoning.text
    end = len(text.rstrip())
    tail: Mark | None = None
    for mark in reversed(scanned.marks):
        if text[mark.end : end].strip() or mark.strength not in _ONLY_MARKUP:
            break
        tail, end = mark, mark.start
    if tail is not None:
        yield Complaint(
            f"markup of a call ({tail.text!r}){evidence.form_of(scanned)} ends the reasoning,"
            f" beside {len(choice.calls)} calls",
            evidence.at_event(choice.reasoning.event_at(tail.start)),
            expected="no markup in the reasoning",
            actual=text[tail.start :][:QUOTED],
            kind=LossKind.IN_REASONING,
            certainty=Certainty.EVIDENT,
            dialect=scanned.dialects,
        )


_ONLY_MARKUP = frozenset({Strength.STRONG, Strength.STRAY_CLOSE})


def _shown(call: LeakedCall) -> str:
    """Write a leaked call."""
    return show_call(PlainCall(call.name, call.arguments, 0))
