"""What a prompt asks for: which tools, how often, with which values, and whether words are to come first.

Knows: English prompts as test suites and users write them. Must not know: schemas beyond parameter names, the wire.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Tools = Mapping[str, Mapping[str, object]]

__all__ = ["MOST", "NAME", "PATH", "QUOTED", "TICKS", "Wish", "asks_to_go_on", "in_a_row", "wished_words", "wishes"]

PATH = re.compile(r"(?<![\w/.])(?:/[\w.+-]+)+/?|\b[\w-]+\.(?:txt|md|py|json|toml|ya?ml|log|csv)\b")
TICKS = re.compile(r"`([^`\n]+)`")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+(?: [A-Z][\w-]+)*")
"""Proper names behind other words: cities, people."""

_JOINED = re.compile(
    r"\s*(?:,|;|\bfollowed by\b)?\s*(?:\band\b|\bthen\b|,)?\s*(?:\bonce\b)?\s*(?:\bfor\b|\bin\b|\bof\b|\bwith\b)?\s*"
)
"""What may stand between values of a list."""

_CUES = (
    (
        re.compile(r"\b(?:compute|calculate|calculator|how much is|what is \d)", re.IGNORECASE),
        ("expression", "formula"),
    ),
    (re.compile(r"\b(?:run|execute|command|running)\b|`", re.IGNORECASE), ("command", "cmd")),
    (re.compile(r"\b(?:search|look up|who won|latest|find out)\b", re.IGNORECASE), ("query", "q")),
    (PATH, ("path", "file", "file_path", "filename")),
)
"""Words of a prompt, and the parameters of the tool that they ask for; the first that fits decides."""

_FORBIDDEN = re.compile(
    r"\b(?:do not|don't|never) (?:call|use)\b|\bwithout (?:calling|using|any) |\bno tools?\b", re.IGNORECASE
)
_FIRST = re.compile(
    r"\b(?:say|write|tell me|announce|explain)\b[^\n]*?\b(?:before|first|then call|and then)\b", re.IGNORECASE
)
_GO_ON = re.compile(r"\b(?:then|after that|afterwards|again|next)\b", re.IGNORECASE)
_TIMES = re.compile(r"\b(?:(twice)|(two|three|four|five|[2-9]) times)\b", re.IGNORECASE)
_NUMBERS = {"twice": 2, "two": 2, "three": 3, "four": 4, "five": 5}
_WORD = re.compile(r"[a-z]{3,}")
_COMMON = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "use",
        "using",
        "tool",
        "call",
        "please",
        "from",
        "into",
        "its",
        "are",
        "you",
        "can",
        "what",
        "get",
        "set",
        "read",
        "write",
        "list",
        "run",
        "find",
        "create",
        "delete",
        "send",
        "make",
        "fetch",
        "show",
        "add",
        "return",
        "returns",
        "give",
        "given",
        "current",
        "file",
        "data",
        "all",
        "one",
        "new",
        "value",
    ]
)
"""Words that say nothing about which tool is meant."""

MOST = 16
"""Calls of one answer: more than any client can be asked to make at once."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One call that a prompt asks for: the tool, the words that speak of it, and what they give without a name."""

    tool: str
    text: str
    value: str | None = None
    """The value for the one parameter that a tool needs, where the prompt lists several."""
    arguments: dict[str, object] | None = None
    """All arguments, where the prompt spells them out as JSON."""


def wishes(tools: Tools, text: str) -> list[Wish]:
    """Return the calls that a text asks for, in order: of tools that it names, else of one that suits its words."""
    if _FORBIDDEN.search(text):
        return []
    named = sorted(
        (match.start(), name) for name in tools for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
    )
    found: list[Wish] = []
    ends = [place for place, _ in (*named[1:], (len(text), ""))]
    for (place, name), end in zip(named, ends, strict=False):
        part = text[place:end]
        found += _each(name, tools[name], part if _tells(part, name) else text)
    if not named:
        found += _by_words(tools, text)
    return found[:MOST]


def wished_words(text: str) -> str:
    """Return the words that a text wants before the calls, if it wants some."""
    match = _FIRST.search(text)
    if match is None:
        return ""
    quoted = QUOTED.search(match[0])
    return quoted[1] if quoted else "Let me look that up."


def asks_to_go_on(text: str) -> bool:
    """Whether a text asks for calls one after the other, so that a result is followed by the next call."""
    return bool(_GO_ON.search(text))


def _parameters(tool: Mapping[str, object]) -> dict[str, object]:
    """Return the declared parameters of a tool."""
    schema = tool.get("parameters")
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def _by_words(tools: Tools, text: str) -> list[Wish]:
    """Find the tool that suits a text by cues, then by the words that describe it."""
    for cue, keys in _CUES:
        if cue.search(text):
            for name, tool in tools.items():
                if any(key in keys for key in _parameters(tool)):
                    return _each(name, tool, text)
    said = set(_WORD.findall(text.lower()))
    best, most = "", 0
    for name, tool in tools.items():
        own = set(_WORD.findall(name.replace("_", " ").lower())) - _COMMON
        described = set(_WORD.findall(str(tool.get("description", "")).lower())) - _COMMON - own
        score = 2 * len(said & own) + len(said & described)
        if score > most:
            best, most = name, score
    # one word that a description shares with the prompt is chance; a word of the tool's own name is not
    return _each(best, tools[best], text) if most > 1 else []


def _each(name: str, tool: Mapping[str, object], text: str) -> list[Wish]:
    """Return one wish, or one for each value that the text lists for a tool."""
    spelled = list(_objects(tool, text))
    if spelled:
        return [Wish(name, text, arguments=arguments) for arguments in spelled]
    times = _TIMES.search(text)
    wanted = _NUMBERS.get((times[1] or times[2]).lower(), 0) or int(times[2]) if times else 0
    values = _listed(tool, text)
    if len(values) > 1 and (not wanted or len(values) == wanted):
        return [Wish(name, text, value) for value in values]
    return [Wish(name, text)] * max(wanted, 1)


def _listed(tool: Mapping[str, object], text: str) -> list[str]:
    """Return the values that a text lists for a tool of one parameter, if it lists any."""
    schema = tool.get("parameters")
    required = schema.get("required") if isinstance(schema, dict) else None
    key = required[0] if isinstance(required, list) and len(required) == 1 else None
    declared = _parameters(tool).get(key) if isinstance(key, str) else None
    if not isinstance(declared, dict) or declared.get("type") != "string" or "enum" in declared:
        return []
    if key in ("expression", "formula", "query", "q"):
        patterns: Sequence[re.Pattern[str]] = (QUOTED, TICKS)
    elif "path" in str(key) or "file" in str(key):
        patterns = (QUOTED, TICKS, PATH)
    else:
        patterns = (QUOTED, TICKS, NAME)
    for pattern in patterns:
        matches = list(pattern.finditer(text))
        if matches:
            return in_a_row(matches)
    return []


def in_a_row(found: Sequence[re.Match[str]]) -> list[str]:
    """Return the values of matches as long as nothing but the words of a list stands between them."""
    kept = [_value(match) for match in found[:1]]
    for before, after in pairwise(found):
        if not _JOINED.fullmatch(before.string, before.end(), after.start()):
            break
        kept.append(_value(after))
    return kept


def _value(match: re.Match[str]) -> str:
    """Return what stands between marks to the letter, and what has none without the end of its sentence."""
    return match[1] if match.re.groups else match[0].rstrip(".")


def _objects(tool: Mapping[str, object], text: str) -> Iterator[dict[str, object]]:
    """Yield the JSON objects of a text that can be the arguments of a tool."""
    declared = _parameters(tool)
    schema = tool.get("parameters")
    required = schema.get("required") if isinstance(schema, dict) else None
    needed = set(required) if isinstance(required, list) else set()
    decoder = json.JSONDecoder()
    place = text.find("{")
    while place >= 0 and declared:
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(value, dict) and value and needed <= set(value) <= set(declared):
                yield value
        place = text.find("{", end)


def _tells(part: str, name: str) -> bool:
    """Whether a part of a text says more than the name of the tool."""
    rest = part[len(name) :]
    return bool(QUOTED.search(rest) or TICKS.search(rest) or PATH.search(rest) or re.search(r"[\d{]", rest))
