"""The name of a call is sent once.

What it checks
    Fragments after the first have no name, or null, or an empty string.

Why it matters
    The official accumulator joins strings: the call is then one of `get_weatherget_weather`, which no tool
    answers to.

Basis
    OpenAI's own captures. Rule book C-19.

Which clients break
    openai-python joins the names.

How to fix
    Send id, type and name with the first fragment only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_name_repeated"]


@rule(
    name="call-name-repeated",
    code="TW316",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-19",),
    source="first-party captures and accumulator",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the names are joined", "reproduced"),),
    sees=(ChunkAnomaly.NAME_REPEATED,),
)
def call_name_repeated(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.NAME_REPEATED):
        yield Complaint(
            f"the name of call {odd.call} is sent again: {odd.detail!r}",
            evidence.at_event(odd.event, '"name"'),
            expected="an absent, null or empty name in later fragments",
            actual=odd.detail,
        )
