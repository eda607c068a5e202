"""Tiny raw servers on loopback for tests: what they send is written byte by byte, so they can misbehave in any way."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType

    Handler = Callable[["Received", asyncio.StreamWriter], Awaitable[None]]

__all__ = [
    "Loopback",
    "Received",
    "answer",
    "call_events",
    "chunked_head",
    "piece",
    "plain_answer",
    "stream",
]


@dataclass(frozen=True)
class Received:
    """One request as the server saw it; header names are lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = field(repr=False)

    @property
    def json(self) -> dict[str, Any]:
        """The body as JSON."""
        value: dict[str, Any] = json.loads(self.body)
        return value


class Loopback:
    """A server on a free port of 127.0.0.1 that lets `handler` write the answers; `received` holds the requests."""

    def __init__(self, handler: Handler) -> None:
        self.received: list[Received] = []
        self.arrived = asyncio.Event()
        """Set with the first request."""
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    @property
    def url(self) -> str:
        """The base address without a version."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read one request and have it answered."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                first, *lines = head.split("\r\n")
                method, path, _ = first.split(" ")
                headers = {
                    name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
                }
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                received = Received(method, path, headers, body)
                self.received.append(received)
                self.arrived.set()
                await self._handler(received, writer)
                await writer.drain()
        finally:
            self._tasks.discard(task)
            writer.close()


def chunked_head(status: str = "200 OK", **headers: str) -> bytes:
    """Return the head of a chunked event stream; `_` in names stands for `-`."""
    lines = [f"HTTP/1.1 {status}", "Content-Type: text/event-stream", "Transfer-Encoding: chunked"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def piece(data: bytes) -> bytes:
    """Return one chunk of a chunked body; of no bytes it is the last one."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def plain_answer(status: str, body: bytes, *, kind: str = "application/json", **headers: str) -> bytes:
    """Return a whole answer with its length."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def answer(status: str, value: object, **headers: str) -> bytes:
    """Return a whole answer that holds a JSON value."""
    return plain_answer(status, json.dumps(value).encode(), **headers)


def stream(*events: bytes) -> bytes:
    """Return a whole chunked event stream."""
    return chunked_head() + b"".join(map(piece, events)) + piece(b"")


def call_events(name: str, arguments: str, *, finish: str = "tool_calls", model: str = "m") -> list[bytes]:
    """Return the events of a healthy stream with one call."""

    def chunk(delta: dict[str, object], reason: str | None = None) -> bytes:
        value = {
            "id": "chatcmpl-7",
            "object": "chat.completion.chunk",
            "created": 1796083200,
            "model": model,
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}],
        }
        return b"data: " + json.dumps(value).encode() + b"\n\n"

    head = {"index": 0, "id": "call_7f3a", "type": "function", "function": {"name": name, "arguments": ""}}
    return [
        chunk({"role": "assistant", "content": None}),
        chunk({"tool_calls": [head]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]}),
        chunk({}, finish),
        b"data: [DONE]\n\n",
    ]
