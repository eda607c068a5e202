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
    from collections.abc import Iterable

__all__ = ["BODY_LIMIT", "Body", "decode_body"]

BODY_LIMIT = 256 * 1024 * 1024
"""Bytes of a decoded body that are judged: 5 times the largest answer that engines allow, and still in memory."""

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_WINDOW_GZIP = 31
_WINDOW_ZLIB = 15
_WINDOW_RAW = -15


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
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return _plain(reads, limit)
    if name not in ("gzip", "x-gzip", "deflate"):
        return Body((), name, problem=f"content coding {name!r} is none that we asked for or can undo")
    return _inflate(reads, name, limit)


def _plain(reads: Iterable[tuple[float, bytes]], limit: int) -> Body:
    """Keep plain bytes up to the limit; notice those that are compressed without saying so."""
    pieces: list[tuple[float, bytes]] = []
    total = 0
    too_long = False
    for at, data in reads:
        if total + len(data) > limit:
            too_long = True
            data = data[: limit - total]  # noqa: PLW2901 - the cut piece takes the place of the whole one
        if data:
            pieces.append((at, data))
            total += len(data)
        if too_long:
            break
    head = b"".join(data for _, data in pieces[:4])[:4]
    disguised = "gzip" if head.startswith(GZIP_MAGIC) else "zstd" if head.startswith(ZSTD_MAGIC) else ""
    return Body(tuple(pieces), "", too_long=too_long, disguised=disguised)


def _inflate(reads: Iterable[tuple[float, bytes]], name: str, limit: int) -> Body:
    """Decompress piece by piece, never beyond the limit (a small body may unfold into gigabytes)."""
    window = _WINDOW_ZLIB if name == "deflate" else _WINDOW_GZIP
    engine = zlib.decompressobj(window)
    pieces: list[tuple[float, bytes]] = []
    total = 0
    raw_tried = name != "deflate"
    for at, data in reads:
        try:
            out = engine.decompress(data, limit - total + 1)
        except zlib.error as error:
            if raw_tried or total:
                return Body(tuple(pieces), name, problem=f"the body is not {name} ({error})")
            # some servers send raw deflate under the name deflate; clients accept both
            raw_tried = True
            engine = zlib.decompressobj(_WINDOW_RAW)
            try:
                out = engine.decompress(data, limit - total + 1)
            except zlib.error as second:
                return Body(tuple(pieces), name, problem=f"the body is not {name} ({second})")
        if total + len(out) > limit:
            pieces.append((at, out[: limit - total]))
            return Body(tuple(pieces), name, too_long=True)
        if out:
            pieces.append((at, out))
            total += len(out)
    return Body(tuple(pieces), name, truncated=not engine.eof)
