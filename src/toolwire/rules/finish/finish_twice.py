"""A choice ends once.

What it checks
    No choice has a second finish reason. An exact repeat of the finish chunk, with an empty delta, is a warning.

Why it matters
    Which of two reasons holds? Some clients take the first, some the last; an agent then runs a tool or does not.

Basis
    One finish reason for each choice, in its last chunk (rule book C-22, C-26 and "where two rules meet", 3).

Which clients break
    openai-python swallows the second one.

How to fix
    End each choice once; let proxies pass the finish chunk on instead of adding one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["finish_twice"]


@rule(
    name="finish-twice",
    code="TW405",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=(
        "C-26",
        "C-22",
    ),
    source="rule book C-26",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the second finish is swallowed", "reproduced"),),
    sees=(
        ChunkAnomaly.FINISH_TWICE,
        ChunkAnomaly.FINISH_REPEATED,
    ),
)
def finish_twice(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.FINISH_TWICE, ChunkAnomaly.FINISH_REPEATED):
        same = odd.kind is ChunkAnomaly.FINISH_REPEATED
        yield Complaint(
            f"choice {odd.choice} ends a second time: {odd.detail}",
            evidence.at_event(odd.event, '"finish_reason"'),
            expected="one finish chunk",
            actual=odd.detail,
            level=Level.SHOULD if same else None,
        )
