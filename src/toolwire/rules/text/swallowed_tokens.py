"""The tokens that were billed were also sent.

What it checks
    `usage.completion_tokens`, less the reasoning tokens that usage names, is not larger than what was sent could
    ever take. A token is at least one byte long, so a turn of 10 bytes that cost 300 tokens has lost some. Markup
    that a server turns into calls is allowed for. An error only where the turn is empty; else a note.

Why it matters
    It is the one oracle that every server offers: where an empty turn cost 30 tokens, the model wrote something,
    and the server threw it away.

Basis
    Our own policy. Formats, section 4: usage far above the visible text is a coarse but universal sign.

Which clients break
    None by the number; they pay for what they did not get.

How to fix
    See the rules on empty turns and lost calls. Servers that hide reasoning should name its tokens in
    `completion_tokens_details.reasoning_tokens`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.request import Contract
from toolwire.rule import Basis, Certainty, Complaint, Effect, Evidence, Level, LossKind, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Choice, Usage

__all__ = ["swallowed_tokens"]

PER_TURN = 12
"""Tokens of a turn that never show: its end, an empty pair of reasoning tags, channel headers."""

PER_CALL = 48
"""Tokens of markup that one call may cost beside its name and arguments: tags for each parameter, in verbose forms."""


@rule(
    name="swallowed-tokens",
    code="TW606",
    level=Level.NOTE,
    basis=Basis.POLICY,
    since="0.1",
    source="formats.md, section 4",
    effect=Effect.LOSS,
)
def swallowed_tokens(evidence: Evidence) -> Iterator[Complaint]:
    """Compare the last usage with the bytes that were sent."""
    completion = evidence.completion
    usage = completion.usage
    if usage is None or evidence.failed_as_a_whole:
        return
    billed = _billed(usage)
    choices = list(completion.choices.values())
    sent = sum(_bytes(choice) for choice in choices)
    calls = sum(len(choice.calls) + len(choice.foreign_calls) for choice in choices)
    allowed = sent + PER_TURN * max(1, len(choices)) + PER_CALL * calls
    if billed <= allowed:
        return
    # reasoning that the server hides would explain the number as well, but not a turn that is empty and says stop
    empty = not sent and not calls and all(choice.finish == "stop" for choice in choices)
    lost = empty and evidence.contract is not Contract.NONE
    yield Complaint(
        f"{billed} tokens were billed, and {sent} bytes came",
        evidence.at_event(usage.event, '"completion_tokens"'),
        level=Level.MUST if lost else None,
        expected=f"at most {allowed} tokens",
        actual=f"{billed} tokens",
        kind=LossKind.SILENT if lost else None,
        certainty=Certainty.EVIDENT if lost else Certainty.INFERRED,
    )


def _billed(usage: Usage) -> int:
    """Return the billed tokens without those of reasoning that usage names."""
    details = usage.value.get("completion_tokens_details")
    hidden = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return (usage.number("completion_tokens") or 0) - (hidden if isinstance(hidden, int) else 0)


def _bytes(choice: Choice) -> int:
    """Return how many bytes of the model's text a choice shows."""
    texts = [choice.content.text, choice.reasoning.text, choice.refusal.text]
    for call in choice.calls:
        texts += [call.name, call.arguments.text, call.custom_input.text if call.custom_input else ""]
    texts += [said.value for said in choice.foreign_calls]
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
