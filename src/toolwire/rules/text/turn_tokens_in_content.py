"""Tokens that end or frame a turn do not stand in content.

What it checks
    The content of a choice holds no token that ends or frames a message (`<|im_end|>`, `<|channel|>` and the like
    of all known families) that the prompt does not excuse. Beside a call this is an error; in a turn without a call
    only a note.

Why it matters
    Such a token is the model's punctuation. Where it shows, the server decodes special tokens into text, or did not
    stop where the model did; what follows it is made up. Sent back in the history it ends a message that has not
    ended.

Basis
    De facto. Rule book G-15 and "where two rules meet" 6.

Which clients break
    Those that show or store content; templates that do not escape it are broken by the next turn.

How to fix
    Skip special tokens when decoding, and make each of the model's end tokens a stop token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["turn_tokens_in_content"]


@rule(
    name="turn-tokens-in-content",
    code="TW604",
    level=Level.MUST,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("G-15",),
    source="rule book, where two rules meet, 6",
)
def turn_tokens_in_content(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each choice whose content holds such tokens."""
    for choice in evidence.completion.choices.values():
        if not choice.content:
            continue
        marks = evidence.content_turn_marks(choice) or evidence.content_frame_marks(choice)
        if marks:
            tokens = ", ".join(dict.fromkeys(mark.text for mark in marks[:8]))
            beside = " beside a call" if choice.calls else ""
            yield Complaint(
                f"tokens that end or frame a turn stand in the content{beside}: {tokens}",
                evidence.at_event(choice.content.event_at(marks[0].start)),
                level=None if choice.calls else Level.NOTE,
                expected="no special tokens in content",
                actual=choice.content.text[max(0, marks[0].start - 40) : marks[0].end + 40],
            )
