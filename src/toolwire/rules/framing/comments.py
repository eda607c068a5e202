"""Comments keep the stream open.

What it checks
    Tells that comments came, how many, and what they say.

Why it matters
    They are the right way to keep a connection open, and a few clients stumble over them all the same.

Basis
    The standard suggests them. Rule book E-12.

Which clients break
    openai-go once choked (coddy-agent PR 106); the official Python libraries are fine.

How to fix
    Nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["comments"]


@rule(
    name="comments",
    code="TW131",
    level=Level.NOTE,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("E-12",),
    source="WHATWG HTML Living Standard, section 9.2.7 (authoring notes)",
    sees=(FramingAnomaly.COMMENT,),
)
def comments(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once."""
    for odd in evidence.framing_odd(FramingAnomaly.COMMENT)[:1]:
        count = evidence.framing.counts[FramingAnomaly.COMMENT]
        yield Complaint(
            f"{count} comment{'s' if count > 1 else ''} in the stream, such as {odd.detail[:40]!r}",
            evidence.at_span(odd.span, odd.at),
            expected="clients that skip comments",
            actual=odd.detail,
        )
