"""Each choice has an index and a delta.

What it checks
    Each entry of `choices` is an object with an integer `index` and an object `delta`, also in the finish chunk.

Why it matters
    Clients read `choice.delta.content` without looking.

Basis
    The required fields of the schema (OpenAPI, CreateChatCompletionStreamResponse.choices). Rule book C-09.

Which clients break
    openai-python raises a TypeError without the index, an AttributeError without the delta.

How to fix
    Send `"delta": {}` where there is nothing to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["choice_shape"]

_WORDS = {
    ChunkAnomaly.CHOICE_TYPE: "a choice is no object",
    ChunkAnomaly.CHOICE_INDEX: "the index of a choice is no whole number",
    ChunkAnomaly.DELTA_TYPE: "the delta of a choice is no object",
}


@rule(
    name="choice-shape",
    code="TW208",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-09",),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.choices",
    clients=(
        ClientEffect(
            "openai-python 3.57.0", Breaks.BY_EXCEPTION, "TypeError or AttributeError in .stream()", "reproduced"
        ),
    ),
)
def choice_shape(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CHOICE_TYPE, ChunkAnomaly.CHOICE_INDEX, ChunkAnomaly.DELTA_TYPE):
        yield Complaint(
            f"{_WORDS[odd.kind]}: {odd.detail}",
            evidence.at_event(odd.event, '"choices"'),
            expected="an integer `index` and an object `delta`",
            actual=odd.detail,
        )
