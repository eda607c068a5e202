"""The stream has the calls that the non-streamed answer to the same request has.

What it checks
    Where the same request was also answered without streaming, and is greedy or seeded so that both answers should
    be the same: the same calls with the same arguments. Calls that the budget cut on either side do not count.

Why it matters
    Servers parse the two ways with different code, and tests run the one without streams. A call that only the
    non-streamed answer has was made by the model and lost by the streaming parser: that is proof, not suspicion.

Basis
    Our own policy: one request, one answer. Rule book G-16 and "where two rules meet" 5. What only the non-streamed
    answer lacks or spoils is the fault of that side: a warning that blames it.

Which clients break
    Whoever streams: the same prompt works in a test without streaming and fails in production. Gemini's compatible
    endpoint ended the stream with stop where the non-streamed answer had tool_calls.

How to fix
    Let both ways share one parser, and test it with every split of the same text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from toolwire.oracle import Oracle
from toolwire.pairing import PlainCall, differences, pair_calls, same_value, show_call
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
    NotApplicable,
    rule,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Choice
    from toolwire.jsontext import Json
    from toolwire.pairing import Pairing

__all__ = ["twin_differs"]

_CUT = ("length", "content_filter")
_TWIN = "twin"


@rule(
    name="twin-differs",
    code="TW507",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("G-16",),
    source="rule book, where two rules meet, 5",
    needs=(Oracle.TWIN,),
    clients=(
        ClientEffect(
            "clients of Gemini's compatible endpoint",
            Breaks.SILENTLY,
            "the stream ends with stop where the non-streamed answer has tool_calls",
            "googleapis/python-genai issue 2868",
        ),
    ),
)
def twin_differs(evidence: Evidence) -> Iterator[Complaint] | NotApplicable | None:
    """Compare the choices that both answers have."""
    twin = evidence.twin
    if twin is None or evidence.twin_obstacle:
        return NotApplicable(evidence.twin_obstacle)
    return _compare_all(evidence, twin.choices)


def _compare_all(evidence: Evidence, others: dict[int, Choice]) -> Iterator[Complaint]:
    """Pair the calls of each choice, and say what one side has and the other lacks."""
    for index, choice in evidence.completion.choices.items():
        other = others.get(index)
        if other is not None:
            pairing = pair_calls(evidence.plain_calls(other, twin=True), evidence.plain_calls(choice))
            yield from _one_sided(evidence, choice, other, pairing)
            yield from _unequal(evidence, choice, other, pairing)


def _one_sided(evidence: Evidence, choice: Choice, other: Choice, pairing: Pairing) -> Iterator[Complaint]:
    """Say which calls only one side has."""
    for want in pairing.missing:
        if choice.finish in _CUT:
            break
        yield Complaint(
            f"the non-streamed answer has the call {show_call(want)}, the stream lacks it",
            evidence.at_event(choice.last_event),
            effect=Effect.LOSS,
            kind=LossKind.SILENT,
            certainty=Certainty.PROVEN,
            expected=f"{len(other.calls)} calls, among them {show_call(want)}",
            actual=f"{len(choice.calls)} calls",
        )
    for got in pairing.extra:
        if other.finish in _CUT:
            break
        yield _extra(evidence, choice, other, got, pairing)
    if not pairing.missing and not pairing.extra and not pairing.in_order:
        yield Complaint(
            "the calls come in another order than in the non-streamed answer",
            evidence.at_event(choice.calls[0].first_event, '"tool_calls"'),
            level=Level.SHOULD,
            expected=", ".join(call.name for call in other.calls[:8]),
            actual=", ".join(call.name for call in choice.calls[:8]),
        )


def _unequal(evidence: Evidence, choice: Choice, other: Choice, pairing: Pairing) -> Iterator[Complaint]:
    """Say which arguments differ."""
    for want, got in pairing.unequal:
        call = choice.calls[got.position]
        if evidence.honestly_cut(call) or (other.finish in _CUT and want.position == len(other.calls) - 1):
            continue
        spoiled = _twin_is_at_fault(evidence, want, got)
        place = next(differences(want.arguments, got.arguments), None)
        where = f"{place.path or 'arguments'} is {place.came}, not streamed it is {place.wanted}" if place else ""
        yield Complaint(
            f"call {got.position} ({got.name}): {where}",
            evidence.at_event(call.last_event, '"arguments"'),
            level=Level.SHOULD if spoiled else None,
            certainty=Certainty.PROVEN,
            expected=show_call(want),
            actual=show_call(got),
            blame=_TWIN if spoiled else "",
        )


def _extra(evidence: Evidence, choice: Choice, other: Choice, got: PlainCall, pairing: Pairing) -> Complaint:
    """Judge a call that only the stream has: a copy of another one is the stream's fault, else the twin lost it."""
    copied = any(got.name == call.name and same_value(got.arguments, call.arguments) for _, call in pairing.equal)
    lost_in_twin = not copied and _is_sound(evidence, got)
    return Complaint(
        f"the stream has the call {show_call(got)} {'once more than' if copied else 'which is not in'}"
        " the non-streamed answer",
        evidence.at_event(choice.calls[got.position].first_event, '"tool_calls"'),
        level=Level.SHOULD if lost_in_twin else None,
        certainty=Certainty.PROVEN,
        expected=f"{len(other.calls)} calls",
        actual=f"{len(choice.calls)} calls",
        blame=_TWIN if lost_in_twin else "",
    )


def _twin_is_at_fault(evidence: Evidence, want: PlainCall, got: PlainCall) -> bool:
    """Whether something shows that the stream's arguments are the right ones."""
    expectation = evidence.exchange.expect
    for call in expectation.calls if expectation is not None else []:
        if call.name == got.name and same_value(cast("Json", call.arguments), got.arguments):
            return True
    return _is_sound(evidence, got) and not _is_sound(evidence, want)


def _is_sound(evidence: Evidence, call: PlainCall) -> bool:
    """Whether a call is to an offered tool, with arguments that its schema allows."""
    if evidence.schema.tool(call.name) is None or not isinstance(call.arguments, dict):
        return False
    return not evidence.schema.errors(call.name, call.arguments)
