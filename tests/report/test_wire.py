"""The bytes of a finding, marked on the wire."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.report.wire import AROUND, LONGEST, Marked, marked


@pytest.mark.parametrize(
    ("body", "start", "end", "shown"),
    [
        (b'{"a": 1}', 6, 7, Marked('{"a": ', "1", "}")),
        (b"ab", 1, 1, Marked("a", "", "b")),
        (b"ab", 7, 9, Marked("ab", "", "")),
        (b"a\r\n\x1b[2J", 1, 3, Marked("a", "\\r\\n", "\\x1b[2J")),
        ("aöb".encode(), 2, 3, Marked("a", "ö", "b")),
        (b"x" * 30 + b"HIT" + b"y" * 30, 30, 33, Marked("…" + "x" * 20, "HIT", "y" * 20 + "…")),
        (b"<" + b"z" * 500 + b">", 0, 502, Marked("", "<" + "z" * 15 + "…" + "z" * 15 + ">", "")),
        (b"\x80" * 8, 5, 6, Marked("\ufffd" * 5, "\ufffd", "\ufffd" * 2)),
        (b"<" + b"z" * 40 + b">", 0, 42, Marked("", "<" + "z" * 15 + "…" + "z" * 15 + ">", "")),
    ],
)
def test_the_span_stands_apart_from_what_surrounds_it(body: bytes, start: int, end: int, shown: Marked) -> None:
    """Whole characters, no control characters, and a long span by its two ends."""
    assert marked(body, start, end) == shown


@given(st.binary(max_size=300), st.integers(-5, 400), st.integers(-5, 400))
def test_any_span_of_any_bytes_is_short_and_printable(body: bytes, start: int, end: int) -> None:
    """Whatever a server sent and wherever a rule points, a line comes out that fits a terminal."""
    shown = marked(body, start, end)
    assert len(shown.before) <= AROUND + 1
    assert len(shown.hit) <= LONGEST + 1
    assert len(shown.after) <= AROUND + 1
    for part in (shown.before, shown.hit, shown.after):
        assert not any(ord(character) < ord(" ") or character == "\x7f" for character in part)
