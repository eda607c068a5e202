"""A stream sends deltas, not messages.

What it checks
    No choice of a chunk has a `message` where its `delta` belongs.

Why it matters
    Streaming clients read `delta` only: all that the message holds is lost to them.

Basis
    The schema (OpenAPI, CreateChatCompletionStreamResponse). Rule book C-09.

Which clients break
    The answer is empty, or the client raises for the missing delta.

How to fix
    Send what the message holds as deltas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Effect, Evidence, Level, LossKind, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["message_for_delta"]


@rule(
    name="message-for-delta",
    code="TW228",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=(
        "C-09",
        "C-14",
    ),
    source="OpenAI OpenAPI",
)
def message_for_delta(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.MESSAGE_FOR_DELTA)[:1]:
        choice = evidence.completion.choices[odd.choice]
        yield Complaint(
            "a chunk has a message where the delta belongs" + (", with a call in it" if choice.foreign_calls else ""),
            evidence.at_event(odd.event, '"message"'),
            expected="delta",
            actual="message",
            kind=LossKind.SILENT if choice.foreign_calls else None,
            effect=Effect.LOSS if choice.foreign_calls else Effect.DEFECT,
        )
