"""An error has the shape that clients know.

What it checks
    An error in the stream is a payload with an `error` object that holds a string `message`.

Why it matters
    Clients look for that shape; of any other the message is lost, or the error is not seen at all.

Basis
    The official client raises for a truthy `error` and quotes its `message`. Rule book C-35.

Which clients break
    openai-python loses the message of a plain string, and takes an event named error without the key for an empty
    chunk.

How to fix
    Send `{"error": {"message": …, "type": …, "code": …}}`.
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
    source="openai-python",
    clients=(
        ClientEffect(
            "openai-python 3.57.0",
            Breaks.SILENTLY,
            "an error without the key is taken for an empty chunk",
            "reproduced",
        ),
    ),
)
def error_shape(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.ERROR_SHAPE):
        yield Complaint(
            f"an error in another shape: {odd.detail}",
            evidence.at_event(odd.event, ""),
            expected="{error: {message, type, code}}",
            actual=odd.detail,
        )
