"""Usage adds up.

What it checks
    A usage object has `prompt_tokens`, `completion_tokens` and `total_tokens`, whole numbers and not negative, and
    the total is the sum. Details below them are not looked at.

Why it matters
    Numbers that are missing or do not add up make bills and budgets wrong, and hide tokens that were generated but
    never sent.

Basis
    The schema requires all three. Rule book C-32.

Which clients break
    Accounting; clients that read `usage.total_tokens` of an empty object raise.

How to fix
    Count all that was generated, reasoning and calls included; leave `usage` null where there is nothing to tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["usage_numbers"]


@rule(
    name="usage-numbers",
    code="TW220",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-32",),
    source="OpenAI OpenAPI, CompletionUsage",
)
def usage_numbers(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each kind of fault."""
    for kind in (ChunkAnomaly.USAGE_TYPE, ChunkAnomaly.USAGE_NUMBER, ChunkAnomaly.USAGE_SUM):
        for odd in evidence.odd(kind)[:1]:
            word = "usage is " if kind is ChunkAnomaly.USAGE_TYPE else ""
            yield Complaint(
                f"the numbers of usage are wrong: {word}{odd.detail[:60]}",
                evidence.at_event(odd.event, '"usage"'),
                expected="three whole numbers, of which one is the sum",
                actual=odd.detail,
            )
