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
import sys
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin, urlsplit

import aiohttp

from toolwire import __version__
from toolwire.client.capture import Capture, LimitError, lower_headers, timed_reads
from toolwire.client.words import HINT_LATE, clean, explain
from toolwire.errors import NoAnswerError, UsageError
from toolwire.exchange import End, Exchange, Expectation, ResponseHead, redact_headers
from toolwire.redaction import hide_in_reads, hide_in_text

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from types import TracebackType
    from typing import TypeVar

    from toolwire.target import Target

    T = TypeVar("T")

__all__ = ["Answer", "Client", "run"]


REDIRECTS_LIMIT = 3
"""Redirects on the same host that are followed: one for the scheme's slash, one for a new path, one to spare."""

SMALL_BODY = 8 * 1024 * 1024
"""Bytes of an answer that is no stream (the list of models): gateways list thousands of them in a tenth of this."""

SMALL_WAIT = 15.0
"""Seconds for an answer that needs no model."""


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
        capture = Capture(self.target.byte_limit)
        try:
            async with asyncio.timeout(self.target.timeouts.total) as scope:
                await self._fill(capture, payload, scope)
        except aiohttp.ServerTimeoutError as problem:  # also a TimeoutError, and yet no patience of ours
            capture.broke(problem, self.target.url)
        except TimeoutError:
            capture.gave_up()
        except LimitError:
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
                # a server may echo what it was sent, and answers are shown and kept
                shown = hide_in_text(body.decode("utf-8", "surrogateescape"), self._secrets)
                headers = {name: hide_in_text(value, self._secrets) for name, value in lower_headers(response).items()}
                return Answer(response.status, headers, shown.encode("utf-8", "surrogateescape"))
        except aiohttp.ServerTimeoutError as problem:
            words = explain(problem, url)
            raise NoAnswerError(words.problem, words.hint) from problem
        except TimeoutError as problem:
            raise NoAnswerError(f"{url} did not answer within {SMALL_WAIT:g} s", HINT_LATE) from problem
        except (aiohttp.ClientError, OSError) as problem:
            words = explain(problem, url)
            raise NoAnswerError(words.problem, words.hint) from problem

    def _open(self) -> aiohttp.ClientSession:
        """Return the session."""
        if self._session is None:
            message = "a client is used inside `async with`"
            raise RuntimeError(message)
        return self._session

    async def _fill(self, capture: Capture, payload: bytes, scope: asyncio.Timeout) -> None:
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
        capture: Capture,
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
            reads=timed_reads(capture.pieces),
            end=capture.end,
            expect=expect,
            sent_headers=redact_headers(capture.sent_headers, also=self.target.headers),
            error=None if error is None else hide_in_text(error, self._secrets),
        )


async def _note_sending(_: aiohttp.ClientSession, context: object, __: object) -> None:
    """Start the clock of an exchange when its request goes out."""
    capture = getattr(context, "trace_request_ctx", None)
    if isinstance(capture, Capture):
        capture.sent_at = perf_counter()


# -- redirects ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Redirect:
    """Where an answer sends us: `to` where we may go, `words` why not."""

    to: str = ""
    words: str = ""


def _redirect(response: aiohttp.ClientResponse, url: str) -> _Redirect | None:
    """Return what to do about a redirect; None where the answer is none."""
    location = clean(response.headers.get("location", ""))
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
