"""The id of a call does not change.

What it checks
    No later fragment of a call has another id than the first.

Why it matters
    A fresh id with every fragment makes one call look like many, or, joined, like one that nobody knows.

Basis
    OpenAI's own captures. Rule book C-17 and C-19.

Which clients break
    openai-python joins the ids; clients that key by id open a call for each fragment.

How to fix
    Make the id once for each call, not once for each chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_id_changes"]


@rule(
    name="call-id-changes",
    code="TW309",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=(
        "C-19",
        "C-17",
    ),
    source="first-party captures",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the ids are joined", "reproduced"),),
    sees=(ChunkAnomaly.CALL_ID_CHANGES,),
)
def call_id_changes(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CALL_ID_CHANGES):
        yield Complaint(
            f"the id of call {odd.call} changes: {odd.detail}",
            evidence.at_event(odd.event, '"id"'),
            expected="one id for a call",
            actual=odd.detail,
        )
