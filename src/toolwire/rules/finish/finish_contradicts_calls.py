"""A turn with calls ends with `tool_calls`.

What it checks
    Where a choice has calls and was not cut, its finish reason is `tool_calls`. With a named tool `stop` is
    accepted too, since OpenAI itself ends such turns so.

Why it matters
    Agents decide by the finish reason whether to run tools: with `stop` the loop ends and the call is never made.

Basis
    The schema's description of the values (OpenAPI), live results of OpenAI by tool_choice (vLLM PR 25054). Rule
    book C-22.

Which clients break
    Agent loops end without running the tool.

How to fix
    Set the reason from what was sent: once a call went out, the turn ends with `tool_calls`, unless it was cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.request import Contract
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Finish

__all__ = ["finish_contradicts_calls"]

_CONTRADICTING = frozenset({"stop", "function_call"})
"""Endings that say there is no call of this kind; those that say the turn was cut contradict nothing."""


def _event_of(finishes: list[Finish], value: str) -> int:
    """Return the event of a finish reason."""
    return next(finish.event for finish in finishes if finish.value == value)


@rule(
    name="finish-contradicts-calls",
    code="TW402",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-22",),
    source="OpenAI OpenAPI; vLLM PR 25054",
    clients=(
        ClientEffect("agent loops", Breaks.SILENTLY, "end without running the tool", "ollama PR 7963, GoModel PR 124"),
    ),
)
def finish_contradicts_calls(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    if evidence.contract is Contract.NONE:
        return  # no call may come at all, which another rule tells
    accepted = ("tool_calls", "stop") if evidence.contract is Contract.NAMED else ("tool_calls",)
    for choice in evidence.completion.choices.values():
        finish = choice.finish
        if not choice.calls or finish is None or finish in accepted or finish not in _CONTRADICTING:
            continue
        yield Complaint(
            f"choice {choice.index} has {len(choice.calls)} call{'s' if len(choice.calls) > 1 else ''}"
            f" and ends with {finish!r}",
            evidence.at_event(_event_of(choice.finishes, finish), '"finish_reason"'),
            expected=" or ".join(accepted),
            actual=finish,
        )
