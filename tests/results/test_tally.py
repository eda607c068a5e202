"""Trials become a result: counts, shares, distinct faults, one sentence, one exit code."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs import exchange_of, header_of
from toolwire.exchange import Exchange
from toolwire.judge import Verdict, VerdictClass, judge
from toolwire.oracle import Oracle
from toolwire.results import DroppedField, FailOn, RunEnd, RunResult
from toolwire.rule import Basis, Complaint, Effect, Level, LossKind, NotApplicable, Stability, rule
from toolwire.rules.catalogue import RULES
from toolwire.seed_verdict import SeedVerdict
from toolwire.tally import Tally, exit_of, timing_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolwire.evidence import Evidence
    from toolwire.rule import Rule


def result_of(
    kinds: Sequence[str],
    *,
    ended: RunEnd = RunEnd.COMPLETE,
    stopped: str = "",
    fail_on: FailOn = FailOn.MUST,
    choice: str = "required",
    planned: int | None = None,
    rules: Sequence[Rule] = RULES,
) -> RunResult:
    """Return the result of a run of one case whose trials are of these kinds."""
    header = header_of("one", repeat=planned or len(kinds), tool_choices=(choice,), fail_on=fail_on)
    tally = Tally(header)
    for number, kind in enumerate(kinds, start=1):
        exchange = exchange_of(f"one/{choice}#{number}", kind, choice=choice)
        tally.add("one", choice, number, exchange, judge(exchange, rules))
    return tally.result(ended, stopped=stopped)


def times(**counts: int) -> list[str]:
    """Return kinds, each so many times."""
    return [kind for kind, count in counts.items() for _ in range(count)]


@pytest.mark.parametrize(
    ("kinds", "settings", "code", "why", "answer"),
    [
        (
            *(times(**{"pass": 30}), {}, 0, "30 of 30 decided trials passed"),
            "0 of 30 dropped, 0 broken: the true rate may still be up to 9.5 %",
        ),
        (
            *(times(**{"pass": 7, "leak": 13}), {}, 1, "13 of 20 trials failed"),
            "13 of 20 failed (13 dropped): the true rate lies between 40.8 % and 84.6 %",
        ),
        (
            *(times(**{"pass": 1, "leak": 1, "broken": 2, "cut": 1, "error": 1}), {}, 1, "3 of 6 trials failed"),
            (
                "3 of 4 failed (1 dropped and 2 broken): the true rate lies between 19.4 % and 99.4 %;"
                " 1 cut, 1 without an answer not counted"
            ),
        ),
        (
            *(times(**{"pass": 2, "error": 1}), {}, 1, "1 of 3 trials had no answer that could be judged"),
            "0 of 2 dropped, 0 broken: the true rate may still be up to 77.6 %; 1 without an answer not counted",
        ),
        (
            *(times(refused=3), {}, 3, "all 3 trials ended in ERROR"),
            "no answer could be judged: 3 of 3 trials ended in ERROR (cannot connect to h:1 (no route))",
        ),
        (
            *(times(cut=2), {}, 3, "undecided: 2 cut of 2 trials, and none passed or failed"),
            "undecided: no call arrived and none was seen to be lost in 2 trials (2 cut)",
        ),
        (
            *(times(plain=2), {"choice": "auto"}, 3, "undecided: 2 declined of 2 trials, and none passed or failed"),
            "undecided: no call arrived and none was seen to be lost in 2 trials (2 declined)",
        ),
        (
            *(times(**{"pass": 1, "plain": 1}), {"choice": "auto"}, 0, "1 of 1 decided trials passed"),
            "0 of 1 dropped, 0 broken: the true rate may still be up to 95.0 %; 1 declined not counted",
        ),
        ([], {"planned": 3, "ended": RunEnd.INTERRUPTED}, 3, "interrupted after 0 of 3 trials", "nothing was judged"),
        (
            *(times(**{"pass": 1}), {"planned": 3, "ended": RunEnd.INTERRUPTED}, 3, "interrupted after 1 of 3 trials"),
            "0 of 1 dropped, 0 broken: the true rate may still be up to 95.0 %; interrupted, 2 of 3 trials not made",
        ),
        (
            *(times(leak=1), {"planned": 3, "ended": RunEnd.INTERRUPTED}, 1, "1 of 1 trials failed"),
            (
                "1 of 1 failed (1 dropped): the true rate lies between 2.5 % and 100.0 %;"
                " interrupted, 2 of 3 trials not made"
            ),
        ),
        (
            *(times(**{"pass": 1}), {"planned": 3, "ended": RunEnd.CUT}, 3),
            "the recording is cut short after 1 of 3 trials",
            (
                "0 of 1 dropped, 0 broken: the true rate may still be up to 95.0 %;"
                " the recording is cut short, 2 of 3 trials not made"
            ),
        ),
        (
            *(times(**{"pass": 1}), {"planned": 3, "ended": RunEnd.STOPPED, "stopped": "disk full"}, 3),
            "stopped after 1 of 3 trials: disk full",
            "0 of 1 dropped, 0 broken: the true rate may still be up to 95.0 %; disk full, 2 of 3 trials not made",
        ),
        (
            *(times(**{"pass": 1, "broken": 1}), {"fail_on": FailOn.DROP}, 0, "0 of 2 decided trials dropped a call"),
            "1 of 2 failed (1 broken): the true rate lies between 1.3 % and 98.7 %",
        ),
        (
            *(times(**{"pass": 1, "leak": 1}), {"fail_on": FailOn.DROP}, 1, "1 of 2 trials dropped a call"),
            "1 of 2 failed (1 dropped): the true rate lies between 1.3 % and 98.7 %",
        ),
    ],
)
def test_what_a_run_came_to(kinds: list[str], settings: dict[str, object], code: int, why: str, answer: str) -> None:
    """The exit code with its reason, and the sentence."""
    result = result_of(kinds, **settings)  # type: ignore[arg-type]
    assert (result.exit.code, result.exit.why) == (code, why)
    assert result.answer == answer


VERDICTS = {"pass": "PASS", "leak": "DROP", "broken": "BROKEN", "cut": "CUT", "error": "ERROR", "refused": "ERROR"}


@given(st.lists(st.sampled_from(list(VERDICTS)), max_size=12), st.sampled_from(FailOn), st.sampled_from(RunEnd))
def test_success_needs_evidence(kinds: list[str], fail_on: FailOn, ended: RunEnd) -> None:
    """Exit 0 only when the run is complete, something passed or was decided, and nothing fails at the threshold."""
    result = result_of(kinds, fail_on=fail_on, ended=ended, planned=max(len(kinds), 1))
    verdicts = [VERDICTS[kind] for kind in kinds]
    assert sum(result.counts.values()) == len(kinds) == sum(result.classes.values()) == sum(result.seed_counts.values())
    assert {verdict.value: count for verdict, count in result.counts.items()} == {
        verdict.value: verdicts.count(verdict.value) for verdict in Verdict
    }
    if result.exit.code == 0:
        assert ended is RunEnd.COMPLETE
        assert {"PASS", "BROKEN"} & set(verdicts)
        assert "DROP" not in verdicts
        assert fail_on is FailOn.DROP or "BROKEN" not in verdicts
        assert fail_on is FailOn.DROP or "ERROR" not in verdicts
    if "DROP" in verdicts:
        assert result.exit.code == 1
    assert result.exit.code in (0, 1, 3)
    assert result.exit.why


def test_the_order_of_trials_is_no_matter() -> None:
    """However trials come in, and however often, the result is the same."""
    header = header_of("one", "two", repeat=2)
    kinds = {"one/required#1": "leak", "one/required#2": "pass", "two/required#1": "broken", "two/required#2": "leak"}
    results = []
    for order in itertools.permutations(kinds):
        tally = Tally(header)
        for identity in (*order, order[0]):
            exchange = exchange_of(identity, kinds[identity])
            case, repeat = identity[:3], int(identity[-1])
            tally.add(case, "required", repeat, exchange, judge(exchange, RULES))
        results.append(tally.result(RunEnd.COMPLETE))
    assert all(result == results[0] for result in results)
    result = results[0]
    assert [trial.id for trial in result.trials] == list(kinds)
    drops = [(case.name, case.counts[Verdict.DROP], case.planned) for case in result.cases]
    assert drops == [("one", 1, 2), ("two", 1, 2)]
    leak = next(fault for fault in result.faults if fault.kind is LossKind.LEAKED)
    assert (leak.example.id, leak.exchange.id) == ("one/required#1", "one/required#1")
    assert leak.trials == ("one/required#1", "two/required#2")
    assert (leak.rate.k, leak.rate.n) == (2, 4)


def test_cases_without_any_trial_are_listed() -> None:
    """A case that was not reached is seen to be missing."""
    result = Tally(header_of("one", "two")).result(RunEnd.INTERRUPTED)
    assert [(case.name, case.description, len(case.trials)) for case in result.cases] == [
        ("one", "reads one", 0),
        ("two", "reads two", 0),
    ]
    assert (result.planned, result.missing, result.decided) == (4, 4, 0)


def test_classes_seed_verdicts_and_oracles_are_counted() -> None:
    """Every member has its key, also at 0."""
    result = result_of(times(**{"pass": 2, "leak": 1, "error": 1}))
    assert result.classes == {
        VerdictClass.PASS: 2,
        VerdictClass.WARN: 0,
        VerdictClass.FAIL: 2,
        VerdictClass.INCONCLUSIVE: 0,
    }
    assert result.seed_counts == {
        SeedVerdict.PASS: 2,
        SeedVerdict.DROP: 1,
        SeedVerdict.OTHER: 0,
        SeedVerdict.ERROR: 1,
    }
    assert result.oracles[:2] == (Oracle.STREAM, Oracle.SCHEMA)
    assert result.rates.drop.n == result.rates.broken.n == result.rates.fail.n == result.decided == 3


def test_refused_fields_are_told_once() -> None:
    """The first refusal of a field counts."""
    tally = Tally(header_of("one"))
    for trial in ("one/required#2", "one/required#1"):
        tally.drop_field(DroppedField("top_k", 400, "no", trial))
    tally.drop_field(DroppedField("min_p", 400, "no", "x"))
    assert tally.dropped == ("top_k", "min_p")
    assert [dropped.trial for dropped in tally.result(RunEnd.COMPLETE).dropped] == ["one/required#2", "x"]


# -- rules made for a purpose ------------------------------------------------------------------------------------------


def _complains(evidence: Evidence) -> Iterable[Complaint]:
    """Complain of everything."""
    yield Complaint("it is not nice", evidence.at_start())
    yield Complaint("it is not nice at all", evidence.at_end())


def _crashes(_: Evidence) -> None:
    """Break."""
    raise ZeroDivisionError


def made(level: Level, name: str = "made") -> Rule:
    """Return a rule that complains of everything."""
    return rule(name=name, code="TW999", level=level, basis=Basis.POLICY, since="0.1.0")(_complains)


@pytest.mark.parametrize(
    ("level", "fail_on", "code"),
    [
        *((Level.SHOULD, fail_on, code) for fail_on, code in zip(FailOn, (0, 0, 1, 1), strict=True)),
        *((Level.NOTE, fail_on, code) for fail_on, code in zip(FailOn, (0, 0, 0, 1), strict=True)),
    ],
)
def test_the_threshold_decides_what_fails(level: Level, fail_on: FailOn, code: int) -> None:
    """SHOULD and NOTE fail a run only where that was asked for."""
    result = result_of(times(**{"pass": 2}), fail_on=fail_on, rules=[made(level)])
    assert result.exit.code == code
    assert ("passed with a warning" in result.answer) == (level is Level.SHOULD)
    if code:
        assert result.exit.why.startswith("2 of 2 trials have findings of level SHOULD")


def test_preview_rules_never_fail_a_run() -> None:
    """They are shown, last, and change no exit code at any threshold."""
    preview = dataclasses.replace(made(Level.MUST, "young"), stability=Stability.PREVIEW)
    result = result_of(times(**{"pass": 2}), fail_on=FailOn.NOTE, rules=[preview, made(Level.SHOULD)])
    assert [(fault.rule, fault.preview) for fault in result.faults] == [("made", False), ("young", True)]
    alone = result_of(times(**{"pass": 2}), fail_on=FailOn.NOTE, rules=[preview])
    assert alone.exit.code == 0


def test_a_fault_counts_once_in_a_trial() -> None:
    """Two complaints of the same kind are one fault, shown by the first."""
    (fault,) = result_of(times(**{"pass": 3}), rules=[made(Level.SHOULD)]).faults
    assert (fault.rate.k, fault.rate.n) == (3, 3)
    assert fault.finding.message == "it is not nice"


def test_what_could_not_be_judged_is_no_part_of_a_share() -> None:
    """Trials in ERROR, and those that a rule does not apply to, are not among its n."""

    def picky(evidence: Evidence) -> Iterable[Complaint] | NotApplicable:
        if evidence.exchange.id.endswith("#1"):
            return NotApplicable("not the first")
        return [Complaint("no", evidence.at_start())]

    def unreadable(evidence: Evidence) -> Iterable[Complaint]:
        if evidence.exchange.response is None or evidence.exchange.response.status != 200:
            yield Complaint("no answer", evidence.at_start(), effect=Effect.UNREADABLE)

    rules = [
        rule(name="picky", code="TW998", level=Level.MUST, basis=Basis.POLICY, since="0.1.0")(picky),
        rule(name="gone", code="TW997", level=Level.MUST, basis=Basis.POLICY, since="0.1.0")(unreadable),
    ]
    result = result_of(["pass", "pass", "pass", "error"], rules=rules)
    assert {fault.rule: (fault.rate.k, fault.rate.n) for fault in result.faults} == {"picky": (2, 2), "gone": (1, 4)}


def test_a_crashed_rule_is_our_bug() -> None:
    """Exit 4, whatever else there is, with the rule's name."""
    crashing = rule(name="shaky", code="TW997", level=Level.MUST, basis=Basis.POLICY, since="0.1.0")(_crashes)
    result = result_of(times(**{"pass": 1, "leak": 1}), rules=[*RULES, crashing])
    assert (result.exit.code, result.exit.why) == (4, "rule shaky crashed, which is a bug in toolwire")
    assert result.crashed["shaky"].startswith("ZeroDivisionError")


def test_exit_of_bare_exchanges() -> None:
    """Without a run the same rules hold; nothing judged is never success."""
    judged = [judge(exchange_of(kind, kind), RULES) for kind in ("pass", "leak")]
    assert exit_of(judged, FailOn.MUST).code == 1
    assert exit_of(judged[:1], FailOn.MUST).code == 0
    assert exit_of([], FailOn.MUST).code == 3


def test_timing_is_that_of_the_reads() -> None:
    """First and last byte, how many reads and bytes; nothing where nothing came."""
    exchange = exchange_of("t")
    timing = timing_of(exchange)
    assert (timing.first_byte, timing.last_byte, timing.reads) == (0.1, 0.5, 5)
    assert timing.bytes == sum(len(read.data) for read in exchange.reads)
    empty = timing_of(Exchange("t", "chat", {}))
    assert (empty.first_byte, empty.last_byte, empty.reads, empty.bytes) == (None, None, 0, 0)
