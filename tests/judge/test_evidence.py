"""The evidence: locations on the wire, and the facts that rules share."""

from __future__ import annotations

import gzip

import pytest

from streams import HEAD, answered, call, delta, finish, role, text, thought, whole
from toolwire.evidence import EXCERPT_BYTES, Evidence
from toolwire.exchange import End, Exchange, Read, ResponseHead
from toolwire.oracle import Oracle

CALLED = answered(role(), text("Grüße"), call(), finish())


def test_an_event_is_located_by_its_bytes() -> None:
    """The span is that of the event in the body, the time that of the read that ended it."""
    evidence = Evidence(CALLED)
    place = evidence.at_event(1)
    assert evidence.body.data[place.start : place.end].decode().startswith('data: {"id"')
    assert "Grüße" in evidence.body.data[place.start : place.end].decode()
    assert (place.event, place.at) == (1, 0.5)


@pytest.mark.parametrize("needle", ["Grüße", '"content"', "tool_calls"])
def test_a_needle_narrows_the_place(needle: str) -> None:
    """What is found inside the event is pointed at; what is not, leaves the whole event."""
    evidence = Evidence(CALLED)
    place = evidence.at_event(1, needle)
    pointed = evidence.body.data[place.start : place.end].decode()
    assert pointed == needle if needle != "tool_calls" else pointed.startswith("data: ")


def test_a_needle_is_found_in_its_escaped_form() -> None:
    """The wire may spell a character as an escape."""
    escaped = answered(role(), 'data: {"choices": [{"index": 0, "delta": {"content": "Gr\\u00fc\\u00dfe"}}]}\n\n')
    evidence = Evidence(escaped)
    place = evidence.at_event(1, "Grüße")
    assert evidence.body.data[place.start : place.end] == b"Gr\\u00fc\\u00dfe"


@pytest.mark.parametrize("number", [-1, 99])
def test_no_event_means_the_end(number: int) -> None:
    """Oddities that only the end shows are located there."""
    evidence = Evidence(CALLED)
    place = evidence.at_event(number)
    assert (place.event, place.start, place.end) == (None, evidence.body.size, evidence.body.size)


def test_excerpts_are_bounded() -> None:
    """A huge event shows its beginning only, and none cuts the surroundings short of the event."""
    evidence = Evidence(answered(role(), text("x" * 5000)))
    place = evidence.at_event(1)
    assert place.end - place.start > 5000
    assert len(place.excerpt) <= EXCERPT_BYTES
    assert evidence.at_start().excerpt.startswith("data:")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Yes.", "Yes."),
        ("<think>Hm.</think>\nYes.", "Yes."),
        ("Hm.</think>Yes.", "Yes."),
        ("A<think>Hm.</think>B<think>Hm.</think>C", "ABC"),
        ("<think>Hm.", ""),
        ("<think></think> \n", ""),
        ("[THINK]Hm.[/THINK]Yes.", "Yes."),
        ("Yes.<|im_end|>", "Yes."),
        ("", ""),
    ],
)
def test_the_answer_is_what_is_no_reasoning(said: str, answer: str) -> None:
    """Text between reasoning tags, and turn tokens, are no answer; the opening tag may be part of the prompt."""
    evidence = Evidence(answered(role(), text(said), finish("stop")))
    assert evidence.answer_text(evidence.completion.choices[0]) == answer


@pytest.mark.parametrize(
    ("exchange", "failed"),
    [
        (CALLED, False),
        (answered(role(), done=False), False),
        (answered(role(), done=False, end=End.RESET), True),
        (answered(role(), done=False, end=End.TIMEOUT), True),
        (answered(head=None, end=End.REFUSED), True),
        (answered(role(), head=ResponseHead(503)), True),
        (answered(role(), 'data: {"error": {"message": "x"}}\n\n'), True),
    ],
)
def test_what_failed_as_a_whole(exchange: Exchange, failed: bool) -> None:
    """Knock-on findings can be told by it."""
    assert Evidence(exchange).failed_as_a_whole is failed


@pytest.mark.parametrize(
    ("exchange", "used"),
    [
        (CALLED, True),
        (answered(role(), delta(tool_calls=[]), delta(tool_calls=None), finish()), False),
        (answered(role(), delta(tool_calls=[{"index": 0, "function": {"arguments": "{}"}}])), True),
        (answered(role(), delta(tool_calls={"index": 0})), True),
        (answered(role(), delta(tool_calls=["x"])), True),
        (answered(role(), delta(function_call={"name": "get_time"})), False),
    ],
)
def test_use_of_the_call_field(exchange: Exchange, used: bool) -> None:
    """Anything in the protocol's own field counts, however malformed; empty lists and old fields do not."""
    assert Evidence(exchange).used_call_field is used


@pytest.mark.parametrize(
    ("exchange", "words"),
    [
        (answered(role(), twin=whole(content="x")), ""),
        (answered(role()), "no non-streamed answer"),
        (answered(role(), twin=whole(content="x"), temperature=1), "neither greedy nor seeded"),
        (answered(role(), twin={"error": "x"}), "no completion"),
        (answered(role(), twin=whole(content="x"), end=End.RESET), "failed as a whole"),
    ],
)
def test_twins_that_cannot_be_compared(exchange: Exchange, words: str) -> None:
    """The reason is said, and empty where there is none."""
    obstacle = Evidence(exchange).twin_obstacle
    assert words in obstacle
    assert bool(obstacle) is bool(words)


def test_oracles_are_those_that_the_exchange_offers() -> None:
    """What was not there cannot be claimed."""
    full = answered(role(), twin=whole(content="x"), generated="x", expect=[])
    assert Evidence(full).oracles == (
        Oracle.STREAM,
        Oracle.SCHEMA,
        Oracle.EXPECTATION,
        Oracle.GENERATED,
        Oracle.TWIN,
        Oracle.TIMING,
    )
    assert Evidence(answered(done=False, tools=[])).oracles == (Oracle.STREAM,)


def test_the_last_call_of_a_cut_choice_is_honestly_cut() -> None:
    """Only the last one, and only where the choice says so."""
    evidence = Evidence(answered(role(), call(), call("get_time", "{", place=1), finish("length")))
    first, second = evidence.completion.calls
    assert (evidence.honestly_cut(first), evidence.honestly_cut(second)) == (False, True)
    whole_one = Evidence(CALLED)
    assert not whole_one.honestly_cut(next(iter(whole_one.completion.calls)))


def test_reasoning_ends_behind_its_last_tag_outside_calls() -> None:
    """A tag inside the text of a call ends nothing."""
    said = '<think>a</think>\n<tool_call>\n{"name": "read_file", "arguments": {"path": "</think>"}}\n</tool_call>'
    evidence = Evidence(answered(role(), thought("a"), generated=said))
    scanned = evidence.generated_scan
    assert scanned is not None
    assert evidence.end_of_reasoning(said, scanned) == said.index("</think>") + len("</think>")


def test_a_body_without_events_may_be_one_value() -> None:
    """An answer that forgot to stream is read as what it is."""
    assert Evidence(Exchange("x", "chat", {}, HEAD, [Read.of(0.1, b' {"a": [1]}\n')])).whole_body == {"a": [1]}
    assert Evidence(Exchange("x", "chat", {}, HEAD, [Read.of(0.1, b"<html>")])).whole_body is None
    assert Evidence(CALLED).whole_body is None


def test_content_coding_is_undone() -> None:
    """Events are read from what the coding carries."""
    packed = gzip.compress(b"".join(read.data for read in CALLED.reads))
    head = ResponseHead(200, {"content-type": "text/event-stream", "content-encoding": "gzip"})
    exchange = Exchange("x", "chat", CALLED.request, head, [Read.of(0.1, packed[:40]), Read.of(0.2, packed[40:])])
    assert len(Evidence(exchange).events) == len(Evidence(CALLED).events)


@pytest.mark.parametrize("before", [10, 3_000_000])
def test_markup_is_found_at_the_end_of_a_text_of_any_length(before: int) -> None:
    """Of a text that is too long both ends are looked through."""
    leak = '<tool_call>\n{"name": "read_file", "arguments": {"path": "/etc/hosts"}}\n</tool_call>'
    evidence = Evidence(answered(role(), text("word " * (before // 5) + leak), finish("stop")))
    scanned = evidence.content_scan(evidence.completion.choices[0])
    assert [found.name for found in scanned.calls] == ["read_file"]
