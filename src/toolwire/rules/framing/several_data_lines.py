"""The data of an event stands on one line.

What it checks
    Tells that an event has several `data:` lines.

Why it matters
    It is legal, and decoders join them with LF; clients written by hand parse each line by itself.

Basis
    The standard allows it. Rule book E-07 and "where two rules meet" 4.

Which clients break
    Clients written by hand; the official libraries cope.

How to fix
    Write JSON on one line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["several_data_lines"]


@rule(
    name="several-data-lines",
    code="TW126",
    level=Level.NOTE,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("E-07",),
    source="WHATWG HTML Living Standard, section 9.2.6 (interpreting an event stream)",
    clients=(
        ClientEffect("clients written by hand", Breaks.BY_EXCEPTION, "each line is parsed by itself", "rule book E-07"),
    ),
    sees=(FramingAnomaly.MULTI_LINE_DATA,),
)
def several_data_lines(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once."""
    for odd in evidence.framing_odd(FramingAnomaly.MULTI_LINE_DATA)[:1]:
        count = evidence.framing.counts[FramingAnomaly.MULTI_LINE_DATA]
        yield Complaint(
            f"{count} event{'s have' if count > 1 else ' has'} several data lines",
            evidence.at_span(odd.span, odd.at, odd.event),
            expected="one data line",
            actual=odd.detail,
        )
