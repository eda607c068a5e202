"""What can go wrong on *our* side.

The target's misbehaviour is never an error of ours: past the decoders it is a finding.

    ToolwireError
    ├── UsageError            a flag, file, suite or pattern is wrong; nothing was sent       (exit 2)
    │   ├── SuiteError        a suite or case is wrong: file, case and key are named
    │   ├── RecordingError    a file is no exchange, recording or capture that we can read
    │   └── UnknownNameError  a name or pattern matches nothing; carries the nearest ones
    └── NoAnswerError         the target cannot be asked: unreachable, refused, no such model (exit 3)

Every error builds its own text from its data and ends with a hint what to do.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "NoAnswerError",
    "RecordingError",
    "SuiteError",
    "ToolwireError",
    "UnknownNameError",
    "UsageError",
]


class ToolwireError(Exception):
    """The root: `problem` says what happened, `hint` what to do about it."""

    def __init__(self, problem: str, hint: str = "") -> None:
        """Keep both parts apart, so that a report may lay them out as it likes."""
        super().__init__(f"{problem}; {hint}" if hint else problem)
        self.problem = problem
        self.hint = hint


class UsageError(ToolwireError):
    """What the user asked for cannot be done; nothing was sent."""


class SuiteError(UsageError):
    """A suite cannot be used: `file`, `case` and `key` say where."""

    def __init__(self, problem: str, *, file: str, case: str = "", key: str = "") -> None:
        """Name the place as far as it is known."""
        place = ", ".join(
            part for part in (file, f"case {case!r}" if case else "", f"key {key!r}" if key else "") if part
        )
        super().__init__(f"{place}: {problem}", "see `toolwire suites --help` for the form of a suite")
        self.file = file
        self.case = case
        self.key = key


class RecordingError(UsageError):
    """A file cannot be read as evidence: `file` and `line` (from 1; 0 when unknown) say where."""

    def __init__(self, problem: str, *, file: str, line: int = 0, hint: str = "") -> None:
        """Name the place as far as it is known."""
        place = f"{file}, line {line}" if line else file
        super().__init__(f"{place}: {problem}", hint or "see `toolwire judge --help` for the forms it reads")
        self.file = file
        self.line = line


class UnknownNameError(UsageError):
    """A name or pattern that matches nothing; `nearest` lists up to three that it may have meant."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        """Find the nearest of the `known` names."""
        names = sorted(known)
        self.what = what
        self.name = name
        self.nearest = tuple(difflib.get_close_matches(name, names, n=3, cutoff=0.4))
        hint = f"did you mean {' or '.join(self.nearest)}?" if self.nearest else f"known: {', '.join(names[:12])}"
        super().__init__(f"no {what} matches {name!r}", hint)


class NoAnswerError(ToolwireError):
    """The target cannot be asked at all."""
