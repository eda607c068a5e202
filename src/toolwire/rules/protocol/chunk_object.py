"""A chunk says that it is one.

What it checks
    `object` is `chat.completion.chunk` in each chunk. Azure's filter chunks (`object: ""`) are left alone.

Why it matters
    The official stream helper skips chunks of another kind, so a stream of them is empty.

Basis
    The schema (OpenAPI, CreateChatCompletionStreamResponse.object). Rule book C-02.

Which clients break
    openai-python skips such chunks; where all are so, it raises an AssertionError.

How to fix
    Send `"object": "chat.completion.chunk"`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["chunk_object"]


@rule(
    name="chunk-object",
    code="TW202",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-02",),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.object",
    clients=(
        ClientEffect(
            "openai-python 3.57.0",
            Breaks.BY_EXCEPTION,
            "the chunks are skipped; AssertionError where all are",
            "reproduced",
        ),
    ),
)
def chunk_object(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.OBJECT_VALUE):
        yield Complaint(
            f"object is {odd.detail!r}",
            evidence.at_event(odd.event, '"object"'),
            expected="chat.completion.chunk",
            actual=odd.detail,
        )
