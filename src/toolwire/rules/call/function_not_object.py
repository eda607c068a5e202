"""`function` is an object wherever it stands.

What it checks
    Where an entry of `tool_calls` has the key `function`, its value is an object. A later fragment without the key is
    legal, and only noted.

Why it matters
    Accumulators merge objects; null in its place stops them.

Basis
    The schema (OpenAPI, ChatCompletionMessageToolCallChunk.function). Rule book C-20.

Which clients break
    openai-python raises an AssertionError, also where a later fragment has no such key.

How to fix
    Send `"function": {"arguments": ""}` where a fragment has nothing to add, or no fragment at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["function_not_object"]


@rule(
    name="function-not-object",
    code="TW319",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-20",),
    source="OpenAI OpenAPI, ChatCompletionMessageToolCallChunk",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "AssertionError in .stream()", "reproduced"),),
    sees=(ChunkAnomaly.FUNCTION_TYPE, ChunkAnomaly.FUNCTION_ABSENT),
)
def function_not_object(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.FUNCTION_TYPE):
        yield Complaint(
            f"`function` of call {odd.call} is {odd.detail}",
            evidence.at_event(odd.event, '"function"'),
            expected="an object, or no key at all",
            actual=odd.detail,
        )
    for odd in evidence.odd(ChunkAnomaly.FUNCTION_ABSENT)[:1]:
        yield Complaint(
            f"a later fragment of call {odd.call} has no `function`",
            evidence.at_event(odd.event, '"tool_calls"'),
            level=Level.NOTE,
            expected="a function with arguments",
        )
