"""One event in one line."""

from __future__ import annotations

import json

import pytest

from toolwire.report.timeline import summary


def chunk(delta: object, finish: object = None, **more: object) -> str:
    """Return the data of an event."""
    return json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more})


@pytest.mark.parametrize(
    ("data", "lane", "text"),
    [
        ("[DONE]", "done", "[DONE]"),
        ("not json", "other", "not json"),
        ("[1]", "other", "[1]"),
        ('{"error": {"message": "no"}}', "error", '{"error": {"message": "no"}}'),
        ('{"type": "ping"}', "other", '{"type": "ping"}'),
        (chunk({"role": "assistant", "content": ""}), "role", "role assistant"),
        (chunk({"content": "hello\nworld"}), "content", 'content "hello\\nworld"'),
        (chunk({"reasoning_content": "hm"}), "reasoning", 'reasoning_content "hm"'),
        (chunk({}), "other", "an empty delta"),
        (chunk(None), "other", "delta None"),
        (chunk({}, "stop"), "finish", 'finish_reason "stop"'),
        (chunk({"tool_calls": []}), "other", "tool_calls []"),
        (chunk({"tool_calls": [7]}), "call", "call entry 7"),
        (
            chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}]}),
            "call",
            'call 0 id "a" name "f" arguments ""',
        ),
        (chunk({"tool_calls": [{"function": None}]}), "call", "call (no index) function None"),
        (
            json.dumps({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}),
            "usage",
            "usage 1 + 2 = 3",
        ),
        (json.dumps({"choices": [], "usage": [1]}), "usage", "usage [1]"),
        (json.dumps({"choices": [{"index": 1, "delta": {"content": "x"}}]}), "content", '[choice 1] content "x"'),
        (json.dumps({"choices": [{"message": {"a": 1}}]}), "other", "message {'a': 1}"),
        (json.dumps({"choices": [3]}), "other", "an empty delta"),
        ("", "other", ""),
        (
            json.dumps({"choices": [{"index": "\x1b[2J", "delta": {"\x1b[1m": 1}}]}),
            "other",
            "[choice \\x1b[2J] \\x1b[1m 1",
        ),
    ],
)
def test_an_event_is_summed_up(data: str, lane: str, text: str) -> None:
    """The lane is the part that matters most; the text shows all of what came."""
    assert summary(data) == (lane, text)
