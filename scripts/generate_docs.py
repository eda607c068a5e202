"""Make every page that can be made: rules, faults, dialects, exit codes, command line, and the README's output.

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
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolwire.cli import COMMANDS, toolwire
from toolwire.cli.exits import MEANINGS
from toolwire.markup import families
from toolwire.rules.catalogue import RULES
from toolwire.simulator.faults import FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.rule import Rule

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
NOTICE = "<!-- Made by scripts/generate_docs.py; change its source, then run `make docs`. -->\n\n"
OUTPUT = re.compile(
    r"(<!-- output of: (?P<command>[^>]+?) -->\n```text\n)(?P<output>.*?)(```\n<!-- end of output -->)", re.DOTALL
)

SCRUB = (
    (re.compile(r"\d+(\.\d+)? ?(ms|s)\b"), "T"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"recording\s+\S+"), "recording PATH"),
    (re.compile(r"[ \t]+"), " "),
)
"""What differs from run to run in an output that is the same."""


def main() -> None:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    pages = dict(all_pages())
    stale = [path for path, text in pages.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    orphans = [path for path in (REFERENCE / "rules").glob("*.md") if path not in pages]
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    fresh = OUTPUT.sub(renew, text)
    if scrub(fresh) != scrub(text):
        stale.append(readme)
    if check:
        for path in [*stale, *orphans]:
            print(f"stale: {path.relative_to(ROOT)}")
        if stale or orphans:
            sys.exit("run `make docs` and look at what changed")
        print(f"{len(pages)} generated pages and the README's output are fresh")
        return
    for path in stale:
        if path == readme:
            readme.write_text(fresh, encoding="utf-8")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pages[path], encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    for path in orphans:
        path.unlink()
        print(f"removed {path.relative_to(ROOT)}")


def all_pages() -> Iterator[tuple[Path, str]]:
    """Yield each generated page with its text."""
    yield REFERENCE / "rules.md", rules_page()
    for rule in RULES:
        yield REFERENCE / "rules" / f"{rule.name}.md", rule_page(rule)
    yield REFERENCE / "faults.md", faults_page()
    yield REFERENCE / "dialects.md", dialects_page()
    yield REFERENCE / "exit-codes.md", exits_page()
    yield REFERENCE / "cli.md", cli_page()


def rules_page() -> str:
    """Return the table of all rules."""
    lines = [NOTICE + "# Rules\n", f"{len(RULES)} rules; `toolwire explain RULE` shows one at the terminal.\n"]
    lines += ["| code | rule | level | basis | rule book | what it asks |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {rule.code} | [{rule.name}](rules/{rule.name}.md) | {rule.level} | {rule.basis} "
        f"| {' '.join(rule.rulebook)} | {cell(rule.summary)} |"
        for rule in RULES
    ]
    return "\n".join(lines) + "\n"


def rule_page(rule: Rule) -> str:
    """Return the page of one rule."""
    title, *body = rule.doc.strip().splitlines()
    lines = [NOTICE + f"# {rule.name}\n", title + "\n"]
    facts = {
        "code": rule.code,
        "level": rule.level,
        "effect": rule.effect,
        "basis": rule.basis,
        "source": rule.source,
        "rule book": " ".join(rule.rulebook),
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
            lines.append(line.removeprefix("    "))
    if rule.clients:
        lines += ["", "## Clients", "", "| client | breaks | what happens | source |", "|---|---|---|---|"]
        lines += [f"| {one.client} | {one.how} | {cell(one.what)} | {cell(one.source)} |" for one in rule.clients]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def faults_page() -> str:
    """Return the faults of the simulator, and which rules each trips; the tests hold this exactly."""
    lines = [NOTICE + "# Faults of the simulator\n"]
    lines.append("`toolwire serve` plays each under `http://127.0.0.1:PORT/<fault>/v1`.")
    lines.append(
        "The tests hold the last column exactly: each fault trips these rules of level MUST and SHOULD and no other.\n"
    )
    lines += ["| fault | what it does | rules that it trips |", "|---|---|---|"]
    for fault in FAULTS:
        trips = ", ".join(f"[{name}](rules/{name}.md)" for name in sorted(fault.trips)) or "none"
        lines.append(f"| `{fault.name}` | {cell(fault.summary)} | {trips} |")
    by_rule: dict[str, list[str]] = {rule.name: [] for rule in RULES}
    for fault in FAULTS:
        for name in fault.trips:
            by_rule.setdefault(name, []).append(fault.name)
    lines += ["\n## By rule\n", "| rule | faults that trip it |", "|---|---|"]
    lines += [
        f"| [{name}](rules/{name}.md) | {', '.join(sorted(found)) or 'none'} |" for name, found in by_rule.items()
    ]
    return "\n".join(lines) + "\n"


def dialects_page() -> str:
    """Return the markup families that the scanner knows."""
    lines = [NOTICE + "# Markup families\n", "What a tool call looks like before a server has parsed it.\n"]
    lines += ["| family | models | strong markers |", "|---|---|---|"]
    for family in families():
        markers = " ".join(f"`` {marker} ``" for marker in family.markers.strong[:6])
        lines.append(f"| {family.id} | {cell(', '.join(family.models))} | {cell(markers)} |")
    return "\n".join(lines) + "\n"


def exits_page() -> str:
    """Return the exit codes."""
    lines = [NOTICE + "# Exit codes\n", "| code | meaning |", "|---|---|"]
    lines += [f"| {int(code)} | {meaning} |" for code, meaning in MEANINGS.items()]
    return "\n".join(lines) + "\n"


def cli_page() -> str:
    """Return the help of every command."""
    os.environ["COLUMNS"] = "100"
    parts = [NOTICE + "# Command line\n", f"```text\n{help_of(toolwire, 'toolwire')}\n```\n"]
    group = click.Context(toolwire, info_name="toolwire")
    for name in COMMANDS:
        command = toolwire.get_command(group, name)
        assert command is not None  # noqa: S101 - COMMANDS lists them
        parts.append(f"## {name}\n\n```text\n{help_of(command, name, group)}\n```\n")
    return "\n".join(parts)


def help_of(command: click.Command, name: str, parent: click.Context | None = None) -> str:
    """Return the help text of a command, always equally wide."""
    context = click.Context(command, info_name=name, parent=parent, terminal_width=100, max_content_width=100)
    return command.get_help(context)


def renew(match: re.Match[str]) -> str:
    """Run the command of a README block and put its output in place, unless only times and ports differ."""
    command = match["command"].strip()
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    done = subprocess.run(  # the README's own commands, from our own environment
        [str(Path(sys.executable).parent / word) if word == "toolwire" else word for word in shlex.split(command)],
        capture_output=True, text=True, timeout=120, check=False, cwd=ROOT, env=environment,
    )  # fmt: skip
    output = done.stdout
    if scrub(output) == scrub(match["output"]):
        output = match["output"]
    return f"{match[1]}{output}{match[4]}"


def scrub(text: str) -> str:
    """Remove what differs from run to run."""
    for pattern, placeholder in SCRUB:
        text = pattern.sub(placeholder, text)
    return text


def cell(text: str) -> str:
    """Make text fit for a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    main()
