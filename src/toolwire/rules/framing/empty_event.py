"""No event is without data.

What it checks
    No block has fields and no data: no `event:`, `id:` or `retry:` alone, no empty `data:`, and no further blank line
    behind an event with an `id:`. Behind `[DONE]` it is a warning.

Why it matters
    By the standard an empty `data:` dispatches an event without a payload, and the other blocks dispatch nothing; the
    libraries of the vendors dispatch all of them, and then parse the empty payload.

Basis
    What the decoders of openai, anthropic, httpx2 and httpx-sse do. Rule book E-11.

Which clients break
    openai-python raises a JSONDecodeError, in the raw iterator too; anthropic skips them.

How to fix
    Keep the connection open with comments and nothing else, and send no `retry:`, `id:` or `event:` without data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["empty_event"]


@rule(
    name="empty-event",
    code="TW129",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("E-11",),
    source="openai-python 3.57.0, _streaming.py",
    clients=(
        ClientEffect(
            "openai-python 3.57.0", Breaks.BY_EXCEPTION, "JSONDecodeError, in the raw iterator too", "reproduced"
        ),
    ),
)
def empty_event(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each block."""
    terminals = evidence.completion.terminals
    for odd in evidence.framing_odd(FramingAnomaly.EMPTY_DATA_BLOCK):
        late = bool(terminals) and odd.event > terminals[0]
        yield Complaint(
            f"a block dispatches an event without data: {odd.detail}",
            evidence.at_span(odd.span, odd.at),
            level=Level.SHOULD if late else None,
            expected="data in every block, or a comment",
            actual=odd.detail,
        )
