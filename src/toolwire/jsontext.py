"""JSON to the letter: what is valid, what is not, and what is valid and yet a trap.

The quick way is a reader in Rust that refuses whatever is odd; only then our own reading finds out why. Duplicate keys,
lone surrogates and numbers that doubles cannot hold leave a usable value behind and are reported beside it.

Source: RFC 8259. Knows: texts and values. Must not know: who sent them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from math import isinf
from typing import TypeAlias

import jiter
import msgspec

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

INTEGER_DIGITS = 4300
"""Digits of an integer that are read exactly: what Python itself reads and writes. More count as infinite."""

DEPTH = 201
"""Nesting that is read: what the quick reader takes. RFC 8259 lets a reader limit it, and no tool call comes near."""

DOCUMENTS = 64
"""Documents of one text that are listed."""

PROBLEMS = 8
"""Problems of one kind in one text that are listed: enough to show a pattern."""

_EXCERPT = 80
_SPACE = " \t\r\n"
# possessive, for else the matcher would keep a state for each of a long string's characters
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_BRACKET = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
_TOKEN = re.compile(rf"(?P<string>{_STRING})|(?P<mark>[\[\]{{}}:,])|(?P<word>[^\s\[\]{{}}:,\"]+)", re.DOTALL)
_BLANK = re.compile(rf"[{_SPACE}]*+")
_HALF = re.compile(
    r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>\\u[dD][89a-fA-F]..|[\ud800-\udfff])|\\.",
    re.DOTALL,
)
"""In a string: a whole escaped pair, half of one, or another escape."""

# Two kinds of number need a closer look: with 16 digits in a row they may pass 2^53, and with an exponent of 3 digits
# the doubles. When all digits are folded into one and plus signs left out, both are found by a plain search, several
# times as quick as a pattern.
_FOLD = bytes(ord("0") if byte in b"0123456789" else ord("e") if byte in b"eE" else ord(" ") for byte in range(256))
_LONG_NUMBER = b"0" * 16
_LARGE_EXPONENT = b"0e000"


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
    """An integer beyond 2^53; it is read exactly."""
    HUGE_NUMBER = "huge-number"
    """A number beyond the doubles, such as 1e400; it is read as infinite, as most clients do."""


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


class JsonText(msgspec.Struct, frozen=True, gc=False):
    """A text that was read: `ok` says whether it is exactly one JSON value.

    `value` is that value; where `ok` is false it is what a lenient reader would have got (None for NaN and Infinity),
    or None where there is no telling. `problems` are in the order of the text.
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

    `cut` says that it is one which only stops too early. `closing` would close its open brackets and string, and is
    empty where that alone makes no object, as after a colon. `completion` always makes it one; beyond `closing` it
    invents the least that is missing, such as an empty name or the value 0.
    """

    cut: bool
    closing: str = ""
    in_string: bool = False
    completion: str = ""


_NO_PREFIX = Prefix(cut=False)


def read_json(text: str) -> JsonText:
    """Read a text strictly; never raises."""
    try:
        data = text.encode()
        value: Json = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)
    except (ValueError, RecursionError):
        return _read_slowly(text)
    folded = data.translate(_FOLD, b"+")
    if (_LONG_NUMBER in folded or _LARGE_EXPONENT in folded) and _has_odd_number(value):
        return JsonText(ok=True, value=value, problems=_survey(text, len(text)))
    return JsonText(ok=True, value=value)


def _read_slowly(text: str) -> JsonText:
    """Find out why the quick reader refused a text."""
    begin = len(text) - len(text.lstrip(_SPACE))
    if begin == len(text):
        return _failed(JsonIssue.EMPTY, 0, "")
    if _too_deep(text, begin):
        return _failed(JsonIssue.TOO_DEEP, begin, text[begin : begin + _EXCERPT])
    control: tuple[JsonProblem, ...] = ()
    try:
        value, end = _STRICT.raw_decode(text, begin)
    except json.JSONDecodeError as refusal:
        if "control character" not in refusal.msg:
            return _failed(JsonIssue.INVALID, refusal.pos, f"{refusal.msg} near {_around(text, refusal.pos)}")
        control = (JsonProblem(JsonIssue.CONTROL_CHARACTER, refusal.pos, _around(text, refusal.pos)),)
        try:
            value, end = _LENIENT.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            invalid = JsonProblem(JsonIssue.INVALID, error.pos, f"{error.msg} near {_around(text, error.pos)}")
            return JsonText(ok=False, value=None, problems=(*control, invalid))
    except RecursionError:  # little of the caller's stack was left
        return _failed(JsonIssue.TOO_DEEP, begin, text[begin : begin + _EXCERPT])
    problems = sorted((*control, *_survey(text, end)), key=lambda problem: problem.offset)
    rest = text[end:].lstrip(_SPACE)
    if rest:
        problems.append(JsonProblem(JsonIssue.TRAILING_TEXT, len(text) - len(rest), rest[:_EXCERPT]))
    return JsonText(not any(problem.issue in _FATAL for problem in problems), value, tuple(problems))


def _failed(issue: JsonIssue, offset: int, detail: str) -> JsonText:
    """Return the reading of a text that has no value."""
    return JsonText(ok=False, value=None, problems=(JsonProblem(issue, offset, detail),))


def _integer(digits: str) -> int | float:
    """Read an integer; a float is infinite."""
    return int(digits) if len(digits) <= INTEGER_DIGITS else float(digits)


def _no_number(_word: str) -> None:
    """Take NaN and Infinity for nothing: they are no JSON, and not even equal to themselves."""


_STRICT = json.JSONDecoder(parse_int=_integer, parse_constant=_no_number)
_LENIENT = json.JSONDecoder(parse_int=_integer, parse_constant=_no_number, strict=False)


def _around(text: str, offset: int) -> str:
    """Return an excerpt around an offset."""
    return repr(text[max(0, offset - 20) : offset + 20])


def _too_deep(text: str, begin: int) -> bool:
    """Whether the brackets of the value that begins there nest beyond what is read."""
    if text.count("[", begin) + text.count("{", begin) <= DEPTH:
        return False
    depth = 0
    for match in _BRACKET.finditer(text, begin):
        mark = match.group()
        if mark in "[{":
            depth += 1
            if depth > DEPTH:
                return True
        elif mark in "]}":
            depth -= 1
        if depth <= 0:
            break
    return False


def _has_odd_number(value: Json) -> bool:
    """Whether a number of a value is none that a double can hold."""
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif (isinstance(item, int) and abs(item) > SAFE_INTEGER) or (isinstance(item, float) and isinf(item)):
            return True
    return False


def _survey(text: str, end: int) -> tuple[JsonProblem, ...]:
    """Go over the tokens of a value that is known to parse, and say what is odd about it; `end` is where it ends."""
    found: list[JsonProblem] = []
    counts: Counter[JsonIssue] = Counter()

    def note(issue: JsonIssue | None, offset: int, detail: str) -> None:
        if issue is not None and counts[issue] < PROBLEMS:
            counts[issue] += 1
            found.append(JsonProblem(issue, offset, detail[:_EXCERPT]))

    names: list[set[str] | None] = []  # of the open objects; None for an array
    named = False  # whether a string here is a name
    for match in _TOKEN.finditer(text, 0, end):
        piece = match.group()
        if match.lastgroup == "word":
            note(_odd_word(piece), match.start(), piece)
        elif match.lastgroup == "string":
            half = _half(piece)
            if half is not None:
                note(JsonIssue.LONE_SURROGATE, match.start() + half, "half of a surrogate pair")
            seen = names[-1] if named else None
            if seen is not None:
                name = _LENIENT.decode(piece)
                note(JsonIssue.DUPLICATE_KEY if name in seen else None, match.start(), name)
                seen.add(name)
            named = False
        elif piece in "{[":
            named = piece == "{"
            names.append(set() if named else None)
        elif piece in "}]":
            names.pop()
        elif piece == ",":
            named = names[-1] is not None
    return tuple(found)


def _odd_word(word: str) -> JsonIssue | None:
    """Say what is odd about a number or word."""
    digits = word.removeprefix("-")
    if digits in ("NaN", "Infinity"):
        return JsonIssue.NAN
    if digits in ("true", "false", "null"):
        return None
    if digits.isdigit() and len(digits) <= INTEGER_DIGITS:
        return JsonIssue.BIG_INTEGER if int(digits) > SAFE_INTEGER else None
    return JsonIssue.HUGE_NUMBER if isinf(float(digits)) else None


def _half(piece: str) -> int | None:
    """Return where in a string half of a surrogate pair stands first; None where none does."""
    if "\\" not in piece and piece.isascii():
        return None
    return next((match.start() for match in _HALF.finditer(piece) if match.lastgroup), None)


def read_documents(text: str) -> list[Document]:
    """Return the consecutive JSON values that a text begins with, as far as they parse; white space may part them.

    Raw control characters in strings are let pass, and NaN and Infinity are read as None.
    """
    found: list[Document] = []
    place = 0
    while len(found) < DOCUMENTS:
        blank = _BLANK.match(text, place)
        place = blank.end() if blank else place
        if place == len(text) or _too_deep(text, place):
            break
        try:
            value, end = _LENIENT.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            break
        found.append(Document(value, place, end))
        place = end
    return found


# -- beginnings of objects ---------------------------------------------------------------------------------------------

_INSIDE = r'[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+'
_PIECE = re.compile(
    rf"""[ \t\r\n]*+(?:
        "{_INSIDE}(?:(?P<string>")|(?P<open>(?:\\(?:u[0-9a-fA-F]{{0,3}})?)?)\Z)
      | (?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)(?![0-9.eE])
      | (?P<word>true|false|null)
      | (?P<mark>[\[\]{{}},:])
      | (?P<part>-?(?:(?:0|[1-9][0-9]*+)(?:\.|(?:\.[0-9]++)?[eE][+-]?))?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)\Z
    )""",
    re.VERBOSE,
)
"""A token of JSON, or the beginning of one at the end of the text; `part` may be empty."""

_WORDS = {"t": "true", "f": "false", "n": "null"}


class _Want(StrEnum):
    """What may come next in a text that was well so far."""

    VALUE = "value"
    VALUE_OR_END = "value or ]"
    NAME = "name"
    NAME_OR_END = "name or }"
    COLON = ":"
    COMMA_OR_END = ", or end"
    NOTHING = "nothing"


_VALUES = frozenset({_Want.VALUE, _Want.VALUE_OR_END})
_NAMES = frozenset({_Want.NAME, _Want.NAME_OR_END})
_LEAST = {_Want.VALUE: "0", _Want.NAME: '"":0', _Want.COLON: ":0"}
"""The shortest text after which brackets may be closed, where they may not be yet."""


def prefix_state(text: str) -> Prefix:
    """Say whether a text is the beginning of one JSON object that merely stops too early.

    A text that goes wrong before its end, and one that is a whole object, are no such beginning.
    """
    stack: list[str] = []
    wanted = _Want.VALUE
    place = 0
    while place < len(text):
        match = _PIECE.match(text, place)
        if match is None:
            return _NO_PREFIX
        kind = match.lastgroup or ""
        piece = match.group(kind)
        place = match.end()
        if not stack and piece != "{" and (kind != "part" or piece):
            return _NO_PREFIX
        if kind == "open":
            return _cut_string(stack, wanted, piece)
        if kind == "part" and piece:
            if wanted not in _VALUES:
                return _NO_PREFIX
            word = _WORDS.get(piece[0])
            missing = word[len(piece) :] if word else "0"
            return Prefix(cut=True, completion=missing + _brackets(stack))
        if kind != "part":
            wanted = _step(stack, wanted, kind, piece)
            if wanted is _Want.NOTHING:
                return _NO_PREFIX
    if not stack:
        return _NO_PREFIX
    missing = _LEAST.get(wanted, "")
    return Prefix(cut=True, closing="" if missing else _brackets(stack), completion=missing + _brackets(stack))


def _brackets(stack: list[str]) -> str:
    """Return what closes the open brackets."""
    return "".join(reversed(stack))


def _cut_string(stack: list[str], wanted: _Want, escape: str) -> Prefix:
    """Return the state of a text that ends inside a string, perhaps inside an escape."""
    if wanted not in _VALUES and wanted not in _NAMES:
        return _NO_PREFIX
    missing = "0" * (6 - len(escape)) if len(escape) > 1 else "\\" if escape else ""
    if wanted in _NAMES:
        return Prefix(cut=True, in_string=True, completion=f'{missing}":0{_brackets(stack)}')
    closing = f'"{_brackets(stack)}'
    return Prefix(cut=True, closing="" if missing else closing, in_string=True, completion=missing + closing)


def _step(stack: list[str], wanted: _Want, kind: str, piece: str) -> _Want:
    """Return what is wanted after a token; nothing where it is out of place or the last bracket was closed."""
    if kind in ("number", "word") or (kind == "string" and wanted in _VALUES):
        return _Want.COMMA_OR_END if wanted in _VALUES else _Want.NOTHING
    if kind == "string":
        return _Want.COLON if wanted in _NAMES else _Want.NOTHING
    if piece in "{[" and wanted in _VALUES:
        stack.append("}" if piece == "{" else "]")
        return _Want.NAME_OR_END if piece == "{" else _Want.VALUE_OR_END
    if piece == ":" and wanted is _Want.COLON:
        return _Want.VALUE
    if piece == "," and wanted is _Want.COMMA_OR_END:
        return _Want.NAME if stack[-1] == "}" else _Want.VALUE
    empty = _Want.NAME_OR_END if piece == "}" else _Want.VALUE_OR_END
    if piece == stack[-1] and wanted in (_Want.COMMA_OR_END, empty):
        stack.pop()
        return _Want.COMMA_OR_END if stack else _Want.NOTHING
    return _Want.NOTHING


# -- comparison --------------------------------------------------------------------------------------------------------


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
