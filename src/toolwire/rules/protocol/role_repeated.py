"""The role is said once.

What it checks
    No delta after the first of a choice has a role.

Why it matters
    The official accumulator joins strings: the role becomes `assistantassistant`. A role in the middle may also
    tell of a stream that began anew.

Basis
    OpenAI's own captures. Rule book C-13.

Which clients break
    openai-python yields the role `assistantassistant`.

How to fix
    Send the role with the first delta only.
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
    source="first-party captures",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the role is joined", "reproduced"),),
)
def role_repeated(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.ROLE_REPEATED)[:1]:
        yield Complaint(
            f"choice {odd.choice} says its role again",
            evidence.at_event(odd.event, '"role"'),
            expected="the role in the first delta only",
            actual=odd.detail,
        )
