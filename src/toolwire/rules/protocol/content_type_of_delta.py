"""The content of a delta is a string or null.

What it checks
    `delta.content` is a string, null or absent. An empty string beside a call is fine.

Why it matters
    Clients add strings. A list of parts, an object or a number ends the answer in an exception, or shows up as such
    to the user.

Basis
    The schema. Rule book C-14.

Which clients break
    All that concatenate; typed clients refuse the chunk.

How to fix
    Send text only. Lists of parts belong to requests, not to streamed answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["content_type_of_delta"]


@rule(
    name="content-type-of-delta",
    code="TW214",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-14",),
    source="OpenAI OpenAPI, ChatCompletionStreamResponseDelta.content",
    clients=(
        ClientEffect(
            "clients that concatenate content",
            Breaks.BY_EXCEPTION,
            "a list or an object cannot be added to a string",
            "rule book C-14",
        ),
    ),
    sees=(ChunkAnomaly.CONTENT_TYPE,),
)
def content_type_of_delta(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each content that is no text."""
    for odd in evidence.odd(ChunkAnomaly.CONTENT_TYPE):
        yield Complaint(
            f"the content of a delta of choice {odd.choice} is {odd.detail[:60]}",
            evidence.at_event(odd.event, '"content"'),
            expected="a string or null",
            actual=odd.detail,
        )
