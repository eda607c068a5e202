"""Server-sent events to the letter: every row whole, byte by byte, at each single cut, and with a tail."""

from __future__ import annotations

import re
import tracemalloc
from dataclasses import dataclass, field
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from openai._streaming import SSEDecoder

from toolwire.framing import EXCERPT, RECORDED, Event, FramingAnomaly, Limits, Residue, Span
from toolwire.framing import sse as module
from toolwire.framing.sse import BLOCK, SseDecoder

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
    Row(
        b"id: 7\n\ndata: a\n\n: c\n\nid:\n\n: c\n\n",
        [("", "a")],
        [F.ID_FIELD, F.EMPTY_DATA_BLOCK, F.COMMENT, F.COMMENT_AFTER_ID, F.ID_FIELD, F.EMPTY_DATA_BLOCK, F.COMMENT],
    ),
    Row(b":\n\n:data: a\n\ndata: b\n\n", [("", "b")], [F.COMMENT, F.COMMENT]),
    # an event's name before its data, which has a quick way of its own
    Row(b"event: \ndata: a\n\n", [("", "a")], [F.EVENT_NAME]),
    Row(b"event:  x \ndata:  a \n\n", [(" x ", " a ")], [F.EVENT_NAME]),
    Row(b"event: x\ndata: \n\n", [("x", "")], [F.EVENT_NAME, F.EMPTY_DATA_BLOCK]),
    Row(b"event:x\ndata: a\n\n", [("x", "a")], [F.NO_SPACE_AFTER_COLON, F.EVENT_NAME]),
    Row(b"event: x\ndata: a\ndata: b\n\n", [("x", "a\nb")], [F.EVENT_NAME, F.MULTI_LINE_DATA]),
    Row(b"event: x\nevent: y\ndata: a\n\n", [("y", "a")], [F.EVENT_NAME, F.EVENT_NAME]),
    Row(b"event: x\n\ndata: a\n\n", [("", "a")], [F.EVENT_NAME, F.EMPTY_DATA_BLOCK]),
    Row(b"event: \xff\ndata: a\n\n", [("\ufffd", "a")], [F.INVALID_UTF8, F.EVENT_NAME]),
    Row(b"event: x\ndata: \xff\n\n", [("x", "\ufffd")], [F.EVENT_NAME, F.INVALID_UTF8]),
    Row(b"data: a\nevent: x\n\n", [("x", "a")], [F.EVENT_NAME]),
    # fields
    Row(b"data: a:b: c\n\n", [("", "a:b: c")]),
    Row(b"data:\ta\n\n", [("", "\ta")], [F.NO_SPACE_AFTER_COLON]),
    Row(b"data : a\n\ndata: b\n\n", [("", "b")], [F.UNKNOWN_FIELD]),
    Row(b"data: a\0b\n\n", [("", "a\0b")]),
    Row(b"retry: 1\xd9\xa1\ndata: a\n\n", [("", "a")], [F.RETRY_FIELD, F.BAD_RETRY]),
    Row(b"data: \xef\xbb\xbfa\n\n\xef\xbb\xbfdata: b\n\n", [("", "\ufeffa")], [F.UNKNOWN_FIELD]),
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
    Row(b"data: a\r\n\r\ndata: b\r\n\r", [("", "a"), ("", "b")], [F.MIXED_LINE_ENDINGS]),
    Row(b"data: a\n\n: c", [("", "a")], [F.COMMENT]),
    Row(b"\r", [], [F.CR_LINE_ENDINGS]),
    Row(b"\xef\xbb\xbf", [], [F.BOM]),
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


def test_only_the_mark_of_the_end_is_no_loss() -> None:
    """Where `[DONE]` alone was left unfinished, no client misses anything."""
    for tail, harmless in ((b"data: [DONE]", True), (b"data: [DONE]\n", True), (b"data: [DONE]\ndata: x", False)):
        residue = decode([b"data: a\n\n" + tail]).residue
        assert residue is not None
        assert residue.is_done is harmless


def test_the_last_id_stays_and_counts_are_at_hand() -> None:
    """An id outlives its event; an id with NUL is ignored; an empty one takes it back."""
    decoder = SseDecoder()
    decoder.feed(b"id: 7\ndata: a\n\n: c\n\ndata: b\n\nid: x\0\n\n", 0.0)
    assert (decoder.last_event_id, decoder.event_count, decoder.comment_count) == ("7", 2, 1)
    decoder.feed(b"id\r", 0.0)
    assert decoder.last_event_id == "7"
    decoder.feed(b"\n\r\n", 0.0)
    assert decoder.last_event_id == ""


def test_an_excerpt_is_short_and_placed() -> None:
    """An anomaly says where, in or before which event, and quotes no more than a little."""
    decoder = SseDecoder()
    decoder.feed(b"data: a\n\nerror: " + b"x" * 1000 + b"\n\n", 0.5)
    (anomaly,) = decoder.anomalies
    assert (anomaly.kind, anomaly.span, anomaly.at, anomaly.event) == (F.UNKNOWN_FIELD, Span(9, 1017), 0.5, 1)
    assert anomaly.detail == ("error: " + "x" * 1000)[:EXCERPT]


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
        (b"data: " + b"x" * 14 + b"\n\ndata: a\n\n", ["x" * 14, "a"], []),
        (b"data: " + b"x" * 15 + b"\n\ndata: a\n\n", ["a"], [F.LINE_TOO_LONG]),
        (b"data: " + b"x" * 40, [], [F.LINE_TOO_LONG]),
        (b"data: " + b"x" * 40 + b"\r\n\r\ndata: a\r\n\r\n", ["a"], [F.LINE_TOO_LONG, F.CRLF_LINE_ENDINGS]),
        (b"event: " + b"x" * 40 + b"\ndata: a\n\ndata: b\n\n", ["b"], [F.LINE_TOO_LONG]),
        (b"event: x\ndata: " + b"x" * 40 + b"\n\ndata: b\n\n", ["b"], [F.EVENT_NAME, F.LINE_TOO_LONG]),
        (b"data: aaaaaaaaaa\ndata: bbbbbbbbbb\ndata: c\ndata: d\n\ndata: a\n\n", ["a"], [F.EVENT_TOO_LONG]),
        (b"data: abc\n\n" * 30, ["abc"] * 18, [F.BODY_TOO_LONG]),
        (b": c\n\ndata: abc\n\n" * 30, ["abc"] * 12, [*[F.COMMENT] * RECORDED, F.BODY_TOO_LONG]),
    ],
)
def test_limits_are_kept_and_named(body: bytes, events: list[str], kinds: list[FramingAnomaly]) -> None:
    """What passes a limit is left out, the rest goes on, and what we cut off ourselves is not called unfinished."""
    whole = decode([body], SMALL)
    assert [data for _, _, _, data, _ in whole.events] == events
    assert [kind for kind, *_ in whole.anomalies] == kinds
    for parts in every_cut(body):
        assert decode(parts, SMALL) == whole


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


@pytest.mark.parametrize(
    "piece", [b"x" * 1024, b"data: x\n" * 128, b"data: x\r" * 128, b": c\n" * 256, b"id: 1\n" * 170]
)
def test_memory_stays_within_the_limits(piece: bytes) -> None:
    """Endless lines, endless blocks and endless comments cost no more than the limits allow."""
    decoder = SseDecoder(Limits(line=8192, event=8192))
    tracemalloc.start()
    try:
        for _ in range(300):
            assert decoder.feed(piece, 0.0) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert decoder.bytes_seen == 300 * len(piece)
    assert peak < 160_000


def test_a_long_line_may_end_with_the_body() -> None:
    """The set-aside parts are not forgotten at the end."""
    decoder = SseDecoder()
    decoder.feed(b"data: " + b"x" * 2_000_000, 0.0)
    decoder.feed(b"y" * 10, 0.0)
    decoder.close(1.0)
    assert decoder.residue is not None
    assert decoder.residue.data.endswith("xy" + "y" * 9)


def test_a_long_block_changes_the_path_only_until_it_ends() -> None:
    """Blocks too long to wait for are read line by line; the next ones are cut as before."""
    long = b"data: " + b"x" * BLOCK + b"\ndata: y\n\n"
    body = b"data: a\n\n" + long + b"data: b\n\n"
    whole = decode([body])
    assert [data for _, _, _, data, _ in whole.events] == ["a", "x" * BLOCK + "\ny", "b"]
    for size in (1000, BLOCK - 5, BLOCK + 20):
        assert decode([body[place : place + size] for place in range(0, len(body), size)]) == whole


pieces = st.sampled_from(
    [
        *(b"data: a", b"data:b", b"data", b"\n", b"\r", b"\r\n", b"\n\n", b"id: 1", b"id", b": c", b"event: x"),
        *(
            b"retry: 5",
            b"\xff",
            b"{",
            b"data: c\n\n",
            b"event: y\ndata: d\n\n",
            b"\xef\xbb\xbf",
            b"\xc3\xa9",
            b" ",
            b"\0",
        ),
        *(b"[DONE]", b"data: " + b"x" * 30, b"\xe2\x80\xa8"),
    ]
)
bodies = st.lists(pieces, max_size=14).map(b"".join) | st.binary(max_size=60)


@given(
    bodies, st.lists(st.integers(0, 120), max_size=4), st.sampled_from([None, SMALL, Limits(8, 8, 40)]), st.booleans()
)
@example(b"data: " + b"x" * 14 + b"\r\n\r\n", [21], SMALL, False)  # noqa: FBT003 - a column
def test_any_partition_gives_the_same(body: bytes, cuts: list[int], limits: Limits | None, eager: bool) -> None:
    """Any body, cut anywhere, whatever the limits, and on whichever path."""
    places = sorted({min(cut, len(body)) for cut in cuts})
    reads = [body[start:end] for start, end in zip([0, *places], [*places, len(body)], strict=True)]
    whole = decode([body], limits)
    with patch.object(module, "BLOCK", 3 if eager else BLOCK):
        assert decode(reads, limits) == whole


@given(st.binary(max_size=200))
def test_arbitrary_bytes_never_raise(body: bytes) -> None:
    """Whatever comes, and however it is cut, the answer is the same."""
    assert decode([body[place : place + 1] for place in range(len(body))]) == decode([body])


def by_the_letter(body: bytes) -> list[tuple[str, str]]:
    """Return (name, data) of each event: the standard's steps one after another, on the whole text."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    *lines, _unfinished = re.split("\r\n|\r|\n", text)
    found: list[tuple[str, str]] = []
    data = name = ""
    for line in lines:
        if not line:
            if data:
                found.append((name, data.removesuffix("\n")))
            data = name = ""
        elif not line.startswith(":"):
            field_name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field_name == "event":
                name = value
            elif field_name == "data":
                data += value + "\n"
    return found


@given(bodies)
def test_the_events_are_those_of_the_standard(body: bytes) -> None:
    """A plain transcription of the standard, without any path or cut, sees the same events."""
    assert [(name, data) for _, _, _, data, name in decode([body]).events] == by_the_letter(body)


@given(bodies)
def test_spans_lie_in_order_and_inside_the_body(body: bytes) -> None:
    """Events follow each other without overlap; their bytes decode to themselves; anomalies lie inside too."""
    seen = decode([body])
    place = 0
    for number, (own, start, end, data, _) in enumerate(seen.events):
        assert own == number
        assert place <= start < end <= len(body)
        # behind a blank line, lest a U+FEFF that begins the event be taken for the byte order mark
        assert [event[3] for event in decode([b"\n" + body[start:end] + b"\n\n"]).events][:1] == [data]
        place = end
    assert all(0 <= start <= end <= len(body) for _, start, end, _, _ in seen.anomalies)


texts = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1)


@given(st.lists(texts, min_size=1, max_size=5))
def test_the_official_decoder_agrees_on_plain_streams(values: list[str]) -> None:
    """On streams that keep to the form, an independent decoder sees the same events."""
    body = "".join(f"data: {value}\n\n" for value in values).encode()
    official = [event.data for event in SSEDecoder().iter_bytes(iter([body]))]
    assert [data for _, _, _, data, _ in decode([body]).events] == official == values


def timed(body: bytes, cuts: list[int], *, at_once: bool, limits: Limits, block: int) -> tuple[object, ...]:
    """Return all that a decoder says of timed reads, taken at once or one after the other."""
    places = [0, *sorted(cut % (len(body) + 1) for cut in cuts), len(body)]
    reads = [(float(number), body[a:b]) for number, (a, b) in enumerate(pairwise(places), start=1)]
    decoder = SseDecoder(limits)
    with patch.object(module, "BLOCK", block):
        if at_once:
            events = decoder.feed_all(reads)
        else:
            events = [event for at, data in reads for event in decoder.feed(data, at)]
        events += decoder.close(len(reads) + 1.0)
    endings = dict(+decoder.line_ending_counts)
    seen = (decoder.bytes_seen, decoder.event_count, decoder.last_event_id, decoder.residue)
    return (events, decoder.anomalies, dict(decoder.counts), endings, *seen)


short = st.sampled_from(
    [
        b"data: a\n\n",
        b"data: \n\n",
        b": c\n\n",
        b"event: y\ndata: d\n\n",
        b"data: b\nid: 1\n\n",
        b"\n",
        b"\xff\n\n",
        b"x\n",
    ]
)


@given(
    bodies | st.lists(short | pieces, max_size=14).map(b"".join) | st.lists(short, max_size=14).map(b"".join),
    st.lists(st.integers(0, 80), max_size=8),
    st.sampled_from([Limits(), SMALL, Limits(line=9), Limits(event=9), Limits(body=25)]),
    st.sampled_from([8, 12, 20, BLOCK]),
)
@settings(max_examples=600)
def test_a_whole_body_at_once_is_seen_as_read_by_read(body: bytes, cuts: list[int], limits: Limits, block: int) -> None:
    """Everything is the same, and so is the time of each event and each anomaly."""
    read_by_read = timed(body, cuts, at_once=False, limits=limits, block=block)
    assert timed(body, cuts, at_once=True, limits=limits, block=block) == read_by_read


def test_a_body_in_small_reads_is_cut_at_once() -> None:
    """The reads of an ordinary body are not fed one by one, and one long block is fed with all that follows it."""
    reads = [(float(number), b"data: %d\n\n" % number) for number in range(50)]
    decoder = SseDecoder()
    with patch.object(SseDecoder, "feed", side_effect=AssertionError):
        events = decoder.feed_all(reads)
    assert [(event.data, event.at) for event in events] == [(str(number), float(number)) for number in range(50)]
    late = SseDecoder()
    with patch.object(SseDecoder, "feed", autospec=True, side_effect=SseDecoder.feed) as feed:
        assert len(late.feed_all([*reads, (60.0, b"data: " + b"x" * BLOCK + b"\n\n"), *reads])) == 101
    assert feed.call_count == 51
