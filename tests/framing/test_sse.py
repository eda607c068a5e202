"""Server-sent events to the letter: every row whole, byte by byte, at each single cut, and with a tail."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai._streaming import SSEDecoder

from toolwire.framing import RECORDED, Event, FramingAnomaly, Limits, Residue, Span
from toolwire.framing.sse import SseDecoder

F = FramingAnomaly


@dataclass(frozen=True)
class Seen:
    """All that a decoder says of some bytes, without times."""

    events: list[tuple[int, int, int, str, str]]
    anomalies: list[tuple[str, int, int, str, int]]
    counts: dict[str, int]
    endings: dict[str, int]
    residue: Residue | None


def decode(parts: list[bytes], limits: Limits | None = None) -> Seen:
    """Feed the parts and return what was seen."""
    decoder = SseDecoder(limits)
    events: list[Event] = []
    for number, part in enumerate(parts):
        events += decoder.feed(part, float(number))
    events += decoder.close(float(len(parts)))
    return Seen(
        [(event.number, event.span.start, event.span.end, event.data, event.name) for event in events],
        [(one.kind, one.span.start, one.span.end, one.detail, one.event) for one in decoder.anomalies],
        {str(kind): count for kind, count in decoder.counts.items()},
        dict(+decoder.line_ending_counts),
        decoder.residue,
    )


def every_cut(body: bytes) -> list[list[bytes]]:
    """Return the body whole, byte by byte, and at each single cut."""
    cuts = [[body[:place], body[place:]] for place in range(1, len(body))]
    return [[body], [body[place : place + 1] for place in range(len(body))], *cuts]


@dataclass(frozen=True)
class Row:
    """Bytes, the (name, data) of the events that they hold, and the kinds of anomalies."""

    body: bytes
    events: list[tuple[str, str]] = field(default_factory=list)
    anomalies: list[FramingAnomaly] = field(default_factory=list)


ROWS = [
    # the standard's own examples
    Row(b"data: YHOO\ndata: +2\ndata: 10\n\n", [("", "YHOO\n+2\n10")], [F.MULTI_LINE_DATA]),
    Row(
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        [("", "first event"), ("", "second event"), ("", " third event")],
        [F.COMMENT, F.ID_FIELD, F.NO_SPACE_AFTER_COLON, F.ID_FIELD],
    ),
    Row(
        b"data\n\ndata\ndata\n\ndata:",
        [("", ""), ("", "\n")],
        [F.EMPTY_DATA_BLOCK, F.MULTI_LINE_DATA, F.UNFINISHED_EVENT],
    ),
    Row(b"data:test\n\ndata: test\n\n", [("", "test"), ("", "test")], [F.NO_SPACE_AFTER_COLON]),
    # line ends
    Row(b"data: a\r\rdata: b\r\r", [("", "a"), ("", "b")], [F.CR_LINE_ENDINGS]),
    Row(b"data: a\r\n\r\ndata: b\r\n\r\n", [("", "a"), ("", "b")], [F.CRLF_LINE_ENDINGS]),
    Row(b"data: a\n\ndata: b\r\n\r\n", [("", "a"), ("", "b")], [F.MIXED_LINE_ENDINGS]),
    Row(b"data: a\r\n\rdata: b\n\n", [("", "a"), ("", "b")], [F.MIXED_LINE_ENDINGS]),
    Row(b"data: a\r", [], [F.UNFINISHED_EVENT, F.CR_LINE_ENDINGS]),
    Row("data: a\u2028b\u0085c\x0bd\n\n".encode(), [("", "a\u2028b\u0085c\x0bd")]),
    # byte order mark
    Row(b"\xef\xbb\xbfdata: a\n\n", [("", "a")], [F.BOM]),
    Row(b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", [], [F.BOM, F.UNKNOWN_FIELD]),
    Row(b"\xef\xbb", [], [F.INVALID_UTF8, F.UNKNOWN_FIELD]),
    # comments, and what clients make of them once an id was seen
    Row(b": ping\n\ndata: a\n\n", [("", "a")], [F.COMMENT]),
    Row(b"id: 7\ndata: a\n\n: ping\n\n", [("", "a")], [F.ID_FIELD, F.COMMENT, F.COMMENT_AFTER_ID]),
    Row(b"id: 7\ndata: a\n\n\ndata: b\n\n", [("", "a"), ("", "b")], [F.ID_FIELD, F.EMPTY_DATA_BLOCK]),
    Row(b"id: 7\ndata: a\n\nid\ndata: b\n\n\n", [("", "a"), ("", "b")], [F.ID_FIELD, F.ID_FIELD]),
    Row(b"data: a\n: inside\ndata: b\n\n", [("", "a\nb")], [F.COMMENT, F.MULTI_LINE_DATA]),
    # fields
    Row(b"event: x\ndata: a\n\ndata: b\n\n", [("x", "a"), ("", "b")], [F.EVENT_NAME]),
    Row(b"event: x\n\n", [], [F.EVENT_NAME, F.EMPTY_DATA_BLOCK]),
    Row(b"retry: 3000\n\n", [], [F.RETRY_FIELD, F.EMPTY_DATA_BLOCK]),
    Row(b"retry: soon\ndata: a\n\n", [("", "a")], [F.RETRY_FIELD, F.BAD_RETRY]),
    Row(b"id: a\0b\ndata: a\n\n: c\n\n", [("", "a")], [F.ID_FIELD, F.NUL_IN_ID, F.COMMENT]),
    Row(b"data:\n\n", [("", "")], [F.EMPTY_DATA_BLOCK]),
    Row(b"data: \n\n", [("", "")], [F.EMPTY_DATA_BLOCK]),
    Row(b"Data: a\n\n", [], [F.UNKNOWN_FIELD]),
    Row(b" data: a\n\n", [], [F.UNKNOWN_FIELD]),
    Row(b"error: {}\ndata: a\n\n", [("", "a")], [F.UNKNOWN_FIELD]),
    Row(b'{"a": 1}\n\n', [], [F.NON_FIELD_JSON]),
    Row(b"[DONE]\n\n", [], [F.NON_FIELD_JSON]),
    Row(b"data: a\n[1]\n\n", [("", "a")], [F.NON_FIELD_JSON]),
    # ends
    Row(b"data: a\n\ndata: [DONE]\n", [("", "a")], [F.UNFINISHED_EVENT]),
    Row(b"data: a\n\ndata: b", [("", "a")], [F.UNFINISHED_EVENT]),
    Row(b"data: a\n\n: bye", [("", "a")], [F.COMMENT]),
    Row(b"\n\n\ndata: a\n\n\n\n", [("", "a")]),
    Row(b"", []),
    Row(b"data: a\n\ndat", [("", "a")]),
    Row(b"data: a\n\n<html>", [("", "a")], [F.UNKNOWN_FIELD]),
    # bytes that are no text
    Row(b"data: a\xffb\n\ndata: c\n\n", [("", "a\ufffdb"), ("", "c")], [F.INVALID_UTF8]),
    Row(b"data: \xe2\x82\n\n", [("", "\ufffd")], [F.INVALID_UTF8]),
    Row("data: 读 👩‍🚀\n\n".encode(), [("", "读 👩‍🚀")]),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: repr(row.body)[:60])
def test_a_row_is_the_same_however_it_is_cut(row: Row) -> None:
    """Events, anomalies, spans and counts do not depend on the reads."""
    whole = decode([row.body])
    assert [(name, data) for _, _, _, data, name in whole.events] == row.events
    assert [kind for kind, *_ in whole.anomalies] == row.anomalies
    for parts in every_cut(row.body):
        assert decode(parts) == whole


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.body.endswith(b"\n\n")], ids=lambda row: repr(row.body)[:60]
)
def test_a_tail_changes_nothing_before_it(row: Row) -> None:
    """What came before is decoded alike, whatever follows."""
    tailed = decode([row.body + b"data: tail\n\n"])
    assert tailed.events[:-1] == decode([row.body]).events
    assert tailed.events[-1][3] == "tail"


def test_spans_cover_the_body() -> None:
    """Each event's span reaches from the end of the last one to behind its blank line."""
    seen = decode([b": c\n\ndata: a\n\ndata: bb\r\n\r\n"])
    assert [(start, end) for _, start, end, _, _ in seen.events] == [(5, 14), (14, 26)]


def test_the_residue_is_what_a_tolerant_client_would_have_got() -> None:
    """An unfinished event is kept apart, with its name and place."""
    assert decode([b"data: a\n\nevent: x\ndata: b\ndata: c"]).residue == Residue("b\nc", "x", Span(9, 33))


def test_the_time_is_that_of_the_read_that_completes_an_event() -> None:
    """Also where a CR ends the read and only the next one shows that no LF follows."""
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\r\r", 1.0) == []
    assert [event.at for event in decoder.feed(b"data: b\n\n", 2.0)] == [1.0, 2.0]
    plain = SseDecoder()
    assert [event.at for event in plain.feed(b"data: a\n\ndata: ", 1.0)] == [1.0]
    assert [event.at for event in plain.feed(b"b\n\n", 2.0)] == [2.0]
    held = SseDecoder()
    held.feed(b"data: a\r", 1.0)
    assert held.feed(b"", 2.0) == []
    held.feed(b"\r", 3.0)
    assert [event.at for event in held.close(4.0)] == [3.0]


def test_many_anomalies_are_counted_and_not_kept() -> None:
    """Memory does not grow with the number of odd lines."""
    seen = decode([b": ping\n\n" * 10_000])
    assert len(seen.anomalies) == RECORDED
    assert seen.counts["comment"] == 10_000


SMALL = Limits(line=20, event=30, body=200)


@pytest.mark.parametrize(
    ("body", "events", "kinds"),
    [
        (b"data: " + b"x" * 40 + b"\n\ndata: a\n\n", ["a"], [F.LINE_TOO_LONG]),
        (b"data: " + b"x" * 40, [], [F.LINE_TOO_LONG]),
        (b"data: aaaaaaaaaa\ndata: bbbbbbbbbb\ndata: c\ndata: d\n\ndata: a\n\n", ["a"], [F.EVENT_TOO_LONG]),
        (b"data: abc\n\n" * 30, ["abc"] * 18, [F.BODY_TOO_LONG]),
    ],
)
def test_limits_are_kept_and_named(body: bytes, events: list[str], kinds: list[FramingAnomaly]) -> None:
    """What passes a limit is left out, the rest goes on, and memory stays bounded."""
    for parts in ([body], [body[place : place + 1] for place in range(len(body))]):
        seen = decode(parts, SMALL)
        assert [data for _, _, _, data, _ in seen.events] == events
        assert [kind for kind, *_ in seen.anomalies if kind != F.UNFINISHED_EVENT] == kinds


def test_a_long_line_grows_without_being_copied() -> None:
    """A line of many megabytes in small reads is one event, and one beyond the limit is left out."""
    piece = b"x" * 65536
    for count, expected in ((40, 1), (80, 0)):
        decoder = SseDecoder(Limits(line=4 * 1024 * 1024))
        decoder.feed(b"data: ", 0.0)
        for _ in range(count):
            assert decoder.feed(piece, 0.0) == []
            assert len(decoder._buffer) + decoder._parts_size <= 5 * 1024 * 1024
        found = decoder.feed(b"\n\n", 1.0)
        assert len(found) == expected
        assert bool(decoder.counts[F.LINE_TOO_LONG]) is not bool(expected)


def test_a_long_line_may_end_with_the_body() -> None:
    """The set-aside parts are not forgotten at the end."""
    decoder = SseDecoder()
    decoder.feed(b"data: " + b"x" * 2_000_000, 0.0)
    decoder.feed(b"y" * 10, 0.0)
    decoder.close(1.0)
    assert decoder.residue is not None
    assert decoder.residue.data.endswith("xy" + "y" * 9)


pieces = st.sampled_from(
    [b"data: a", b"data:b", b"\n", b"\r", b"\r\n", b"\n\n", b"id: 1", b": c", b"event: x", b"retry: 5", b"\xff", b"{"]
)


@given(st.lists(pieces, max_size=14), st.lists(st.integers(0, 80), max_size=4))
def test_any_partition_gives_the_same(parts: list[bytes], cuts: list[int]) -> None:
    """Any body of lines, cut anywhere."""
    body = b"".join(parts)
    places = sorted({min(cut, len(body)) for cut in cuts})
    reads = [body[start:end] for start, end in zip([0, *places], [*places, len(body)], strict=True)]
    assert decode(reads) == decode([body])


@given(st.binary(max_size=200))
def test_arbitrary_bytes_never_raise(body: bytes) -> None:
    """Whatever comes, and however it is cut, the answer is the same."""
    assert decode([body[place : place + 1] for place in range(len(body))]) == decode([body])


texts = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1)


@given(st.lists(texts, min_size=1, max_size=5))
def test_the_official_decoder_agrees_on_plain_streams(values: list[str]) -> None:
    """On streams that keep to the form, an independent decoder sees the same events."""
    body = "".join(f"data: {value}\n\n" for value in values).encode()
    official = [event.data for event in SSEDecoder().iter_bytes(iter([body]))]
    assert [data for _, _, _, data, _ in decode([body]).events] == official == values
