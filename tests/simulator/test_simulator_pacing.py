"""Cutting and pacing move bytes in time and never change them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.simulator.pacing import LONGEST_PIECE, Chunking, Pacing, parts
from toolwire.simulator.wire import Chunk, Done, Pause, Raw, Wire, frame

WIRE = Wire((Chunk({"a": "ä"}), Raw(b": ping\n\n"), Chunk({"b": [1, 2]}), Done()))
WHOLE = b"".join(map(frame, WIRE.items))


def cut(wire: Wire, pacing: Pacing, seed: int = 0) -> list[bytes]:
    """Return the writes alone."""
    return [part.data for part in parts(wire, pacing, random.Random(seed))]


@given(st.sampled_from(Chunking), st.integers(1, 200), st.integers(0, 2**32), st.integers(0, 4))
def test_every_chunking_sends_the_same_bytes(chunking: Chunking, size: int, seed: int, place: int) -> None:
    """Wherever bytes are cut, and wherever a pause stands, they join to the same answer."""
    paused = Wire((*WIRE.items[:place], Pause(0.5), *WIRE.items[place:]))
    for wire in (WIRE, paused):
        assert b"".join(cut(wire, Pacing(chunking=chunking, size=size), seed)) == WHOLE


@pytest.mark.parametrize(
    ("pacing", "sizes"),
    [
        (Pacing(), [len(frame(item)) for item in WIRE.items]),
        (Pacing(chunking=Chunking.EVENTS, size=3), [sum(len(frame(item)) for item in WIRE.items[:3]), 14]),
        (Pacing(chunking=Chunking.WHOLE), [len(WHOLE)]),
        (Pacing(chunking=Chunking.BYTES), [1] * len(WHOLE)),
    ],
    ids=["an event a write", "three events a write", "all in one write", "a byte a write"],
)
def test_bytes_are_cut_where_asked(pacing: Pacing, sizes: list[int]) -> None:
    """Each chunking cuts where it says, the rest that fills no write included."""
    assert [len(data) for data in cut(WIRE, pacing)] == sizes


def test_random_cuts_follow_the_seed() -> None:
    """The same seed cuts at the same places, another one elsewhere, and no piece is empty or too long."""
    long = Wire((Raw(b"x" * 5000),))
    pacing = Pacing(chunking=Chunking.RANDOM)
    assert cut(long, pacing, 1) == cut(long, pacing, 1)
    assert cut(long, pacing, 1) != cut(long, pacing, 2)
    assert all(0 < len(data) <= LONGEST_PIECE for data in cut(long, pacing, 1))


def test_waits_are_the_pacing_and_the_pauses_of_the_wire() -> None:
    """The first write waits for the first token, the others for the gap, and a pause comes on top."""
    wire = Wire((Raw(b"a"), Raw(b"b"), Pause(3.0), Raw(b"c"), Raw(b"d")))
    got = list(parts(wire, Pacing(first=2.0, gap=0.25), random.Random(0)))
    assert [(part.data, part.wait) for part in got] == [(b"a", 2.0), (b"b", 0.25), (b"c", 3.25), (b"d", 0.25)]


def test_a_buffering_proxy_holds_all_until_the_end() -> None:
    """All bytes go out in one write, after every pause and every gap that the answer had behind the proxy."""
    wire = Wire((Raw(b"a"), Pause(1.5), Raw(b"b"), Pause(0.5), Raw(b"c")), one_write=True)
    (got,) = parts(wire, Pacing(first=1.0, gap=0.25), random.Random(0))
    assert (got.data, got.wait) == (b"abc", 3.5)


def test_a_pause_behind_the_last_byte_is_kept() -> None:
    """A body that ends late ends late: the wait comes as a part without bytes."""
    wire = Wire((Raw(b"a"), Pause(2.0)))
    got = list(parts(wire, Pacing(first=1.0, gap=0.25), random.Random(0)))
    assert [(part.data, part.wait) for part in got] == [(b"a", 1.0), (b"", 2.0)]
