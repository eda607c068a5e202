"""Custom calls are told apart.

What it checks
    A call of a custom tool comes with `type: "custom"` and its input in `custom.input`. This is noted because the
    schema of chunks does not have it.

Why it matters
    Free-form input is not JSON and is not checked as such.

Basis
    Supported as a feature, absent from the chunk's schema (openai-openapi issue 576). Rule book C-40.

Which clients break
    openai-python raises an AttributeError in .stream(); raw iteration works.

How to fix
    Nothing is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["custom_call"]


@rule(
    name="custom-call",
    code="TW230",
    level=Level.NOTE,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-40",),
    source="openai-openapi issue 576",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "AttributeError in .stream()", "reproduced"),),
)
def custom_call(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CUSTOM_CALL)[:1]:
        yield Complaint(
            f"call {odd.call} is of a custom tool",
            evidence.at_event(odd.event, '"custom"'),
            expected="",
            actual=odd.detail,
        )
