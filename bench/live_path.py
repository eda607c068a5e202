"""What one event costs on the live path: toolwire against openai-python, the old script, and a bare read loop.

    python bench/live_path.py [--streams 1,100,500] [--events 400] [--script FILE]

A server in a process of its own sends each event in a packet of its own. Each contender runs in a fresh process and
reads all streams at once; what counts is the CPU time of that process divided by the events (its start-up is
subtracted: it is measured after one stream that is not counted). toolwire reads, records to a file, decodes,
accumulates and judges; the others only read and decode. Ratios hold within one run; single times do not travel.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.util
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "shared" / "seed" / "stream-toolcall-probe.py"
GAP = 0.004
"""Seconds between the events of one stream: long enough that each travels alone."""

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "write_file",
            "description": "Write a file.",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
                "required": ["path", "text"],
            },
        },
    }
]
BODY: dict[str, object] = {
    "model": "bench",
    "messages": [{"role": "user", "content": "Write the file."}],
    "tools": TOOLS,
    "tool_choice": "required",
    "stream": True,
}


def events(count: int) -> list[bytes]:
    """Return the events of one healthy stream with one call."""

    def chunk(delta: dict[str, object], finish: str | None = None) -> bytes:
        value = {
            "id": "chatcmpl-1f2e3d4c5b6a",
            "object": "chat.completion.chunk",
            "created": 1796083200,
            "model": "bench",
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        }
        return b"data: " + json.dumps(value).encode() + b"\n\n"

    def call(arguments: str, **head: str) -> bytes:
        function = {"arguments": arguments} | ({"name": head.pop("name")} if head else {})
        return chunk({"tool_calls": [{"index": 0, **head, "function": function}]})

    middle = [call(f"word {number} ") for number in range(max(count - 6, 1))]
    return [
        chunk({"role": "assistant", "content": ""}),
        call("", id="call_1a2b3c", type="function", name="write_file"),
        call('{"path": "a", "text": "'),
        *middle,
        call('"}'),
        chunk({}, "tool_calls"),
        b"data: [DONE]\n\n",
    ]


async def serve(count: int) -> None:
    """Serve streams on a free port of loopback, which is printed."""
    parts = events(count)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                )
                for part in parts:
                    writer.write(b"%x\r\n%s\r\n" % (len(part), part))
                    await asyncio.sleep(GAP)
                writer.write(b"0\r\n\r\n")
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


async def toolwire_streams(url: str, streams: int) -> float:
    """Read, record, decode, accumulate and judge; return the CPU seconds of the counted part."""
    from toolwire.client import Client  # noqa: PLC0415 - a contender loads only what it uses
    from toolwire.exchange import encode_exchange  # noqa: PLC0415
    from toolwire.judge import judge  # noqa: PLC0415
    from toolwire.rules.catalogue import RULES  # noqa: PLC0415
    from toolwire.target import Target  # noqa: PLC0415

    with tempfile.NamedTemporaryFile() as sink:
        async with Client(Target(url)) as client:

            async def one(number: int) -> None:
                exchange = await client.ask(BODY, id=str(number))
                sink.write(encode_exchange(exchange) + b"\n")
                judgement = judge(exchange, RULES)
                if judgement.verdict != "PASS":
                    sys.exit(f"the bench's stream is not healthy: {judgement.findings}")

            await one(-1)
            begun = time.process_time()
            await asyncio.gather(*(one(number) for number in range(streams)))
            return time.process_time() - begun


async def openai_streams(url: str, streams: int) -> float:
    """Iterate the official client's stream."""
    import httpx2 as httpx  # noqa: PLC0415
    import openai  # noqa: PLC0415

    limits = httpx.Limits(max_connections=2000)
    http = openai.DefaultAsyncHttpxClient(limits=limits, timeout=300)
    async with openai.AsyncOpenAI(base_url=url + "/v1", api_key="none", http_client=http) as client:

        async def one() -> None:
            settings = {key: value for key, value in BODY.items() if key != "stream"}
            stream = await client.chat.completions.create(stream=True, **settings)  # type: ignore[call-overload]
            async for _ in stream:
                pass

        await one()
        begun = time.process_time()
        await asyncio.gather(*(one() for _ in range(streams)))
        return time.process_time() - begun


async def bare_streams(url: str, streams: int) -> float:
    """Only read from the socket."""
    port = int(url.rsplit(":", 1)[1])
    payload = json.dumps(BODY).encode()
    request = (
        b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        b"content-length: %d\r\n\r\n%s" % (len(payload), payload)
    )

    async def one() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        tail = b""
        while not tail.endswith(b"0\r\n\r\n"):
            tail = (tail + await reader.read(65536))[-8:]
        writer.close()

    await one()
    begun = time.process_time()
    await asyncio.gather(*(one() for _ in range(streams)))
    return time.process_time() - begun


def script_streams(url: str, streams: int, script: Path) -> float:
    """Run the old script's own reader, one thread a stream."""
    spec = importlib.util.spec_from_file_location("old_script", script)
    if spec is None or spec.loader is None:
        sys.exit(f"no script at {script}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def one() -> None:
        module.stream_request(url, "bench", BODY["messages"], "required", True, 0.6, 512, 300.0)  # noqa: FBT003 - its own signature

    one()
    threads = [threading.Thread(target=one) for _ in range(streams)]
    begun = time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.process_time() - begun


def contend(name: str, url: str, streams: int, script: Path) -> None:
    """Run one contender in this process and print its CPU seconds."""
    if name == "script":
        seconds = script_streams(url, streams, script)
    else:
        import uvloop  # noqa: PLC0415

        runners = {"toolwire": toolwire_streams, "openai": openai_streams, "bare": bare_streams}
        seconds = uvloop.run(runners[name](url, streams))
    print(json.dumps(seconds))


def main() -> None:
    """Run all contenders in turn and print CPU an event and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", default="1,100,500")
    parser.add_argument(
        "--events", type=int, default=400, help="of one stream; suite `seed` lets an answer have 512 tokens"
    )
    parser.add_argument("--script", type=Path, default=SCRIPT)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--contend", help=argparse.SUPPRESS)
    parser.add_argument("--url", default="", help=argparse.SUPPRESS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(options.events))
    elif options.contend:
        contend(options.contend, options.url, int(options.streams), options.script)
    else:
        compare(options)


def compare(options: argparse.Namespace) -> None:
    """Measure every contender at every number of streams."""
    me = [sys.executable, __file__]
    count = len(events(options.events))
    names = ["toolwire", "openai", "bare"] + (["script"] if options.script.is_file() else [])
    server = subprocess.Popen([*me, "--serve", "--events", str(options.events)], stdout=subprocess.PIPE, text=True)  # noqa: S603 - ourselves
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        table: dict[str, dict[str, float]] = {}
        for streams in [int(part) for part in options.streams.split(",")]:
            costs: dict[str, list[float]] = {name: [] for name in names}
            for _ in range(options.repeat):
                for name in names:
                    arguments = [
                        "--contend",
                        name,
                        "--url",
                        url,
                        "--streams",
                        str(streams),
                        "--script",
                        str(options.script),
                    ]
                    done = subprocess.run([*me, *arguments], capture_output=True, text=True, timeout=600, check=False)  # noqa: S603
                    if done.returncode:
                        sys.exit(f"{name} failed: {done.stderr[-2000:]}")
                    costs[name].append(json.loads(done.stdout) / (streams * count) * 1e6)
            middle = {name: sorted(values)[len(values) // 2] for name, values in costs.items()}
            table[str(streams)] = middle
            if not options.json:
                shown = ", ".join(f"{name} {value:.1f}" for name, value in middle.items())
                ratio = middle["openai"] / middle["toolwire"]
                print(f"{streams:>4} streams, µs of CPU an event: {shown}; openai / toolwire = {ratio:.1f}", flush=True)
        if options.json:
            print(json.dumps(table, indent=1))
    finally:
        server.terminate()
        server.wait(timeout=10)


if __name__ == "__main__":
    main()
