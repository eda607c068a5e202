"""Reading literals and JSON out of leaked text."""

from __future__ import annotations

import pytest

from toolwire.markup import scan
from toolwire.markup.offered import read_json, untyped_value

TOOLS = {"f": ("a", "b"), "g": ()}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1", 1),
        ("-2.5e3", -2500.0),
        ("0x1F", 31),
        ("'it\\'s'", "it's"),
        ('"a\\n\\u00e9\\x41\\q\\0"', "a\né" + "A\\q\0"),
        ("'line\\\nnext'", "linenext"),
        ("True", True),
        ("false", False),
        ("None", None),
        ("null", None),
        ("[1, 'x', [2]]", [1, "x", [2]]),
        ("(1, 2)", [1, 2]),
        ("[1,]", [1]),
        ("{'k': {'n': 1}, bare: 2, \"q\" : 3}", {"k": {"n": 1}, "bare": 2, "q": 3}),
        ("{}", {}),
    ],
)
def test_a_literal_is_read(source: str, value: object) -> None:
    """Python's and JSON's literals are read alike, with nesting, trailing commas and escapes."""
    found = scan(f"[f(a={source})]", tools=TOOLS)
    assert [call.arguments for call in found.calls] == [{"a": value}]


@pytest.mark.parametrize(
    "source",
    [
        "x",
        "1 2",
        "[1",
        "[1 2]",
        "{1}",
        "{'a' 1}",
        "{'a': 1 'b': 2}",
        "'open",
        "1.2.3",
        "f()",
        "[" * 60 + "]" * 60,
        "{[1]: 2}",
    ],
)
def test_what_is_no_literal_is_no_argument(source: str) -> None:
    """An expression, a broken or too deep literal leaves a call that is not complete."""
    found = scan(f"<|python_start|>[f(a={source})]<|python_end|>", tools=TOOLS)
    assert [(call.name, call.arguments, call.complete) for call in found.calls] == [("f", None, False)]


def test_unnamed_arguments_are_not_guessed() -> None:
    """Arguments without names stay unread, except a single object."""
    found = scan("<|python_start|>[f(1, 2), f({'a': 1}), g(), f(1, a=2)]<|python_end|>", tools=TOOLS)
    assert [call.arguments for call in found.calls] == [None, {"a": 1}, {}, None]


def test_brace_values_know_their_own_quotes() -> None:
    """Strings between the family's markers may hold anything; keys may be quoted too."""
    text = '<|tool_call>call:f{a:<|"|>x, {y}<|"|>,<|"|>b<|"|>:[1,<|"|>z<|"|>]}<tool_call|>'
    assert [call.arguments for call in scan(text, tools=TOOLS).calls] == [{"a": "x, {y}", "b": [1, "z"]}]
    untyped = "<start_function_call>call:f{a:<escape>true<escape>,b:[1]}<end_function_call>"
    assert [call.arguments for call in scan(untyped, tools=TOOLS).calls] == [{"a": True, "b": [1]}]


def test_nested_elements_become_objects_and_lists() -> None:
    """Elements nest as objects, and elements named `item` make a list."""
    space = "]<]minimax[>["
    items = f"{space}<item>p{space}</item>{space}<item>2{space}</item>"
    inner = f"{space}<a>{space}<x>1{space}</x>{space}<y>{items}{space}</y>{space}</a>"
    text = f'{space}<tool_call>\n{space}<invoke name="f">{inner}{space}</invoke>\n{space}</tool_call>'
    assert [call.arguments for call in scan(text, tools=TOOLS).calls] == [{"a": {"x": 1, "y": ["p", 2]}}]


@pytest.mark.parametrize(
    ("inner", "arguments"),
    [
        ("", {}),
        ("]<]minimax[>[<a>1", None),
        ("]<]minimax[>[<a>1]<]minimax[>[</b>", None),
        ("]<]minimax[>[</b>", None),
        ("]<]minimax[>[no tag", None),
        ("]<]minimax[>[<a>" * 60 + "]<]minimax[>[</a>" * 60, None),
    ],
)
def test_elements_that_do_not_match_are_no_arguments(inner: str, arguments: object) -> None:
    """Elements that are not closed, closed twice or too deep leave the arguments unread."""
    text = f']<]minimax[>[<invoke name="f">{inner}]<]minimax[>[</invoke>'
    assert [call.arguments for call in scan(text, tools=TOOLS).calls] == [arguments]


def test_typed_parameters_follow_their_type() -> None:
    """A parameter that says whether it is a string is read so, whatever it looks like."""
    text = (
        '<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="true">1</｜DSML｜parameter>'
        '<｜DSML｜parameter name="b" string="false">oops</｜DSML｜parameter></｜DSML｜invoke>'
    )
    assert [call.arguments for call in scan(text, tools=TOOLS).calls] == [{"a": "1", "b": "oops"}]


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("2", 2),
        (" true ", True),
        ("null", None),
        ("[1]", [1]),
        ("007", "007"),
        ("-", "-"),
        ("1 x", "1 x"),
        ("", ""),
        ("Paris", "Paris"),
        ("-Infinity", "-Infinity"),
    ],
)
def test_a_value_without_a_type_is_json_where_it_is_json(raw: str, value: object) -> None:
    """Numbers, booleans, null, lists and objects are read; anything else is the string itself."""
    assert untyped_value(raw) == value


def test_json_is_read_across_pieces() -> None:
    """A value longer than the first piece is read whole, a broken one is none, wherever it breaks."""
    long = "[" + "1," * 5_000 + "2]"
    found = read_json("x" + long + " tail", 1)
    assert found is not None
    assert found[1] == 1 + len(long)
    assert read_json("[" + "1," * 5_000 + "x]", 0) is None
    assert read_json("[" + "1," * 5_000, 0) is None
    assert read_json("1" * 5_000, 0) is None
