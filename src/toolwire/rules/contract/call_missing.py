"""A turn for which a call is demanded has one.

What it checks
    With `tool_choice: "required"`, a named tool, or `allowed_tools` in mode `required`, each choice of a whole
    answer has at least one call. A turn that was cut by its budget, stopped by a filter, or that is a refusal is
    left alone, and so is one whose call leaked into the content: that is another rule's.

Why it matters
    The client asked for a call because it can do nothing with text. An agent loops or stalls; a pipeline that reads
    `tool_calls[0]` crashes. And where the model did write a call, this is how its loss looks from outside.

Basis
    "`required` means the model must call one or more tools" (OpenAI OpenAPI, ChatCompletionToolChoiceOption; for
    lists ChatCompletionAllowedTools). Rule book G-08, G-09, G-10.

Which clients break
    Agents loop or stall. llama-server is reported to treat a named choice as `auto` without a word (README of
    langchain-llama-cpp).

How to fix
    Constrain decoding to the call's form where the choice demands one, and refuse the request where that cannot be
    done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.request import Contract
from toolwire.rule import Basis, Certainty, Complaint, Effect, Evidence, Level, LossKind, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Choice

__all__ = ["call_missing"]

_CUT = frozenset({"length", "content_filter"})
"""Endings that say honestly why nothing came (`tool_calls` without a call is another rule's)."""


@rule(
    name="call-missing",
    code="TW502",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("G-08", "G-09", "G-10"),
    source="OpenAI OpenAPI, ChatCompletionToolChoiceOption, ChatCompletionAllowedTools",
    effect=Effect.LOSS,
)
def call_missing(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each choice that has no call though one was demanded."""
    if not evidence.request.demands_call or evidence.failed_as_a_whole:
        return
    demand = _demand(evidence)
    completion = evidence.completion
    if not completion.choices and completion.chunks:
        yield Complaint(
            f"{demand}, and no choice came at all",
            evidence.at_end(),
            expected="a call",
            actual="no choice",
            kind=LossKind.SILENT,
            certainty=Certainty.INFERRED,
        )
    for choice in completion.choices.values():
        if choice.calls or choice.foreign_calls or choice.finish in _CUT or choice.refusal:
            continue
        if evidence.content_scan(choice).leaked:
            continue  # the call is not missing but leaked, and the rule on that shows where
        yield Complaint(
            f"{demand}, and {_instead(choice)} came",
            evidence.at_event(choice.last_event, '"finish_reason"'),
            expected="at least one call",
            actual=_instead(choice),
            kind=LossKind.SILENT,
            certainty=Certainty.INFERRED,
        )


def _demand(evidence: Evidence) -> str:
    """Say what was demanded."""
    chosen = ", ".join(sorted(evidence.request.chosen))
    match evidence.contract:
        case Contract.NAMED:
            return f"tool_choice names {chosen}"
        case Contract.ALLOWED_REQUIRED:
            return f"tool_choice demands one of {chosen}"
        case _:
            return "tool_choice is required"


def _instead(choice: Choice) -> str:
    """Say what came in place of the call."""
    content = choice.content.text.strip()
    if content:
        return f"{len(content)} characters of text"
    return "nothing but reasoning" if choice.reasoning else "nothing"
