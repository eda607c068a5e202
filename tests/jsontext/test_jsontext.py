"""JSON to the letter: valid, invalid, and valid but a trap."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.jsontext import (
    DEPTH,
    DOCUMENTS,
    Document,
    Json,
    JsonIssue,
    canonical,
    equal,
    prefix_state,
    read_documents,
    read_json,
)

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
        ('["' + "[" * 300 + '", 1', False, None, [I.INVALID]),
        ("[[]" + ", []" * 300 + ", 01]", False, None, [I.INVALID]),
    ],
)
def test_a_text_is_read_strictly(text: str, ok: bool, value: Json, issues: list[JsonIssue]) -> None:
    """What is usable is given, and what is odd is named."""
    reading = read_json(text)
    assert (reading.ok, reading.value) == (ok, value)
    assert [problem.issue for problem in reading.problems] == issues
    assert all(0 <= problem.offset <= len(text) for problem in reading.problems)


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
    assert found.cut is cut
    if cut:
        assert found.closing == closing
        if closing:
            assert read_json(text + closing).ok


@given(st.dictionaries(st.text(), values, min_size=1, max_size=4), st.data())
def test_every_beginning_of_an_object_is_one(value: dict[str, Json], data: st.DataObject) -> None:
    """Any object cut anywhere inside is a cut object, and its closing, where there is one, makes it whole."""
    text = json.dumps(value)
    place = data.draw(st.integers(1, len(text) - 1))
    found = prefix_state(text[:place])
    assert found.cut
    if found.closing:
        assert read_json(text[:place] + found.closing).ok


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
    ],
)
def test_values_are_compared_as_json(left: Json, right: Json, same: bool) -> None:
    """Numbers by value, objects whatever the order, and a boolean is no number."""
    assert equal(left, right) is same
    assert (canonical(left) == canonical(right)) is same
