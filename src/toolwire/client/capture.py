"""One body on its way in: every read with its time, limits, silence, and how it ended.

Knows: the library's body reader, clocks, limits. Must not know: requests, redirects, secrets.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, cast

import aiohttp

from toolwire.client.words import clean, explain
from toolwire.exchange import End, Read

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Capture", "LimitError", "lower_headers", "timed_reads"]

DONE_GRACE = 5.0
"""Seconds that we wait for the end of the body after `[DONE]`: five times what counts as prompt (rule book T-12)."""

READS_LIMIT = 1_000_000
"""Reads of one body: four times the events that fit in its bytes; single bytes for ever would fill the memory."""

_DONE = re.compile(rb"[\r\n]data: ?\[DONE\]")
_WINDOW = 16
"""Bytes of an unfinished line that are kept to find a `[DONE]` that is cut in two: the longest form, rounded up."""


class Capture:
    """What one request brought, while it is under way."""

    def __init__(self, byte_limit: int) -> None:
        """Start with nothing; `byte_limit` bounds the body."""
        self.sent_at = perf_counter()
        self.sent_headers: dict[str, str] = {}
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.pieces: list[tuple[float, bytes]] = []
        self.end = End.RESET
        self.error: str | None = None
        self._byte_limit = byte_limit
        self._room = byte_limit
        self._unfinished = b""
        """The end of a line whose rest may still come; empty at the beginning of a line."""
        self._response: aiohttp.ClientResponse | None = None
        self._watch: Watch | None = None

    def take_head(self, response: aiohttp.ClientResponse) -> None:
        """Keep the head of a response."""
        self._response = response
        self.status = response.status
        self.headers = lower_headers(response)
        self.sent_headers = {name.lower(): value for name, value in response.request_info.headers.items()}

    async def read_body(self, scope: asyncio.Timeout, stall: float) -> None:
        """Read until the body ends; what came stays in `pieces` whatever happens."""
        response = self._response
        if response is None:
            return
        self._watch = Watch(scope, stall)
        # a small body that came together with its head has given its connection back already
        protocol = None if response.connection is None else response.connection.protocol
        content = response.content
        broken = content.exception()
        while held := _held(content):
            self.take(held)
        if broken is not None:
            raise broken
        if not content.is_eof():
            with _tapped(content, self):
                await content.wait_eof()
        self.end = End.EOF
        # a body that only the end of the connection delimits ends for the parser also when the connection breaks
        lost = None if protocol is None else protocol.exception()
        if isinstance(lost, OSError):
            self.end, self.error = End.RESET, f"the connection broke ({lost})"

    def take(self, data: bytes) -> None:
        """Keep a read, which is never empty. Raises `LimitError` at a limit."""
        now = perf_counter()
        pieces, watch = self.pieces, self._watch
        if watch is None or self.end is End.ABORTED:
            return
        watch.last = now
        self._room -= len(data)
        pieces.append((now - self.sent_at, data))
        if self._room < 0 or len(pieces) >= READS_LIMIT:
            self._stop_at_limit()
        if len(pieces) == 1:
            watch.start()
        # a whole line without the word, which is nearly every read, needs no closer look
        if (self._unfinished or b"[DONE]" in data or not data.endswith(b"\n")) and not watch.done:
            line = (self._unfinished or b"\n") + data
            if _DONE.search(line):
                watch.hurry()
            self._unfinished = b"" if line.endswith(b"\n") else line[-_WINDOW:]

    def _stop_at_limit(self) -> None:
        """Keep what the limits allow and say which one was reached."""
        self.end = End.ABORTED
        if self._room < 0:
            at, data = self.pieces[-1]
            self.pieces[-1] = (at, data[: self._room])
            self.error = f"we stopped reading: the body passes {self._byte_limit} bytes"
        else:
            self.error = f"we stopped reading: the body came in more than {READS_LIMIT} pieces"
        raise LimitError

    def gave_up(self) -> None:
        """Say what we waited for in vain."""
        self.end = End.TIMEOUT
        if self._watch is not None and self._watch.words:
            self.error = self._watch.words
        else:
            self.error = f"no end within {perf_counter() - self.sent_at:.0f} s"

    def broke(self, problem: Exception, url: str) -> None:
        """Say how the connection failed."""
        words = explain(problem, url)
        self.end, self.error = words.end, words.problem

    def close(self) -> None:
        """Drop the connection and the timer."""
        if self._watch is not None:
            self._watch.stop()
        if self._response is not None:
            self._response.close()


class Watch:
    """Ends a body that has gone silent; one timer for a body, moved only when it fires, so that reads stay cheap."""

    def __init__(self, scope: asyncio.Timeout, stall: float) -> None:
        """Let `scope` expire after `stall` seconds of silence, once it is started."""
        self.last = perf_counter()
        self.done = False
        self.words = ""
        self._scope = scope
        self._patience = stall
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Watch from now on."""
        if self._timer is None:
            self._timer = self._loop.call_later(self._patience, self._look)

    def hurry(self) -> None:
        """Wait only for the end from now on."""
        self.done = True
        self._patience = min(self._patience, DONE_GRACE)
        self.stop()
        self.start()

    def stop(self) -> None:
        """Watch no longer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """Give up, or look again when the patience would be over."""
        idle = perf_counter() - self.last
        if idle < self._patience:
            self._timer = self._loop.call_later(self._patience - idle, self._look)
            return
        self._timer = None
        after = " after [DONE]" if self.done else ""
        self.words = f"nothing came for {self._patience:g} s{after}, and the body did not end"
        self._scope.reschedule(self._loop.time())


class LimitError(Exception):
    """A body has reached one of our limits; its capture says which."""


def _held(content: aiohttp.StreamReader) -> bytes:
    """Return what the library holds of a body; it would rather raise the error that came after these bytes."""
    content.set_exception(cast("BaseException", None))
    return content.read_nowait()


class _Tap(aiohttp.StreamReader):
    """A body whose bytes go where they are kept at once.

    The library's own way wakes a task for each read, which costs twice as much as all the rest of it (measured: 7 of
    13 µs). Without slots of its own this class may take the place of a reader that exists already.
    """

    __slots__ = ()

    def feed_data(self, data: bytes, size: int = 0) -> bool:
        """Hand the bytes on; at a limit end the waiting."""
        del size
        if data:
            try:
                _TAPPED[id(self)].take(data)
            except LimitError as reached:
                self.set_exception(reached)
        return False

    def begin_http_chunk_receiving(self) -> None:
        """Chunks of the transfer mean nothing here."""

    def end_http_chunk_receiving(self) -> None:
        """Chunks of the transfer mean nothing here."""


_TAPPED: dict[int, Capture] = {}
"""Where each tapped body goes, by the identity of its reader, which has no room for it."""


@contextmanager
def _tapped(content: aiohttp.StreamReader, capture: Capture) -> Iterator[None]:
    """Lead a body into its capture as long as this lasts."""
    _TAPPED[id(content)] = capture
    content.__class__ = _Tap
    try:
        yield
    finally:
        content.__class__ = aiohttp.StreamReader
        del _TAPPED[id(content)]


def lower_headers(response: aiohttp.ClientResponse) -> dict[str, str]:
    """Return the headers with lower-case names; repeated ones are joined."""
    found: dict[str, str] = {}
    for raw_name, raw_value in response.headers.items():
        key, value = clean(raw_name).lower(), clean(raw_value)
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


def timed_reads(pieces: list[tuple[float, bytes]]) -> list[Read]:
    """Return timed reads, to the microsecond; nearly always each is UTF-8 by itself, which is quicker to assume."""
    try:
        return [Read(round(at, 6), data.decode()) for at, data in pieces]
    except UnicodeDecodeError:
        return [Read.of(round(at, 6), data) for at, data in pieces]
