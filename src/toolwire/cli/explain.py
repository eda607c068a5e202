"""`toolwire explain`: one rule, its page and a failing example drawn as a timeline."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import click
from rich.text import Text

from toolwire.cli.options import GroupedCommand, look, say
from toolwire.cli.rules import select
from toolwire.evidence import Evidence
from toolwire.exchange import Exchange, decode_exchange
from toolwire.judge import judge
from toolwire.report.console import render
from toolwire.report.findings import headline, timeline_of
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from rich.console import RenderableType

    from toolwire.rule import Rule

__all__ = ["command"]


@click.command("explain", cls=GroupedCommand)
@click.argument("name", metavar="RULE")
def command(name: str) -> None:
    """Explain RULE (its name, its code, or a pattern that matches some)."""
    for place, rule in enumerate(select((name,))):
        if place:
            say("")
        say(render(*page(rule), look=look()))


def page(rule: Rule) -> list[RenderableType]:
    """Return the page of a rule, then its first failing example as a timeline."""
    title = Text(f"{rule.name}  {rule.code}  {rule.level}", "rule")
    basis = f"{rule.basis}; rule book {', '.join(rule.rulebook)}" if rule.rulebook else rule.basis
    parts: list[RenderableType] = [title, Text(f"{basis}; since {rule.since}\n", "dim"), Text(rule.doc.strip() + "\n")]
    if rule.clients:
        lines = [f"    {one.client} breaks {one.how}: {one.what} ({one.source})" for one in rule.clients]
        parts.append(Text("Clients, with sources\n" + "\n".join(lines) + "\n"))
    example = first_failure(rule)
    if example is not None:
        judgement = judge(example, RULES)
        parts += [Text("A failing example\n"), headline(judgement), timeline_of(Evidence(example), judgement)]
    return parts


def first_failure(rule: Rule) -> Exchange | None:
    """Return the shortest failing example of a rule: the one that shows least beside the fault."""
    folder = files("toolwire.rules") / "examples" / rule.name
    if not folder.is_dir():
        return None
    found = [file for file in folder.iterdir() if file.name.startswith("fail") and file.name.endswith(".jsonl")]
    lines = [(file.read_bytes().splitlines()[0], file.name) for file in found]
    if not lines:
        return None
    line, name = min(lines, key=lambda one: (len(one[0]), one[1]))
    return decode_exchange(line, file=name, number=1)
