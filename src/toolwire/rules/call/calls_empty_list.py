"""`tool_calls` is left out where there is no call.

What it checks
    No delta has an empty list as `tool_calls`.

Why it matters
    It is harmless to clients that loop over it, and some take its presence for a call.

Basis
    Tolerated by the rule book (C-15); noted for the clients that misread it.

Which clients break
    VS Code chat and some translators between protocols take the key for a call.

How to fix
    Leave the key out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["calls_empty_list"]


@rule(
    name="calls-empty-list",
    code="TW332",
    level=Level.NOTE,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("C-15",),
    source="rule book C-15",
    clients=(
        ClientEffect(
            "VS Code chat and some translators", Breaks.SILENTLY, "an empty list is taken for a call", "rule book C-15"
        ),
    ),
)
def calls_empty_list(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    odd = evidence.odd(ChunkAnomaly.CALLS_EMPTY)
    if odd:
        count = evidence.anomalies.count(ChunkAnomaly.CALLS_EMPTY)
        yield Complaint(
            "a delta has an empty tool_calls list" if count == 1 else f"{count} deltas have an empty tool_calls list",
            evidence.at_event(odd[0].event, '"tool_calls"'),
            expected="no key",
            actual="[]",
        )
