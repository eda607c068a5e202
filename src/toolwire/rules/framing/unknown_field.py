"""Events have no fields that nobody knows.

What it checks
    Lines have the names data, event, id or retry, or are comments. A field `error` in an answer that is not whole is
    an error: the stream failed, and nobody hears of it.

Why it matters
    Parsers skip such lines. What they carry is lost, above all the news that the answer is not whole.

Basis
    The standard. Rule book E-14 and C-35.

Which clients break
    openai-python ends as if the answer were complete, with the arguments cut off.

How to fix
    Send errors as `data: {"error": {"message": ...}}`. llama.cpp does so since PR 16109 of September 2025.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["unknown_field"]


@rule(
    name="unknown-field",
    code="TW134",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("E-14", "C-35"),
    source="WHATWG HTML Living Standard, section 9.2.6 (interpreting an event stream)",
    clients=(
        ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the stream ends as if it were complete", "reproduced"),
    ),
    sees=(FramingAnomaly.UNKNOWN_FIELD,),
)
def unknown_field(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each such line."""
    for odd in evidence.framing_odd(FramingAnomaly.UNKNOWN_FIELD):
        failed = odd.detail.startswith("error:") and not evidence.finished_cleanly
        yield Complaint(
            f"an error comes in a field that nobody reads: {odd.detail[6:80].strip()!r}"
            if failed
            else f"a line has a field that nobody knows: {odd.detail[:60]!r}",
            evidence.at_span(odd.span, odd.at),
            level=Level.MUST if failed else None,
            effect=Effect.STREAM if failed else None,
            expected="data, event, id, retry or a comment",
            actual=odd.detail,
        )
