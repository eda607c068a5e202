"""Content decoding: what a body unfolds to, piece by piece, and what is said where it cannot be undone."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.framing.body import BODY_LIMIT, Body, decode_body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TEXT = b'data: {"choices": []}\n\n' * 40 + b"data: [DONE]\n\n"
SECOND = b": bye\n\n"


def gzipped(data: bytes) -> bytes:
    """Compress as one gzip member, the same each time."""
    return gzip.compress(data, mtime=0)


def raw_deflate(data: bytes) -> bytes:
    """Compress without any wrapper."""
    engine = zlib.compressobj(9, zlib.DEFLATED, -15)
    return engine.compress(data) + engine.flush()


def flushed(parts: Iterable[bytes]) -> list[bytes]:
    """Compress as gzip, each part flushed for itself, as a server does that streams."""
    engine = zlib.compressobj(9, zlib.DEFLATED, 31)
    found = [engine.compress(part) + engine.flush(zlib.Z_SYNC_FLUSH) for part in parts]
    found[-1] += engine.flush()
    return found


def bytewise(data: bytes) -> list[tuple[float, bytes]]:
    """Deliver one byte a read."""
    return [(number / 1000, data[number : number + 1]) for number in range(len(data))]


def at_once(data: bytes) -> list[tuple[float, bytes]]:
    """Deliver everything in one read."""
    return [(0.5, data)]


WHOLE = [
    ("", TEXT, TEXT),
    ("identity", TEXT, TEXT),
    ("gzip", gzipped(TEXT), TEXT),
    (" GZip ", gzipped(TEXT), TEXT),
    ("x-gzip", gzipped(TEXT), TEXT),
    ("identity, gzip", gzipped(TEXT), TEXT),
    ("deflate", zlib.compress(TEXT), TEXT),
    ("deflate", raw_deflate(TEXT), TEXT),
    ("gzip", gzipped(TEXT) + gzipped(SECOND), TEXT + SECOND),
    ("gzip", gzipped(b"") + gzipped(TEXT) + gzipped(b"") + gzipped(SECOND), TEXT + SECOND),
    # padding behind a whole member is passed over
    ("gzip", gzipped(TEXT) + bytes(64), TEXT),
    ("gzip", gzipped(TEXT) + b"not gzip at all", TEXT),
    ("deflate", zlib.compress(TEXT) + b"\r\n", TEXT),
    ("gzip", gzipped(b""), b""),
]


@pytest.mark.parametrize("deliver", [at_once, bytewise])
@pytest.mark.parametrize(("encoding", "coded", "plain"), WHOLE)
def test_a_whole_body_is_undone(
    encoding: str, coded: bytes, plain: bytes, deliver: Callable[[bytes], list[tuple[float, bytes]]]
) -> None:
    """However the reads fall, the bytes are the same and nothing is complained of."""
    body = decode_body(deliver(coded), encoding)
    assert body.data == plain
    assert body.size == len(plain)
    assert (body.problem, body.truncated, body.too_long, body.disguised) == ("", False, False, "")


def test_pieces_keep_the_times_of_their_reads() -> None:
    """A part that is flushed for itself has the time of the read that brought it."""
    parts = [b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n"]
    reads = [(float(number), coded) for number, coded in enumerate(flushed(parts))]
    assert decode_body(reads, "gzip").pieces == tuple((float(number), part) for number, part in enumerate(parts))


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate"])
def test_nothing_is_nothing(encoding: str) -> None:
    """A body without a byte is empty, and not cut short: it never began."""
    assert decode_body([(0.1, b"")], encoding) == Body((), encoding)


@pytest.mark.parametrize("deliver", [at_once, bytewise])
@pytest.mark.parametrize(
    ("encoding", "coded"),
    [
        ("gzip", gzipped(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("gzip", gzipped(TEXT) + gzipped(TEXT)),
    ],
)
def test_a_body_that_stops_early_is_truncated(
    encoding: str, coded: bytes, deliver: Callable[[bytes], list[tuple[float, bytes]]]
) -> None:
    """What can be read is kept, and is a beginning of the text."""
    body = decode_body(deliver(coded[:-9]), encoding)
    assert body.truncated
    assert not body.problem
    assert (TEXT + TEXT).startswith(body.data)


@pytest.mark.parametrize("deliver", [at_once, bytewise])
@pytest.mark.parametrize(
    ("encoding", "coded", "words"),
    [
        ("gzip", TEXT, "the body is not gzip (Error -3 while decompressing data: incorrect header check)"),
        ("deflate", TEXT, "the body is not deflate"),
        ("deflate", gzipped(TEXT), "the body is not deflate"),
        ("br", TEXT, "content coding 'br' is none that we asked for or can undo"),
        ("gzip, br", TEXT, "content coding 'gzip, br' is none that we asked for or can undo"),
    ],
)
def test_a_body_that_is_something_else_is_a_problem(
    encoding: str, coded: bytes, words: str, deliver: Callable[[bytes], list[tuple[float, bytes]]]
) -> None:
    """The words name the coding."""
    body = decode_body(deliver(coded), encoding)
    assert body.problem.startswith(words)
    assert not body.data


def test_what_came_before_the_damage_is_kept() -> None:
    """Damage in the middle ends the body there, and is told."""
    parts = flushed([TEXT, SECOND])
    body = decode_body([(0.1, parts[0]), (0.2, b"\xff\xff\xff\xff"), (0.3, parts[1])], "gzip")
    assert body.pieces == ((0.1, TEXT),)
    assert body.problem.startswith("the body is not gzip")


@pytest.mark.parametrize("damage", [b"\xff\xff\xff\xff", b""])
def test_damage_in_a_later_member_is_a_problem(damage: bytes) -> None:
    """What begins like a member is no padding: it is damaged, or else cut short."""
    parts = flushed([TEXT, SECOND])
    body = decode_body([(0.1, gzipped(SECOND)), (0.2, parts[0]), (0.3, damage)], "gzip")
    assert body.data == SECOND + TEXT
    assert bool(body.problem) == bool(damage)
    assert body.truncated != bool(damage)
    at_the_start = decode_body([(0.1, gzipped(SECOND) + parts[0][:10] + b"\xff\xff\xff\xff")], "gzip")
    assert at_the_start.problem


@pytest.mark.parametrize(
    ("coded", "disguise"),
    [
        (gzipped(TEXT), "gzip"),
        (b"\x28\xb5\x2f\xfd\x00", "zstd"),
        (TEXT, ""),
        (b"\x1f", ""),
    ],
)
@pytest.mark.parametrize("deliver", [at_once, bytewise])
def test_compressed_bytes_without_a_label_are_noticed(
    coded: bytes, disguise: str, deliver: Callable[[bytes], list[tuple[float, bytes]]]
) -> None:
    """The first bytes tell, also one by one; the body itself is left as it is."""
    body = decode_body(deliver(coded), "")
    assert body.disguised == disguise
    assert body.data == coded


@pytest.mark.parametrize(
    ("encoding", "code"), [("", bytes), ("gzip", gzipped), ("deflate", zlib.compress), ("deflate", raw_deflate)]
)
@pytest.mark.parametrize("deliver", [at_once, bytewise])
def test_a_body_is_cut_at_the_limit(
    encoding: str, code: Callable[[bytes], bytes], deliver: Callable[[bytes], list[tuple[float, bytes]]]
) -> None:
    """Exactly the limit is fine; one byte more is left out and told."""
    fits = decode_body(deliver(code(TEXT)), encoding, limit=len(TEXT))
    assert fits.data == TEXT
    assert not fits.too_long
    cut = decode_body(deliver(code(TEXT)), encoding, limit=len(TEXT) - 1)
    assert cut.data == TEXT[:-1]
    assert cut.too_long


def test_several_members_share_one_limit() -> None:
    """The limit is that of the body, not of a member."""
    body = decode_body([(0.1, gzipped(TEXT) * 3)], "gzip", limit=2 * len(TEXT) + 5)
    assert body.data == TEXT + TEXT + TEXT[:5]
    assert body.too_long


def test_a_bomb_takes_no_more_memory_than_the_limit() -> None:
    """A hundred mebibytes of zeros in a hundred kibibytes are never unfolded."""
    engine = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(engine.compress(bytes(1 << 20)) for _ in range(100)) + engine.flush()
    assert len(bomb) < 1 << 18
    tracemalloc.start()
    try:
        body = decode_body([(0.1, bomb)], "gzip", limit=1 << 20)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert body.too_long
    assert body.size == 1 << 20
    assert peak < 8 << 20


def test_the_limit_has_room_for_any_answer() -> None:
    """The limit on a body is what the framing allows for one."""
    assert BODY_LIMIT == 256 * 1024 * 1024


def test_a_long_undecided_stream_is_not_kept_whole() -> None:
    """A stream of deflate that gives nothing for long stops being held for a second try."""
    empty = zlib.compressobj(9, zlib.DEFLATED, 15)
    blocks = b"".join(empty.flush(zlib.Z_FULL_FLUSH) or b"" for _ in range(2))
    filler = b"\x00\x00\x00\xff\xff" * 20_000  # stored blocks of no length
    body = decode_body([(0.1, blocks + filler[:70_000]), (0.2, filler[:70_000]), (0.3, b"\x07\x07")], "deflate")
    assert not body.data
    assert body.problem


@given(st.binary(max_size=400), st.sampled_from(["", "gzip", "deflate"]), st.lists(st.integers(0, 400), max_size=6))
def test_arbitrary_bytes_never_raise_and_cuts_do_not_matter(data: bytes, encoding: str, cuts: list[int]) -> None:
    """Any bytes under any label give a body, and the same one however they are cut."""
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    reads = [(0.1, data[begin:end]) for begin, end in pairwise(places)]
    one, many = decode_body([(0.1, data)], encoding), decode_body(reads, encoding)
    assert one.data == many.data
    assert (one.problem, one.truncated, one.disguised) == (many.problem, many.truncated, many.disguised)


@given(st.binary(max_size=300), st.binary(max_size=300), st.lists(st.integers(0, 700), max_size=6))
def test_gzip_survives_any_cut(first: bytes, second: bytes, cuts: list[int]) -> None:
    """Two members, cut anywhere, unfold to both texts."""
    coded = gzipped(first) + gzipped(second)
    places = sorted({0, len(coded), *(cut for cut in cuts if cut < len(coded))})
    body = decode_body([(0.1, coded[begin:end]) for begin, end in pairwise(places)], "gzip")
    assert body.data == first + second
    assert not body.truncated
    assert not body.problem
