"""Leaked calls whose arguments are a JSON object.

Two forms: the name inside the object (`{"name": …, "arguments": …}`, single, in a list, or one after the other),
and the name before it (`NAME[ARGS]{…}`).

Knows: the keys under which families write name and arguments.
Must not know: which family it reads; that is in the reader's regular expressions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from toolwire.markup.model import LeakedCall
from toolwire.markup.offered import MAX_CALLS, Offered, read_json

if TYPE_CHECKING:
    from toolwire.jsontext import Json

__all__ = ["NamedArguments", "call_items", "call_of", "json_calls", "json_sequence", "named_json"]

_NAME_KEYS = ("name", "tool_name", "function_name", "function", "tool")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "params", "tool_input", "input")
_WRAPPERS = ("function", "function_call", "tool_call")
_SEPARATORS = re.compile(r"[\s,;\[\]]*")
_CUT_NAME = re.compile(
    r"""\{[^{}]{0,200}?["'](?:name|tool_name)["']\s*:\s*["'](?P<name>[^"'\n]{1,128})["']""",
)
_CUT_KEY = re.compile(r"""\{\s*"(?P<name>[^"\n]{1,128})"\s*:\s*\{""")


class NamedArguments(NamedTuple):
    """What one JSON object says as a call."""

    name: str
    arguments: dict[str, Json] | None
    explicit: bool
    """Whether the arguments stood under a key of their own (or the name was the key)."""


def call_of(value: Json, offered: Offered) -> NamedArguments | None:
    """Read a JSON value as a call; None where it is none."""
    if not isinstance(value, dict):
        return None
    for wrapper in _WRAPPERS:
        inner = value.get(wrapper)
        if isinstance(inner, dict):
            return call_of(inner, offered)
    if len(value) == 1:
        key, only = next(iter(value.items()))
        if isinstance(only, dict) and (offered.declares(key) or key not in _NAME_KEYS):
            return NamedArguments(key, only, explicit=True)
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if not isinstance(name, str):
        return None
    for key in _ARGUMENT_KEYS:
        if key in value:
            if _is_schema(value[key]):
                return None
            return NamedArguments(name.removeprefix("functions."), _arguments(value[key]), explicit=True)
    return NamedArguments(name, {}, explicit=False)


def _is_schema(value: Json) -> bool:
    """Whether arguments are a JSON schema: the object around them is the definition of a tool, and no call to it."""
    return isinstance(value, dict) and value.get("type") == "object" and isinstance(value.get("properties"), dict)


def call_items(value: Json) -> list[Json]:
    """Return the entries of a `tool_calls` list, or the value itself."""
    inner = value.get("tool_calls") if isinstance(value, dict) else None
    return inner if isinstance(inner, list) else [value]


def _arguments(value: Json) -> dict[str, Json] | None:
    if isinstance(value, str):
        found = read_json(value, 0)
        value = found[0] if found is not None else None
    if value is None:
        return {}
    return value if isinstance(value, dict) else None


def json_sequence(text: str, position: int, limit: int, offered: Offered) -> tuple[list[LeakedCall], int]:
    """Read call objects from `position` on, whatever brackets and separators stand between them.

    Returns the calls and the place after the last one. An object has to begin before `limit`, but may end behind it,
    since an argument may hold the marker that is the limit. An object that does not end, or is no JSON, but begins
    with a name is a call that is not complete.
    """
    calls: list[LeakedCall] = []
    place = position
    while len(calls) < MAX_CALLS:
        gap = _SEPARATORS.match(text, place, limit)
        start = gap.end() if gap is not None else place
        if start >= limit or text[start] != "{":
            break
        found = read_json(text, start)
        if found is None:
            cut = _CUT_NAME.match(text, start, limit) or _CUT_KEY.match(text, start, limit)
            if cut is not None and (cut.re is _CUT_NAME or offered.declares(cut["name"])):
                name = cut["name"]
                calls.append(LeakedCall(name, None, start, limit, complete=False, declared=offered.declares(name)))
                place = limit
            break
        read = [call for item in call_items(found[0]) if (call := call_of(item, offered)) is not None]
        if not read:
            break
        place = found[1]
        calls += [
            LeakedCall(call.name, call.arguments, start, place, complete=True, declared=offered.declares(call.name))
            for call in read
        ]
    return calls, place


def json_calls(text: str, opens: list[re.Match[str]], offered: Offered) -> list[LeakedCall]:
    """Read the calls behind each opener."""
    calls: list[LeakedCall] = []
    done = -1
    for number, opener in enumerate(opens):
        if opener.start() < done or len(calls) >= MAX_CALLS:
            continue
        limit = opens[number + 1].start() if number + 1 < len(opens) else len(text)
        found, end = json_sequence(text, opener.end(), limit, offered)
        calls += found
        done = end
    return calls


def named_json(text: str, opens: list[re.Match[str]], offered: Offered) -> list[LeakedCall]:
    """Read calls whose opener holds the name and is followed by the arguments."""
    calls: list[LeakedCall] = []
    done = -1
    for opener in opens:
        if opener.start() < done or len(calls) >= MAX_CALLS:
            continue
        name, place = opener["name"], opener.end()
        found = read_json(text, place)
        if found is not None and isinstance(found[0], dict):
            done = found[1]
            calls.append(
                LeakedCall(name, found[0], opener.start(), done, complete=True, declared=offered.declares(name))
            )
        elif place >= len(text) or text[place] == "{":
            calls.append(LeakedCall(name, None, opener.start(), place, complete=False, declared=offered.declares(name)))
    return calls
