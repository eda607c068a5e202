"""All chunks name the same model.

What it checks
    `model` is the same in every chunk.

Why it matters
    Harmless in practice; a change may tell of a router that fell back in the middle.

Basis
    OpenAI's own captures. Rule book C-05.

Which clients break
    None is known.

How to fix
    Name the model that answers, in every chunk.
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
    source="first-party captures",
)
def model_changes(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.MODEL_CHANGES)[:1]:
        yield Complaint(
            f"the model changes: {odd.detail}",
            evidence.at_event(odd.event, '"model"'),
            expected="one model",
            actual=odd.detail,
        )
