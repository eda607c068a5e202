"""The scanner never raises, and its time grows with the text and not faster."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolwire.markup import families, reasoning_marks, scan, scan_value, turn_marks
from toolwire.markup.lexicon import lexicon
from toolwire.markup.offered import Offered
from toolwire.markup.readers import read_family

TOOLS = {"get_weather": ("city", "days"), "get_time": ("tz",)}
PIECES = sorted(
    {
        *lexicon().literals,
        *("`", "```", "```json\n", "~~~\n", "\n", " ", "{", "}", "[", "]", "(", ")", '"', "'", "\\", ":", ",", ">>>"),
        *("get_weather", "get_time", "city", '{"name": "get_weather"', '"arguments": {', "functions.", "to=functions."),
        *(
            "<|",
            "<｜",
            "word",
            "the",
            "\0",
            "\ud800",
            "９",
            "1",
            "true",
            "=",
            "item>",
            "/",
            "</",
            "<think>",
            "</think>",
        ),
    }
)


@given(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.sampled_from(["", "explain this format", "<tool_call>"]),
)
@settings(max_examples=600, deadline=None)
def test_no_text_makes_it_raise(text: str, prompt: str) -> None:
    """Whatever is put together from markers and punctuation is judged; places lie inside the text and in order."""
    for found in (scan(text, tools=TOOLS, prompt=prompt), scan_value(text, tools=TOOLS, prompt=prompt)):
        starts = [mark.start for mark in found.marks]
        assert starts == sorted(starts)
        for mark in (*found.marks, *found.excused):
            assert 0 <= mark.start < mark.end <= len(text)
        for call in found.calls:
            assert 0 <= call.start <= call.end <= len(text)
    for mark in (*reasoning_marks(text, prompt=prompt), *turn_marks(text, prompt=prompt)):
        assert text[mark.start : mark.end] == mark.text


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_arbitrary_text_is_judged(text: str) -> None:
    """Any text at all is judged, and leaks only with a trace of markup."""
    assert not scan(text, tools={}).leaked
    scan(text, tools=TOOLS)


HARD = {
    "angles": "<",
    "list marker": "[TOOL_CALLS]",
    "braces": "{",
    "brackets": "[",
    "fences": "```\n<",
    "ticks": "`a<",
    "uneven ticks": "`<``<```<",
    "openers": "<tool_call>",
    "openers with a brace": "<tool_call>{",
    "openers with a string": '<tool_call>["',
    "closers": "</tool_call>",
    "common closers": "</parameter>",
    "headers": "<function=a><parameter=b>",
    "keys": "<tool_call>a<arg_key>",
    "recipients": "to=functions.get_weather ",
    "names": "get_weather\n{",
    "python": "[get_weather(a=",
    "gemma": '<|tool_call>call:get_weather{city:<|"|>',
    "elements": ']<]minimax[>[<invoke name="get_weather">]<]minimax[>[<a>',
    "channels": "<|channel|>analysis<|message|>x",
    "thoughts": "<think></think>a",
    "quotes": '"<tool_call>" ',
    "tags": "<a_tool_call_b> ",
    "fenced arguments": "<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n",
    "calls": '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n',
    "space": " " * 40 + "<",
}


@pytest.mark.parametrize("unit", HARD.values(), ids=HARD.keys())
def test_a_text_made_to_be_hard_is_judged(unit: str) -> None:
    """Repeated ten thousand times it neither raises nor ties the scanner up; `bench/scanner.py` measures the time."""
    text = unit * 10_000
    for found in (scan(text, tools=TOOLS), scan_value(text, tools=TOOLS)):
        assert all(0 <= mark.start < mark.end <= len(text) for mark in (*found.marks, *found.excused))


def test_deep_and_long_values_are_bounded() -> None:
    """Nesting and digits without end are no calls, but no failure either."""
    for inside in ("[" * 100_000, '{"a":' * 50_000, "9" * 100_000, '"' + "x" * 100_000):
        scan('<tool_call>{"name": "get_weather", "arguments": ' + inside, tools=TOOLS)
        scan("[get_weather(city=" + inside, tools=TOOLS)
        scan("<|tool_call>call:get_weather{city:" + inside, tools=TOOLS)


def test_long_arguments_are_read() -> None:
    """A call whose arguments are longer than any piece in which JSON is read comes out whole."""
    text = "x" * 300_000
    found = scan('<tool_call>{"name": "get_weather", "arguments": {"city": "' + text + '"}}</tool_call>', tools=TOOLS)
    assert [call.arguments for call in found.calls] == [{"city": text}]
    padded = "<tool_call>" + " " * 4_090 + '{"name": "get_time", "arguments": {"tz": 12345678}}'
    assert scan(padded, tools=TOOLS).calls[0].arguments == {"tz": 12345678}


def test_a_hundred_examples_in_one_text_are_all_read() -> None:
    """Many calls of one family in one text are all read."""
    example = next(family for family in families() if family.id == "qwen3_xml").examples[1]
    found = scan("\n".join([example.text] * 100), tools=TOOLS)
    assert len(found.calls) == 200


def test_what_is_kept_of_a_text_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Marks and calls beyond the named limits are not kept, and the verdict stands."""
    for module in ("parse_json", "parse_literals", "parse_tags", "bare"):
        monkeypatch.setattr(f"toolwire.markup.{module}.MAX_CALLS", 2)
    monkeypatch.setattr("toolwire.markup.finding.MAX_MARKS", 5)
    monkeypatch.setattr("toolwire.markup.values._MAX_MARKS", 5)
    for text in (
        '<tool_calls>{"name": "a"}{"name": "b"}{"name": "c"}',
        "<tool_call>" + '{"name": "a"}<tool_call>' * 5,
        "[TOOL_CALLS]a[ARGS]{}" * 5,
        "<function_calls>get_time()" * 5,
        "<|python_start|>[get_time(), get_time(), get_time()]",
        "<function=a></function>" * 5,
        "to=functions.get_time {} " * 5,
        "<tool_call_x>get_time " * 9,
    ):
        found = scan(text, tools=TOOLS)
        assert found.leaked
        assert len(found.calls) <= 2
        assert len(found.marks) <= 6
    assert len(turn_marks("<|im_end|>" * 9)) == 5


def test_a_marker_inside_an_argument_opens_no_call() -> None:
    """What an argument holds is the argument's, also where it looks like another call."""
    inner = "<|tool_call_begin|>functions.get_time:1<|tool_call_argument_begin|>{"
    text = (
        f'<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{{"city": "{inner}"}}<|tool_call_end|>'
    )
    assert [call.arguments for call in scan(text, tools=TOOLS).calls] == [{"city": inner}]
    text = '<function=get_weather>{"city": "<function=get_time>"}</function>'
    assert [call.arguments for call in scan(text, tools=TOOLS).calls] == [{"city": "<function=get_time>"}]


def test_calls_that_are_none_are_passed_over() -> None:
    """A list of calls may hold anything; what is no object with a name is no call."""
    assert scan('<tool_call>{"tool_calls": [3, null, {"name": "get_time"}]}', tools=TOOLS).calls[0].name == "get_time"
    assert scan('<tool_call>{"tool_calls": [3]}', tools=TOOLS).calls == ()
    assert scan('{"name": "get_weather", "arguments": ' + "[" * 50_000, tools=TOOLS).leaked


def test_a_family_without_a_reader_reads_nothing() -> None:
    """A family that has no markers of its own has no reader either."""
    assert read_family("[1]", "xlam", Offered(TOOLS), bool).calls == ()
