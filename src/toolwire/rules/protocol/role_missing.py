"""The first delta says who speaks.

What it checks
    The first delta of each choice has `role: "assistant"`.

Why it matters
    Clients open the message with it.

Basis
    OpenAI's own captures, and the example in the OpenAPI text. Rule book C-12.

Which clients break
    openai-python ends with role None, without an error; openai-node raises.

How to fix
    Send the role with the first delta of each choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["role_missing"]


@rule(
    name="role-missing",
    code="TW212",
    level=Level.SHOULD,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-12",),
    source="first-party captures",
    clients=(
        ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the role is None", "reproduced"),
        ClientEffect("openai-node", Breaks.BY_EXCEPTION, "raises for a missing role", "rule book C-12"),
    ),
)
def role_missing(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.ROLE_MISSING, ChunkAnomaly.ROLE_WRONG)[:1]:
        yield Complaint(
            f"choice {odd.choice} has {'no role in its first delta' if odd.kind is ChunkAnomaly.ROLE_MISSING else 'the role ' + odd.detail}",
            evidence.at_event(odd.event, '"delta"'),
            expected="assistant",
            actual=odd.detail,
        )
