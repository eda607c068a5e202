"""Lines of JSON: every row whole, byte by byte, at each single cut, and with a tail."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.framing import RECORDED, Event, FramingAnomaly, Limits
from toolwire.framing.ndjson import NdjsonDecoder

F = FramingAnomaly


@dataclass(frozen=True)
class Seen:
    """All that a decoder says of some bytes, without times."""

    events: list[tuple[int, int, int, str]]
    anomalies: list[tuple[str, int, int, str, int]]
    counts: dict[str, int]
    endings: dict[str, int]


def decode(parts: list[bytes], limits: Limits | None = None) -> Seen:
    """Feed the parts and return what was seen."""
    decoder = NdjsonDecoder(limits)
    events: list[Event] = []
    for number, part in enumerate(parts):
        events += decoder.feed(part, float(number))
    events += decoder.close(float(len(parts)))
    assert decoder.residue is None
    assert all(event.name == "" for event in events)
    return Seen(
        [(event.number, event.span.start, event.span.end, event.data) for event in events],
        [(one.kind, one.span.start, one.span.end, one.detail, one.event) for one in decoder.anomalies],
        {str(kind): count for kind, count in decoder.counts.items()},
        dict(decoder.line_ending_counts),
    )


def every_cut(body: bytes) -> list[list[bytes]]:
    """Return the body byte by byte, and at each single cut."""
    cuts = [[body[:place], body[place:]] for place in range(1, len(body))]
    return [[body[place : place + 1] for place in range(len(body))], *cuts]


@dataclass(frozen=True)
class Row:
    """Bytes, the lines that they hold, and the kinds of anomalies."""

    body: bytes
    lines: list[str] = field(default_factory=list)
    anomalies: list[FramingAnomaly] = field(default_factory=list)


ROWS = [
    Row(b""),
    Row(b'{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']),
    Row(b'{"a":1}\r\n{"b":2}\r\n', ['{"a":1}', '{"b":2}'], [F.CRLF_LINE_ENDINGS]),
    Row(b'{"a":1}\r\n{"b":2}\n', ['{"a":1}', '{"b":2}'], [F.MIXED_LINE_ENDINGS]),
    # the last line, and what may be missing of its end
    Row(b'{"a":1}\n{"b":2}', ['{"a":1}', '{"b":2}'], [F.UNFINISHED_EVENT]),
    Row(b'{"a":1}\r', ['{"a":1}'], [F.UNFINISHED_EVENT]),
    Row(b"1\n  ", ["1"], [F.BLANK_LINE]),
    Row(b"\r", [], [F.BLANK_LINE]),
    # blank lines
    Row(b"1\n\n2\n", ["1", "2"], [F.BLANK_LINE]),
    Row(b"1\n \t\r\n2\n", ["1", "2"], [F.BLANK_LINE, F.MIXED_LINE_ENDINGS]),
    Row(b"\n", [], [F.BLANK_LINE]),
    # lines of another form
    Row(b'data: {"a":1}\n\n', ['data: {"a":1}'], [F.SSE_PREFIX, F.BLANK_LINE]),
    Row(b"event: x\n: ping\nid:1\nretry: 5\n", ["event: x", ": ping", "id:1", "retry: 5"], [F.SSE_PREFIX] * 4),
    Row(b'"data:"\n', ['"data:"']),
    # characters at which some clients split
    Row('"a\u2028b"\n'.encode(), ['"a\u2028b"'], [F.SEPARATOR_IN_LINE]),
    Row('"a\u2029\u0085"\n'.encode(), ['"a\u2029\u0085"'], [F.SEPARATOR_IN_LINE] * 2),
    Row(b'"\x0b\x0c\x1c\x1f"\n', ['"\x0b\x0c\x1c\x1f"'], [F.SEPARATOR_IN_LINE] * 4),
    Row(b'{"a":1}\r{"b":2}\n', ['{"a":1}\r{"b":2}'], [F.SEPARATOR_IN_LINE]),
    Row(b"1\r\r\n", ["1\r"], [F.SEPARATOR_IN_LINE, F.CRLF_LINE_ENDINGS]),
    Row('"\t\x1b\u00a0\u202e"\n'.encode(), ['"\t\x1b\u00a0\u202e"']),
    # bytes that are no text, and the mark
    Row(b'"\xff"\n', ['"\ufffd"'], [F.INVALID_UTF8]),
    Row(b"\xef\xbb\xbf1\n\xef\xbb\xbf2\n", ["1", "\ufeff2"], [F.BOM]),
    Row(b"\xef\xbb\xbf", [], [F.BOM, F.BLANK_LINE]),
    Row('"读 👩‍🚀"\n'.encode(), ['"读 👩‍🚀"']),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: repr(row.body)[:60])
def test_a_row_is_the_same_however_it_is_cut(row: Row) -> None:
    """Lines, anomalies, spans and counts do not depend on the reads."""
    whole = decode([row.body])
    assert [data for _, _, _, data in whole.events] == row.lines
    assert [kind for kind, *_ in whole.anomalies if kind != F.UNFINISHED_EVENT] == [
        kind for kind in row.anomalies if kind is not F.UNFINISHED_EVENT
    ]
    assert whole.counts.get("unfinished-event", 0) == row.anomalies.count(F.UNFINISHED_EVENT)
    for parts in every_cut(row.body):
        assert decode(parts) == whole


@pytest.mark.parametrize("row", [row for row in ROWS if row.body.endswith(b"\n")], ids=lambda row: repr(row.body)[:60])
def test_a_tail_changes_nothing_before_it(row: Row) -> None:
    """What came before is decoded alike, whatever follows."""
    tailed = decode([row.body + b"tail\n"])
    assert tailed.events[:-1] == decode([row.body]).events
    assert tailed.events[-1][3] == "tail"


def test_spans_hold_the_line_with_its_end() -> None:
    """A span reaches behind the LF; a separator's span is its bytes, with its name beside it."""
    seen = decode(['{"a":1}\n"é\u2028"\r\n3'.encode()])
    assert [(start, end) for _, start, end, _ in seen.events] == [(0, 8), (8, 17), (17, 18)]
    assert seen.anomalies[:2] == [
        (F.SEPARATOR_IN_LINE, 11, 14, "U+2028", 1),
        (F.UNFINISHED_EVENT, 17, 18, "3", 2),
    ]


def test_the_time_is_that_of_the_read_that_completes_a_line() -> None:
    """A line is complete with its LF, or with the end."""
    decoder = NdjsonDecoder()
    assert [event.at for event in decoder.feed(b"1\n2", 1.0)] == [1.0]
    assert [event.at for event in decoder.feed(b"\n3", 2.0)] == [2.0]
    assert [event.at for event in decoder.close(3.0)] == [3.0]
    assert decoder.event_count == 3


def test_many_anomalies_are_counted_and_not_kept() -> None:
    """Memory does not grow with the number of odd lines."""
    seen = decode([b"\n" * 10_000])
    assert len(seen.anomalies) == RECORDED
    assert seen.counts["blank-line"] == 10_000


SMALL = Limits(line=10, body=60)


@pytest.mark.parametrize(
    ("body", "lines", "kinds"),
    [
        (b"x" * 10 + b"\ny\n", ["x" * 10, "y"], []),
        (b"x" * 10 + b"\r\ny\r\n", ["x" * 10, "y"], [F.CRLF_LINE_ENDINGS]),
        (b"x" * 11 + b"\ny\n", ["y"], [F.LINE_TOO_LONG]),
        (b"x" * 30 + b"\r\ny\r\n", ["y"], [F.LINE_TOO_LONG, F.CRLF_LINE_ENDINGS]),
        (b"x" * 10 + b"\rx\ny\n", ["y"], [F.LINE_TOO_LONG]),
        (b"\xef\xbb\xbf" + b"x" * 8 + b"\ny\n", ["y"], [F.LINE_TOO_LONG]),
        (b"x" * 50, [], [F.LINE_TOO_LONG]),
        (b"abcde\n" * 20, ["abcde"] * 10, [F.BODY_TOO_LONG]),
        (b"abcdef\n" * 20, ["abcdef"] * 8, [F.BODY_TOO_LONG]),
    ],
)
def test_limits_are_kept_and_named(body: bytes, lines: list[str], kinds: list[FramingAnomaly]) -> None:
    """What passes a limit is left out, the rest goes on, and what we cut off ourselves is not called unfinished."""
    whole = decode([body], SMALL)
    assert [data for _, _, _, data in whole.events] == lines
    assert [kind for kind, *_ in whole.anomalies] == kinds
    for parts in every_cut(body):
        assert decode(parts, SMALL) == whole


def test_memory_stays_within_the_limits() -> None:
    """An endless line costs no more than its limit."""
    decoder = NdjsonDecoder(Limits(line=8192))
    tracemalloc.start()
    try:
        for _ in range(300):
            assert decoder.feed(b"x" * 1024, 0.0) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert decoder.counts[F.LINE_TOO_LONG] == 1
    assert peak < 40_000


pieces = st.sampled_from(
    [
        b'{"a":1}',
        b"\n",
        b"\r",
        b"\r\n",
        b" ",
        b"data: ",
        b"\xe2\x80\xa8",
        b"\xc2\x85",
        b"\xff",
        b"\xef\xbb\xbf",
        b"xxxxxx",
    ]
)
bodies = st.lists(pieces, max_size=14).map(b"".join) | st.binary(max_size=60)


@given(bodies, st.lists(st.integers(0, 80), max_size=4), st.sampled_from([None, SMALL, Limits(line=4, body=20)]))
def test_any_partition_gives_the_same(body: bytes, cuts: list[int], limits: Limits | None) -> None:
    """Any body, cut anywhere, whatever the limits."""
    places = sorted({min(cut, len(body)) for cut in cuts})
    reads = [body[start:end] for start, end in zip([0, *places], [*places, len(body)], strict=True)]
    assert decode(reads, limits) == decode([body], limits)


@given(bodies)
def test_no_line_is_lost(body: bytes) -> None:
    """Events are the lines of the body, without blank ones."""
    lines = [line.removesuffix(b"\r") for line in body.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    wanted = [line.decode("utf-8", "replace") for line in lines if line.strip(b" \t\r")]
    assert [data for _, _, _, data in decode([body]).events] == wanted
