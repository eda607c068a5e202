"""Progress of a run on stderr: one line that is rewritten at a terminal, a few lines elsewhere."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import click

from toolwire.report.text import clip, duration, one_line
from toolwire.results import DroppedField, RunStarted, TrialFinished, TrialStarted

if TYPE_CHECKING:
    from toolwire.results import Progress, RunEvent

__all__ = ["ProgressLine"]

SECONDS = 10.0
"""Time between the lines that a long run prints where stderr is no terminal: enough to see that it goes on."""


class ProgressLine:
    """Shows run events; call it with each, and `clear` before anything else is printed."""

    def __init__(self, *, quiet: bool = False) -> None:
        """Be silent where `quiet` is set."""
        self._quiet = quiet
        self._live = sys.stderr.isatty()
        self._shown = False
        self._told = 0.0

    def __call__(self, event: RunEvent) -> None:
        """Show one event."""
        if self._quiet:
            return
        match event:
            case RunStarted(planned=planned, done=done):
                taken = f", {done} taken over from the recording" if done else ""
                click.echo(f"{planned} requests{taken}", err=True)
            case DroppedField(name=name, status=status):
                self.clear()
                click.echo(f"the server refused {one_line(name)} ({status}); going on without it", err=True)
            case TrialStarted(progress=progress) | TrialFinished(progress=progress):
                self._show(progress)
            case _:
                self.clear()

    def _show(self, progress: Progress) -> None:
        """Show where the run stands."""
        counts = ", ".join(f"{verdict} {count}" for verdict, count in progress.counts.items() if count)
        left = "" if progress.eta is None else f", about {duration(progress.eta)} left"
        line = f"{progress.done} of {progress.planned}: {counts or 'waiting'}{left}"
        if self._live:
            width = shutil.get_terminal_size((80, 24)).columns - 1
            click.echo(f"\r\x1b[2K{clip(line, width)}", nl=False, err=True, color=True)
            self._shown = True
            return
        if progress.elapsed - self._told >= SECONDS:
            self._told = progress.elapsed
            click.echo(line, err=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            click.echo("\r\x1b[2K", nl=False, err=True, color=True)
            self._shown = False
