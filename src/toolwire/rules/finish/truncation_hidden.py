"""A cut answer says that it was cut.

What it checks
    Where the arguments of a choice's last call merely stop too early, the finish reason is `length` or
    `content_filter`.

Why it matters
    A client that sees `tool_calls` or `stop` takes the arguments for whole; some complete the JSON and run the
    tool with half a file.

Basis
    `length` means that the limit was reached (OpenAPI, finish_reason). Rule book G-12, C-27.

Which clients break
    LangChain and LlamaIndex complete partial JSON and run it.

How to fix
    Let the reason of the engine win over the one that the parser sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.jsontext import prefix_state
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["truncation_hidden"]


@rule(
    name="truncation-hidden",
    code="TW409",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=(
        "G-12",
        "C-27",
    ),
    source="OpenAI OpenAPI, finish_reason",
    clients=(
        ClientEffect(
            "LangChain, LlamaIndex", Breaks.SILENTLY, "the partial JSON is completed and run", "rule book G-12"
        ),
    ),
)
def truncation_hidden(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for choice in evidence.completion.choices.values():
        finish = choice.finish
        if finish not in ("tool_calls", "stop", "function_call") or not choice.calls:
            continue
        call = choice.calls[-1]
        arguments = evidence.arguments(call)
        if arguments.valid or call.stray or not prefix_state(arguments.text).cut:
            continue
        yield Complaint(
            f"the arguments of call {call.index} ({call.name[:60]}) stop too early, and the turn ends with {finish!r}",
            evidence.at_event(choice.last_event, '"finish_reason"'),
            expected="length, or whole arguments",
            actual=arguments.text[-80:],
        )
