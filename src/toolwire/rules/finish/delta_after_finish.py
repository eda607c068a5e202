"""Nothing of a choice comes after its end.

What it checks
    After the finish reason of a choice no delta of it carries anything. An empty delta, such as one that only
    brings usage, is a warning.

Why it matters
    Clients act when the reason comes: what follows is lost, or changes arguments that were already parsed.

Basis
    First-party captures; rule book C-26 and "where two rules meet", 3.

Which clients break
    openai-python parses arguments at the finish, and later fragments raise a JSONDecodeError; others stop
    reading.

How to fix
    Flush what the parser holds back before the finish chunk is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["delta_after_finish"]


@rule(
    name="delta-after-finish",
    code="TW406",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("C-26",),
    source="first-party captures",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "JSONDecodeError in .stream()", "reproduced"),),
    sees=(
        ChunkAnomaly.DELTA_AFTER_FINISH,
        ChunkAnomaly.EMPTY_AFTER_FINISH,
    ),
)
def delta_after_finish(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.DELTA_AFTER_FINISH, ChunkAnomaly.EMPTY_AFTER_FINISH):
        empty = odd.kind is ChunkAnomaly.EMPTY_AFTER_FINISH
        yield Complaint(
            f"choice {odd.choice} goes on after its finish_reason" + (" with an empty delta" if empty else ""),
            evidence.at_event(odd.event, '"delta"'),
            expected="no chunk of this choice after its finish",
            actual=odd.detail or "an empty delta",
            level=Level.SHOULD if empty else None,
        )
