"""What a run was, what happened in it, and what it came to.

A run is a header, trials one after the other, and an end. Everything that a report says is computed here from these, so
that a report made from the recording is the same as the one made live.

Knows: trials, judgements, counts, shares. Must not know: files, clocks, how a report looks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from toolwire.suite import Suite  # noqa: TC001 - the recording is read by the types of the fields

if TYPE_CHECKING:
    from toolwire.exchange import Exchange
    from toolwire.judge import Judgement, Verdict, VerdictClass
    from toolwire.oracle import Oracle
    from toolwire.rule import Finding, Level, LossKind
    from toolwire.seed_verdict import SeedVerdict
    from toolwire.stats import Rate

__all__ = [
    "CaseResult",
    "DistinctFault",
    "DroppedField",
    "ExitReason",
    "FailOn",
    "Progress",
    "Rates",
    "RunEnd",
    "RunEvent",
    "RunFinished",
    "RunHeader",
    "RunResult",
    "RunStarted",
    "Settings",
    "TargetInfo",
    "Timing",
    "Trial",
    "TrialFinished",
    "TrialStarted",
]


# -- what was asked ----------------------------------------------------------------------------------------------------


class FailOn(StrEnum):
    """From what on a run fails."""

    DROP = "drop"
    """Only a lost call fails: what the old script did."""
    MUST = "must"
    """A verdict of class FAIL fails (the default)."""
    SHOULD = "should"
    """A warning fails too."""
    NOTE = "note"
    """Any finding of a stable rule fails."""


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """What is known of the server under test; nothing secret."""

    url: str
    """The base address up to and without `/chat/completions`, such as `http://127.0.0.1:8000/v1`."""
    model: str
    engine: str = ""
    """Name of the recognised engine; empty where it is unknown."""
    engine_version: str = ""
    server: str = ""
    """The `Server` header of its answers."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that shaped the requests and the run."""

    tool_choices: tuple[str, ...] = ("required",)
    """Choices for the cases that set none of their own."""
    repeat: int = 3
    concurrency: int = 4
    seed: int = 0
    """Decides the order of the trials."""
    thinking: bool = True
    parameters: dict[str, object] = field(default_factory=dict)
    """Sampling parameters that replace the suite's own."""
    extra_body: dict[str, object] = field(default_factory=dict)
    """Fields that the user added to every request."""
    headers: dict[str, str] = field(default_factory=dict)
    """Headers that the user added; values redacted."""
    key_variable: str = ""
    """Name of the environment variable that held the key; empty where no key was sent."""
    connect_timeout: float = 10.0
    total_timeout: float = 300.0
    stall_timeout: float = 60.0
    fail_on: FailOn = FailOn.MUST


@dataclass(frozen=True, slots=True)
class RunHeader:
    """The first line of a recording: enough to judge the run again and to go on with it."""

    toolwire: str
    """Our version."""
    started: str
    """UTC, ISO 8601."""
    target: TargetInfo
    suite: Suite
    """Only with the cases that were selected."""
    settings: Settings
    label: str = ""
    python: str = ""
    platform: str = ""


# -- what happened -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Timing:
    """When an answer came; seconds since the request was sent."""

    first_byte: float | None
    last_byte: float | None
    reads: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Trial:
    """One judged execution of a case."""

    id: str
    """`case/tool_choice#repeat`; also the id of its exchange."""
    case: str
    tool_choice: str
    repeat: int
    """From 1."""
    judgement: Judgement
    timing: Timing
    error: str = ""
    """Our own words on why there is no (further) answer; never judged."""


@dataclass(frozen=True, slots=True)
class DroppedField:
    """A field of ours that the server refused; the plan went on without it."""

    name: str
    status: int
    said: str
    """What the server said, cut to an excerpt."""
    trial: str
    """Id of the first trial that met the refusal."""


class RunEnd(StrEnum):
    """How a run ended."""

    COMPLETE = "complete"
    """Every planned trial was executed."""
    INTERRUPTED = "interrupted"
    """The user stopped it."""
    STOPPED = "stopped"
    """We stopped it, for a reason that is said."""
    CUT = "cut"
    """Its recording has no footer: it was killed, or its machine went down."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands; `eta` is seconds until its end as far as can be told."""

    done: int
    planned: int
    counts: dict[Verdict, int]
    elapsed: float
    eta: float | None
    running: int = 0
    """Trials that are under way."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The plan stands; `done` trials were taken over from an earlier recording."""

    header: RunHeader
    planned: int
    done: int = 0


@dataclass(frozen=True, slots=True)
class TrialStarted:
    """A request is about to be sent."""

    id: str
    progress: Progress


@dataclass(frozen=True, slots=True)
class TrialFinished:
    """A trial was judged and recorded."""

    trial: Trial
    exchange: Exchange
    progress: Progress


@dataclass(frozen=True, slots=True)
class RunFinished:
    """There will be no more."""

    result: RunResult


RunEvent = RunStarted | TrialStarted | TrialFinished | DroppedField | RunFinished


# -- what it came to ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CaseResult:
    """All trials of one case under one tool_choice, in the order of their repeats."""

    name: str
    description: str
    tool_choice: str
    trials: tuple[Trial, ...]
    counts: dict[Verdict, int]
    """Every verdict has its key."""
    planned: int


@dataclass(frozen=True, slots=True)
class DistinctFault:
    """The same complaint over all trials of a run: one rule, one kind, one set of dialects."""

    rule: str
    code: str
    level: Level
    kind: LossKind | None
    dialect: tuple[str, ...]
    blame: str
    preview: bool
    rate: Rate
    """Trials that show it, of those that the rule could judge."""
    trials: tuple[str, ...]
    """Ids of the trials that show it, in the order of the plan."""
    example: Trial
    """The first of them."""
    finding: Finding
    """The first such finding of the example."""
    exchange: Exchange
    """The exchange of the example."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of the decided trials (PASS, DROP or BROKEN); the others say nothing about the server's streams."""

    drop: Rate
    broken: Rate
    fail: Rate
    """DROP or BROKEN."""


@dataclass(frozen=True, slots=True)
class ExitReason:
    """The exit code and, in a few words, why."""

    code: int
    why: str


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run, complete or not, with all that a report needs."""

    header: RunHeader
    ended: RunEnd
    stopped: str
    """Why we stopped it; empty otherwise."""
    trials: tuple[Trial, ...]
    """In the order of the plan: by case, tool_choice, repeat."""
    cases: tuple[CaseResult, ...]
    counts: dict[Verdict, int]
    """Every verdict has its key."""
    classes: dict[VerdictClass, int]
    seed_counts: dict[SeedVerdict, int]
    rates: Rates
    faults: tuple[DistinctFault, ...]
    """Worst first: by level, then by how sure, then by how often."""
    dropped: tuple[DroppedField, ...]
    oracles: tuple[Oracle, ...]
    """The sources of truth that at least one trial had."""
    crashed: dict[str, str]
    """Rules of ours that crashed, with the first exception of each: a bug in toolwire."""
    planned: int
    seconds: float | None
    """Wall clock of the run; None where its end is not known."""
    answer: str
    """The answer in one sentence, without its stop."""
    exit: ExitReason

    @property
    def decided(self) -> int:
        """How many trials say something about the server's streams: PASS, DROP or BROKEN."""
        return self.rates.fail.n

    @property
    def missing(self) -> int:
        """How many planned trials were not executed."""
        return max(self.planned - len(self.trials), 0)
