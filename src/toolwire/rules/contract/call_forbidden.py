"""A turn for which calls are forbidden has none.

What it checks
    With `tool_choice: "none"`, or without any tools, no fragment of a call arrives.

Why it matters
    `none` is how an agent asks for a last word: a summary, a question, an answer. A call that comes all the same is
    run by a loop that trusts the server, with whatever effect the tool has.

Basis
    "`none` means the model will not call any tool and instead generates a message" (OpenAI OpenAPI,
    ChatCompletionToolChoiceOption). Rule book G-07.

Which clients break
    Agent loops that run whatever call arrives; those that do not expect one show an empty answer.

How to fix
    Do not run the tool parser when the choice is `none`, or leave the tools out of the prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.request import Contract
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_forbidden"]


@rule(
    name="call-forbidden",
    code="TW501",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("G-07",),
    source="OpenAI OpenAPI, ChatCompletionToolChoiceOption",
)
def call_forbidden(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each call where none is allowed."""
    if evidence.contract is not Contract.NONE or not evidence.used_call_field:
        return
    reason = "tool_choice is none" if evidence.request.tools else "no tools were offered"
    for call in evidence.completion.calls:
        yield Complaint(
            f"`{call.name or 'a call without a name'}` was called although {reason}",
            evidence.at_event(call.first_event, '"tool_calls"'),
            expected="no call",
            actual=f"call {call.position} to {call.name!r}",
        )
