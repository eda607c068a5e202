"""The first delta of a choice has the role assistant.

What it checks
    `delta.role` is `assistant` in the first delta of each choice, and never another role.

Why it matters
    The message that a client puts together has no role, or a wrong one, and is refused when it is sent back in the
    next turn.

Basis
    What the vendor's own streams do. Rule book C-12.

Which clients break
    openai-python ends with the role None; the AI SDK and typed clients refuse an empty role.

How to fix
    Begin each choice with `"role": "assistant"`.
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
    source="OpenAI captures; the schema's example",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the message has the role None", "reproduced"),),
)
def role_missing(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each choice without the role, and of each other role."""
    said: set[int] = set()
    for odd in evidence.odd(ChunkAnomaly.ROLE_WRONG, ChunkAnomaly.ROLE_MISSING):
        if odd.choice in said:
            continue
        said.add(odd.choice)
        wrong = odd.kind is ChunkAnomaly.ROLE_WRONG
        yield Complaint(
            f"the role of choice {odd.choice} is {odd.detail[:60] or repr('')}"
            if wrong
            else f"the first delta of choice {odd.choice} has no role",
            evidence.at_event(odd.event, '"role"' if wrong else '"delta"'),
            expected="assistant",
            actual=odd.detail if wrong else "no role",
        )
