"""Small runs for tests: a suite with cases of given names, exchanges of the common kinds."""

from __future__ import annotations

import json

from loopback import call_events
from toolwire.exchange import End, Exchange, Read, ResponseHead
from toolwire.results import FailOn, RunHeader, Settings, TargetInfo
from toolwire.suite import Case, Suite

__all__ = ["TOOL", "exchange_of", "header_of", "suite_of"]

TOOL: dict[str, object] = {
    "type": "function",
    "function": {
        "name": "read_file",
        "description": "Read a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
}


def suite_of(*names: str) -> Suite:
    """Return a suite with a case for each name."""
    cases = tuple(
        Case(name, [{"role": "user", "content": f"Read the file {name}."}], f"reads {name}") for name in names
    )
    return Suite("small", "Cases for tests.", [TOOL], cases, beyond_openai=("top_k",), parameters={"top_k": 20})


def header_of(
    *names: str,
    url: str = "http://127.0.0.1:1/v1",
    repeat: int = 2,
    tool_choices: tuple[str, ...] = ("required",),
    fail_on: FailOn = FailOn.MUST,
    concurrency: int = 4,
) -> RunHeader:
    """Return the header of a run over such a suite."""
    settings = Settings(tool_choices=tool_choices, repeat=repeat, fail_on=fail_on, concurrency=concurrency)
    return RunHeader("0.1.0", "2026-12-01T12:59:56Z", TargetInfo(url, "m"), suite_of(*names), settings)


def text_events(text: str, finish: str) -> list[bytes]:
    """Return the events of an answer without a call."""
    found = []
    for delta, reason in ({"role": "assistant", "content": ""}, None), ({"content": text}, None), ({}, finish):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        value = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        found.append(b"data: " + json.dumps(value).encode() + b"\n\n")
    return [*found, b"data: [DONE]\n\n"]


LEAKED = '<tool_call>\n{"name": "read_file", "arguments": {"path": "/etc/hosts"}}\n</tool_call>'


def events_of(kind: str, arguments: str = '{"path": "/etc/hosts"}') -> list[bytes]:
    """Return the events of an answer: `pass`, `leak`, `broken`, `plain` or `cut`."""
    match kind:
        case "pass":
            return call_events("read_file", arguments)
        case "leak":
            return text_events(LEAKED, "stop")
        case "broken":
            return call_events("read_file", '{"path": "/etc/ho')
        case "plain":
            return text_events("I would rather not.", "stop")
        case "cut":
            return text_events("Let me think about", "length")
        case _:
            raise ValueError(kind)


def exchange_of(
    identity: str, kind: str = "pass", *, choice: str = "required", arguments: str = '{"path": "/a"}'
) -> Exchange:
    """Return an exchange of a kind of `events_of`, or `error` (status 500), or `refused` (no connection)."""
    request: dict[str, object] = {
        "model": "m",
        "messages": [{"role": "user", "content": "Read the file."}],
        "tools": [TOOL],
        "tool_choice": choice,
        "stream": True,
    }
    if kind == "refused":
        return Exchange(identity, "chat", request, None, [], End.REFUSED, error="cannot connect to h:1 (no route)")
    headers = {"content-type": "text/event-stream", "transfer-encoding": "chunked"}
    head = ResponseHead(200, headers)
    parts = [b'{"error": {"message": "boom", "type": "server_error", "param": null, "code": null}}']
    if kind == "error":
        head = ResponseHead(500, {"content-type": "application/json"})
    else:
        parts = events_of(kind, arguments)
    reads = [Read.of(0.1 * number, data) for number, data in enumerate(parts, start=1)]
    return Exchange(identity, "chat", request, head, reads)
