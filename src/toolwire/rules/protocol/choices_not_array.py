"""Every chunk has a list of choices.

What it checks
    `choices` is a list in every chunk, also in the one that carries only usage; never null, never missing.

Why it matters
    Clients loop over it without looking. A chunk without it ends the answer in an exception, often after the call was
    complete.

Basis
    The schema requires the list. Rule book C-07.

Which clients break
    openai-python raises a TypeError in `.stream()`; the AI SDK refuses the chunk.

How to fix
    Send `"choices": []` where there is nothing to say.
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
    sees=(ChunkAnomaly.CHOICES_TYPE,),
)
def choices_not_array(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each chunk whose choices are no list."""
    for odd in evidence.odd(ChunkAnomaly.CHOICES_TYPE):
        missing = odd.detail == "missing"
        yield Complaint(
            "a chunk has no choices" if missing else f"the choices of a chunk are {odd.detail[:60]}",
            evidence.at_event(odd.event, "" if missing else '"choices"'),
            expected="a list, empty where there is nothing to say",
            actual=odd.detail,
        )
