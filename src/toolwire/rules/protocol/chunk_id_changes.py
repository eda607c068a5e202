"""All chunks have the same id.

What it checks
    `id` is the same in every chunk.

Why it matters
    Logs cannot be matched, and some interfaces start a new message with each id.

Basis
    "Each chunk has the same ID" (OpenAPI). Rule book C-03.

Which clients break
    openai-python does not mind; some interfaces begin a new message.

How to fix
    Make the id once for each answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["chunk_id_changes"]


@rule(
    name="chunk-id-changes",
    code="TW203",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-03",),
    source="OpenAI OpenAPI",
    clients=(ClientEffect("some interfaces", Breaks.SILENTLY, "a new message is begun", "rule book C-03"),),
)
def chunk_id_changes(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.ID_CHANGES)[:1]:
        yield Complaint(
            f"the id of the answer changes: {odd.detail}",
            evidence.at_event(odd.event, '"id"'),
            expected="one id for all chunks",
            actual=odd.detail,
        )
