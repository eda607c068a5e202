"""Content precedes the calls.

What it checks
    Content of a choice comes before its first call.

Why it matters
    It is legal to write on after a call, and some clients have closed the text by then.

Basis
    OpenAI's own captures. Rule book C-28.

Which clients break
    openai-python fires its content.done event at the first call; what follows still accumulates.

How to fix
    Send text first where the order is free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["content_after_call"]


@rule(
    name="content-after-call",
    code="TW408",
    level=Level.NOTE,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-28",),
    source="first-party captures",
    clients=(
        ClientEffect(
            "openai-python 3.57.0", Breaks.SILENTLY, "content.done fires before the text is complete", "reproduced"
        ),
    ),
    sees=(ChunkAnomaly.CONTENT_AFTER_CALL,),
)
def content_after_call(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CONTENT_AFTER_CALL)[:1]:
        yield Complaint(
            f"choice {odd.choice} has content after its first call",
            evidence.at_event(odd.event, '"content"'),
            expected="content before the calls",
        )
