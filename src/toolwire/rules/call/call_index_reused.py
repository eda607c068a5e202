"""An index belongs to one call.

What it checks
    A fragment with another id and a name does not come under an index that is already taken; nor does one with
    another name once arguments have begun.

Why it matters
    Clients join fragments by index: ids, names and arguments of two calls fuse into one that fits no tool.

Basis
    OpenAI's own captures. Seen in Ollama (issues 15457, 15497), vercel/ai PR 14277, apache/maka issue 1976. Rule
    book C-17.

Which clients break
    Silent in openai-python: `call_1call_2`, a doubled name, and `{..}{..}` as arguments.

How to fix
    Give each call of a choice its own index, also where the parser delivers one call at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_index_reused"]


@rule(
    name="call-index-reused",
    code="TW305",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-17",),
    source="first-party captures",
    clients=(
        ClientEffect(
            "openai-python 3.57.0", Breaks.SILENTLY, "ids, names and arguments of both calls are joined", "reproduced"
        ),
    ),
    sees=(ChunkAnomaly.INDEX_REUSED,),
)
def call_index_reused(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.INDEX_REUSED):
        yield Complaint(
            f"index {odd.call} is used for a second call: {odd.detail}",
            evidence.at_event(odd.event, '"tool_calls"'),
            expected="a new index for a new call",
            actual=odd.detail,
        )
