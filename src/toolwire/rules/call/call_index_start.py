"""The first call of a choice has index 0.

What it checks
    The first call that a choice opens has index 0.

Why it matters
    Accumulators insert calls by position; a list that begins at 1 has a hole, or cannot be built at all.

Basis
    What OpenAI's own captures show and its library needs: it inserts by position. Rule book C-16.

Which clients break
    openai-python raises an IndexError.

How to fix
    Count calls per choice from 0; do not reuse a counter of the whole conversation or of all output items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_index_start"]


@rule(
    name="call-index-start",
    code="TW303",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-16",),
    source="first-party captures and accumulator",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "IndexError in .stream()", "reproduced"),),
    sees=(ChunkAnomaly.INDEX_START,),
)
def call_index_start(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.INDEX_START):
        yield Complaint(
            f"the first call has index {odd.call}",
            evidence.at_event(odd.event, '"index"'),
            expected="index 0 for the first call of a choice",
            actual=odd.detail,
        )
