"""All chunks of an answer name the same model.

What it checks
    `model` is the same in every chunk.

Why it matters
    A gateway that changes models in the middle of an answer would show it here.

Basis
    What the vendor's own streams do; no text demands it. Rule book C-05.

Which clients break
    None known.

How to fix
    Name the model that answers, in the same words in every chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["model_changes"]


@rule(
    name="model-changes",
    code="TW205",
    level=Level.NOTE,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-05",),
    source="OpenAI captures; rule book C-05",
    sees=(ChunkAnomaly.MODEL_CHANGES,),
)
def model_changes(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once, where the model changes first."""
    for odd in evidence.odd(ChunkAnomaly.MODEL_CHANGES)[:1]:
        yield Complaint(
            f"the model of the chunks changes: {odd.detail}",
            evidence.at_event(odd.event, '"model"'),
            expected="one model in all chunks",
            actual=odd.detail,
        )
