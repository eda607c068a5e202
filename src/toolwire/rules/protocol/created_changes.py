"""All chunks have the same time.

What it checks
    `created` is the same in every chunk.

Why it matters
    Harmless in practice; noted because the text asks for it.

Basis
    "Each chunk has the same timestamp" (OpenAPI). Rule book C-04.

Which clients break
    None is known.

How to fix
    Take the time once for each answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["created_changes"]


@rule(
    name="created-changes",
    code="TW204",
    level=Level.NOTE,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-04",),
    source="OpenAI OpenAPI",
)
def created_changes(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CREATED_CHANGES)[:1]:
        yield Complaint(
            f"created changes: {odd.detail}",
            evidence.at_event(odd.event, '"created"'),
            expected="one time for all chunks",
            actual=odd.detail,
        )
