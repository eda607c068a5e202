"""One place that decides how text is laid out: colour or plain, how wide.

Reports are strings; this makes the console that renders them into one.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text
from rich.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import ConsoleOptions, RenderableType

__all__ = ["Hanging", "Look", "render"]

NARROWEST = 40
"""Columns below which lines are no longer bent to fit; a narrower window gets its own line breaks."""

NARROWEST_BODY = 24
"""Columns below which a body is no easier to read beside its label than below it."""

THEME = Theme(
    {
        "pass": "green",
        "warn": "yellow",
        "fail": "bold red",
        "inconclusive": "cyan",
        "dim": "dim",
        "rule": "bold",
        "path": "cyan",
    }
)


@dataclass(frozen=True, slots=True)
class Look:
    """How a report is to look: `width` in columns, `colour` whether escape sequences may be used."""

    width: int = 100
    colour: bool = False


@dataclass(frozen=True, slots=True)
class Hanging:
    """A label and a text beside it: where the text goes on, it goes on below itself and not below the label."""

    label: Text
    body: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Bend the text to what the label leaves of the line; in a narrow window both go on at the margin."""
        indent = self.label.cell_len
        room = options.max_width - indent
        if room < NARROWEST_BODY:
            yield Text.assemble(self.label, self.body)
            return
        for number, line in enumerate(self.body.wrap(console, room, overflow="fold")):
            line.rstrip()
            yield Text.assemble(self.label if number == 0 else " " * indent, line)


def render(*parts: RenderableType, look: Look) -> str:
    """Lay out the parts, one below the other."""
    sink = io.StringIO()
    console = Console(
        file=sink,
        width=max(look.width, NARROWEST),
        force_terminal=look.colour,
        no_color=not look.colour,
        color_system="standard" if look.colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        theme=THEME,
        legacy_windows=False,
    )
    for part in parts:
        # a line that is to be copied into a shell stays one line, however narrow the window is
        console.print(part, soft_wrap=isinstance(part, Text) and part.no_wrap is True)
    lines = [line.rstrip() for line in sink.getvalue().splitlines()]
    return "\n".join(lines) + "\n"
