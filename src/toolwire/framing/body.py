"""Content decoding of a body's timed pieces: gzip and deflate, bounded, never raising.

Transfer decoding (chunks) is done before the reads are recorded, content decoding is not, so that a wrong or missing
`Content-Encoding` can be judged.

Knows: content codings. Must not know: events, protocols.
Source: RFC 9110, sections 8.4 and 12.5.3.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["BODY_LIMIT", "Body", "decode_body"]

BODY_LIMIT = 256 * 1024 * 1024
"""Bytes of a decoded body that are judged: 5 times the largest answer that engines allow, and still in memory."""

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_WINDOW_GZIP = 31
_WINDOW_ZLIB = 15
_WINDOW_RAW = -15
_KNOWN = frozenset({"gzip", "x-gzip", "deflate"})


@dataclass(frozen=True)
class Body:
    """A decoded body: `pieces` are (seconds since the request, bytes)."""

    pieces: tuple[tuple[float, bytes], ...]
    encoding: str
    """The content coding that was named, lower case; empty for none."""
    problem: str = ""
    """Why the coding could not be undone, in our words; empty when all went well."""
    truncated: bool = False
    """Whether the coded stream stops before its own end."""
    too_long: bool = False
    """Whether the rest was left out because it passes `BODY_LIMIT`."""
    disguised: str = ""
    """The coding that the bytes have although none was named."""

    @cached_property
    def data(self) -> bytes:
        """All bytes joined."""
        if len(self.pieces) == 1:
            return self.pieces[0][1]
        return b"".join(data for _, data in self.pieces)

    @cached_property
    def size(self) -> int:
        """How many bytes there are."""
        return sum(len(data) for _, data in self.pieces)


def decode_body(reads: Iterable[tuple[float, bytes]], encoding: str, *, limit: int = BODY_LIMIT) -> Body:
    """Undo the content coding of timed reads; what cannot be undone is said, and what came before it is kept."""
    names = [name for part in encoding.lower().split(",") if (name := part.strip()) not in ("", "identity")]
    if not names:
        return _plain(reads, limit)
    if len(names) > 1 or names[0] not in _KNOWN:
        words = ", ".join(names)
        return Body((), words, problem=f"content coding {words!r} is none that we asked for or can undo")
    return _inflate(reads, names[0], limit)


def _plain(reads: Iterable[tuple[float, bytes]], limit: int) -> Body:
    """Keep plain bytes up to the limit; notice those that are compressed without saying so."""
    pieces = tuple(read for read in reads if read[1])
    too_long = sum([len(data) for _, data in pieces]) > limit
    if too_long:
        pieces = tuple(_within(pieces, limit))
    head = b"".join([data for _, data in pieces[:4]])[:4]
    disguised = "gzip" if head.startswith(GZIP_MAGIC) else "zstd" if head.startswith(ZSTD_MAGIC) else ""
    return Body(pieces, "", too_long=too_long, disguised=disguised)


def _within(pieces: Iterable[tuple[float, bytes]], limit: int) -> Iterator[tuple[float, bytes]]:
    """Yield pieces up to a limit that they pass together; the one that passes it is cut."""
    room = limit
    for at, data in pieces:
        kept = data[:room]
        if kept:
            yield at, kept
        room -= len(kept)


def _inflate(reads: Iterable[tuple[float, bytes]], name: str, limit: int) -> Body:
    """Decompress read by read, never beyond the limit (a small body may unfold into gigabytes)."""
    inflater = _Inflater(name)
    pieces: list[tuple[float, bytes]] = []
    total = 0
    for at, data in reads:
        out, problem = inflater.feed(data, limit - total + 1)
        if total + len(out) > limit:
            pieces.append((at, out[: limit - total]))
            return Body(tuple(pieces), name, too_long=True)
        if out:
            pieces.append((at, out))
            total += len(out)
        if problem:
            return Body(tuple(pieces), name, problem=f"the body is not {name} ({problem})")
    return Body(tuple(pieces), name, truncated=inflater.begun and not inflater.whole)


class _Inflater:
    """Several gzip members, or one stream of deflate with or without its wrapper, one after another."""

    def __init__(self, name: str) -> None:
        """Start before the first byte."""
        self.begun = False
        """Whether any byte came."""
        self.whole = False
        """Whether what came so far ends where a member ends."""
        self._window = _WINDOW_ZLIB if name == "deflate" else _WINDOW_GZIP
        self._engine = zlib.decompressobj(self._window)
        self._members = 0
        self._head = b""  # the first two bytes of the current member
        self._produced = False  # whether the current member gave any byte
        self._held: bytes | None = b"" if name == "deflate" else None  # to begin again with, as raw deflate
        self._ignoring = False

    def feed(self, data: bytes, room: int) -> tuple[bytes, str]:
        """Return at most `room` bytes that `data` unfolds to, and why it cannot be undone (empty where it can)."""
        found = b""
        while data and not self._ignoring:
            self.begun = True
            if self.whole:
                self._engine = zlib.decompressobj(self._window)
                self.whole = self._produced = False
                self._head = b""
            self._head += data[: len(GZIP_MAGIC) - len(self._head)]
            try:
                out = self._engine.decompress(data, room - len(found))
            except zlib.error as error:
                if self._held is not None:
                    # some servers send raw deflate under the name deflate; clients accept both
                    data = self._held + data
                    self._window, self._held = _WINDOW_RAW, None
                    self._engine = zlib.decompressobj(self._window)
                    continue
                if self._members and self._head != GZIP_MAGIC:
                    # what follows a whole member and is none itself is padding, which clients pass over
                    self.whole = self._ignoring = True
                    continue
                return found, str(error)
            found += out
            self._produced = self._produced or bool(out)
            self._hold(data)
            if len(found) >= room:
                break
            data = self._engine.unused_data
            if self._engine.eof:
                self.whole = True
                self._members += 1
        return found, ""

    def _hold(self, data: bytes) -> None:
        """Keep what the engine ate, as long as it may turn out to be raw deflate."""
        if self._held is not None:
            self._held = None if self._produced or len(self._held) > _UNDECIDED else self._held + data


_UNDECIDED = 64 * 1024
"""Bytes after which a stream of deflate that gave nothing yet is what its first two bytes say."""
