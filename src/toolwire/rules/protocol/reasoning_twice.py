"""Reasoning comes under both names at once.

What it checks
    Tells that deltas carry the same reasoning in `reasoning` and in `reasoning_content`.

Why it matters
    It serves clients of either kind. One that joins both gets every thought twice.

Basis
    De facto; gateways do it on purpose. Rule book C-42.

Which clients break
    Those that join both fields.

How to fix
    Nothing, unless a client shows it twice.
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
    sees=(ChunkAnomaly.REASONING_TWICE,),
)
def reasoning_twice(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once."""
    for odd in evidence.odd(ChunkAnomaly.REASONING_TWICE)[:1]:
        count = evidence.anomalies.count(ChunkAnomaly.REASONING_TWICE)
        yield Complaint(
            f"reasoning comes under both names, in {count} chunks",
            evidence.at_event(odd.event, '"reasoning"'),
            expected="one name",
            actual="reasoning and reasoning_content",
        )
