"""What the simulator would send, and what a reader would record of it, follow from the request alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolwire.exchange import decode_exchange
from toolwire.judge import Verdict, judge
from toolwire.rules.catalogue import RULES
from toolwire.simulator.faults import FAULTS, by_name
from toolwire.simulator.forms import Dialect
from toolwire.simulator.play import FIRST, STEP, plan_wire, wire_exchange
from toolwire.simulator.wire import Chunk, Ending, Pause, Raw, Wire, frame

TOOL = {
    "type": "function",
    "function": {
        "name": "read_file",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
}
REQUEST: dict[str, object] = {
    "model": "m",
    "messages": [{"role": "user", "content": "Read the file /etc/hosts."}],
    "tools": [TOOL],
    "tool_choice": "required",
    "stream": True,
}


def judged(wire: Wire) -> Verdict:
    """Judge the exchange that recorded a wire, read back from its JSON."""
    line = json.dumps(wire_exchange(wire, REQUEST)).encode()
    return judge(decode_exchange(line, file="none"), RULES).verdict


@pytest.mark.parametrize("dialect", list(Dialect))
def test_a_healthy_answer_passes(dialect: Dialect) -> None:
    """No fault named, none put in, in the habit of any engine."""
    assert judged(plan_wire(REQUEST, dialect=dialect)) is Verdict.PASS


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [("args-doubled", Verdict.BROKEN), ("leak-hermes", Verdict.DROP), ("http-500", Verdict.ERROR)],
)
def test_a_fault_is_put_in(fault: str, verdict: Verdict) -> None:
    """Its verdict comes out of the recorded exchange."""
    assert judged(plan_wire(REQUEST, fault)) is verdict


def test_the_same_arguments_give_the_same_bytes() -> None:
    """Chance follows the seed; over many seeds a fault of chance comes and stays away."""
    wires = [plan_wire(REQUEST, "drop-30-percent", seed) for seed in range(40)]
    assert wires == [plan_wire(REQUEST, "drop-30-percent", seed) for seed in range(40)]
    assert 3 <= sum(said(wire) == "I will do that now." for wire in wires) <= 25


def said(wire: Wire) -> str:
    """Return the content of all deltas of a wire of chunks."""
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks(wire) if chunk["choices"]]
    return "".join(delta.get("content") or "" for delta in deltas)


def chunks(wire: Wire) -> list[dict[str, Any]]:
    """Return the payloads of a wire."""
    return [item.value for item in wire.items if isinstance(item, Chunk)]


def test_any_fault_can_be_left_to_chance() -> None:
    """`NAME@PERCENT` is that fault in a share of the answers: never with 0, always with 100."""
    healthy = plan_wire(REQUEST)
    assert all(plan_wire(REQUEST, "args-doubled@0", seed) == plan_wire(REQUEST, seed=seed) for seed in range(9))
    assert plan_wire(REQUEST, "args-doubled@100") == plan_wire(REQUEST, "args-doubled") != healthy
    wrong = sum(plan_wire(REQUEST, "args-doubled@50", seed) != plan_wire(REQUEST, seed=seed) for seed in range(200))
    assert 70 <= wrong <= 130
    assert "50 answers of a hundred" in by_name("args-doubled@50").summary


@pytest.mark.parametrize("name", ["nothing", "nothing@50", "args-doubled@", "args-doubled@101", "args-doubled@x", "@5"])
def test_an_unknown_name_is_an_error(name: str) -> None:
    """Neither a fault nor a share is guessed."""
    with pytest.raises(KeyError):
        plan_wire(REQUEST, name)


def test_reads_carry_bytes_times_and_the_end() -> None:
    """An item is a read; a pause passes; bytes that are no text come as base64; the ending is named."""
    wire = Wire((Raw(b"a\n"), Pause(3.0), Raw(b"\xff"), Raw(b"")), 200, {"Content-Type": "x/y"}, Ending.CUT)
    exchange = wire_exchange(wire, REQUEST, identity="e1")
    assert exchange["reads"] == [
        {"at": pytest.approx(FIRST + STEP), "text": "a\n"},
        {"at": pytest.approx(FIRST + 2 * STEP + 3), "base64": "/w=="},
    ]
    assert exchange["response"] == {"status": 200, "headers": {"content-type": "x/y"}}
    assert (exchange["id"], exchange["end"]) == ("e1", "reset")
    assert wire_exchange(Wire((Raw(b"a"),), ending=Ending.RESET), REQUEST)["end"] == "reset"
    assert wire_exchange(Wire(()), REQUEST)["reads"] == []


def test_a_buffered_answer_is_one_read_at_the_end() -> None:
    """What a proxy held back comes at once, when all of it is there."""
    wire = Wire((Raw(b"a"), Pause(2.0), Raw(b"b")), one_write=True)
    assert wire_exchange(wire, REQUEST, step=0.5)["reads"] == [{"at": pytest.approx(FIRST + 3.0), "text": "ab"}]


@pytest.mark.parametrize("fault", [one for one in FAULTS if not one.hostile], ids=lambda fault: fault.name)
def test_every_fault_gives_a_readable_exchange(fault: object) -> None:
    """The plain JSON of each is an exchange that our readers take, with the same bytes."""
    wire = plan_wire(REQUEST, getattr(fault, "name", ""))
    exchange = decode_exchange(json.dumps(wire_exchange(wire, REQUEST)).encode(), file="none")
    assert b"".join(read.data for read in exchange.reads) == b"".join(map(frame, wire.items))
