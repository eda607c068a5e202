"""The tricky branches of the rules on cadence: what is late, and what is only slow or whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from streams import DONE, answered, call, delta, finish, on_the_wire, role, text, thought
from toolwire.exchange import End, Read
from toolwire.judge import VerdictClass, judge
from toolwire.rule import Finding, Level
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from toolwire.exchange import Exchange
    from toolwire.jsontext import Json

SHOULD, NOTE = Level.SHOULD, Level.NOTE
PING = ": ping\n\n"


def timed(*reads: tuple[float, list[dict[str, Json] | str]], end: End = End.EOF) -> Exchange:
    """Return an exchange whose reads came at these times with these parts."""
    return msgspec.structs.replace(
        answered(done=False, end=end), reads=[Read.of(at, on_the_wire(parts).encode()) for at, parts in reads]
    )


def found(exchange: Exchange, name: str) -> list[Finding]:
    """Return a rule's findings."""
    judgement = judge(exchange, RULES)
    assert not judgement.crashed
    return [finding for finding in judgement.findings if finding.rule == name]


def fragment(arguments: str) -> dict[str, Json]:
    """Continue the first call."""
    return delta(tool_calls=[{"index": 0, "function": {"arguments": arguments}}])


HEAD = call(arguments="")
SPLIT: list[dict[str, Json] | str] = [role(), HEAD, fragment('{"path": '), fragment('"/etc/hosts"}'), finish(), DONE]
SAID: list[dict[str, Json] | str] = [role(), text("The "), text("file "), text("is empty."), finish("stop"), DONE]
THOUGHT: list[dict[str, Json] | str] = [role(), thought("Read "), thought("it."), call(), finish(), DONE]
TWO: list[dict[str, Json] | str] = [role(), call(), call("get_time", "{}", place=1), finish(), DONE]


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        ([(6.4, SPLIT)], 1),
        ([(2.0, SPLIT)], 1),
        ([(1.9, SPLIT)], 0),
        ([(0.0, SPLIT)], 0),
        ([(6.4, SAID)], 1),
        ([(6.4, THOUGHT)], 1),
        # calls that come whole are a way of streaming, not a buffer
        ([(6.4, TWO)], 0),
        ([(0.2, SPLIT[:1]), (9.0, SPLIT[1:])], 1),
        ([(0.2, SPLIT[:1]), (1.0, [PING]), (9.0, SPLIT[1:])], 1),
        ([(0.2, SPLIT[:1]), (8.0, [PING]), (9.0, SPLIT[1:])], 0),
        # most of it came in time
        ([(0.2, SAID[:3]), (9.0, SAID[3:])], 0),
        ([(5.0 + place / 100, [part]) for place, part in enumerate(SPLIT)], 0),
        ([(6.4, SPLIT[:4])], 0),
    ],
)
def test_bursts(reads: list[tuple[float, list[dict[str, Json] | str]]], expected: int) -> None:
    """Many fragments in one late read are a burst; one early read, or fragments that are spread, are none."""
    findings = found(timed(*reads), "burst")
    assert [finding.level for finding in findings] == [SHOULD] * expected


def test_a_late_read_with_a_split_text_among_whole_calls() -> None:
    """A text in fragments gives the buffer away, also where the calls are whole."""
    assert found(timed((5.0, [role(), text("Let "), text("me."), call(), finish(), DONE])), "burst")


LONG = '{"path": "' + "a" * 200 + '"}'


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        ([(41.0, [role()]), (41.4, [call(arguments=LONG)]), (41.5, [finish(), DONE])], 1),
        ([(30.0, [role(), call(arguments=LONG), finish(), DONE])], 0),
        ([(30.1, [role(), call(arguments=LONG), finish(), DONE])], 1),
        ([(0.1, [role(), text("Let me.")]), (32.0, [call(arguments=LONG), finish(), DONE])], 1),
        ([(0.1, [role(), text(LONG * 9)]), (32.0, [call(arguments=LONG), finish(), DONE])], 1),
        ([(31.0, [role(), text(LONG), finish("stop"), DONE])], 1),
        # the delta comes late after the silence
        ([(41.0, [role()]), (43.0, [call(arguments=LONG), finish(), DONE])], 0),
        # comments bridge the wait
        ([(20.0, [PING]), (41.0, [role(), call(arguments=LONG), finish(), DONE])], 0),
        # a short call after a slow prompt
        ([(41.0, [role(), call(), finish(), DONE])], 0),
        # a slow prompt, then a stream of fragments of which the first is long
        ([(41.0, [role(), text("a" * 120)]), (41.2, [text("b" * 120)]), (41.3, [text("c" * 120), DONE])], 0),
    ],
)
def test_stalls(reads: list[tuple[float, list[dict[str, Json] | str]]], expected: int) -> None:
    """More than 30 s without a byte that end in one large delta."""
    findings = found(timed(*reads), "stall")
    assert [finding.level for finding in findings] == [SHOULD] * expected


@pytest.mark.parametrize(
    ("reads", "end", "expected"),
    [
        ([(0.5, SPLIT)], End.EOF, 0),
        ([(0.5, SPLIT)], End.TIMEOUT, 1),
        ([(0.5, SPLIT)], End.ABORTED, 0),
        ([(0.5, SPLIT[:-1])], End.TIMEOUT, 0),
        ([(0.5, SPLIT), (1.4, [PING])], End.EOF, 0),
        ([(0.5, SPLIT), (1.6, [PING])], End.EOF, 1),
        # the first [DONE] counts
        ([(0.5, SPLIT), (3.0, [DONE])], End.EOF, 1),
    ],
)
def test_late_closes(reads: list[tuple[float, list[dict[str, Json] | str]]], end: End, expected: int) -> None:
    """The body ends within a second of [DONE], and before our patience does."""
    exchange = timed(*reads, end=end)
    assert [finding.level for finding in found(exchange, "late-close")] == [SHOULD] * expected


def test_a_body_that_is_never_closed_warns_and_no_more() -> None:
    """The call is whole, so the verdict stays a pass."""
    assert judge(timed((0.5, SPLIT), end=End.TIMEOUT), RULES).verdict_class is VerdictClass.WARN


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ([0.1, 20.0], ""),
        ([20.5, 20.6], "nothing came for 20.5 s, from 0.0 s on"),
        ([21.0, 43.5], "nothing came for 22.5 s, from 21.0 s on"),
        ([25.0, 45.5], "nothing came for 25.0 s, from 0.0 s on"),
    ],
)
def test_the_longest_silence_is_told(times: list[float], words: str) -> None:
    """One note, of the longest one beyond 20 s."""
    findings = found(timed((times[0], SPLIT[:2]), (times[1], SPLIT[2:])), "long-gap")
    assert [finding.level for finding in findings] == ([NOTE] if words else [])
    assert all(words in finding.message for finding in findings)


def test_a_silence_that_ends_in_a_comment_behind_all_events_has_a_place() -> None:
    """There is no event to point to, so the end of the body is shown."""
    [finding] = found(timed((0.5, SPLIT), (40.0, [PING])), "long-gap")
    assert finding.at.event is None
