"""Make every page that can be made: rules, faults, markup families, suites, exit codes, command line, README's output.

    python scripts/generate_docs.py [--check]

`--check` writes nothing and fails, naming them, when pages are stale.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolwire.cli import COMMANDS, toolwire
from toolwire.cli.exits import MEANINGS
from toolwire.cli.explain import first_failure
from toolwire.evidence import Evidence
from toolwire.judge import judge
from toolwire.markup import families
from toolwire.report.console import Look, render
from toolwire.report.findings import headline, timeline_of
from toolwire.rules.catalogue import RULES
from toolwire.rules.retired import RETIRED
from toolwire.simulator.faults import FAULTS
from toolwire.simulator.faults.reach import DEMANDS, NOTES, UNREACHED
from toolwire.suite import builtin_suite, builtin_suites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.rule import Rule

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
README = ROOT / "README.md"
NOTICE = "<!-- Made by scripts/generate_docs.py; change its source, then run `make docs`. -->\n\n"
WIDTH = 100
"""Columns of terminal output in the pages: what a browser shows without a scroll bar."""

OUTPUT = re.compile(
    r'(?P<head><!-- output of: (?P<command>[^>]+?)(?:, from "(?P<start>[^"]+)")? -->\n```text\n)'
    r"(?P<output>.*?)(?P<tail>```\n<!-- end of output -->)",
    re.DOTALL,
)
"""A block of the README that is what a command prints, from the line on that begins with `start`."""

SCRUB = (
    (re.compile(r"(?m)^\d+ legal oddit.*\n"), ""),
    (re.compile(r"(?m)^ +repeat .*$"), "CURL"),
    (re.compile(r"(?m)^[SM]\d +required .*$"), "CASE"),
    (re.compile(r"(?m)^ +>? +\d+ ms .*\n"), ""),
    (re.compile(r"(?m)^ +\S+#\d+, event .*$"), "PLACE"),
    (re.compile(r"(?m)^ +(came|expected) .*$"), "CAME"),
    (re.compile(r"\d+(\.\d+)? ?(ms|s)\b"), "TIME"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"\d+ characters"), "N characters"),
    (re.compile(r"the call `[^`]*`"), "the call"),
    (re.compile(r"\s+"), " "),
)
"""What differs from run to run in an output that is the same: times, ports, and which of the requests chance hit."""


def main() -> None:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when pages are stale")
    check = parser.parse_args().check
    pages = set()
    stale = []
    for path, text in all_pages():
        pages.add(path)
        if path.is_file() and read(path) == text:
            continue
        stale.append(path)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    orphans = [path for path in (REFERENCE / "rules").glob("*.md") if path not in pages]
    for path in () if check else orphans:
        path.unlink()
    for path in [*stale, *orphans]:
        print(f"{'stale' if check else 'renewed'}: {path.relative_to(ROOT)}")
    if check and (stale or orphans):
        sys.exit("run `make docs` and look at what changed")
    print(f"{len(pages)} pages are fresh")


def all_pages() -> Iterator[tuple[Path, str]]:
    """Yield each generated page with its text."""
    yield REFERENCE / "rules.md", rules_page()
    for rule in RULES:
        yield REFERENCE / "rules" / f"{rule.name}.md", rule_page(rule)
    yield REFERENCE / "faults.md", faults_page()
    yield REFERENCE / "markup-families.md", families_page()
    yield REFERENCE / "suites.md", suites_page()
    yield REFERENCE / "exit-codes.md", exits_page()
    yield REFERENCE / "cli.md", cli_page()
    yield README, OUTPUT.sub(renew, read(README))


def rules_page() -> str:
    """Return the table of all rules, group by group."""
    lines = [NOTICE + "# Rules", "", f"{len(RULES)} rules; `toolwire explain RULE` shows one at the terminal."]
    for group, rules in groupby(RULES, key=group_of):
        lines += ["", f"## {group}", "", "| code | rule | level | basis | what it asks |", "|---|---|---|---|---|"]
        lines += [
            f"| {rule.code} | {link(rule.name)} | {rule.level} | {rule.basis} | {cell(rule.summary)} |"
            for rule in rules
        ]
    if RETIRED:
        lines += ["", "## Retired", "", "| code | rule | since | why |", "|---|---|---|---|"]
        lines += [f"| {gone.code} | {gone.name} | {gone.since} | {cell(gone.reason)} |" for gone in RETIRED]
    return "\n".join(lines) + "\n"


def group_of(rule: Rule) -> str:
    """Return the group of a rule: the folder that it lies in."""
    return rule.module.split(".")[-2]


def rule_page(rule: Rule) -> str:
    """Return the page of one rule: its facts, its docstring, its clients, and a failing example as a timeline."""
    title, *body = rule.doc.strip().splitlines()
    lines = [NOTICE + f"# {rule.name}", "", prose(title), ""]
    facts = {
        "code": rule.code,
        "level": rule.level,
        "effect": rule.effect,
        "basis": rule.basis,
        "source": rule.source,
        "rule book": ", ".join(rule.rulebook),
        "needs": ", ".join(rule.needs),
        "protocols": ", ".join(sorted(rule.protocols)),
        "since": rule.since,
        "stability": rule.stability,
    }
    lines += ["| | |", "|---|---|", *(f"| {key} | {cell(value)} |" for key, value in facts.items() if value), ""]
    for line in body:
        if line and not line.startswith(" "):
            lines += [f"## {line}", ""]
        else:
            lines.append(prose(line.removeprefix("    ")))
    if rule.clients:
        lines += ["", "## Clients", "", "| client | breaks | what happens | source |", "|---|---|---|---|"]
        lines += [f"| {one.client} | {one.how} | {cell(one.what)} | {cell(one.source)} |" for one in rule.clients]
    example = first_failure(rule)
    if example is not None:
        judgement = judge(example, RULES)
        drawn = render(headline(judgement), timeline_of(Evidence(example), judgement), look=Look(width=WIDTH))
        lines += ["", "## A failing example", "", "````text", drawn.rstrip("\n"), "````"]
    faults = [fault.name for fault in FAULTS if rule.name in fault.trips]
    named = ", ".join(f"`{name}`" for name in faults)
    ways = UNREACHED.get(rule.name) or "; ".join(filter(None, [named, reached_otherwise(rule.name)]))
    told = "None shows it alone" if rule.name in UNREACHED else "These show it"
    lines += ["", "## [Faults](../faults.md) of the simulator", "", f"{told}: {ways}."]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def faults_page() -> str:
    """Return the faults of the simulator, and which rules each trips; the tests hold this exactly."""
    lines = [NOTICE + "# Faults of the simulator", "", f"{len(FAULTS)} faults."]
    lines.append("`toolwire serve` plays each under `http://127.0.0.1:PORT/FAULT/v1`.")
    lines.append("`FAULT@30` puts it into 30 answers of a hundred.")
    lines.append("The last column is exact, and the tests prove it.")
    lines.append("On a plain request for one call, a fault trips these rules of level MUST and SHOULD, and no other.")
    for group, faults in groupby(FAULTS, key=lambda fault: fault.group):
        lines += [
            "",
            f"## {group}",
            "",
            "| fault | what it does | verdict | rules that it trips |",
            "|---|---|---|---|",
        ]
        for fault in faults:
            trips = ", ".join(map(link, sorted(fault.trips))) or "none"
            lines.append(f"| `{fault.name}` | {cell(fault.summary)} | {fault.verdict} | {trips} |")
    lines += ["", "## By rule", ""]
    lines += ["| rule | faults that trip it | and where more is demanded or known |", "|---|---|---|"]
    for rule in RULES:
        found = ", ".join(f"`{fault.name}`" for fault in FAULTS if rule.name in fault.trips)
        lines.append(f"| {link(rule.name)} | {found} | {cell(reached_otherwise(rule.name))} |")
    return "\n".join(lines) + "\n"


def reached_otherwise(rule: str) -> str:
    """Say how a rule is made to speak where no fault trips it by itself; empty where nothing is to be said."""
    ways = [f"`{one.fault}`, where {one.given}" for one in DEMANDS if one.rule == rule]
    if rule in NOTES:
        ways.append(f"`{NOTES[rule]}`, as a note")
    if rule in UNREACHED:
        ways.append(UNREACHED[rule])
    return "; ".join(ways)


def families_page() -> str:
    """Return the markup families that the scanner knows."""
    known = families()
    lines = [NOTICE + "# Markup families", ""]
    lines.append(f"What a tool call looks like before a server has parsed it: {len(known)} families.")
    lines += ["", "| family | models | engines' parsers | strong markers |", "|---|---|---|---|"]
    for family in known:
        markers = " ".join(code(marker) for marker in family.markers.strong[:6])
        engines = "; ".join(f"{engine}: {', '.join(names)}" for engine, names in family.engines.items() if names)
        lines.append(f"| {family.id} | {cell(', '.join(family.models))} | {cell(engines)} | {markers} |")
    return "\n".join(lines) + "\n"


def suites_page() -> str:
    """Return the suites that come with toolwire."""
    lines = [NOTICE + "# Suites"]
    for name in builtin_suites():
        suite = builtin_suite(name)
        lines += ["", f"## {name}", "", prose(suite.description), ""]
        lines += [f"Tools: {', '.join(map(code, suite.tool_names))}.", "", "| case | what it asks |", "|---|---|"]
        lines += [f"| {case.name} | {cell(case.description)} |" for case in suite.cases]
    return "\n".join(lines) + "\n"


def exits_page() -> str:
    """Return the exit codes."""
    lines = [NOTICE + "# Exit codes", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {int(number)} | {meaning} |" for number, meaning in MEANINGS.items()]
    return "\n".join(lines) + "\n"


def cli_page() -> str:
    """Return the help of every command."""
    parts = [NOTICE + f"# Command line\n\n```text\n{help_of(toolwire, 'toolwire')}\n```\n"]
    group = click.Context(toolwire, info_name="toolwire")
    for name in COMMANDS:
        command = toolwire.get_command(group, name)
        assert command is not None  # noqa: S101 - COMMANDS lists them
        parts.append(f"## {name}\n\n```text\n{help_of(command, name, group)}\n```\n")
    return "\n".join(parts)


def help_of(command: click.Command, name: str, parent: click.Context | None = None) -> str:
    """Return the help text of a command, always equally wide."""
    context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH)
    return command.get_help(context)


def renew(match: re.Match[str]) -> str:
    """Run the command of a README block and put its output in place, unless only times and ports differ."""
    program, *arguments = shlex.split(match["command"])
    if program != "toolwire":
        sys.exit(f"the README shows the output of {program}, which is not ours")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TOOLWIRE_")}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "toolwire", *arguments],
            capture_output=True, text=True, timeout=120, check=False, cwd=folder,
            env={**kept, "NO_COLOR": "1", "COLUMNS": str(WIDTH), "TOOLWIRE_STATE_DIR": folder},
        )  # fmt: skip
    if done.returncode:
        sys.exit(f"{match['command']} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    output = excerpt(done.stdout, match["start"])
    if scrub(output) == scrub(match["output"]):
        output = match["output"]
    return f"{match['head']}{output}{match['tail']}"


def excerpt(text: str, start: str | None) -> str:
    """Return an output from the line on that begins with `start`, its long lines cut."""
    lines = text.splitlines()
    if start is not None:
        place = next((number for number, line in enumerate(lines) if line.startswith(start)), None)
        if place is None:
            sys.exit(f"no line of the output begins with {start!r}:\n{text}")
        lines = lines[place:]
    return "".join(f"{line[: WIDTH - 1]}…\n" if len(line) > WIDTH else f"{line}\n" for line in lines)


def scrub(text: str) -> str:
    """Remove what differs from run to run."""
    for pattern, placeholder in SCRUB:
        text = pattern.sub(placeholder, text)
    return text


def read(path: Path) -> str:
    """Read a page."""
    return path.read_text(encoding="utf-8")


def link(name: str) -> str:
    """Return a link from a page of the reference to the page of a rule."""
    return f"[{name}](rules/{name}.md)"


def prose(text: str) -> str:
    """Make angle brackets outside of code show as what they are."""
    parts = text.split("`")
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)


def cell(text: str) -> str:
    """Make text fit for a cell of a table."""
    return prose(text).replace("|", "\\|").replace("\n", " ")


def code(text: str) -> str:
    """Return text as code in a cell of a table, whatever it holds."""
    shown = text.replace("\n", "\\n").replace("|", "\\|")
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


if __name__ == "__main__":
    main()
