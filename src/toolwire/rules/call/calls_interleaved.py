"""Calls come one after the other.

What it checks
    No fragment comes for a call after a later one began. Several whole calls in one chunk are fine.

Why it matters
    The official library closes a call when the index changes and parses what it has.

Basis
    OpenAI's own captures. Rule book C-21.

Which clients break
    openai-python raises a JSONDecodeError where tools are strict.

How to fix
    Finish one call before the next is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["calls_interleaved"]


@rule(
    name="calls-interleaved",
    code="TW328",
    level=Level.SHOULD,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-21",),
    source="first-party captures",
    clients=(
        ClientEffect(
            "openai-python 3.57.0",
            Breaks.BY_EXCEPTION,
            "JSONDecodeError in .stream() where tools are strict",
            "reproduced",
        ),
    ),
    sees=(ChunkAnomaly.INTERLEAVED,),
)
def calls_interleaved(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.INTERLEAVED):
        yield Complaint(
            f"a fragment of call {odd.call} comes after a later call began",
            evidence.at_event(odd.event, '"tool_calls"'),
            expected="the fragments of one call before those of the next",
            actual=f"call {odd.call} goes on",
        )
