"""`tool_calls` is said only where there are calls.

What it checks
    No choice ends with `tool_calls` without having sent a call.

Why it matters
    The server itself says that a call was made, and none reached the client: the loss is certain, and agents wait
    for a call that never comes.

Basis
    The schema's description of the values (OpenAPI). Rule book C-23.

Which clients break
    Agents wait, or crash on an empty list.

How to fix
    Look at what the parser recognised: it knew of a call, or the reason would be another, and sent nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Effect, Evidence, Level, LossKind, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["phantom_finish"]


@rule(
    name="phantom-finish",
    code="TW403",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-23",),
    source="OpenAI OpenAPI",
    effect=Effect.LOSS,
)
def phantom_finish(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    # calls in a shape that cannot be read did come, and are another rule's matter
    shapeless = {odd.choice for odd in evidence.odd(ChunkAnomaly.CALLS_TYPE, ChunkAnomaly.ENTRY_TYPE)}
    for choice in evidence.completion.choices.values():
        if choice.finish != "tool_calls" or choice.calls or choice.foreign_calls or choice.index in shapeless:
            continue
        event = next(finish.event for finish in choice.finishes if finish.value == "tool_calls")
        yield Complaint(
            f"choice {choice.index} ends with 'tool_calls', and no call came",
            evidence.at_event(event, '"finish_reason"'),
            expected="a call in tool_calls",
            actual="none",
            kind=LossKind.PHANTOM_FINISH,
        )
