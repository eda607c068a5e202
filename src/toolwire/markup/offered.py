"""What the request offered, and what leaked text is worth in its terms.

Knows: declared tool names, their parameters, the types that a schema gives to them.
Must not know: markers, families.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from toolwire.jsontext import Json

__all__ = ["MAX_CALLS", "Offered", "read_json", "untyped_value"]

MAX_CALLS = 10_000
"""Calls that are read out of one text; more than any real answer holds, and it bounds the memory of a scan."""

_JSON_STARTS = frozenset("{[-0123456789")
_JSON_WORDS = {"true": True, "false": False, "null": None}
_PYTHON_WORDS = {"True": True, "False": False, "None": None}


def _no_constant(word: str) -> Json:
    message = f"{word} is no JSON"
    raise ValueError(message)


_DECODER = json.JSONDecoder(strict=False, parse_constant=_no_constant)


_FIRST_PIECE = 4_096
_GROWTH = 8
_NEAR_END = 16
"""Characters before the end of a piece where an error may be the cut's and not the text's."""


def read_json(text: str, position: int) -> tuple[Json, int] | None:
    """Read one JSON value that begins at `position`; return it and its end, or None where there is none.

    Raw control characters in strings are let pass, since leaked text often has them. The value is looked for in pieces
    that grow, because the standard decoder counts lines up to an error, which makes many errors in a long text slow.
    """
    size = _FIRST_PIECE
    while True:
        piece = text[position : position + size]
        whole = position + size >= len(text)
        try:
            value: Json
            value, end = _DECODER.raw_decode(piece)
        except json.JSONDecodeError as problem:
            if whole or not (problem.msg.startswith("Unterminated") or problem.pos >= len(piece) - _NEAR_END):
                return None
        except (ValueError, RecursionError):
            return None
        else:
            # a number may go on behind the piece
            if whole or end < len(piece):
                return value, position + end
        size *= _GROWTH


@dataclass(frozen=True, slots=True)
class Offered:
    """The offered tools: names, their parameters, and their schemas where they are known."""

    tools: Mapping[str, Collection[str]]
    schemas: Mapping[str, Json] = field(default_factory=dict)

    def declares(self, name: str) -> bool:
        """Whether a tool of this name was offered."""
        return name in self.tools

    def is_key(self, key: str) -> bool:
        """Whether any offered tool has a parameter of this name."""
        return any(key in keys for keys in self.tools.values())

    def required(self, name: str) -> frozenset[str]:
        """Return the names of the arguments that the schema requires; empty where it does not say."""
        schema = self.schemas.get(name)
        names = schema.get("required") if isinstance(schema, dict) else None
        return frozenset(item for item in names if isinstance(item, str)) if isinstance(names, list) else frozenset()

    def types(self, name: str, key: str) -> frozenset[str]:
        """Return the JSON types that the schema allows for an argument; empty where it does not say."""
        schema = self.schemas.get(name)
        properties = schema.get("properties") if isinstance(schema, dict) else None
        entry = properties.get(key) if isinstance(properties, dict) else None
        kind = entry.get("type") if isinstance(entry, dict) else None
        if isinstance(kind, str):
            return frozenset({kind})
        return frozenset(item for item in kind if isinstance(item, str)) if isinstance(kind, list) else frozenset()

    def value(self, name: str, key: str, raw: str) -> Json:
        """Read an argument that was written without a type."""
        types = self.types(name, key)
        if types == {"string"}:
            return raw
        word = raw.strip()
        if "boolean" in types and word in _PYTHON_WORDS:
            return _PYTHON_WORDS[word]
        return untyped_value(raw)


def untyped_value(raw: str) -> Json:
    """Read text as JSON where it is a number, a boolean, null, an object or an array; else it is the string itself."""
    word = raw.strip()
    if word in _JSON_WORDS:
        return _JSON_WORDS[word]
    if word and word[0] in _JSON_STARTS:
        found = read_json(word, 0)
        if found is not None and found[1] == len(word):
            return found[0]
    return raw
