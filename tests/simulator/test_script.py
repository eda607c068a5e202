"""The simulator's model: any request gets a sensible answer, and its healthy forms trip no rule."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.exchange import Exchange, Read, ResponseHead
from toolwire.judge import VerdictClass, judge
from toolwire.plan import plan, request_body
from toolwire.rule import Level
from toolwire.rules.catalogue import RULES
from toolwire.simulator.arguments import fill as fill_for
from toolwire.simulator.forms import Dialect, stream, whole
from toolwire.simulator.script import plan_answer
from toolwire.simulator.wire import Chunk, frame
from toolwire.simulator.wishes import Wish, wishes
from toolwire.suite import builtin_suite

if TYPE_CHECKING:
    from toolwire.simulator.wire import Wire


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


PROMPTS = ["", "Call f with alpha 7.", 'Call f: alpha "x", beta null, gamma off.', 'Use f with beta 1e3, "y" and `z`.']
ALL = [READ, RUN, SEARCH, SUM]


def fill(function: dict[str, object], text: str) -> dict[str, object]:
    """Return arguments for a function and a prompt."""
    return fill_for(function, Wish(str(function["name"]), text))


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
    assert fill(function, f"The slow one, please: its kind is what matters{' here' * 20}.")["kind"] == "slow"
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
    assert wishes({}, "Read /a") == []
    assert wishes({"zip": {}}, "How are you?") == []
    assert wishes({"get_tide": {"description": "Return the tide."}}, "When is the tide high?")[0].tool == "get_tide"


def joined(wire: Wire) -> dict[str, Any]:
    """Join the deltas of a one-choice stream to a message, without any decoder of ours."""
    message: dict[str, Any] = {"role": "assistant", "content": "", "reasoning": "", "calls": [], "finish": None}
    for item in wire.items:
        if not isinstance(item, Chunk) or not item.value["choices"]:
            continue
        value: Any = item.value
        choice = value["choices"][0]
        delta = choice["delta"]
        message["content"] += delta.get("content") or ""
        message["reasoning"] += delta.get("reasoning_content") or delta.get("reasoning") or ""
        for entry in delta.get("tool_calls") or []:
            if entry.get("id"):
                message["calls"].append([entry["function"]["name"], ""])
            message["calls"][entry["index"]][1] += entry["function"].get("arguments") or ""
        message["finish"] = choice["finish_reason"] or message["finish"]
    return message


def told(body: dict[str, Any]) -> dict[str, Any]:
    """Return a whole answer in the same form."""
    message = body["choices"][0]["message"]
    return {
        "role": "assistant",
        "content": message["content"] or "",
        "reasoning": message.get("reasoning_content", ""),
        "calls": [[one["function"]["name"], one["function"]["arguments"]] for one in message.get("tool_calls", [])],
        "finish": body["choices"][0]["finish_reason"],
    }


THINKING: dict[str, Any] = {"chat_template_kwargs": {"enable_thinking": True}}
LONG = 'First say "Here it comes." and then call read_file for /etc/hosts and run_shell with command "ls -la".'


@pytest.mark.parametrize("dialect", [form for form in Dialect if form is not Dialect.OLLAMA])
@pytest.mark.parametrize("budget", range(1, 60))
def test_a_budget_cuts_stream_and_whole_answer_alike(dialect: Dialect, budget: int) -> None:
    """Wherever it ends, in reasoning, words, name or arguments: the same is left, and the finish says so."""
    full = plan_answer(ask(LONG, ALL, **THINKING))
    cut = plan_answer(ask(LONG, ALL, **THINKING, max_tokens=budget))
    message = joined(stream(cut, dialect=dialect))
    assert message == told(whole(cut))
    needed = full.usage["completion_tokens"]
    assert cut.usage["completion_tokens"] == min(budget, needed)
    assert message["finish"] == ("length" if budget < needed else "tool_calls")
    uncut = joined(stream(full, dialect=dialect))
    for key in ("reasoning", "content"):
        assert uncut[key].startswith(message[key])
    for (name, arguments), (full_name, full_arguments) in zip(message["calls"], uncut["calls"], strict=False):
        assert name == full_name
        assert full_arguments.startswith(arguments)
    assert (message == uncut) == (budget >= needed)


def test_whole_calls_come_whole_or_not_at_all() -> None:
    """An engine that sends each call in one delta sends none that the budget cuts."""
    for budget in range(1, 60):
        cut = plan_answer(ask("Read /etc/hosts.", ALL, max_tokens=budget))
        calls_sent = joined(stream(cut, dialect=Dialect.OLLAMA))["calls"]
        assert calls_sent in ([], [["read_file", '{"path": "/etc/hosts"}']])
        assert bool(calls_sent) == (cut.finish == "tool_calls")


def test_engines_have_their_habits() -> None:
    """What tells them apart on the wire (formats, section 3)."""
    request = ask("Read /etc/hosts.", ALL, **THINKING, stream_options={"include_usage": True})
    wires = {
        form: [item.value for item in stream(plan_answer(request), dialect=form).items if isinstance(item, Chunk)]
        for form in Dialect
    }
    text = {form: json.dumps(chunks) for form, chunks in wires.items()}
    assert {form for form in Dialect if '"reasoning":' in text[form]} == {Dialect.VLLM, Dialect.OLLAMA}
    assert {form for form in Dialect if '"logprobs"' not in text[form]} == {Dialect.LLAMACPP, Dialect.OLLAMA}
    assert '"stop_reason"' in text[Dialect.VLLM]
    assert '"matched_stop"' in text[Dialect.SGLANG]
    assert "timings" in wires[Dialect.LLAMACPP][-1]
    heads = {form: _head(chunks) for form, chunks in wires.items()}
    assert "arguments" not in heads[Dialect.VLLM]["function"]
    assert heads[Dialect.OLLAMA]["function"]["arguments"] == '{"path": "/etc/hosts"}'
    lengths = {form: len(head["id"]) for form, head in heads.items()}
    assert lengths == {"openai": 29, "vllm": 30, "sglang": 29, "llamacpp": 32, "ollama": 13}


def _head(chunks: list[Any]) -> dict[str, Any]:
    """Return the first entry of a call."""
    return next(
        entry for chunk in chunks for choice in chunk["choices"] for entry in choice["delta"].get("tool_calls", [])
    )


@pytest.mark.parametrize(
    ("switch", "thinks"),
    [
        ({"chat_template_kwargs": {"enable_thinking": True}}, True),
        ({"chat_template_kwargs": {"thinking": True}}, True),
        ({"chat_template_kwargs": {"enable_thinking": False}, "reasoning_effort": "high"}, False),
        ({"reasoning_effort": "high"}, True),
        ({"reasoning_effort": "none"}, False),
        ({"reasoning_effort": 3}, False),
        ({}, False),
    ],
)
def test_it_thinks_where_it_is_asked_to(switch: dict[str, Any], thinks: bool) -> None:
    """By the switches that chat templates and services have, the template's first."""
    assert bool(plan_answer(ask("Hello.", **switch)).reasoning) is thinks


def test_stop_strings_end_the_text() -> None:
    """The text stops before the first of them."""
    assert plan_answer(ask("Hello.", stop=["tool", 7])).text == "I can answer this without a "
    assert plan_answer(ask("Hello.", stop="can")).text == "I "
    assert plan_answer(ask("Hello.", stop=["", "can"])).text == "I "
    assert plan_answer(ask("Hello.", stop=4)).text.endswith(".")


WEATHER = tool("get_weather", {"city": TEXT})
TIME = tool("get_time", {})
ECHO = tool("echo", {"text": TEXT})
TYPED = tool(
    "configure",
    {
        "name": TEXT,
        "retries": {"type": "integer"},
        "ratio": {"type": "number"},
        "enabled": {"type": "boolean"},
        "mode": {"enum": ["fast", "slow"]},
        "tags": {"type": "array", "items": TEXT},
        "note": {"anyOf": [TEXT, {"type": "null"}]},
        "limits": {
            "type": "object",
            "properties": {"cpu": {"type": "integer"}, "ports": {"type": "array", "items": {"type": "integer"}}},
            "required": ["cpu", "ports"],
        },
    },
)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("What's the weather in Paris?", [{"city": "Paris"}]),
        ("What's the weather in Paris and Tokyo?", [{"city": "Paris"}, {"city": "Tokyo"}]),
        (
            "Weather in Paris, London and New York, please.",
            [{"city": "Paris"}, {"city": "London"}, {"city": "New York"}],
        ),
        ('Call get_weather for "Oslo" and "Rome".', [{"city": "Oslo"}, {"city": "Rome"}]),
        ("Call get_weather twice: once for Oslo and once for Rome.", [{"city": "Oslo"}, {"city": "Rome"}]),
        ('Call get_weather for "Oslo". The word "no" is no city.', [{"city": "Oslo"}]),
        ('Call get_weather with {city}, as in {"city": "Rome"}.', [{"city": "Rome"}]),
        ("Call get_time twice.", [{}, {}]),
        ("Call get_time 3 times.", [{}, {}, {}]),
        ("Read /etc/hosts and /etc/hostname.", [{"path": "/etc/hosts"}, {"path": "/etc/hostname"}]),
        ("Run `ls` and `pwd`.", [{"command": "ls"}, {"command": "pwd"}]),
        ("Call get_time, and then read_file for /a/b.", [{}]),
        ("Call get_time. Do not call anything else, use no tool twice.", []),
    ],
)
def test_as_many_calls_come_as_the_prompt_lists(prompt: str, expected: list[dict[str, object]]) -> None:
    """One for each value, or as often as it says; one at a time where it says so; none where it forbids them."""
    assert [arguments for _, arguments in calls(ask(prompt, [WEATHER, TIME, *ALL]))] == expected


@pytest.mark.parametrize(
    ("prompt", "value"),
    [
        ('Call echo with text set to exactly "  def f(x):\n      return x  \n".', "  def f(x):\n      return x  \n"),
        ('Call echo with text set to exactly "C:\\new\\table 2>&1 {}[]".', "C:\\new\\table 2>&1 {}[]"),
        ('Call echo with text set to exactly "a \\"b\\" c".', 'a "b" c'),
        ('Call echo, its text is the JSON string "a\\nb\\u00e9".', "a\nbé"),
        ('Call echo, its text is the JSON string "a\\qb".', "a\\qb"),
        ('Call echo with `text` set to exactly `</tool_call> "x"`.', '</tool_call> "x"'),
        ("Call echo with the text:\n```python\ndef f():\n    return 1\n```\n", "def f():\n    return 1"),
        ('Call echo with {"text": "日本 😀 </parameter>"}', "日本 😀 </parameter>"),
        ("Call echo. The text is 00123.", "00123"),
        ('Call echo with text "" please.', ""),
    ],
)
def test_values_are_echoed_to_the_letter(prompt: str, value: str) -> None:
    """In quotes, ticks, a fence, or as JSON: indentation, markup, escapes and all."""
    assert calls(ask(prompt, [TIME, ECHO])) == [("echo", {"text": value})]


@pytest.mark.parametrize(
    "prompt",
    [
        """Use configure: name "n1", retries -3, ratio 0.25, enabled false, mode slow, tags ["a", "b"], note null,
        limits {"cpu": 2, "ports": [80, 443]}""",
        """Use configure with name set to "n1", retries = -3, ratio: 2.5e-1, enabled off, mode is slow;
        tags "a" and "b"; note is null; cpu 2, ports 80 and 443.""",
        """Use configure with {"name": "n1", "retries": -3, "ratio": 0.25, "enabled": false, "mode": "slow",
        "tags": ["a", "b"], "note": null, "limits": {"cpu": 2, "ports": [80, 443]}}""",
    ],
)
def test_typed_values_are_taken_from_the_prompt(prompt: str) -> None:
    """Numbers, booleans, null, lists and objects, in JSON or in words."""
    assert calls(ask(prompt, [TYPED])) == [
        (
            "configure",
            {
                "name": "n1",
                "retries": -3,
                "ratio": 0.25,
                "enabled": False,
                "mode": "slow",
                "tags": ["a", "b"],
                "note": None,
                "limits": {"cpu": 2, "ports": [80, 443]},
            },
        )
    ]


def test_broken_json_in_a_prompt_is_passed_over() -> None:
    """A list that never ends is no value; the schema decides then."""
    function = tool("set", {"tags": {"type": "array", "items": {"type": "integer"}}, "day": TEXT | {"format": "date"}})
    assert calls(ask("Use set with tags [1, 2 and so on.", [function])) == [
        ("set", {"tags": [1, 2], "day": "2026-12-01"})
    ]


def test_a_result_without_a_question_is_answered() -> None:
    """A history may begin with a result."""
    answered = plan_answer({"messages": [{"role": "tool", "content": "7"}], "tools": [TIME, {"type": "other"}]})
    assert (answered.calls, answered.text) == ((), "The tool says: 7")


def test_words_come_before_the_call_where_they_are_wanted() -> None:
    """As content before the call, in the stream and in the whole answer."""
    plan_of = plan_answer(ask('First say "On it." and then call get_time.', [TIME]))
    assert (plan_of.text, [call.name for call in plan_of.calls]) == ("On it.", ["get_time"])
    assert plan_answer(ask("Say what you will do before you call get_time.", [TIME])).text


def test_a_result_is_followed_by_the_next_call_that_was_asked_for() -> None:
    """Calls one after the other: each result by the next one, the last by words."""
    history: list[dict[str, object]] = [{"role": "user", "content": "Call get_time and then get_weather for Oslo."}]
    made = []
    for place in range(3):
        planned = plan_answer({"messages": history, "tools": [TIME, WEATHER]}).calls
        made += [call.name for call in planned]
        for call in planned:
            function = {"name": call.name, "arguments": call.arguments_json}
            entry = {"id": f"c{place}", "type": "function", "function": function}
            history += [
                {"role": "assistant", "content": None, "tool_calls": [entry]},
                {"role": "tool", "tool_call_id": f"c{place}", "content": "done"},
            ]
    assert made == ["get_time", "get_weather"]


LEAVES: list[dict[str, object]] = [
    {"type": "string"},
    {"type": "string", "minLength": 4, "maxLength": 9},
    {"type": "string", "format": "date"},
    {"type": "integer", "minimum": 3, "maximum": 9},
    {"type": "number", "minimum": -1.5},
    {"type": "boolean"},
    {"type": "null"},
    {"type": ["string", "null"]},
    {"enum": ["a", "b", 3, None]},
    {"const": {"x": 1}},
    {"$ref": "#/$defs/leaf"},
    {"type": "array", "items": {"type": "integer"}, "minItems": 2},
    {},
]


def around(inner: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[dict[str, object]]:
    """Return schemas that hold others."""

    def closed(first: dict[str, object], second: dict[str, object], needed: list[str]) -> dict[str, object]:
        properties = {"some": first, "other": second}
        return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}

    return st.one_of(
        st.builds(lambda one: {"type": "array", "items": one}, inner),
        st.builds(lambda one: {"anyOf": [{"type": "null"}, one]}, inner),
        st.builds(closed, inner, inner, st.sampled_from([[], ["some"], ["some", "other"]])),
    )


SCHEMAS = st.recursive(st.sampled_from(LEAVES), around, max_leaves=6)


@given(st.dictionaries(st.sampled_from(["alpha", "beta", "gamma"]), SCHEMAS, max_size=3), st.sampled_from(PROMPTS))
def test_arguments_fit_any_schema(properties: dict[str, object], prompt: str) -> None:
    """Whatever the schema asks for is given, by the judgement of a validator that is not ours."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "$defs": {"leaf": {"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]}},
    }
    value = fill({"name": "f", "parameters": schema}, prompt)
    assert jsonschema_rs.is_valid(schema, value), value


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"anyOf": [{"$ref": "#"}]},
        {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]},
        {"type": "array", "items": {"$ref": "#"}, "minItems": 10**9},
    ],
)
def test_a_schema_that_turns_in_circles_ends(schema: dict[str, object]) -> None:
    """It gets some value, and the simulator goes on."""
    assert fill({"name": "f", "parameters": schema}, "Call f.") is not None


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
