"""All chunks of an answer have the same time.

What it checks
    `created` is the same in every chunk.

Why it matters
    It is the time of the answer, not of the chunk. Nothing is known to depend on it.

Basis
    The schema says so; harmless in practice. Rule book C-04.

Which clients break
    None known.

How to fix
    Take the time once, when the request arrives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["created_changes"]


@rule(
    name="created-changes",
    code="TW204",
    level=Level.NOTE,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-04",),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.created",
    sees=(ChunkAnomaly.CREATED_CHANGES,),
)
def created_changes(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once, where the time changes first."""
    for odd in evidence.odd(ChunkAnomaly.CREATED_CHANGES)[:1]:
        yield Complaint(
            f"the time of the chunks changes: {odd.detail}",
            evidence.at_event(odd.event, '"created"'),
            expected="one time in all chunks",
            actual=odd.detail,
        )
