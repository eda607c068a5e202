"""One space follows the colon of data.

What it checks
    Payloads are written as `data: `, with a space. Other fields are not looked at.

Why it matters
    The standard makes the space optional, but clients written by hand match the six characters.

Basis
    What every vendor does. Rule book E-10.

Which clients break
    Clients that match `data: ` literally see an empty stream.

How to fix
    Write the space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["no_space_after_colon"]


@rule(
    name="no-space-after-colon",
    code="TW128",
    level=Level.SHOULD,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("E-10",),
    source="every vendor's stream",
    clients=(ClientEffect("clients that match `data: `", Breaks.SILENTLY, "the stream is empty", "rule book E-10"),),
    sees=(FramingAnomaly.NO_SPACE_AFTER_COLON,),
)
def no_space_after_colon(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once."""
    for odd in evidence.framing_odd(FramingAnomaly.NO_SPACE_AFTER_COLON):
        if odd.detail.startswith("data:"):
            yield Complaint(
                f"no space follows the colon: {odd.detail[:40]!r}",
                evidence.at_span(odd.span, odd.at),
                expected="data: and a space",
                actual=odd.detail[:20],
            )
            return
