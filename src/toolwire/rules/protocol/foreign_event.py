"""Every payload is a chunk.

What it checks
    No payload is an object of another protocol, such as `{"type": "ping"}`.

Why it matters
    Clients take every payload for a chunk and stop at one that is none.

Basis
    The schema (OpenAPI, CreateChatCompletionStreamResponse). Comments are the way to keep a connection alive.
    Rule book C-01.

Which clients break
    Typed clients fail to decode it; others find no choices.

How to fix
    Send a comment line (`: ping`) instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["foreign_event"]


@rule(
    name="foreign-event",
    code="TW215",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-01",),
    source="OpenAI OpenAPI",
    clients=(ClientEffect("typed clients", Breaks.BY_EXCEPTION, "the payload cannot be decoded", "rule book C-01"),),
)
def foreign_event(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.FOREIGN_EVENT):
        yield Complaint(
            f"a payload is no chunk: {odd.detail[:80]}",
            evidence.at_event(odd.event, ""),
            expected="a chunk, or a comment",
            actual=odd.detail,
        )
