"""No comment stands alone behind an event with an id.

What it checks
    Once an event had an `id:`, no block consists of comments only.

Why it matters
    It is legal. But the id lasts, and the decoders of the vendors take every block for an event while they know one:
    the blank line behind the comment dispatches an event without a payload.

Basis
    What the decoders do. Rule book E-11, E-12 and "where two rules meet" 4.

Which clients break
    openai-python, and all that is built on it, raises a JSONDecodeError.

How to fix
    Do not send `id:` where comments keep the connection open; nobody resumes such streams.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["comment_after_id"]


@rule(
    name="comment-after-id",
    code="TW130",
    level=Level.SHOULD,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("E-12", "E-11"),
    source="openai-python 3.57.0, _streaming.py",
    clients=(
        ClientEffect(
            "openai-python 3.57.0",
            Breaks.BY_EXCEPTION,
            "JSONDecodeError at the blank line behind the comment",
            "reproduced",
        ),
    ),
    sees=(FramingAnomaly.COMMENT_AFTER_ID,),
)
def comment_after_id(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once."""
    for odd in evidence.framing_odd(FramingAnomaly.COMMENT_AFTER_ID)[:1]:
        count = evidence.framing.counts[FramingAnomaly.COMMENT_AFTER_ID]
        yield Complaint(
            f"{count} block{'s' if count > 1 else ''} of comments behind an event with an id",
            evidence.at_span(odd.span, odd.at),
            expected="no id, or no comments",
            actual=f"{count} blocks",
        )
