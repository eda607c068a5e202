"""Every fragment belongs to a call that was opened.

What it checks
    No fragment comes under an index for which neither id nor name ever came.

Why it matters
    Arguments without a name call nothing: a call was split over two indexes, or its beginning was lost.

Basis
    OpenAI's own captures; rule book C-18 and "where two rules meet", 10.

Which clients break
    The rest of the arguments is missing in the call that they belong to.

How to fix
    Keep the index while one call lasts, also when the parser restarts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_fragment_stray"]


@rule(
    name="call-fragment-stray",
    code="TW329",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-18",),
    source="first-party captures",
    sees=(ChunkAnomaly.STRAY_FRAGMENT,),
)
def call_fragment_stray(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.STRAY_FRAGMENT):
        yield Complaint(
            f"a fragment under index {odd.call} belongs to no call that was opened",
            evidence.at_event(odd.event, '"tool_calls"'),
            expected="fragments of calls that were opened with id and name",
            actual="a fragment without id and name",
        )
