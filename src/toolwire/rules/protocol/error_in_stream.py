"""No error ends the answer.

What it checks
    No payload reports an error: an `error` object, whatever else stands beside it, an event named `error`, or the
    fields in which vendors report one where no error object stands.

Why it matters
    The answer is not whole: what came until then is cut off wherever the server happened to fail.

Basis
    Servers report failures this way once the status is sent. Rule book C-35.

Which clients break
    openai-python raises an APIError where `error` holds something. What came before is lost to most callers.

How to fix
    Look for the cause in the log of the server. A request that can be refused at once deserves a status of 400 or
    more instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.jsontext import read_json
from toolwire.protocol.anomaly import RECORDED
from toolwire.protocol.whole import error_words
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["error_in_stream"]


@rule(
    name="error-in-stream",
    code="TW216",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-35",),
    source="openai-python 3.57.0, _streaming.py",
    effect=Effect.STREAM,
    clients=(
        ClientEffect(
            "openai-python 3.57.0",
            Breaks.BY_EXCEPTION,
            "APIError; what came before is lost to most callers",
            "reproduced",
        ),
    ),
)
def error_in_stream(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each error."""
    for said in evidence.completion.errors[:RECORDED]:
        words = error_words(read_json(said.value).value) or said.value
        yield Complaint(
            f"the server reports an error: {' '.join(words.split())[:120]}",
            evidence.at_event(said.event),
            expected="an answer that comes to its end",
            actual=said.value[:120],
        )
