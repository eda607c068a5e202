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

import re
from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["error_in_stream"]

_MESSAGE = re.compile(r'"(?:message|error_message|error_msg|detail|error)": "((?:[^"\\\\]|\\\\.)+)')
"""Where the words of an error stand, in the excerpt of its JSON that is kept."""


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
    for odd in evidence.odd(ChunkAnomaly.ERROR_OBJECT):
        yield Complaint(
            f"the server reports an error: {_words(odd.detail)}",
            evidence.at_event(odd.event),
            expected="an answer that comes to its end",
            actual=odd.detail,
        )


def _words(detail: str) -> str:
    """Return the message of an error where it can be found, else its JSON."""
    found = _MESSAGE.search(detail)
    return (found.group(1) if found else detail)[:100]
