"""The role comes once.

What it checks
    `delta.role` is not repeated in later deltas of a choice.

Why it matters
    Clients that join deltas join the role too: `assistantassistant`. Such a message is refused when it is sent back.

Basis
    What the vendor's own streams do. Common among servers, and harmless in most clients. Rule book C-13.

Which clients break
    openai-python: the role in `.stream()` is `assistantassistant`.

How to fix
    Send the role in the first delta of a choice only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["role_repeated"]


@rule(
    name="role-repeated",
    code="TW213",
    level=Level.SHOULD,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-13",),
    source="OpenAI captures; openai-python 3.57.0, accumulate_delta",
    clients=(
        ClientEffect(
            "openai-python 3.57.0", Breaks.SILENTLY, ".stream() yields the role assistantassistant", "reproduced"
        ),
    ),
)
def role_repeated(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each choice."""
    said: set[int] = set()
    for odd in evidence.odd(ChunkAnomaly.ROLE_REPEATED):
        if odd.choice in said:
            continue
        said.add(odd.choice)
        yield Complaint(
            f"a later delta of choice {odd.choice} repeats the role"
            f" ({evidence.anomalies.count(ChunkAnomaly.ROLE_REPEATED)} times in all)",
            evidence.at_event(odd.event, '"role"'),
            expected="the role in the first delta only",
            actual=odd.detail,
        )
