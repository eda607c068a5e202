"""`[DONE]` comes once, last.

What it checks
    There is one `[DONE]`, and no event follows it.

Why it matters
    What follows is not read; a second one confuses proxies.

Basis
    Rule book C-33.

Which clients break
    openai-python ignores what follows; proxies get confused.

How to fix
    Send nothing behind `[DONE]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["done_repeated"]


@rule(
    name="done-repeated",
    code="TW224",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-33",),
    source="older API reference of OpenAI",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "what follows is ignored", "reproduced"),),
)
def done_repeated(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.DONE_TWICE, ChunkAnomaly.AFTER_DONE)[:1]:
        yield Complaint(
            f"{'[DONE] comes again' if odd.kind is ChunkAnomaly.DONE_TWICE else 'an event follows [DONE]'}",
            evidence.at_event(odd.event, ""),
            expected="nothing behind [DONE]",
            actual=odd.detail,
        )
