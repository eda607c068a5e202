"""One judgement for a person: the verdict in a line, then each finding with its place on the wire."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from toolwire.judge import EVERY_RULE, Judgement, VerdictClass
from toolwire.report.text import duration, one_line
from toolwire.report.timeline import rows
from toolwire.rule import Level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from toolwire.evidence import Evidence, Location
    from toolwire.rule import Finding

__all__ = ["STYLES", "findings_of", "headline", "one_finding", "place", "timeline_of", "verdict_words"]

STYLES = {
    VerdictClass.PASS: "pass",
    VerdictClass.WARN: "warn",
    VerdictClass.FAIL: "fail",
    VerdictClass.INCONCLUSIVE: "inconclusive",
}
LEVELS = {Level.MUST: "fail", Level.SHOULD: "warn", Level.NOTE: "dim"}


def verdict_words(judgement: Judgement) -> str:
    """Return verdict, kind and certainty: `DROP leaked (proven)`."""
    kind = f" {judgement.kind}" if judgement.kind else ""
    sure = f" ({judgement.certainty})" if judgement.certainty else ""
    return f"{judgement.verdict}{kind}{sure}"


def headline(judgement: Judgement) -> Text:
    """Return the line that says what one exchange came to."""
    line = Text()
    line.append(f"{judgement.verdict_class:<12} ", STYLES[judgement.verdict_class])
    line.append(f"{verdict_words(judgement)}  ")
    line.append(one_line(judgement.id, 80), "dim")
    return line


def findings_of(judgement: Judgement, *, notes: bool) -> Iterator[RenderableType]:
    """Yield the findings of one exchange; those of level NOTE only where `notes` is set."""
    for finding in judgement.findings:
        if finding.level is not Level.NOTE or notes:
            yield Padding(one_finding(finding), (0, 0, 0, 2))
    if EVERY_RULE in judgement.not_applicable:
        yield Padding(Text(judgement.not_applicable[EVERY_RULE]), (0, 0, 0, 2))
    for name, problem in judgement.crashed.items():
        yield Padding(Text(f"rule {name} crashed: {problem}; this is a bug in toolwire", "fail"), (0, 0, 0, 2))
    if judgement.calls:
        for call in judgement.calls:
            arguments = json.dumps(call.arguments, ensure_ascii=False)
            yield Padding(Text(f"call {one_line(call.name, 60)}({one_line(arguments, 100)})", "dim"), (0, 0, 0, 2))


def one_finding(finding: Finding) -> Text:
    """Return a finding: level, rule, message, what was expected and came, and where."""
    text = Text()
    text.append(f"{finding.level:<6} ", LEVELS[finding.level])
    text.append(f"{finding.rule} ", "rule")
    text.append(f"{finding.code}{' (preview)' if finding.preview else ''}  ", "dim")
    text.append(one_line(finding.message, 300))
    if finding.expected:
        text.append(f"\n       expected  {one_line(finding.expected, 200)}")
    if finding.actual:
        text.append(f"\n       came      {one_line(finding.actual, 200)}")
    text.append(f"\n       {place(finding.at):<9} ", "dim")
    text.append(one_line(finding.at.excerpt, 200), "dim")
    return text


def place(at: Location) -> str:
    """Return where something stands: event, time, bytes."""
    event = "at the end" if at.event is None else f"event {at.event}"
    time = "" if at.at is None else f", {duration(at.at)}"
    return f"{event}{time}, bytes {at.start}–{at.end} "


def timeline_of(evidence: Evidence, judgement: Judgement) -> Text:
    """Return the exchange as a timeline, with the findings beside their events."""
    text = Text()
    for row in rows(evidence, judgement.findings):
        time = "" if row.at is None else f"{row.at * 1000:.0f} ms"
        number = "" if row.event is None else f"#{row.event}" if row.event == row.last else f"#{row.event}–{row.last}"
        text.append(f"{time:>10}  {number:<9} ", "dim")
        text.append(f"{row.lane:<9} ", "path")
        text.append(f"{row.text}\n")
        for finding in row.findings:
            text.append(f"{'':>10}  {'':<9} ^ ", "dim")
            text.append(f"{finding.level} {finding.rule}", LEVELS[finding.level])
            text.append(f"  {one_line(finding.message, 200)}\n")
    text.rstrip()
    return text
