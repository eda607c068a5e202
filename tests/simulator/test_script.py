"""The simulator's model: any request gets a sensible answer, and its healthy forms trip no rule."""

from __future__ import annotations

import json

import pytest

from toolwire.exchange import Exchange, Read, ResponseHead
from toolwire.judge import VerdictClass, judge
from toolwire.plan import plan, request_body
from toolwire.rule import Level
from toolwire.rules.catalogue import RULES
from toolwire.simulator.arguments import fill, wanted_tools
from toolwire.simulator.script import Dialect, plan_answer, stream, whole
from toolwire.simulator.wire import frame
from toolwire.suite import builtin_suite


def tool(
    name: str,
    properties: dict[str, object],
    *,
    required: list[str] | None = None,
    more: dict[str, object] | None = None,
) -> dict[str, object]:
    """Return one offered function."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
    }
    return {
        "type": "function",
        "function": {"name": name, "parameters": schema | (more or {}), "description": f"{name} it."},
    }


TEXT = {"type": "string"}
READ = tool("read_file", {"path": TEXT})
RUN = tool("run_shell", {"command": TEXT})
SEARCH = tool("web_search", {"query": TEXT})
SUM = tool("calculate", {"expression": TEXT})


def ask(text: str, tools: list[dict[str, object]] | None = None, **more: object) -> dict[str, object]:
    """Return a request."""
    body: dict[str, object] = {"model": "m", "messages": [{"role": "user", "content": text}], "stream": True}
    return body | ({"tools": tools} if tools is not None else {}) | more


def calls(request: dict[str, object]) -> list[tuple[str, object]]:
    """Return the planned calls with parsed arguments."""
    return [(call.name, json.loads(call.arguments_json)) for call in plan_answer(request).calls]


ALL = [READ, RUN, SEARCH, SUM]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Read the file /etc/hosts and summarize it.", ("read_file", {"path": "/etc/hosts"})),
        ("Please run `df -h`.", ("run_shell", {"command": "df -h"})),
        ("Search the web for tide tables.", ("web_search", {"query": "tide tables"})),
        ("Compute 17 * 23 + 100.", ("calculate", {"expression": "17 * 23 + 100"})),
        ("What is 2 to the power of 16? Use the calculator.", ("calculate", {"expression": "2 ** 16"})),
        ("Calculate something.", ("calculate", {"expression": "1 + 1"})),
        ('Call run_shell with command "ls".', ("run_shell", {"command": "ls"})),
    ],
)
def test_the_tool_that_is_asked_for_is_called(text: str, expected: tuple[str, object]) -> None:
    """By its name, by cues, and with arguments from the prompt."""
    assert calls(ask(text, ALL)) == [expected]


def test_a_plain_question_is_answered_in_words() -> None:
    """Under auto nothing is called without a cue, and without tools never."""
    assert not calls(ask("How are you?", ALL))
    assert not calls(ask("Read /etc/hosts."))
    assert plan_answer(ask("Hello.")).text


def test_several_tools_are_called_where_several_are_named() -> None:
    """Each with its own part of the prompt; one only where parallel calls are switched off."""
    text = 'Call read_file with path "/a" and run_shell with command "ls".'
    both = [("read_file", {"path": "/a"}), ("run_shell", {"command": "ls"})]
    assert calls(ask(text, ALL)) == both
    assert calls(ask(text, ALL, parallel_tool_calls=False)) == both[:1]
    assert len({call.id for call in plan_answer(ask(text, ALL)).calls}) == 2


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        ("none", []),
        ("required", ["read_file"]),
        ("auto", []),
        ({"type": "function", "function": {"name": "calculate"}}, ["calculate"]),
        ({"type": "function", "function": {"name": "missing"}}, []),
        ({"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [RUN, SUM]}}, ["run_shell"]),
        ({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [RUN]}}, []),
    ],
)
def test_the_contract_is_honoured(choice: object, names: list[str]) -> None:
    """A plain question under each tool_choice."""
    assert [name for name, _ in calls(ask("How are you?", ALL, tool_choice=choice))] == names


def test_a_tool_result_is_answered_and_a_new_request_calls_again() -> None:
    """After the result come words; after a further request, a call."""
    history: list[dict[str, object]] = [
        {"role": "user", "content": "Read /a."},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "tool_call_id": "c1", "content": "alpha"},
    ]
    done = {**ask("", ALL), "messages": history}
    assert not calls(done)
    assert "alpha" in plan_answer(done).text
    again = {**done, "messages": [*history, {"role": "user", "content": "Now read /b."}]}
    assert calls(again) == [("read_file", {"path": "/b"})]
    parts = {**done, "messages": [{"role": "user", "content": [{"type": "text", "text": "Read /c."}]}]}
    assert calls(parts) == [("read_file", {"path": "/c"})]


def test_arguments_follow_the_schema() -> None:
    """Every type, references, bounds, defaults of the smallest kind."""
    schema = {
        "count": {"type": "integer", "minimum": 3},
        "share": {"type": "number", "maximum": 0.5},
        "deep": {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"]},
        "kind": {"enum": ["slow", "fast"]},
        "fixed": {"const": 7},
        "names": {"type": "array", "items": TEXT},
        "pairs": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
        "either": {"anyOf": [{"type": "null"}, {"type": "integer"}]},
        "maybe": {"type": ["null", "string"]},
        "nothing": {"type": "null"},
        "only_null": {"oneOf": [{"type": "null"}]},
        "there": {"$ref": "#/$defs/place"},
        "nowhere": {"$ref": "#/$defs/missing"},
        "long": {"type": "string", "minLength": 200},
    }
    function = tool("set", schema, more={"$defs": {"place": {"type": "object", "properties": {}}}})["function"]
    assert isinstance(function, dict)
    value = fill(function, 'Set it fast with names "a" and "b", on false, count 1 and share 2.5.')
    assert value["count"] == 3
    assert value["share"] == 0.5
    assert value["deep"] == {"on": False}
    assert value["kind"] == "fast"
    assert value["fixed"] == 7
    assert value["names"] == ["a", "b"]
    assert len(value["pairs"]) == 2  # type: ignore[arg-type]  # a list, as the schema says
    assert isinstance(value["either"], int)
    assert isinstance(value["maybe"], str)
    assert value["nothing"] is None
    assert value["only_null"] is None
    assert value["there"] == {}
    assert len(str(value["long"])) >= 200


def test_optional_parameters_come_where_they_are_named() -> None:
    """What is not required and not spoken of is left out."""
    function = tool("get", {"city": TEXT, "days": {"type": "integer"}}, required=["city"])["function"]
    assert isinstance(function, dict)
    assert fill(function, 'The city is "Paris".') == {"city": "Paris"}
    assert fill(function, 'The city is "Paris", days 4.') == {"city": "Paris", "days": 4}
    assert fill({"name": "none"}, "") == {}


def test_nothing_fits_nothing() -> None:
    """No tools, or no word in common: nothing is wanted."""
    assert wanted_tools({}, "Read /a") == []
    assert wanted_tools({"zip": {}}, "How are you?") == []
    assert wanted_tools({"get_tide": {"description": "Return the tide."}}, "When is the tide high?")[0][0] == "get_tide"


def test_a_budget_cuts_honestly() -> None:
    """A small max_tokens ends with length, inside the call, and the counts say so."""
    cut = plan_answer(ask("Read /etc/hosts.", ALL, max_tokens=3))
    assert cut.finish == "length"
    assert cut.usage["completion_tokens"] == 3
    body = b"".join(map(frame, stream(cut).items))
    assert b'"length"' in body
    message = whole(cut)["choices"][0]["message"]  # type: ignore[index]  # the form of a body
    assert "tool_calls" not in message


def test_stop_strings_end_the_text() -> None:
    """The text stops before the first of them."""
    assert plan_answer(ask("Hello.", stop=["tool", 7])).text == "I can answer this without a "
    assert plan_answer(ask("Hello.", stop="can")).text == "I "
    assert plan_answer(ask("Hello.", stop=4)).text.endswith(".")


def test_the_same_request_gives_the_same_bytes() -> None:
    """And another seed gives other ids."""
    request = ask("Read /etc/hosts.", ALL)
    assert plan_answer(request) == plan_answer(request)
    assert plan_answer(request).calls[0].id != plan_answer(request, seed=1).calls[0].id


def judged(request: dict[str, object], dialect: Dialect) -> tuple[VerdictClass, list[str]]:
    """Judge the healthy stream of a request."""
    wire = stream(plan_answer(request), dialect=dialect)
    reads = [Read.of(place / 20, frame(item)) for place, item in enumerate(wire.items)]
    exchange = Exchange("x", "chat", request, ResponseHead(200, wire.headers), reads)
    judgement = judge(exchange, RULES)
    return judgement.verdict_class, [one.message for one in judgement.findings if one.level is not Level.NOTE]


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("choice", ["auto", "required"])
def test_the_seed_suite_passes_in_every_dialect(dialect: Dialect, choice: str) -> None:
    """Every healthy stream of every case is clean, in the habit of each engine."""
    suite = builtin_suite("seed")
    for trial in plan(suite, (choice,), 1):
        body = request_body(suite, trial, model="m", thinking=True, parameters={}, extra={})
        assert judged(body, dialect) == (VerdictClass.PASS, [])


def test_usage_and_alternatives_come_when_asked_for() -> None:
    """Several choices with ids of their own, and one usage chunk at the end."""
    request = ask("Read /etc/hosts.", ALL, n=2, stream_options={"include_usage": True})
    assert judged(request, Dialect.OPENAI) == (VerdictClass.PASS, [])
    body = whole(plan_answer(request))
    assert len(body["choices"]) == 2  # type: ignore[arg-type]  # a list, as bodies have it
    assert plan_answer(ask("x", n=99)).n == 1
