"""A stream begins without a byte order mark.

What it checks
    The first bytes are not EF BB BF.

Why it matters
    The grammar allows one and parsers must strip it, but in fact they do not: the first field has a name that nobody
    knows, and the first event is lost.

Basis
    Legal, and yet every Python decoder that was tried fails. Rule book E-04.

Which clients break
    openai-python, anthropic, httpx2, httpx-sse and sseclient-py lose the first event.

How to fix
    Write UTF-8 without a mark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["byte_order_mark"]


@rule(
    name="byte-order-mark",
    code="TW123",
    level=Level.SHOULD,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("E-04",),
    source="WHATWG HTML Living Standard, section 9.2.5 (parsing an event stream)",
    clients=(
        ClientEffect(
            "openai, anthropic, httpx2, httpx-sse, sseclient-py",
            Breaks.SILENTLY,
            "the first event is lost",
            "reproduced",
        ),
    ),
    sees=(FramingAnomaly.BOM,),
)
def byte_order_mark(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once."""
    for odd in evidence.framing_odd(FramingAnomaly.BOM):
        yield Complaint(
            "the stream begins with a byte order mark",
            evidence.at_span(odd.span, odd.at),
            expected="no mark",
            actual="ef bb bf",
        )
