"""Each fault of the simulator trips exactly the rules it claims, and no healthy answer trips any."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from toolwire.exchange import End, Exchange, Read, ResponseHead
from toolwire.judge import judge
from toolwire.rule import Level
from toolwire.rules.catalogue import RULES
from toolwire.simulator.faults import FAULTS
from toolwire.simulator.script import plan_answer, stream
from toolwire.simulator.wire import Ending, Pause, frame

if TYPE_CHECKING:
    from toolwire.judge import Judgement
    from toolwire.simulator.faults import Fault
    from toolwire.simulator.wire import Wire

STEP = 0.05
"""Seconds between two items of a healthy answer."""
ENDS = {Ending.CLEAN: End.EOF, Ending.CUT: End.RESET, Ending.RESET: End.RESET}


def _tool(name: str, **properties: str) -> dict[str, object]:
    schema = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "parameters": schema, "strict": True}}


REQUEST: dict[str, object] = {
    "model": "example-model",
    "messages": [
        {"role": "user", "content": "What time is it?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_Ab3dE6gH9jK2mN5p", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_Ab3dE6gH9jK2mN5p", "content": "12:00"},
        {"role": "user", "content": "Read the first lines of the file /etc/hosts."},
    ],
    "tools": [_tool("read_file", path="string", lines="integer"), _tool("get_time")],
    "tool_choice": "auto",
    "temperature": 0,
    "stream": True,
    "stream_options": {"include_usage": True},
}


def exchange_of(wire: Wire, request: dict[str, object]) -> Exchange:
    """Play a wire on a clock of our own."""
    at = 0.2
    reads: list[Read] = []
    whole = b""
    for item in wire.items:
        if isinstance(item, Pause):
            at += item.seconds
            continue
        at += STEP
        if wire.one_write:
            whole += frame(item)
        elif data := frame(item):
            reads.append(Read.of(at, data))
    if whole:
        reads.append(Read.of(at, whole))
    head = ResponseHead(wire.status, {name.lower(): value for name, value in wire.headers.items()})
    sent = {"accept": "text/event-stream", "content-type": "application/json"}
    return Exchange("matrix", "chat", request, head, reads, ENDS[wire.ending], sent_headers=sent)


def judged(fault: Fault, request: dict[str, object]) -> Judgement:
    """Judge a healthy answer after a fault was put into it."""
    plan = plan_answer(request, seed=1)
    assert plan.calls, "the script must call, or no fault of calls is seen"
    wire = fault.apply(stream(plan), plan, random.Random(1))
    return judge(exchange_of(wire, request), RULES)


def tripped(judgement: Judgement) -> set[str]:
    """Return the rules that complained with more than a note."""
    return {finding.rule for finding in judgement.findings if finding.level is not Level.NOTE}


MATRIX = [fault for fault in FAULTS if not fault.hostile and fault.group != "chance"]


@pytest.mark.parametrize("fault", MATRIX, ids=lambda fault: fault.name)
def test_fault_trips_exactly_its_rules(fault: Fault) -> None:
    """The judge names what is wrong, nothing else, and draws the right verdict."""
    judgement = judged(fault, REQUEST)
    told = "\n".join(f"{finding.level} {finding.rule}: {finding.message}" for finding in judgement.findings)
    assert not judgement.crashed
    assert tripped(judgement) == fault.trips, told
    assert judgement.verdict.value == fault.verdict, told
