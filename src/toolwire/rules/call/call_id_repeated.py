"""The id of a call is sent once.

What it checks
    Fragments after the first have no id, or null, or an empty string.

Why it matters
    The official accumulator joins strings: an id that comes with every fragment becomes `call_1call_1call_1`, and
    the result of the tool is sent back under a name that the server never gave.

Basis
    OpenAI's own captures. Servers get away with it where the client ignores a repeated id. Rule book C-19.

Which clients break
    openai-python joins the ids.

How to fix
    Send id, type and name with the first fragment only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_id_repeated"]


@rule(
    name="call-id-repeated",
    code="TW308",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-19",),
    source="first-party captures and accumulator",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the ids are joined", "reproduced"),),
    sees=(ChunkAnomaly.CALL_ID_REPEATED,),
)
def call_id_repeated(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CALL_ID_REPEATED):
        yield Complaint(
            f"the id of call {odd.call} is sent again: {odd.detail!r}",
            evidence.at_event(odd.event, '"id"'),
            expected="an absent, null or empty `id` in later fragments",
            actual=odd.detail,
        )
