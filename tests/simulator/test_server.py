"""The simulator over real sockets: routes, endings, keys, bad requests."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from toolwire.client import Client
from toolwire.exchange import End
from toolwire.judge import Verdict, judge
from toolwire.rules.catalogue import RULES
from toolwire.simulator.faults import FAULTS
from toolwire.simulator.faults.reach import UNREACHED
from toolwire.simulator.pacing import Chunking, Pacing
from toolwire.simulator.server import BODY_LIMIT, SimulatorServer
from toolwire.target import Target, Timeouts

if TYPE_CHECKING:
    from toolwire.simulator.faults import Fault


def offered(name: str, **properties: str) -> dict[str, object]:
    """Return one strict tool."""
    schema = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "parameters": schema, "strict": True}}


BODY: dict[str, object] = {
    "model": "simulator",
    "messages": [{"role": "user", "content": "Read the first 4 lines of the file /etc/hosts."}],
    "tools": [offered("read_file", path="string", lines="integer"), offered("get_time")],
    "tool_choice": "required",
    "stream": True,
}


async def talk(server: SimulatorServer, *requests: bytes) -> list[tuple[int, dict[str, str], bytes]]:
    """Send requests on one connection and read their answers, which must have a length."""
    port = int(server.url.rsplit(":", 1)[1])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    found = []
    try:
        for request in requests:
            writer.write(request)
            async with asyncio.timeout(10):
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
                body = await reader.readexactly(int(headers["content-length"]))
            found.append((int(head[0].split()[1]), headers, body))
    finally:
        writer.close()
    return found


def get(path: str, **headers: str) -> bytes:
    """Return a GET request."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode()


def post(path: str, body: bytes, **headers: str) -> bytes:
    """Return a POST request."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{lines}\r\n".encode() + body


async def test_it_lists_itself_and_its_model() -> None:
    """As JSON, as text, and under a fault's path; several requests share a connection."""
    async with SimulatorServer() as server:
        listing, text, models, faulty = await talk(
            server,
            get("/"),
            get("/", Accept="text/plain"),
            get("/v1/models"),
            get(f"/{FAULTS[0].name}/v1/models"),
        )
    listed = json.loads(listing[2])
    assert [one["name"] for one in listed["faults"]] == [fault.name for fault in FAULTS]
    assert listed["base_url"] == f"{server.url}/v1"
    assert FAULTS[0].name in text[2].decode()
    assert json.loads(models[2])["data"][0]["id"] == "simulator"
    assert faulty[0] == 200


async def test_a_wrong_path_or_fault_is_404_and_names_the_nearest() -> None:
    """What is not there says so."""
    async with SimulatorServer() as server:
        nothing, wrong, unlike = await talk(
            server, get("/v1/nothing"), get("/args-dubled/v1/models"), get("/%%%/v1/models")
        )
    assert nothing[0] == wrong[0] == unlike[0] == 404
    assert "args-doubled" in wrong[2].decode()
    assert "GET / lists them" in unlike[2].decode()


async def test_a_request_without_stream_gets_a_whole_answer() -> None:
    """Also where the streams of this path are broken: the twin is right."""
    body = json.dumps({**BODY, "stream": False}).encode()
    async with SimulatorServer() as server:
        plain, faulty = await talk(
            server, post("/v1/chat/completions", body), post("/args-doubled/v1/chat/completions", body)
        )
    for status, _, answer in (plain, faulty):
        call = json.loads(answer)["choices"][0]["message"]["tool_calls"][0]
        assert status == 200
        assert json.loads(call["function"]["arguments"]) == {"path": "/etc/hosts", "lines": 4}


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"messages": []}', b'{"messages": 1}', b"[" * 100_000])
async def test_a_bad_body_is_400(body: bytes) -> None:
    """What is no request for a completion is refused as OpenAI refuses it."""
    async with SimulatorServer() as server:
        ((status, _, answer),) = await talk(server, post("/v1/chat/completions", body))
    assert status == 400
    assert json.loads(answer)["error"]["message"]


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (BODY_LIMIT + 1),
        b"POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % (BODY_LIMIT + 1),
        b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
    ],
)
async def test_what_is_no_request_is_400_and_closes(request_bytes: bytes) -> None:
    """The server bears it, says so, and goes on for others."""
    async with SimulatorServer() as server:
        ((status, headers, _),) = await talk(server, request_bytes)
        assert status == 400
        assert headers["connection"] == "close"
        assert (await talk(server, get("/v1/models")))[0][0] == 200


async def test_a_chunked_request_is_read() -> None:
    """Clients may send their body in chunks."""
    body = json.dumps({**BODY, "stream": False}).encode()
    half = len(body) // 2
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:])) + b"0\r\n\r\n"
    head = b"POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    async with SimulatorServer() as server:
        ((status, _, _),) = await talk(server, head + chunks)
    assert status == 200


async def test_a_client_that_goes_away_is_borne() -> None:
    """In the middle of a head, and without a word."""
    async with SimulatorServer() as server:
        port = int(server.url.rsplit(":", 1)[1])
        for sent in (b"", b"GET / HT"):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            await writer.drain()
            writer.close()
            await writer.wait_closed()
        assert (await talk(server, get("/v1/models", Connection="close")))[0][0] == 200


async def test_a_key_is_asked_for() -> None:
    """Without the key, or with another, it is 401."""
    async with SimulatorServer(key="sk-right-key") as server:
        without, wrong, right = await talk(
            server,
            get("/v1/models"),
            get("/v1/models", Authorization="Bearer sk-wrong"),
            get("/v1/models", Authorization="Bearer sk-right-key"),
        )
    assert (without[0], wrong[0], right[0]) == (401, 401, 200)


@pytest.mark.parametrize("chunking", [Chunking.EVENT, Chunking.BYTES, Chunking.WHOLE, Chunking.RANDOM])
async def test_a_healthy_stream_passes_however_it_is_cut(chunking: Chunking) -> None:
    """The client reads it, and the judge finds nothing."""
    async with (
        SimulatorServer(pacing=Pacing(chunking=chunking, size=17)) as server,
        Client(Target(server.url)) as client,
    ):
        exchange = await client.ask(BODY, id="x")
        assert server.requests == 1
    assert exchange.end is End.EOF
    assert judge(exchange, RULES).verdict is Verdict.PASS


async def test_a_fault_can_be_the_default() -> None:
    """`--fault` applies where the path names none."""
    async with SimulatorServer(fault="args-doubled") as server, Client(Target(server.url)) as client:
        assert judge(await client.ask(BODY, id="x"), RULES).verdict is Verdict.BROKEN


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if not fault.hostile], ids=lambda fault: fault.name)
async def test_every_fault_is_served_and_judged_alike_over_sockets(fault: object) -> None:
    """What the client reads gets the verdict that the fault declares, pauses of minutes left out."""
    name, verdict = getattr(fault, "name", ""), getattr(fault, "verdict", "")
    if getattr(fault, "group", "") in ("timing", "chance"):
        return  # silences of half a minute are judged from made-up times, chance by its own test
    async with SimulatorServer(fault=name) as server, Client(Target(server.url)) as client:
        judgement = judge(await client.ask(BODY, id=name), RULES)
    assert not judgement.crashed
    if verdict in ("PASS", "ERROR"):
        assert judgement.verdict == verdict
    else:
        assert judgement.verdict is not Verdict.PASS


HOSTILE = [fault for fault in FAULTS if fault.hostile]


@pytest.mark.parametrize("fault", HOSTILE, ids=lambda fault: fault.name)
async def test_a_hostile_answer_ends_at_the_limits_of_the_client(fault: Fault) -> None:
    """Endless, gigantic or hardly moving: the client stops, the judge answers, and the server stops sending."""
    patience = Timeouts(connect=5, total=5, stall=0.3)
    async with (
        SimulatorServer() as server,
        Client(Target(f"{server.url}/{fault.name}", timeouts=patience, byte_limit=1 << 20)) as client,
    ):
        exchange = await client.ask(BODY, id=fault.name)
        assert sum(len(read.data) for read in exchange.reads) <= 1 << 20
        assert (await talk(server, get("/v1/models")))[0][0] == 200
    judgement = judge(exchange, RULES)
    assert not judgement.crashed
    assert judgement.verdict == fault.verdict
    if fault.name == "gzip-bomb":
        assert set(UNREACHED) == {"body-too-long"} <= {finding.rule for finding in judgement.findings}


async def test_a_body_may_end_with_the_connection_alone() -> None:
    """Neither chunks nor a length: the client reads to the end, and the connection is not used again."""
    port_body = json.dumps(BODY).encode()
    async with SimulatorServer() as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rsplit(":", 1)[1]))
        writer.write(post("/legal-close-delimited/v1/chat/completions", port_body))
        async with asyncio.timeout(10):
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
    assert b"transfer-encoding" not in head.lower()
    assert b"connection: close" in head.lower()
    assert body.startswith(b"data: ")
    assert body.endswith(b"data: [DONE]\n\n")


async def test_a_fault_can_be_left_to_chance_by_its_path() -> None:
    """`NAME@PERCENT` breaks that share of the answers, the same ones for the same seed."""
    broken = []
    for _ in range(2):
        async with SimulatorServer(seed=4) as server, Client(Target(f"{server.url}/args-doubled@50")) as client:
            verdicts = [judge(await client.ask(BODY, id="x"), RULES).verdict for _ in range(20)]
        assert set(verdicts) == {Verdict.PASS, Verdict.BROKEN}
        broken.append([place for place, verdict in enumerate(verdicts) if verdict is Verdict.BROKEN])
    assert broken[0] == broken[1]


async def test_it_stops_amid_an_answer() -> None:
    """The end of the server breaks off what never ends."""
    async with asyncio.timeout(10):
        async with SimulatorServer() as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rsplit(":", 1)[1]))
            writer.write(post("/endless-content/v1/chat/completions", json.dumps(BODY).encode()))
            await reader.readuntil(b"word word")
        while await reader.read(1 << 16):
            pass
        writer.close()
