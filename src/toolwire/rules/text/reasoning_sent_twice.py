"""Reasoning is not repeated as content.

What it checks
    The content of a choice does not hold the whole text that came as its reasoning.

Why it matters
    A client that shows both shows the thoughts twice, and a history built from content holds them for ever.

Basis
    De facto: the two fields part a turn, they do not double it. Rule book C-42.

Which clients break
    Those that show or store content.

How to fix
    Send each piece of text in one field only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["reasoning_sent_twice"]

TELLING = 24
"""Characters from which the same text in both fields is no chance: longer than `Let me check.` and its kin."""


@rule(
    name="reasoning-sent-twice",
    code="TW608",
    level=Level.SHOULD,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("C-42",),
    source="rule book C-42",
)
def reasoning_sent_twice(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each choice whose content repeats its reasoning."""
    for choice in evidence.completion.choices.values():
        reasoning = choice.reasoning.text.strip()
        if len(reasoning) < TELLING or len(choice.content.text) < len(reasoning):
            continue
        place = choice.content.text.find(reasoning)
        if place >= 0:
            yield Complaint(
                f"the {len(reasoning)} characters of reasoning came as content too",
                evidence.at_event(choice.content.event_at(place), '"content"'),
                expected="reasoning in its own field only",
                actual=choice.content.text[place : place + 160],
            )
