"""JSON to the letter: what is valid, what is not, and what is valid and yet a trap.

The quick way is a reader in Rust that refuses whatever is odd; only then our own reading finds out why. Duplicate keys,
lone surrogates and integers beyond 2^53 leave a usable value behind and are reported beside it.

Source: RFC 8259. Knows: texts and values. Must not know: who sent them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import jiter
import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Document",
    "Json",
    "JsonIssue",
    "JsonProblem",
    "JsonText",
    "Prefix",
    "canonical",
    "equal",
    "prefix_state",
    "read_documents",
    "read_json",
]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

SAFE_INTEGER = 2**53
"""Beyond this, clients that hold numbers as doubles lose digits (rule book J-05)."""

DEPTH = 201
"""Nesting that is read: what the quick reader takes. RFC 8259 lets a reader limit it, and no tool call comes near."""

DOCUMENTS = 64
"""Documents of one text that are listed."""

_EXCERPT = 80
_SPACE = " \t\r\n"
_DIGITS = bytes(ord("0") if chr(byte) in "0123456789" else ord(" ") for byte in range(256))
"""Makes all digits alike, so that a run of them is found by a plain search: several times as quick as a pattern."""
_LONG_RUN = b"0" * 16
"""Digits that an integer beyond `SAFE_INTEGER` has at least."""
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class JsonIssue(StrEnum):
    """What can be wrong, or a trap, about a text that should be JSON."""

    INVALID = "invalid"
    DUPLICATE_KEY = "duplicate-key"
    NAN = "nan"
    LONE_SURROGATE = "lone-surrogate"
    TRAILING_TEXT = "trailing-text"
    TOO_DEEP = "too-deep"
    CONTROL_CHARACTER = "control-character"
    EMPTY = "empty"
    BIG_INTEGER = "big-integer"


_FATAL = frozenset(
    {
        JsonIssue.INVALID,
        JsonIssue.NAN,
        JsonIssue.TRAILING_TEXT,
        JsonIssue.TOO_DEEP,
        JsonIssue.CONTROL_CHARACTER,
        JsonIssue.EMPTY,
    }
)
"""Issues with which a text is not RFC 8259 JSON."""


@dataclass(frozen=True, slots=True)
class JsonProblem:
    """One issue: `offset` counts characters from the start of the text."""

    issue: JsonIssue
    offset: int
    detail: str


class JsonText(msgspec.Struct, frozen=True):
    """A text that was read: `ok` says whether it is exactly one JSON value.

    `value` is that value; where `ok` is false it is what a lenient reader would have got, or None.
    """

    ok: bool
    value: Json
    problems: tuple[JsonProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One JSON value inside a text, from `start` up to and without `end`."""

    value: Json
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Prefix:
    """How far a text is the beginning of a JSON object.

    `cut` says that it is one which only stops too early; `closing` would complete its open brackets and string (empty
    where more than closing is missing, as after a colon).
    """

    cut: bool
    closing: str = ""
    in_string: bool = False


def read_json(text: str) -> JsonText:
    """Read a text strictly; never raises."""
    try:
        raw = text.encode("utf-8")
        value: Json = jiter.from_json(raw, allow_inf_nan=False, catch_duplicate_keys=True)
    except (ValueError, RecursionError):
        return _read_slowly(text)
    if _LONG_RUN in raw.translate(_DIGITS):
        return JsonText(ok=True, value=value, problems=tuple(_big_integers(value)))
    return JsonText(ok=True, value=value)


def _read_slowly(text: str) -> JsonText:
    """Find out why the quick reader refused a text."""
    if not text.strip(_SPACE):
        return JsonText(ok=False, value=None, problems=(JsonProblem(JsonIssue.EMPTY, 0, ""),))
    begin = len(text) - len(text.lstrip(_SPACE))
    problems: list[JsonProblem] = []
    if _too_deep(text):
        return JsonText(ok=False, value=None, problems=(JsonProblem(JsonIssue.TOO_DEEP, begin, text[:_EXCERPT]),))
    try:
        value, end = _decoder(problems, strict=True).raw_decode(text, begin)
    except json.JSONDecodeError as strict_error:
        problems.clear()
        if "control character" not in strict_error.msg:
            detail = f"{strict_error.msg} at {_around(text, strict_error.pos)}"
            return JsonText(ok=False, value=None, problems=(JsonProblem(JsonIssue.INVALID, strict_error.pos, detail),))
        problems.append(JsonProblem(JsonIssue.CONTROL_CHARACTER, strict_error.pos, _around(text, strict_error.pos)))
        try:
            value, end = _decoder(problems, strict=False).raw_decode(text, begin)
        except json.JSONDecodeError as error:
            problems.append(JsonProblem(JsonIssue.INVALID, error.pos, f"{error.msg} at {_around(text, error.pos)}"))
            return JsonText(ok=False, value=None, problems=tuple(problems))
    rest = text[end:].strip(_SPACE)
    if rest:
        problems.append(JsonProblem(JsonIssue.TRAILING_TEXT, end, rest[:_EXCERPT]))
    if _SURROGATE.search(text) and _has_surrogate(value):
        spot = _SURROGATE.search(text)
        problems.append(JsonProblem(JsonIssue.LONE_SURROGATE, spot.start() if spot else 0, "half of a surrogate pair"))
    problems += _big_integers(value)
    fatal = any(problem.issue in _FATAL for problem in problems)
    return JsonText(ok=not fatal, value=value, problems=tuple(problems))


def _decoder(problems: list[JsonProblem], *, strict: bool) -> json.JSONDecoder:
    """Return a reader that notes duplicate keys and words that are no JSON."""

    def pairs(found: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(found)
        if len(value) != len(found):
            seen: set[str] = set()
            for key, _ in found:
                if key in seen:
                    problems.append(JsonProblem(JsonIssue.DUPLICATE_KEY, 0, key[:_EXCERPT]))
                seen.add(key)
        return value

    def constant(word: str) -> Json:
        problems.append(JsonProblem(JsonIssue.NAN, 0, word))
        return None

    return json.JSONDecoder(object_pairs_hook=pairs, parse_constant=constant, strict=strict)


def _around(text: str, offset: int) -> str:
    """Return an excerpt around an offset."""
    return repr(text[max(0, offset - 20) : offset + 20])


def _too_deep(text: str) -> bool:
    """Whether brackets outside strings nest beyond what is read."""
    if text.count("[") + text.count("{") <= DEPTH:
        return False
    depth = 0
    for match in _STRUCTURE.finditer(text):
        mark = match.group()
        if mark in "[{":
            depth += 1
            if depth > DEPTH:
                return True
        elif mark in "]}":
            depth -= 1
    return False


_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def _strings(value: Json) -> Iterator[str]:
    """Yield all strings of a value, keys too."""
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())


def _has_surrogate(value: Json) -> bool:
    """Whether a string of a value holds half of a pair."""
    for text in _strings(value):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return True
    return False


def _big_integers(value: Json) -> list[JsonProblem]:
    """Find integers that doubles cannot hold."""
    found: list[JsonProblem] = []
    stack: list[Json] = [value]
    while stack and not found:
        item = stack.pop()
        if isinstance(item, int) and abs(item) > SAFE_INTEGER:
            found.append(JsonProblem(JsonIssue.BIG_INTEGER, 0, str(item)[:_EXCERPT]))
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(item.values())
    return found


def read_documents(text: str) -> list[Document]:
    """Return the consecutive JSON values that a text begins with, as far as they parse; white space may part them."""
    found: list[Document] = []
    place = 0
    reader = json.JSONDecoder(strict=False)
    if _too_deep(text):
        return found
    while len(found) < DOCUMENTS:
        while place < len(text) and text[place] in _SPACE:
            place += 1
        if place == len(text):
            break
        try:
            value, end = reader.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            break
        found.append(Document(value, place, end))
        place = end
    return found


_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")
      | (?P<open>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z)
      | (?P<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE]))
      | (?P<word>true|false|null)
      | (?P<mark>[\[\]{},:])
      | (?P<part>(?:-?(?:0|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d*)?|t|tr|tru|f|fa|fal|fals|n|nu|nul)\Z)
    )""",
    re.VERBOSE,
)


def prefix_state(text: str) -> Prefix:
    """Say whether a text is the beginning of one JSON object that merely stops too early.

    A text that goes wrong before its end, and one that is a whole object, are no such beginning.
    """
    stack: list[str] = []
    wanted = "value"
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            return Prefix(cut=not text[place:].strip(_SPACE) and bool(stack), closing=_closing(stack, wanted))
        kind = match.lastgroup or ""
        token = match.group(kind)
        place = match.end()
        if not stack and wanted == "value" and token != "{":
            return Prefix(cut=False)
        if kind == "open":
            if wanted not in ("value", "value or ]", "key", "key or }"):
                return Prefix(cut=False)
            is_key = wanted in ("key", "key or }")
            odd = len(token) - len(token.rstrip("\\"))
            loose = odd % 2 == 1 or re.search(r"\\u[0-9a-fA-F]{0,3}\Z", token)
            closing = "" if is_key or loose else '"' + "".join(reversed(stack))
            return Prefix(cut=True, closing=closing, in_string=True)
        if kind == "part":
            if not token:
                return Prefix(cut=bool(stack), closing=_closing(stack, wanted))
            return Prefix(cut=wanted in ("value", "value or ]"))
        step = _step(stack, wanted, kind, token)
        if step is None:
            return Prefix(cut=False)
        wanted = step
        if wanted == "end":
            return Prefix(cut=False)
    return Prefix(cut=bool(stack), closing=_closing(stack, wanted))


def _closing(stack: list[str], wanted: str) -> str:
    """Return what closes the open brackets, where closing is all that is missing."""
    return "".join(reversed(stack)) if wanted in (", or close", "value or ]", "key or }") else ""


def _step(stack: list[str], wanted: str, kind: str, token: str) -> str | None:
    """Return what is wanted after a token; None where the token is out of place, `end` after the last bracket."""
    values = wanted in ("value", "value or ]")
    if kind in ("number", "word"):
        return ", or close" if values else None
    if kind == "string":
        if values:
            return ", or close"
        return ":" if wanted in ("key", "key or }") else None
    if token == "{" and values:
        stack.append("}")
        return "key or }"
    if token == "[" and values:
        stack.append("]")
        return "value or ]"
    if token == ":" and wanted == ":":
        return "value"
    if token == "," and wanted == ", or close" and stack:
        return "key" if stack[-1] == "}" else "value"
    closes = wanted == ", or close" or wanted.endswith(f" or {token}")
    if token in "]}" and stack and stack[-1] == token and closes:
        stack.pop()
        return ", or close" if stack else "end"
    return None


def canonical(value: Json) -> str:
    """Return a text that is the same for equal values, whatever the order of keys; 1 and 1.0 are equal."""
    return json.dumps(_plain_numbers(value), sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def _plain_numbers(value: Json) -> Json:
    """Write whole floats as integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain_numbers(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain_numbers(item) for key, item in value.items()}
    return value


def equal(left: Json, right: Json) -> bool:
    """Whether two values are the same JSON: numbers by value, and a boolean is no number."""
    if type(left) is type(right) and not isinstance(left, (dict, list)):
        return left == right
    return canonical(left) == canonical(right)
