"""A stream is UTF-8.

What it checks
    All bytes of the body together are UTF-8; where reads cut them does not matter.

Why it matters
    Strict clients end the stream with an exception, lenient ones put U+FFFD in the place of a character, also inside
    of arguments.

Basis
    The standard. Rule book E-01.

Which clients break
    openai-python and anthropic raise a UnicodeDecodeError; browsers substitute.

How to fix
    Hold back bytes of a character until it is whole before text is put into JSON; do not truncate text by bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["invalid_utf8"]


@rule(
    name="invalid-utf8",
    code="TW121",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("E-01",),
    source="WHATWG HTML Living Standard, section 9.2.5 (parsing an event stream)",
    clients=(
        ClientEffect("openai-python 3.57.0, anthropic 2.14.0", Breaks.BY_EXCEPTION, "UnicodeDecodeError", "reproduced"),
    ),
    sees=(FramingAnomaly.INVALID_UTF8,),
)
def invalid_utf8(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each place."""
    for odd in evidence.framing_odd(FramingAnomaly.INVALID_UTF8):
        raw = evidence.body.data[odd.span.start : odd.span.end]
        yield Complaint(
            f"the bytes {raw[:4].hex(' ')} are no UTF-8",
            evidence.at_span(odd.span, odd.at, odd.event if 0 <= odd.event < len(evidence.events) else None),
            expected="UTF-8",
            actual=raw[:8].hex(" "),
        )
