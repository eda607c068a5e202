"""Every choice has the key finish_reason.

What it checks
    `finish_reason` stands in every choice, null until the end.

Why it matters
    The schema requires the key. Clients take its absence for null.

Basis
    Required by the schema, optional in the types of openai-python: harmless. Rule book C-09 and section 11.

Which clients break
    None known.

How to fix
    Write `"finish_reason": null`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["finish_key_missing"]


@rule(
    name="finish-key-missing",
    code="TW209",
    level=Level.NOTE,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-09",),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.choices.items.required",
    sees=(ChunkAnomaly.FINISH_KEY_MISSING,),
)
def finish_key_missing(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once."""
    for odd in evidence.odd(ChunkAnomaly.FINISH_KEY_MISSING)[:1]:
        count = evidence.anomalies.count(ChunkAnomaly.FINISH_KEY_MISSING)
        yield Complaint(
            f"the key finish_reason is absent in {count} of {evidence.completion.chunks} chunks",
            evidence.at_event(odd.event, '"choices"'),
            expected='"finish_reason": null',
            actual="no key",
        )
