"""`toolwire judge`: the verdict again, from evidence on disk or on stdin."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from toolwire.cli.exits import Exit
from toolwire.cli.options import GroupedCommand, grouped, look, say
from toolwire.cli.rules import matches, select
from toolwire.errors import NoAnswerError, RecordingError, UsageError
from toolwire.evidence import Evidence
from toolwire.judge import Judgement, Verdict, VerdictClass, judge
from toolwire.markup import families
from toolwire.recording import RecordedTrial
from toolwire.replay import replay
from toolwire.report.console import render
from toolwire.report.document import document, judgement_document
from toolwire.report.findings import findings_of, headline, timeline_of
from toolwire.report.terminal import run_report
from toolwire.report.text import one_line
from toolwire.results import FailOn
from toolwire.rule import Level, Rule
from toolwire.rules.catalogue import RULES
from toolwire.store import Source, SourceKind, open_source, read_text
from toolwire.tally import exit_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from toolwire.exchange import Exchange

__all__ = ["command"]

CHANGES_SHOWN = 3
"""Changed verdicts that are told one by one; the report has them all."""

_LEVELS = [level.value.lower() for level in Level]


@dataclass
class _Sum:
    """What all sources came to."""

    judgements: list[Judgement] = field(default_factory=list)
    exits: list[int] = field(default_factory=list)


@click.command("judge", cls=GroupedCommand)
@click.argument("files", nargs=-1, metavar="FILE...")
@grouped("Selection", "--id", "ids", multiple=True, metavar="PATTERN", help="Only exchanges whose id matches.")
@grouped("Judging", "--request", "request_file", metavar="FILE", help="The request body that a raw capture answers.")
@grouped("Judging", "--rule", "chosen", multiple=True, metavar="PATTERN", help="Only these rules (name or code).")
@grouped("Judging", "--ignore", "ignored", multiple=True, metavar="PATTERN", help="Without these rules.")
@grouped("Judging", "--level", type=click.Choice(_LEVELS), default="note", help="Only rules of this level or worse.")
@grouped(
    "Judging",
    "--fail-on",
    type=click.Choice([one.value for one in FailOn]),
    help="From what on the exit code is 1: must by default, in a recording what the run had.",
)
@grouped(
    "Output", "--json", "as_json", is_flag=True, help="A JSON line for each exchange; for a recording, its document."
)
@grouped("Output", "--notes", is_flag=True, help="Show findings of level NOTE too.")
@grouped("Output", "-v", "--verbose", is_flag=True, help="Show each exchange as a timeline of its events.")
@grouped("Output", "-q", "--quiet", is_flag=True, help="Show only what does not pass.")
@grouped("Output", "--dialects", is_flag=True, help="List the markup families that leaks are recognised by, and exit.")
def command(
    files: tuple[str, ...],
    ids: tuple[str, ...],
    request_file: str | None,
    chosen: tuple[str, ...],
    ignored: tuple[str, ...],
    level: str,
    fail_on: str | None,
    as_json: bool,
    notes: bool,
    verbose: bool,
    quiet: bool,
    dialects: bool,
) -> int:
    """Judge FILEs: exchanges (JSON Lines), a run's recording, or a raw capture (with --request); - is stdin.

    \b
    toolwire judge recording.jsonl
    curl -N … > answer.sse; toolwire judge answer.sse --request body.json
    """  # noqa: D301 - click looks for the character itself
    if dialects:
        list_dialects()
        return Exit.CONFORMS
    if not files:
        message = "name a file of evidence, or - for stdin"
        raise click.UsageError(message)
    rules = rules_for(chosen, ignored, level)
    request = None if request_file is None else read_request(request_file)
    total = _Sum()
    shown = _Shown(
        ids, as_json=as_json, indent=1 if len(files) == 1 else None, notes=notes, verbose=verbose, quiet=quiet
    )
    hits = 0
    for name in files:
        path = None if name == "-" else Path(name)
        with open_source(path, request=request) as source:
            if source.kind is SourceKind.RECORDING and source.header is not None and not verbose and not ids:
                total.exits.append(judge_recording(source, rules, fail_on, shown))
            else:
                hits += judge_exchanges(source, rules, shown, total)
            for note in source.notes:
                click.echo(one_line(f"{source.name}: {note}", 600), err=True)
    if ids and not hits:
        raise NoAnswerError("no exchange has such an id, so nothing was judged", "look at the ids without --id")
    if total.judgements or not total.exits:
        reason = exit_of(total.judgements, FailOn(fail_on or FailOn.MUST))
        total.exits.append(reason.code)
        if not as_json:
            summary = ", ".join(
                f"{verdict} {count}"
                for verdict in Verdict
                if (count := sum(one.verdict is verdict for one in total.judgements))
            )
            say(f"{len(total.judgements)} judged: {summary or 'none'}; exit {reason.code}, {reason.why}")
    return max(total.exits, key=lambda code: _WORST.index(Exit(code)))


_WORST = [Exit.CONFORMS, Exit.NO_ANSWER, Exit.FAILS, Exit.USAGE, Exit.INTERNAL]
"""Of several sources the exit code that matters most: a failure is more than no answer."""


@dataclass
class _Shown:
    """What of each judgement is shown."""

    ids: tuple[str, ...]
    as_json: bool
    indent: int | None
    """Of a run's document; of several sources each document has a line, so that they can be told apart."""
    notes: bool
    verbose: bool
    quiet: bool

    def exchange(self, exchange: Exchange, judgement: Judgement) -> None:
        """Print one exchange."""
        if self.as_json:
            say(json.dumps(judgement_document(judgement)))
            return
        if self.quiet and judgement.verdict_class is VerdictClass.PASS:
            return
        parts: list[RenderableType] = [headline(judgement)]
        if self.verbose:
            parts.append(timeline_of(Evidence(exchange), judgement))
        say(render(*parts, *findings_of(judgement, notes=self.notes), look=look()))


def judge_exchanges(source: Source, rules: list[Rule], shown: _Shown, total: _Sum) -> int:
    """Judge exchanges one after the other, print each as it is judged, and return how many there were."""
    hits = 0
    for record in source:
        if not isinstance(record, RecordedTrial) or not wanted(record.exchange.id, shown.ids):
            continue
        hits += 1
        judgement = judge(record.exchange, rules)
        total.judgements.append(judgement)
        shown.exchange(record.exchange, judgement)
    return hits


def judge_recording(source: Source, rules: list[Rule], fail_on: str | None, shown: _Shown) -> int:
    """Judge a run again, print the same report as when it was made, and return its exit code."""
    if source.header is None:  # the caller has looked
        raise RecordingError("it has no header", file=source.name)
    header = source.header
    if fail_on is not None:
        header = replace(header, settings=replace(header.settings, fail_on=FailOn(fail_on)))
    again = replay(header, source, rules)
    result = again.result()
    if again.changed and len(rules) == len(RULES):
        count = len(again.changed)
        click.echo(
            f"{source.name}: {count} {'verdict is' if count == 1 else 'verdicts are'} not what was recorded,"
            f" because the rules have changed since: {'; '.join(again.changed[:CHANGES_SHOWN])}",
            err=True,
        )
    if shown.as_json:
        say(json.dumps(document(result), indent=shown.indent))
    else:
        say(run_report(result, look=look(), recording=source.name, notes=shown.notes))
    return result.exit.code


def rules_for(chosen: tuple[str, ...], ignored: tuple[str, ...], level: str) -> list[Rule]:
    """Return the rules that are to judge; a pattern that matches none is an error that names the nearest."""
    select(ignored)
    worst = _LEVELS.index(level)
    rules = [
        rule
        for rule in select(chosen)
        if not any(matches(rule, pattern) for pattern in ignored) and _LEVELS.index(rule.level.lower()) <= worst
    ]
    if not rules:
        raise UsageError("no rule is left to judge by", "loosen --rule, --ignore or --level")
    return [rule for rule in RULES if rule in rules]


def wanted(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether an id matches one of the patterns; without any, all do."""
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def read_request(file: str) -> dict[str, object]:
    """Read the body of a request from a file."""
    try:
        value = json.loads(read_text(Path(file)))
    except ValueError as problem:
        raise UsageError(f"{file} is no JSON ({problem})", "give the body that was sent") from problem
    if not isinstance(value, dict):
        raise UsageError(f"{file} holds no JSON object", "give the body that was sent")
    return value


def list_dialects() -> None:
    """Print the markup families."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("family", "models", "markers"):
        table.add_column(heading)
    known = families()
    for family in known:
        table.add_row(family.id, ", ".join(family.models), "  ".join(family.markers.strong[:4]))
    say(render(table, look=look()))
    say(f"{len(known)} families; one is added by one TOML file")
