"""The object of every chunk is `chat.completion.chunk`.

What it checks
    The field `object` of a chunk is exactly `chat.completion.chunk`. The empty string is let pass: Azure's filter
    chunks have it.

Why it matters
    Clients tell chunks from other things by this word. A chunk under another name is skipped, with the part of the
    answer in it.

Basis
    The schema allows this one value. Rule book C-02 and "where two rules meet" 2.

Which clients break
    openai-python leaves such chunks out of the answer of `.stream()` without a word; when all have it, an
    AssertionError is all that is left.

How to fix
    Write `chat.completion.chunk` in every chunk of a stream, and `chat.completion` only in an answer that is not
    streamed.
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
            Breaks.SILENTLY,
            ".stream() skips the chunk; AssertionError when all have it",
            "reproduced",
        ),
    ),
    sees=(ChunkAnomaly.OBJECT_VALUE,),
)
def chunk_object(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each chunk with another object."""
    for odd in evidence.odd(ChunkAnomaly.OBJECT_VALUE):
        yield Complaint(
            f"the object of a chunk is {odd.detail[:60] or repr('')}",
            evidence.at_event(odd.event, '"object"'),
            expected="chat.completion.chunk",
            actual=odd.detail,
        )
