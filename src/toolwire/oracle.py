"""Sources of truth beside the judged stream: the declared schema, the expectation, the twin, the generated text.

Knows: how to read arguments and hold them against a schema; how to compare calls.
Must not know: rules, verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import jsonschema_rs
from jsonschema_rs import ValidationErrorKind

from toolwire.jsontext import JsonIssue, read_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolwire.completion import Call
    from toolwire.jsontext import Json, JsonProblem
    from toolwire.protocol.request import Request, Tool

__all__ = ["Arguments", "Oracle", "SchemaCheck", "SchemaError", "read_arguments"]

SCHEMA_ERRORS = 12
"""Errors of one call that are listed; more tell nothing new."""


class Oracle(StrEnum):
    """The sources that a judgement may have had, cheapest first (design, section 3)."""

    STREAM = "stream"
    SCHEMA = "schema"
    EXPECTATION = "expect"
    GENERATED = "generated"
    TWIN = "twin"
    TIMING = "timing"
    HISTORY = "history"


@dataclass(frozen=True, slots=True)
class SchemaError:
    """One place where arguments depart from the declared schema."""

    path: tuple[str | int, ...]
    keyword: str
    """The schema's keyword that is not met: `type`, `required`, `additionalProperties`, `enum`…"""
    message: str
    """What is wrong, with the place: `n is the string '5', not an integer`."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call, read strictly."""

    text: str
    value: dict[str, Json] | None
    """The object, where the text is exactly one JSON object; None otherwise."""
    other: Json
    """The value where the text is JSON but no object."""
    valid: bool
    """Whether the text is exactly one JSON value."""
    problems: tuple[JsonProblem, ...]

    @property
    def blank(self) -> bool:
        """Whether nothing came but white space."""
        return not self.text.strip()


_FATAL = frozenset({JsonIssue.NAN, JsonIssue.TRAILING_TEXT, JsonIssue.CONTROL_CHARACTER})
"""Issues that leave a value behind but mean that the text is not RFC 8259 JSON."""


def read_arguments(call: Call) -> Arguments:
    """Read the joined arguments of a call."""
    text = call.arguments.text
    reading = read_json(text)
    valid = reading.ok and not any(problem.issue in _FATAL for problem in reading.problems)
    value = reading.value if valid else None
    is_object = isinstance(value, dict)
    return Arguments(
        text=text,
        value=value if isinstance(value, dict) else None,
        other=None if is_object else value,
        valid=valid,
        problems=tuple(reading.problems),
    )


def _refuse_reference(uri: str) -> dict[str, object]:
    """Never fetch a schema from elsewhere: a recording must not make us open a connection."""
    message = f"the schema refers to {uri}, which is not fetched"
    raise ValueError(message)


class SchemaCheck:
    """The declared schemas of one request, compiled on first use."""

    def __init__(self, request: Request) -> None:
        """Compile nothing yet."""
        self._request = request
        self._compiled: dict[str, jsonschema_rs.Validator | None] = {}

    def tool(self, name: str) -> Tool | None:
        """Return the declared tool of this name."""
        return self._request.tools.get(name)

    def errors(self, name: str, value: dict[str, Json]) -> tuple[SchemaError, ...] | None:
        """Return where `value` departs from the schema of tool `name`; None where there is no usable schema."""
        validator = self._validator(name)
        if validator is None:
            return None
        found: list[SchemaError] = []
        try:
            for error in validator.iter_errors(value):
                found.append(SchemaError(tuple(error.instance_path), error.kind.name, _words(error)))
                if len(found) >= SCHEMA_ERRORS:
                    break
        except ValueError:  # nesting that the validator does not follow: then it does not judge
            return None
        return tuple(found)

    def _validator(self, name: str) -> jsonschema_rs.Validator | None:
        """Return the compiled schema of a tool."""
        if name in self._compiled:
            return self._compiled[name]
        tool = self._request.tools.get(name)
        validator = None
        if tool is not None and tool.parameters is not None:
            try:
                validator = jsonschema_rs.validator_for(tool.parameters, retriever=_refuse_reference)
            except (ValueError, jsonschema_rs.ReferencingError):
                validator = None
        self._compiled[name] = validator
        return validator


SHOWN = 60
"""Characters of a value that a message quotes."""

_NAMES = {"object": "an object", "array": "an array", "integer": "an integer"}


def _words(error: jsonschema_rs.ValidationError) -> str:
    """Say in words of our own what is wrong, for the keywords that matter; the validator's words for the others."""
    place = _place(error.instance_path)
    inside = f" in {place}" if place else ""
    kind = error.kind
    if isinstance(kind, ValidationErrorKind.Required):
        return f"{kind.property!r} is missing{inside}"
    if isinstance(kind, ValidationErrorKind.AdditionalProperties):
        names = ", ".join(repr(name[:SHOWN]) for name in kind.unexpected[:SCHEMA_ERRORS])
        return f"{names} {'are' if len(kind.unexpected) > 1 else 'is'} not declared{inside}"
    place = place or "the object"
    if isinstance(kind, ValidationErrorKind.Type):
        return f"{place} is {_shown(error.instance)}, not {_types(kind.types)}"
    if isinstance(kind, ValidationErrorKind.Enum):
        options = ", ".join(repr(option) for option in kind.options)
        return f"{place} is {_shown(error.instance)}, not one of {options[:200]}"
    if isinstance(kind, (ValidationErrorKind.AnyOf, ValidationErrorKind.OneOfNotValid)):
        causes = [cause.kind for branch in kind.context for cause in branch]
        types = [name for cause in causes if isinstance(cause, ValidationErrorKind.Type) for name in cause.types]
        if causes and all(isinstance(cause, ValidationErrorKind.Type) for cause in causes):
            return f"{place} is {_shown(error.instance)}, not {_types(types)}"
    return f"{place}: {error.message[:200]}"


def _place(path: Sequence[str | int]) -> str:
    """Write a path as people do: `items[0].name`."""
    words = "".join(f"[{part}]" if isinstance(part, int) else f".{part[:SHOWN]}" for part in path)
    return words.removeprefix(".")


def _types(names: Sequence[str]) -> str:
    """Name JSON types with their articles, `or` between them."""
    return " or ".join(_NAMES.get(name, name if name == "null" else f"a {name}") for name in dict.fromkeys(names))


def _shown(value: object) -> str:
    """Name a value with its type, cut to an excerpt."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the string {value[:SHOWN]!r}{'…' if len(value) > SHOWN else ''}"
    if isinstance(value, (int, float)):
        return f"the number {str(value)[:SHOWN]}"
    return "an array" if isinstance(value, list) else "an object"
