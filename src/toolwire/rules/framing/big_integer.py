"""Integers stay within what a double can hold.

What it checks
    Tells of integers beyond 2 to the 53rd in payloads and in the arguments of calls.

Why it matters
    Readers that hold numbers as doubles change the last digits without a word.

Basis
    RFC 8259 calls only smaller ones interoperable. Rule book J-05.

Which clients break
    JavaScript clients lose digits; orjson makes a float of very large ones.

How to fix
    Send large identifiers as strings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.jsontext import JsonIssue
from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["big_integer"]


@rule(
    name="big-integer",
    code="TW144",
    level=Level.NOTE,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("J-05",),
    source="RFC 8259, section 6",
    clients=(ClientEffect("JavaScript clients", Breaks.SILENTLY, "the last digits change", "rule book J-05"),),
)
def big_integer(evidence: Evidence) -> Iterator[Complaint]:
    """Tell of each number that is found."""
    for odd in evidence.odd(ChunkAnomaly.BIG_INTEGER)[:1]:
        yield Complaint(
            f"an integer in a payload is beyond 2^53: {odd.detail[:40]}",
            evidence.at_event(odd.event, odd.detail),
            expected="at most 2^53",
            actual=odd.detail,
        )
    for call in evidence.completion.calls:
        for problem in evidence.arguments(call).problems:
            if problem.issue is JsonIssue.BIG_INTEGER:
                yield Complaint(
                    f"an integer in the arguments of {call.name or 'a call'} is beyond 2^53: {problem.detail[:40]}",
                    evidence.at_event(call.last_event, '"arguments"'),
                    expected="at most 2^53",
                    actual=problem.detail,
                )
