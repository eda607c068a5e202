"""Entries of lists in a delta have an index.

What it checks
    A list of objects inside a delta (such as `reasoning_details`) has an `index` in each entry, or comes in one delta
    only.

Why it matters
    Clients join such lists entry by entry, and the index says which entry a fragment continues.

Basis
    openai-python demands it of every list it does not know. Rule book C-43.

Which clients break
    openai-python raises a RuntimeError in `.stream()` at the second such delta.

How to fix
    Number the entries of every list of objects that comes in fragments.
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
    source="openai-python 3.57.0, _deltas.py",
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
    """Complain once of each field that comes a second time without."""
    seen: set[tuple[int, str]] = set()
    said: set[tuple[int, str]] = set()
    for odd in evidence.odd(ChunkAnomaly.DETAILS_WITHOUT_INDEX):
        field = (odd.choice, odd.detail)
        if field in seen and field not in said:
            said.add(field)
            yield Complaint(
                f"entries of {odd.detail[:60]} have no index, and come in more than one delta",
                evidence.at_event(odd.event, f'"{odd.detail}"'),
                expected="an index in each entry",
                actual="none",
            )
        seen.add(field)
