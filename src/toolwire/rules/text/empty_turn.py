"""A turn says something.

What it checks
    Each choice of a whole answer has text, a refusal or a call. Reasoning alone, also between tags in content, is
    no answer. Turns that say why they are empty (`length`, `content_filter`), turns under a contract that demands a
    call, and turns that promise one (both judged by other rules) are left alone; where calls are forbidden it is a
    note.

Why it matters
    A client that gets nothing cannot go on: no text to show, no call to run. Most often the model did write a call,
    and the parser threw it away because it did not fit: the end marker was missing, a marker was split, the seam
    behind the reasoning was missed.

Basis
    Our own policy: under `auto` a model may decline to call, but not to answer. The blame may be the model's, so
    without another oracle the loss is inferred. Corpus, judgement call 4.

Which clients break
    Agent loops end the task or repeat the request forever.

How to fix
    Compare the billed tokens with what was sent; ask for token ids or logprobs; where a parser ends without a
    result, send what it holds as content rather than nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.request import Contract
from toolwire.rule import Basis, Certainty, Complaint, Effect, Evidence, Level, LossKind, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["empty_turn"]

_EXPLAINED = frozenset({"length", "content_filter", "tool_calls", "function_call"})
"""Endings that say why nothing came, or promise something that is missing then (another rule's matter)."""


@rule(
    name="empty-turn",
    code="TW605",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    source="corpus README, judgement call 4",
    effect=Effect.LOSS,
)
def empty_turn(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each choice that holds nothing, or nothing but reasoning."""
    if evidence.request.demands_call or evidence.failed_as_a_whole:
        return
    level = Level.NOTE if evidence.contract is Contract.NONE else None
    completion = evidence.completion
    if not completion.choices and completion.chunks:
        yield Complaint(
            "the answer has no choice",
            evidence.at_end(),
            level=level,
            expected="text or a call",
            actual="no choice",
            kind=LossKind.SILENT,
            certainty=Certainty.INFERRED,
        )
    for choice in completion.choices.values():
        if choice.calls or choice.foreign_calls or choice.refusal or choice.finish in _EXPLAINED:
            continue
        if choice.content and evidence.answer_text(choice):
            continue
        what = "nothing but reasoning" if choice.reasoning or choice.content.text.strip() else "nothing"
        yield Complaint(
            f"the turn holds {what} and ends with {choice.finish or 'no finish reason'}",
            evidence.at_event(choice.last_event, '"finish_reason"'),
            level=level,
            expected="text or a call",
            actual=what,
            kind=LossKind.SILENT,
            certainty=Certainty.INFERRED,
        )
