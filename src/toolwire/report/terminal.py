"""A run for a person at a terminal: what was asked, what came to each case, each distinct fault once, the answer.

Knows: how a run is laid out. Must not know: where it came from; a run read from its recording looks the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from toolwire.evidence import Evidence
from toolwire.judge import Verdict
from toolwire.report.console import Hanging, Look, render
from toolwire.report.curl import curl
from toolwire.report.findings import LEVELS, place
from toolwire.report.text import one_line, percent
from toolwire.report.timeline import Row, rows
from toolwire.rule import Level
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

    from toolwire.results import DistinctFault, RunResult
    from toolwire.stats import Rate

__all__ = ["rate_words", "run_report", "section"]

VERDICT_STYLES = {
    Verdict.PASS: "pass",
    Verdict.DROP: "fail",
    Verdict.BROKEN: "fail",
    Verdict.DECLINED: "inconclusive",
    Verdict.CUT: "inconclusive",
    Verdict.ERROR: "fail",
}
BAR = {"pass": "█", "fail": "×", "inconclusive": "·"}
"""What stands for a trial in a bar, so that it can be read without colours."""

LONGEST_BAR = 24
"""Marks of a bar; with more trials than that a mark stands for several."""

WIDE = 110
"""Columns from which a line of the table has room for its bar."""

AROUND = 2
"""Events shown before and after the one that shows a fault: enough to see what it belonged to."""

FAULTS_SHOWN = 25
"""Distinct faults that are laid out whole; a server with more is broken in ways that the first ones show."""


def run_report(result: RunResult, *, look: Look, recording: str = "", notes: bool = False) -> str:
    """Return the whole report; `recording` is the path that is shown, `notes` shows findings of level NOTE too."""
    return render(*_parts(result, recording, notes=notes, wide=look.width >= WIDE), look=look)


def _parts(result: RunResult, recording: str, *, notes: bool, wide: bool) -> Iterator[RenderableType]:
    """Yield the parts in their order."""
    yield from _head(result)
    yield _cases(result, wide=wide)
    shown = [fault for fault in result.faults if notes or fault.level is not Level.NOTE]
    hidden = len(result.faults) - len(shown)
    repeated: dict[str, int] = {}
    timelines: dict[str, list[Row]] = {}
    for number, fault in enumerate(shown[:FAULTS_SHOWN], start=1):
        yield Text("")
        yield from _fault(number, fault, result, repeated, timelines)
    if len(shown) > FAULTS_SHOWN:
        yield Text(f"\n{len(shown) - FAULTS_SHOWN} more distinct faults are in the recording and in --json", "dim")
    yield from _errors(result)
    for name, problem in result.crashed.items():
        yield Text(f"\nrule {name} crashed: {one_line(problem, 300)}; this is a bug in toolwire", "fail")
    yield Text("")
    if hidden:
        what = "1 legal oddity is" if hidden == 1 else f"{hidden} legal oddities are"
        yield Text(f"{what} not shown; --notes shows what they are", "dim")
    yield from _foot(result, recording)


def _head(result: RunResult) -> Iterator[Text]:
    """Yield target, engine and plan."""
    header = result.header
    target, settings, suite = header.target, header.settings, header.suite
    label = f"{header.label}: " if header.label else ""
    yield Text.assemble(("toolwire ", "rule"), f"{one_line(label)}{one_line(target.url)}")
    engine = " ".join(part for part in (target.engine, target.engine_version) if part)
    known = f"engine {engine}" if engine else f"server {target.server}" if target.server else "engine not recognised"
    yield Text(f"  model {one_line(target.model)}; {one_line(known)}", "dim")
    thinking = "on" if settings.thinking else "off"
    choices = ", ".join(settings.tool_choices)
    yield Text(
        f"  suite {one_line(suite.name, 60)}: {_several(len(suite.cases), 'case')}, tool_choice {choices},"
        f" thinking {thinking}, {_several(settings.repeat, 'repeat')} = {_several(result.planned, 'request')}",
        "dim",
    )
    for field in result.dropped:
        yield Text(
            f"  the server refused the field {field.name} ({field.status}: {one_line(field.said, 120)}),"
            " so the plan went on without it",
            "warn",
        )
    yield Text("")


def _cases(result: RunResult, *, wide: bool) -> Table:
    """Return a line for each case with its counts, and as a bar where there is room for one."""
    seen = [verdict for verdict in Verdict if result.counts.get(verdict)] or [Verdict.PASS]
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("case", no_wrap=True)
    table.add_column("tool_choice", no_wrap=True)
    for verdict in seen:
        table.add_column(str(verdict), justify="right", no_wrap=True)
    if wide:
        table.add_column("", no_wrap=True)
    table.add_column("")
    most = max((case.planned for case in result.cases), default=0)
    for case in result.cases:
        cells: list[Text] = []
        for verdict in seen:
            count = case.counts.get(verdict, 0)
            cells.append(Text(str(count), VERDICT_STYLES[verdict]) if count else Text("·", "dim"))
        if wide:
            cells.append(_bar(case.counts, most))
        warned = sum(trial.judgement.verdict_class == "WARN" for trial in case.trials)
        missing = case.planned - len(case.trials)
        remarks = [f"{warned} with a warning"] * bool(warned) + [f"{missing} not executed"] * bool(missing)
        table.add_row(one_line(case.name, 40), one_line(case.tool_choice, 24), *cells, Text("; ".join(remarks), "warn"))
    totals = [Text(str(result.counts.get(verdict, 0)), VERDICT_STYLES[verdict]) for verdict in seen]
    totals += [Text("")] * wide
    table.add_row(Text("all", "rule"), "", *totals, "", end_section=True)
    return table


def _bar(counts: Mapping[Verdict, int], most: int) -> Text:
    """Return a case's counts as a bar on a scale that all cases share; a verdict that came is never without a mark."""
    unit = max(most / LONGEST_BAR, 1)
    bar = Text()
    for verdict, style in VERDICT_STYLES.items():
        count = counts.get(verdict, 0)
        if count:
            bar.append(BAR[style] * max(round(count / unit), 1), style)
    return bar


def _several(count: int, noun: str) -> str:
    """Return `1 case`, `2 cases`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def rate_words(rate: Rate) -> str:
    """Return `3 of 30 (10.0 %, 95 % interval 2.1 % to 26.5 %)`."""
    if rate.share is None:
        return "0 of 0"
    return f"{rate.k} of {rate.n} ({percent(rate.share)}, 95 % interval {percent(rate.low)} to {percent(rate.high)})"


def _fault(
    number: int, fault: DistinctFault, result: RunResult, repeated: dict[str, int], timelines: dict[str, list[Row]]
) -> Iterator[RenderableType]:
    """Yield one distinct fault: what, how often, expected and come, where, how to repeat it, what it means.

    `repeated` holds the trials whose request was printed, with the number of the fault that printed it; `timelines`
    those that were read, since the same trial is the example of many faults and may have a hundred thousand events.
    """
    head = Text()
    head.append(f"{fault.level} ", LEVELS[fault.level])
    head.append(f"{fault.rule} ", "rule")
    head.append(f"{fault.code}{' (preview)' if fault.preview else ''}  ", "dim")
    head.append(f"{rate_words(fault.rate)}")
    yield Hanging(Text(f"{f'{number}.':<2} "), head)
    finding = fault.finding
    verdict = fault.example.judgement
    if fault.level is Level.MUST:
        kind = f" {verdict.kind}" if verdict.kind else ""
        sure = f", {verdict.certainty}" if verdict.certainty else ""
        dialect = f", dialect {', '.join(fault.dialect)}" if fault.dialect else ""
        yield _labelled("", f"{verdict.verdict}{kind}{sure}{dialect}", "fail")
    yield _labelled("", one_line(finding.message, 400))
    if finding.expected:
        yield _labelled("expected", one_line(finding.expected, 300))
    if finding.actual:
        yield _labelled("came", one_line(finding.actual, 300))
    yield _labelled("", f"{one_line(fault.example.id)}, {place(finding.at)}", "dim")
    if fault.example.id not in timelines:
        timelines[fault.example.id] = rows(Evidence(fault.exchange), fault.example.judgement.findings)
    yield from _excerpt(fault, timelines[fault.example.id])
    printed = repeated.setdefault(fault.example.id, number)
    if printed == number:
        url = f"{result.header.target.url}/chat/completions"
        settings = result.header.settings
        line = curl(url, fault.exchange.request, headers=settings.headers, key=bool(settings.key_variable))
        yield Text(f"   repeat    {line}", "dim", no_wrap=True)
    else:
        yield _labelled("repeat", f"as fault {printed}", "dim")
    meaning = section(fault.rule, "Why it matters")
    if meaning:
        yield _labelled("meaning", meaning)
    fix = section(fault.rule, "How to fix")
    if fix:
        yield _labelled("to fix", f"{fix} (`toolwire explain {fault.rule}`)")


def _labelled(label: str, text: str, style: str = "") -> Hanging:
    """Return a part of a fault; one without a label begins where labels do."""
    return Hanging(Text(f"   {label:<9} " if label else "   "), Text(text, style))


def _excerpt(fault: DistinctFault, timeline: list[Row]) -> Iterator[Hanging]:
    """Yield the wire around the place of a fault, by event and time."""
    spot = next((place for place, row in enumerate(timeline) if _holds(row, fault)), len(timeline) - 1)
    for row in timeline[max(0, spot - AROUND) : spot + AROUND + 1]:
        mark = ">" if _holds(row, fault) else " "
        label = Text(f"   {mark} {row.time:>9} {row.number:<8} ", "dim")
        yield Hanging(label, Text(one_line(row.text, 200), "" if mark == ">" else "dim"))


def _holds(row: Row, fault: DistinctFault) -> bool:
    """Whether a row shows the fault."""
    return any(finding.rule == fault.rule for finding in row.findings)


def _errors(result: RunResult) -> Iterator[RenderableType]:
    """Yield what stopped trials that have no answer, each reason once."""
    reasons: dict[str, int] = {}
    for trial in result.trials:
        if trial.judgement.verdict is Verdict.ERROR and trial.error:
            reasons[trial.error] = reasons.get(trial.error, 0) + 1
    for reason, count in sorted(reasons.items(), key=lambda entry: -entry[1])[:5]:
        yield Text("")
        yield Hanging(Text(f"{count} without an answer: ", "fail"), Text(one_line(reason, 300), "fail"))


def _foot(result: RunResult, recording: str) -> Iterator[RenderableType]:
    """Yield the answer, the old script's counts, the recording and the exit code."""
    ok = result.exit.code == 0
    if result.ended != "complete":
        why = f": {result.stopped}" if result.stopped else ""
        yield Text(
            f"{result.ended}{one_line(why)}; {len(result.trials)} of {result.planned} trials were executed", "warn"
        )
    yield Hanging(Text("answer     ", "dim"), Text(f"{one_line(result.answer, 600)}.", "pass" if ok else "fail"))
    old = ", ".join(f"{verdict} {count}" for verdict, count in result.seed_counts.items())
    yield Text(f"by the rules of the old script: {old}; oracles: {', '.join(result.oracles) or 'none'}", "dim")
    if recording:
        yield Text.assemble(("recording  ", "dim"), (one_line(recording, 4096), "path"), no_wrap=True)
    yield Hanging(Text(f"exit {result.exit.code}     ", "dim"), Text(one_line(result.exit.why, 600), "dim"))


_PAGES = {rule.name: rule.doc for rule in RULES}


def section(rule: str, heading: str) -> str:
    """Return one section of a rule's page as one paragraph; empty where there is none."""
    lines = _PAGES.get(rule, "").splitlines()
    if heading not in lines:
        return ""
    found: list[str] = []
    for line in lines[lines.index(heading) + 1 :]:
        if line and not line.startswith(" "):
            break
        found.append(line.strip())
    return " ".join(filter(None, found))
