"""`tool_calls` is a list of objects.

What it checks
    `delta.tool_calls`, where it is not null, is a list, and each of its entries is an object. A choice opens no
    more calls than we are willing to keep.

Why it matters
    Clients iterate over it; anything else stops them.

Basis
    The schema (OpenAPI, ChatCompletionStreamResponseDelta.tool_calls). Rule book C-15.

Which clients break
    Iterating over an object yields its keys, over a string its letters; typed clients refuse the chunk.

How to fix
    Send a list, also for one call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.protocol.chat_call import CALL_LIMIT
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["calls_shape"]

_WORDS = {
    ChunkAnomaly.CALLS_TYPE: "tool_calls is no list",
    ChunkAnomaly.ENTRY_TYPE: "an entry of tool_calls is no object",
    ChunkAnomaly.TOO_MANY_CALLS: f"a choice opens more than {CALL_LIMIT} calls",
}


@rule(
    name="calls-shape",
    code="TW331",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-15",),
    source="OpenAI OpenAPI, ChatCompletionStreamResponseDelta",
    sees=_WORDS,
)
def calls_shape(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(*_WORDS):
        yield Complaint(
            _WORDS[odd.kind],
            evidence.at_event(odd.event, '"tool_calls"'),
            expected="a list of objects",
            actual=odd.detail,
        )
