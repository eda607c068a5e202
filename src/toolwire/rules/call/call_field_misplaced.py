"""Name and arguments stand inside `function`.

What it checks
    No entry of `tool_calls` has `name`, `arguments` or `parameters` beside `function`.

Why it matters
    Clients read `function.name` and `function.arguments`; what stands elsewhere is not seen.

Basis
    The schema (OpenAPI, ChatCompletionMessageToolCallChunk.function). Rule book C-18, C-20.

Which clients break
    The call is seen without name or arguments.

How to fix
    Put both into `function`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_field_misplaced"]


@rule(
    name="call-field-misplaced",
    code="TW318",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=(
        "C-18",
        "C-20",
    ),
    source="OpenAI OpenAPI, ChatCompletionMessageToolCallChunk",
    sees=(ChunkAnomaly.MISPLACED,),
)
def call_field_misplaced(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.MISPLACED):
        yield Complaint(
            f"call {odd.call} has {odd.detail}",
            evidence.at_event(odd.event, '"tool_calls"'),
            expected="name and arguments inside `function`",
            actual=odd.detail,
        )
