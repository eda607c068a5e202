"""Logprobs have their shape, and come when asked for.

What it checks
    `logprobs` of a choice is null or an object whose `content` is null or a list of entries with a token; it is
    not null only where the request asked for it.

Why it matters
    Typed clients refuse another shape.

Basis
    The schema (OpenAPI, CreateChatCompletionStreamResponse). Rule book C-37.

Which clients break
    Typed clients fail to decode the chunk.

How to fix
    Send `"logprobs": null` where there are none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["logprobs_shape"]


@rule(
    name="logprobs-shape",
    code="TW225",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-37",),
    source="OpenAI OpenAPI",
)
def logprobs_shape(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.LOGPROBS_SHAPE, ChunkAnomaly.LOGPROBS_UNASKED)[:1]:
        yield Complaint(
            f"{'logprobs come though they were not asked for' if odd.kind is ChunkAnomaly.LOGPROBS_UNASKED else 'logprobs have another shape: ' + odd.detail}",
            evidence.at_event(odd.event, '"logprobs"'),
            expected="null, or an object with content",
            actual=odd.detail,
        )
