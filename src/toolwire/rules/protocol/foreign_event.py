"""Only chunks, errors and [DONE] come as data.

What it checks
    Each payload is a chunk. Objects of other kinds (pings, status reports, events of other protocols) do not stand
    among them.

Why it matters
    Every client of this protocol takes each payload for a chunk and looks for its choices.

Basis
    The schema of the stream knows only chunks. Rule book C-01 and C-07.

Which clients break
    openai-python and all that validate chunks raise at the first such object.

How to fix
    Keep the connection open with SSE comments (`: ping`), which every client skips.
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
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse",
    clients=(
        ClientEffect(
            "openai-python 3.57.0",
            Breaks.BY_EXCEPTION,
            "TypeError in .stream(): the object has no choices",
            "reproduced",
        ),
    ),
    sees=(ChunkAnomaly.FOREIGN_EVENT,),
)
def foreign_event(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each object that is no chunk."""
    for odd in evidence.odd(ChunkAnomaly.FOREIGN_EVENT):
        yield Complaint(
            f"an object that is no chunk stands in the stream: {odd.detail[:60]}",
            evidence.at_event(odd.event),
            expected="chunks only",
            actual=odd.detail,
        )
