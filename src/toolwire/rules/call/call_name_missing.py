"""The first fragment of a call carries its name.

What it checks
    The first fragment of each call has a non-empty string as `function.name`.

Why it matters
    Nothing can be called without a name, and clients that show or check a call as it begins need it first.

Basis
    OpenAI's own captures. Rule book C-18.

Which clients break
    The Vercel AI SDK throws; openai-python keeps None.

How to fix
    Hold back the first fragment until the whole name is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_name_missing"]


@rule(
    name="call-name-missing",
    code="TW314",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-18",),
    source="first-party captures",
    clients=(
        ClientEffect("Vercel AI SDK", Breaks.BY_EXCEPTION, "throws on a call without a name", "rule book C-18"),
        ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the call keeps None as its name", "reproduced"),
    ),
    sees=(
        ChunkAnomaly.NAME_MISSING,
        ChunkAnomaly.NAME_LATE,
        ChunkAnomaly.NAME_TYPE,
    ),
)
def call_name_missing(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.NAME_MISSING, ChunkAnomaly.NAME_LATE, ChunkAnomaly.NAME_TYPE):
        words = {
            ChunkAnomaly.NAME_MISSING: f"call {odd.call} has no name",
            ChunkAnomaly.NAME_LATE: f"the name of call {odd.call} comes after its first fragment",
            ChunkAnomaly.NAME_TYPE: f"the name of call {odd.call} is no string",
        }
        yield Complaint(
            words[odd.kind],
            evidence.at_event(odd.event, '"tool_calls"'),
            expected="a non-empty `function.name` in the first fragment",
            actual=odd.detail or "no name",
        )
