"""Options in groups: Target, Selection, Judging, Output. click knows no groups, so this is all there is of them."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toolwire.report.console import Look

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["GroupedCommand", "grouped", "look", "say"]

F = TypeVar("F", bound="Callable[..., object]")

WIDEST = 120
"""Columns beyond which lines are no easier to read."""


class GroupedOption(click.Option):
    """An option that knows the group that it is shown in."""

    def __init__(self, *args: Any, group: str = "Options", **kwargs: Any) -> None:  # noqa: ANN401 - click's own signature
        """Keep the group."""
        super().__init__(*args, **kwargs)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help lists its options by group."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section for each group, in the order of their first option."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                groups.setdefault(getattr(parameter, "group", "Help"), []).append(record)
        for name, records in groups.items():
            with formatter.section(name):
                formatter.write_dl(records)


def grouped(group: str, *declarations: str, **settings: Any) -> Callable[[F], F]:  # noqa: ANN401 - click's own signature
    """Declare an option that is shown under `group`."""
    return click.option(*declarations, cls=GroupedOption, group=group, **settings)


def look() -> Look:
    """Find out how stdout wants its text: plain when piped or under NO_COLOR, as wide as the window."""
    terminal = sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    if os.environ.get("FORCE_COLOR") and not os.environ.get("NO_COLOR"):
        colour = True
    columns = shutil.get_terminal_size((100, 24)).columns
    return Look(width=min(columns, WIDEST), colour=colour)


def say(text: str) -> None:
    """Print a report to stdout as it stands."""
    click.echo(text, nl=not text.endswith("\n"), color=True)
