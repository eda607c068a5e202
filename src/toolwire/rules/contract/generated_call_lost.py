"""Every call that the model wrote reaches the client.

What it checks
    Where the text that the model produced is known, each call to an offered tool in it is in the stream, with the
    values that were written. A parameter that stands between tags has no type, so `5` there may arrive as a number.
    Drafts inside closed reasoning, calls that the budget cut, and calls that are not well formed (the model's own
    fault) do not count.

Why it matters
    This is the proof that a call was swallowed: the tokens were made, paid for and thrown away. Without it an empty
    turn looks like a model that had nothing to say.

Basis
    Our own policy: what was generated is the only ground truth of one answer. Design, section 3, oracle 4.

Which clients break
    All: the call never arrives, or arrives with other values.

How to fix
    Feed the generated text to the parser in every split. The usual places are the seam between reasoning and call,
    a call that ends with the end of the text, several tokens in one step, and the second of two calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.oracle import Oracle
from toolwire.pairing import PlainCall, differences, pair_calls, same_written, show_call
from toolwire.protocol.request import Contract
from toolwire.rule import (
    Basis,
    Certainty,
    Complaint,
    Effect,
    Evidence,
    Level,
    LossKind,
    NotApplicable,
    rule,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Choice
    from toolwire.markup import Scan

__all__ = ["generated_call_lost"]


@rule(
    name="generated-call-lost",
    code="TW508",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("G-16",),
    source="the text that the model produced",
    needs=(Oracle.GENERATED,),
)
def generated_call_lost(evidence: Evidence) -> Iterator[Complaint] | NotApplicable | None:
    """Compare the calls of the generated text with those of the stream."""
    scanned = evidence.generated_scan
    if scanned is None:
        return NotApplicable("the text that the model produced is not known")
    if evidence.contract is Contract.NONE:
        return NotApplicable("calls are forbidden, so the server may pass their text through")
    choices = list(evidence.completion.choices.values())
    if len(choices) > 1:
        return NotApplicable("which of several choices the generated text belongs to is not known")
    if evidence.failed_as_a_whole or not choices:
        return None
    return _compare(evidence, choices[0], scanned)


def _compare(evidence: Evidence, choice: Choice, scanned: Scan) -> Iterator[Complaint]:
    """Say which calls were lost or changed."""
    written = _written(evidence, scanned)
    pairing = pair_calls(written, evidence.plain_calls(choice), same_written)
    for want, got in pairing.unequal:
        call = choice.calls[got.position]
        if not isinstance(got.arguments, dict) or evidence.honestly_cut(call):
            continue
        place = next(differences(want.arguments, got.arguments), None)
        path = (place.path if place else "") or "arguments"
        yield Complaint(
            f"call {got.position} ({got.name}): {path} is {place.came if place else '?'},"
            f" the model wrote {place.wanted if place else '?'}",
            evidence.at_event(call.last_event, '"arguments"'),
            certainty=Certainty.PROVEN,
            expected=show_call(want),
            actual=show_call(got),
        )
    if choice.calls and not evidence.request.parallel:
        # calls after the first one may be left out: the client asked for one at most
        return
    kind = _where(evidence, choice)
    for want in pairing.missing:
        yield Complaint(
            f"the model wrote the call {show_call(want)}, and the stream has {len(choice.calls)} calls without it",
            evidence.at_event(choice.last_event),
            effect=Effect.LOSS,
            kind=kind,
            certainty=Certainty.PROVEN,
            dialect=scanned.dialects,
            expected=show_call(want),
            actual=f"{len(choice.calls)} calls",
        )


def _written(evidence: Evidence, scanned: Scan) -> list[PlainCall]:
    """Return the calls in the generated text that the stream must have; one that was cut has no arguments to read."""
    text = evidence.exchange.generated or ""
    thought_until = evidence.end_of_reasoning(text, scanned)
    found = [
        call for call in scanned.calls if call.declared and call.arguments is not None and call.start >= thought_until
    ]
    return [PlainCall(call.name, call.arguments, place) for place, call in enumerate(found)]


def _where(evidence: Evidence, choice: Choice) -> LossKind:
    """Say where the lost text went."""
    if evidence.content_scan(choice).leaked:
        return LossKind.LEAKED
    if evidence.reasoning_scan(choice).leaked:
        return LossKind.IN_REASONING
    return LossKind.PHANTOM_FINISH if choice.finish == "tool_calls" and not choice.calls else LossKind.SILENT
