"""The name of a call comes whole.

What it checks
    No fragment after the first carries a further piece of the name.

Why it matters
    Clients take the name of the first fragment as it is, look up the tool, and find none, or the wrong one.

Basis
    OpenAI's own captures. Rule book C-18: the first fragment has the complete name.

Which clients break
    Clients that look up the tool when the call begins find none.

How to fix
    Hold back the first fragment until the whole name is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_name_split"]


@rule(
    name="call-name-split",
    code="TW315",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=(
        "C-18",
        "C-19",
    ),
    source="first-party captures",
    sees=(ChunkAnomaly.NAME_SPLIT,),
)
def call_name_split(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.NAME_SPLIT):
        yield Complaint(
            f"the name of call {odd.call} comes in pieces: {odd.detail}",
            evidence.at_event(odd.event, '"name"'),
            expected="the whole name in the first fragment",
            actual=odd.detail,
        )
