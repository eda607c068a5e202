"""A run's report at any width: what is beside what, bars, words for one and for many."""

from __future__ import annotations

import pytest
from rich.text import Text

from runs import exchange_of, header_of
from toolwire.judge import judge
from toolwire.report.console import Hanging, Look, render
from toolwire.report.terminal import run_report
from toolwire.results import RunEnd, RunResult
from toolwire.rules.catalogue import RULES
from toolwire.tally import Tally


def result_of(*kinds: str, repeat: int = 2) -> RunResult:
    """Return the result of a run over one case whose answers are of these kinds."""
    tally = Tally(header_of("S1", repeat=repeat))
    for number, kind in enumerate(kinds, start=1):
        exchange = exchange_of(f"S1/required#{number}", kind)
        tally.add("S1", "required", number, exchange, judge(exchange, RULES))
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
