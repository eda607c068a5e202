"""Only the chosen tools are called.

What it checks
    With a named tool every call is to that tool; with `allowed_tools` every call is to one of the list. Names that
    were not offered at all are left to the rule on undeclared names.

Why it matters
    A choice among tools is a permission. A server that only hints at it in the prompt lets a model call what the
    client had switched off for this turn.

Basis
    A named choice forces the model to call that tool, a list of allowed tools constrains the tools that it may call
    (OpenAI OpenAPI, ChatCompletionNamedToolChoice, ChatCompletionAllowedTools). Rule book G-09, G-10.

Which clients break
    Dispatchers that prepared one tool only; agents that rely on the list as a guard.

How to fix
    Build the decoding constraint from the chosen tools, not from all tools that were offered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.request import Contract
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["wrong_tool"]

_LIMITING = frozenset({Contract.NAMED, Contract.ALLOWED, Contract.ALLOWED_REQUIRED})


@rule(
    name="wrong-tool",
    code="TW503",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("G-09", "G-10"),
    source="OpenAI OpenAPI, ChatCompletionNamedToolChoice, ChatCompletionAllowedTools",
)
def wrong_tool(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each call to a tool that was offered but not chosen."""
    if evidence.contract not in _LIMITING:
        return
    chosen = evidence.request.chosen
    wanted = ", ".join(sorted(chosen))
    for call in evidence.completion.calls:
        name = call.name
        if name and name not in chosen and name in evidence.request.tools:
            yield Complaint(
                f"`{name}` was called where tool_choice allows only {wanted or 'no tool'}",
                evidence.at_event(call.first_event, name),
                expected=f"a call to {wanted}",
                actual=f"a call to {name}",
            )
