"""Choices first appear in ascending order.

What it checks
    A choice does not appear for the first time after one with a higher index.

Why it matters
    Clients append a place for each new choice, and look for it by its index.

Basis
    What openai-python relies on. Rule book C-11.

Which clients break
    openai-python raises an IndexError in `.stream()` when choice 1 comes before choice 0.

How to fix
    Open all choices in order with a first delta that carries the role; after that they may interleave as they like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["choice_order"]


@rule(
    name="choice-order",
    code="TW211",
    level=Level.SHOULD,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-11",),
    source="openai-python 3.57.0, assignment to a list",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "IndexError in .stream()", "reproduced"),),
    sees=(ChunkAnomaly.CHOICE_ORDER,),
)
def choice_order(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each choice that comes late."""
    for odd in evidence.odd(ChunkAnomaly.CHOICE_ORDER):
        yield Complaint(
            f"choice {odd.choice} appears after one with a higher index",
            evidence.at_event(odd.event, '"index"'),
            expected="first deltas in ascending order of index",
            actual=f"choices in the order {', '.join(str(index) for index in evidence.completion.choices)}",
        )
