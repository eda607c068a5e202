"""Indexes of calls grow by one.

What it checks
    Each call that a choice opens after the first has the next index.

Why it matters
    A gap means that a call was lost, or that one was counted which never came. Clients that insert by position
    fail.

Basis
    What OpenAI's own captures show and its library needs. Rule book C-16.

Which clients break
    openai-python raises an IndexError.

How to fix
    Advance the index when a call is sent, not when the parser believes that it saw one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_index_gap"]


@rule(
    name="call-index-gap",
    code="TW304",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-16",),
    source="first-party captures and accumulator",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "IndexError in .stream()", "reproduced"),),
    sees=(ChunkAnomaly.INDEX_GAP,),
)
def call_index_gap(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.INDEX_GAP):
        yield Complaint(
            f"a call opens with {odd.detail}",
            evidence.at_event(odd.event, '"index"'),
            expected="indexes that grow by one with each new call",
            actual=odd.detail,
        )
