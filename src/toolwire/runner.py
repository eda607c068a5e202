"""Executes a plan: asks, judges, records, and tells what happens.

Knows: workers, order, cancellation, refused fields, when to give up. Must not know: HTTP, how a report looks.
"""

from __future__ import annotations

import asyncio
import platform
import random
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

from toolwire import __version__
from toolwire.errors import RecordingError, ToolwireError
from toolwire.exchange import End, Exchange, Expectation
from toolwire.judge import judge
from toolwire.plan import (
    PlannedTrial,
    added_fields,
    case_expectation,
    plan,
    refusal_words,
    refused_field,
    request_body,
)
from toolwire.replay import Replay, replay
from toolwire.results import (
    DroppedField,
    Progress,
    RunEnd,
    RunFinished,
    RunHeader,
    RunStarted,
    TrialFinished,
    TrialStarted,
)
from toolwire.store import Recording, WriteError, open_source
from toolwire.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from toolwire.client import Client
    from toolwire.judge import Judgement
    from toolwire.results import RunEvent, RunResult, Settings, TargetInfo
    from toolwire.rule import Rule
    from toolwire.suite import Suite

__all__ = ["HOPELESS", "Resumed", "execute", "new_header", "now", "open_to_resume"]

HOPELESS = 8
"""Trials without any answer, from the first on, after which a run stops: two rounds of the default concurrency."""

LARGE = 1024 * 1024
"""Characters of a body from which on judging takes longer than other streams can wait: an ordinary one has 100,000."""

_POINTLESS = frozenset({401, 403, 404})
"""Statuses that the next request will get too."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A recording that is to be gone on with."""

    header: RunHeader
    replay: Replay
    recording: Recording
    notes: tuple[str, ...]


def now() -> str:
    """Return the time as recordings hold it: UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def new_header(target: TargetInfo, suite: Suite, settings: Settings, *, label: str = "") -> RunHeader:
    """Return the header of a run that begins now; `suite` holds only the selected cases."""
    return RunHeader(
        toolwire=__version__,
        started=now(),
        target=target,
        suite=suite,
        settings=settings,
        label=label,
        python=platform.python_version(),
        platform=f"{sys.platform} {platform.machine()}",
    )


def open_to_resume(path: Path, rules: Sequence[Rule]) -> Resumed:
    """Read a recording and open it for more. Raises `RecordingError`, `WriteError`."""
    with open_source(path, request={}) as source:
        if source.header is None:
            raise RecordingError(
                "this is no recording of a run", file=str(path), hint="--resume goes on with what --record wrote"
            )
        header = source.header
        past = replay(header, source, rules)
        whole, notes = source.whole, tuple(source.notes)
    return Resumed(header, past, Recording.append_to(path, whole), notes)


async def execute(
    client: Client,
    header: RunHeader,
    *,
    rules: Sequence[Rule],
    recording: Recording | None = None,
    observe: Callable[[RunEvent], None] | None = None,
    past: Replay | None = None,
) -> RunResult:
    """Execute the trials that `past` lacks and return the result of all.

    Each trial is judged and recorded as it ends, and told to `observe`. Cancelling the task ends the run at once: what
    was read of the broken-off trials is recorded as such, and the result of what there is, is returned. The same
    happens when the recording cannot be written, and when the first `HOPELESS` trials have no answer at all.
    """
    tally = past.tally if past is not None else Tally(header)
    run = _Run(client, header, tally, rules=rules, recording=recording, observe=observe or _ignore)
    return await run.execute()


def _ignore(_: RunEvent) -> None:
    """Tell nobody."""


class _StopRunError(Exception):
    """Ends the workers; its text says why."""


class _Run:
    """One run under way."""

    def __init__(
        self,
        client: Client,
        header: RunHeader,
        tally: Tally,
        *,
        rules: Sequence[Rule],
        recording: Recording | None,
        observe: Callable[[RunEvent], None],
    ) -> None:
        self._client = client
        self._header = header
        self._tally = tally
        self._rules = rules
        self._recording = recording
        self._observe = observe
        self._begun = monotonic()
        self._before = len(tally.done)
        self._running = 0
        self._hopeless = 0
        self._aborted: list[Exchange] = []

    async def execute(self) -> RunResult:
        """Run the workers to their end, whatever ends them."""
        settings = self._header.settings
        todo = [
            trial
            for trial in plan(self._header.suite, settings.tool_choices, settings.repeat)
            if trial.id not in self._tally.done
        ]
        random.Random(settings.seed).shuffle(todo)  # noqa: S311 - an order, no secret
        self._observe(RunStarted(self._header, self._tally.planned, self._before))
        ended, stopped = RunEnd.COMPLETE, ""
        queue = iter(todo)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(max(1, min(settings.concurrency, len(todo)))):
                    group.create_task(self._work(queue))
        except asyncio.CancelledError:
            ended = RunEnd.INTERRUPTED
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
        except ExceptionGroup as errors:
            first = _first(errors)
            if isinstance(first, (_StopRunError, WriteError)):
                ended, stopped = RunEnd.STOPPED, str(first)
            elif isinstance(first, ToolwireError):
                raise first from None
            else:
                raise
        return self._finish(ended, stopped)

    def _finish(self, ended: RunEnd, stopped: str) -> RunResult:
        """Close the recording's account and return the result."""
        seconds = round(monotonic() - self._begun, 3)
        if self._recording is not None:
            try:
                for exchange in self._aborted:
                    self._recording.add_aborted(exchange)
                self._recording.add_footer(
                    ended, stopped=stopped, seconds=seconds, finished=now(), counts=self._tally.counts
                )
            except WriteError as problem:
                ended, stopped = RunEnd.STOPPED, stopped or str(problem)
        result = self._tally.result(ended, stopped=stopped, seconds=seconds)
        self._observe(RunFinished(result))
        return result

    async def _work(self, queue: Iterator[PlannedTrial]) -> None:
        """Execute trials until none is left."""
        for trial in queue:
            self._running += 1
            self._observe(TrialStarted(trial.id, self._progress()))
            try:
                exchange = await self._ask(trial)
            finally:
                self._running -= 1
            judgement = await self._judge(exchange)
            place = (trial.case.name, trial.tool_choice, trial.repeat)
            if self._recording is not None:
                self._recording.add_trial(*place, exchange, judgement)
            judged = self._tally.add(*place, exchange, judgement)
            self._observe(TrialFinished(judged, exchange, self._progress()))
            self._give_up_if_hopeless(exchange)
            if self._recording is not None and self._recording.sync_due:
                await asyncio.to_thread(self._recording.sync)

    async def _judge(self, exchange: Exchange) -> Judgement:
        """Judge; a body made to be large does so aside, so that other streams are still read in time."""
        if sum(len(read.text or read.base64 or "") for read in exchange.reads) < LARGE:
            return judge(exchange, self._rules)
        return await asyncio.to_thread(judge, exchange, self._rules)

    async def _ask(self, trial: PlannedTrial) -> Exchange:
        """Ask once, and again without each field of ours that the server refuses."""
        header, settings = self._header, self._header.settings
        expected = case_expectation(trial.case, trial.tool_choice)
        while True:
            body = request_body(
                header.suite,
                trial,
                model=header.target.model,
                thinking=settings.thinking,
                parameters=settings.parameters,
                extra=settings.extra_body,
                without=self._tally.dropped,
            )
            exchange = await self._client.ask(
                body,
                id=trial.id,
                expect=None if expected is None else msgspec.convert(expected, Expectation),
                on_cancel=self._aborted.append,
            )
            added = added_fields(header.suite, body, settings.extra_body)
            refused = refused_field(exchange, added)
            if refused is None:
                return exchange
            self._drop(refused, trial, exchange)

    def _drop(self, name: str, trial: PlannedTrial, exchange: Exchange) -> None:
        """Go on without a field; trials that were under way may meet the same refusal, which is told once."""
        if name in self._tally.dropped or exchange.response is None:
            return
        dropped = DroppedField(name, exchange.response.status, refusal_words(exchange), trial.id)
        if self._recording is not None:
            self._recording.add_dropped(dropped, exchange)
        self._tally.drop_field(dropped)
        self._observe(dropped)

    def _give_up_if_hopeless(self, exchange: Exchange) -> None:
        """Stop where no trial so far has had an answer, and the next ones will have none either."""
        refused = exchange.end is End.REFUSED
        status = exchange.response.status if exchange.response is not None else 0
        made = len(self._tally.done) - self._before
        if not (refused or status in _POINTLESS) or self._hopeless != made - 1:
            return
        self._hopeless = made
        if made >= HOPELESS and made < self._tally.planned - self._before:
            why = exchange.error or f"status {status}"
            raise _StopRunError(f"the first {made} requests had no answer ({why})")

    def _progress(self) -> Progress:
        """Say where the run stands; the rest is expected to take as long as what was done."""
        done = len(self._tally.done)
        elapsed = monotonic() - self._begun
        made, left = done - self._before, self._tally.planned - done
        return Progress(
            done=done,
            planned=self._tally.planned,
            counts=self._tally.counts,
            elapsed=elapsed,
            eta=elapsed / made * left if made else None,
            running=self._running,
        )


def _first(errors: ExceptionGroup[Exception]) -> Exception:
    """Return the first error of a group."""
    error: Exception = errors
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
