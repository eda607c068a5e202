"""Calls of custom tools come in a form that no schema describes.

What it checks
    A call of a free-form tool came (`type: custom`, with `custom.name` and `custom.input`). It is judged by what is
    known of it.

Why it matters
    The vendor sends it, but the schema of chunks allows only `function`: clients disagree about it.

Basis
    The vendor's behaviour; not in the schema. Rule book C-40.

Which clients break
    openai-python dies with an AttributeError in `.stream()`; reading the raw chunks works.

How to fix
    Nothing on the server. Offer function tools where clients cannot read custom ones.
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
    source="openai-openapi issue 576; openai-python issue 2530",
    clients=(
        ClientEffect(
            "openai-python 3.57.0",
            Breaks.BY_EXCEPTION,
            "AttributeError in .stream(); the raw chunks can be read",
            "reproduced",
        ),
    ),
    sees=(ChunkAnomaly.CUSTOM_CALL,),
)
def custom_call(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once."""
    for odd in evidence.odd(ChunkAnomaly.CUSTOM_CALL)[:1]:
        yield Complaint(
            "a call of a custom tool came, whose form no schema describes",
            evidence.at_event(odd.event, '"custom"'),
            expected="type function, or a client that knows custom tools",
            actual="type custom",
        )
