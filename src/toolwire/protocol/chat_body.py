"""A whole, non-streamed answer of Chat Completions, read into the form that a stream is read into.

Knows: `chat.completion` objects. Must not know: streams, verdicts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolwire.completion import Call, Choice, Completion, Finish, Said, Usage

if TYPE_CHECKING:
    from toolwire.jsontext import Json
    from toolwire.protocol.request import Request

__all__ = ["read_chat_body"]


def read_chat_body(body: dict[str, Json], request: Request) -> Completion:
    """Read a whole, non-streamed answer (the twin) into the same form; what is odd is left out silently.

    The twin is an oracle, not the accused: only what it clearly says is used.
    """
    completion = Completion()
    choices = body.get("choices")
    for place, entry in enumerate(choices if isinstance(choices, list) else []):
        if not isinstance(entry, dict):
            continue
        message = entry.get("message")
        if not isinstance(message, dict):
            continue
        index = entry.get("index")
        number = index if isinstance(index, int) and not isinstance(index, bool) else place
        choice = Choice(number, 0, 0, role="assistant")
        completion.choices[number] = choice
        _read_message(choice, message)
        finish = entry.get("finish_reason")
        if finish is not None:
            choice.finishes.append(Finish(finish, 0, empty_delta=True))
    usage = body.get("usage")
    if isinstance(usage, dict):
        completion.usages.append(Usage(usage, 0))
        completion.usage_count = 1
    if body.get("error"):
        completion.errors.append(Said(json.dumps(body["error"], ensure_ascii=False)[:2000], 0))
    completion.chunks = 1
    del request
    return completion


def _read_message(choice: Choice, message: dict[str, Json]) -> None:
    """Read content, reasoning and calls of one message."""
    content = message.get("content")
    if isinstance(content, str):
        choice.content.add(content, 0)
    for key in ("reasoning_content", "reasoning"):
        text = message.get(key)
        if isinstance(text, str) and text:
            choice.reasoning.add(text, 0)
            break
    calls = message.get("tool_calls")
    for position, entry in enumerate(calls if isinstance(calls, list) else []):
        function = entry.get("function") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(function, dict):
            continue
        call = Call(choice.index, position, position, 0, 0)
        identity, name, arguments = entry.get("id"), function.get("name"), function.get("arguments")
        if isinstance(identity, str):
            call.ids.append(Said(identity, 0))
        if isinstance(name, str):
            call.names.append(Said(name, 0))
        if isinstance(arguments, str):
            call.arguments.add(arguments, 0)
        elif arguments is not None:
            call.arguments.add(json.dumps(arguments, ensure_ascii=False), 0)
        choice.calls.append(call)
