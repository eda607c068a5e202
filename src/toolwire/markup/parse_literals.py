"""Leaked calls whose arguments are literals: Python calls, and braces with bare keys.

The reader is our own: it knows JSON's and Python's literals alike, any marker around strings, where a call ends,
and never warns about the text it reads.

Knows: literals, `name(key=value, …)`, `name{key:value,…}`.
Must not know: which family it reads.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolwire.markup.model import LeakedCall
from toolwire.markup.offered import MAX_CALLS, Offered
from toolwire.markup.parse_json import json_sequence

if TYPE_CHECKING:
    from toolwire.jsontext import Json
    from toolwire.markup.families import Reader

__all__ = ["brace_values", "python_calls", "python_sequence"]

_MAX_DEPTH = 40
_SPACE = re.compile(r"\s*")
_BETWEEN = re.compile(r"[\s,;]*")
_CALL = re.compile(r"(?P<name>[A-Za-z_][\w.-]{0,127})\(")
_KEYWORD = re.compile(r"\s*([A-Za-z_]\w{0,127})\s*=(?!=)")
_BARE_KEY = re.compile(r"\s*([\w.$-]{1,128})\s*:")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]{1,16}|\d{1,300}(?:\.\d*)?(?:[eE][+-]?\d{1,3})?)(?![\w.])")
_WORD = re.compile(r"(?:true|True|false|False|null|None)\b")
_WORDS: dict[str, Json] = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\n|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}
_STRINGS = {
    quote: re.compile(rf"{quote}((?:[^{quote}\\]|\\.)*){quote}", re.DOTALL)  # a backslash takes the next one along
    for quote in ("'", '"')
}


class _BadLiteralError(ValueError):
    """The text is no literal."""


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code if code in "\"'\\/" else match[0])


class _Literals:
    """A reader of literals in one text, from a place up to a limit."""

    __slots__ = ("limit", "place", "quote", "text")

    def __init__(self, text: str, place: int, limit: int, quote: str = "") -> None:
        self.text = text
        self.place = place
        self.limit = limit
        self.quote = quote

    def space(self) -> str:
        """Skip white space; return the character there, empty at the end."""
        gap = _SPACE.match(self.text, self.place, self.limit)
        self.place = gap.end() if gap is not None else self.place
        return self.text[self.place] if self.place < self.limit else ""

    def take(self, token: str) -> bool:
        """Step over `token` if it stands here."""
        if self.text.startswith(token, self.place) and self.place + len(token) <= self.limit:
            self.place += len(token)
            return True
        return False

    def string(self, mark: str) -> str:
        if self.quote and mark == self.quote:
            end = self.text.find(mark, self.place, self.limit)
            if end < 0:
                raise _BadLiteralError
            value = self.text[self.place : end]
            self.place = end + len(mark)
            return value
        match = _STRINGS[mark].match(self.text, self.place, self.limit)
        if match is None:
            raise _BadLiteralError
        self.place = match.end()
        return _ESCAPE.sub(_unescape, match[1]) if "\\" in match[1] else match[1]

    def value(self, depth: int = 0) -> Json:
        first = self.space()
        if depth > _MAX_DEPTH or not first:
            raise _BadLiteralError
        if self.quote and self.take(self.quote):
            return self.string(self.quote)
        if first in _STRINGS:
            return self.string(first)
        if first in "[(":
            self.place += 1
            return self.items("]" if first == "[" else ")", depth)
        if first == "{":
            self.place += 1
            return self.mapping(depth)
        word = _WORD.match(self.text, self.place, self.limit)
        if word is not None:
            self.place = word.end()
            return _WORDS[word[0]]
        number = _NUMBER.match(self.text, self.place, self.limit)
        if number is None:
            raise _BadLiteralError
        self.place = number.end()
        digits = number[0]
        if "x" in digits or "X" in digits:
            return int(digits, 16)
        return float(digits) if any(mark in digits for mark in ".eE") else int(digits)

    def items(self, closer: str, depth: int) -> list[Json]:
        found: list[Json] = []
        while self.space() != closer:
            found.append(self.value(depth + 1))
            if self.space() != closer and not self.take(","):
                raise _BadLiteralError
        self.place += 1
        return found

    def mapping(self, depth: int) -> dict[str, Json]:
        """Read up to the closing brace; keys are bare or quoted."""
        found: dict[str, Json] = {}
        while self.space() != "}":
            key = self.key()
            found[key] = self.value(depth + 1)
            if self.space() != "}" and not self.take(","):
                raise _BadLiteralError
        self.place += 1
        return found

    def key(self) -> str:
        bare = _BARE_KEY.match(self.text, self.place, self.limit)
        if bare is not None:
            self.place = bare.end()
            return bare[1]
        first = self.space()
        if self.quote and self.take(self.quote):
            key = self.string(self.quote)
        elif first in _STRINGS:
            key = self.string(first)
        else:
            raise _BadLiteralError
        self.space()
        if not self.take(":"):
            raise _BadLiteralError
        return key

    def call_arguments(self) -> dict[str, Json] | None:
        """Read up to the closing parenthesis; None where arguments have no names."""
        found: dict[str, Json] = {}
        unnamed: list[Json] = []
        while self.space() != ")":
            keyword = _KEYWORD.match(self.text, self.place, self.limit)
            if keyword is not None:
                self.place = keyword.end()
                found[keyword[1]] = self.value()
            else:
                unnamed.append(self.value())
            if self.space() != ")" and not self.take(","):
                raise _BadLiteralError
        self.place += 1
        if not unnamed:
            return found
        only = unnamed[0]
        return only if len(unnamed) == 1 and not found and isinstance(only, dict) else None


def python_sequence(text: str, position: int, limit: int, offered: Offered) -> tuple[list[LeakedCall], int]:
    """Read `[name(key=value), …]`, with or without the brackets; return the calls and the place behind them.

    A call that does not end, or holds no literals, is not complete, and nothing is read behind it.
    """
    literals = _Literals(text, position, limit)
    literals.space()
    bracket = literals.take("[")
    calls: list[LeakedCall] = []
    while len(calls) < MAX_CALLS:
        between = _BETWEEN.match(text, literals.place, limit)
        call = _CALL.match(text, between.end() if between is not None else literals.place, limit)
        if call is None:
            break
        name = call["name"]
        literals.place = call.end()
        try:
            arguments = literals.call_arguments()
        except _BadLiteralError:
            calls.append(LeakedCall(name, None, call.start(), limit, complete=False, declared=offered.declares(name)))
            return calls, limit
        calls.append(
            LeakedCall(name, arguments, call.start(), literals.place, complete=True, declared=offered.declares(name))
        )
    if bracket and calls and literals.space() == "]":
        literals.place += 1
    return calls, literals.place


def python_calls(text: str, opens: list[re.Match[str]], offered: Offered) -> list[LeakedCall]:
    """Read the calls behind each opener; JSON calls are read too, since the same markers may hold them."""
    calls: list[LeakedCall] = []
    for number, opener in enumerate(opens):
        limit = opens[number + 1].start() if number + 1 < len(opens) else len(text)
        found, _ = python_sequence(text, opener.end(), limit, offered)
        if not found:
            found, _ = json_sequence(text, opener.end(), limit, offered)
        calls += found
        if len(calls) >= MAX_CALLS:
            break
    return calls


def brace_values(text: str, opens: list[re.Match[str]], reader: Reader, offered: Offered) -> list[LeakedCall]:
    """Read calls whose opener holds the name and is followed by `{key:value,…}`."""
    calls: list[LeakedCall] = []
    for number, opener in enumerate(opens[:MAX_CALLS]):
        limit = opens[number + 1].start() if number + 1 < len(opens) else len(text)
        name = opener["name"]
        literals = _Literals(text, opener.end() + 1, limit, reader.quote)
        arguments: dict[str, Json] | None
        try:
            arguments = literals.mapping(0)
            end, whole = literals.place, True
        except _BadLiteralError:
            arguments, end, whole = None, opener.end(), False
        if arguments is not None and reader.untyped:
            arguments = {
                key: offered.value(name, key, value) if isinstance(value, str) else value
                for key, value in arguments.items()
            }
        calls.append(LeakedCall(name, arguments, opener.start(), end, complete=whole, declared=offered.declares(name)))
    return calls
