"""Usage adds up.

What it checks
    A usage object holds whole numbers that are not negative, and the total is the sum of prompt and completion.

Why it matters
    Accounting is wrong, or fails.

Basis
    OpenAPI, CompletionUsage. Rule book C-32.

Which clients break
    Typed clients refuse an empty object; bills are wrong.

How to fix
    Fill in all three counts, or leave usage out.
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
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.USAGE_TYPE, ChunkAnomaly.USAGE_NUMBER, ChunkAnomaly.USAGE_SUM)[:1]:
        yield Complaint(
            f"usage is wrong: {odd.detail or 'no object'}",
            evidence.at_event(odd.event, '"usage"'),
            expected="three counts, and total = prompt + completion",
            actual=odd.detail,
        )
