"""Only the usage chunk has no choice.

What it checks
    `choices` is empty in the usage chunk only. Azure's first chunk is left alone.

Why it matters
    Countless clients take `choices[0]` of every chunk.

Basis
    Usage comes in a chunk of its own with empty choices (OpenAPI, ChatCompletionStreamOptions). Rule book C-08.

Which clients break
    Clients that index `choices[0]` raise an IndexError.

How to fix
    Do not send chunks without a choice, other than usage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["choices_empty"]


@rule(
    name="choices-empty",
    code="TW207",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-08",),
    source="OpenAI OpenAPI, ChatCompletionStreamOptions",
    clients=(ClientEffect("clients that take choices[0]", Breaks.BY_EXCEPTION, "IndexError", "rule book C-08"),),
)
def choices_empty(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CHOICES_EMPTY)[:1]:
        yield Complaint(
            "a chunk without usage has no choice",
            evidence.at_event(odd.event, '"choices"'),
            expected="at least one choice",
            actual=odd.detail,
        )
