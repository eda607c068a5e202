"""The payload of each event is one JSON document.

What it checks
    The data of an event, all of its lines joined, is exactly one JSON value as RFC 8259 has it, or `[DONE]`: not two
    documents glued together, not a part of one, not a comment wrapped as data, not Python's way of writing; no NaN,
    no raw control characters. Behind `[DONE]`, where clients read no more, it is a warning.

Why it matters
    Clients parse each payload. The first one that is no JSON ends the stream in an exception, and all that would
    follow is lost.

Basis
    RFC 8259; the standard's joining of data lines. Rule book E-06, E-15, J-01.

Which clients break
    openai-python raises a JSONDecodeError; stricter ones raise on NaN too.

How to fix
    Use a JSON writer and one blank line between events. Keep-alives are comments: a line that begins with a colon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.jsontext import JsonIssue, prefix_state, read_documents, read_json
from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.protocol.chat import DONE
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["payload_not_json"]

_FATAL = {
    JsonIssue.NAN: "has a number that JSON does not know",
    JsonIssue.CONTROL_CHARACTER: "has a raw control character inside a string",
    JsonIssue.TOO_DEEP: "nests deeper than we read",
}


@rule(
    name="payload-not-json",
    code="TW125",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("E-06", "E-15", "J-01"),
    source="RFC 8259; WHATWG HTML Living Standard, section 9.2.6",
    effect=Effect.STREAM,
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "JSONDecodeError", "reproduced"),),
)
def payload_not_json(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each such payload; empty ones are another rule's matter."""
    odds = evidence.odd(ChunkAnomaly.NOT_JSON)
    if not odds or not evidence.is_stream:
        return
    terminals = evidence.completion.terminals
    for odd in odds:
        data = evidence.events[odd.event].data
        if not data.strip():
            continue
        late = bool(terminals) and odd.event > terminals[0]
        yield Complaint(
            f"the payload of an event {_what(data)}: {data[:60]!r}",
            evidence.at_event(odd.event),
            level=Level.SHOULD if late else None,
            effect=Effect.DEFECT if late else None,
            expected="one JSON document",
            actual=odd.detail,
        )


def _what(data: str) -> str:
    """Say what is wrong with a payload."""
    if data.startswith(":"):
        return "is a comment wrapped as data"
    if data.startswith("data:"):
        return "begins with data: once more"
    for problem in read_json(data).problems:
        if problem.issue in _FATAL:
            return f"{_FATAL[problem.issue]} ({problem.detail[:20]})"
    documents = read_documents(data)
    if len(documents) > 1:
        return f"is {len(documents)} JSON documents glued together"
    if "\ndata:" in data or data.rstrip().endswith(f"\n{DONE}"):
        return "is glued to the next one"
    if documents:
        return "has more behind its JSON"
    return "is cut-off JSON" if prefix_state(data).cut else "is no JSON"
