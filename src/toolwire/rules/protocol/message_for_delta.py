"""Calls come in a delta, not in a message.

What it checks
    A choice of a streamed answer has no `message` in the place of its `delta`; above all none that carries the calls.
    A message beside a delta is let pass, unless the calls stand only there.

Why it matters
    Streaming clients read deltas only. The call in the message is lost, and the turn looks empty.

Basis
    The schema requires `delta` and knows no `message`. Rule book C-09; corpus, judgement call 3.

Which clients break
    openai-python raises an AttributeError in `.stream()`; loops that are more careful get nothing.

How to fix
    Turn the whole message into deltas before it goes out as a stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Effect, Evidence, Level, LossKind, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["message_for_delta"]


@rule(
    name="message-for-delta",
    code="TW228",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-09",),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.choices.items.required",
    effect=Effect.LOSS,
    clients=(
        ClientEffect(
            "openai-python 3.57.0", Breaks.BY_EXCEPTION, "AttributeError in .stream(): there is no delta", "reproduced"
        ),
    ),
)
def message_for_delta(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each choice."""
    said: set[int] = set()
    for odd in evidence.odd(ChunkAnomaly.MESSAGE_FOR_DELTA):
        if odd.choice in said:
            continue
        choice = evidence.completion.choices[odd.choice]
        beside = odd.detail == "beside"
        if beside and choice.calls:
            # a copy of what came in the deltas as well: nothing is lost
            continue
        said.add(odd.choice)
        calls = choice.foreign_calls
        yield Complaint(
            f"choice {odd.choice} comes as a message {'beside' if beside else 'instead of'} a delta"
            + (f", with {len(calls)} call{'s' if len(calls) > 1 else ''} in it" if calls else ""),
            evidence.at_event(odd.event, '"message"'),
            effect=None if calls else Effect.DEFECT,
            expected="delta",
            actual="message",
            kind=LossKind.SILENT if calls else None,
        )
