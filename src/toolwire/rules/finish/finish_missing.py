"""Every choice ends with a finish reason.

What it checks
    Each choice of an answer that came to its end has a finish reason that is a non-empty string.

Why it matters
    Without it a client cannot tell whether the turn is over, was cut, or waits for tools.

Basis
    The schema requires the key, and null means "not yet" (OpenAPI, CreateChatCompletionStreamResponse). Rule book
    C-22.

Which clients break
    openai-python reports finish_reason None without an error; agents wait or loop.

How to fix
    Send the finish chunk for each choice before the end, also when the engine stops for a reason of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["finish_missing"]


@rule(
    name="finish-missing",
    code="TW401",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-22",),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "finish_reason stays None", "reproduced"),),
)
def finish_missing(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    if evidence.failed_as_a_whole:
        return
    for choice in evidence.completion.choices.values():
        if choice.finishes:
            continue
        yield Complaint(
            f"choice {choice.index} has no finish_reason",
            evidence.at_event(choice.last_event, '"finish_reason"'),
            expected="one of stop, length, tool_calls, content_filter",
            actual="null until the end",
        )
