"""Which tool a prompt asks for, and what its arguments are: by rules, from the declared schema and the words.

Knows: JSON Schema as far as tools use it, paths, commands, sums and quotations in English prompts.
Must not know: the wire.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["fill", "wanted_tools"]

LONGEST = 65_536
"""Characters up to which a schema's smallest length is kept."""

DEPTH = 8
"""Levels of a schema that are filled; deeper ones get the smallest value."""

_PATH = re.compile(r"(?<![\w/.])(?:/[\w.+-]+)+/?|\b[\w-]+\.(?:txt|md|py|json|toml|ya?ml|log|csv)\b")
_TICKS = re.compile(r"`([^`]+)`")
_QUOTED = re.compile(r'"([^"]*)"')
_SUM = re.compile(r"\(?-?\d+(?:\.\d+)?\)?(?:\s*(?:\*\*|[-+*/^%])\s*\(?-?\d+(?:\.\d+)?\)?)+")
_POWER = re.compile(r"(\d+) to the power of (\d+)", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"[a-z]{3,}")

_CUES = (
    (
        re.compile(r"\b(?:compute|calculate|calculator|how much is|what is \d)", re.IGNORECASE),
        ("expression", "formula"),
    ),
    (re.compile(r"\b(?:run|execute|command|running)\b|`", re.IGNORECASE), ("command", "cmd")),
    (re.compile(r"\b(?:search|look up|who won|latest|find out)\b", re.IGNORECASE), ("query", "q")),
    (_PATH, ("path", "file", "file_path", "filename")),
)
"""Words of a prompt, and the parameters of the tool that they ask for; the first that fits decides."""

_STOPWORDS = frozenset(
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
    ]
)


def wanted_tools(tools: Mapping[str, Mapping[str, object]], text: str) -> list[tuple[str, str]]:
    """Return the tools that a text asks for, in order, each with the part of the text that speaks of it.

    Tools that are named in the text are called where they are named; otherwise one is found by cues and words.
    """
    named = sorted(
        (match.start(), name) for name in tools for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
    )
    if named:
        ends = [place for place, _ in named[1:]] + [len(text)]
        parts = [(name, text[place:end]) for (place, name), end in zip(named, ends, strict=True)]
        return [(name, part if _tells(part, name) else text) for name, part in parts]
    for cue, keys in _CUES:
        if cue.search(text):
            for name, tool in tools.items():
                if any(key in keys for key in _properties(tool)):
                    return [(name, text)]
    words = set(_WORD.findall(text.lower())) - _STOPWORDS
    best = max(tools, key=lambda name: len(words & _vocabulary(name, tools[name])), default="")
    return [(best, text)] if best and words & _vocabulary(best, tools[best]) else []


def _tells(part: str, name: str) -> bool:
    """Whether a part of a text says more than the name of the tool."""
    return bool(_QUOTED.search(part) or _TICKS.search(part) or _PATH.search(part) or _NUMBER.search(part[len(name) :]))


def _vocabulary(name: str, tool: Mapping[str, object]) -> set[str]:
    """Return the words that a tool is described with."""
    said = f"{name.replace('_', ' ')} {tool.get('description', '')}".lower()
    return set(_WORD.findall(said)) - _STOPWORDS


def _properties(tool: Mapping[str, object]) -> dict[str, object]:
    """Return the declared parameters."""
    schema = tool.get("parameters")
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def fill(tool: Mapping[str, object], text: str) -> dict[str, object]:
    """Return arguments for a tool: all required parameters, and the optional ones that the text names."""
    schema = tool.get("parameters")
    if not isinstance(schema, dict):
        return {}
    return _object(schema, text, schema, DEPTH)


def _object(schema: Mapping[str, object], text: str, root: Mapping[str, object], depth: int) -> dict[str, object]:
    """Fill an object."""
    found: dict[str, object] = {}
    properties = schema.get("properties")
    required = schema.get("required")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        needed = isinstance(required, list) and name in required
        if needed or re.search(rf"\b{re.escape(name)}\b", text):
            found[name] = _value(name, inner if isinstance(inner, dict) else {}, text, root, depth - 1)
    return found


def _value(name: str, schema: Mapping[str, object], text: str, root: Mapping[str, object], depth: int) -> object:
    """Return a value for one place of a schema."""
    schema = _resolve(schema, root)
    if "const" in schema:
        return schema["const"]
    options = schema.get("enum")
    if isinstance(options, list) and options:
        return next((one for one in options if isinstance(one, str) and one.lower() in text.lower()), options[0])
    for key in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(key)
        if isinstance(branches, list) and branches:
            usable = [one for one in branches if isinstance(one, dict) and one.get("type") != "null"]
            return _value(name, usable[0] if usable else {"type": "null"}, text, root, depth)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    match kind:
        case "object":
            return _object(schema, text, root, depth) if depth > 0 else {}
        case "array":
            return _array(name, schema, text, root, depth)
        case "integer":
            return _bounded(int(float(_number(name, text))), schema)
        case "number":
            return _bounded(float(_number(name, text)), schema)
        case "boolean":
            return not re.search(
                rf"\b{re.escape(name)}\b\W+(?:is |to |=|: ?)?\W*(?:false|no|off)\b", text, re.IGNORECASE
            )
        case "null":
            return None
        case _:
            return _string(name, text, schema)


def _resolve(schema: Mapping[str, object], root: Mapping[str, object]) -> Mapping[str, object]:
    """Follow a reference inside the same schema."""
    for _ in range(DEPTH):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return schema
        target: object = root
        for part in reference[2:].split("/"):
            target = target.get(part) if isinstance(target, dict) else None
        schema = target if isinstance(target, dict) else {}
    return schema


def _array(name: str, schema: Mapping[str, object], text: str, root: Mapping[str, object], depth: int) -> list[object]:
    """Fill an array: with what the text lists, else with as many items as are needed."""
    items = schema.get("items")
    inner = items if isinstance(items, dict) else {}
    least = schema.get("minItems")
    count = least if isinstance(least, int) and 0 <= least <= 64 else 1  # noqa: PLR2004 - a test's array is short
    if _resolve(inner, root).get("type", "string") == "string" and len(_QUOTED.findall(text)) > 1:
        return list(_QUOTED.findall(text))
    return [_value(name, inner, text, root, depth - 1) for _ in range(max(count, 1))] if depth > 0 else []


def _number(name: str, text: str) -> str:
    """Return the number that the text gives for a parameter."""
    near = re.search(rf"\b{re.escape(name)}\b\D{{0,20}}?(-?\d+(?:\.\d+)?)", text)
    if near:
        return near[1]
    found = _NUMBER.search(text)
    return found.group() if found else "1"


def _bounded(value: float, schema: Mapping[str, object]) -> float:
    """Keep a number inside its bounds."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(low, (int, float)) and value < low:
        return low
    return high if isinstance(high, (int, float)) and value > high else value


def _string(name: str, text: str, schema: Mapping[str, object]) -> str:
    """Return the string that the text gives for a parameter, as long as the schema wants it."""
    value = _words_for(name, text)
    least = schema.get("minLength")
    return value.ljust(least, "x") if isinstance(least, int) and least < LONGEST else value


def _words_for(name: str, text: str) -> str:
    """Find the words of a text that are meant for a parameter."""
    near = re.search(rf'\b{re.escape(name)}\b[^"\n]{{0,40}}"((?:[^"\\]|\\.)*)"', text)
    if near:
        return near[1]
    if name in ("expression", "formula"):
        power, found = _POWER.search(text), _SUM.search(text)
        return f"{power[1]} ** {power[2]}" if power else found.group().strip() if found else "1 + 1"
    ticks, path, quoted = _TICKS.search(text), _PATH.search(text), _QUOTED.search(text)
    if name in ("path", "file", "file_path", "filename") and path:
        return path.group().rstrip(".")
    for found in (ticks if name in ("command", "cmd") else None, quoted, ticks):
        if found:
            return found[1]
    if name in ("query", "q"):
        return re.sub(r"^(?:search the web for|search for|look up)\s+", "", text, flags=re.IGNORECASE).strip(" .?")[
            :200
        ]
    return path.group() if path and "path" in name else text.strip()[:80] or "value"
