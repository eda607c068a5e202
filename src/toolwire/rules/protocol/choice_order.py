"""Choices first appear in order.

What it checks
    The first chunk of choice 1 does not come before that of choice 0.

Why it matters
    The official accumulator inserts by position.

Basis
    What its library needs. Rule book C-11.

Which clients break
    openai-python raises an IndexError.

How to fix
    Open the choices in the order of their indexes.
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
    source="first-party accumulator",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "IndexError in .stream()", "reproduced"),),
)
def choice_order(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CHOICE_ORDER):
        yield Complaint(
            f"choice {odd.choice} appears after a later one",
            evidence.at_event(odd.event, '"index"'),
            expected="ascending first appearances",
            actual=odd.detail,
        )
