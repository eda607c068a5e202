"""The id of a call is a string.

What it checks
    The `id` of a call, where it is not null, is a string.

Why it matters
    Typed clients refuse a number; others send it back as one, and the server does not find its call.

Basis
    The schema says string (OpenAPI, ChatCompletionMessageToolCallChunk). Rule book C-18.

Which clients break
    Clients in typed languages fail to decode the chunk.

How to fix
    Serialise the id as a string.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_id_type"]


@rule(
    name="call-id-type",
    code="TW307",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-18",),
    source="OpenAI OpenAPI, ChatCompletionMessageToolCallChunk.id",
    sees=(ChunkAnomaly.CALL_ID_TYPE,),
)
def call_id_type(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CALL_ID_TYPE):
        yield Complaint(
            f"the id of call {odd.call} is {odd.detail}, not a string",
            evidence.at_event(odd.event, '"id"'),
            expected="a string",
            actual=odd.detail,
        )
