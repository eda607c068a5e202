"""How the bytes of a wire are cut and when they go: data, and a pure function over it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from toolwire.simulator.wire import Pause, Wire, frame

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from toolwire.simulator.wire import Item

__all__ = ["Chunking", "Pacing", "Part", "parts"]

LONGEST_PIECE = 97
"""Bytes of the longest piece of random chunking: longer than a line's head, shorter than an event."""


class Chunking(StrEnum):
    """Where the bytes of an answer are cut into writes."""

    EVENT = "event"
    """One write for each item: about one a token."""
    EVENTS = "events"
    """One write for each `size` items, as engines send that decode several tokens at once."""
    BYTES = "bytes"
    """One write for each `size` bytes; 1 cuts inside characters and line ends."""
    WHOLE = "whole"
    """All in one write."""
    RANDOM = "random"
    """Anywhere, by chance."""


@dataclass(frozen=True, slots=True)
class Pacing:
    """When and how the bytes go: seconds to the first one, seconds between writes, and where they are cut."""

    first: float = 0.0
    gap: float = 0.0
    chunking: Chunking = Chunking.EVENT
    size: int = 1


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes of one write, and the seconds to wait before it."""

    data: bytes
    wait: float


def parts(wire: Wire, pacing: Pacing, dice: Random) -> Iterator[Part]:
    """Yield the writes of a wire; its own pauses come on top of the pacing, also those behind the last byte."""
    wait = pacing.first
    if wire.one_write or pacing.chunking is Chunking.WHOLE:
        pauses = sum(item.seconds for item in wire.items if isinstance(item, Pause))
        # what a buffering proxy holds back was written piece by piece behind it; a whole answer was not
        gaps = pacing.gap * max(0, sum(not isinstance(item, Pause) for item in wire.items) - 1) * wire.one_write
        yield Part(b"".join(map(frame, wire.items)), wait + pauses + gaps)
        return
    for run in _runs(wire.items, pacing.size if pacing.chunking is Chunking.EVENTS else 1):
        if isinstance(run, float):
            wait += run
            continue
        for data in _cut(run, pacing, dice):
            yield Part(data, wait)
            wait = pacing.gap
    if wire.items and isinstance(wire.items[-1], Pause):
        yield Part(b"", max(0.0, wait - pacing.gap))


def _runs(items: tuple[Item, ...], size: int) -> Iterator[bytes | float]:
    """Yield the bytes of up to `size` items at a time, and the seconds of each pause between them."""
    held: list[bytes] = []
    for item in items:
        if isinstance(item, Pause):
            yield b"".join(held)
            held = []
            yield float(item.seconds)
            continue
        held.append(frame(item))
        if len(held) >= size:
            yield b"".join(held)
            held = []
    yield b"".join(held)


def _cut(data: bytes, pacing: Pacing, dice: Random) -> Iterator[bytes]:
    """Cut the bytes of one or more items."""
    if not data:
        return
    if pacing.chunking not in (Chunking.BYTES, Chunking.RANDOM):
        yield data
        return
    place = 0
    while place < len(data):
        size = max(pacing.size, 1) if pacing.chunking is Chunking.BYTES else dice.randint(1, LONGEST_PIECE)
        yield data[place : place + size]
        place += size
