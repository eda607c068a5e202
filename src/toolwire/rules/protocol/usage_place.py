"""Usage comes once, last.

What it checks
    With `stream_options.include_usage` the usage chunk is the last before `[DONE]`, and there is one.

Why it matters
    The official client keeps the usage of the last chunk: one that comes earlier is lost.

Basis
    OpenAPI, ChatCompletionStreamOptions. Rule book C-29.

Which clients break
    openai-python loses a usage that another chunk follows.

How to fix
    Send one usage chunk, behind all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["usage_place"]


@rule(
    name="usage-place",
    code="TW219",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-29",),
    source="OpenAI OpenAPI, ChatCompletionStreamOptions",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the usage is lost", "reproduced"),),
)
def usage_place(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.USAGE_EARLY, ChunkAnomaly.USAGE_TWICE)[:1]:
        yield Complaint(
            f"{'usage comes before the last chunk' if odd.kind is ChunkAnomaly.USAGE_EARLY else 'there is a second usage chunk'}",
            evidence.at_event(odd.event, '"usage"'),
            expected="one usage chunk, last",
            actual=odd.detail,
        )
