"""A failure of the server is sent as an error, not as the model's words.

What it checks
    The whole content of a choice without a call is no error object: a JSON object whose `error` holds a message, or
    whose `object` or `type` is `error`. A Python traceback as the whole content is a warning. What the prompt
    contains, and answers for which JSON was asked, are left alone.

Why it matters
    The client takes it for the answer: it is shown, stored, and sent back as history, and nothing is retried.

Basis
    An error in a stream is a payload with a top-level `error` object (openai-python raises on it). Rule book C-35.

Which clients break
    All: no exception, the error's text is the answer.

How to fix
    Send `data: {"error": {"message": …}}` and end the stream.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolwire.jsontext import read_json
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.jsontext import Json

__all__ = ["error_text_as_content"]

LONGEST = 20_000
"""Characters of content up to which it is read as an error: errors are short, answers need not be parsed."""

_WANTS_JSON = re.compile(r"\bjson\b", re.IGNORECASE)
_TRACEBACK = "Traceback (most recent call last):"


@rule(
    name="error-text-as-content",
    code="TW607",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-35",),
    source="openai-python 3.57.0, _streaming.py",
    effect=Effect.STREAM,
    clients=(ClientEffect("all", Breaks.SILENTLY, "the error's text is taken for the answer", "rule book C-35"),),
)
def error_text_as_content(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each choice whose content is nothing but an error."""
    for choice in evidence.completion.choices.values():
        if choice.calls or not 0 < len(choice.content.text) <= LONGEST:
            continue
        text = choice.content.text.strip()
        level: Level | None = None
        if text.startswith(_TRACEBACK):
            level = Level.SHOULD
        elif not (text.startswith("{") and "error" in text and _is_error(read_json(text).value)):
            continue
        if text in evidence.request.prompt or _is_asked_for(evidence):
            continue
        yield Complaint(
            f"an error was sent as content: {text[:160]}",
            evidence.at_event(choice.content.first_event() or choice.first_event, '"content"'),
            level=level,
            expected="an error object as the payload of an event",
            actual=f"content {text[:160]}",
        )


def _is_asked_for(evidence: Evidence) -> bool:
    """Whether the request wants JSON as the answer."""
    return "response_format" in evidence.request.raw or bool(_WANTS_JSON.search(evidence.request.prompt))


def _is_error(value: Json) -> bool:
    """Whether a value is an error object that no answer looks like."""
    if not isinstance(value, dict):
        return False
    error = value.get("error")
    if isinstance(error, dict):
        return isinstance(error.get("message"), str) and ("code" in error or "type" in error)
    says_so = value.get("object") == "error" or value.get("type") == "error"
    return says_so and isinstance(value.get("message"), str)
