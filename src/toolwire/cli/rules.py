"""`toolwire rules`: which rules there are."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase

import click
from rich.table import Table
from rich.text import Text

from toolwire.cli.options import GroupedCommand, grouped, look, say
from toolwire.errors import UnknownNameError
from toolwire.report.console import render
from toolwire.rule import Basis, Level, Rule
from toolwire.rules.catalogue import RULES

__all__ = ["command"]


@click.command("rules", cls=GroupedCommand)
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@grouped("Selection", "--level", type=click.Choice([level.value for level in Level], case_sensitive=False))
@grouped("Selection", "--basis", type=click.Choice([basis.value for basis in Basis]))
@grouped("Selection", "--protocol", help="Only rules of this protocol, such as chat.")
@grouped("Selection", "--client", help="Only rules whose breach breaks this client, such as openai-python.")
@grouped("Output", "--json", "as_json", is_flag=True, help="Print one JSON array.")
def command(
    patterns: tuple[str, ...],
    level: str | None,
    basis: str | None,
    protocol: str | None,
    client: str | None,
    as_json: bool,
) -> None:
    """List the rules whose name or code matches a PATTERN (`call-*`, `TW3*`); all without one."""
    chosen = [
        rule
        for rule in select(patterns)
        if (level is None or rule.level == level.upper())
        and (basis is None or rule.basis == basis)
        and (protocol is None or protocol in rule.protocols)
        and (client is None or any(client.lower() in effect.client.lower() for effect in rule.clients))
    ]
    if client is not None and not chosen:
        names = {effect.client for rule in RULES for effect in rule.clients}
        raise UnknownNameError("client", client, names)
    if protocol is not None and not chosen:
        raise UnknownNameError("protocol", protocol, {name for rule in RULES for name in rule.protocols})
    if as_json:
        say(json.dumps([describe(rule) for rule in chosen], indent=1))
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("code", "rule", "level", "rule book", "what it asks"):
        table.add_column(heading, no_wrap=heading in ("code", "rule", "level"))
    styles = {Level.MUST: "fail", Level.SHOULD: "warn", Level.NOTE: "dim"}
    for rule in chosen:
        table.add_row(rule.code, rule.name, Text(rule.level, styles[rule.level]), " ".join(rule.rulebook), rule.summary)
    say(render(table, look=look()))
    say(f"{len(chosen)} of {len(RULES)} rules; `toolwire explain RULE` shows one")


def select(patterns: tuple[str, ...]) -> list[Rule]:
    """Return the rules that match any pattern; a pattern that matches none is an error."""
    if not patterns:
        return list(RULES)
    chosen: list[Rule] = []
    for pattern in patterns:
        hits = [rule for rule in RULES if matches(rule, pattern)]
        if not hits:
            raise UnknownNameError("rule", pattern, {rule.name for rule in RULES})
        chosen += [rule for rule in hits if rule not in chosen]
    return chosen


def matches(rule: Rule, pattern: str) -> bool:
    """Whether a rule's name or code matches a shell pattern, whatever the case."""
    folded = pattern.lower()
    return fnmatchcase(rule.name, folded) or fnmatchcase(rule.code.lower(), folded)


def describe(rule: Rule) -> dict[str, object]:
    """Return a rule as plain data."""
    return {
        "name": rule.name,
        "code": rule.code,
        "level": rule.level,
        "basis": rule.basis,
        "effect": rule.effect,
        "stability": rule.stability,
        "since": rule.since,
        "rulebook": list(rule.rulebook),
        "source": rule.source,
        "protocols": sorted(rule.protocols),
        "needs": list(rule.needs),
        "clients": [
            {"client": effect.client, "how": effect.how, "what": effect.what, "source": effect.source}
            for effect in rule.clients
        ],
        "summary": rule.summary,
    }
