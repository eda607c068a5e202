"""An error does not come as the body of status 200.

What it checks
    A response with status 200 is not one JSON error where a stream should be.

Why it matters
    Clients look for events, find none, and end with an empty answer: the words of the error are lost.

Basis
    Reproduced with the official libraries. Rule book T-02 and "where two rules meet" 8.

Which clients break
    openai-python and anthropic see no events, then raise a bare AssertionError.

How to fix
    Check the request before the status is sent, and refuse it with 400 or more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.whole import error_words, is_answer
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["bare_json_error"]


@rule(
    name="bare-json-error",
    code="TW103",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("T-02",),
    source="rule book T-02",
    effect=Effect.UNREADABLE,
    clients=(
        ClientEffect(
            "openai-python 3.57.0", Breaks.BY_EXCEPTION, "no events, then a bare AssertionError", "reproduced"
        ),
    ),
)
def bare_json_error(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of a body that is one JSON error."""
    head = evidence.exchange.response
    if head is None or head.status >= _REFUSED or evidence.completion.chunks:
        return
    value = evidence.whole_body
    words = "" if is_answer(value) else error_words(value)
    if words:
        yield Complaint(
            f"the body of status {head.status} is an error and no stream: {' '.join(words.split())[:160]}",
            evidence.at_start(),
            expected="a status of 400 or more, or a stream",
            actual=words[:120],
        )


_REFUSED = 400
"""From this status on an error is where it belongs."""
