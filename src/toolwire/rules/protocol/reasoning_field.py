"""Reasoning comes in a field that not all clients read.

What it checks
    Tells in which field the reasoning came: `reasoning_content`, `reasoning`, or both; and where one of them is no
    text.

Why it matters
    There are two names and no standard. Clients that read only the other one lose it without a word, and cannot send
    it back in the next turn, as some models need it.

Basis
    De facto; never an error in itself. Rule book C-42.

Which clients break
    Those that read one name only.

How to fix
    Know what your clients read. Servers may send both names with the same text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["reasoning_field"]


@rule(
    name="reasoning-field",
    code="TW231",
    level=Level.NOTE,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("C-42",),
    source="vLLM RFC 27755; rule book C-42",
)
def reasoning_field(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once which field is used, and of values that are no text."""
    for odd in evidence.odd(ChunkAnomaly.REASONING_TYPE)[:1]:
        yield Complaint(
            f"reasoning is no text: {odd.detail[:60]}",
            evidence.at_event(odd.event, '"reasoning'),
            expected="a string or null",
            actual=odd.detail,
        )
    if evidence.odd(ChunkAnomaly.REASONING_TWICE):
        return
    for choice in evidence.completion.choices.values():
        first = choice.reasoning.first_event()
        if first is not None:
            old = '"reasoning_content"' in evidence.events[first].data
            name, other = ("reasoning_content", "reasoning") if old else ("reasoning", "reasoning_content")
            yield Complaint(
                f"reasoning comes in {name}; clients that read only {other} lose it",
                evidence.at_event(first, f'"{name}"'),
                expected="a field that the client reads",
                actual=name,
            )
            return
