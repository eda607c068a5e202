"""Asks the target: one request in, its evidence out. The only importer of the HTTP library.

Bodies are kept as they come off the wire after transfer decoding: no content decoding, no text, no framing.
Whatever the server does, an exchange comes back; its `end` says how the body ended and `error` why in our words.

Each request has its own connection, as the old script's had: a connection that the server closes between two requests
would look like a broken stream.

Knows: HTTP, clocks, timeouts, redirects, secrets. Must not know: events, verdicts.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Self, cast
from urllib.parse import urljoin, urlsplit

import aiohttp

from toolwire import __version__
from toolwire.errors import NoAnswerError, UsageError
from toolwire.exchange import End, Exchange, Expectation, Read, ResponseHead, redact_headers
from toolwire.redaction import hide_in_reads, hide_in_text

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping
    from types import TracebackType
    from typing import TypeVar

    from toolwire.target import Target

    T = TypeVar("T")

__all__ = ["Answer", "Client", "run"]

DONE_GRACE = 5.0
"""Seconds that we wait for the end of the body after `[DONE]`: five times what counts as prompt (rule book T-12)."""

READS_LIMIT = 1_000_000
"""Reads of one body: four times the events that fit in its bytes; single bytes for ever would fill the memory."""

REDIRECTS_LIMIT = 3
"""Redirects on the same host that are followed: one for the scheme's slash, one for a new path, one to spare."""

SMALL_BODY = 8 * 1024 * 1024
"""Bytes of an answer that is no stream (the list of models): gateways list thousands of them in a tenth of this."""

SMALL_WAIT = 15.0
"""Seconds for an answer that needs no model."""

_DONE = re.compile(rb"[\r\n]data: ?\[DONE\]")
_WINDOW = 16
"""Bytes of an unfinished line that are kept to find a `[DONE]` that is cut in two: the longest form, rounded up."""

_KEEPS_METHOD = frozenset({307, 308})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer that is no stream."""

    status: int
    headers: dict[str, str]
    body: bytes


def run(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end on the fastest event loop that there is; Ctrl-C cancels it."""
    factory: Callable[[], asyncio.AbstractEventLoop] | None = None
    if sys.platform != "win32":
        try:
            import uvloop  # noqa: PLC0415 - the marked place: optional, and slow to import
        except ImportError:
            pass
        else:
            factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)


class Client:
    """Talks to one target; an asynchronous context manager."""

    def __init__(self, target: Target) -> None:
        """Open nothing yet."""
        self.target = target
        self._session: aiohttp.ClientSession | None = None
        self._secrets = target.secrets

    async def __aenter__(self) -> Self:
        """Open the session."""
        headers = {"user-agent": f"toolwire/{__version__}", "accept-encoding": "identity"}
        if self.target.key:
            headers["authorization"] = f"Bearer {self.target.key.value}"
        headers |= {name.lower(): value for name, value in self.target.headers.items()}
        timeouts = self.target.timeouts
        trace = aiohttp.TraceConfig()
        trace.on_request_headers_sent.append(_note_sending)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=None, connect=timeouts.connect, sock_connect=timeouts.connect),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            trace_configs=[trace],
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def ask(
        self,
        request: Mapping[str, object],
        *,
        id: str,  # noqa: A002 - the exchange's own name for it
        protocol: str = "chat",
        expect: Expectation | None = None,
        on_cancel: Callable[[Exchange], None] | None = None,
    ) -> Exchange:
        """Send one request and read its answer to the end; never raises on anything that the server does.

        When the task is cancelled, `on_cancel` gets what was read until then (`end` is `aborted`), and the
        cancellation goes on. Raises `UsageError` where the request cannot be written as JSON.
        """
        try:
            payload = json.dumps(request, allow_nan=False, ensure_ascii=False).encode("utf-8")
        except (TypeError, ValueError, RecursionError) as problem:
            raise UsageError(f"the request cannot be written as JSON ({problem})", "look at --extra-body") from problem
        capture = _Capture(self.target.byte_limit)
        try:
            async with asyncio.timeout(self.target.timeouts.total) as scope:
                await self._fill(capture, payload, scope)
        except aiohttp.ServerTimeoutError as problem:  # also a TimeoutError, and yet no patience of ours
            capture.broke(problem, self.target.url)
        except TimeoutError:
            capture.gave_up()
        except _LimitError:
            pass  # the capture has said so
        except asyncio.CancelledError:
            capture.end, capture.error = End.ABORTED, "we stopped reading: cancelled"
            if on_cancel is not None:
                on_cancel(self._exchange(capture, request, id, protocol, expect))
            raise
        except (aiohttp.ClientError, OSError) as problem:
            capture.broke(problem, self.target.url)
        finally:
            capture.close()
        return self._exchange(capture, request, id, protocol, expect)

    async def get(self, url: str) -> Answer:
        """Get a small document of the target. Raises `NoAnswerError` where there is no HTTP answer at all.

        `url` must be on the target's host: the key is sent with it.
        """
        if not _same_host(url, self.target.url):
            raise NoAnswerError(f"{url} is on another host than {self.target.url}", "the key is not sent there")
        try:
            async with asyncio.timeout(SMALL_WAIT), self._open().get(url, allow_redirects=False) as response:
                body = b""
                while data := await response.content.readany():
                    body += data
                    if len(body) > SMALL_BODY:
                        raise NoAnswerError(f"{url} sent more than {SMALL_BODY} bytes", "is this the right address?")
                return Answer(response.status, _lower(response), body)
        except aiohttp.ServerTimeoutError as problem:
            words = _explain(problem, url)
            raise NoAnswerError(words.problem, words.hint) from problem
        except TimeoutError as problem:
            raise NoAnswerError(f"{url} did not answer within {SMALL_WAIT:g} s", _HINT_LATE) from problem
        except (aiohttp.ClientError, OSError) as problem:
            words = _explain(problem, url)
            raise NoAnswerError(words.problem, words.hint) from problem

    def _open(self) -> aiohttp.ClientSession:
        """Return the session."""
        if self._session is None:
            message = "a client is used inside `async with`"
            raise RuntimeError(message)
        return self._session

    async def _fill(self, capture: _Capture, payload: bytes, scope: asyncio.Timeout) -> None:
        """Send the request, follow redirects on the same host, and read the body."""
        session = self._open()
        url = f"{self.target.url}/chat/completions"
        for hop in range(REDIRECTS_LIMIT + 1):
            response = await session.post(
                url,
                data=payload,
                headers={"content-type": "application/json"},
                allow_redirects=False,
                trace_request_ctx=capture,
            )
            capture.take_head(response)
            follow = _redirect(response, url)
            if follow is None:
                break
            if follow.to and hop < REDIRECTS_LIMIT:
                response.close()
                url = follow.to
                continue
            capture.error = follow.words or f"more than {REDIRECTS_LIMIT} redirects"
            break
        await capture.read_body(scope, self.target.timeouts.stall)

    def _exchange(
        self,
        capture: _Capture,
        request: Mapping[str, object],
        id: str,  # noqa: A002 - the exchange's own name for it
        protocol: str,
        expect: Expectation | None,
    ) -> Exchange:
        """Make the evidence of what was captured, without secrets."""
        hidden = hide_in_reads(capture.pieces, self._secrets)
        error = capture.error
        if hidden:
            said = "the answer repeated a secret of ours, which was replaced by asterisks"
            error = f"{error}; {said}" if error else said
        head = None
        if capture.status is not None:
            head = ResponseHead(
                capture.status,
                {name: hide_in_text(value, self._secrets) for name, value in redact_headers(capture.headers).items()},
            )
        return Exchange(
            id=id,
            protocol=protocol,
            request=dict(request),
            response=head,
            reads=_reads(capture.pieces),
            end=capture.end,
            expect=expect,
            sent_headers=redact_headers(capture.sent_headers, also=self.target.headers),
            error=None if error is None else hide_in_text(error, self._secrets),
        )


class _Capture:
    """What one request brought, while it is under way."""

    def __init__(self, byte_limit: int) -> None:
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
        self._watch: _Watch | None = None

    def take_head(self, response: aiohttp.ClientResponse) -> None:
        """Keep the head of a response."""
        self._response = response
        self.status = response.status
        self.headers = _lower(response)
        self.sent_headers = {name.lower(): value for name, value in response.request_info.headers.items()}

    async def read_body(self, scope: asyncio.Timeout, stall: float) -> None:
        """Read until the body ends; what came stays in `pieces` whatever happens."""
        response = self._response
        if response is None:
            return
        self._watch = _Watch(scope, stall)
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
        """Keep a read, which is never empty. Raises `_LimitError` at a limit."""
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
        raise _LimitError

    def gave_up(self) -> None:
        """Say what we waited for in vain."""
        self.end = End.TIMEOUT
        if self._watch is not None and self._watch.words:
            self.error = self._watch.words
        else:
            self.error = f"no end within {perf_counter() - self.sent_at:.0f} s"

    def broke(self, problem: Exception, url: str) -> None:
        """Say how the connection failed."""
        words = _explain(problem, url)
        self.end, self.error = words.end, words.problem

    def close(self) -> None:
        """Drop the connection and the timer."""
        if self._watch is not None:
            self._watch.stop()
        if self._response is not None:
            self._response.close()


class _Watch:
    """Ends a body that has gone silent; one timer for a body, moved only when it fires, so that reads stay cheap."""

    def __init__(self, scope: asyncio.Timeout, stall: float) -> None:
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


async def _note_sending(_: aiohttp.ClientSession, context: object, __: object) -> None:
    """Start the clock of an exchange when its request goes out."""
    capture = getattr(context, "trace_request_ctx", None)
    if isinstance(capture, _Capture):
        capture.sent_at = perf_counter()


class _LimitError(Exception):
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
            except _LimitError as reached:
                self.set_exception(reached)
        return False

    def begin_http_chunk_receiving(self) -> None:
        """Chunks of the transfer mean nothing here."""

    def end_http_chunk_receiving(self) -> None:
        """Chunks of the transfer mean nothing here."""


_TAPPED: dict[int, _Capture] = {}
"""Where each tapped body goes, by the identity of its reader, which has no room for it."""


@contextmanager
def _tapped(content: aiohttp.StreamReader, capture: _Capture) -> Iterator[None]:
    """Lead a body into its capture as long as this lasts."""
    _TAPPED[id(content)] = capture
    content.__class__ = _Tap
    try:
        yield
    finally:
        content.__class__ = aiohttp.StreamReader
        del _TAPPED[id(content)]


def _lower(response: aiohttp.ClientResponse) -> dict[str, str]:
    """Return the headers with lower-case names; repeated ones are joined."""
    found: dict[str, str] = {}
    for raw_name, raw_value in response.headers.items():
        key, value = _clean(raw_name).lower(), _clean(raw_value)
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


def _clean(text: str) -> str:
    """Replace what was no UTF-8 (the library keeps such bytes as lone surrogates, which no file can hold)."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _reads(pieces: list[tuple[float, bytes]]) -> list[Read]:
    """Return timed reads, to the microsecond; nearly always each is UTF-8 by itself, which is quicker to assume."""
    try:
        return [Read(round(at, 6), data.decode()) for at, data in pieces]
    except UnicodeDecodeError:
        return [Read.of(round(at, 6), data) for at, data in pieces]


# -- redirects ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Redirect:
    """Where an answer sends us: `to` where we may go, `words` why not."""

    to: str = ""
    words: str = ""


def _redirect(response: aiohttp.ClientResponse, url: str) -> _Redirect | None:
    """Return what to do about a redirect; None where the answer is none."""
    location = _clean(response.headers.get("location", ""))
    if response.status not in _REDIRECTS or not location:
        return None
    to = urljoin(url, location)
    if not _same_host(to, url):
        return _Redirect(words=f"redirected to another host ({to}), where neither key nor request is sent")
    if response.status not in _KEEPS_METHOD:
        return _Redirect(words=f"redirected to {to} with status {response.status}, which turns the request into a GET")
    return _Redirect(to)


def _same_host(one: str, other: str) -> bool:
    """Whether two addresses have the same scheme, host and port."""
    try:
        left, right = urlsplit(one), urlsplit(other)
        ports = [part.port or (443 if part.scheme == "https" else 80) for part in (left, right)]
    except ValueError:
        return False
    return (left.scheme, left.hostname) == (right.scheme, right.hostname) and ports[0] == ports[1]


# -- words for what went wrong -----------------------------------------------------------------------------------------

_HINT_DOWN = "is the server running, and is this its address? --wait SECONDS waits for one that is still loading"
_HINT_LATE = "is the server overloaded? --wait SECONDS waits for one that is still loading"
_HINT_HTTP = "is this the port of an OpenAI-compatible HTTP server?"


@dataclass(frozen=True, slots=True)
class _Words:
    """What went wrong, and what to do about it."""

    end: End
    problem: str
    hint: str


def _explain(problem: Exception, url: str) -> _Words:
    """Say what an error of the HTTP library means."""
    host = urlsplit(url).netloc
    match problem:
        case aiohttp.ClientConnectorDNSError():
            return _Words(End.REFUSED, f"the name of {host} cannot be resolved", "is the host's name right?")
        case aiohttp.ClientConnectorCertificateError():
            reason = problem.certificate_error
            return _Words(
                End.REFUSED,
                f"the certificate of {host} cannot be trusted ({getattr(reason, 'verify_message', '') or reason})",
                "name the issuing authority with the environment variable SSL_CERT_FILE",
            )
        case aiohttp.ClientSSLError():
            return _Words(
                End.REFUSED,
                f"no TLS with {host} ({getattr(problem.os_error, 'reason', '') or problem.os_error})",
                "does the server speak plain HTTP? then write http:// instead of https://",
            )
        case aiohttp.ServerTimeoutError():
            return _Words(End.REFUSED, f"no connection to {host} in time", _HINT_DOWN)
        case aiohttp.ClientConnectorError():
            # event loops word this in their own ways
            number = problem.os_error.errno
            words = os.strerror(number) if number else str(problem.os_error)
            return _Words(End.REFUSED, f"cannot connect to {host} ({words.lower()})", _HINT_DOWN)
        case aiohttp.ServerDisconnectedError():
            return _Words(End.RESET, f"{host} closed the connection without an answer", _HINT_HTTP)
        case aiohttp.ClientPayloadError():
            return _Words(End.RESET, f"the body broke off ({_cause(problem)})", "")
        case aiohttp.ClientResponseError():
            return _Words(
                End.RESET, f"{host} answered something that is not HTTP ({_one_line(problem.message)})", _HINT_HTTP
            )
        case _:
            return _Words(End.RESET, f"the connection to {host} broke ({_one_line(str(problem))})", _HINT_HTTP)


def _cause(problem: BaseException) -> str:
    """Return the innermost reason."""
    while problem.__cause__ is not None:
        problem = problem.__cause__
    return _one_line(getattr(problem, "message", "") or str(problem) or type(problem).__name__)


def _one_line(text: str) -> str:
    """Return the first line, short enough for a message."""
    return (_clean(text).strip().splitlines() or [""])[0][:200]
