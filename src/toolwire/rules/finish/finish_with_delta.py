"""The finish chunk has an empty delta.

What it checks
    The chunk with the finish reason carries nothing else.

Why it matters
    It is legal for the last fragment, or a whole call, to share the finish chunk, but some clients stop looking
    at the delta once a reason is set.

Basis
    OpenAI's own captures. Rule book C-25.

Which clients break
    Some clients stop reading deltas once the reason is set; Vercel AI SDK up to 4.0 made a second call of an
    empty last fragment.

How to fix
    Send the finish reason in a chunk of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["finish_with_delta"]


@rule(
    name="finish-with-delta",
    code="TW407",
    level=Level.NOTE,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-25",),
    source="first-party captures",
    clients=(ClientEffect("some clients", Breaks.SILENTLY, "the last fragment is not read", "rule book C-25"),),
    sees=(ChunkAnomaly.FINISH_WITH_DELTA,),
)
def finish_with_delta(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.FINISH_WITH_DELTA)[:1]:
        yield Complaint(
            f"the finish chunk of choice {odd.choice} carries a delta",
            evidence.at_event(odd.event, '"delta"'),
            expected="an empty delta",
        )
