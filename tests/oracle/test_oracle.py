"""Arguments read strictly, and held against the declared schema, in words for people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.completion import Call
from toolwire.jsontext import Json, JsonIssue
from toolwire.oracle import SCHEMA_ERRORS, SchemaCheck, read_arguments
from toolwire.protocol.request import read_chat_request

SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "port": {"type": "string", "maxLength": 8},
        "hours": {"type": "integer", "maximum": 48},
        "unit": {"enum": ["m", "ft"]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "wind": {"type": ["number", "null"]},
        "either": {"oneOf": [{"type": "array"}, {"type": "object", "required": ["x"]}]},
        "stops": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"at": {"type": "string"}},
                "required": ["at"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["port"],
    "additionalProperties": False,
}


def check(schema: Json = None) -> SchemaCheck:
    """Declare one tool, `tide`."""
    function: Json = {"name": "tide", "parameters": SCHEMA if schema is None else schema}
    return SchemaCheck(read_chat_request({"tools": [{"type": "function", "function": function}]}))


def call(text: str) -> Call:
    """Make a call whose arguments came in two fragments."""
    made = Call(0, 0, 0, 0, 0)
    made.arguments.add(text[: len(text) // 2], 0)
    made.arguments.add(text[len(text) // 2 :], 1)
    return made


@pytest.mark.parametrize(
    ("text", "valid", "value", "other", "blank"),
    [
        ('{"a": 1}', True, {"a": 1}, None, False),
        (' {"a": 1}\n', True, {"a": 1}, None, False),
        ("{}", True, {}, None, False),
        ('"{}"', True, None, "{}", False),
        ("[1]", True, None, [1], False),
        ("null", True, None, None, False),
        ("", False, None, None, True),
        (" \n", False, None, None, True),
        ('{"a": 1', False, None, None, False),
        ('{"a": 1}{"a": 1}', False, None, None, False),
        ('{"a": NaN}', False, None, None, False),
        ('{"a": "\n"}', False, None, None, False),
        ('{"a": 1, "a": 2}', True, {"a": 2}, None, False),
    ],
)
def test_arguments_are_read_strictly(text: str, *, valid: bool, value: Json, other: Json, blank: bool) -> None:
    """Exactly one JSON value is valid, and only an object is what a tool can be called with."""
    read = read_arguments(call(text))
    assert (read.text, read.valid, read.value, read.other, read.blank) == (text, valid, value, other, blank)


def test_issues_stand_beside_the_value() -> None:
    """A key that comes twice leaves a value, and is told."""
    assert [problem.issue for problem in read_arguments(call('{"a": 1, "a": 2}')).problems] == [JsonIssue.DUPLICATE_KEY]


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ({"port": "Oslo"}, []),
        ({"port": "Oslo", "hours": 6.0, "wind": None, "note": None}, []),
        ({}, ["'port' is missing"]),
        ({"port": 5}, ["port is the number 5, not a string"]),
        ({"port": True}, ["port is true, not a string"]),
        ({"port": None}, ["port is null, not a string"]),
        ({"port": []}, ["port is an array, not a string"]),
        ({"port": {}}, ["port is an object, not a string"]),
        ({"port": "a", "hours": "6"}, ["hours is the string '6', not an integer"]),
        ({"port": "a", "wind": "x" * 99}, [f"wind is the string '{'x' * 60}'…, not null or a number"]),
        ({"port": "a", "unit": "km"}, ["unit is the string 'km', not one of 'm', 'ft'"]),
        ({"port": "a", "note": 3}, ["note is the number 3, not a string or null"]),
        ({"port": "a", "depth": 1}, ["'depth' is not declared"]),
        ({"port": "a", "b": 1, "c": 2}, ["'b', 'c' are not declared"]),
        ({"port": "a", "stops": [{}]}, ["'at' is missing in stops[0]"]),
        ({"port": "a", "stops": [{"at": "b", "to": "c"}]}, ["'to' is not declared in stops[0]"]),
        ({"port": "a", "stops": [{"at": 1}]}, ["stops[0].at is the number 1, not a string"]),
    ],
)
def test_breaches_are_told_in_words(value: dict[str, Json], messages: list[str]) -> None:
    """What is missing, of the wrong type, not allowed or not declared is named with its place and its value."""
    errors = check().errors("tide", value)
    assert errors is not None
    assert [error.message for error in errors] == messages


@pytest.mark.parametrize(
    ("value", "keyword", "place"),
    [
        ({"port": "a", "hours": 99}, "maximum", "hours: "),
        ({"port": "a" * 9}, "maxLength", "port: "),
        ({"port": "a", "either": {}}, "oneOf", "either: "),
    ],
)
def test_other_keywords_are_told_with_their_place(value: dict[str, Json], keyword: str, place: str) -> None:
    """For the rest the validator's own words do."""
    (error,) = check().errors("tide", value) or ()
    assert error.keyword == keyword
    assert error.message.startswith(place)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "no-such-type"},
        {"$ref": "https://schemas.example/tide.json"},
        {"$ref": "#/nowhere"},
        {"properties": {"a": {"pattern": "("}}},
    ],
)
def test_a_schema_that_cannot_be_used_judges_nothing(schema: Json) -> None:
    """It is never fetched from elsewhere, and nothing is guessed."""
    assert check(schema).errors("tide", {"port": "a"}) is None


def test_a_tool_without_schema_judges_nothing() -> None:
    """Nor does one that was not declared at all."""
    bare = SchemaCheck(read_chat_request({"tools": [{"type": "function", "function": {"name": "tide"}}]}))
    assert bare.errors("tide", {}) is None
    assert bare.errors("wind", {}) is None
    assert bare.tool("tide") is not None
    assert bare.tool("wind") is None


def test_a_schema_is_compiled_once() -> None:
    """The second question is answered by the same validator."""
    checker = check()
    assert checker.errors("tide", {}) == checker.errors("tide", {})
    assert list(checker._compiled) == ["tide"]


def test_errors_are_bounded() -> None:
    """However many places are wrong, only so many are listed."""
    errors = check().errors("tide", {"port": "a", "stops": [{} for _ in range(99)]})
    assert errors is not None
    assert len(errors) == SCHEMA_ERRORS


def test_a_value_that_the_validator_cannot_hold_is_left_to_others() -> None:
    """It gives up on nesting that is deeper than any that we read."""
    nested: Json = []
    for _ in range(1000):
        nested = [nested]
    assert check().errors("tide", {"port": nested}) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(["port", "hours", "unit", "note", "wind", "either", "stops", "x"]), JSON))
def test_any_object_can_be_held_against_the_schema(value: dict[str, Json]) -> None:
    """There is an answer, and each error has words and a keyword."""
    errors = check().errors("tide", value)
    assert errors is not None
    assert all(error.message and error.keyword for error in errors)
