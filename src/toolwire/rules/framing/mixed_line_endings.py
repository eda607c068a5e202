"""Lines end in one way, with LF.

What it checks
    All lines of a stream end alike, and not with a bare CR. CRLF throughout is only a note.

Why it matters
    The standard allows all three, but most parsers look for a blank line as two LF and overlook the others.

Basis
    What the vendors do. Rule book E-03.

Which clients break
    sseclient-py merges events around a mixed ending; clients written by hand look for LF only.

How to fix
    End all lines with LF, comments and keep-alives of proxies too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["mixed_line_endings"]


@rule(
    name="mixed-line-endings",
    code="TW122",
    level=Level.SHOULD,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("E-03",),
    source="OpenAI and Anthropic captures",
    clients=(ClientEffect("sseclient-py", Breaks.SILENTLY, "events are merged", "reproduced"),),
)
def mixed_line_endings(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once."""
    kinds = (
        FramingAnomaly.MIXED_LINE_ENDINGS,
        FramingAnomaly.CR_LINE_ENDINGS,
        FramingAnomaly.CRLF_LINE_ENDINGS,
    )
    for odd in evidence.framing_odd(*kinds):
        harmless = odd.kind is FramingAnomaly.CRLF_LINE_ENDINGS
        yield Complaint(
            f"the ends of lines are not LF throughout: {odd.detail}",
            evidence.at_start(),
            level=Level.NOTE if harmless else None,
            expected="LF throughout",
            actual=odd.detail,
        )
