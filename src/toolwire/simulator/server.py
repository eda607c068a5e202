"""The simulator on loopback: raw HTTP/1.1 over asyncio, so that it can send anything and end anyhow.

`POST /v1/chat/completions` answers healthily, `POST /<fault>/v1/chat/completions` with that fault, and
`POST /<fault>@<percent>/v1/chat/completions` with it in that share of the answers; `GET /` lists them.

Knows: sockets, requests, endings. Must not know: our own decoders.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import hmac
import json
import random
import socket
import struct
from collections import Counter
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Self

from toolwire.simulator.faults import FAULTS, by_name
from toolwire.simulator.forms import stream, whole
from toolwire.simulator.pacing import Pacing, parts
from toolwire.simulator.script import plan_answer
from toolwire.simulator.wire import Ending, Pause, Wire, frame

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from toolwire.simulator.faults import Fault

__all__ = ["SimulatorServer"]

HEAD_LIMIT = 64 * 1024
"""Bytes of a request's head: more than any client sends."""

BODY_LIMIT = 32 * 1024 * 1024
"""Bytes of a request's body: the longest context there is."""

IDLE = 60.0
"""Seconds that a connection may be idle between requests."""

_CREATED = 1_796_083_200


@dataclass(frozen=True, slots=True)
class _Request:
    """One request, read whole."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def keeps(self) -> bool:
        """Whether the client wants to send more on this connection."""
        return self.headers.get("connection", "").lower() != "close"


class _BadRequestError(Exception):
    """A request that cannot be read; the connection is closed behind the answer."""


class SimulatorServer:
    """A server that can send anything; use it as an async context manager, and it listens on loopback only."""

    def __init__(
        self,
        *,
        port: int = 0,
        fault: str = "",
        key: str | None = None,
        pacing: Pacing | None = None,
        seed: int = 0,
        dialect: str = "openai",
    ) -> None:
        """Listen on `port` (0: any free one); `fault` is applied where the path names none; `key` is asked for."""
        self.requests = 0
        """Requests for a completion that were answered."""
        self.url = ""
        """The address up to and without `/v1`."""
        self._port = port
        self._fault = fault
        self._key = key
        self._pacing = pacing or Pacing()
        self._seed = seed
        self._dialect = dialect
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self._asked: Counter[bytes] = Counter()

    async def __aenter__(self) -> Self:
        """Begin to listen. Raises `OSError` where the port is taken."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port, limit=HEAD_LIMIT, backlog=1024)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening and break off what is under way."""
        if self._server is not None:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection, as a task that the end of the server breaks off."""
        task = asyncio.current_task()
        if task is not None:
            self._open.add(task)
            task.add_done_callback(self._open.discard)
        sock = writer.get_extra_info("socket")
        if sock is not None:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while await self._serve(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, TimeoutError, asyncio.CancelledError):
            pass  # the client has gone, or we are stopping: nothing is left to say
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether the connection stays open."""
        try:
            async with asyncio.timeout(IDLE):
                request = await _read_request(reader)
        except _BadRequestError as problem:
            await _answer_json(writer, 400, _error(str(problem)), keep=False)
            return False
        if request is None:
            return False
        fault_name, _, rest = request.path.strip("/").rpartition("v1")
        fault_name = fault_name.strip("/") or self._fault
        fault = _fault(fault_name)
        if request.path in ("", "/") and request.method == "GET":
            await self._list(writer, request)
        elif fault_name and fault is None:
            await _answer_json(writer, 404, _error(_unknown(fault_name)), keep=request.keeps)
        elif self._key is not None and not self._knows(request):
            await _answer_json(writer, 401, _error("Incorrect API key provided", "invalid_api_key"), keep=request.keeps)
        elif rest == "/models" and request.method == "GET":
            models = [{"id": "simulator", "object": "model", "created": _CREATED, "owned_by": "toolwire"}]
            await _answer_json(writer, 200, {"object": "list", "data": models}, keep=request.keeps)
        elif rest == "/chat/completions" and request.method == "POST":
            return await self._complete(writer, request, fault) and request.keeps
        else:
            await _answer_json(
                writer, 404, _error(f"nothing is at {request.method} {request.path}"), keep=request.keeps
            )
        return request.keeps

    def _knows(self, request: _Request) -> bool:
        """Whether the request carries the key."""
        sent = request.headers.get("authorization", "")
        return hmac.compare_digest(sent.encode(), f"Bearer {self._key}".encode())

    async def _list(self, writer: asyncio.StreamWriter, request: _Request) -> None:
        """List the faults, as JSON or, where that is wanted, as text."""
        if "text/plain" in request.headers.get("accept", ""):
            width = max((len(fault.name) for fault in FAULTS), default=0)
            text = "".join(f"{fault.name:<{width}}  {fault.summary}\n" for fault in FAULTS)
            await _answer(writer, 200, text.encode(), "text/plain; charset=utf-8", keep=request.keeps)
            return
        listed = [
            {
                "name": fault.name,
                "summary": fault.summary,
                "trips": sorted(fault.trips),
                "base_url": f"{self.url}/{fault.name}/v1",
            }
            for fault in FAULTS
        ]
        await _answer_json(writer, 200, {"base_url": f"{self.url}/v1", "faults": listed}, keep=request.keeps)

    async def _complete(self, writer: asyncio.StreamWriter, request: _Request, fault: Fault | None) -> bool:
        """Answer one request for a completion; return whether the connection can be used again."""
        self.requests += 1
        try:
            body = json.loads(request.body)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict) or not isinstance(body.get("messages"), list) or not body["messages"]:
            await _answer_json(writer, 400, _error("the body needs `messages`", "invalid_request_error"), keep=True)
            return True
        # by the request and how often it came, not by its turn: concurrent requests arrive in any order
        self._asked[request.body] += 1
        again = self._asked[request.body]
        dice = random.Random(f"{self._seed}:{again}:{request.body!r}")  # noqa: S311 - a seeded choice, no secret
        plan = plan_answer(body, seed=self._seed)
        healthy = stream(plan, dialect=self._dialect)
        wire = healthy if fault is None else fault.apply(healthy, plan, dice)
        if body.get("stream") is not True and wire.status == 200:  # noqa: PLR2004 - OK
            await _answer_json(writer, 200, whole(plan), keep=True)
            return True
        return await self._send(writer, wire, dice)

    async def _send(self, writer: asyncio.StreamWriter, wire: Wire, dice: random.Random) -> bool:
        """Put a wire on the connection; return whether it can be used again."""
        headers = dict(wire.headers)
        if wire.status != 200 and not wire.endless:  # noqa: PLR2004 - OK
            headers["content-length"] = str(sum(len(frame(item)) for item in wire.items))
        chunked = "content-length" not in headers and not wire.close_delimited
        if chunked:
            headers["transfer-encoding"] = "chunked"
        if wire.close_delimited:
            headers["connection"] = "close"
        writer.write(_head(wire.status, headers))
        for part in parts(wire, self._pacing, dice):
            await _wait(writer, part.wait)
            await _write(writer, part.data, chunked=chunked)
        last = frame(wire.items[-1]) if wire.items else b""
        pause = wire.items[-2].seconds if len(wire.items) > 1 and isinstance(wire.items[-2], Pause) else 0.0
        while wire.endless and last:
            await _wait(writer, pause)
            await _write(writer, last, chunked=chunked)
        match wire.ending:
            case Ending.RESET:
                _reset(writer)
                return False
            case Ending.CUT:
                return False
            case Ending.CLEAN:
                if chunked:
                    writer.write(b"0\r\n\r\n")
                await writer.drain()
                return not wire.close_delimited


async def _wait(writer: asyncio.StreamWriter, seconds: float) -> None:
    """Let time pass, or at least other tasks; what was written goes out before."""
    await writer.drain()
    if writer.is_closing():
        raise ConnectionResetError
    await asyncio.sleep(seconds)


async def _write(writer: asyncio.StreamWriter, data: bytes, *, chunked: bool) -> None:
    """Write bytes, as one chunk of the transfer coding where that is used."""
    if not data:
        return
    writer.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)
    await writer.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Break the connection off with a reset instead of an end."""
    sock = writer.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _read_request(reader: asyncio.StreamReader) -> _Request | None:
    """Read one request; None where the client closed the connection. Raises `_BadRequestError`."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise _BadRequestError("the request stops inside its head") from error
        return None
    except asyncio.LimitOverrunError as error:
        raise _BadRequestError(f"the head has more than {HEAD_LIMIT} bytes") from error
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):  # noqa: PLR2004 - method, path, version
        raise _BadRequestError("the first line is no request")
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    body = await _read_body(reader, headers)
    return _Request(words[0], words[1].split("?")[0], headers, body)


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    """Read the body of a request. Raises `_BadRequestError`."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        found = b""
        while True:
            size = await reader.readline()
            try:
                length = int(size.split(b";")[0], 16)
            except ValueError as error:
                raise _BadRequestError("the size of a chunk is no number") from error
            if length < 0 or len(found) + length > BODY_LIMIT:
                raise _BadRequestError(f"the body has more than {BODY_LIMIT} bytes")
            found += await reader.readexactly(length)
            await reader.readline()
            if not length:
                return found
    length_text = headers.get("content-length", "0")
    if not length_text.isdecimal():
        raise _BadRequestError("content-length is no number")
    if int(length_text) > BODY_LIMIT:
        raise _BadRequestError(f"the body has more than {BODY_LIMIT} bytes")
    return await reader.readexactly(int(length_text))


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    """Return the head of an answer."""
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        *(f"{key}: {value}" for key, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _answer(writer: asyncio.StreamWriter, status: int, body: bytes, kind: str, *, keep: bool) -> None:
    """Send a plain answer."""
    headers = {"content-type": kind, "content-length": str(len(body))} | ({} if keep else {"connection": "close"})
    writer.write(_head(status, headers) + body)
    await writer.drain()


async def _answer_json(writer: asyncio.StreamWriter, status: int, value: object, *, keep: bool) -> None:
    """Send a JSON answer."""
    await _answer(writer, status, json.dumps(value).encode(), "application/json", keep=keep)


def _error(message: str, kind: str = "invalid_request_error") -> dict[str, object]:
    """Return an error as OpenAI writes it."""
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def _fault(name: str) -> Fault | None:
    """Return the fault that a path names, if there is one."""
    try:
        return by_name(name)
    except KeyError:
        return None


def _unknown(name: str) -> str:
    """Say that there is no such fault, and which may have been meant."""
    nearest = difflib.get_close_matches(name, [fault.name for fault in FAULTS], n=3)
    return f"no fault is called {name!r}" + (
        f"; did you mean {' or '.join(nearest)}?" if nearest else "; GET / lists them"
    )
