"""Where parallel calls are switched off, a choice has one call at most.

What it checks
    With `parallel_tool_calls: false` no choice has a second call. Choices are counted each by itself.

Why it matters
    The switch is set by clients that can run one call a turn, or whose tools depend on each other.

Basis
    With false exactly zero or one tool is called (OpenAI, guide "Function calling"). Rule book G-11.

Which clients break
    Those that read only the first call: the rest is dropped without a word, and the model waits for its result.

How to fix
    Stop decoding after the first call, or send only the first one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["parallel_forbidden"]


@rule(
    name="parallel-forbidden",
    code="TW504",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("G-11",),
    source="OpenAI guide 'Function calling', parallel function calling",
    clients=(
        ClientEffect(
            "clients that read the first call only", Breaks.SILENTLY, "the other calls are dropped", "rule book G-11"
        ),
    ),
)
def parallel_forbidden(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each choice that has more than one call."""
    if evidence.request.parallel:
        return
    for choice in evidence.completion.choices.values():
        calls = [call for call in choice.calls if not call.stray]
        if len(calls) > 1:
            names = ", ".join(call.name or "?" for call in calls[:8])
            yield Complaint(
                f"{len(calls)} calls ({names}) came although parallel_tool_calls is false",
                evidence.at_event(calls[1].first_event, '"tool_calls"'),
                expected="at most 1 call",
                actual=f"{len(calls)} calls",
            )
