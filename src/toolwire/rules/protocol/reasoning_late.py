"""Reasoning precedes the calls of its turn.

What it checks
    Tells that reasoning came behind a call of the same choice.

Why it matters
    Most clients show thoughts first and then what follows; some close the block of thoughts at the first call.

Basis
    De facto. Models that think between calls are no fault. Rule book C-42.

Which clients break
    Interfaces that show thoughts in one block.

How to fix
    Send what was thought before a call before that call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["reasoning_late"]


@rule(
    name="reasoning-late",
    code="TW233",
    level=Level.NOTE,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("C-42",),
    source="rule book C-42",
    sees=(ChunkAnomaly.REASONING_LATE,),
)
def reasoning_late(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once."""
    for odd in evidence.odd(ChunkAnomaly.REASONING_LATE)[:1]:
        yield Complaint(
            f"reasoning of choice {odd.choice} comes behind a call",
            evidence.at_event(odd.event, '"reasoning'),
            expected="reasoning before the calls",
            actual=f"{evidence.anomalies.count(ChunkAnomaly.REASONING_LATE)} deltas behind a call",
        )
