"""The client keeps what came, says how it ended, and gives no secret away."""

from __future__ import annotations

import asyncio
import gzip
import signal
import socket
import struct
import sys
from typing import TYPE_CHECKING

import pytest

import toolwire.client
import toolwire.client.capture
from loopback import Loopback, Received, call_events, chunked_head, piece, plain_answer, stream
from toolwire.client import Client
from toolwire.errors import NoAnswerError, UsageError
from toolwire.exchange import End, Exchange, decode_exchange, encode_exchange
from toolwire.target import Key, Target, Timeouts

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopback import Handler

BODY: dict[str, object] = {"model": "m", "messages": [{"role": "user", "content": "grüße"}], "stream": True}
KEY = Key("sk-very-secret/0123456789", "TOOLWIRE_API_KEY")
EVENTS = call_events("read_file", '{"path": "/etc/hosts"}')
FOREVER = 20.0
"""Seconds after which a server that is meant to hang stops hanging; no test waits for it."""


async def ask(handler: Handler, **settings: object) -> Exchange:
    """Ask a server once."""
    async with Loopback(handler) as server, Client(Target(server.url, **settings)) as client:  # type: ignore[arg-type]
        return await client.ask(BODY, id="t")


def sends(*parts: bytes, then: float = 0.0) -> Handler:
    """Return a handler that writes parts one by one, then waits before it closes."""

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0)
        await asyncio.sleep(then)

    return handle


def bytes_of(exchange: Exchange) -> bytes:
    """Return the whole body."""
    return b"".join(read.data for read in exchange.reads)


async def test_healthy_stream_is_kept_byte_for_byte() -> None:
    """Status, lower-case headers, the bytes after transfer decoding, rising times and a clean end."""
    exchange = await ask(sends(chunked_head(X_Served_By="gpu7"), *map(piece, [*EVENTS, b""])))
    assert bytes_of(exchange) == b"".join(EVENTS)
    assert exchange.end is End.EOF
    assert exchange.error is None
    assert exchange.response is not None
    assert exchange.response.status == 200
    assert exchange.response.headers["x-served-by"] == "gpu7"
    times = [read.at for read in exchange.reads]
    assert times == sorted(times)
    assert 0 < times[0] < 5
    assert exchange.request == BODY


async def test_the_request_is_what_it_is_said_to_be() -> None:
    """The body arrives as given; no compression is asked for; the key travels as a bearer token."""
    async with Loopback(sends(stream(*EVENTS))) as server:
        async with Client(Target(server.url, key=KEY, headers={"X-Team": "blue", "User-Agent": "mine"})) as client:
            exchange = await client.ask(BODY, id="t")
        seen = server.received[0]
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.json == BODY
    assert seen.headers["accept-encoding"] == "identity"
    assert seen.headers["authorization"] == f"Bearer {KEY.value}"
    assert seen.headers["content-type"] == "application/json"
    assert (seen.headers["x-team"], seen.headers["user-agent"]) == ("blue", "mine")
    assert exchange.sent_headers is not None
    assert exchange.sent_headers["authorization"] == exchange.sent_headers["x-team"] == "[redacted]"
    assert exchange.sent_headers["accept-encoding"] == "identity"


SHORT = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n"
UNTIL_CLOSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(
    ("head", "wrap", "end"),
    [
        pytest.param(chunked_head(), piece, End.RESET, id="chunked-without-its-last-chunk"),
        pytest.param(SHORT, bytes, End.RESET, id="shorter-than-its-length"),
        pytest.param(UNTIL_CLOSE, bytes, End.EOF, id="delimited-by-the-close"),
    ],
)
async def test_what_came_before_a_close_is_kept(
    head: bytes, wrap: Callable[[bytes], bytes], end: End, *, together: bool
) -> None:
    """A body that is closed early keeps all its bytes, also when they come in one packet with the close."""
    parts = [head, *map(wrap, EVENTS[:3])]
    exchange = await ask(sends(*([b"".join(parts)] if together else parts)))
    assert bytes_of(exchange) == b"".join(EVENTS[:3])
    assert exchange.end is end
    assert (exchange.error is None) == (end is End.EOF)


@pytest.mark.parametrize("head", [UNTIL_CLOSE, chunked_head()])
async def test_a_broken_connection_is_no_end(head: bytes) -> None:
    """A connection reset is told from a close, also where only the close delimits the body."""
    wait = asyncio.Event()

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(head + (EVENTS[0] if head is UNTIL_CLOSE else piece(EVENTS[0])))
        await writer.drain()
        await wait.wait()
        # with a linger time of 0 a close is a reset
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    async with Loopback(handle) as server, Client(Target(server.url)) as client:
        asking = asyncio.ensure_future(client.ask(BODY, id="t"))
        await server.arrived.wait()
        wait.set()
        exchange = await asking
    assert exchange.end is End.RESET
    assert exchange.error


async def test_a_dead_port_refuses() -> None:
    """Without a connection there is no response; the words name the address."""
    async with Loopback(sends()) as server:
        url = server.url
    async with Client(Target(url)) as client:
        exchange = await client.ask(BODY, id="t")
        with pytest.raises(NoAnswerError, match="cannot connect"):
            await client.get(f"{url}/v1/models")
    assert exchange.end is End.REFUSED
    assert exchange.response is None
    assert exchange.reads == []
    assert url.removeprefix("http://") in (exchange.error or "")


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (b"SSH-2.0-OpenSSH_9.6\r\n", "not HTTP"),
        (b"", "without an answer"),
        (b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 20_000 + b"\r\n\r\n", "not HTTP"),
    ],
)
async def test_answers_that_are_no_http(sent: bytes, words: str) -> None:
    """Another protocol, silence, and a head without bounds end as a broken connection without a response."""
    exchange = await ask(sends(sent))
    assert exchange.end is End.RESET
    assert exchange.response is None
    assert words in (exchange.error or "")


async def test_tls_on_a_plain_port_says_so() -> None:
    """Https against a server of plain HTTP hints at http."""

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(5)
        await handle(Received("", "", {}, b""), writer)
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server, Client(Target(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")) as client:
        exchange = await client.ask(BODY, id="t")
        with pytest.raises(NoAnswerError, match=r"no TLS with .*http://"):
            await client.get(f"{client.target.url}/models")
    assert exchange.end is End.REFUSED


async def test_silence_between_reads_times_out() -> None:
    """A body that goes silent ends after the stall time-out, and keeps what came."""
    exchange = await ask(sends(chunked_head(), piece(EVENTS[0]), then=FOREVER), timeouts=Timeouts(stall=0.2))
    assert exchange.end is End.TIMEOUT
    assert bytes_of(exchange) == EVENTS[0]
    assert exchange.error == "nothing came for 0.2 s, and the body did not end"


async def test_silence_before_the_first_byte_is_no_stall() -> None:
    """A model may think for longer than a stall before its first byte."""

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(chunked_head())
        await writer.drain()
        await asyncio.sleep(0.5)
        writer.write(b"".join(map(piece, [*EVENTS, b""])))

    exchange = await ask(handle, timeouts=Timeouts(stall=0.1))
    assert exchange.end is End.EOF


async def test_a_trickle_ends_at_the_total_time_out() -> None:
    """A byte now and then never stalls, and still ends."""

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(chunked_head())
        while not writer.is_closing():
            writer.write(piece(b"d"))
            await asyncio.sleep(0.02)

    exchange = await ask(handle, timeouts=Timeouts(total=0.5, stall=0.3))
    assert exchange.end is End.TIMEOUT
    assert set(bytes_of(exchange)) == {ord("d")}
    assert "no end within" in (exchange.error or "")


async def test_no_answer_at_all_times_out() -> None:
    """A server that accepts and says nothing ends at the total time-out."""
    exchange = await ask(sends(then=FOREVER), timeouts=Timeouts(total=0.3))
    assert exchange.end is End.TIMEOUT
    assert exchange.response is None


@pytest.mark.parametrize("cut", range(len(b"\ndata: [DONE]") + 1))
async def test_after_done_the_end_is_not_awaited_for_ever(cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After `[DONE]`, wherever the reads cut it, we wait the grace only; the end is honestly a time-out."""
    monkeypatch.setattr(toolwire.client.capture, "DONE_GRACE", 0.15)
    last = b"".join(EVENTS)
    place = last.index(b"\ndata: [DONE]") + cut
    parts = [piece(part) for part in (last[:place], last[place:]) if part]

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(chunked_head())
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0.02)
        await asyncio.sleep(FOREVER)

    async with asyncio.timeout(5):
        exchange = await ask(handle)
    assert exchange.end is End.TIMEOUT
    assert bytes_of(exchange) == last
    assert "after [DONE]" in (exchange.error or "")


@pytest.mark.parametrize("cut", [0, 19, 25, 32, 36])
async def test_done_inside_text_is_no_end(cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The word inside an event's JSON, wherever it is cut, does not shorten the patience."""
    monkeypatch.setattr(toolwire.client.capture, "DONE_GRACE", 0.1)
    said = b'data: {"content": "data: [DONE]abcd"}\n\n'

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(chunked_head())
        for part in (said[:cut], said[cut:]):
            if part:
                writer.write(piece(part))
                await writer.drain()
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.3)
        writer.write(piece(EVENTS[-1]) + piece(b""))

    exchange = await ask(handle)
    assert exchange.end is End.EOF
    assert bytes_of(exchange) == said + EVENTS[-1]


async def test_an_endless_line_ends_at_the_byte_limit() -> None:
    """A line without end is read up to the limit, to the byte."""

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(chunked_head() + piece(b"data: "))
        while not writer.is_closing():
            writer.write(piece(b"a" * 60_000))
            await writer.drain()

    exchange = await ask(handle, byte_limit=1_000_000)
    assert exchange.end is End.ABORTED
    assert len(bytes_of(exchange)) == 1_000_000
    assert exchange.error == "we stopped reading: the body passes 1000000 bytes"


async def test_countless_reads_end_at_their_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Single bytes for ever end by number, long before the byte limit."""
    monkeypatch.setattr(toolwire.client.capture, "READS_LIMIT", 20)

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(chunked_head())
        while not writer.is_closing():
            writer.write(piece(b"d"))
            await writer.drain()
            await asyncio.sleep(0.001)

    exchange = await ask(handle)
    assert exchange.end is End.ABORTED
    assert len(exchange.reads) == 20
    assert "more than 20 pieces" in (exchange.error or "")


async def test_content_coding_is_left_alone() -> None:
    """A body that unfolds into megabytes is kept as it came."""
    bomb = gzip.compress(b"\0" * 5_000_000)
    exchange = await ask(sends(plain_answer("200 OK", bomb, Content_Encoding="gzip")))
    assert bytes_of(exchange) == bomb
    assert exchange.response is not None
    assert exchange.response.headers["content-encoding"] == "gzip"


async def test_error_answers_are_evidence() -> None:
    """A refusal is kept with its body; it is not our error."""
    exchange = await ask(sends(plain_answer("429 Too Many", b'{"error": {"message": "slow down"}}', Retry_After="3")))
    assert exchange.response is not None
    assert (exchange.response.status, exchange.response.headers["retry-after"]) == (429, "3")
    assert bytes_of(exchange) == b'{"error": {"message": "slow down"}}'
    assert (exchange.end, exchange.error) == (End.EOF, None)


async def test_cancelling_keeps_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancelled request hands out its evidence, and the cancellation goes on."""
    kept: list[Exchange] = []
    read = asyncio.Event()
    monkeypatch.setattr(toolwire.client.capture.Watch, "start", lambda _: read.set())
    async with (
        Loopback(sends(chunked_head(), piece(EVENTS[0]), then=FOREVER)) as server,
        Client(Target(server.url)) as client,
    ):
        asking = asyncio.ensure_future(client.ask(BODY, id="t", on_cancel=kept.append))
        await read.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    assert [exchange.end for exchange in kept] == [End.ABORTED]
    assert bytes_of(kept[0]) == EVENTS[0]


async def test_a_redirect_on_the_same_host_is_followed_with_the_key() -> None:
    """307 and 308 repeat the request where they point."""

    async def handle(request: Received, writer: asyncio.StreamWriter) -> None:
        if request.path == "/v1/chat/completions":
            writer.write(plain_answer("308 Permanent Redirect", b"", Location="/api/chat"))
        else:
            writer.write(stream(*EVENTS))

    async with Loopback(handle) as server, Client(Target(server.url, key=KEY)) as client:
        exchange = await client.ask(BODY, id="t")
        assert [request.path for request in server.received] == ["/v1/chat/completions", "/api/chat"]
        assert server.received[1].json == BODY
        assert server.received[1].headers["authorization"] == f"Bearer {KEY.value}"
    assert bytes_of(exchange) == b"".join(EVENTS)
    assert exchange.error is None


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
async def test_nothing_is_sent_to_another_host(status: str) -> None:
    """A redirect to another host, be it only another port, is reported and gets neither key nor request."""
    async with Loopback(sends(stream(*EVENTS))) as other:
        location = f"{other.url}/v1/chat/completions"
        exchange = await ask(sends(plain_answer(status, b"", Location=location)), key=KEY)
        assert other.received == []
    assert exchange.response is not None
    assert exchange.response.status == int(status[:3])
    assert "another host" in (exchange.error or "")


async def test_redirects_end() -> None:
    """A server that redirects in circles is left after a few rounds."""

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(plain_answer("307 Temporary Redirect", b"", Location="/v1/chat/completions"))

    async with Loopback(handle) as server, Client(Target(server.url)) as client:
        exchange = await client.ask(BODY, id="t")
        assert len(server.received) == 4
    assert "redirects" in (exchange.error or "")


async def test_a_redirect_that_changes_the_method_is_reported() -> None:
    """302 would turn the request into a GET: it is not followed."""
    exchange = await ask(sends(plain_answer("302 Found", b"", Location="/login")))
    assert "status 302" in (exchange.error or "")


async def test_secrets_never_reach_the_evidence() -> None:
    """A key that the server repeats, in a header, cut over reads or escaped, leaves asterisks of the same length."""
    escaped = KEY.value.replace("/", "\\/").encode()
    told = b'data: {"error": "bad key ' + KEY.value.encode() + b" or " + escaped + b'"}\n\n'
    half = told.index(KEY.value.encode()) + 7

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(chunked_head(X_Echo=f"Bearer {KEY.value}", Set_Cookie="a=b"))
        for part in (told[:half], told[half:]):
            writer.write(piece(part))
            await writer.drain()
            await asyncio.sleep(0.05)
        writer.write(piece(b""))

    async with Loopback(handle) as server, Client(Target(server.url, key=KEY)) as client:
        exchange = await client.ask(BODY, id="t")
        line = encode_exchange(exchange)
        assert KEY.value not in repr(client.target)
    assert KEY.value.encode() not in line
    assert escaped not in bytes_of(exchange)
    assert len(bytes_of(exchange)) == len(told)
    assert bytes_of(exchange).startswith(b'data: {"error": "bad key *****')
    assert len(exchange.reads) == 2
    assert "secret" in (exchange.error or "")
    assert exchange.response is not None
    assert exchange.response.headers["x-echo"] == f"Bearer {'*' * len(KEY.value)}"
    assert exchange.response.headers["set-cookie"] == "[redacted]"


async def test_placeholder_keys_do_not_damage_evidence() -> None:
    """A key that is shorter than any real one is not hunted for in bodies."""
    exchange = await ask(sends(stream(b"data: EMPTY\n\n")), key=Key("EMPTY", "OPENAI_API_KEY"))
    assert bytes_of(exchange) == b"data: EMPTY\n\n"
    assert exchange.error is None


async def test_headers_that_are_no_utf8_can_be_kept() -> None:
    """Whatever bytes a header has, the exchange can be written and read again."""
    head = b"HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\nContent-Length: 0\r\n\r\n"
    exchange = await ask(sends(head))
    assert decode_exchange(encode_exchange(exchange), file="f") == exchange
    assert exchange.response is not None
    assert exchange.response.headers["x-name"] == "caf\ufffd"


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, "\ud800"])
async def test_requests_that_are_no_json_are_refused(value: object) -> None:
    """What cannot be sent is the user's slip, and nothing is sent."""
    async with Loopback(sends()) as server, Client(Target(server.url)) as client:
        with pytest.raises(UsageError, match="cannot be written as JSON"):
            await client.ask({"x": value}, id="t")
        assert server.received == []


async def test_a_name_that_nobody_knows_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that cannot be resolved is told from one that does not answer."""

    async def fail(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", fail)
    async with Client(Target("http://no-such-host.invalid:8000")) as client:
        exchange = await client.ask(BODY, id="t")
    assert exchange.end is End.REFUSED
    assert exchange.error == "the name of no-such-host.invalid:8000 cannot be resolved"


async def test_a_connection_that_does_not_come_about_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for a connection has its own time-out; it is told from an answer that does not come."""

    async def hang(*_: object, **__: object) -> None:
        await asyncio.sleep(FOREVER)

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", hang)
    async with Client(Target("http://slow.invalid:8000", timeouts=Timeouts(connect=0.1))) as client:
        exchange = await client.ask(BODY, id="t")
        with pytest.raises(NoAnswerError, match=r"no connection to slow\.invalid:8000 in time"):
            await client.get(f"{client.target.url}/models")
    assert exchange.end is End.REFUSED
    assert exchange.error == "no connection to slow.invalid:8000 in time"


async def test_a_small_document_has_its_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that accepts and says nothing is not waited for."""
    monkeypatch.setattr(toolwire.client, "SMALL_WAIT", 0.1)
    async with Loopback(sends(then=FOREVER)) as server, Client(Target(server.url)) as client:
        with pytest.raises(NoAnswerError, match=r"did not answer within 0\.1 s"):
            await client.get(f"{server.url}/v1/models")


async def test_a_client_is_used_inside_its_context() -> None:
    """Outside there is no session to ask with."""
    client = Client(Target("h"))
    with pytest.raises(RuntimeError, match="async with"):
        await client.get("http://h/v1/models")
    async with client:
        pass
    await client.__aexit__(None, None, None)


async def test_a_cancelled_request_needs_no_listener() -> None:
    """Without `on_cancel` only the cancellation goes on."""
    async with Loopback(sends(then=FOREVER)) as server, Client(Target(server.url)) as client:
        asking = asyncio.ensure_future(client.ask(BODY, id="t"))
        await server.arrived.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


def test_run_does_without_the_fast_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where uvloop is not installed the standard loop serves."""
    monkeypatch.setitem(sys.modules, "uvloop", None)

    async def work() -> str:
        return type(asyncio.get_running_loop()).__module__

    assert toolwire.client.run(work()).startswith("asyncio")


@pytest.mark.parametrize("one", ["http://h:x/", "http://h:99999/", "https://h/", "http://h:81/", "http://i/"])
def test_other_hosts(one: str) -> None:
    """Scheme, host and port must be the same, and readable."""
    assert not toolwire.client._same_host(one, "http://h/")
    assert toolwire.client._same_host("http://h:80/x", "http://h/")


def test_run_returns_what_the_work_returns() -> None:
    """The event loop that is used is no matter to the work."""

    async def work() -> Exchange:
        return await ask(sends(stream(*EVENTS)))

    assert bytes_of(toolwire.client.run(work())) == b"".join(EVENTS)


def test_run_hands_an_interrupt_to_the_work_as_a_cancellation() -> None:
    """Ctrl-C cancels; work that ends by itself then returns its result."""

    async def work() -> str:
        asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
        try:
            await asyncio.sleep(FOREVER)
        except asyncio.CancelledError:
            return "partial"
        return "whole"

    # a process that was started in the background may ignore interrupts
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert toolwire.client.run(work()) == "partial"
    finally:
        signal.signal(signal.SIGINT, before)


async def test_many_streams_at_once() -> None:
    """Streams side by side do not mix."""

    async def handle(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(chunked_head())
        for event in call_events("read_file", "{}", model=request.json["model"]):
            writer.write(piece(event))
            await writer.drain()
            await asyncio.sleep(0.001)
        writer.write(piece(b""))

    async with Loopback(handle) as server, Client(Target(server.url)) as client:
        asked = [client.ask({**BODY, "model": f"model-{number}"}, id=str(number)) for number in range(50)]
        exchanges = await asyncio.gather(*asked)
    for number, exchange in enumerate(exchanges):
        assert exchange.id == str(number)
        assert bytes_of(exchange) == b"".join(call_events("read_file", "{}", model=f"model-{number}"))
