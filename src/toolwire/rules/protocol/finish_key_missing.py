"""Each choice has the key `finish_reason`.

What it checks
    Each entry of `choices` has `finish_reason`, null until the end.

Why it matters
    The schema asks for it; leaving it out is common, and only strict decoders mind.

Basis
    The required fields of the schema (OpenAPI); the official types make it optional. Rule book C-09.

Which clients break
    Chunk validators with a strict schema refuse the chunk.

How to fix
    Send `"finish_reason": null` until the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["finish_key_missing"]


@rule(
    name="finish-key-missing",
    code="TW209",
    level=Level.NOTE,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-09",),
    source="OpenAI OpenAPI",
    clients=(ClientEffect("strict chunk validators", Breaks.BY_EXCEPTION, "the key is required", "rule book C-09"),),
)
def finish_key_missing(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.FINISH_KEY_MISSING)[:1]:
        yield Complaint(
            "a choice has no key finish_reason",
            evidence.at_event(odd.event, '"choices"'),
            expected="finish_reason: null",
            actual=odd.detail,
        )
