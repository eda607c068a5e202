"""Faults of the stream itself: lines, fields, events, bytes, headers."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import Part, edit, event, insert, part_of, rebuild, replace_part, without
from toolwire.simulator.faults.errors import answer_with
from toolwire.simulator.faults.fault import declare
from toolwire.simulator.forms import whole
from toolwire.simulator.wire import Chunk, Done, Raw, Wire, frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from random import Random

    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item

__all__ = ["FAULTS"]

_fault = declare("framing")


def _bytes(change: Callable[[bytes], bytes]) -> Change:
    """Change the bytes of every event."""
    return rebuild(lambda items, _plan: (Raw(change(frame(item))) if frame(item) else item for item in items))


def _by_turns(first: bytes, second: bytes) -> Change:
    """End the lines of events by turns in one way and in another."""

    def make(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
        for place, item in enumerate(items):
            yield Raw(frame(item).replace(b"\n", second if place % 2 else first))

    return rebuild(make)


def _raw(part: Part, change: Callable[[bytes], bytes], which: int | None = 0) -> Change:
    """Change the bytes of the event of one part."""
    return replace_part(part, lambda value: [Raw(change(frame(Chunk(value))))], which)


def _headers(**headers: str) -> Change:
    """Send other headers; an underscore stands for a hyphen, an empty value takes a header away."""

    def change(wire: Wire, _plan: Plan, _dice: Random) -> Wire:
        merged = {**wire.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return replace(wire, headers={name: value for name, value in merged.items() if value})

    return change


def _gzip(headers: dict[str, str]) -> Change:
    """Compress the whole body."""

    def change(wire: Wire, _plan: Plan, _dice: Random) -> Wire:
        body = gzip.compress(b"".join(frame(item) for item in wire.items), mtime=0)
        return replace(wire, items=(Raw(body),), headers={**wire.headers, **headers})

    return change


def _length(wire: Wire, _plan: Plan, _dice: Random) -> Wire:
    """Say how long the stream is, as a server that had it all before it began."""
    size = sum(len(frame(item)) for item in wire.items)
    return replace(wire, headers={**wire.headers, "content-length": str(size)})


def _completion(headers: dict[str, str]) -> Change:
    """Answer with the non-streamed form."""

    def change(_wire: Wire, plan: Plan, _dice: Random) -> Wire:
        return Wire((Raw(json.dumps(whole(plan), ensure_ascii=False).encode()),), headers=dict(headers))

    return change


def _glued(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Send two documents in one event, where the blank line between two events was lost."""
    places = [place for place, item in enumerate(items) if part_of(item) is Part.ARGUMENTS][:2]
    for place, item in enumerate(items):
        if len(places) == 2 and place == places[0]:  # noqa: PLR2004 - a pair
            yield Raw(frame(item).removesuffix(b"\n\n") + frame(items[places[1]]).removeprefix(b"data: "))
        elif len(places) != 2 or place != places[1]:  # noqa: PLR2004 - a pair
            yield item


def _two_data_lines(data: bytes) -> bytes:
    """Write one event on several lines, as a pretty printer does."""
    text = json.dumps(json.loads(data.removeprefix(b"data: ")), indent=1, ensure_ascii=False).encode()
    return b"".join(b"data: " + line + b"\n" for line in text.split(b"\n")) + b"\n"


def _unfinished(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Send the last event without the blank line that ends it, and no end mark."""
    kept = [item for item in items if part_of(item) is not Part.DONE]
    return (*kept[:-1], *(Raw(frame(item).removesuffix(b"\n\n")) for item in kept[-1:]))


PAGE = b"<!doctype html><html><head><title>Sign in</title></head><body>Please sign in.</body></html>"
PLAIN = {"content-type": "text/plain; charset=utf-8"}
JSON = {"content-type": "application/json"}

FAULTS = (
    _fault("crlf", "lines end with CR LF", _bytes(lambda data: data.replace(b"\n", b"\r\n")), verdict="PASS"),
    _fault(
        "bare-cr",
        "lines end with a bare CR",
        _bytes(lambda data: data.replace(b"\n", b"\r")),
        "mixed-line-endings",
        verdict="PASS",
    ),
    _fault(
        "mixed-line-endings",
        "lines end now so, now otherwise",
        _by_turns(b"\n", b"\r\n"),
        "mixed-line-endings",
        verdict="PASS",
    ),
    _fault(
        "byte-order-mark",
        "the body begins with a byte order mark",
        insert(Part.ROLE, Raw(b"\xef\xbb\xbf")),
        "byte-order-mark",
        verdict="PASS",
    ),
    _fault(
        "no-space",
        "no blank follows `data:`",
        _bytes(lambda data: data.replace(b"data: ", b"data:")),
        "no-space-after-colon",
        verdict="PASS",
    ),
    _fault(
        "comment-after-id",
        "a comment alone follows an event with an id",
        _raw(Part.HEAD, lambda data: b"id: 7\n" + data + b": ping\n\n"),
        "comment-after-id",
        verdict="PASS",
    ),
    _fault("ids", "each event has an id", _bytes(lambda data: b"id: 7\n" + data), verdict="PASS"),
    _fault(
        "ids-and-comments",
        "each event has an id, and comments stand between",
        _bytes(lambda data: b"id: 7\n" + data + b": ping\n\n"),
        "comment-after-id",
        verdict="PASS",
    ),
    _fault("event-names", "each event has a name", _bytes(lambda data: b"event: message\n" + data), verdict="PASS"),
    _fault(
        "thread-event-names",
        "the name of each event begins with `thread.`",
        _bytes(lambda data: b"event: thread.message\n" + data),
        "event-name",
        verdict="PASS",
    ),
    _fault("event-only", "an event has a name and no data", insert(Part.HEAD, Raw(b"event: ping\n\n")), "empty-event"),
    _fault(
        "retry-only",
        "an event has a time to wait and no data",
        insert(Part.HEAD, Raw(b"retry: 3000\n\n")),
        "empty-event",
    ),
    _fault("data-empty", "an event has empty data", insert(Part.HEAD, Raw(b"data:\n\n")), "empty-event"),
    _fault("data-lines", "an event is written on several lines", _raw(Part.ARGUMENTS, _two_data_lines), verdict="PASS"),
    _fault(
        "unknown-field",
        "an event has a field that no standard has",
        _bytes(lambda data: b"model: x\n" + data),
        "unknown-field",
        verdict="PASS",
    ),
    _fault(
        "events-glued", "two documents stand in one event", rebuild(_glued), "payload-not-json", "arguments-not-json"
    ),
    _fault(
        "event-truncated",
        "the JSON of one event is cut",
        _raw(Part.ARGUMENTS, lambda data: data[:-9] + b"\n\n"),
        "payload-not-json",
        "arguments-not-json",
    ),
    _fault("event-comment", "a comment comes as data", insert(Part.HEAD, Raw(b"data: : ping\n\n")), "payload-not-json"),
    _fault("event-text", "an event holds words", insert(Part.HEAD, Raw(b"data: please wait\n\n")), "payload-not-json"),
    _fault(
        "payload-nan",
        "a number is NaN",
        edit(Part.ROLE, lambda value: value.update(score=float("nan"))),
        "payload-not-json",
        "role-missing",
    ),
    _fault(
        "payload-duplicate-key",
        "a chunk has a key twice",
        _raw(Part.ROLE, lambda data: data.replace(b"{", b'{"id": "x", ', 1)),
        "duplicate-key",
        verdict="PASS",
    ),
    _fault(
        "payload-control-character",
        "a string holds a raw control character",
        _raw(Part.HEAD, lambda data: data.replace(b'"function"', b'"func\x01tion"', 1)),
        "payload-not-json",
        "call-fragment-stray",
    ),
    _fault(
        "payload-lone-surrogate",
        "content holds half of a surrogate pair",
        _raw(Part.ROLE, lambda data: data.replace(b'"content": ""', b'"content": "\\ud83d"')),
        "lone-surrogate",
        verdict="PASS",
    ),
    _fault(
        "payload-big-integer",
        "a number is larger than a double keeps",
        edit(Part.ROLE, lambda value: value.update(seed=2**63)),
        verdict="PASS",
    ),
    _fault(
        "invalid-utf8",
        "content holds bytes that are no UTF-8",
        _raw(Part.ROLE, lambda data: data.replace(b'"content": ""', b'"content": "Na\xefve"')),
        "invalid-utf8",
    ),
    _fault(
        "bare-lines",
        "chunks come as lines of JSON, without `data:`",
        _bytes(lambda data: data.removeprefix(b"data: ")),
        "no-event",
        "payload-outside-data",
        verdict="ERROR",
    ),
    _fault(
        "bare-line",
        "one chunk comes as a line of JSON, without `data:`",
        _raw(Part.ARGUMENTS, lambda data: data.removeprefix(b"data: ")),
        "payload-outside-data",
        "arguments-not-json",
    ),
    _fault(
        "event-unfinished",
        "the last event is not ended",
        rebuild(_unfinished),
        "unfinished-event",
        "done-missing",
        "usage-missing",
    ),
    _fault(
        "done-unfinished",
        "the end mark has no blank line",
        replace_part(Part.DONE, lambda _v: [Raw(b"data: [DONE]")]),
        verdict="PASS",
    ),
    _fault("done-missing", "no end mark comes", without(Part.DONE), "done-missing", verdict="PASS"),
    _fault(
        "done-twice",
        "the end mark comes twice",
        insert(Part.DONE, Done(), behind=True),
        "done-repeated",
        verdict="PASS",
    ),
    _fault(
        "event-after-done",
        "an event follows the end mark",
        insert(Part.DONE, event({"type": "ping"}), behind=True),
        "done-repeated",
        "foreign-event",
    ),
    _fault(
        "done-quoted",
        "the end mark is a JSON string",
        replace_part(Part.DONE, lambda _v: [Raw(b'data: "[DONE]"\n\n')]),
        "done-missing",
        "chunk-fields",
    ),
    _fault(
        "content-type-json",
        "the headers call the stream JSON",
        _headers(content_type="application/json"),
        "content-type",
    ),
    _fault(
        "content-type-plain",
        "the headers call the stream plain text",
        _headers(content_type="text/plain"),
        "content-type",
    ),
    _fault("content-type-missing", "no header says what the body is", _headers(content_type=""), "content-type"),
    _fault(
        "charset-latin",
        "the headers name another charset",
        _headers(content_type="text/event-stream; charset=iso-8859-1"),
        verdict="PASS",
    ),
    _fault("content-length", "the stream says how long it is", _length, "content-length-stream", verdict="PASS"),
    _fault(
        "gzip",
        "the stream is compressed, though nobody offered to read that",
        _gzip({"content-encoding": "gzip"}),
        "encoding-unrequested",
    ),
    _fault(
        "gzip-unlabelled",
        "the stream is compressed, and no header says so",
        _gzip({}),
        "encoding-broken",
        verdict="ERROR",
    ),
    _fault(
        "gzip-labelled-plain",
        "the headers say gzip, and the stream is plain",
        _headers(content_encoding="gzip"),
        "encoding-broken",
        "encoding-unrequested",
        verdict="ERROR",
    ),
    _fault(
        "completion-as-body",
        "the answer comes whole, though a stream was asked for",
        _completion(JSON),
        "completion-as-body",
    ),
    _fault(
        "completion-as-stream",
        "the answer comes whole, and the headers say event stream",
        _completion({"content-type": "text/event-stream"}),
        "completion-as-body",
    ),
    _fault(
        "completion-as-event",
        "the answer comes whole in one event",
        lambda wire, plan, _dice: replace(wire, items=(Chunk(whole(plan)), Done())),
        "chunk-object",
        "message-for-delta",
        "role-missing",
        "choice-shape",
        "usage-place",
        verdict="DROP",
    ),
    _fault(
        "body-empty",
        "the body is empty",
        answer_with(200, b"", {"content-type": "text/event-stream"}),
        "no-event",
        verdict="ERROR",
    ),
    _fault(
        "only-comments",
        "nothing but comments come",
        answer_with(200, b": ping\n\n" * 3, {"content-type": "text/event-stream"}),
        "no-event",
        verdict="ERROR",
    ),
    _fault(
        "only-done",
        "nothing but the end mark comes",
        lambda wire, _plan, _dice: replace(wire, items=(Done(),)),
        "no-event",
        verdict="ERROR",
    ),
    _fault(
        "html-page",
        "status 200, and the body is a page",
        answer_with(200, PAGE, {"content-type": "text/html"}),
        "no-event",
        "unknown-field",
        verdict="ERROR",
    ),
    _fault(
        "plain-text",
        "status 200, and the body is plain words",
        answer_with(200, b"upstream timeout\n", PLAIN),
        "no-event",
        "unknown-field",
        verdict="ERROR",
    ),
)
