"""The quick way through runs of like chunks gives exactly what taking each of them in full gives."""

from __future__ import annotations

import json
import random
from functools import cache
from importlib.resources import files
from itertools import cycle
from typing import TYPE_CHECKING, cast
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams import TOOLS, answered, call, delta, finish, on_the_wire, role, text, thought, usage
from toolwire.exchange import decode_exchange
from toolwire.framing import Event, Span
from toolwire.framing.sse import SseDecoder
from toolwire.protocol.chat import LANES, ChatAccumulator
from toolwire.protocol.chat_lane import _MARK, Lane, find_lane
from toolwire.protocol.request import read_chat_request
from toolwire.simulator.faults import FAULTS
from toolwire.simulator.forms import Dialect
from toolwire.simulator.play import plan_wire, wire_exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from toolwire.jsontext import Json

EXAMPLES = [
    decode_exchange(line, file=file.name)
    for folder in sorted((files("toolwire.rules") / "examples").iterdir(), key=lambda entry: entry.name)
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name)
    for line in file.read_bytes().splitlines()
]
REQUEST: dict[str, Json] = {
    "model": "example-model",
    "messages": [{"role": "user", "content": "Read /etc/hosts and then tell me what is in it."}],
    "tools": TOOLS,
    "stream": True,
}


def plain(value: object) -> object:
    """Return everything that an object holds, in values that compare."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    names = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    # what is joined on demand follows from the parts
    names = [name for name in names if name not in {"_joined", "_ends", "request"}]
    return (type(value).__name__, {name: plain(getattr(value, name)) for name in names}) if names else value


def events_of(body: bytes) -> list[Event]:
    """Cut a body into events."""
    decoder = SseDecoder()
    return decoder.feed(body, 0.0) + decoder.close(0.0)


def taken(events: list[Event], request: Mapping[str, Json], *, one_by_one: bool) -> object:
    """Return all that an accumulator knows after the events, before and after it was closed."""
    accumulator = ChatAccumulator(read_chat_request(request))
    if one_by_one:
        for event in events:
            accumulator.add(event)
    else:
        accumulator.add_all(events)
    before = {name: plain(value) for name, value in vars(accumulator).items() if name != "_request"}
    accumulator.close()
    return (before, plain(accumulator.completion), plain(accumulator.anomalies))


def agree(body: bytes, request: Mapping[str, Json]) -> None:
    """Hold both ways against each other."""
    events = events_of(body)
    assert taken(events, request, one_by_one=False) == taken(events, request, one_by_one=True)


def broken(body: bytes, dice: random.Random) -> bytes:
    """Break a body: change, lose, double or insert bytes, or lose, double or swap blocks."""
    blocks = [block + b"\n\n" for block in body.split(b"\n\n") if block]
    for _ in range(dice.randrange(1, 4)):
        place = dice.randrange(len(blocks))
        block = blocks[place]
        at = dice.randrange(len(block))
        until = at + dice.randrange(1, 9)
        swap = dice.randrange(len(blocks))
        kind = dice.randrange(7)
        if kind == 0:
            blocks[place] = block[:at] + bytes([dice.randrange(256)]) + block[at + 1 :]
        elif kind == 1:
            blocks[place] = block[:at] + block[until:]
        elif kind == 2:
            blocks[place] = block[:until] + block[at:]
        elif kind == 3:
            blocks[place] = block[:at] + dice.choice(PIECES) + block[at:]
        elif kind == 4:
            blocks.insert(place, block)
        elif kind == 5:
            blocks[place], blocks[swap] = blocks[swap], blocks[place]
        else:
            blocks[place : place + 1] = [block] * dice.randrange(len(blocks) == 1, 4)
    return b"".join(blocks)


PIECES = [
    *(
        b'"',
        b"\\",
        b"{",
        b"}",
        b"null",
        b" ",
        b",",
        b"\\u0041",
        b"\\ud83d",
        b"\\ud83d\\ude00",
        b"\xff",
        b"\x01",
        b'"",',
    ),
    *("é\u241f".encode(), b'"role":"assistant",', b'"usage":{},', b'"error":"x",', b"1e400", b"9" * 20),
    *(b'"content":"x",', b'"arguments":"x",', b'"tool_calls":null,', b'","content":"', b'\\"arguments\\":\\"'),
]


LARGE = 20_000
"""Bytes from which on a body is left out here: it says the same thing again and again."""


@cache
def bodies() -> list[tuple[bytes, Mapping[str, Json]]]:
    """Return the bodies of all examples, of each dialect and of each fault, with their requests."""
    found = [
        (b"".join(read.data for read in example.reads), cast("Mapping[str, Json]", example.request))
        for example in EXAMPLES
    ]
    healthy = [("", dialect) for dialect in Dialect]
    faulty = [(fault.name, dialect) for fault, dialect in zip(FAULTS, cycle(Dialect), strict=False)]
    for fault, dialect in [*healthy, *faulty]:
        exchange = wire_exchange(plan_wire(REQUEST, fault, 1, dialect), REQUEST)
        reads = decode_exchange(json.dumps(exchange).encode(), file=fault).reads
        found.append((b"".join(read.data for read in reads), REQUEST))
    return [(body, request) for body, request in found if len(body) < LARGE]


def test_examples_and_faults() -> None:
    """They are taken alike, and lanes are found in them."""
    lanes: list[Lane] = []

    def kept(*given: object) -> Lane | None:
        found = find_lane(*given)  # type: ignore[arg-type]  # as they came
        lanes.extend([found] if found else [])
        return found

    with patch("toolwire.protocol.chat.find_lane", kept):
        for body, request in bodies():
            agree(body, request)
    assert len(lanes) > LANES * 10


@pytest.mark.parametrize("part", range(4))
def test_what_is_broken_of_examples_and_faults(part: int) -> None:
    """With each block doubled, and broken at random, they are taken alike too."""
    dice = random.Random(part)
    for body, request in bodies()[part::4]:
        if body:
            agree(b"".join((block + b"\n\n") * 2 for block in body.split(b"\n\n")), request)
            agree(broken(body, dice), request)


def args(value: str, place: int = 0, **fields: Json) -> dict[str, Json]:
    """Continue the arguments of a call."""
    return delta(tool_calls=[{"index": place, "function": {"arguments": value}, **fields}])


words = st.text(max_size=6) | st.sampled_from(
    ['"', "\\", '{"arguments":"x"}', '"content":', "é", "\U0001f600", "0" * 20]
)
deltas = st.one_of(
    st.builds(text, words),
    st.builds(thought, words),
    st.builds(lambda value: delta(content=None, reasoning=value, tool_calls=None), words),
    st.builds(lambda value: delta(content=value, reasoning_content=""), words),
    st.builds(args, words, st.integers(0, 1)),
    st.builds(lambda value: args(value, id=None, type=None), words),
    st.builds(
        lambda value: delta(tool_calls=[{"index": 0, "id": "", "function": {"name": None, "arguments": value}}]), words
    ),
    st.builds(lambda value: delta(1, content=value), words),
    st.builds(lambda value: delta(content=value, x_vendor=value), words),
    st.sampled_from([call(), call(place=1), finish(), finish("stop"), role(), role(1), delta(), usage(3), usage(4)]),
    st.sampled_from(['data: {"error": {"message": "no"}}\n\n', "data: [DONE]\n\n", "event: x\n", ": ping\n\n"]),
)


@given(
    st.lists(st.tuples(deltas, st.integers(1, 3)), max_size=8),
    st.booleans(),
    st.integers(0, 2**32),
)
@settings(max_examples=300)
def test_any_run_of_chunks(parts: list[tuple[dict[str, Json] | str, int]], mutated: bool, seed: int) -> None:
    """Whatever comes in whatever order, and whatever is broken of it."""
    body = on_the_wire([role(), *(part for part, count in parts for _ in range(count))]).encode()
    agree(broken(body, random.Random(seed)) if mutated else body, {**REQUEST, "n": 2})


def fed(*parts: dict[str, Json] | str) -> ChatAccumulator:
    """Take the chunks as a whole."""
    accumulator = ChatAccumulator(read_chat_request(REQUEST))
    accumulator.add_all(events_of(on_the_wire(parts).encode()))
    return accumulator


def in_full(parts: Iterable[dict[str, Json] | str]) -> int:
    """Return how many of the chunks are read in full."""
    with patch.object(ChatAccumulator, "_take", autospec=True, side_effect=ChatAccumulator._take) as take:
        fed(*parts)
    return take.call_count


@pytest.mark.parametrize(
    "like",
    [
        text,
        thought,
        args,
        lambda value: delta(content=None, reasoning=value, tool_calls=None),
        lambda value: delta(tool_calls=[{"index": 0, "id": None, "function": {"name": "", "arguments": value}}]),
    ],
)
def test_a_run_is_read_in_full_only_once(like: object) -> None:
    """The usual forms of text, reasoning and arguments take the lane behind their first chunk."""
    make = cast("Callable[[str], dict[str, Json]]", like)
    parts: list[dict[str, Json] | str] = [role()]
    if "tool_calls': [" in str(make("x")):
        parts.append(call(arguments=""))
    run = [make(f"piece {number} ") for number in range(40)]
    assert in_full([*parts, *run, finish()]) == len(parts) + 2
    accumulator = fed(*parts, *run, finish())
    assert accumulator.completion.chunks == len(parts) + 41
    (choice,) = accumulator.completion.choices.values()
    tracks = [choice.content, choice.reasoning, *(one.arguments for one in choice.calls)]
    assert "".join(f"piece {number} " for number in range(40)) in [track.text for track in tracks]


@pytest.mark.parametrize(
    "odd",
    [
        *(text("x"), finish(), role(), delta(1, content="a"), delta(content="a", role="assistant"), delta(content=1)),
        *(delta(content="a", refusal="b"), delta(content="a", x_vendor=1), {**text("a"), "logprobs": {"content": []}}),
        *({**text("a"), "message": {}}, call(), {"index": 0, "delta": {"content": "a"}}, delta(tool_calls=[])),
        delta(tool_calls=[{"index": 0, "function": {"arguments": 1}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": "", "x": 1}}]),
        delta(tool_calls=[{"index": "0", "function": {"arguments": ""}}]),
        delta(tool_calls=[{"index": 0, "function": None}]),
        delta(tool_calls=[{"index": 0, "type": "function", "function": {"arguments": ""}}]),
        delta(tool_calls=[{"index": 0}, {"index": 1}]),
        delta(tool_calls=[{"index": 0, "id": "x", "function": {"arguments": ""}}]),
        delta(tool_calls=[{"index": 0, "function": {"name": "x", "arguments": ""}}]),
        usage(1),
        "data: 1\n\n",
    ],
    ids=repr,
)
def test_what_does_more_than_carry_text_has_no_lane(odd: dict[str, Json] | str) -> None:
    """Each such chunk between two runs is read in full, and so is the first one behind it."""
    run = [text(f"a{number}") for number in range(9)]
    parts = [role(), *run, odd, *run, odd, odd, finish()]
    agree(on_the_wire(parts).encode(), REQUEST)
    agree(on_the_wire([role(), call(), odd, odd, args("a"), args("b"), odd, args("c"), args("d")]).encode(), REQUEST)


def test_searches_in_vain_come_to_an_end() -> None:
    """Where no two chunks are alike no more than a few searches are made."""
    parts = [{**text("a"), "x": number} for number in range(LANES * 5)]
    with patch("toolwire.protocol.chat.find_lane", side_effect=find_lane) as search:
        fed(role(), *parts)
    assert search.call_count == LANES


def test_a_place_that_only_looks_like_the_value_is_no_lane() -> None:
    """The name may stand elsewhere again: what is put there must be found where the value belongs."""
    template = '{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null,"x":{"content":"%s"}}]}'
    data = template % "a"
    event = Event(number=1, at=0.0, span=Span(0, 0), data=data)
    accumulator = fed(role(), text("a"))
    assert find_lane(event, data, json.loads(data), accumulator._states) is None
    agree(f"data: {data}\n\ndata: {template % 'b'}\n\n".encode() * 3, REQUEST)


def test_an_empty_text_in_a_run_is_taken_and_adds_nothing() -> None:
    """Servers send such chunks while a token is not decided: the lane goes on."""
    parts = [role(), text("a"), text("b"), text(""), text("c"), finish()]
    assert in_full(parts) == 3
    agree(on_the_wire(parts).encode(), REQUEST)


def test_a_chunk_that_holds_the_mark_has_no_lane() -> None:
    """The mark shows where a value stands only where it stands nowhere else; the next chunk opens the lane."""
    run = [text(f"a{number}") for number in range(9)]
    assert in_full([role(), text(_MARK), *run, finish()]) == 4
    agree(on_the_wire([role(), text(_MARK), *run, text(_MARK), *run, finish()]).encode(), REQUEST)


def test_the_whole_judgement_sees_the_lane() -> None:
    """An exchange of the usual kind is accumulated through the lane: what a run holds is held by the completion."""
    exchange = answered(role(), *(text(f"{number} ") for number in range(20)), finish("stop"))
    agree(b"".join(read.data for read in exchange.reads), cast("Mapping[str, Json]", exchange.request))
