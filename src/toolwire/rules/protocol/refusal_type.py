"""A refusal comes as a string.

What it checks
    `delta.refusal` is a string or null.

Why it matters
    Clients join it as text.

Basis
    The schema (OpenAPI, ChatCompletionStreamResponseDelta.refusal). Rule book C-36.

Which clients break
    Clients that join text raise.

How to fix
    Send refusals in fragments of text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["refusal_type"]


@rule(
    name="refusal-type",
    code="TW226",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-36",),
    source="OpenAI OpenAPI",
)
def refusal_type(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.REFUSAL_TYPE):
        yield Complaint(
            f"refusal is no string: {odd.detail}",
            evidence.at_event(odd.event, '"refusal"'),
            expected="a string or null",
            actual=odd.detail,
        )
