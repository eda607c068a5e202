"""How the judge's time and memory grow with the bytes: one huge call, ever more calls, ever more events.

    python bench/scaling.py [--quick]

Each kind at four sizes, up to 50 MB in one call, 10,000 calls and 1,000,000 events. The slope of the logarithms says
how time grows: 1 is linear, 2 quadratic.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolwire.exchange import Exchange, Read, ResponseHead
from toolwire.judge import VerdictClass, judge
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TOOL = {
    "type": "function",
    "function": {
        "name": "write_file",
        "parameters": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}
REQUEST: dict[str, object] = {
    "model": "bench",
    "messages": [{"role": "user", "content": "Write the file."}],
    "tools": [TOOL],
    "tool_choice": "auto",
    "stream": True,
}
READ_SIZE = 65_536
"""Bytes of one read: what a socket gives a client that is behind."""


def event(delta: dict[str, object], finish: str | None = None) -> bytes:
    """Return one event."""
    value = {
        "id": "chatcmpl-1f2e3d4c5b6a",
        "object": "chat.completion.chunk",
        "created": 1796083200,
        "model": "bench",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
    }
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def call(index: int, **fields: str) -> bytes:
    """Return the event of one fragment of a call."""
    function = {key: fields.pop(key) for key in ("name", "arguments") if key in fields}
    return event({"tool_calls": [{"index": index, **fields, "function": function}]})


def head(index: int = 0) -> bytes:
    """Return the first fragment of a call."""
    return call(index, id=f"call_{index:08d}", type="function", name="write_file", arguments="")


ROLE = event({"role": "assistant", "content": ""})
OPEN = call(0, arguments='{"text": "')
CLOSE = call(0, arguments='"}')
END = event({}, "tool_calls") + b"data: [DONE]\n\n"


def long_arguments(size: int) -> list[bytes]:
    """Return one call whose arguments have about `size` bytes, a kilobyte an event."""
    piece = call(0, arguments="lorem ipsum dolor sit amet " * 37)
    return [ROLE, head(), OPEN, *[piece] * (size // len(piece)), CLOSE, END]


def many_calls(count: int) -> list[bytes]:
    """Return `count` calls, three events each."""
    parts = [ROLE]
    for index in range(count):
        parts += [head(index), call(index, arguments=f'{{"text": "{index}'), call(index, arguments='"}')]
    return [*parts, END]


def many_events(count: int) -> list[bytes]:
    """Return one call in `count` events."""
    middle = [call(0, arguments=f"word {number % 97} ") for number in range(count - 6)]
    return [ROLE, head(), OPEN, *middle, CLOSE, END]


def exchange_of(parts: list[bytes]) -> Exchange:
    """Return the exchange of a healthy stream, cut into reads of the usual size."""
    body = b"".join(parts)
    reads = [body[place : place + READ_SIZE] for place in range(0, len(body), READ_SIZE)]
    answer = ResponseHead(200, {"content-type": "text/event-stream"})
    return Exchange("bench", "chat", REQUEST, answer, [Read.of(place / 100, data) for place, data in enumerate(reads)])


@dataclass(frozen=True, slots=True)
class Measured:
    """One measurement."""

    size: int
    bytes: int
    seconds: float


def measure(parts: list[bytes], size: int) -> Measured:
    """Judge once; a stream that does not pass is a mistake of the bench."""
    exchange = exchange_of(parts)
    begun = time.process_time()
    judgement = judge(exchange, RULES)
    seconds = time.process_time() - begun
    if judgement.verdict_class not in (VerdictClass.PASS, VerdictClass.WARN):
        sys.exit(f"the bench's stream is not healthy: {judgement.findings}")
    return Measured(size, sum(map(len, parts)), seconds)


def slope(found: list[Measured]) -> float:
    """Return how time grows with size, from the first to the last."""
    return math.log(found[-1].seconds / found[0].seconds) / math.log(found[-1].size / found[0].size)


def kinds(*, quick: bool) -> Iterator[tuple[str, Callable[[int], list[bytes]], list[int]]]:
    """Yield each kind of large stream with its sizes."""
    share = 10 if quick else 1
    million = 1_000_000 // share
    yield "bytes in one call", long_arguments, [50 * million // part for part in (8, 4, 2, 1)]
    yield "calls", many_calls, [10_000 // share // part for part in (8, 4, 2, 1)]
    yield "events", many_events, [million // part for part in (8, 4, 2, 1)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    quick = parser.parse_args().quick
    measure(many_events(100), 100)
    for name, build, sizes in kinds(quick=quick):
        rows = [measure(build(size), size) for size in sizes]
        for row in rows:
            print(f"{row.size:>11,} {name}: {row.seconds:6.2f} s, {row.bytes / row.seconds / 1e6:6.1f} MB/s")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{'slope':>11} {slope(rows):.2f} (1 is linear); peak memory of the process {peak:,.0f} MB")


if __name__ == "__main__":
    main()
