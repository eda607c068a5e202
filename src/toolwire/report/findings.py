"""One judgement for a person: the verdict in a line, then each finding with its place on the wire."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from toolwire.judge import EVERY_RULE, Judgement, VerdictClass
from toolwire.report.console import Hanging
from toolwire.report.text import duration, one_line
from toolwire.report.timeline import rows
from toolwire.report.wire import marked
from toolwire.rule import Level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from toolwire.evidence import Evidence, Location
    from toolwire.rule import Finding

__all__ = ["STYLES", "findings_of", "headline", "one_finding", "place", "timeline_of", "verdict_words", "wire_of"]

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
        yield Padding(
            Text(f"rule {name} crashed: {one_line(problem, 300)}; this is a bug in toolwire", "fail"), (0, 0, 0, 2)
        )
    if judgement.calls:
        for call in judgement.calls:
            arguments = json.dumps(call.arguments, ensure_ascii=False)
            yield Padding(Text(f"call {one_line(call.name, 60)}({one_line(arguments, 100)})", "dim"), (0, 0, 0, 2))


def one_finding(finding: Finding) -> Group:
    """Return a finding: level, rule, message, what was expected and came, and where."""
    head = Text()
    head.append(f"{finding.level:<6} ", LEVELS[finding.level])
    message = Text()
    message.append(f"{finding.rule} ", "rule")
    message.append(f"{finding.code}{' (preview)' if finding.preview else ''}  ", "dim")
    message.append(one_line(finding.message, 300))
    lines = [Hanging(head, message)]
    if finding.expected:
        lines.append(Hanging(Text("       expected  "), Text(one_line(finding.expected, 200))))
    if finding.actual:
        lines.append(Hanging(Text("       came      "), Text(one_line(finding.actual, 200))))
    where = Text(f"{place(finding.at)}  {one_line(finding.at.excerpt, 200)}".rstrip(), "dim")
    lines.append(Hanging(Text("       "), where))
    return Group(*lines)


def place(at: Location) -> str:
    """Return where something stands: event, time, bytes; only what there is."""
    parts = ["no event" if at.event is None else f"event {at.event}"]
    if at.at is not None:
        parts.append(duration(at.at))
    if at.end > at.start:
        parts.append(f"bytes {at.start}–{at.end}")
    elif at.start:
        parts.append(f"at byte {at.start}")
    return ", ".join(parts)


def timeline_of(evidence: Evidence, judgement: Judgement) -> Group:
    """Return the exchange as a timeline, with the findings beside their events and their bytes marked."""
    lines: list[RenderableType] = []
    for row in rows(evidence, judgement.findings):
        label = Text(f"{row.time:>10}  {row.number:<9} ", "dim")
        label.append(f"{row.lane:<9} ", "path")
        lines.append(Hanging(label, Text(row.text)))
        for finding in row.findings:
            told = Text(f"{finding.level} {finding.rule}", LEVELS[finding.level])
            told.append(f"  {one_line(finding.message, 200)}", "")
            lines.append(Hanging(Text(f"{'':>10}  {'':<9} ^ ", "dim"), told))
            lines += wire_of(evidence, finding)
    return Group(*lines)


def wire_of(evidence: Evidence, finding: Finding) -> list[Text]:
    """Return the finding's bytes within the body, underlined by carets; nothing where it has no place there."""
    at = finding.at
    if not evidence.body.size or not at.end:
        return []
    shown = marked(evidence.body.data, at.start, at.end)
    margin = f"{'':>10}  {'':<9}   "
    line = Text(margin, no_wrap=True)
    line.append(shown.before, "dim")
    line.append(shown.hit, LEVELS[finding.level])
    line.append(shown.after, "dim")
    carets = Text(margin + " " * cell_len(shown.before), no_wrap=True)
    carets.append("^" * max(cell_len(shown.hit), 1), LEVELS[finding.level])
    carets.append(f" bytes {at.start}–{at.end}" if at.end > at.start else f" at byte {at.start}", "dim")
    return [line, carets]
