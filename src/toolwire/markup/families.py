"""The families of tool-call markup, read from the package's TOML files.

One file describes one family: its markers, how a leaked call is read, examples, the engines that read it, sources.
A family is added by adding a file. The part before the first of `examples`, `engines` and `provenance` is all that
the scanner needs; the rest is read only where someone asks for it, so that a first scan stays fast.

Knows: the form of a family file. The one place where the package's markup data are opened.
Must not know: texts, scanning.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwire.jsontext import Json

__all__ = ["Example", "ExampleCall", "Family", "FamilyMarkers", "Reader", "families", "family_markers"]

_DOCUMENTATION = re.compile(r"^\[\[?(?:examples|engines|provenance)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reader:
    """How leaked calls of a family are read."""

    kind: str
    """`json_calls`, `named_json`, `tagged_parameters`, `python_calls`, `brace_values` or `namespaced_elements`."""
    open: str
    """Regular expression that matches where a call, or the section of calls, begins; may capture `name`."""
    parameter: str = ""
    """Regular expression of one argument: captures `key`, `value` and perhaps `type` or `string`."""
    close: str = ""
    """Regular expression that matches where the call ends."""
    quote: str = ""
    """The marker around strings."""
    namespace: str = ""
    """The marker before each element."""
    untyped: bool = False
    """Whether numbers and booleans are written as strings too."""


@dataclass(frozen=True, slots=True)
class FamilyMarkers:
    """What the scanner needs of a family."""

    id: str
    model_count: int
    """How many families of models write it: the commoner one is named first."""
    strong: tuple[str, ...]
    """Openers and separators that occur in nothing but markup."""
    closing: tuple[str, ...]
    """Closers of the same kind."""
    contextual: tuple[str, ...]
    """Markers that count only with a declared name or key."""
    weak: tuple[str, ...]
    """Forms that never count alone; kept for documentation."""
    frame: tuple[str, ...]
    """Channel, wrapper and reasoning tokens: raw output, but no call by themselves."""
    body: tuple[str, ...]
    """Those frame tokens after which an answer itself begins."""
    patterns: tuple[str, ...]
    """Regular expressions of strong markers with a variable part; each begins with a literal character."""
    turn: tuple[str, ...]
    """Tokens that end a turn."""
    reasoning_open: tuple[str, ...]
    reasoning_close: tuple[str, ...]
    bare: tuple[str, ...]
    """Forms without any marker that this family has."""
    hint: str
    """Regular expression of this family's own style; it settles ties between families with the same markers."""
    reader: Reader | None


@dataclass(frozen=True, slots=True)
class ExampleCall:
    """A call that an example holds."""

    name: str
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Example:
    """Raw model output of a family and the calls in it."""

    name: str
    text: str
    calls: tuple[ExampleCall, ...]
    prefill: str = ""
    """What the chat template had already written before it."""


@dataclass(frozen=True, slots=True)
class Family:
    """One family of markup with all that is known of it."""

    id: str
    title: str
    models: tuple[str, ...]
    """Model families that write it."""
    status: str
    argument_encoding: str
    parallel: str
    """How several calls are written."""
    confidence: str
    """How the facts were checked."""
    remark: str
    markers: FamilyMarkers
    engines: dict[str, tuple[str, ...]]
    """Names of the parsers by engine."""
    examples: tuple[Example, ...]
    sources: tuple[str, ...]
    read_by: tuple[str, ...]
    """Engine parsers that were seen to read the examples."""

    @property
    def reasoning(self) -> tuple[str, ...]:
        """Markers around reasoning."""
        return self.markers.reasoning_open + self.markers.reasoning_close


@cache
def _texts() -> tuple[str, ...]:
    folder = files("toolwire.markup") / "families"
    entries = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda entry: entry.name
    )
    return tuple(entry.read_text(encoding="utf-8") for entry in entries)


def _markers(table: dict[str, Json]) -> FamilyMarkers:
    marks = _table(table, "markers")
    parse = _table(table, "parse")
    reader = None
    if parse:
        reader = Reader(
            kind=_text(parse, "reader"),
            open=_text(parse, "open"),
            parameter=_text(parse, "parameter"),
            close=_text(parse, "close"),
            quote=_text(parse, "quote"),
            namespace=_text(parse, "namespace"),
            untyped=parse.get("untyped") is True,
        )
    return FamilyMarkers(
        id=_text(table, "id"),
        model_count=len(_list(table, "models")),
        strong=_list(marks, "strong"),
        closing=_list(marks, "closing"),
        contextual=_list(marks, "contextual"),
        weak=_list(marks, "weak"),
        frame=_list(marks, "frame"),
        body=_list(marks, "body"),
        patterns=_list(marks, "patterns"),
        turn=_list(marks, "turn"),
        reasoning_open=_list(marks, "reasoning_open"),
        reasoning_close=_list(marks, "reasoning_close"),
        bare=_list(marks, "bare"),
        hint=_text(marks, "hint"),
        reader=reader,
    )


@cache
def family_markers() -> tuple[FamilyMarkers, ...]:
    """Return what the scanner needs of every family, by id."""
    heads = (_DOCUMENTATION.split(text, maxsplit=1)[0] for text in _texts())
    return tuple(_markers(tomllib.loads(head)) for head in heads)


@cache
def families() -> tuple[Family, ...]:
    """Return every family with its documentation and examples, by id."""
    return tuple(_family(tomllib.loads(text)) for text in _texts())


def _family(table: dict[str, Json]) -> Family:
    provenance = _table(table, "provenance")
    engines = _table(table, "engines")
    return Family(
        id=_text(table, "id"),
        title=_text(table, "title"),
        models=_list(table, "models"),
        status=_text(table, "status"),
        argument_encoding=_text(table, "encoding"),
        parallel=_text(table, "parallel"),
        confidence=_text(table, "confidence"),
        remark=_text(table, "remark"),
        markers=_markers(table),
        engines={engine: _list(engines, engine) for engine in engines},
        examples=tuple(_example(entry) for entry in _tables(table, "examples")),
        sources=_list(provenance, "sources"),
        read_by=_list(provenance, "read_by"),
    )


def _example(table: dict[str, Json]) -> Example:
    calls = tuple(ExampleCall(_text(call, "name"), _table(call, "arguments")) for call in _tables(table, "calls"))
    return Example(name=_text(table, "name"), text=_text(table, "text"), calls=calls, prefill=_text(table, "prefill"))


def _text(table: dict[str, Json], key: str) -> str:
    value = table.get(key, "")
    return value if isinstance(value, str) else ""


def _list(table: dict[str, Json], key: str) -> tuple[str, ...]:
    value = table.get(key)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _table(table: dict[str, Json], key: str) -> dict[str, Json]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _tables(table: dict[str, Json], key: str) -> tuple[dict[str, Json], ...]:
    value = table.get(key)
    return tuple(item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()
