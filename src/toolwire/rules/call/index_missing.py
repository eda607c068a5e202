"""Every fragment of a call says which call it belongs to.

What it checks
    Each entry of `delta.tool_calls` has an `index`; null is as good as none.

Why it matters
    Fragments of parallel calls interleave on the wire. Without the index a client cannot tell whose arguments a
    fragment continues, and glues them together or drops them.

Basis
    The schema requires `index` (OpenAPI, ChatCompletionMessageToolCallChunk). Rule book C-15.

Which clients break
    openai-python raises a TypeError while accumulating; others take 0 and fuse parallel calls.

How to fix
    Count the calls of a choice from 0 and send the number with every fragment, also where there is one call only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_index_missing"]


@rule(
    name="call-index-missing",
    code="TW301",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-15",),
    source="OpenAI OpenAPI, ChatCompletionMessageToolCallChunk.required",
    clients=(
        ClientEffect(
            "openai-python 3.57.0", Breaks.BY_EXCEPTION, "TypeError or RuntimeError in .stream()", "reproduced"
        ),
    ),
    sees=(ChunkAnomaly.INDEX_MISSING,),
)
def call_index_missing(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each fragment without an index."""
    for odd in evidence.odd(ChunkAnomaly.INDEX_MISSING):
        yield Complaint(
            "a fragment of a call has no index"
            if not odd.detail
            else f"a fragment of a call has {odd.detail} as index",
            evidence.at_event(odd.event, '"tool_calls"'),
            expected="an integer `index` in every entry of tool_calls",
            actual=odd.detail or "no index",
        )
