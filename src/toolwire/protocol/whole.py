"""Bodies that are one JSON value where a stream was asked for: what kind of value it is, and the words of an error.

Knows: the shapes of errors and of answers that are not streamed. Must not know: verdicts, bytes.
Source: OpenAI's OpenAPI description, ErrorResponse and CreateChatCompletionResponse; rule book T-01, C-35.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwire.jsontext import Json

__all__ = ["error_words", "is_answer"]

_FIELDS = ("message", "error_message", "error_msg", "detail", "error_description", "title")
"""Where servers put the words of an error, the usual one first."""


def error_words(value: Json) -> str:
    """Return the words of a JSON value that reports an error; empty where it reports none."""
    if not isinstance(value, dict) or value.get("choices"):
        return ""
    error = value.get("error")
    if isinstance(error, str) and error:
        return error
    if isinstance(error, dict) and error:
        return _message(error) or str(error)
    if error:
        return str(error)
    return _message(value)


def _message(value: dict[str, Json]) -> str:
    """Return the first field that holds words."""
    for field in _FIELDS:
        words = value.get(field)
        if isinstance(words, str) and words:
            return words
        if isinstance(words, list) and words:
            return str(words)
    return ""


def is_answer(value: Json) -> bool:
    """Whether a JSON value is a whole answer that is not streamed."""
    if not isinstance(value, dict):
        return False
    if value.get("object") == "chat.completion":
        return True
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, dict) and isinstance(first.get("message"), dict)
