"""No half of a surrogate pair stands alone.

What it checks
    In the joined text of content, reasoning, refusal and arguments every surrogate escape has its other half. A pair
    whose halves come in two deltas is fine.

Why it matters
    Half of a pair is no character: it cannot be written as UTF-8, and stricter readers refuse the payload.

Basis
    RFC 8259. Rule book J-03.

Which clients break
    orjson, msgspec and jiter refuse; the standard library accepts, and fails later when the text is written.

How to fix
    Do not cut text between two UTF-16 units; hold the first back until the second is there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolwire.jsontext import JsonIssue
from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["lone_surrogate"]


@rule(
    name="lone-surrogate",
    code="TW142",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("J-03",),
    source="RFC 8259, section 8.2",
    clients=(ClientEffect("orjson, msgspec, jiter", Breaks.BY_EXCEPTION, "the payload is refused", "reproduced"),),
)
def lone_surrogate(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each text."""
    for choice in evidence.completion.choices.values() if evidence.odd(ChunkAnomaly.LONE_SURROGATE) else ():
        for what, track in (("content", choice.content), ("reasoning", choice.reasoning), ("refusal", choice.refusal)):
            place = _lone(track.text)
            if place >= 0:
                yield Complaint(
                    f"half of a surrogate pair stands alone in the {what} of choice {choice.index}",
                    evidence.at_event(track.event_at(place)),
                    expected="both halves",
                    actual=f"\\u{ord(track.text[place]):04x}",
                )
    for call in evidence.completion.calls:
        text = call.arguments.text
        escaped = any(problem.issue is JsonIssue.LONE_SURROGATE for problem in evidence.arguments(call).problems)
        place = _lone(text) if escaped or not text.isascii() else -1
        if escaped or place >= 0:
            yield Complaint(
                f"half of a surrogate pair stands alone in the arguments of {call.name or 'a call'}",
                evidence.at_event(call.arguments.event_at(place) if place >= 0 else call.last_event, '"arguments"'),
                expected="both halves",
                actual=text[:120],
            )


def _lone(text: str) -> int:
    """Return the place of the first half of a pair that lacks the other; -1 where there is none."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        found = _HALF.search(text)
        return found.start() if found is not None else -1
    return -1


_HALF = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
"""A first half without a second, or the other way round."""
