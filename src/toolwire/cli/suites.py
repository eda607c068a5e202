"""`toolwire suites`: which suites of cases there are, and what one asks."""

from __future__ import annotations

import json

import click
from rich.table import Table

from toolwire.cli.options import GroupedCommand, grouped, look, say
from toolwire.report.console import render
from toolwire.report.text import one_line
from toolwire.suite import Suite, builtin_suite, builtin_suite_text, builtin_suites

__all__ = ["command"]


@click.command("suites", cls=GroupedCommand)
@click.argument("names", nargs=-1, metavar="[[show] SUITE]")
@grouped("Output", "--toml", is_flag=True, help="Print the suite's own TOML: the start of one of yours.")
@grouped("Output", "--json", "as_json", is_flag=True, help="Print JSON.")
def command(names: tuple[str, ...], toml: bool, as_json: bool) -> None:
    """List the suites; with SUITE, list its cases.

    A suite of your own is a TOML file of the same form: toolwire probe URL --suite FILE.
    """
    words = names[1:] if names[:1] == ("show",) else names
    if len(words) > 1 or (names and not words):
        message = "name one suite" if words else "show needs the name of a suite"
        raise click.UsageError(message)
    name = words[0] if words else None
    if toml:
        if name is None:
            message = "--toml needs the name of a suite"
            raise click.UsageError(message)
        say(builtin_suite_text(name))
        return
    if name is None:
        suites = [builtin_suite(one) for one in builtin_suites()]
        if as_json:
            say(json.dumps([describe(suite) for suite in suites], indent=1))
            return
        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading in ("suite", "cases", "requests", "what it asks"):
            table.add_column(heading)
        for suite in suites:
            requests = sum(len(case.tool_choices or suite.tool_choices) for case in suite.cases) * suite.repeat
            table.add_row(suite.name, str(len(suite.cases)), str(requests), suite.description)
        say(render(table, look=look()))
        return
    suite = builtin_suite(name)
    if as_json:
        say(json.dumps(describe(suite), indent=1))
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("case", "what it asks", "last message"):
        table.add_column(heading)
    for case in suite.cases:
        table.add_row(case.name, case.description, one_line(str(case.messages[-1].get("content")), 60))
    say(f"{suite.name}: {suite.description}")
    say(render(table, look=look()))


def describe(suite: Suite) -> dict[str, object]:
    """Return a suite as plain data."""
    return {
        "name": suite.name,
        "description": suite.description,
        "tool_choice": list(suite.tool_choices),
        "repeat": suite.repeat,
        "parameters": suite.parameters,
        "tools": suite.tools,
        "cases": [
            {
                "name": case.name,
                "description": case.description,
                "messages": case.messages,
                "tool_choice": list(case.tool_choices),
                "parameters": case.parameters,
            }
            for case in suite.cases
        ],
    }
