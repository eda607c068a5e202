"""Reasoning tags do not stand in content.

What it checks
    The content of a choice holds no tag around reasoning (`<think>`, `[THINK]` and the like of all known families)
    that the prompt does not excuse. Beside a call this is an error; in a turn without a call only a note.

Why it matters
    The parser for reasoning did not run, or lost its place. The thoughts are read aloud to users and go back into
    the prompt as if they were the answer; and the same lost place is where calls vanish.

Basis
    De facto: reasoning has a field of its own. Rule book C-42 and "where two rules meet" 6.

Which clients break
    Those that show or store content: the thoughts are in it.

How to fix
    Enable the parser for the model's reasoning, and let it work on joined text: tags come in pieces, and the
    opening one is often part of the prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["think_tags_in_content"]


@rule(
    name="think-tags-in-content",
    code="TW603",
    level=Level.MUST,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("C-42",),
    source="rule book, where two rules meet, 6",
)
def think_tags_in_content(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each choice whose content holds such tags."""
    for choice in evidence.completion.choices.values():
        if not choice.content:
            continue
        marks = evidence.content_reasoning_marks(choice)
        if marks:
            tags = ", ".join(dict.fromkeys(mark.text for mark in marks[:8]))
            yield Complaint(
                f"reasoning tags stand in the content{' beside a call' if choice.calls else ''}: {tags}",
                evidence.at_event(choice.content.event_at(marks[0].start)),
                level=None if choice.calls else Level.NOTE,
                expected="reasoning in its own field",
                actual=choice.content.text[max(0, marks[0].start - 40) : marks[0].end + 40],
            )
