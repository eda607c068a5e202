"""Each fault of the simulator trips exactly the rules it claims, and no healthy answer trips any."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from toolwire.exchange import End, Exchange, Expectation, ExpectedCall, Read, ResponseHead
from toolwire.judge import judge
from toolwire.rule import Level
from toolwire.rules.catalogue import RULES
from toolwire.simulator.faults import FAULTS, by_name
from toolwire.simulator.faults.fault import by_name_of
from toolwire.simulator.faults.reach import DEMANDS, NOTES, UNREACHED
from toolwire.simulator.forms import stream, whole
from toolwire.simulator.script import plan_answer
from toolwire.simulator.wire import Chunk, Ending, Pause, Raw, Wire, frame

if TYPE_CHECKING:
    from toolwire.judge import Judgement
    from toolwire.simulator.faults import Fault
    from toolwire.simulator.wire import Item

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
    sent = {"accept": "text/event-stream", "accept-encoding": "identity"}
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
CHANCE = [fault for fault in FAULTS if fault.group == "chance"]
HOSTILE = [fault for fault in FAULTS if fault.hostile]


@pytest.mark.parametrize("fault", MATRIX, ids=lambda fault: fault.name)
def test_fault_trips_exactly_its_rules(fault: Fault) -> None:
    """The judge names what is wrong, nothing else, and draws the right verdict."""
    judgement = judged(fault, REQUEST)
    told = "\n".join(f"{finding.level} {finding.rule}: {finding.message}" for finding in judgement.findings)
    assert not judgement.crashed
    assert tripped(judgement) == fault.trips, told
    assert judgement.verdict.value == fault.verdict, told


CALL = {"type": "function", "function": {"name": "read_file"}}
EXPECTED = Expectation([ExpectedCall("read_file", None)])
BOTH = Expectation(
    [ExpectedCall("read_file", {"path": "/a", "lines": 2}), ExpectedCall("read_file", {"path": "/b", "lines": 3})]
)
TWO: dict[str, object] = {
    "messages": [
        {
            "role": "user",
            "content": 'Call read_file with {"path": "/a", "lines": 2} and with {"path": "/b", "lines": 3}.',
        }
    ]
}
TWIN = whole(plan_answer(REQUEST, seed=1))
GENERATED = '<tool_call>\n{"name": "read_file", "arguments": {"path": "/etc/hosts", "lines": 1}}\n</tool_call>'

GIVEN: list[tuple[str, str, dict[str, object], dict[str, Any]]] = [
    ("call-forbidden", "call-uninvited", {"tool_choice": "none"}, {}),
    ("call-missing", "silent-drop", {"tool_choice": "required"}, {}),
    ("call-missing", "silent-drop", {"tool_choice": CALL}, {}),
    ("wrong-tool", "wrong-tool", {"tool_choice": CALL}, {}),
    ("parallel-forbidden", "calls-parallel", {"parallel_tool_calls": False}, {}),
    ("named-more-than-one", "call-twice", {"tool_choice": CALL}, {}),
    ("expected-calls", "silent-drop", {}, {"expect": EXPECTED}),
    ("expected-calls", "wrong-tool", {}, {"expect": EXPECTED}),
    ("twin-differs", "silent-drop", {}, {"twin": TWIN}),
    ("twin-text-differs", "reasoning-in-content", {}, {"twin": TWIN}),
    ("generated-call-lost", "silent-drop", {}, {"generated": GENERATED}),
    ("choice-order", "choices-backwards", {"n": 2}, {}),
    ("choice-index", "choice-missing", {"n": 2}, {}),
    ("http-error", "strict-about-fields", {"top_k": 20}, {}),
    ("expected-calls", "later-calls-lost", TWO, {"expect": BOTH}),
    ("expected-calls", "later-calls-grafted", TWO, {"expect": BOTH}),
    ("usage-unasked", "usage-unasked", {"stream_options": {}}, {}),
]
"""Rule, fault, and what must be demanded or known besides for the rule to see it."""


@pytest.mark.parametrize(("rule", "fault", "demanded", "known"), GIVEN)
def test_fault_breaks_what_was_demanded(
    rule: str, fault: str, demanded: dict[str, object], known: dict[str, Any]
) -> None:
    """What is right for one request breaks the demand, or the knowledge, that comes with another."""
    request = {**REQUEST, **demanded}
    plan = plan_answer(request, seed=1)
    healthy = judge(msgspec.structs.replace(exchange_of(stream(plan), request), **known), RULES)
    assert rule not in {finding.rule for finding in healthy.findings}
    wire = by_name(fault).apply(stream(plan), plan, random.Random(1))
    judgement = judge(msgspec.structs.replace(exchange_of(wire, request), **known), RULES)
    assert rule in {finding.rule for finding in judgement.findings}


def test_the_demands_that_are_told_are_those_that_are_tested() -> None:
    """The page of faults lists each pair of a rule and a fault that needs a demand, and no other."""
    assert {(one.rule, one.fault) for one in DEMANDS} == {(rule, fault) for rule, fault, *_ in GIVEN}


@pytest.mark.parametrize(("rule", "fault"), NOTES.items())
def test_what_only_notes_is_noted(rule: str, fault: str) -> None:
    """A rule of level NOTE speaks of its fault, and of no healthy answer."""
    assert rule in {finding.rule for finding in judged(by_name(fault), REQUEST).findings}
    assert rule not in {finding.rule for finding in judged(by_name("legal-healthy"), REQUEST).findings}


def test_each_rule_speaks_or_says_why_not() -> None:
    """A rule that no fault reaches is known by name, with its reason; the three lists and the faults overlap not."""
    tripped_by_itself = {rule for fault in MATRIX for rule in fault.trips}
    assert not tripped_by_itself & (set(NOTES) | set(UNREACHED))
    reached = tripped_by_itself | {one.rule for one in DEMANDS} | set(NOTES)
    assert {rule.name for rule in RULES} - reached == set(UNREACHED)


IDLE = {
    "legal-healthy",
    "choices-backwards",
    "choice-missing",
    "usage-unasked",
    "later-calls-lost",
    "later-calls-grafted",
    "strict-about-fields",
}
"""Faults that leave this answer as it is: they need several choices or calls, or what was not asked for."""


@pytest.mark.parametrize("fault", [*MATRIX, *CHANCE], ids=lambda fault: fault.name)
def test_fault_is_a_pure_change(fault: Fault) -> None:
    """A fault leaves the healthy answer alone, and gives the same bytes for the same dice."""
    plan = plan_answer(REQUEST, seed=1)
    healthy = stream(plan)
    before = [frame(item) for item in healthy.items]
    first = fault.apply(healthy, plan, random.Random(5))
    again = fault.apply(healthy, plan, random.Random(5))
    assert [frame(item) for item in first.items] == [frame(item) for item in again.items]
    assert [frame(item) for item in healthy.items] == before
    assert (first == healthy) == (fault.name in IDLE) or fault.group == "chance"


SHAPES: dict[str, dict[str, object]] = {
    "no tools": {"tools": []},
    "call forbidden": {"tool_choice": "none"},
    "two choices": {"n": 2},
    "thinking": {"chat_template_kwargs": {"enable_thinking": True}},
    "no usage": {"stream_options": {}},
    "no messages": {"messages": []},
    "two calls": {"messages": [{"role": "user", "content": "Use read_file for /etc/hosts and use get_time."}]},
}


@pytest.mark.parametrize("changed", SHAPES.values(), ids=SHAPES)
def test_faults_suit_any_request(changed: dict[str, object]) -> None:
    """Faults take any plan, and the judge survives what comes of it."""
    request = {**REQUEST, **changed}
    plan = plan_answer(request, seed=2)
    healthy = stream(plan)
    for fault in (*MATRIX, *CHANCE):
        wire = fault.apply(healthy, plan, random.Random(2))
        assert not judge(exchange_of(wire, request), RULES).crashed, fault.name


@pytest.mark.parametrize("items", [(), (Raw(b": nothing\n\n"),), (Chunk({}),)], ids=["nothing", "bytes", "a chunk"])
def test_faults_suit_any_answer(items: tuple[Item, ...]) -> None:
    """Also one that is already something else."""
    plan = plan_answer(REQUEST, seed=3)
    for fault in FAULTS:
        wire = fault.apply(Wire(items), plan, random.Random(3))
        assert all(isinstance(frame(item), bytes) for item in wire.items[:100]), fault.name


def test_two_faults_of_one_name_are_refused() -> None:
    """A path must name one."""
    with pytest.raises(ValueError, match="two faults are named legal-healthy"):
        by_name_of([by_name("legal-healthy"), by_name("legal-healthy")])


@pytest.mark.parametrize("fault", CHANCE, ids=lambda fault: fault.name)
def test_chance_follows_the_dice(fault: Fault) -> None:
    """Of many answers about as many go wrong as the name says."""
    shares = {
        "drop-30-percent": 0.3,
        "fails-30-percent": 0.3,
        "leak-30-percent": 0.3,
        "flaky-one-in-ten": 0.1,
        "flaky-one-in-fifty": 0.02,
    }
    plan = plan_answer(REQUEST, seed=1)
    healthy = stream(plan)
    dice = random.Random(20)
    wrong = sum(fault.apply(healthy, plan, dice) != healthy for _ in range(2000))
    assert wrong / 2000 == pytest.approx(shares[fault.name], abs=0.03)


@pytest.mark.parametrize("fault", HOSTILE, ids=lambda fault: fault.name)
def test_hostile_answer_is_small_until_it_is_played(fault: Fault) -> None:
    """What attacks a reader must not attack the simulator: items share their bytes or are repeated by the server."""
    plan = plan_answer(REQUEST, seed=1)
    wire = fault.apply(stream(plan), plan, random.Random(1))
    held = {id(item.data): len(item.data) for item in wire.items if isinstance(item, Raw)}
    assert sum(held.values()) < 4 << 20
    large = sum(len(item.data) for item in wire.items if isinstance(item, Raw)) > 1 << 16
    slow = sum(item.seconds for item in wire.items if isinstance(item, Pause)) > 600
    packed = "content-encoding" in wire.headers
    assert wire.endless or large or slow or packed
