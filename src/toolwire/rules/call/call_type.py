"""The first fragment of a call says that it is a function.

What it checks
    The first fragment of each call has `type: "function"` (or `"custom"` for a custom tool). A type that comes
    later is late, and one that is null in a later fragment is a warning. The same type again is harmless.

Why it matters
    Accumulators choose by the type how a call is read; without it the official one emits no argument events and
    parses nothing.

Basis
    OpenAI's own captures. Rule book C-18 and "where two rules meet", 7.

Which clients break
    openai-python emits no argument events and does not parse; some providers of the Vercel AI SDK throw; one
    official library raises where the type is null later.

How to fix
    Send `"type": "function"` with the first fragment, and leave the key out afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_type"]

_WORDS = {
    ChunkAnomaly.CALL_TYPE_MISSING: "call {0} has no type",
    ChunkAnomaly.CALL_TYPE_LATE: "the type of call {0} comes after its first fragment",
    ChunkAnomaly.CALL_TYPE_WRONG: "the type of call {0} is one that no call has: {1!r}",
    ChunkAnomaly.CALL_TYPE_NULL: "the type of call {0} is {1} in a later fragment",
}


@rule(
    name="call-type",
    code="TW313",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-18",),
    source="first-party captures",
    clients=(
        ClientEffect(
            "openai-python 3.57.0", Breaks.SILENTLY, "no argument events, arguments are not parsed", "reproduced"
        ),
        ClientEffect("Vercel AI SDK, some providers", Breaks.BY_EXCEPTION, "throws", "rule book C-18"),
    ),
    sees=_WORDS,
)
def call_type(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(*_WORDS):
        yield Complaint(
            _WORDS[odd.kind].format(odd.call, odd.detail),
            evidence.at_event(odd.event, '"type"'),
            expected='`"type": "function"` in the first fragment',
            actual=odd.detail or "no type",
            level=Level.SHOULD if odd.kind is ChunkAnomaly.CALL_TYPE_NULL else None,
        )
