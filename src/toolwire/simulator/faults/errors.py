"""Faults in which an error takes the place of the answer, or of its rest."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import Part, event, part_of, template
from toolwire.simulator.faults.fault import declare
from toolwire.simulator.wire import Chunk, Done, Raw, Wire

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from toolwire.simulator.faults.edit import Object
    from toolwire.simulator.faults.fault import Change, Fault
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item

__all__ = ["FAULTS", "answer_with"]

_fault = declare("errors")
MESSAGE = "The engine is out of memory."
ERROR: Object = {"message": MESSAGE, "type": "server_error", "param": None, "code": "internal_error"}
AS_JSON = {"content-type": "application/json"}


def _rest(make: Callable[[Object], tuple[Item, ...]]) -> Change:
    """Break the answer off in the middle of the arguments, and send something else; it gets the shared fields."""

    def change(wire: Wire, _plan: Plan, _dice: Random) -> Wire:
        places = [place for place, item in enumerate(wire.items) if part_of(item) is Part.ARGUMENTS]
        middle = places[len(places) // 2] if places else 1
        return replace(wire, items=(*wire.items[:middle], *make(template(wire.items))))

    return change


def _first(*items: Item) -> Change:
    """Send something in place of the whole answer."""
    return lambda wire, _plan, _dice: replace(wire, items=items)


def answer_with(status: int, body: bytes, headers: dict[str, str]) -> Change:
    """Answer with a status, headers and a body."""
    return lambda _wire, _plan, _dice: Wire((Raw(body),) if body else (), status, dict(headers))


def _with_choices(shared: Object) -> tuple[Item, ...]:
    """Send the error within a chunk that has choices too."""
    choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
    return Chunk({**shared, "choices": [choice], "error": {"code": 502, "message": MESSAGE}}), Done()


def _http(status: int, kind: str, *, headers: dict[str, str] | None = None, text: str = MESSAGE) -> Fault:
    """One fault a status: a proper error with it."""
    body = json.dumps({"error": {"message": text, "type": kind, "param": None, "code": None}}).encode()
    return _fault(
        f"http-{status}",
        f"the answer is an error with status {status}",
        answer_with(status, body, {**AS_JSON, **(headers or {})}),
        "http-error",
        verdict="ERROR",
    )


OPENAI_FIELDS = frozenset(
    (
        "audio",
        "frequency_penalty",
        "function_call",
        "functions",
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "messages",
        "metadata",
        "modalities",
        "model",
        "moderation",
        "n",
        "parallel_tool_calls",
        "prediction",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning_effort",
        "response_format",
        "safety_identifier",
        "seed",
        "service_tier",
        "stop",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "user",
        "verbosity",
        "web_search_options",
    )
)
"""What OpenAI's own API takes in the body (openai-openapi and openai-python 3.57, CreateChatCompletionRequest)."""


def _strict_about_fields(wire: Wire, plan: Plan, _dice: Random) -> Wire:
    """Refuse a request with a field beyond OpenAI's, and name it."""
    beyond = sorted(plan.request.keys() - OPENAI_FIELDS)
    if not beyond:
        return wire
    words = f"Unrecognized request argument supplied: {beyond[0]}"
    error = {"message": words, "type": "invalid_request_error", "param": beyond[0], "code": None}
    return Wire((Raw(json.dumps({"error": error}).encode()),), 400, dict(AS_JSON))


FAULTS = (
    _fault(
        "strict-about-fields",
        "a request with a field that OpenAI does not know is refused by its name",
        _strict_about_fields,
        verdict="PASS",
    ),
    _fault(
        "error-then-done",
        "an error object comes amid the arguments, and then the end mark",
        _rest(lambda _shared: (event({"error": ERROR}), Done())),
        "error-in-stream",
    ),
    _fault(
        "error-then-end",
        "an error object comes amid the arguments, and nothing after it",
        _rest(lambda _shared: (event({"error": ERROR}),)),
        "error-in-stream",
    ),
    _fault(
        "error-at-once",
        "the first event is an error object",
        _first(event({"error": ERROR}), Done()),
        "error-in-stream",
    ),
    _fault(
        "error-text-value",
        "the error is a string",
        _rest(lambda _shared: (event({"error": MESSAGE}), Done())),
        "error-in-stream",
        "error-shape",
    ),
    _fault(
        "error-with-choices", "the error stands in a chunk that has choices", _rest(_with_choices), "error-in-stream"
    ),
    _fault(
        "error-flat",
        "the error has no object of its own",
        _rest(lambda _shared: (event({"object": "error", "message": MESSAGE, "code": 500}), Done())),
        "error-in-stream",
        "error-shape",
    ),
    _fault(
        "error-detail",
        "the error is the web framework's",
        _rest(lambda _shared: (event({"detail": MESSAGE}), Done())),
        "error-in-stream",
        "error-shape",
    ),
    _fault(
        "error-code-only",
        "the error has a code and no message",
        _rest(lambda _shared: (event({"error": {"code": 500}}), Done())),
        "error-in-stream",
        "error-shape",
    ),
    _fault(
        "error-event",
        "the error comes as an event with a name",
        _rest(lambda _shared: (Raw(b"event: error\ndata: " + json.dumps({"error": ERROR}).encode() + b"\n\n"), Done())),
        "error-in-stream",
    ),
    _fault(
        "error-event-text",
        "the error comes as an event with a name, and its data is no JSON",
        _rest(lambda _shared: (Raw(b"event: error\ndata: " + MESSAGE.encode() + b"\n\n"), Done())),
        "error-in-stream",
        "error-shape",
        "payload-not-json",
    ),
    _fault(
        "error-field",
        "the error comes in a field `error:`, which readers of events skip",
        _rest(lambda _shared: (Raw(b"error: " + json.dumps(ERROR).encode() + b"\n\n"), Done())),
        "unknown-field",
        "arguments-not-json",
        "finish-missing",
        "usage-missing",
    ),
    _fault(
        "error-bare",
        "the error comes as bare JSON amid the events",
        _rest(lambda _shared: (Raw(json.dumps({"error": ERROR}).encode() + b"\n\n"),)),
        "payload-outside-data",
        "arguments-not-json",
        "finish-missing",
        "body-cut",
        "usage-missing",
        "done-missing",
    ),
    _fault(
        "ok-with-error",
        "status 200, and the body is a JSON error",
        answer_with(200, json.dumps({"error": ERROR}).encode(), AS_JSON),
        "bare-json-error",
        verdict="ERROR",
    ),
    _fault(
        "ok-with-error-as-stream",
        "status 200 and an event stream by its headers, and the body is a JSON error",
        answer_with(200, json.dumps({"error": ERROR}).encode(), {"content-type": "text/event-stream"}),
        "bare-json-error",
        verdict="ERROR",
    ),
    _http(400, "invalid_request_error", text="`tool_choice` is not supported."),
    _http(401, "authentication_error", text="The key is wrong."),
    _http(404, "invalid_request_error", text="There is no such model."),
    _http(422, "invalid_request_error", text="`tools` is not valid."),
    _http(429, "rate_limit_error", headers={"retry-after": "1"}, text="Too many requests."),
    _http(500, "server_error"),
    _http(503, "overloaded_error", headers={"retry-after": "2"}, text="No worker is free."),
    _fault(
        "http-429-bare",
        "too many requests, and nothing says when to come back",
        answer_with(429, json.dumps({"error": ERROR}).encode(), AS_JSON),
        "http-error",
        "retry-after",
        verdict="ERROR",
    ),
    _fault(
        "http-503-date",
        "the server says with a date that is none when to come back",
        answer_with(503, json.dumps({"error": ERROR}).encode(), {**AS_JSON, "retry-after": "soon"}),
        "http-error",
        "retry-after",
        verdict="ERROR",
    ),
    _fault(
        "http-502-page",
        "a proxy answers with a page",
        answer_with(502, b"<html><body><h1>502 Bad Gateway</h1></body></html>", {"content-type": "text/html"}),
        "http-error",
        verdict="ERROR",
    ),
    _fault(
        "http-500-empty",
        "an error without a body",
        answer_with(500, b"", {}),
        "http-error",
        verdict="ERROR",
    ),
    _fault(
        "redirect",
        "the server sends the client elsewhere",
        answer_with(307, b"", {"location": "/v2/chat/completions"}),
        "http-error",
        verdict="ERROR",
    ),
)
