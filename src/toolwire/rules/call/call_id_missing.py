"""The first fragment of a call carries its id.

What it checks
    The first fragment of each call has a non-empty `id`. An id that comes later is late.

Why it matters
    The id is what the result of the tool is sent back with. Without it, or before it, a client can start nothing.

Basis
    OpenAI's own captures; the schema leaves the field optional because later fragments lack it. Rule book C-18.

Which clients break
    Older releases of the Vercel AI SDK throw, newer ones invent an id; openai-python keeps None.

How to fix
    Make the id when the call is opened and send it with the first fragment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_id_missing"]


@rule(
    name="call-id-missing",
    code="TW306",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-18",),
    source="first-party captures",
    clients=(
        ClientEffect(
            "Vercel AI SDK, older releases", Breaks.BY_EXCEPTION, "throws on a call without an id", "rule book C-18"
        ),
        ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the call keeps None as its id", "reproduced"),
    ),
    sees=(
        ChunkAnomaly.CALL_ID_LATE,
        ChunkAnomaly.CALL_ID_MISSING,
    ),
)
def call_id_missing(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CALL_ID_LATE, ChunkAnomaly.CALL_ID_MISSING):
        late = odd.kind is ChunkAnomaly.CALL_ID_LATE
        yield Complaint(
            f"the id of call {odd.call} comes after its first fragment" if late else f"call {odd.call} has no id",
            evidence.at_event(odd.event, '"tool_calls"'),
            expected="a non-empty `id` in the first fragment",
            actual=odd.detail or "no id",
        )
