"""Builders of streamed chat answers for tests: each says one thing, and `answered` puts them on the wire."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolwire.exchange import End, Exchange, Expectation, ExpectedCall, Read, ResponseHead

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.jsontext import Json

HEAD = ResponseHead(200, {"content-type": "text/event-stream; charset=utf-8"})
DONE = "data: [DONE]\n\n"


def tool(name: str, **properties: str) -> dict[str, Json]:
    """Offer a tool whose parameters are `name=type`, all required and no others."""
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "parameters": schema, "strict": True}}


TOOLS: list[Json] = [tool("read_file", path="string"), tool("get_time"), tool("set_level", level="number")]


def delta(index: int = 0, *, finish: str | None = None, **fields: Json) -> dict[str, Json]:
    """Make one entry of `choices`."""
    return {"index": index, "delta": dict(fields), "finish_reason": finish}


def role(index: int = 0) -> dict[str, Json]:
    """Open a choice."""
    return delta(index, role="assistant", content="")


def text(value: str, index: int = 0) -> dict[str, Json]:
    """Say something."""
    return delta(index, content=value)


def thought(value: str, index: int = 0) -> dict[str, Json]:
    """Think something."""
    return delta(index, reasoning_content=value)


def call(
    name: str = "read_file", arguments: str = '{"path": "/etc/hosts"}', *, place: int = 0, choice: int = 0
) -> dict[str, Json]:
    """Send a whole call in one delta."""
    function: Json = {"name": name, "arguments": arguments}
    entry: Json = {"index": place, "id": f"call_{choice}{place}", "type": "function", "function": function}
    return delta(choice, tool_calls=[entry])


def finish(reason: str = "tool_calls", index: int = 0) -> dict[str, Json]:
    """End a choice."""
    return delta(index, finish=reason)


def usage(tokens: int, **details: Json) -> dict[str, Json]:
    """Bill `tokens`."""
    return {"usage": {"prompt_tokens": 9, "completion_tokens": tokens, "total_tokens": 9 + tokens, **details}}


def on_the_wire(parts: Iterable[dict[str, Json] | str]) -> str:
    """Write events; a string goes out as it stands."""
    written = []
    for part in parts:
        if isinstance(part, str):
            written.append(part)
            continue
        choices: list[Json] = [] if "index" not in part else [part]
        extra = part if "index" not in part else {}
        chunk = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1796083200,
            "model": "example-model",
            "choices": choices,
            **extra,
        }
        written.append(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n")
    return "".join(written)


def answered(
    *parts: dict[str, Json] | str,
    done: bool = True,
    end: End = End.EOF,
    head: ResponseHead | None = HEAD,
    protocol: str = "chat",
    expect: list[tuple[str, dict[str, object] | None]] | None = None,
    in_order: bool = False,
    twin: dict[str, object] | None = None,
    generated: str | None = None,
    prompt: str = "Read /etc/hosts.",
    tools: list[Json] | None = None,
    **request: Json,
) -> Exchange:
    """Return the exchange in which a request (with `request` merged in) was answered by `parts`."""
    body: dict[str, object] = {
        "model": "example-model",
        "messages": [{"role": "user", "content": prompt}],
        "tools": TOOLS if tools is None else tools,
        "tool_choice": "auto",
        "stream": True,
        "temperature": 0,
        **request,
    }
    wire = on_the_wire(parts) + (DONE if done else "")
    expectation = None
    if expect is not None:
        expectation = Expectation([ExpectedCall(name, arguments) for name, arguments in expect], in_order)
    return Exchange(
        id="test",
        protocol=protocol,
        request=body,
        response=head,
        reads=[Read(0.5, text=wire)] if wire else [],
        end=end,
        expect=expectation,
        twin=twin,
        generated=generated,
    )


def whole(
    *calls: tuple[str, str], content: str | None = None, reasoning: str | None = None, finish: str | None = None
) -> dict[str, object]:
    """Write the non-streamed answer with these calls (name, arguments)."""
    message: dict[str, object] = {"role": "assistant", "content": content}
    if reasoning is not None:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = [
            {"id": f"call_t{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for place, (name, arguments) in enumerate(calls)
        ]
    reason = finish or ("tool_calls" if calls else "stop")
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": reason}]}
