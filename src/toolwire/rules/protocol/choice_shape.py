"""Every choice has a delta that is an object.

What it checks
    Each entry of `choices` is an object, and its `delta` is an object too, also in the last chunk: `{}`, never null,
    never missing.

Why it matters
    Clients read `delta.content` without looking; a null ends the answer in an exception, often at the very last
    chunk.

Basis
    The schema requires `delta`. Rule book C-09.

Which clients break
    openai-python raises an AttributeError in `.stream()`; loops written by hand raise the like.

How to fix
    Send `"delta": {}` where there is nothing to add.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["choice_shape"]


@rule(
    name="choice-shape",
    code="TW208",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-09",),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.choices.items.required",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "AttributeError in .stream()", "reproduced"),),
    sees=(
        ChunkAnomaly.CHOICE_TYPE,
        ChunkAnomaly.DELTA_TYPE,
    ),
)
def choice_shape(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each choice or delta that is no object."""
    for odd in evidence.odd(ChunkAnomaly.CHOICE_TYPE):
        yield Complaint(
            f"a choice is {odd.detail[:60]}, which is no object",
            evidence.at_event(odd.event, '"choices"'),
            expected="an object with index, delta and finish_reason",
            actual=odd.detail,
        )
    for odd in evidence.odd(ChunkAnomaly.DELTA_TYPE):
        missing = odd.detail == "missing"
        yield Complaint(
            f"choice {odd.choice} has no delta"
            if missing
            else f"the delta of choice {odd.choice} is {odd.detail[:60]}",
            evidence.at_event(odd.event, '"choices"' if missing else '"delta"'),
            expected="an object, empty where there is nothing to add",
            actual=odd.detail,
        )
