"""Options in groups: Target, Selection, Judging, Output. click knows no groups, so this is all there is of them."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from toolwire.errors import ToolwireError
from toolwire.report.console import Look

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["GroupedCommand", "OutputError", "ReaderGoneError", "given", "grouped", "look", "say"]

F = TypeVar("F", bound="Callable[..., object]")

WIDEST = 120
"""Columns beyond which lines are no easier to read."""


class GroupedOption(click.Option):
    """An option that knows the group that it is shown in."""

    def __init__(self, *args: Any, group: str = "Options", **kwargs: Any) -> None:  # noqa: ANN401 - click's own signature
        """Keep the group."""
        super().__init__(*args, **kwargs)
        self.group = group

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Read the variable that is named after the option as the user writes it, not after a name of ours."""
        return os.environ.get(variable_of(self, ctx)) or None

    def value_from_envvar(self, ctx: click.Context) -> str | tuple[str, ...] | None:
        """Read the variable; an option that may be given several times has a value on each line."""
        value = self.resolve_envvar_value(ctx)
        if value is None or not self.multiple:
            return value
        return tuple(line.strip() for line in value.splitlines() if line.strip())


class GroupedCommand(click.Command):
    """A command whose help lists its options by group."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section for each group, in the order of their first option."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "group", "Help"), []).append(record)
        for name, records in groups.items():
            with formatter.section(name):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say how an option is set by a variable, with the longest of them as the example."""
        super().format_epilog(ctx, formatter)
        options = [one for one in self.get_params(ctx) if isinstance(one, GroupedOption) and not one.is_flag]
        if options:
            example = max(options, key=lambda one: len(flag_of(one)))
            formatter.write_paragraph()
            formatter.write_text(
                f"Each option may be set by a variable: {flag_of(example)} by {variable_of(example, ctx)}."
                " What may be given several times has a value on each line of it."
            )


def flag_of(option: click.Option) -> str:
    """Return the longest way to write an option."""
    return max(option.opts, key=len)


def variable_of(option: click.Option, ctx: click.Context) -> str:
    """Return the variable that sets an option: `TOOLWIRE_PROBE_MAX_TOKENS` for `--max-tokens` of `probe`."""
    prefix = ctx.auto_envvar_prefix or f"TOOLWIRE_{(ctx.info_name or '').upper()}"
    return f"{prefix}_{flag_of(option).lstrip('-').replace('-', '_').upper()}"


def grouped(group: str, *declarations: str, **settings: Any) -> Callable[[F], F]:  # noqa: ANN401 - click's own signature
    """Declare an option that is shown under `group`."""
    return click.option(*declarations, cls=GroupedOption, group=group, **settings)


def given(ctx: click.Context, *names: str) -> list[str]:
    """Return the options, as they are written, that the user gave on the command line; `names` are the parameters'."""
    chosen = {one.name: one for one in ctx.command.params if isinstance(one, click.Option)}
    return [flag_of(chosen[name]) for name in names if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]


def look() -> Look:
    """Find out how stdout wants its text: plain when piped or under NO_COLOR, as wide as the window."""
    terminal = sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    if os.environ.get("FORCE_COLOR") and not os.environ.get("NO_COLOR"):
        colour = True
    columns = shutil.get_terminal_size((100, 24)).columns
    return Look(width=min(columns, WIDEST), colour=colour)


class ReaderGoneError(Exception):
    """Whoever read our stdout has gone."""


class OutputError(ToolwireError):
    """What was found cannot be written to stdout."""


def say(text: str) -> None:
    """Print a report to stdout as it stands. Raises `ReaderGoneError` where nobody reads, else `OutputError`."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.encode(encoding, "replace").decode(encoding)
    try:
        click.echo(text, nl=not text.endswith("\n"), color=True)
    except BrokenPipeError:
        # click would exit with 1 by itself, which is to say that a server fails
        raise ReaderGoneError from None
    except OSError as problem:
        why = (problem.strerror or str(problem)).lower()
        raise OutputError(f"the report cannot be written ({why})", "the recording, if there is one, is whole") from None
