"""The refusal of a delta is a string or null.

What it checks
    `delta.refusal` is a string, null or absent.

Why it matters
    Clients join the fragments of a refusal like those of content.

Basis
    The schema. Rule book C-36.

Which clients break
    Typed clients refuse the chunk; those that concatenate raise.

How to fix
    Send fragments of text; the fact of a refusal needs no flag beside them.
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
    source="OpenAI OpenAPI, ChatCompletionStreamResponseDelta.refusal",
    sees=(ChunkAnomaly.REFUSAL_TYPE,),
)
def refusal_type(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each refusal that is no text."""
    for odd in evidence.odd(ChunkAnomaly.REFUSAL_TYPE):
        yield Complaint(
            f"the refusal of a delta of choice {odd.choice} is {odd.detail[:60]}",
            evidence.at_event(odd.event, '"refusal"'),
            expected="a string or null",
            actual=odd.detail,
        )
