"""The index of a call is a whole number.

What it checks
    The `index` of each entry of `delta.tool_calls`, where there is one, is an integer.

Why it matters
    Clients use the index as a position in a list. A string or a fraction is none: typed clients refuse the chunk,
    others open a new call for every fragment.

Basis
    The schema says integer (OpenAPI, ChatCompletionMessageToolCallChunk). Rule book C-15.

Which clients break
    openai-python turns the string `"0"` into 0; clients in typed languages fail on it.

How to fix
    Serialise the index as a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.protocol.anomaly import Anomaly

__all__ = ["call_index_type"]


def _shown(odd: Anomaly) -> str:
    """Show the value as it stands in the JSON."""
    return f'"{odd.detail}"' if odd.kind is ChunkAnomaly.INDEX_TEXT else odd.detail


@rule(
    name="call-index-type",
    code="TW302",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-15",),
    source="OpenAI OpenAPI, ChatCompletionMessageToolCallChunk.index",
    sees=(
        ChunkAnomaly.INDEX_TEXT,
        ChunkAnomaly.INDEX_TYPE,
    ),
)
def call_index_type(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.INDEX_TEXT, ChunkAnomaly.INDEX_TYPE):
        yield Complaint(
            f"the index of a call is {_shown(odd)}, not a whole number",
            evidence.at_event(odd.event, '"index"'),
            expected="an integer `index`",
            actual=_shown(odd),
        )
