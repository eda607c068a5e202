"""Reasoning comes in one field.

What it checks
    No delta carries the same reasoning in both `reasoning_content` and `reasoning`.

Why it matters
    Servers that send both serve clients of either name; one that reads both shows it twice.

Basis
    Rule book C-42: the two names, or both.

Which clients break
    Clients that read both fields show the thoughts twice.

How to fix
    Nothing is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["reasoning_twice"]


@rule(
    name="reasoning-twice",
    code="TW232",
    level=Level.NOTE,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("C-42",),
    source="rule book C-42",
)
def reasoning_twice(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.REASONING_TWICE)[:1]:
        yield Complaint(
            "the same reasoning comes in both fields",
            evidence.at_event(odd.event, '"reasoning"'),
            expected="",
            actual=odd.detail,
        )
