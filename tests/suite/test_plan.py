"""From suites to requests: which trials, which body, and which field of it a server refused."""

from __future__ import annotations

import json

import pytest

import toolwire.plan
from toolwire.errors import SuiteError
from toolwire.exchange import End, Exchange, Read, ResponseHead
from toolwire.plan import added_fields, case_expectation, plan, refusal_words, refused_field, request_body
from toolwire.suite import Suite, parse

TEXT = """
name = "mine"
beyond_openai = ["top_k", "chat_template_kwargs"]
parameters = { top_k = 20, temperature = 0.6, max_tokens = 512 }
[thinking]
on = { chat_template_kwargs = { enable_thinking = true } }
off = { chat_template_kwargs = { enable_thinking = false } }
[[tools]]
name = "add"
[[tools]]
name = "mul"
[[cases]]
name = "plain"
prompt = "p"
[[cases]]
name = "own"
prompt = "q"
tools = ["mul"]
tool_choice = ["mul", "none"]
thinking = false
parameters = { max_tokens = 9 }
expect = { calls = [{ name = "mul" }] }
[[cases]]
name = "bare"
prompt = "r"
tools = []
"""


@pytest.fixture
def suite() -> Suite:
    """Return a suite whose cases differ in tools, choices and parameters."""
    return parse(TEXT, file="mine.toml")


def test_cases_keep_their_own_choices(suite: Suite) -> None:
    """Others take those of the run; ids are the same for the same plan, and each stands once."""
    ids = [trial.id for trial in plan(suite, ["auto", "required", "auto"], 2)]
    assert ids == [
        *("plain/auto#1", "plain/auto#2", "bare/auto#1", "bare/auto#2"),
        *("plain/required#1", "plain/required#2", "bare/required#1", "bare/required#2"),
        *("own/mul#1", "own/mul#2", "own/none#1", "own/none#2"),
    ]


def test_impossible_plans_are_refused(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A choice that is no tool, and a plan without end."""
    with pytest.raises(SuiteError, match="'sub' is neither auto, required, none nor one of its tools"):
        plan(suite, ["sub"], 1)
    monkeypatch.setattr(toolwire.plan, "TRIALS_LIMIT", 10)
    with pytest.raises(SuiteError, match="12 trials are planned, at most 10"):
        plan(suite, ["auto"], 3)


def test_bodies_are_made_in_layers(suite: Suite) -> None:
    """Suite, run, case, thinking, refusals, user: each layer wins over those before it."""
    first, own, none, bare = (
        next(trial for trial in plan(suite, ["auto"], 1) if trial.id == name)
        for name in ("plain/auto#1", "own/mul#1", "own/none#1", "bare/auto#1")
    )

    def body(trial: object, **settings: object) -> dict[str, object]:
        defaults = {"model": "m", "thinking": True, "parameters": {"temperature": 0.1}, "extra": {}}
        return request_body(suite, trial, **defaults | settings)  # type: ignore[arg-type]

    plain = body(first)
    assert plain["tools"] == suite.tools
    assert (plain["tool_choice"], plain["temperature"], plain["top_k"], plain["max_tokens"]) == ("auto", 0.1, 20, 512)
    assert plain["chat_template_kwargs"] == {"enable_thinking": True}
    mine = body(own)
    assert mine["tools"] == [suite.tools[1]]
    assert mine["tool_choice"] == {"type": "function", "function": {"name": "mul"}}
    assert (mine["max_tokens"], mine["chat_template_kwargs"]) == (9, {"enable_thinking": False})
    assert body(none)["tool_choice"] == "none"
    assert {"tools", "tool_choice"}.isdisjoint(body(bare))
    without = body(first, without=["top_k", "chat_template_kwargs"])
    assert {"top_k", "chat_template_kwargs"}.isdisjoint(without)
    assert without["temperature"] == 0.1
    extra = body(first, without=["top_k"], extra={"top_k": 7, "model": "other"})
    assert (extra["top_k"], extra["model"]) == (7, "other")
    assert added_fields(suite, extra, {"top_k": 7}) == ("chat_template_kwargs",)
    assert case_expectation(own.case, "mul") == {"calls": [{"name": "mul", "arguments": None}], "order_matters": False}
    assert case_expectation(none.case, "none") is None


ADDED = ("top_k", "chat_template_kwargs")


def refusal(status: int, body: object) -> Exchange:
    """Return an exchange that a server refused."""
    text = body if isinstance(body, str) else json.dumps(body)
    request: dict[str, object] = {"top_k": 20, "chat_template_kwargs": {"enable_thinking": True}, "temperature": 0.6}
    return Exchange("t", "chat", request, ResponseHead(status), [Read(0.1, text[:9]), Read(0.2, text[9:])], End.EOF)


def fastapi(*location: str, echo: object = None) -> dict[str, object]:
    """Return an error of FastAPI's validation."""
    item = {"type": "extra_forbidden", "loc": list(location), "msg": "Extra inputs are not permitted", "input": echo}
    return {"detail": [item]}


@pytest.mark.parametrize(
    ("status", "body", "field"),
    [
        (400, {"error": {"message": "Unrecognized request argument supplied: top_k"}}, "top_k"),
        (400, {"error": {"message": "Unknown parameter: 'chat_template_kwargs'."}}, "chat_template_kwargs"),
        (400, {"error": {"message": "unknown", "param": "top_k"}}, "top_k"),
        (400, {"error": {"message": "x", "param": "chat_template_kwargs.enable_thinking"}}, "chat_template_kwargs"),
        (400, {"error": "enable_thinking is not supported"}, "chat_template_kwargs"),
        (400, {"message": "property 'top_k' is unsupported"}, "top_k"),
        (400, "top_k: not allowed", "top_k"),
        (422, fastapi("body", "top_k"), "top_k"),
        (422, fastapi("body", "chat_template_kwargs", "enable_thinking"), "chat_template_kwargs"),
        (422, {"detail": "chat_template_kwargs and top_k are unknown"}, "chat_template_kwargs"),
        # what an error is not about is not dropped
        (422, fastapi("body", "messages", "0", echo={"top_k": 20}), None),
        (400, {"error": {"message": "max_tokens is too large", "param": "max_tokens"}}, None),
        (400, {"error": {"message": "stop_top_k_now"}}, None),
        (400, "", None),
        (500, {"error": {"message": "top_k"}}, None),
        (200, {"error": {"message": "top_k"}}, None),
    ],
)
def test_a_refused_field_is_found(status: int, body: object, field: str | None) -> None:
    """In the error's own fields or its words, and only in refusals."""
    assert refused_field(refusal(status, body), ADDED) == field


def test_only_our_own_fields_are_dropped() -> None:
    """What the user added, or OpenAI knows, stays."""
    assert refused_field(refusal(400, "top_k"), ("chat_template_kwargs",)) is None
    assert refused_field(refusal(400, "temperature"), ADDED) is None
    assert refused_field(Exchange("t", "chat", {}, None, [], End.REFUSED), ADDED) is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "no\n  way"}}, "no way"),
        (fastapi("body", "top_k"), "Extra inputs are not permitted body.top_k"),
        ("plain  text", "plain text"),
        ({"other": 1}, '{"other": 1}'),
        ("x" * 900, "x" * 300),
    ],
)
def test_words_of_a_refusal(body: object, words: str) -> None:
    """One line, short enough for a report."""
    assert refusal_words(refusal(400, body)) == words
