"""Arguments are sent as a string.

What it checks
    `function.arguments` is a string in every fragment. Null is a warning: it adds nothing, yet plain joining
    loops stop at it. A missing key is harmless.

Why it matters
    Clients join the fragments as text; an object cannot be joined.

Basis
    The schema says string (OpenAPI, ChatCompletionMessageToolCallChunk.function.arguments). Rule book C-20 and
    "where two rules meet", 1.

Which clients break
    openai-python raises a TypeError; plain joining loops raise on null.

How to fix
    Serialise the arguments to JSON text, also where the whole call is sent at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["arguments_not_string"]


@rule(
    name="arguments-not-string",
    code="TW320",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-20",),
    source="OpenAI OpenAPI, ChatCompletionMessageToolCallChunk",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "TypeError in .stream()", "reproduced"),),
    sees=(
        ChunkAnomaly.ARGUMENTS_TYPE,
        ChunkAnomaly.ARGUMENTS_NULL,
    ),
)
def arguments_not_string(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.ARGUMENTS_TYPE, ChunkAnomaly.ARGUMENTS_NULL):
        null = odd.kind is ChunkAnomaly.ARGUMENTS_NULL
        yield Complaint(
            f"the arguments of call {odd.call} are {'null' if null else 'a JSON value'} in a fragment, not a string",
            evidence.at_event(odd.event, '"arguments"'),
            expected="a string",
            actual=odd.detail or "null",
            level=Level.SHOULD if null else None,
        )
