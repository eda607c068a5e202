"""A run asks what was planned, keeps what came, and ends well however it ends."""

from __future__ import annotations

import asyncio
import dataclasses
import errno
import json
import os
from typing import TYPE_CHECKING

import pytest

from loopback import Loopback, Received, answer, chunked_head, piece, stream
from runs import events_of, header_of
from toolwire.client import Client
from toolwire.errors import RecordingError, UsageError
from toolwire.judge import Verdict
from toolwire.replay import replay
from toolwire.report.document import document
from toolwire.results import DroppedField, RunEnd, RunFinished, RunStarted, TrialFinished, TrialStarted
from toolwire.rules.catalogue import RULES
from toolwire.runner import HOPELESS, execute, new_header, open_to_resume
from toolwire.store import Recording, open_source
from toolwire.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from loopback import Handler
    from toolwire.exchange import Exchange
    from toolwire.results import RunEvent, RunHeader, RunResult


def says(kind: str | Callable[[Received], str] = "pass") -> Handler:
    """Return a handler that answers with events of a kind, which may depend on the request."""

    async def handle(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(stream(*events_of(kind if isinstance(kind, str) else kind(request))))

    return handle


def prompt(request: Received) -> str:
    """Return the name of the case that a request belongs to."""
    text: str = request.json["messages"][0]["content"]
    return text.removeprefix("Read the file ").removesuffix(".")


async def run(
    server: Loopback, header: RunHeader, recording: Recording | None = None
) -> tuple[RunResult, list[RunEvent]]:
    """Execute a run against a server, return its result and events."""
    events: list[RunEvent] = []
    header = dataclasses.replace(header, target=dataclasses.replace(header.target, url=f"{server.url}/v1"))
    async with Client(Target(server.url)) as client:
        result = await execute(client, header, rules=RULES, recording=recording, observe=events.append)
    return result, events


def again(path: Path) -> RunResult:
    """Return the result of a recording, judged again."""
    with open_source(path) as source:
        assert source.header is not None
        past = replay(source.header, source, RULES)
    assert past.changed == ()
    return past.result()


async def test_every_planned_trial_is_made() -> None:
    """Cases by choices by repeats; each once, with the body that the plan says."""
    header = header_of("a", "b", tool_choices=("required", "auto"), repeat=3)
    async with Loopback(says()) as server:
        result, events = await run(server, header)
        bodies = [(prompt(request), request.json["tool_choice"]) for request in server.received]
    assert sorted(bodies) == sorted([(case, choice) for case in "ab" for choice in ("required", "auto")] * 3)
    assert (len(result.trials), result.ended, result.exit.code) == (12, RunEnd.COMPLETE, 0)
    assert result.counts[Verdict.PASS] == 12
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunFinished)
    finished = [event for event in events if isinstance(event, TrialFinished)]
    assert [event.progress.done for event in finished] == list(range(1, 13))
    assert {event.trial.id for event in finished} == {event.id for event in events if isinstance(event, TrialStarted)}
    assert finished[-1].progress.eta == 0
    assert finished[0].progress.eta is not None
    assert finished[0].progress.eta > 0


async def test_the_seed_decides_the_order() -> None:
    """The same seed asks in the same order, another one in another; the result is in the order of the plan."""
    orders = []
    for seed in (1, 1, 2):
        header = header_of(*"abcdefgh", repeat=2, concurrency=1)
        header = dataclasses.replace(header, settings=dataclasses.replace(header.settings, seed=seed))
        async with Loopback(says()) as server:
            result, _ = await run(server, header)
            orders.append([prompt(request) for request in server.received])
        assert [trial.id for trial in result.trials] == [f"{c}/required#{n}" for c in "abcdefgh" for n in (1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])


@pytest.mark.parametrize("concurrency", [1, 3, 50])
async def test_so_many_at_once(concurrency: int) -> None:
    """As many requests are under way as asked for, no more, and no more than there are."""
    under_way, most = [0], [0]
    full = asyncio.Event()
    expected = min(concurrency, 8)

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        if under_way[0] == expected:
            full.set()
        await full.wait()
        writer.write(stream(*events_of("pass")))
        await writer.drain()
        under_way[0] -= 1

    async with asyncio.timeout(20), Loopback(handle) as server:
        result, _ = await run(server, header_of(*"abcd", repeat=2, concurrency=concurrency))
    assert most[0] == expected
    assert len(result.trials) == 8


async def test_a_recording_gives_the_same_result_again(tmp_path: Path) -> None:
    """All that a report says can be had from the file, word for word."""
    kinds = {"a": "pass", "b": "leak", "c": "broken", "d": "cut", "e": "plain"}
    header = header_of(*kinds, tool_choices=("required", "auto"))
    path = tmp_path / "run.jsonl"

    async with Loopback(says(lambda request: kinds[prompt(request)])) as server:
        header = dataclasses.replace(header, target=dataclasses.replace(header.target, url=f"{server.url}/v1"))
        with Recording.create(path, header) as recording:
            result, _ = await run(server, header, recording)
    assert {verdict for verdict, count in result.counts.items() if count} >= {
        Verdict.PASS,
        Verdict.DROP,
        Verdict.BROKEN,
    }
    assert json.dumps(document(again(path))) == json.dumps(document(result))
    assert again(path) == result


# -- fields that are refused -------------------------------------------------------------------------------------------


async def test_a_refused_field_is_left_out_from_then_on(tmp_path: Path) -> None:
    """The trial is asked again without it, the rest of the plan goes without it, and it is told once."""
    path = tmp_path / "run.jsonl"

    async def handle(request: Received, writer: asyncio.StreamWriter) -> None:
        if "top_k" in request.json:
            writer.write(answer("400 Bad Request", {"error": {"message": "Unknown field: top_k", "param": "top_k"}}))
        else:
            writer.write(stream(*events_of("pass")))

    header = header_of(*"abcdef", concurrency=3)
    async with Loopback(handle) as server:
        with Recording.create(path, header) as recording:
            result, events = await run(server, header, recording)
        refused = [request for request in server.received if "top_k" in request.json]
        assert len(server.received) == 12 + len(refused)
    assert 1 <= len(refused) <= 3
    assert (result.exit.code, result.counts[Verdict.PASS]) == (0, 12)
    (dropped,) = result.dropped
    assert (dropped.name, dropped.status, dropped.said) == ("top_k", 400, "Unknown field: top_k")
    assert [event for event in events if isinstance(event, DroppedField)] == [dropped]
    assert again(path).dropped == result.dropped
    past = open_to_resume(path, RULES)
    past.recording.close()
    assert past.replay.tally.dropped == ("top_k",)


async def test_a_refusal_of_something_else_is_the_answer() -> None:
    """A 400 that names no field of ours is not asked again."""
    async with Loopback(lambda _, writer: _write(writer, answer("400 Bad", {"error": {"message": "no"}}))) as server:
        result, _ = await run(server, header_of("a"))
        assert len(server.received) == 2
    assert (result.exit.code, result.counts[Verdict.ERROR], result.dropped) == (3, 2, ())


async def test_a_server_that_refuses_for_ever_ends() -> None:
    """It names the field also when it is gone: that is then the answer."""
    refusal = answer("422 No", {"detail": [{"loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]})
    async with Loopback(lambda _, writer: _write(writer, refusal)) as server:
        result, _ = await run(server, header_of("a", repeat=1))
        assert len(server.received) == 2
    assert result.counts[Verdict.ERROR] == 1
    assert [dropped.name for dropped in result.dropped] == ["top_k"]


async def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
    """Write an answer."""
    writer.write(data)


# -- ends --------------------------------------------------------------------------------------------------------------


async def test_cancelling_ends_at_once_with_what_there_is(tmp_path: Path) -> None:
    """Broken-off trials are kept and count for nothing; the recording says that it was interrupted."""
    path = tmp_path / "run.jsonl"
    hanging = asyncio.Event()

    async def handle(request: Received, writer: asyncio.StreamWriter) -> None:
        if prompt(request) == "a":
            writer.write(stream(*events_of("leak")))
            return
        writer.write(chunked_head() + piece(events_of("pass")[0]))
        await writer.drain()
        hanging.set()
        await asyncio.sleep(60)

    header = header_of("a", "b", concurrency=1)
    events: list[RunEvent] = []
    async with Loopback(handle) as server, Client(Target(server.url)) as client:
        with Recording.create(path, header) as recording:
            running = asyncio.ensure_future(
                execute(client, header, rules=RULES, recording=recording, observe=events.append)
            )
            await hanging.wait()
            running.cancel()
            async with asyncio.timeout(5):
                result = await running
    assert result.ended is RunEnd.INTERRUPTED
    assert result.exit.code != 0
    assert result.missing == 4 - len(result.trials) >= 1
    assert isinstance(events[-1], RunFinished)
    assert again(path) == result
    kinds = [json.loads(line)["record"] for line in path.read_text("utf-8").splitlines()]
    assert kinds.count("aborted") == 1
    assert kinds[-1] == "footer"


async def test_a_run_that_was_cut_goes_on(tmp_path: Path) -> None:
    """Only the missing trials are asked; the whole result is that of a run without a break."""
    path = tmp_path / "run.jsonl"
    header = header_of(*"abc", concurrency=1)
    asked: list[str] = []

    def kind(request: Received) -> str:
        asked.append(prompt(request))
        return "leak" if asked[-1] == "b" else "pass"

    async with Loopback(says(kind)) as server:
        with Recording.create(path, header) as recording:
            whole, _ = await run(server, header, recording)
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:5]) + lines[5][:100])
        assert len(again(path).trials) == 2
        assert again(path).ended is RunEnd.CUT
        before = len(asked)
        past = open_to_resume(path, RULES)
        assert past.notes == ("line 6 is cut short and was left out; everything before it was read",)
        events: list[RunEvent] = []
        async with Client(Target(server.url)) as client:
            with past.recording:
                result = await execute(
                    client,
                    past.header,
                    rules=RULES,
                    recording=past.recording,
                    observe=events.append,
                    past=past.replay,
                )
    assert len(asked) - before == 4
    assert events[0] == RunStarted(past.header, 6, 2)
    assert result.counts == whole.counts
    assert [trial.judgement.verdict for trial in result.trials] == [trial.judgement.verdict for trial in whole.trials]
    assert again(path) == result
    assert result.ended is RunEnd.COMPLETE


async def test_going_on_with_a_whole_run_asks_nothing(tmp_path: Path) -> None:
    """There is nothing missing."""
    path = tmp_path / "run.jsonl"
    header = header_of("a")
    async with Loopback(says()) as server:
        with Recording.create(path, header) as recording:
            whole, _ = await run(server, header, recording)
        past = open_to_resume(path, RULES)
        async with Client(Target(server.url)) as client:
            with past.recording:
                result = await execute(client, past.header, rules=RULES, recording=past.recording, past=past.replay)
        assert len(server.received) == 2
    assert result.counts == whole.counts


def test_only_recordings_can_be_gone_on_with(tmp_path: Path) -> None:
    """A file of exchanges has no plan."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "a", "protocol": "chat", "request": {}}\n', "utf-8")
    with pytest.raises(RecordingError, match="no recording of a run"):
        open_to_resume(path, RULES)


async def test_a_full_disk_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded is the result; nothing that is told is missing in the file."""
    path = tmp_path / "run.jsonl"
    write, left = os.write, [6000]

    def scarce(descriptor: int, data: bytes) -> int:
        left[0] -= len(data)
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data)

    header = header_of(*"abcdefgh")
    async with Loopback(says()) as server:
        with Recording.create(path, header) as recording:
            monkeypatch.setattr(os, "write", scarce)
            result, _ = await run(server, header, recording)
            monkeypatch.undo()
    assert result.ended is RunEnd.STOPPED
    assert "no space left on device" in result.stopped
    assert result.exit.code == 3
    assert 0 < len(result.trials) < 16
    assert [trial.id for trial in again(path).trials] == [trial.id for trial in result.trials]


async def test_a_hopeless_run_stops_early(tmp_path: Path) -> None:
    """Where no request gets an answer, the first ones are enough to know."""
    header = header_of(*"abcdefgh", repeat=10)
    path = tmp_path / "run.jsonl"
    async with Loopback(says()) as server:
        header = dataclasses.replace(header, target=dataclasses.replace(header.target, url=f"{server.url}/v1"))
    with Recording.create(path, header) as recording:
        result, _ = await run(server, header, recording)
    assert result.ended is RunEnd.STOPPED
    assert HOPELESS <= len(result.trials) <= HOPELESS + header.settings.concurrency
    assert f"had no answer (cannot connect to 127.0.0.1:{server.port} (connection refused))" in result.stopped
    assert result.exit.code == 3
    assert again(path) == result


async def test_a_server_that_answers_once_is_not_hopeless() -> None:
    """Refusals after a real answer are part of the result."""
    count = [0]

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        count[0] += 1
        writer.write(stream(*events_of("pass")) if count[0] == 3 else answer("404 Not Found", {}))

    async with Loopback(handle) as server:
        result, _ = await run(server, header_of(*"abcdefgh", repeat=3))
    assert result.ended is RunEnd.COMPLETE
    assert (result.counts[Verdict.PASS], result.counts[Verdict.ERROR]) == (1, 23)


async def test_errors_of_a_server_that_may_pass_do_not_stop_a_run() -> None:
    """500 may be over with the next request."""
    async with Loopback(lambda _, writer: _write(writer, answer("500 Oops", {}))) as server:
        result, _ = await run(server, header_of(*"abcdefgh", repeat=2))
    assert (result.ended, result.counts[Verdict.ERROR], result.exit.code) == (RunEnd.COMPLETE, 16, 3)


async def test_a_request_that_is_no_json_is_the_users_slip() -> None:
    """The error comes out as it is, not wrapped in groups."""
    header = header_of("a")
    settings = dataclasses.replace(header.settings, extra_body={"x": float("inf")})
    async with Loopback(says()) as server:
        with pytest.raises(UsageError, match="cannot be written as JSON"):
            await run(server, dataclasses.replace(header, settings=settings))
        assert server.received == []


async def test_a_bug_of_ours_is_not_swallowed(tmp_path: Path) -> None:
    """What an observer raises comes out, and the recording is readable up to there."""
    path = tmp_path / "run.jsonl"

    def stumble(event: RunEvent) -> None:
        if isinstance(event, TrialFinished):
            raise ZeroDivisionError

    header = header_of("a", concurrency=1)
    async with Loopback(says()) as server, Client(Target(server.url)) as client:
        with Recording.create(path, header) as recording, pytest.raises(ExceptionGroup) as caught:
            await execute(client, header, rules=RULES, recording=recording, observe=stumble)
    assert caught.group_contains(ZeroDivisionError)
    assert len(again(path).trials) == 1


async def test_long_runs_are_synced_on_their_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only at the end."""
    monkeypatch.setattr("toolwire.store.SYNC_SECONDS", 0.0)
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    header = header_of("a", repeat=5)
    async with Loopback(says()) as server:
        with Recording.create(tmp_path / "run.jsonl", header) as recording:
            await run(server, header, recording)
    assert len(synced) == 7


async def test_changed_verdicts_are_told(tmp_path: Path) -> None:
    """A recording that other rules judge otherwise says so, trial by trial."""
    path = tmp_path / "run.jsonl"
    header = header_of("a", repeat=1)
    async with Loopback(says("leak")) as server:
        with Recording.create(path, header) as recording:
            await run(server, header, recording)
    seen: list[str] = []
    with open_source(path) as source:
        assert source.header is not None
        past = replay(source.header, source, (), each=lambda exchange, _: seen.append(exchange.id))
    assert seen == ["a/required#1"]
    assert past.changed == ("a/required#1: FAIL DROP, now INCONCLUSIVE DECLINED",)


async def test_expectations_travel_with_the_exchange() -> None:
    """What a case expects is part of the evidence, unless calls are forbidden."""
    header = header_of("a", tool_choices=("auto", "none"), repeat=1)
    case = dataclasses.replace(header.suite.cases[0], expect={"calls": [{"name": "read_file", "arguments": None}]})
    header = dataclasses.replace(header, suite=dataclasses.replace(header.suite, cases=(case,)))
    async with Loopback(says()) as server:
        _, events = await run(server, header)
    found: dict[str, Exchange] = {e.trial.tool_choice: e.exchange for e in events if isinstance(e, TrialFinished)}
    assert found["auto"].expect is not None
    assert [call.name for call in found["auto"].expect.calls] == ["read_file"]
    assert found["none"].expect is None


def test_a_new_header_says_where_it_comes_from() -> None:
    """Versions, time and platform."""
    given = header_of("a")
    header = new_header(given.target, given.suite, given.settings, label="night")
    assert (header.target, header.suite, header.settings, header.label) == (
        *(given.target, given.suite, given.settings),
        "night",
    )
    assert header.started.endswith("Z")
    assert header.python.startswith("3.")
    assert header.toolwire
    assert header.platform
