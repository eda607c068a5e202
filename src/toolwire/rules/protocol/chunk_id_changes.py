"""All chunks of an answer have the same id.

What it checks
    The `id` of every chunk is that of the first one. Azure's filter chunks are let pass.

Why it matters
    The id tells which answer a chunk belongs to: logs are joined by it, and interfaces begin a new message when it
    changes.

Basis
    The schema says that each chunk has the same id. Rule book C-03.

Which clients break
    Interfaces that group chunks by id show one answer as several. openai-python does not look at it.

How to fix
    Make the id once for each request, in the front end, and not anew for each chunk or engine step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

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
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.id",
    sees=(ChunkAnomaly.ID_CHANGES,),
)
def chunk_id_changes(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once, where the id changes first."""
    for odd in evidence.odd(ChunkAnomaly.ID_CHANGES)[:1]:
        count = evidence.anomalies.count(ChunkAnomaly.ID_CHANGES)
        yield Complaint(
            f"the id of the chunks changes: {odd.detail} ({count} of {evidence.completion.chunks} chunks differ)",
            evidence.at_event(odd.event, '"id"'),
            expected="one id in all chunks",
            actual=odd.detail,
        )
