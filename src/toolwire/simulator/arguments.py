"""Arguments of a call, by rules: from the declared schema and the words of the prompt.

Knows: JSON Schema as far as tools use it, and how prompts give values. Must not know: the wire.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolwire.simulator.wishes import NAME, PATH, QUOTED, TICKS, in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolwire.simulator.wishes import Wish

    Schema = Mapping[str, object]

__all__ = ["fill"]

LONGEST = 65_536
"""Characters, and items of a list, up to which a schema's smallest length is kept."""

DEPTH = 8
"""Levels of a schema that are filled; deeper ones get the smallest value."""

NEAR = 48
"""Characters between the name of a parameter and its value: `path` set to exactly "…"."""

_SUM = re.compile(r"\(*-?\d+(?:\.\d+)?\)*(?:\s*(?:\*\*|[-+*/^%])\s*\(*-?\d+(?:\.\d+)?\)*)+")
_POWER = re.compile(r"(\d+) to the power of (\d+)", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,2})?")
_FENCE = re.compile(r"```[\w-]*\n(.*?)\n?```", re.DOTALL)
_PLAIN = re.compile(r"\s*(?:=|:|\bis\b|\bto\b|\bas\b|\bset to\b)\s*(?:exactly\s+)?([^\s,;\"'`]+)")
_SEARCH = re.compile(r"^(?:please\s+)?(?:search the web for|search for|look up|find out)\s+", re.IGNORECASE)
_FALSE = re.compile(r"[\W_]*(?:set to |is |to |= ?|: ?)?(?:false|no|off|disabled)\b", re.IGNORECASE)
_NULL = re.compile(r"[\W_]*(?:set to |is |to |= ?|: ?)?(?:null|none|nothing)\b", re.IGNORECASE)

_FORMATS = {
    "date": "2026-12-01",
    "date-time": "2026-12-01T12:00:00Z",
    "time": "12:00:00Z",
    "email": "user@example.com",
    "uri": "https://example.com/",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
"""Values for the formats that schemas ask for where the prompt gives none."""

_PATHS = ("path", "file", "file_path", "filename")
_COMMANDS = ("command", "cmd")


def fill(tool: Mapping[str, object], wish: Wish) -> dict[str, object]:
    """Return arguments for a tool: all required parameters, and the optional ones that the prompt names."""
    if wish.arguments is not None:
        return wish.arguments
    schema = tool.get("parameters")
    if not isinstance(schema, dict):
        return {}
    filler = _Filler(wish.text, schema, wish.value)
    value = filler.value("", schema, DEPTH)
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class _Filler:
    """The prompt and the whole schema, while values are looked for."""

    text: str
    root: Schema
    given: str | None
    """A value that the prompt lists without a name: for the first text that is needed."""

    def value(self, name: str, schema: Schema, depth: int) -> object:
        """Return a value for one place of a schema."""
        schema = self._resolve(schema)
        if "const" in schema:
            return schema["const"]
        options = schema.get("enum")
        if isinstance(options, list) and options:
            return self._option(name, options)
        kinds = _kinds(schema)
        if "null" in kinds and (len(kinds) == 1 or self._says(name, _NULL)):
            return None
        for key in ("anyOf", "oneOf", "allOf"):
            branches = schema.get(key)
            if isinstance(branches, list) and branches and depth > 0:
                return self._branch(name, [one for one in branches if isinstance(one, dict)], depth - 1)
        kind = next((one for one in kinds if one != "null"), "object" if "properties" in schema else "string")
        match kind:
            case "object":
                return self._fill_object(name, schema, depth)
            case "array":
                return self._fill_array(name, schema, depth)
            case "integer" | "number":
                return self._fill_number(name, schema, kind)
            case "boolean":
                return not self._says(name, _FALSE)
            case _:
                return _long_enough(self._fill_string(name, schema), schema)

    def _branch(self, name: str, branches: list[Schema], depth: int) -> object:
        """Choose among alternatives: null where the prompt says so, else the first other one."""
        nulls = [one for one in branches if self._resolve(one).get("type") == "null"]
        others = [one for one in branches if one not in nulls]
        if not others or (nulls and self._says(name, _NULL)):
            return None
        return self.value(name, others[0], depth)

    def _resolve(self, schema: Schema) -> Schema:
        """Follow a reference inside the same schema."""
        for _ in range(DEPTH):
            reference = schema.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#"):
                return schema
            target: object = self.root
            for part in reference[1:].strip("/").split("/") if reference != "#" else ():
                target = target.get(part) if isinstance(target, dict) else None
            schema = target if isinstance(target, dict) else {}
        return {}

    def _says(self, name: str, what: re.Pattern[str]) -> bool:
        """Whether the prompt says something right behind the name of a parameter."""
        return any(what.match(self.text, place) for place in self._behind(name))

    def _behind(self, name: str) -> Iterator[int]:
        """Yield where the prompt goes on behind the name of a parameter."""
        if name:
            for match in re.finditer(rf"(?<![\w/]){re.escape(name)}\b[\"'`]?", self.text):
                yield match.end()

    def _literal(self, name: str, opening: str) -> object:
        """Return the JSON list or object, by its first character, that the prompt gives for a parameter, or None."""
        for place in self._behind(name):
            start = self.text.find(opening, place, place + NEAR)
            if start < 0:
                continue
            try:
                value: object = json.JSONDecoder().raw_decode(self.text, start)[0]
            except (ValueError, RecursionError):
                continue
            return value
        return None

    def _option(self, name: str, options: list[object]) -> object:
        """Choose among declared values: the one near the name, else one that the prompt holds, else the first."""
        words = [(one, json.dumps(one) if not isinstance(one, str) else one) for one in options]
        for place in self._behind(name):
            near = self.text[place : place + NEAR].lower()
            found = [(near.find(word.lower()), one) for one, word in words if word and word.lower() in near]
            if found:
                return min(found, key=lambda pair: pair[0])[1]
        lower = self.text.lower()
        return next((one for one, word in words if word and _whole_word(word.lower(), lower)), options[0])

    def _fill_object(self, name: str, schema: Schema, depth: int) -> dict[str, object]:
        """Fill an object."""
        given = self._literal(name, "{")
        if isinstance(given, dict):
            return given
        found: dict[str, object] = {}
        properties = schema.get("properties")
        required = schema.get("required")
        if depth <= 0 or not isinstance(properties, dict):
            return found
        for key, inner in properties.items():
            if (isinstance(required, list) and key in required) or any(True for _ in self._behind(key)):
                found[key] = self.value(key, inner if isinstance(inner, dict) else {}, depth - 1)
        return found

    def _fill_array(self, name: str, schema: Schema, depth: int) -> list[object]:
        """Fill an array: with what the prompt lists, else with as many items as are needed."""
        given = self._literal(name, "[")
        if isinstance(given, list):
            return given
        items = schema.get("items")
        inner = self._resolve(items if isinstance(items, dict) else {})
        least = schema.get("minItems")
        count = max(least, 1) if isinstance(least, int) and least <= LONGEST else 1
        kind = inner.get("type", None if inner else "string")
        place = next(self._behind(name), None)
        if kind == "string" and not inner.keys() & {"enum", "const"}:
            start = 0 if place is None else place
            listed = in_a_row(list(QUOTED.finditer(self.text, start))) or in_a_row(
                list(TICKS.finditer(self.text, start))
            )
            if listed and len(listed) >= count:
                return [_long_enough(one, inner) for one in listed]
        numbers = _NUMBER.findall(self.text[place : place + 2 * NEAR]) if place is not None else []
        if kind in ("integer", "number") and len(numbers) >= count:
            return [_bounded(_as_number(one, str(kind)), inner) for one in numbers]
        return [self.value(name, inner, depth - 1) for _ in range(count)] if depth > 0 else []

    def _fill_number(self, name: str, schema: Schema, kind: str) -> float:
        """Return the number that the prompt gives for a parameter, within its bounds."""
        for place in self._behind(name):
            near = _NUMBER.search(self.text, place, place + NEAR)
            if near:
                return _bounded(_as_number(near[0], kind), schema)
        found = _NUMBER.search(self.text)
        return _bounded(_as_number(found[0] if found else "1", kind), schema)

    def _fill_string(self, name: str, schema: Schema) -> str:
        """Return the words that the prompt gives for a parameter."""
        required = self.root.get("required")
        if self.given is not None and isinstance(required, list) and name in required:
            return self.given
        named = self._quoted(name)
        if named is not None:
            return named
        if name in ("expression", "formula"):
            power, found = _POWER.search(self.text), _SUM.search(self.text)
            return f"{power[1]} ** {power[2]}" if power else found[0].strip() if found else "1 + 1"
        ticks, path, quoted = TICKS.search(self.text), PATH.search(self.text), QUOTED.search(self.text)
        if name in _PATHS and path:
            return path[0].rstrip(".")
        for match in (ticks if name in _COMMANDS else None, quoted, ticks):
            if match:
                return match[1]
        plain = next((one for place in self._behind(name) if (one := _PLAIN.match(self.text, place))), None)
        if plain:
            return plain[1].rstrip(".?!")
        declared = _FORMATS.get(str(schema.get("format")))
        if declared:
            return declared
        if name in ("query", "q"):
            return _SEARCH.sub("", self.text).strip(" .?")[:200]
        proper = NAME.search(self.text)
        return path[0] if path and "path" in name else proper[0] if proper else self.text.strip()[:80] or "value"

    def _quoted(self, name: str) -> str | None:
        """Return what stands in quotes, ticks or a fence behind the name of a parameter, to the letter.

        Where quotes in it are escaped, or the prompt calls it a JSON string, escapes are undone.
        """
        for place in self._behind(name):
            fence = _FENCE.search(self.text, place)
            tick, quote = TICKS.search(self.text, place), QUOTED.search(self.text, place)
            found = [one for one in (fence, tick, quote) if one and one.start() - place <= NEAR]
            if not found:
                continue
            first = min(found, key=lambda match: (match.start(), match.re is not _FENCE))
            if first is quote and ('\\"' in first[0] or "JSON" in self.text[place : first.start()]):
                try:
                    return str(json.loads(first[0], strict=False))
                except ValueError:
                    return first[1]
            return first[1]
        return None


def _kinds(schema: Schema) -> list[object]:
    """Return the types that a schema names."""
    kind = schema.get("type")
    return kind if isinstance(kind, list) else [] if kind is None else [kind]


def _whole_word(word: str, text: str) -> bool:
    """Whether a text holds a word that is no part of a longer one."""
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text))


def _as_number(digits: str, kind: str) -> float:
    """Read a number; one that a double cannot hold stays whole."""
    if kind == "integer":
        return int(digits) if digits.lstrip("-").isdecimal() else int(float(digits))
    return float(digits)


def _bounded(value: float, schema: Schema) -> float:
    """Keep a number inside its bounds."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(low, (int, float)) and value < low:
        return low
    return high if isinstance(high, (int, float)) and value > high else value


def _long_enough(value: str, schema: Schema) -> str:
    """Make a text as long, or as short, as the schema wants it."""
    least, most = schema.get("minLength"), schema.get("maxLength")
    if isinstance(least, int) and least <= LONGEST:
        value = value.ljust(least, "x")
    return value[:most] if isinstance(most, int) and most >= 0 else value
