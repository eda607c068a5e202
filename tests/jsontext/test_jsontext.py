"""JSON to the letter: valid, invalid, and valid but a trap."""

from __future__ import annotations

import json
import math
import sys
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.jsontext import (
    DEPTH,
    DOCUMENTS,
    INTEGER_DIGITS,
    PROBLEMS,
    Document,
    Json,
    JsonIssue,
    JsonProblem,
    canonical,
    equal,
    prefix_state,
    read_documents,
    read_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable

I = JsonIssue  # noqa: E741 - the table below is easier to read with a short name

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "ok", "value", "issues"),
    [
        ('{"a": 1}', True, {"a": 1}, []),
        (' \t\r\n"x" ', True, "x", []),
        ("-0", True, 0, []),
        ("", False, None, [I.EMPTY]),
        (" \n", False, None, [I.EMPTY]),
        ("\u00a0", False, None, [I.INVALID]),
        ("\ufeff{}", False, None, [I.INVALID]),
        ('{"a": 01}', False, None, [I.INVALID]),
        ('{"a": 1,}', False, None, [I.INVALID]),
        ("{'a': 1}", False, None, [I.INVALID]),
        ('{"a": True}', False, None, [I.INVALID]),
        ('{"a": NaN}', False, {"a": None}, [I.NAN]),
        ("-Infinity", False, None, [I.NAN]),
        ('{"a": 1, "a": 2}', True, {"a": 2}, [I.DUPLICATE_KEY]),
        ('{"a": {"b": 1, "b": 2}, "c": 1}', True, {"a": {"b": 2}, "c": 1}, [I.DUPLICATE_KEY]),
        ('{"a": 1}{"b": 2}', False, {"a": 1}, [I.TRAILING_TEXT]),
        ('{"a": 1} </s>', False, {"a": 1}, [I.TRAILING_TEXT]),
        ('{"a": "x\ny"}', False, {"a": "x\ny"}, [I.CONTROL_CHARACTER]),
        ('{"a": "x\ty', False, None, [I.CONTROL_CHARACTER, I.INVALID]),
        ('"\\ud83d"', True, "\ud83d", [I.LONE_SURROGATE]),
        ('"\ud83d"', True, "\ud83d", [I.LONE_SURROGATE]),
        ('[["\\ud83d"]]', True, [["\ud83d"]], [I.LONE_SURROGATE]),
        ('{"\\ude00": 1}', True, {"\ude00": 1}, [I.LONE_SURROGATE]),
        ('["\\ud83d\\ude00", 1, 1]', True, ["😀", 1, 1], []),
        ('{"a": "\\ud83d\\ude00", "a": 1}', True, {"a": 1}, [I.DUPLICATE_KEY]),
        ("9007199254740993", True, 9007199254740993, [I.BIG_INTEGER]),
        ('{"a": [-123456789012345678901234567890]}', True, {"a": [-123456789012345678901234567890]}, [I.BIG_INTEGER]),
        ('"9007199254740993"', True, "9007199254740993", []),
        ("9007199254740992", True, 9007199254740992, []),
        ("[" * (DEPTH + 1) + "]" * (DEPTH + 1), False, None, [I.TOO_DEEP]),
        ("[" * 100_000, False, None, [I.TOO_DEEP]),
        ("[" * DEPTH + "1" + "]" * DEPTH + ",", False, json.loads("[" * DEPTH + "1" + "]" * DEPTH), [I.TRAILING_TEXT]),
        ("{}" + "[" * 300, False, {}, [I.TRAILING_TEXT]),
        ("1e400", True, math.inf, [I.HUGE_NUMBER]),
        ('{"a": [-1.5E+400, 1e308]}', True, {"a": [-math.inf, 1e308]}, [I.HUGE_NUMBER]),
        ("9" * 310 + ".0", True, math.inf, [I.HUGE_NUMBER]),
        ("9" * 310, True, int("9" * 310), [I.BIG_INTEGER]),
        ("9" * INTEGER_DIGITS, True, int("9" * INTEGER_DIGITS), [I.BIG_INTEGER]),
        ("-" + "9" * (INTEGER_DIGITS + 1), True, -math.inf, [I.HUGE_NUMBER]),
        ('{"a": ' + "9" * (INTEGER_DIGITS + 1) + "} x", False, {"a": math.inf}, [I.HUGE_NUMBER, I.TRAILING_TEXT]),
        ('["12e345", 1e300, 12345678901234567.5]', True, ["12e345", 1e300, 12345678901234567.5], []),
        ("1e-999", True, 0.0, []),
        ("\u0661", False, None, [I.INVALID]),
        ('{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}], "c": "a"}', True, None, []),
        ('{"a": 1, "\\u0061": 2, "a": NaN}', False, {"a": None}, [I.DUPLICATE_KEY, I.DUPLICATE_KEY, I.NAN]),
        ('{"b": ["a", "a"], "a": "a", "c": {}, "c": 1}', True, {"b": ["a", "a"], "a": "a", "c": 1}, [I.DUPLICATE_KEY]),
        ('{"a": "\ty", "a": "\\ud83d"', False, None, [I.CONTROL_CHARACTER, I.INVALID]),
        (
            '{"a": "\ty", "a": "\\ud83d"}',
            False,
            {"a": "\ud83d"},
            [I.CONTROL_CHARACTER, I.DUPLICATE_KEY, I.LONE_SURROGATE],
        ),
        ('["\\\\ud83d", NaN]', False, ["\\ud83d", None], [I.NAN]),
        ('[true, false, null, 1, "\\ud83d"]', True, [True, False, None, 1, "\ud83d"], [I.LONE_SURROGATE]),
        ('["' + "[" * 300 + '", 1', False, None, [I.INVALID]),
        ("[[]" + ", []" * 300 + ", 01]", False, None, [I.INVALID]),
    ],
)
def test_a_text_is_read_strictly(text: str, ok: bool, value: Json, issues: list[JsonIssue]) -> None:
    """What is usable is given, and what is odd is named."""
    reading = read_json(text)
    expected = json.loads(text) if ok and value is None and text != "null" else value
    assert (reading.ok, reading.value) == (ok, expected)
    assert [problem.issue for problem in reading.problems] == issues
    assert all(0 <= problem.offset <= len(text) for problem in reading.problems)


@pytest.mark.parametrize(
    ("text", "issue", "offset", "detail"),
    [
        ('{"a": 1, "b": NaN}', I.NAN, 14, "NaN"),
        ("[1, -Infinity]", I.NAN, 4, "-Infinity"),
        ('{"a": 1, "b": {"b": 2}, "\\u0061": 3}', I.DUPLICATE_KEY, 24, "a"),
        ('{"id": "x", "n": 90071992547409930}', I.BIG_INTEGER, 17, "90071992547409930"),
        ('{"e000": 1, "n": 1e999}', I.HUGE_NUMBER, 17, "1e999"),
        ('["\\ud83d\\ude00 \\\\ud83d \\uD83d"]', I.LONE_SURROGATE, 23, "half of a surrogate pair"),
        ('["\\ud83d\ude00"]', I.LONE_SURROGATE, 2, "half of a surrogate pair"),
        ('{"a": 1}  \n </s>', I.TRAILING_TEXT, 12, "</s>"),
        (' {"a": 1,}', I.INVALID, 9, None),
        ('{"a": "b\x00"}', I.CONTROL_CHARACTER, 8, None),
        (" \n" + "[" * 300, I.TOO_DEEP, 2, "[" * 80),
    ],
)
def test_a_problem_says_where(text: str, issue: JsonIssue, offset: int, detail: str | None) -> None:
    """Offsets count characters from the start of the text and point at the odd thing itself."""
    (problem,) = read_json(text).problems
    assert (problem.issue, problem.offset) == (issue, offset)
    assert detail is None or problem == JsonProblem(issue, offset, detail)


@pytest.mark.parametrize("part", ['"a": NaN', '"a": 1e999', '"a": 12345678901234567', '"a": "\\ud83d"'])
def test_many_problems_are_not_all_listed(part: str) -> None:
    """Memory is bounded, and what makes a text invalid is never crowded out by what does not."""
    problems = read_json("{" + ", ".join([part] * 1000) + "}").problems
    assert len(problems) == 2 * PROBLEMS
    crowded = read_json('{"a": 1' + ', "a": 1' * 1000 + ', "a": NaN}')
    assert not crowded.ok
    assert [problem.issue for problem in crowded.problems] == [*[I.DUPLICATE_KEY] * PROBLEMS, I.NAN]


@pytest.mark.parametrize("read", [read_json, read_documents, prefix_state])
def test_long_strings_cost_little_beyond_themselves(read: Callable[[str], object]) -> None:
    """No reader keeps anything for each character: a peer decides how many there are."""
    text = '{"a": NaN, "b": "' + "x\\n" * 300_000 + "[" * 300
    tracemalloc.start()
    try:
        read(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(text)


def test_little_stack_is_no_crash() -> None:
    """Where the caller has left next to no stack, a text counts as too deep."""
    text = "[" * 190 + "NaN" + "]" * 190
    assert read_json(text).problems[0].issue is I.NAN

    def near_the_end(calls: int) -> list[JsonIssue]:
        if calls:
            return near_the_end(calls - 1)
        assert read_documents(text) == []
        return [problem.issue for problem in read_json(text).problems]

    frame, used = sys._getframe(), 1
    while frame.f_back is not None:
        frame, used = frame.f_back, used + 1
    assert near_the_end(sys.getrecursionlimit() - used - 100) == [I.TOO_DEEP]


documents = st.recursive(
    st.sampled_from(
        ["1", "-0.5e3", "null", "true", "NaN", "1e999", "98765432109876543210", '"a"', '"\\u00e9"', '"\\ud83d"']
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[" + " , ".join(items) + "]")
        | st.lists(st.tuples(st.sampled_from(['"a"', '"\\u0061"', '"b"', '"]{"']), inner), max_size=4).map(
            lambda pairs: "{" + ",".join(f"{name}: {value}" for name, value in pairs) + "}"
        )
    ),
    max_leaves=10,
)


@given(documents)
def test_the_standard_reader_finds_the_same_oddities(text: str) -> None:
    """Counted with the hooks of the standard library, which sees the same text by another way."""
    names: list[str] = []
    words: list[str] = []
    integers: list[int] = []

    def pairs(found: list[tuple[str, object]]) -> dict[str, object]:
        keys = [key for key, _ in found]
        names.extend(key for place, key in enumerate(keys) if key in keys[:place])
        return dict(found)

    def integer(digits: str) -> int:
        integers.append(int(digits))
        return int(digits)

    def constant(word: str) -> None:
        words.append(word)

    value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant, parse_int=integer)
    reading = read_json(text)
    assert (reading.value, reading.ok) == (value, not words)
    issues = [problem.issue for problem in reading.problems]
    assert issues.count(I.DUPLICATE_KEY) == min(len(names), PROBLEMS)
    assert issues.count(I.NAN) == min(len(words), PROBLEMS)
    assert issues.count(I.BIG_INTEGER) == min(sum(number > 2**53 for number in integers), PROBLEMS)
    assert issues.count(I.HUGE_NUMBER) == min(text.count("1e999"), PROBLEMS)
    assert issues.count(I.LONE_SURROGATE) == min(text.count("ud83d"), PROBLEMS)
    for problem in reading.problems:
        if problem.issue in (I.NAN, I.BIG_INTEGER, I.HUGE_NUMBER):
            assert text.startswith(problem.detail, problem.offset)
        elif problem.issue is I.DUPLICATE_KEY:
            assert json.loads(text[problem.offset : text.index('"', problem.offset + 1) + 1]) == problem.detail


@given(values)
def test_what_json_writes_is_read_back(value: Json) -> None:
    """Any value survives, in both forms of escaping."""
    for ascii_only in (True, False):
        reading = read_json(json.dumps(value, ensure_ascii=ascii_only))
        assert reading.ok
        assert equal(reading.value, value)


@given(st.text())
def test_any_text_is_read_without_raising(text: str) -> None:
    """The strict reading agrees with the standard library on what is valid."""
    reading = read_json(text)
    try:
        json.loads(text, parse_constant=_refuse)
    except ValueError:
        assert not reading.ok
    else:
        assert reading.ok
    read_documents(text)
    prefix_state(text)


def _refuse(word: str) -> None:
    raise ValueError(word)


def test_documents_are_listed_as_far_as_they_parse() -> None:
    """White space parts them; the rest is left."""
    assert read_documents('{"a": 1} [2]\n"x" y') == [
        Document({"a": 1}, 0, 8),
        Document([2], 9, 12),
        Document("x", 13, 16),
    ]
    assert read_documents("") == []
    assert len(read_documents("1 " * 100)) == DOCUMENTS
    assert read_documents("[" * 5000) == []
    assert read_documents("{}" + "[" * 5000) == [Document({}, 0, 2)]
    assert read_documents(" \n\t ") == []
    assert read_documents('{"a": NaN}{"a": "\n"}') == [Document({"a": None}, 0, 10), Document({"a": "\n"}, 10, 20)]
    assert read_documents("9" * 5000) == [Document(math.inf, 0, 5000)]
    assert len(read_documents(('{"x":' * 200 + "1" + "}" * 200) * 2)) == 2


@pytest.mark.parametrize(
    ("text", "cut", "closing"),
    [
        ("{", True, "}"),
        ('{"a', True, ""),
        ('{"a"', True, ""),
        ('{"a":', True, ""),
        ('{"a": 1', True, "}"),
        ('{"a": 1,', True, ""),
        ('{"a": "x', True, '"}'),
        ('{"a": "x\\', True, ""),
        ('{"a": "x\\\\', True, '"}'),
        ('{"a": "x\\u00', True, ""),
        ('{"a": "x\\\\u00', True, '"}'),
        ('{"a": "x\\u0061', True, '"}'),
        ('{"a": "x\\u00g', False, ""),
        ('{"a": "x\\q', False, ""),
        ('{"a": "x\ny', False, ""),
        ('{"a": 1.e', False, ""),
        ('{"a": 1.5e', True, ""),
        ('{"a": 1.5e-', True, ""),
        ('{"a": 01', False, ""),
        ('{"a": 1\u0669', False, ""),
        ('{"a": tx', False, ""),
        ('{"a": "x" "', False, ""),
        ('{"a" "', False, ""),
        ('{"a": 1, ', True, ""),
        ('{"a": 1, "', True, ""),
        ('{"a": "b",}', False, ""),
        ('{"a":}', False, ""),
        ("  {  ", True, "}"),
        ("{}", False, ""),
        ("{}{", False, ""),
        ('{"a": "x"', True, "}"),
        ('{"a": "x"  ', True, "}"),
        ('{"a": [', True, "]}"),
        ('{"a": [1, {"b": 2}', True, "]}"),
        ('{"a": [1,', True, ""),
        ('{"a": tr', True, ""),
        ('{"a": -', True, ""),
        ('{"a": 1.', True, ""),
        ('{"a": {}', True, "}"),
        ('{"a": 1}', False, ""),
        ('{"a": 1}}', False, ""),
        ("", False, ""),
        ("  ", False, ""),
        ("[1", False, ""),
        ('"x', False, ""),
        ("1", False, ""),
        ("{'a'", False, ""),
        ('{"a" 1', False, ""),
        ('{"a": 1 2', False, ""),
        ('{"a": 1 "b', False, ""),
        ('{"a": ops}', False, ""),
        ('{"a"}', False, ""),
        ("{,", False, ""),
        ("{]", False, ""),
        ('{"a": [1}', False, ""),
        ('{"a": [1,]', False, ""),
        ('{"a": tr 1', False, ""),
        ('{"a" tr', False, ""),
        ('{"a":: 1', False, ""),
        ("{1", False, ""),
    ],
)
def test_a_beginning_of_an_object_is_recognised(text: str, cut: bool, closing: str) -> None:
    """Only what merely stops too early is a cut object."""
    found = prefix_state(text)
    assert (found.cut, found.closing) == (cut, closing)
    assert found.in_string or not closing.startswith('"')
    if cut:
        assert isinstance(read_json(text + found.completion).value, dict)
        assert closing in ("", found.completion)
    else:
        assert found.completion == ""


@given(st.dictionaries(st.text(), values, min_size=1, max_size=4), st.data(), st.booleans())
def test_every_beginning_of_an_object_is_one(value: dict[str, Json], data: st.DataObject, tight: bool) -> None:
    """Any object cut anywhere inside is a cut object, its completion is one, and closing alone never invents."""
    text = json.dumps(value, ensure_ascii=tight, separators=(",", ":") if tight else None, indent=None if tight else 1)
    place = data.draw(st.integers(1, len(text) - 1))
    found = prefix_state(text[:place])
    assert found.cut
    assert isinstance(read_json(text[:place] + found.completion).value, dict)
    assert found.closing in ("", found.completion)
    assert set(found.closing) <= set('"]}')
    assert not prefix_state(text).cut


@given(st.lists(st.sampled_from([*'{}[]:,"\\ue01-.t', "true", '"a"', '{"a":']), max_size=9).map("".join))
def test_what_is_called_cut_can_be_completed(text: str) -> None:
    """Whatever the text: a cut one is no object yet, and becomes one."""
    found = prefix_state(text)
    if found.cut:
        assert not read_json(text).ok
        reading = read_json(text + found.completion)
        assert reading.ok
        assert isinstance(reading.value, dict)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (0, False, False),
        ({"a": [1, 2.0], "b": None}, {"b": None, "a": [1.0, 2]}, True),
        ("1", 1, False),
        ("x", "x", True),
        ([], {}, False),
        (None, None, True),
        (1.5, 1.5, True),
        ([1, 2], [2, 1], False),
        (-0.0, 0, True),
        ([1e22], [10**22], True),
        ([math.inf], [math.inf], True),
        ([math.inf], [-math.inf], False),
        ([2**53 + 1], [2**53], False),
        ({"a": True}, {"a": 1}, False),
        ({"a": None}, {}, False),
        ("\ud83d", "\ufffd", False),
    ],
)
def test_values_are_compared_as_json(left: Json, right: Json, same: bool) -> None:
    """Numbers by value, objects whatever the order, and a boolean is no number."""
    assert equal(left, right) is same
    assert (canonical(left) == canonical(right)) is same
