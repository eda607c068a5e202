"""Payloads stand in data fields.

What it checks
    No line holds bare JSON or a bare `[DONE]`.

Why it matters
    By the standard such a line is a field with a name that nobody knows: it is skipped, with the part of the answer
    in it.

Basis
    The standard. Rule book E-09.

Which clients break
    All: what such lines carry is silently lost.

How to fix
    Write `data: ` in front. Lines of JSON without it belong to other protocols, such as Ollama's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["payload_outside_data"]


@rule(
    name="payload-outside-data",
    code="TW127",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("E-09",),
    source="WHATWG HTML Living Standard, section 9.2.6 (interpreting an event stream)",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the line is skipped", "reproduced"),),
    sees=(FramingAnomaly.NON_FIELD_JSON,),
)
def payload_outside_data(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each such line."""
    for odd in evidence.framing_odd(FramingAnomaly.NON_FIELD_JSON):
        yield Complaint(
            f"a line has no data field in front of its payload: {odd.detail[:60]!r}",
            evidence.at_span(odd.span, odd.at),
            expected="data: and the payload",
            actual=odd.detail,
        )
