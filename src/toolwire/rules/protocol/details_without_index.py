"""Lists of objects inside a delta have indexes.

What it checks
    Each object of a list inside a delta, such as `reasoning_details`, has an `index`, or the list comes once
    only.

Why it matters
    The official accumulator merges lists of objects by index.

Basis
    What its library needs. Rule book C-43.

Which clients break
    openai-python raises a RuntimeError at the second such delta.

How to fix
    Number the entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["details_without_index"]


@rule(
    name="details-without-index",
    code="TW229",
    level=Level.SHOULD,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-43",),
    source="first-party accumulator",
    clients=(
        ClientEffect(
            "openai-python 3.57.0",
            Breaks.BY_EXCEPTION,
            "RuntimeError in .stream() at the second such delta",
            "reproduced",
        ),
    ),
)
def details_without_index(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.DETAILS_WITHOUT_INDEX)[:1]:
        yield Complaint(
            f"the objects in {odd.detail} have no index",
            evidence.at_event(odd.event, ""),
            expected="an index in each entry",
            actual=odd.detail,
        )
