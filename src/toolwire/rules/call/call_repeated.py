"""The same call is not made twice.

What it checks
    No two calls of a choice have the same name and the same arguments. This alone is legal, since a model may ask
    twice, so it is only noted; where an expectation or a twin shows that one was wanted, other rules fail it.

Why it matters
    A parser that restarts, or a proxy that merges two answers, sends each call again under a new index, and the
    tool runs twice.

Basis
    Our own: a hint for whoever looks at the trial.

Which clients break
    Agents run the tool twice.

How to fix
    Look at whether the parser is fed the same text again when a call is complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.jsontext import canonical
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_repeated"]


@rule(
    name="call-repeated",
    code="TW330",
    level=Level.NOTE,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("G-16",),
)
def call_repeated(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for choice in evidence.completion.choices.values():
        seen: dict[tuple[str, str], int] = {}
        if len(choice.calls) < 2:  # noqa: PLR2004 - one call cannot repeat another
            continue
        for call in choice.calls:
            value = evidence.arguments(call).value
            if value is None:
                continue
            first = seen.setdefault((call.name, canonical(value)), call.index)
            if first != call.index:
                yield Complaint(
                    f"calls {first} and {call.index} are the same: {call.name[:60]}",
                    evidence.at_event(call.first_event, '"tool_calls"'),
                    actual=call.arguments.text[:160],
                )
