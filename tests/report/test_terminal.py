"""A run's report at any width: what is beside what, bars, words for one and for many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rich.text import Text

from runs import exchange_of, header_of
from toolwire.exchange import Exchange
from toolwire.judge import judge
from toolwire.report.console import Hanging, Look, render
from toolwire.report.findings import findings_of
from toolwire.report.terminal import FAULTS_SHOWN, rate_words, run_report
from toolwire.results import DroppedField, RunEnd, RunResult
from toolwire.rule import Basis, Complaint, Level, rule
from toolwire.rules.catalogue import RULES
from toolwire.stats import rate
from toolwire.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolwire.rule import Evidence, Rule


def complains(name: str, level: Level = Level.MUST) -> Rule:
    """Make a rule that always complains, and has no page."""

    @rule(name=name, code="TW000", level=level, basis=Basis.POLICY, since="0")
    def check(evidence: Evidence) -> Iterator[Complaint]:
        yield Complaint(f"{name} has a complaint", evidence.at_end())

    return check


@rule(name="crashes", code="TW000", level=Level.MUST, basis=Basis.POLICY, since="0")
def crashes(evidence: Evidence) -> None:
    """Crash, as a rule with a bug does."""
    raise KeyError(evidence.exchange.id)


def result_of(*kinds: str, repeat: int = 2, rules: Sequence[Rule] = RULES) -> RunResult:
    """Return the result of a run over one case whose answers are of these kinds."""
    tally = Tally(header_of("S1", repeat=repeat))
    for number, kind in enumerate(kinds, start=1):
        exchange = exchange_of(f"S1/required#{number}", kind)
        tally.add("S1", "required", number, exchange, judge(exchange, rules))
    return tally.result(RunEnd.COMPLETE)


def test_a_text_goes_on_below_itself() -> None:
    """Beside its label where there is room, at the margin where there is not."""
    part = Hanging(Text("   label     "), Text("words " * 12))
    wide = render(part, look=Look(width=50)).splitlines()
    assert wide[0].startswith("   label     words words")
    assert all(line.startswith(" " * 13 + "words") for line in wide[1:])
    label = "  " + "x" * 30 + " "
    narrow = render(Hanging(Text(label), Text("words " * 12)), look=Look(width=40)).splitlines()
    assert narrow[1].startswith("words")


def test_a_word_that_is_too_long_is_broken() -> None:
    """Nothing a server sent makes a line longer than the window."""
    lines = render(Hanging(Text("   came      "), Text("x" * 200)), look=Look(width=60)).splitlines()
    assert max(map(len, lines)) <= 60
    assert sum(line.count("x") for line in lines) == 200


@pytest.mark.parametrize("width", [40, 80, 100, 120])
def test_only_what_is_to_be_copied_is_longer_than_the_window(width: int) -> None:
    """The curl line and the recording's path stay in one piece."""
    report = run_report(result_of("pass", "leak"), look=Look(width=width), recording="/somewhere/" + "r" * 150)
    lines = report.splitlines()
    copied = [line for line in lines if line.lstrip().startswith(("repeat    curl", "recording "))]
    assert len(copied) == 2
    assert copied[0].endswith("}'")
    assert max(len(line) for line in lines if line not in copied) <= width


def test_a_wide_window_has_bars() -> None:
    """Each verdict that came has its marks, on a scale that keeps many trials short and loses none."""
    line = next(
        line
        for line in run_report(result_of("pass", "leak"), look=Look(width=120)).splitlines()
        if line.startswith("S1 ")
    )
    assert line.endswith("█×")
    many = result_of(*["pass"] * 199, "leak", repeat=200)
    line = next(line for line in run_report(many, look=Look(width=120)).splitlines() if line.startswith("S1 "))
    assert line.endswith("█" * 24 + "×")
    assert "█" not in run_report(many, look=Look(width=100))


@pytest.mark.parametrize(
    ("repeat", "words"),
    [(1, "1 case, tool_choice required, thinking on, 1 repeat = 1 request"), (2, "2 repeats = 2 requests")],
)
def test_one_is_singular(repeat: int, words: str) -> None:
    """The plan is told in whole words."""
    report = run_report(result_of(*["pass"] * repeat, repeat=repeat), look=Look(width=120))
    assert f"{words}\n" in report


def test_a_fault_says_how_often_where_and_how_to_repeat_it() -> None:
    """`k of n`, share, exact interval, event and bytes, the curl line, and what it means."""
    report = run_report(result_of("pass", "leak"), look=Look(width=100))
    assert "call-leaked TW601  1 of 2 (50.0 %, 95 % interval 1.3 % to 98.7 %)" in report
    assert "S1/required#2, event 1," in report
    assert "repeat    curl -N " in report
    assert "meaning   " in report
    assert "to fix    " in report


def test_a_place_that_is_nowhere_has_no_bytes() -> None:
    """An answer that never came has no event and no span."""
    report = run_report(result_of("refused", "refused"), look=Look(width=100), notes=True)
    assert "S1/required#1, no event" in report
    assert "bytes 0–0" not in report


def test_many_faults_are_counted_and_not_all_laid_out() -> None:
    """The first ones are shown, the others are told by their number."""
    rules = [complains(f"rule-{number}") for number in range(FAULTS_SHOWN + 2)]
    lines = run_report(result_of("pass", rules=rules, repeat=1), look=Look(width=100)).splitlines()
    assert sum("TW000" in line for line in lines) == FAULTS_SHOWN
    assert "2 more distinct faults are in the recording and in --json" in lines


def test_a_fault_without_a_page_is_told_without_its_meaning() -> None:
    """Whoever judges by rules of their own sees what came, and nothing is made up."""
    report = run_report(result_of("pass", rules=[complains("own")], repeat=1), look=Look(width=100))
    assert "own has a complaint" in report
    assert not any(word in report for word in ("expected  ", "came  ", "meaning  ", "to fix  "))


def test_a_rule_that_crashes_is_told_as_our_bug() -> None:
    """With its name and the exception, in a run and for one answer."""
    words = "rule crashes crashed: KeyError: 'S1/required#1'; this is a bug in toolwire"
    assert words in run_report(result_of("pass", rules=[crashes], repeat=1), look=Look(width=100)).splitlines()
    judgement = judge(exchange_of("S1/required#1"), [crashes])
    assert words in render(*findings_of(judgement, notes=False), look=Look(width=100))


def test_a_field_that_was_refused_is_told() -> None:
    """The plan that was executed is not the one that was made."""
    tally = Tally(header_of("S1", repeat=1))
    tally.drop_field(DroppedField("top_k", 400, "unknown field", "S1/required#1"))
    report = run_report(tally.result(RunEnd.COMPLETE), look=Look(width=120))
    assert "  the server refused the field top_k (400: unknown field), so the plan went on without it\n" in report


@pytest.mark.parametrize(
    ("levels", "words"),
    [([Level.NOTE], "1 legal oddity is not shown"), ([Level.NOTE] * 2, "2 legal oddities are not shown")],
)
def test_notes_are_shown_on_demand(levels: list[Level], words: str) -> None:
    """Without it they are counted in a run, and left out for one answer."""
    rules = [complains(f"own-{number}", level) for number, level in enumerate(levels)]
    result = result_of("pass", rules=rules, repeat=1)
    assert f"{words}; --notes shows what they are\n" in run_report(result, look=Look(width=100))
    assert words not in run_report(result, look=Look(width=100), notes=True)
    judgement = judge(exchange_of("a"), rules)
    told = [render(*findings_of(judgement, notes=notes), look=Look(width=100)) for notes in (False, True)]
    assert ["own-0 has a complaint" in part for part in told] == [False, True]


def test_a_share_of_nothing_is_no_share() -> None:
    """Where nothing was tried there is neither a percentage nor an interval."""
    assert rate_words(rate(0, 0)) == "0 of 0"


def test_a_protocol_that_no_rule_knows_is_told() -> None:
    """Nothing was judged, and the answer says so."""
    judgement = judge(Exchange("a", "telepathy", {}), RULES)
    told = render(*findings_of(judgement, notes=False), look=Look(width=100))
    assert told == "  no rule of this version judges the protocol 'telepathy'\n"
