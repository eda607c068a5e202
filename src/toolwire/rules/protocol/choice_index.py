"""Choices are numbered from 0 to n-1, and each of them comes.

What it checks
    The `index` of a choice is a whole number below the `n` of the request, and each of the n choices comes, unless
    the stream failed as a whole.

Why it matters
    The index says whose text a delta continues. A missing or foreign one puts it where nobody looks; most clients
    read choice 0 only.

Basis
    The schema requires the index; `n` says how many there are. Rule book C-10.

Which clients break
    openai-python raises a TypeError where the index is missing; clients that read choice 0 get nothing where all is
    choice 1.

How to fix
    Number the alternatives from 0. Where `n` is not supported, refuse the request instead of answering less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["choice_index"]

_MOST = 64
"""Choices that are looked for one by one; no server offers more (the vendor's own limit is 128, most have 8)."""


@rule(
    name="choice-index",
    code="TW210",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-10", "C-39"),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.choices.items.index",
    clients=(
        ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "TypeError where the index is missing", "reproduced"),
    ),
)
def choice_index(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each index that is none, of foreign choices, and of those that never came."""
    wanted = evidence.request.n
    for odd in evidence.odd(ChunkAnomaly.CHOICE_INDEX):
        missing = odd.detail == "missing"
        yield Complaint(
            "a choice has no index" if missing else f"the index of a choice is {odd.detail[:60]}",
            evidence.at_event(odd.event, '"choices"' if missing else '"index"'),
            expected=f"a whole number below {wanted}",
            actual=odd.detail,
        )
    for odd in evidence.odd(ChunkAnomaly.CHOICE_RANGE):
        yield Complaint(
            f"a choice with index {odd.choice} came, where {wanted} {'was' if wanted == 1 else 'were'} asked for",
            evidence.at_event(odd.event, '"index"'),
            expected=f"indexes 0 to {wanted - 1}",
            actual=str(odd.choice),
        )
    came = evidence.completion.choices
    if wanted == 1 or not came or evidence.failed_as_a_whole:
        return
    missing_ones = [index for index in range(min(wanted, _MOST)) if index not in came]
    if missing_ones:
        words = ", ".join(str(index) for index in missing_ones)
        yield Complaint(
            f"of {wanted} choices these never came: {words}",
            evidence.at_end(),
            expected=f"{wanted} choices",
            actual=f"{len(came)}",
        )
