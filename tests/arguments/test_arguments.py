"""What happened to a text that should be arguments, by its shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.arguments import Shape, explain, resent_at


@pytest.mark.parametrize(
    ("fragments", "shape", "words"),
    [
        ([""], Shape.EMPTY, "empty"),
        (["  "], Shape.EMPTY, "empty"),
        (['{"a": 1'], Shape.CUT, "'}' is missing"),
        (['{"a": "x'], Shape.CUT, "'\"}' is missing"),
        (['{"a":'], Shape.CUT, "stop too early"),
        (['{"a": 1}{"a": 1}'], Shape.DOUBLED, "same object twice"),
        (['{"a": 1}"{\\"a\\": 1}"'], Shape.DOUBLED, "encoded as a string"),
        (['{"a": 1}', '{"a": 1}'], Shape.RESENT, "sent again"),
        (['{"a', '{"a": 1', '{"a": 1}'], Shape.RESENT, "sent again"),
        (['{"a": 1', '{"a":1}'], Shape.BROKEN, "not JSON"),
        (['{"a": 1{"a": 1}'], Shape.RESENT, "sent again"),
        (['{"a": 1}', '"{\\"a\\": 1}"'], Shape.RESENT, "sent again"),
        (['{"a": 1}{"b": 2}'], Shape.SECOND, "second object"),
        (['{"a": 1}multiply{"b": 2}'], Shape.SECOND, "another call"),
        (['{"a": 1}</tool_call>'], Shape.DEBRIS, "markup"),
        (['{"a": 1}</s'], Shape.DEBRIS, "markup"),
        (['{"a": 1}<|im_end|>'], Shape.DEBRIS, "markup"),
        (['{"a": 1}}'], Shape.TRAILING, "close more"),
        (['{"a": 1} done'], Shape.TRAILING, "text behind"),
        (["[ARGS]{}"], Shape.DEBRIS, "begin with markup"),
        (["<tool_call>"], Shape.DEBRIS, "begin with markup"),
        (['json\n{"a": 1}'], Shape.LEADING, "before the object"),
        (['ath": "x"}'], Shape.LATE, "lack their beginning"),
        (['ter": {"a": 1}}'], Shape.LATE, "lack their beginning"),
        (["{'a': 'x'}"], Shape.PYTHON, "Python"),
        (["{'a': True, 'b': None}"], Shape.PYTHON, "Python"),
        (['{"a": "x\ny"}'], Shape.CONTROL, "control character"),
        (['{"a": NaN}'], Shape.NOT_A_NUMBER, "NaN"),
        (['{"a": ops}'], Shape.BARE, "without quotes"),
        (['{"a": 1 "b": 2}'], Shape.BROKEN, "not JSON near"),
        (['{"a": <|"|>x<|"|>}'], Shape.DEBRIS, "hold markup"),
        (["path=/etc/hosts"], Shape.BROKEN, "not JSON near"),
    ],
)
def test_a_text_tells_what_happened_to_it(fragments: list[str], shape: Shape, words: str) -> None:
    """Cut, doubled, sent again, its beginning lost, debris in it, or wrong inside."""
    text = "".join(fragments)
    found = explain(text, fragments)
    assert found.shape is shape
    assert words in found.words
    assert 0 <= found.offset <= len(text)


@pytest.mark.parametrize(
    ("fragments", "place"),
    [
        ([], None),
        (['{"a": 1}'], None),
        (['{"a":', " 1}"], None),
        (['{"a": 1}', '{"a": 1}'], 8),
        (['{"a": 1', '{"a": 1}'], 7),
        (['{"a": 1}', '"{\\"a\\": 1}"'], 8),
        (['{"a": ', '{"b": 1}', "}"], None),
        (['{"a": 1}', "{}"], None),
        (['{"a": 1}', '"text"'], None),
        (['{"a": 1}', '"{"'], None),
        (['{"a": 1}', "{"], None),
        (["  ", '{"a": 1}'], None),
        (['{"a": [', *['{"b": 1}, '] * 60, "]}"], None),
    ],
)
def test_a_copy_is_found_where_it_begins(fragments: list[str], place: int | None) -> None:
    """It begins with a fragment, and what came before is its beginning or another spelling."""
    assert resent_at(fragments) == place


@given(st.lists(st.text(max_size=30), max_size=8))
def test_any_text_is_explained(fragments: list[str]) -> None:
    """Whatever comes, there is an answer with a place in it."""
    text = "".join(fragments)
    found = explain(text, fragments)
    assert 0 <= found.offset <= len(text)
    assert found.words
