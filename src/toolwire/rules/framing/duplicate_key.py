"""The names in an object are unique.

What it checks
    No object in a payload has the same name twice, and none in the arguments of a call.

Why it matters
    Most readers keep the last value without a word, some the first, some refuse: what a client holds depends on its
    library.

Basis
    RFC 8259 says should. Rule book J-02.

Which clients break
    json, orjson and msgspec keep the last value silently.

How to fix
    Build objects as maps; where text is streamed by hand, do not write a property that is already out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.jsontext import JsonIssue
from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["duplicate_key"]


@rule(
    name="duplicate-key",
    code="TW141",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("J-02",),
    source="RFC 8259, section 4",
    clients=(ClientEffect("json, orjson, msgspec", Breaks.SILENTLY, "the last value is kept", "reproduced"),),
)
def duplicate_key(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each name that comes twice."""
    for odd in evidence.odd(ChunkAnomaly.DUPLICATE_KEY):
        yield Complaint(
            f"the name {odd.detail[:40]!r} stands twice in an object of a payload",
            evidence.at_event(odd.event, f'"{odd.detail}"'),
            expected="one value",
            actual=odd.detail,
        )
    for call in evidence.completion.calls:
        for problem in evidence.arguments(call).problems:
            if problem.issue is JsonIssue.DUPLICATE_KEY:
                yield Complaint(
                    f"the name {problem.detail[:40]!r} stands twice in the arguments of {call.name or 'a call'}",
                    evidence.at_event(call.last_event, '"arguments"'),
                    expected="one value",
                    actual=call.arguments.text[:120],
                )
