"""Usage comes where it was asked for.

What it checks
    Without `stream_options.include_usage` no chunk has a usage object.

Why it matters
    Harmless except to strict decoders; many servers always send it.

Basis
    OpenAPI, ChatCompletionStreamOptions. Rule book C-31.

Which clients break
    None is known.

How to fix
    Send usage where it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["usage_unasked"]


@rule(
    name="usage-unasked",
    code="TW221",
    level=Level.NOTE,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-31",),
    source="OpenAI OpenAPI, ChatCompletionStreamOptions",
)
def usage_unasked(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.USAGE_UNASKED)[:1]:
        yield Complaint(
            "usage comes though it was not asked for",
            evidence.at_event(odd.event, '"usage"'),
            expected="no usage",
            actual=odd.detail,
        )
