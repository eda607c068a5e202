"""From the trials of a run, in any order, to its result.

Feed it what happened, live or from a recording: the same trials give the same result.

Knows: how trials are counted, which faults are the same, what the exit code follows from.
Must not know: files, clocks, how a report looks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from toolwire.judge import Verdict, VerdictClass
from toolwire.plan import plan
from toolwire.results import (
    CaseResult,
    DistinctFault,
    ExitReason,
    FailOn,
    Rates,
    RunEnd,
    RunResult,
    Timing,
    Trial,
)
from toolwire.rule import Certainty, Effect, Finding, Level, LossKind
from toolwire.seed_verdict import SeedVerdict
from toolwire.stats import rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from enum import StrEnum

    from toolwire.exchange import Exchange
    from toolwire.judge import Judgement
    from toolwire.oracle import Oracle
    from toolwire.results import DroppedField, RunHeader

__all__ = ["Tally", "exit_of", "timing_of"]

DECIDED = (Verdict.PASS, Verdict.DROP, Verdict.BROKEN)
"""Verdicts that say something about the server's streams; the others are excluded from shares, and counted."""

_LEVELS = {Level.MUST: 0, Level.SHOULD: 1, Level.NOTE: 2}
_SURE = {Certainty.PROVEN: 0, Certainty.EVIDENT: 1, Certainty.INFERRED: 2}

CONFORMS, FAILS, NO_ANSWER, INTERNAL = 0, 1, 3, 4
"""Exit codes (design, section 6)."""

E = TypeVar("E", bound="StrEnum")


@dataclass(frozen=True, slots=True)
class _Signature:
    """What makes two findings the same fault."""

    rule: str
    code: str
    level: Level
    unreadable: bool
    kind: LossKind | None
    dialect: tuple[str, ...]
    blame: str
    preview: bool


@dataclass(slots=True)
class _Sightings:
    """All trials that show one fault, and the first of them by the plan."""

    place: int
    example: Trial
    finding: Finding
    exchange: Exchange
    trials: list[str] = field(default_factory=list)


def timing_of(exchange: Exchange) -> Timing:
    """Return when the answer came."""
    reads = exchange.reads
    return Timing(
        first_byte=reads[0].at if reads else None,
        last_byte=reads[-1].at if reads else None,
        reads=len(reads),
        bytes=sum(len(read.data) for read in reads),
    )


class Tally:
    """Takes what happened in a run and says what it came to."""

    def __init__(self, header: RunHeader) -> None:
        """Start with no trial. Raises `SuiteError` where the header's suite cannot be planned."""
        self.header = header
        planned = plan(header.suite, header.settings.tool_choices, header.settings.repeat)
        self._places = {trial.id: place for place, trial in enumerate(planned)}
        self._trials: dict[str, Trial] = {}
        self._faults: dict[_Signature, _Sightings] = {}
        self._dropped: dict[str, DroppedField] = {}

    @property
    def planned(self) -> int:
        """How many trials there are to be."""
        return len(self._places)

    @property
    def done(self) -> frozenset[str]:
        """Ids of the trials that were taken."""
        return frozenset(self._trials)

    @property
    def dropped(self) -> tuple[str, ...]:
        """Names of the fields that the server refused."""
        return tuple(self._dropped)

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many trials have each verdict."""
        return _count(Verdict, (trial.judgement.verdict for trial in self._trials.values()))

    def add(self, case: str, tool_choice: str, repeat: int, exchange: Exchange, judgement: Judgement) -> Trial:
        """Take one judged trial; an id that was taken before is not counted twice (the first stays)."""
        if exchange.id in self._trials:
            return self._trials[exchange.id]
        trial = Trial(
            id=exchange.id,
            case=case,
            tool_choice=tool_choice,
            repeat=repeat,
            judgement=judgement,
            timing=timing_of(exchange),
            error=exchange.error or "",
        )
        self._trials[trial.id] = trial
        self._sight(trial, exchange)
        return trial

    def drop_field(self, dropped: DroppedField) -> None:
        """Take note of a field that the server refused."""
        self._dropped.setdefault(dropped.name, dropped)

    def _sight(self, trial: Trial, exchange: Exchange) -> None:
        """Note the faults that a trial shows, each once, with its first finding."""
        place = self._places.get(trial.id, len(self._places))
        seen: set[_Signature] = set()
        for finding in trial.judgement.findings:
            signature = _signature(finding)
            # what else is odd about an answer that cannot be read at all is no fault of its own
            if signature in seen or (trial.judgement.verdict is Verdict.ERROR and not signature.unreadable):
                continue
            seen.add(signature)
            sightings = self._faults.get(signature)
            if sightings is None:
                sightings = self._faults[signature] = _Sightings(place, trial, finding, exchange)
            elif place < sightings.place:
                sightings.place, sightings.example = place, trial
                sightings.finding, sightings.exchange = finding, exchange
            sightings.trials.append(trial.id)

    def result(self, ended: RunEnd, *, stopped: str = "", seconds: float | None = None) -> RunResult:
        """Return what it came to; `stopped` says why we stopped, `seconds` how long it took."""
        trials = tuple(sorted(self._trials.values(), key=self._place))
        counts = self.counts
        judgements = [trial.judgement for trial in trials]
        decided = sum(counts[verdict] for verdict in DECIDED)
        rates = Rates(
            drop=rate(counts[Verdict.DROP], decided),
            broken=rate(counts[Verdict.BROKEN], decided),
            fail=rate(counts[Verdict.DROP] + counts[Verdict.BROKEN], decided),
        )
        unmade = max(len(self._places) - len(trials), 0)
        oracles = dict.fromkeys(oracle for judgement in judgements for oracle in judgement.oracles)
        crashed: dict[str, str] = {}
        for judgement in judgements:
            crashed = {**judgement.crashed, **crashed}
        return RunResult(
            header=self.header,
            ended=ended,
            stopped=stopped,
            trials=trials,
            cases=self._cases(trials),
            counts=counts,
            classes=_count(VerdictClass, (judgement.verdict_class for judgement in judgements)),
            seed_counts=_count(SeedVerdict, (judgement.seed_verdict for judgement in judgements)),
            rates=rates,
            faults=self._distinct(trials),
            dropped=tuple(self._dropped.values()),
            oracles=tuple(sorted(oracles, key=_oracle_order)),
            crashed=crashed,
            planned=len(self._places),
            seconds=seconds,
            answer=_answer(counts, rates, trials, ended=ended, stopped=stopped, unmade=unmade),
            exit=exit_of(
                judgements, self.header.settings.fail_on, ended=ended, stopped=stopped, planned=len(self._places)
            ),
        )

    def _place(self, trial: Trial) -> tuple[int, str]:
        """Return where a trial stands in the plan."""
        return self._places.get(trial.id, len(self._places)), trial.id

    def _cases(self, trials: Sequence[Trial]) -> tuple[CaseResult, ...]:
        """Group the trials by case and choice, in the order of the plan; a case without any trial is there too."""
        settings = self.header.settings
        grouped: dict[tuple[str, str], list[Trial]] = {}
        described: dict[str, str] = {}
        for planned in plan(self.header.suite, settings.tool_choices, 1):
            grouped[planned.case.name, planned.tool_choice] = []
            described[planned.case.name] = planned.case.description
        for trial in trials:
            grouped.setdefault((trial.case, trial.tool_choice), []).append(trial)
        return tuple(
            CaseResult(
                name=name,
                description=described.get(name, ""),
                tool_choice=choice,
                trials=tuple(found),
                counts=_count(Verdict, (trial.judgement.verdict for trial in found)),
                planned=settings.repeat,
            )
            for (name, choice), found in grouped.items()
        )

    def _distinct(self, trials: Sequence[Trial]) -> tuple[DistinctFault, ...]:
        """Return the faults, worst first."""
        found = [
            DistinctFault(
                rule=signature.rule,
                code=signature.code,
                level=signature.level,
                kind=signature.kind,
                dialect=signature.dialect,
                blame=signature.blame,
                preview=signature.preview,
                rate=rate(len(sightings.trials), sum(_could_judge(signature, trial) for trial in trials)),
                trials=tuple(sorted(sightings.trials, key=lambda one: (self._places.get(one, len(self._places)), one))),
                example=sightings.example,
                finding=sightings.finding,
                exchange=sightings.exchange,
            )
            for signature, sightings in self._faults.items()
        ]
        found.sort(
            key=lambda fault: (
                fault.preview,
                _LEVELS[fault.level],
                # what is proven comes before what follows from it
                _SURE[fault.finding.certainty],
                -fault.rate.k,
                fault.code,
                fault.dialect,
            )
        )
        return tuple(found)


def _signature(finding: Finding) -> _Signature:
    """Return what makes a finding the same as another."""
    return _Signature(
        rule=finding.rule,
        code=finding.code,
        level=finding.level,
        unreadable=finding.effect is Effect.UNREADABLE,
        kind=finding.kind,
        dialect=finding.dialect,
        blame=finding.blame,
        preview=finding.preview,
    )


def _could_judge(signature: _Signature, trial: Trial) -> bool:
    """Whether a rule could have shown the fault on this trial."""
    if trial.judgement.verdict is Verdict.ERROR and not signature.unreadable:
        return False
    return signature.rule not in trial.judgement.not_applicable


def _count(kind: type[E], values: Iterable[E]) -> dict[E, int]:
    """Count values; each member of the enum has its key."""
    counted = Counter(values)
    return {member: counted[member] for member in kind}


def _oracle_order(oracle: Oracle) -> int:
    """Order the sources of truth as they are declared: cheapest first."""
    return list(type(oracle)).index(oracle)


# -- the exit code -----------------------------------------------------------------------------------------------------


def exit_of(
    judgements: Sequence[Judgement],
    fail_on: FailOn,
    *,
    ended: RunEnd = RunEnd.COMPLETE,
    stopped: str = "",
    planned: int | None = None,
) -> ExitReason:
    """Return the exit code for judged exchanges, and why; `ended`, `stopped` and `planned` where they are a run."""
    counts = _count(Verdict, (judgement.verdict for judgement in judgements))
    decided = sum(counts[verdict] for verdict in DECIDED)
    total = len(judgements)
    crashed = sorted({name for judgement in judgements for name in judgement.crashed})
    if crashed:
        return ExitReason(INTERNAL, f"rule {', '.join(crashed)} crashed, which is a bug in toolwire")
    if failing := _failing(judgements, counts, fail_on):
        return ExitReason(FAILS, failing)
    if ended is not RunEnd.COMPLETE:
        return ExitReason(NO_ANSWER, _unfinished(ended, stopped, total, planned))
    if not total:
        return ExitReason(NO_ANSWER, "nothing was judged")
    if counts[Verdict.ERROR] == total:
        return ExitReason(NO_ANSWER, f"all {total} trials ended in ERROR" if total > 1 else "the trial ended in ERROR")
    if not decided:
        return ExitReason(NO_ANSWER, f"undecided: {_inconclusive(counts)} of {total} trials, and none passed or failed")
    if counts[Verdict.ERROR] and fail_on is not FailOn.DROP:
        return ExitReason(FAILS, f"{counts[Verdict.ERROR]} of {total} trials had no answer that could be judged")
    if fail_on is FailOn.DROP:
        return ExitReason(CONFORMS, f"0 of {decided} decided trials dropped a call")
    return ExitReason(CONFORMS, f"{counts[Verdict.PASS]} of {decided} decided trials passed")


def _failing(judgements: Sequence[Judgement], counts: dict[Verdict, int], fail_on: FailOn) -> str:
    """Say what fails at this threshold; empty where nothing does."""
    total = len(judgements)
    lost, broken = counts[Verdict.DROP], counts[Verdict.BROKEN]
    if lost and fail_on is FailOn.DROP:
        return f"{lost} of {total} trials dropped a call"
    if fail_on is FailOn.DROP:
        return ""
    if lost + broken:
        return f"{lost + broken} of {total} trials failed"
    if fail_on is FailOn.MUST:
        return ""
    levels = {Level.SHOULD} if fail_on is FailOn.SHOULD else {Level.SHOULD, Level.NOTE}
    shown = sum(
        judgement.verdict is not Verdict.ERROR
        and any(finding.level in levels and not finding.preview for finding in judgement.findings)
        for judgement in judgements
    )
    return (
        f"{shown} of {total} trials have findings of level {' or '.join(sorted(levels, reverse=True))}" if shown else ""
    )


def _unfinished(ended: RunEnd, stopped: str, total: int, planned: int | None) -> str:
    """Say that a run did not come to its end."""
    of = f"{total} of {planned} trials" if planned is not None else f"{total} trials"
    match ended:
        case RunEnd.INTERRUPTED:
            return f"interrupted after {of}"
        case RunEnd.CUT:
            return f"the recording is cut short after {of}"
        case _:
            return f"stopped after {of}: {stopped}"


def _inconclusive(counts: dict[Verdict, int]) -> str:
    """Name the verdicts that decide nothing."""
    words = {Verdict.DECLINED: "declined", Verdict.CUT: "cut", Verdict.ERROR: "without an answer"}
    return ", ".join(f"{counts[verdict]} {word}" for verdict, word in words.items() if counts[verdict])


# -- the answer in one sentence ----------------------------------------------------------------------------------------


def _answer(
    counts: dict[Verdict, int], rates: Rates, trials: Sequence[Trial], *, ended: RunEnd, stopped: str, unmade: int
) -> str:
    """Say what the run came to, in one sentence without its stop."""
    parts = [_main_clause(counts, rates, trials)]
    if rates.fail.n and (rest := _inconclusive(counts)):
        parts.append(f"{rest} not counted")
    warned = sum(trial.judgement.verdict_class is VerdictClass.WARN for trial in trials)
    if warned:
        parts.append(f"{warned} passed with a warning")
    if ended is not RunEnd.COMPLETE and (trials or stopped):
        words = {RunEnd.INTERRUPTED: "interrupted", RunEnd.CUT: "the recording is cut short"}
        parts.append(f"{words.get(ended, stopped)}, {unmade} of {len(trials) + unmade} trials not made")
    return "; ".join(parts)


def _main_clause(counts: dict[Verdict, int], rates: Rates, trials: Sequence[Trial]) -> str:
    """Say the share of failures and what it means, or why there is none."""
    fail = rates.fail
    lost, broken = counts[Verdict.DROP], counts[Verdict.BROKEN]
    if not trials:
        return "nothing was judged"
    if not fail.n:
        if counts[Verdict.ERROR] == len(trials):
            return f"no answer could be judged: {len(trials)} of {len(trials)} trials ended in ERROR{_reason(trials)}"
        return (
            f"undecided: no call arrived and none was seen to be lost in {len(trials)} trials ({_inconclusive(counts)})"
        )
    if not fail.k:
        return f"0 of {fail.n} dropped, 0 broken: the true rate may still be up to {_percent(fail.upper)}"
    kinds = " and ".join(f"{number} {word}" for number, word in ((lost, "dropped"), (broken, "broken")) if number)
    return (
        f"{fail.k} of {fail.n} failed ({kinds}): "
        f"the true rate lies between {_percent(fail.low)} and {_percent(fail.high)}"
    )


def _reason(trials: Sequence[Trial]) -> str:
    """Return the most frequent reason why there was no answer."""
    reasons = Counter(
        trial.error or (trial.judgement.findings[0].message if trial.judgement.findings else "") for trial in trials
    )
    reason, _ = reasons.most_common(1)[0]
    return f" ({reason})" if reason else ""


def _percent(share: float) -> str:
    """Write a share for a sentence."""
    return f"{share * 100:.1f} %"
