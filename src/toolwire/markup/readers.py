"""Which reader reads which family, and which family fits a text best.

Knows: the kinds of readers by name, how families are ranked.
Must not know: excuses, code, prompts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from toolwire.markup.lexicon import family
from toolwire.markup.parse_json import json_calls, named_json
from toolwire.markup.parse_literals import brace_values, python_calls
from toolwire.markup.parse_tags import namespaced_elements, tagged_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolwire.markup.families import Reader
    from toolwire.markup.model import LeakedCall, Mark
    from toolwire.markup.offered import Offered

__all__ = ["Reading", "fence_openers", "rank", "read_family"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one family makes of a text."""

    family: str
    calls: tuple[LeakedCall, ...]


@cache
def _opener(source: str) -> re.Pattern[str]:
    return re.compile(source)


def fence_openers(text: str, families: Iterable[str]) -> frozenset[int]:
    """Return the places of code fences that are part of a call: some families put the arguments into one."""
    places: set[int] = set()
    for family_id in families:
        reader = family(family_id).reader
        if reader is None or "```" not in reader.open:
            continue
        for match in _opener(reader.open).finditer(text):
            places.add(text.index("```", match.start()))
    return frozenset(places)


def read_family(text: str, family_id: str, offered: Offered, outside: Callable[[int], bool]) -> Reading:
    """Read the calls of one family; `outside` says whether a place may begin one."""
    reader = family(family_id).reader
    if reader is None:
        return Reading(family_id, ())
    opens = [match for match in _opener(reader.open).finditer(text) if outside(match.start())]
    return Reading(family_id, tuple(_read(text, opens, reader, offered)) if opens else ())


def _read(text: str, opens: list[re.Match[str]], reader: Reader, offered: Offered) -> list[LeakedCall]:
    match reader.kind:
        case "json_calls":
            return json_calls(text, opens, offered)
        case "named_json":
            return named_json(text, opens, offered)
        case "tagged_parameters":
            return tagged_parameters(text, opens, reader, offered)
        case "python_calls":
            return python_calls(text, opens, offered)
        case "brace_values":
            return brace_values(text, opens, reader, offered)
        case _:
            return namespaced_elements(text, opens, reader, offered)


_MATCHED, _NEUTRAL, _MISSED = 0, 1, 2


def _style(text: str, hint: str) -> int:
    if not hint:
        return _NEUTRAL
    return _MATCHED if _opener(hint).search(text) is not None else _MISSED


def rank(text: str, marks: Iterable[Mark], readings: Iterable[Reading]) -> list[Reading]:
    """Return the readings of the families that fit best, the most specific first.

    Calls to declared tools count first, then how many of the different markers a family has, then its own style.
    """
    seen: dict[str, set[str]] = {}
    for mark in marks:
        for family_id in mark.families:
            seen.setdefault(family_id, set()).add(mark.text)
    scored = [
        (
            sum(call.declared and call.complete for call in reading.calls),
            sum(call.complete for call in reading.calls),
            len(seen.get(reading.family, ())),
            sum(call.declared for call in reading.calls),
            reading,
        )
        for reading in readings
    ]
    if not scored:
        return []
    best = max(entry[:3] for entry in scored)
    fitting = [entry for entry in scored if entry[:3] == best]
    styles = {entry[4].family: _style(text, family(entry[4].family).hint) for entry in fitting}
    if _MATCHED in styles.values():
        fitting = [entry for entry in fitting if styles[entry[4].family] != _MISSED]
    fitting.sort(key=lambda entry: (styles[entry[4].family], -entry[3], _size(entry[4].family)))
    return [entry[4] for entry in fitting]


def _size(family_id: str) -> tuple[int, int]:
    """Return how many markers a family has: one that has fewer others is the more specific."""
    entry = family(family_id)
    return len(entry.strong) + len(entry.closing) + len(entry.frame), -entry.model_count
