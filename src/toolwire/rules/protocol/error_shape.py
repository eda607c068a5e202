"""An error has the shape that clients know, and is the last word.

What it checks
    An error in the stream is a payload with an `error` object that has a `message`, and no chunk follows it.

Why it matters
    Clients recognise errors by this shape. In any other the message is lost, or the error is taken for an empty chunk
    and the answer for complete.

Basis
    openai-python raises on a top-level `error` that holds something; vLLM and llama.cpp send it so. Rule book C-35.

Which clients break
    openai-python: the message of a plain string is lost; an event named `error` without an `error` key is parsed as
    an empty chunk.

How to fix
    Send `data: {"error": {"message": ..., "type": ..., "param": null, "code": ...}}` and then end the stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["error_shape"]


@rule(
    name="error-shape",
    code="TW217",
    level=Level.SHOULD,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-35",),
    source="openai-python 3.57.0, _streaming.py",
    clients=(
        ClientEffect(
            "openai-python 3.57.0",
            Breaks.SILENTLY,
            "an event named error without an error key is parsed as an empty chunk",
            "reproduced",
        ),
    ),
    sees=(
        ChunkAnomaly.ERROR_SHAPE,
        ChunkAnomaly.AFTER_ERROR,
    ),
)
def error_shape(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each other shape, and of chunks behind an error."""
    for odd in evidence.odd(ChunkAnomaly.ERROR_SHAPE):
        yield Complaint(
            f"the error has another shape than clients know: {odd.detail}",
            evidence.at_event(odd.event),
            expected='{"error": {"message": "…"}}',
            actual=odd.detail,
        )
    for odd in evidence.odd(ChunkAnomaly.AFTER_ERROR)[:1]:
        yield Complaint(
            "the stream goes on after the error",
            evidence.at_event(odd.event),
            expected="nothing but [DONE]",
            actual=odd.detail,
        )
