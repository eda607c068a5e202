"""The calls are those that the author of the case expects, value for value.

What it checks
    Where a case says which calls must come, each choice has exactly those: none is missing while others came, none
    comes twice or unasked, and every value is the one that was to be echoed. Order counts only where the case says
    so. Calls that were honestly cut, and arguments that are no JSON object (another rule's matter), are left alone.

Why it matters
    A value can be wrong and still be valid: text cut at a closing tag that it quotes, quote marks that stayed in a
    string, a number where a text was. Only one who knows what had to come can see it; whoever runs the call cannot.

Basis
    What the case's author demands; the prompt asks for an exact echo. Our own policy.

Which clients break
    All: the wrong file is written, the same command runs three times.

How to fix
    Look at the server's parser: at the places where it ends a value (tags inside values), types parameters, and
    decides that a call is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from toolwire.oracle import Oracle
from toolwire.pairing import PlainCall, differences, pair_calls, same_value, show_call
from toolwire.protocol.request import Contract
from toolwire.rule import Basis, Certainty, Complaint, Evidence, Level, NotApplicable, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Choice
    from toolwire.jsontext import Json
    from toolwire.pairing import Pairing

__all__ = ["expected_calls"]


@rule(
    name="expected-calls",
    code="TW506",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    source="the case's expectation",
    needs=(Oracle.EXPECTATION,),
)
def expected_calls(evidence: Evidence) -> Iterator[Complaint] | NotApplicable | None:
    """Compare each choice with the expectation."""
    expectation = evidence.exchange.expect
    if expectation is None:
        return NotApplicable("nothing is known of what should come")
    if evidence.contract is Contract.NONE:
        return NotApplicable("no call is allowed, so none can be expected")
    if evidence.failed_as_a_whole:
        return None
    wanted = [
        PlainCall(call.name, cast("dict[str, Json] | None", call.arguments), place)
        for place, call in enumerate(expectation.calls)
    ]
    return _compare_all(evidence, wanted, ordered=expectation.order_matters)


def _compare_all(evidence: Evidence, wanted: list[PlainCall], *, ordered: bool) -> Iterator[Complaint]:
    """Compare the choices one by one."""
    for choice in evidence.completion.choices.values():
        came = [call for call in evidence.plain_calls(choice) if call.name]
        if came:
            yield from _compare(evidence, choice, wanted, came, ordered=ordered)
        elif wanted and choice.finish != "length" and not choice.calls:
            # whether a turn without any call fails is decided by the contract and by signs of a lost call
            yield Complaint(
                f"none of the {len(wanted)} expected calls came ({show_call(wanted[0])})",
                evidence.at_event(choice.last_event),
                level=Level.NOTE,
                expected="; ".join(show_call(call) for call in wanted[:8]),
                actual="no call",
                certainty=Certainty.INFERRED,
            )


def _compare(
    evidence: Evidence, choice: Choice, wanted: list[PlainCall], came: list[PlainCall], *, ordered: bool
) -> Iterator[Complaint]:
    """Say of one choice with calls what is missing, too much, or has another value."""
    pairing = pair_calls(wanted, came)
    for want, got in pairing.unequal:
        if not isinstance(got.arguments, dict) or evidence.honestly_cut(choice.calls[got.position]):
            continue
        yield from _value_differs(evidence, choice, want, got)
    cut = choice.finish in ("length", "content_filter")
    if not cut and (evidence.request.parallel or not pairing.equal):
        for want in pairing.missing:
            yield Complaint(
                f"the expected call {show_call(want)} did not come; {_came(came)}",
                evidence.at_event(choice.last_event),
                expected=show_call(want),
                actual=_came(came),
                certainty=Certainty.INFERRED,
            )
    for got in pairing.extra:
        yield _too_much(evidence, choice, got, pairing)
    if ordered and not pairing.missing and not pairing.extra and not pairing.in_order:
        order = [call.name for call in wanted]
        yield Complaint(
            f"the calls came in another order: {', '.join(call.name for call in came)} for {', '.join(order)}",
            evidence.at_event(choice.calls[0].first_event, '"tool_calls"'),
            expected=", ".join(order),
            actual=", ".join(call.name for call in came),
        )


def _value_differs(evidence: Evidence, choice: Choice, want: PlainCall, got: PlainCall) -> Iterator[Complaint]:
    """Name each place where the arguments are not those expected, with both values."""
    call = choice.calls[got.position]
    for difference in differences(want.arguments, got.arguments):
        yield Complaint(
            f"call {got.position} ({got.name}): {difference.path or 'arguments'} is {difference.came}"
            f" where {difference.wanted} was expected",
            evidence.at_event(call.last_event, '"arguments"'),
            expected=difference.wanted,
            actual=difference.came,
        )


def _too_much(evidence: Evidence, choice: Choice, got: PlainCall, pairing: Pairing) -> Complaint:
    """Say of a call that was not expected whether it is a copy of one that was."""
    copies = sum(
        same_value(got.arguments, other.arguments) and got.name == other.name
        for other in (*(other for _, other in pairing.equal), *pairing.extra)
    )
    expected = sum(same_value(got.arguments, other.arguments) and got.name == other.name for _, other in pairing.equal)
    copied = bool(expected)
    return Complaint(
        f"the call {show_call(got)} came {copies} times, {expected} expected"
        if copied
        else f"the call {show_call(got)} was not expected",
        evidence.at_event(choice.calls[got.position].first_event, '"tool_calls"'),
        expected=f"{expected} times" if copied else "no such call",
        actual=f"{copies} times" if copied else show_call(got),
    )


def _came(came: list[PlainCall]) -> str:
    """Say what came."""
    return f"{len(came)} came: " + "; ".join(show_call(call) for call in came[:4])
