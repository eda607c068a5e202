"""A streamed request is answered with a stream.

What it checks
    The body of an answer to `"stream": true` is not one whole JSON completion.

Why it matters
    Streaming clients look for events, find none, and end with an empty answer, though all of it arrived.

Basis
    Reproduced with the official libraries. Rule book T-02 and "where two rules meet" 8.

Which clients break
    openai-python and anthropic see no events, then raise a bare AssertionError.

How to fix
    Look for the layer that drops `stream`: often a gateway, or a fallback that an engine takes when tools are
    offered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.whole import is_answer
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["completion_as_body"]


@rule(
    name="completion-as-body",
    code="TW104",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("T-02",),
    source="rule book T-02",
    effect=Effect.STREAM,
    clients=(
        ClientEffect(
            "openai-python 3.57.0", Breaks.BY_EXCEPTION, "no events, then a bare AssertionError", "reproduced"
        ),
    ),
)
def completion_as_body(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of a body that is one JSON completion."""
    head = evidence.exchange.response
    if head is None or head.status >= _REFUSED or evidence.completion.chunks:
        return
    if is_answer(evidence.whole_body):
        yield Complaint(
            "the body is one JSON completion and no stream",
            evidence.at_start(),
            expected="a stream of events",
            actual="a JSON object with choices[].message",
        )


_REFUSED = 400
"""From this status on the status says enough."""
