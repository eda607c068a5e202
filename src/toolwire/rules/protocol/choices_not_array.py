"""`choices` is always an array.

What it checks
    Each chunk has `choices`, and it is an array; the usage chunk has an empty one.

Why it matters
    Clients loop over it in every chunk, without looking.

Basis
    The schema (OpenAPI, CreateChatCompletionStreamResponse.choices). Rule book C-07.

Which clients break
    openai-python raises a TypeError; so do others that iterate.

How to fix
    Send `"choices": []` in chunks without any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["choices_not_array"]


@rule(
    name="choices-not-array",
    code="TW206",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-07",),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.choices",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "TypeError in .stream()", "reproduced"),),
)
def choices_not_array(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CHOICES_TYPE):
        yield Complaint(
            f"choices is {odd.detail}",
            evidence.at_event(odd.event, '"choices"'),
            expected="an array",
            actual=odd.detail,
        )
