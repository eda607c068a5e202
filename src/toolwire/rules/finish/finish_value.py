"""The finish reason is null or one of the known words.

What it checks
    Before the end the finish reason is null, not an empty string; at the end it is `stop`, `length`,
    `tool_calls`, `content_filter` or `function_call`.

Why it matters
    Typed clients have an enum for it and refuse other values; others compare with the known words and never see
    the end.

Basis
    The enum of the schema (OpenAPI). Rule book C-24.

Which clients break
    openai-python accepts any value silently; typed clients fail.

How to fix
    Map the engine's own reasons to these words, and send null until the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["finish_value"]


@rule(
    name="finish-value",
    code="TW404",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=(
        "C-24",
        "C-22",
    ),
    source="OpenAI OpenAPI, finish_reason",
    clients=(
        ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "any value is accepted", "reproduced"),
        ClientEffect("typed clients", Breaks.BY_EXCEPTION, "the enum does not have the value", "rule book C-24"),
    ),
    sees=(
        ChunkAnomaly.FINISH_EMPTY,
        ChunkAnomaly.FINISH_TYPE,
        ChunkAnomaly.FINISH_UNKNOWN,
    ),
)
def finish_value(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.FINISH_EMPTY, ChunkAnomaly.FINISH_TYPE, ChunkAnomaly.FINISH_UNKNOWN):
        value = repr(odd.detail) if odd.kind is not ChunkAnomaly.FINISH_TYPE else odd.detail
        yield Complaint(
            f"finish_reason is {value}",
            evidence.at_event(odd.event, '"finish_reason"'),
            expected="null, stop, length, tool_calls, content_filter or function_call",
            actual=value,
        )
