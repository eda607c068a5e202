"""Log probabilities have their shape, and come only when asked for.

What it checks
    `logprobs` of a choice is null or an object whose `content` is a list of entries with a `token` and a number
    `logprob`; and it comes only with `logprobs: true` in the request. The key `refusal` may be missing.

Why it matters
    Tools that read token probabilities fail on other shapes; unasked ones multiply the bytes of a stream.

Basis
    The schema. That openai-python tolerates a missing `refusal` was reproduced. Rule book C-37.

Which clients break
    Typed clients refuse the chunk.

How to fix
    Send null, or the object of the schema.
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
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.choices.items.logprobs",
    sees=(
        ChunkAnomaly.LOGPROBS_SHAPE,
        ChunkAnomaly.LOGPROBS_UNASKED,
    ),
)
def logprobs_shape(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each other shape, and once of unasked ones."""
    for odd in evidence.odd(ChunkAnomaly.LOGPROBS_SHAPE):
        yield Complaint(
            f"logprobs have another shape than the schema: {odd.detail[:60]}",
            evidence.at_event(odd.event, '"logprobs"'),
            expected="null, or an object with content",
            actual=odd.detail,
        )
    for odd in evidence.odd(ChunkAnomaly.LOGPROBS_UNASKED)[:1]:
        yield Complaint(
            f"logprobs came unasked ({evidence.anomalies.count(ChunkAnomaly.LOGPROBS_UNASKED)} times)",
            evidence.at_event(odd.event, '"logprobs"'),
            expected="null",
            actual="an object",
        )
