"""Pairing of calls, and the differences between JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.pairing import (
    DIFFERENCES,
    PAIRED,
    PlainCall,
    differences,
    pair_calls,
    same_value,
    same_written,
    show_call,
    show_value,
)

if TYPE_CHECKING:
    from toolwire.jsontext import Json


def calls(*entries: tuple[str, Json]) -> list[PlainCall]:
    """Give calls their places."""
    return [PlainCall(name, arguments, place) for place, (name, arguments) in enumerate(entries)]


@pytest.mark.parametrize(
    ("wanted", "came", "found"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, [("a", "1", "true")]),
        ({"a": 0}, {"a": False}, [("a", "0", "false")]),
        ({"a": None}, {}, [("a", "null", "no such key")]),
        ({}, {"b c": 1}, [('["b c"]', "no such key", "1")]),
        ({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "y"}]}, [("a[1].b", '"x"', '"y"')]),
        ({"a": [1]}, {"a": [1, 2]}, [("a", "1 items", "2 items: [1, 2]")]),
        ({"a": {}}, {"a": []}, [("a", "{}", "[]")]),
        ("x", {"a": 1}, [("", '"x"', '{"a": 1}')]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
        ({"a": "é"}, {"a": "e\u0301"}, [("a", '"é"', '"e\u0301"')]),
    ],
)
def test_differences(wanted: Json, came: Json, found: list[tuple[str, str, str]]) -> None:
    """Each place is named with both values; numbers are equal by value, and a boolean is no number."""
    assert [(item.path, item.wanted, item.came) for item in differences(wanted, came)] == found
    assert same_value(wanted, came) is (not found)


def test_differences_are_bounded_and_need_no_recursion() -> None:
    """A hostile value costs neither output nor stack."""
    many: Json = {str(number): number for number in range(100)}
    assert len(list(differences(many, {}))) == DIFFERENCES
    assert len(list(differences({}, many))) == DIFFERENCES
    left: Json = 1
    right: Json = 2
    for _ in range(5000):
        left, right = [left], [right]
    assert not same_value(left, right)
    assert not same_written(left, right)


@pytest.mark.parametrize(
    ("written", "came", "same"),
    [
        ("5", 5, True),
        ("5", "5", True),
        ("5", 6, False),
        ("true", True, True),
        ("True", True, True),
        ("None", None, True),
        ("null", None, True),
        ("[1, 2]", [1, 2], True),
        ('{"a": 1}', {"a": 1}, True),
        ("ls\n", "ls", True),
        ("ls -l", "ls", False),
        (5, "5", False),
        ({"a": "1"}, {"a": 1, "b": 2}, False),
        (["1", {"a": "x"}], [1, {"a": "x"}], True),
        (["1"], [1, 2], False),
    ],
)
def test_what_stands_between_tags_has_no_type(written: Json, came: Json, same: bool) -> None:
    """Text equals the value that it spells; a typed value does not equal text."""
    assert same_written(written, came) is same


@pytest.mark.parametrize(
    ("wanted", "came", "equal", "unequal", "missing", "extra"),
    [
        (calls(("f", {}), ("g", {})), calls(("g", {}), ("f", {})), [(0, 1), (1, 0)], [], [], []),
        (calls(("f", {"a": 1})), calls(("f", {"a": 2})), [], [(0, 0)], [], []),
        (calls(("f", None), ("f", {"a": 1})), calls(("f", {"a": 1}), ("f", {"a": 2})), [(1, 0), (0, 1)], [], [], []),
        (calls(("f", {})), calls(("f", {}), ("f", {})), [(0, 0)], [], [], [1]),
        (calls(("f", {}), ("f", {})), calls(("f", {})), [(0, 0)], [], [1], []),
        (calls(("f", {})), calls(("g", {})), [], [], [0], [0]),
        (calls(("f", {"a": 1}), ("f", {"a": 2})), calls(("f", {"a": 2}), ("f", {"a": 3})), [(1, 0)], [(0, 1)], [], []),
        ([], calls(("f", {})), [], [], [], [0]),
        (calls(("f", {})), [], [], [], [0], []),
    ],
)
def test_pairs(
    *,
    wanted: list[PlainCall],
    came: list[PlainCall],
    equal: list[tuple[int, int]],
    unequal: list[tuple[int, int]],
    missing: list[int],
    extra: list[int],
) -> None:
    """Equal calls find each other first, then calls of one name; the rest is left over."""
    pairing = pair_calls(wanted, came)
    assert [(left.position, right.position) for left, right in pairing.equal] == equal
    assert [(left.position, right.position) for left, right in pairing.unequal] == unequal
    assert [call.position for call in pairing.missing] == missing
    assert [call.position for call in pairing.extra] == extra


def test_order_is_known_but_not_used() -> None:
    """Calls pair in any order, and the pairing can tell whether it was kept."""
    there = calls(("f", {}), ("g", {}))
    back = calls(("g", {}), ("f", {}))
    assert pair_calls(there, there).in_order
    assert not pair_calls(there, back).in_order


def test_pairing_is_bounded() -> None:
    """A stream of many thousand calls costs no quadratic time."""
    many = [PlainCall("f", {"a": number}, number) for number in range(20_000)]
    pairing = pair_calls(many, many)
    assert len(pairing.equal) == PAIRED


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(VALUES, VALUES)
def test_equality_is_reflexive_and_symmetric(left: Json, right: Json) -> None:
    """A value equals itself, and no difference depends on the side."""
    assert same_value(left, left)
    assert same_written(left, left)
    assert same_value(left, right) is same_value(right, left)


def test_what_messages_quote_is_bounded() -> None:
    """Long values are cut, with their length."""
    assert show_value("x" * 1000).endswith("… (1002 characters)")
    assert show_call(PlainCall("f", None, 0)) == "f(…)"
    assert show_call(PlainCall("f", {"a": "é"}, 0)) == 'f({"a": "é"})'
