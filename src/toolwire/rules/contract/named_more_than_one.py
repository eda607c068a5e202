"""A named choice yields exactly one call.

What it checks
    With a tool named in `tool_choice`, no choice has a second call.

Why it matters
    A named tool is how clients ask for one structured answer. A second call is a second answer, and which one
    counts is left to chance. On servers that turn the generated text into arguments it also betrays a parser that
    split one call in two.

Basis
    A forced function means exactly one call of that function (OpenAI, guide "Function calling"). Rule book G-09.

Which clients break
    Structured-output helpers read the first call and drop the rest.

How to fix
    Stop after the first call when the choice names a tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.request import Contract
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["named_more_than_one"]


@rule(
    name="named-more-than-one",
    code="TW505",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("G-09",),
    source="OpenAI guide 'Function calling', tool choice",
)
def named_more_than_one(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each choice that has more than the one call."""
    if evidence.contract is not Contract.NAMED:
        return
    for choice in evidence.completion.choices.values():
        calls = [call for call in choice.calls if not call.stray]
        if len(calls) > 1:
            wanted = ", ".join(sorted(evidence.request.chosen))
            yield Complaint(
                f"{len(calls)} calls came where tool_choice names {wanted}",
                evidence.at_event(calls[1].first_event, '"tool_calls"'),
                expected="exactly 1 call",
                actual=f"{len(calls)} calls",
            )
