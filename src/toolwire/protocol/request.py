"""What a request demands, read once into a form that is the same for every protocol.

Knows: offered tools, the choice among them, limits, and the text that the prompt contained.
Must not know: answers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolwire.jsontext import Json

__all__ = ["Contract", "Request", "Tool", "read_chat_request", "texts_in"]


class Contract(StrEnum):
    """What `tool_choice` demands of the answer."""

    AUTO = "auto"
    REQUIRED = "required"
    NAMED = "named"
    NONE = "none"
    ALLOWED = "allowed"
    """A list of allowed tools, none of which must be called."""
    ALLOWED_REQUIRED = "allowed-required"
    """A list of allowed tools, one of which must be called."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One offered tool."""

    name: str
    parameters: dict[str, Json] | None
    """The JSON Schema of the arguments; None where none was declared."""
    strict: bool
    custom: bool = False
    """Whether it takes free text instead of JSON."""

    @property
    def properties(self) -> tuple[str, ...]:
        """Names of the declared parameters."""
        found = (self.parameters or {}).get("properties")
        return tuple(found) if isinstance(found, dict) else ()

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the parameters that every call must give."""
        found = (self.parameters or {}).get("required")
        return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


@dataclass(frozen=True, slots=True)
class Request:
    """The demands of one request."""

    tools: dict[str, Tool]
    contract: Contract
    chosen: frozenset[str]
    """The named tool, or the allowed ones."""
    parallel: bool
    n: int
    max_tokens: int | None
    include_usage: bool
    logprobs: bool
    stream: bool
    streamed_twin_is_comparable: bool
    """Greedy or seeded, so that a second answer to the same request should be the same."""
    history_ids: frozenset[str]
    """Ids of the calls of earlier turns."""
    prompt: str
    """All text that the request contained, joined with line feeds: messages and tool descriptions."""
    thinking: bool | None = None
    """Whether thinking was asked for (True), forbidden (False) or left open (None)."""
    raw: dict[str, Json] = field(default_factory=dict)

    @property
    def demands_call(self) -> bool:
        """Whether an answer without any call breaks the contract."""
        return bool(self.tools) and self.contract in _DEMANDING


_DEMANDING = frozenset({Contract.REQUIRED, Contract.NAMED, Contract.ALLOWED_REQUIRED})


def texts_in(value: Json) -> Iterator[str]:
    """Yield every string inside a JSON value, depth first, without recursion; keys of objects are not text."""
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            stack.extend(reversed(list(item.values())))


def read_chat_request(body: Mapping[str, Json]) -> Request:
    """Read the body of a Chat Completions request; whatever is missing or odd counts as not said."""
    contract, chosen = _contract(body.get("tool_choice"), has_tools=bool(body.get("tools")))
    options = body.get("stream_options")
    limit = _first_int(body.get("max_completion_tokens"), body.get("max_tokens"))
    temperature = body.get("temperature")
    return Request(
        tools=_tools(body.get("tools")),
        contract=contract,
        chosen=chosen,
        parallel=body.get("parallel_tool_calls") is not False,
        n=_first_int(body.get("n")) or 1,
        max_tokens=limit,
        include_usage=isinstance(options, dict) and options.get("include_usage") is True,
        logprobs=body.get("logprobs") is True,
        stream=body.get("stream") is True,
        streamed_twin_is_comparable=temperature in (0, 0.0) or body.get("seed") is not None,
        history_ids=frozenset(_history_ids(body.get("messages"))),
        prompt="\n".join(texts_in([body.get("messages"), body.get("tools")])),
        thinking=_thinking(body),
        raw=dict(body),
    )


def _first_int(*values: Json) -> int | None:
    """Return the first whole number that is not negative."""
    for value in values:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


def _tools(value: Json) -> dict[str, Tool]:
    """Read the offered tools, in either the nested or the flat form; the first of one name counts."""
    tools: dict[str, Tool] = {}
    for entry in value if isinstance(value, list) else []:
        if not isinstance(entry, dict):
            continue
        custom = entry.get("type") == "custom"
        inner = entry.get("custom" if custom else "function")
        spec = inner if isinstance(inner, dict) else entry
        name = spec.get("name")
        if not isinstance(name, str):
            continue
        schema = spec.get("parameters")
        strict = spec.get("strict", entry.get("strict"))
        tools.setdefault(
            name, Tool(name, schema if isinstance(schema, dict) else None, strict=strict is True, custom=custom)
        )
    return tools


def _contract(value: Json, *, has_tools: bool) -> tuple[Contract, frozenset[str]]:
    """Read `tool_choice`; without tools nothing may be called, without a choice the model is free."""
    if not has_tools:
        return Contract.NONE, frozenset()
    if isinstance(value, str):
        named = {"required": Contract.REQUIRED, "any": Contract.REQUIRED, "none": Contract.NONE}
        return named.get(value, Contract.AUTO), frozenset()
    if not isinstance(value, dict):
        return Contract.AUTO, frozenset()
    if value.get("type") == "allowed_tools":
        inner = value.get("allowed_tools")
        spec = inner if isinstance(inner, dict) else value
        names = frozenset(_tools(spec.get("tools")))
        return (Contract.ALLOWED_REQUIRED if spec.get("mode") == "required" else Contract.ALLOWED), names
    inner = value.get("function", value.get("custom", value))
    name = inner.get("name") if isinstance(inner, dict) else None
    return (Contract.NAMED, frozenset({name})) if isinstance(name, str) else (Contract.AUTO, frozenset())


def _history_ids(messages: Json) -> Iterator[str]:
    """Yield the ids of calls in earlier turns."""
    for message in messages if isinstance(messages, list) else []:
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else []:
            identity = call.get("id") if isinstance(call, dict) else None
            if isinstance(identity, str):
                yield identity


def _thinking(body: Mapping[str, Json]) -> bool | None:
    """Read the switches that engines know for thinking."""
    kwargs = body.get("chat_template_kwargs")
    for source in (kwargs if isinstance(kwargs, dict) else {}, body):
        for key in ("enable_thinking", "thinking", "think"):
            value = source.get(key)
            if isinstance(value, bool):
                return value
    return None
