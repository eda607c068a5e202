"""The tricky branches of the rules on calls: what is excused, what is told, and at which level."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from streams import answered, call, delta, finish, role, tool
from toolwire.exchange import End
from toolwire.judge import Judgement, Verdict, judge
from toolwire.rule import Level
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from toolwire.exchange import Exchange
    from toolwire.jsontext import Json

MUST, SHOULD, NOTE = Level.MUST, Level.SHOULD, Level.NOTE
MINE = {rule.name for rule in RULES if rule.code.startswith("TW3")}
HOSTS = '{"path": "/etc/hosts"}'
RESET: dict[str, Json] = {"error": {"message": "the engine died"}}


def loose(name: str, *, closed: bool = False, **properties: str) -> Json:
    """Offer a tool that is not strict."""
    offered = tool(name, **properties)
    function = offered["function"]
    assert isinstance(function, dict)
    function["strict"] = False
    schema = function["parameters"]
    assert isinstance(schema, dict)
    if not closed:
        del schema["additionalProperties"]
        schema["required"] = []
    return offered


def fragment(text: str, place: int = 0, **fields: Json) -> dict[str, Json]:
    """Send more arguments."""
    return delta(tool_calls=[{"index": place, "function": {"arguments": text}, **fields}])


def head(name: str = "read_file", place: int = 0, identity: str = "call_a") -> dict[str, Json]:
    """Open a call."""
    function: Json = {"name": name, "arguments": ""}
    return delta(tool_calls=[{"index": place, "id": identity, "type": "function", "function": function}])


def one(arguments: str, name: str = "read_file", reason: str = "tool_calls", **how: Json) -> Exchange:
    """Answer with one call that has these arguments."""
    return answered(role(), call(name, arguments), finish(reason), **how)  # type: ignore[arg-type]  # request fields


def told(judgement: Judgement) -> dict[str, Level]:
    """Return which rules on calls complain, at which level."""
    assert not judgement.crashed
    return {finding.rule: finding.level for finding in judgement.findings if finding.rule in MINE}


def message(exchange: Exchange, rule: str) -> str:
    """Return the first message of a rule."""
    return next(finding.message for finding in judge(exchange, RULES).findings if finding.rule == rule)


@pytest.mark.parametrize(
    ("exchange", "wanted"),
    [
        # arguments: one fault, one rule
        (one(HOSTS), {}),
        (one(HOSTS[:-1]), {"arguments-not-json": MUST}),
        (one(HOSTS + HOSTS), {"arguments-not-json": MUST}),
        (one(json.dumps(HOSTS)), {"arguments-not-object": MUST}),
        (one("[]"), {"arguments-not-object": MUST}),
        (one("12"), {"arguments-not-object": MUST}),
        (one("true"), {"arguments-not-object": MUST}),
        (one(""), {"arguments-empty": MUST}),
        (one("\n"), {"arguments-empty": MUST}),
        (one("{}"), {"arguments-schema": MUST}),
        (one("{}", "get_time"), {}),
        (one("", "get_time"), {"arguments-empty": MUST}),
        (one("null", "get_time"), {"arguments-not-object": MUST}),
        # broken JSON fails whether the tool is strict or not; a breach of its schema only warns where it is not
        (one('{"path": ', "read", tools=[loose("read", path="string")]), {"arguments-not-json": MUST}),
        (one('{"path": 1}', "read", tools=[loose("read", path="string")]), {"arguments-schema": SHOULD}),
        (one('{"depth": 1}', "read", tools=[loose("read", path="string")]), {}),
        (one('{"a": 1}', "read", tools=[loose("read", closed=True)]), {"arguments-schema": SHOULD}),
        # an honest cut, or a stream that failed, explains what its last call lacks
        (one(HOSTS[:-1], reason="length"), {}),
        (one("", reason="length"), {}),
        (one("{}", reason="length"), {}),
        (one(HOSTS[:-1], reason="content_filter"), {}),
        (answered(role(), call(arguments=HOSTS[:-1]), done=False, end=End.RESET), {}),
        (answered(role(), call(arguments=HOSTS[:-1]), f"data: {json.dumps(RESET)}\n\n"), {}),
        (answered(role(), call(arguments=HOSTS[:-1]), done=False), {"arguments-not-json": MUST}),
        (
            answered(role(), call(arguments=HOSTS[:-1]), finish(), done=False, end=End.RESET),
            {"arguments-not-json": MUST},
        ),
        (
            answered(role(), call(arguments=HOSTS[:-1]), call("get_time", "{}", place=1), finish("length")),
            {"arguments-not-json": MUST},
        ),
        # what was sent again is no cut
        (
            answered(role(), head(), fragment(HOSTS[:9]), fragment(HOSTS), finish("length")),
            {"arguments-resent": MUST},
        ),
        (answered(role(), head(), fragment(HOSTS), fragment(HOSTS), finish()), {"arguments-resent": MUST}),
        (answered(role(), head(), fragment('{"path": "'), fragment('{"}'), finish()), {}),
        # names
        (one(HOSTS, "read_fil"), {"call-name-undeclared": MUST}),
        (one(HOSTS, "read_file", tools=[]), {}),
        (answered(role(), head("read_"), fragment("{"), finish("length")), {"call-name-undeclared": MUST}),
        (answered(role(), head("read_"), finish("length")), {}),
        (answered(role(), head("read_"), done=False, end=End.RESET), {}),
        (answered(role(), head("fly_"), finish("length")), {"call-name-undeclared": MUST}),
        # ids
        (answered(role(), head(identity="a" * 64), fragment(HOSTS), finish()), {}),
        (answered(role(), head(identity="a" * 65), fragment(HOSTS), finish()), {"call-id-form": SHOULD}),
        (answered(role(), head(identity="functions.read_file:0"), fragment(HOSTS), finish()), {"call-id-form": SHOULD}),
        (answered(role(), head(identity="7"), fragment(HOSTS), finish()), {}),
        # the same call twice is legal, and odd
        (answered(role(), call(), call(place=1), finish()), {"call-repeated": NOTE}),
        (answered(role(), call(), call(arguments='{"path":"/etc/hosts"}', place=1), finish()), {"call-repeated": NOTE}),
        (answered(role(), call(arguments="{"), call(arguments="{", place=1), finish()), {"arguments-not-json": MUST}),
        # fragments of no call
        (answered(role(), call(), fragment("}", 1), finish()), {"call-fragment-stray": MUST}),
        (answered(role(), call(), fragment("", 1), finish()), {"call-fragment-stray": MUST}),
        (answered(role(), call(), delta(tool_calls=[]), finish()), {"calls-empty-list": NOTE}),
    ],
)
def test_each_fault_is_told_by_its_own_rule(exchange: Exchange, wanted: dict[str, Level]) -> None:
    """No fault of a call is missed, excused ones are left alone, and one fault is not told under several names."""
    assert told(judge(exchange, RULES)) == wanted


@pytest.mark.parametrize(
    ("arguments", "prompt", "wanted"),
    [
        ('{"path": "/etc/hosts</parameter>"}', "Read.", True),
        ('{"path": "/etc/hosts\\n</function>\\n</tool_call>"}', "Read.", True),
        ('{"path": "/etc/hosts<|im_end|>"}', "Read.", True),
        ('{"path": "/etc/hosts</s>"}', "Read.", True),
        ('{"path": "/etc/hosts</s>"}', "Read /etc/hosts</s>", False),
        ('{"path": "/etc/hosts</parameter>"}', "Read /etc/hosts</parameter> now.", False),
        ('{"path": "<s>/etc/hosts</s>"}', "Read.", False),
        ('{"path": "<|im_end|> ends a turn"}', "Read.", False),
        ('{"path": "a < b > c </div>"}', "Read.", False),
        ('{"path": "use `</parameter>` there"}', "Read.", False),
        ('{"path": {"deep": ["x", "/etc/hosts</parameter>"]}}', "Read.", True),
        ('{"path>\\n/etc/hosts": "x"}', "Read.", True),
        ('{"path\\n": "x"}', "Read.", True),
        ('{"other\\nline": "x"}', "Read.", False),
    ],
)
def test_markup_in_values_is_debris_or_text(arguments: str, prompt: str, *, wanted: bool) -> None:
    """A tag at the end of a value is debris; what is quoted, balanced or asked for is text."""
    exchange = one(arguments, "read", prompt=prompt, tools=[loose("read", path="string")])
    assert ("markup-in-arguments" in told(judge(exchange, RULES))) is wanted


def test_markup_that_is_expected_is_no_debris() -> None:
    """The author of the case knows best."""
    value = "/etc/hosts</parameter>"
    arguments = json.dumps({"path": value})
    assert "markup-in-arguments" in told(judge(one(arguments), RULES))
    exchange = answered(role(), call(arguments=arguments), finish(), expect=[("read_file", {"path": value})])
    assert "markup-in-arguments" not in told(judge(exchange, RULES))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("read_fil", "only the beginning of 'read_file'"),
        ("ad_file", "only the end of 'read_file'"),
        ("READ_FILE", "'read_file' in other case"),
        ("read_fileread_file", "'read_file' several times over"),
        ("read_file<|channel|>commentary", "'read_file' with markup around it"),
        ('read_file{"path"', "'read_file' with markup around it"),
        ("functions.read_file", "'read_file' with other text around it"),
        ("<|python_tag|>", "it has markup in it"),
    ],
)
def test_a_foreign_name_is_compared_with_the_offered_ones(name: str, words: str) -> None:
    """What a parser did to a name shows in how it resembles a declared one."""
    assert words in message(one(HOSTS, name), "call-name-undeclared")


def test_a_name_that_resembles_none_is_perhaps_the_model_s() -> None:
    """Then nothing more is said."""
    assert message(one(HOSTS, "fly"), "call-name-undeclared") == "call 0 is to 'fly', which was not offered"


def test_a_grafted_parameter_is_traced_to_its_tool() -> None:
    """A foreign key that another offered tool declares came from another call."""
    exchange = one('{"path": "/etc/hosts", "level": 3}')
    assert message(exchange, "arguments-schema") == (
        "the arguments of call 0 (read_file) break its schema: 'level' is not declared"
        " (level is a parameter of set_level)"
    )


def test_a_long_list_of_breaches_is_cut() -> None:
    """Three are told, and how many more there are."""
    offered = tool("many", a="string", b="string", c="string", d="string", e="string")
    words = message(one("{}", "many", tools=[offered]), "arguments-schema")
    assert words.count("is missing") == 3
    assert words.endswith("and 2 more")


@pytest.mark.parametrize("text", ["x" * 500, '{"path": "' + "a" * 5000 + '"} and so on'])
def test_long_arguments_are_shown_where_they_go_wrong(text: str) -> None:
    """The excerpt is short, and the location is the event that holds the place."""
    exchange = one(text)
    (finding,) = [found for found in judge(exchange, RULES).findings if found.rule == "arguments-not-json"]
    assert len(finding.actual) < 200
    assert finding.at.event == 1


def test_ids_of_other_choices_count() -> None:
    """An id is that of one call in the whole answer."""
    shared = answered(role(), role(1), call(), call(choice=1), finish(), finish(index=1), n=2)
    assert told(judge(shared, RULES)) == {}
    entry: Json = {
        "index": 0,
        "id": "call_00",
        "type": "function",
        "function": {"name": "read_file", "arguments": HOSTS},
    }
    clash = answered(role(), role(1), call(), delta(1, tool_calls=[entry]), finish(), finish(index=1), n=2)
    assert told(judge(clash, RULES)) == {"call-id-duplicate": MUST}
    assert "call 0 of choice 0 and call 0 of choice 1" in message(clash, "call-id-duplicate")


def test_ids_of_history_need_a_history() -> None:
    """Without an earlier turn the rule cannot judge, and says so."""
    judgement = judge(one(HOSTS), RULES)
    assert "call-id-of-history" in judgement.not_applicable


def test_arguments_in_another_field_are_told_once() -> None:
    """They are misplaced, and not empty as well."""
    entry: Json = {"index": 0, "id": "a", "type": "function", "function": {"name": "read_file"}, "arguments": HOSTS}
    exchange = answered(role(), delta(tool_calls=[entry]), finish())
    assert told(judge(exchange, RULES)) == {"call-field-misplaced": MUST}


def test_arguments_that_are_an_object_are_told_once() -> None:
    """They are no string, and not empty as well."""
    function: Json = {"name": "read_file", "arguments": {"path": "/etc/hosts"}}
    entry: Json = {"index": 0, "id": "a", "type": "function", "function": function}
    exchange = answered(role(), delta(tool_calls=[entry]), finish())
    judgement = judge(exchange, RULES)
    assert told(judgement) == {"arguments-not-string": MUST}
    assert judgement.calls[0].arguments == {"path": "/etc/hosts"}


def test_a_custom_call_has_no_arguments() -> None:
    """Its input is free text, also where none came."""
    entry: Json = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "sql"}}
    offered: Json = {"type": "custom", "custom": {"name": "sql"}}
    exchange = answered(role(), delta(tool_calls=[entry]), finish(), tools=[offered])
    assert told(judge(exchange, RULES)) == {}


def test_a_stray_fragment_is_broken_and_no_drop() -> None:
    """The field for calls was used ("two rules meet", 10)."""
    exchange = answered(role(), fragment(HOSTS), finish("stop"), tool_choice="required")
    assert judge(exchange, RULES).verdict is Verdict.BROKEN
