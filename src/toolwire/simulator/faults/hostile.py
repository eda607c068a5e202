"""Answers that attack the reader: endless, gigantic, or hardly moving."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import Part, like, part_of, template
from toolwire.simulator.faults.fault import declare
from toolwire.simulator.wire import Chunk, Pause, Raw, Wire, frame

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from toolwire.simulator.faults.edit import Object
    from toolwire.simulator.faults.fault import Change, Fault
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item

__all__ = ["FAULTS"]

_fault = declare("hostile")
BLOCK = 1 << 16
"""Bytes that an endless answer sends again and again."""
BOMB = 1 << 30
"""Bytes that a bomb unpacks to."""
DEEP = 100_000
"""Levels of a JSON text that no recursion survives."""
MANY = 200_000
"""Empty events in a row."""
MINUTE = 60.0


def _for_ever(last: Callable[[Object], Item]) -> Change:
    """Break off before the finish, and repeat an item for ever; it may use the shared fields."""

    def change(wire: Wire, _plan: Plan, _dice: Random) -> Wire:
        kept = tuple(item for item in wire.items if part_of(item) not in (Part.FINISH, Part.USAGE, Part.DONE))
        return replace(wire, items=(*kept, last(template(wire.items))), endless=True)

    return change


def _bomb(wire: Wire, _plan: Plan, _dice: Random) -> Wire:
    """Send few bytes that unpack to very many: members of a gzip body may follow one another."""
    step = 1 << 24
    member = gzip.compress(b": " + b"x" * (step - 4) + b"\n\n", mtime=0)
    first = gzip.compress(b"".join(frame(item) for item in wire.items[:1]), mtime=0)
    items: tuple[Item, ...] = (Raw(first), *(Raw(member) for _ in range(BOMB // step)))
    return replace(wire, items=items, headers={**wire.headers, "content-encoding": "gzip"})


def _drop_by_drop(wire: Wire, _plan: Plan, _dice: Random) -> Wire:
    """Send one byte a minute."""
    body = b"".join(frame(item) for item in wire.items)
    items: list[Item] = []
    for byte in body:
        items += [Raw(bytes([byte])), Pause(MINUTE)]
    return replace(wire, items=tuple(items))


def _deep(wire: Wire, _plan: Plan, _dice: Random) -> Wire:
    """Send an event that nests deeper than readers recurse."""
    event = b'data: {"choices": ' + b"[" * DEEP + b"]" * DEEP + b"}\n\n"
    return replace(wire, items=(*wire.items[:1], Raw(event), *wire.items[1:]))


def _hostile(name: str, summary: str, apply: Change, verdict: str = "BROKEN") -> Fault:
    """Declare such an answer; which rules complain depends on the reader's limits, so none is claimed."""
    return _fault(name, summary, apply, verdict=verdict, hostile=True)


FAULTS = (
    _hostile(
        "endless-content",
        "words without end",
        _for_ever(lambda shared: like(shared, content="word " * 64)),
    ),
    _hostile(
        "endless-arguments",
        "fragments of arguments without end",
        _for_ever(lambda shared: like(shared, tool_calls=[{"index": 0, "function": {"arguments": " " * 256}}])),
    ),
    _hostile("endless-comments", "comments without end", _for_ever(lambda _shared: Raw(b": ping\n\n" * 64))),
    _hostile("endless-line", "one line without end", _for_ever(lambda _shared: Raw(b"x" * BLOCK))),
    _hostile(
        "endless-event", "one event of lines without end", _for_ever(lambda _shared: Raw(b"data: x\n" * (BLOCK // 8)))
    ),
    _hostile(
        "endless-empty-events",
        "empty events without end",
        _for_ever(lambda _shared: Raw(b"\n" * BLOCK)),
    ),
    _hostile(
        "endless-choices",
        "chunks without end that hold very many choices",
        _for_ever(lambda shared: Chunk({**shared, "choices": [{"index": place, "delta": {}} for place in range(512)]})),
    ),
    _hostile(
        "gigabyte-line",
        "a line of a gigabyte",
        lambda wire, _plan, _dice: replace(
            wire, items=(*wire.items[:1], Raw(b"data: "), *((Raw(b"x" * (1 << 20)),) * (BOMB >> 20)))
        ),
    ),
    _hostile("gzip-bomb", "few bytes that unpack to a gigabyte", _bomb),
    _hostile("byte-a-minute", "one byte a minute", _drop_by_drop, "ERROR"),
    _hostile(
        "silence",
        "one event, and then nothing for an hour",
        lambda wire, _plan, _dice: replace(wire, items=(*wire.items[:1], Pause(3600.0), *wire.items[1:])),
    ),
    _hostile("deep-json", "an event that nests deeper than readers recurse", _deep),
    _hostile(
        "many-empty-events",
        "very many empty events within a right answer",
        lambda wire, _plan, _dice: replace(wire, items=(*wire.items[:1], Raw(b"\n" * MANY), *wire.items[1:])),
        verdict="PASS",
    ),
    _hostile(
        "endless-error",
        "status 500, and a page without end",
        lambda _wire, _plan, _dice: replace(
            Wire((Raw(b"<p>error</p>" * 512),), 500, {"content-type": "text/html"}), endless=True
        ),
        verdict="ERROR",
    ),
)
