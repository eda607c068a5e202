"""From a suite to the requests of a run: which trials there are, and the body that each one sends.

Knows: cases, choices, repeats, bodies. Must not know: servers, answers, files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolwire.errors import SuiteError
from toolwire.suite import CHOICES, Case, Suite, tool_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["PlannedTrial", "added_fields", "case_expectation", "plan", "request_body"]

TRIALS_LIMIT = 100_000
"""Trials of one run; a plan beyond that is a slip of the keyboard."""


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One execution of a case that a run is to make; `repeat` counts from 1."""

    case: Case
    tool_choice: str
    repeat: int

    @property
    def id(self) -> str:
        """The same for the same plan: `case/tool_choice#repeat`."""
        return f"{self.case.name}/{self.tool_choice}#{self.repeat}"


def plan(suite: Suite, tool_choices: Sequence[str], repeat: int) -> list[PlannedTrial]:
    """Return all trials: by tool_choice, case and repeat, as the old script went; cases with own choices keep them.

    Raises `SuiteError` for a choice that names no tool, and for more than `TRIALS_LIMIT` trials.
    """
    choices = list(dict.fromkeys(tool_choices))
    for case in suite.cases:
        choices += [choice for choice in case.tool_choices if choice not in choices]
    for choice in choices:
        if choice not in CHOICES and choice not in suite.tool_names:
            raise SuiteError(
                f"{choice!r} is neither {', '.join(CHOICES)} nor one of its tools", file=suite.name, key="tool_choice"
            )
    trials = [
        PlannedTrial(case, choice, number)
        for choice in choices
        for case in suite.cases
        if choice in (case.tool_choices or tool_choices)
        for number in range(1, repeat + 1)
    ]
    if len(trials) > TRIALS_LIMIT:
        raise SuiteError(f"{len(trials)} trials are planned, at most {TRIALS_LIMIT} can be", file=suite.name)
    return trials


def request_body(
    suite: Suite,
    trial: PlannedTrial,
    *,
    model: str,
    thinking: bool,
    parameters: Mapping[str, object],
    extra: Mapping[str, object],
    without: Iterable[str] = (),
) -> dict[str, object]:
    """Return the body of a trial's request; `parameters` replace the suite's, `extra` comes last and wins.

    `without` are fields that the server refused; they are left out unless `extra` holds them.
    """
    case = trial.case
    offered = [tool for tool in suite.tools if case.tools is None or tool_name(tool) in case.tools]
    body: dict[str, object] = {"model": model, "messages": case.messages}
    if offered:
        body |= {"tools": offered, "tool_choice": _choice(trial.tool_choice)}
    body["stream"] = True
    body |= {**suite.parameters, **parameters, **case.parameters}
    body |= suite.thinking_on if (thinking if case.thinking is None else case.thinking) else suite.thinking_off
    for name in without:
        body.pop(name, None)
    return body | dict(extra)


def added_fields(suite: Suite, body: Mapping[str, object], extra: Mapping[str, object]) -> tuple[str, ...]:
    """Return the fields of a body that we added beyond OpenAI's own; what the user added is the user's."""
    return tuple(name for name in suite.beyond_openai if name in body and name not in extra)


def case_expectation(case: Case, tool_choice: str) -> dict[str, object] | None:
    """Return what must come of a trial: nothing is expected where calls are forbidden."""
    return None if tool_choice == "none" else case.expect


def _choice(name: str) -> object:
    """Return the value of tool_choice."""
    return name if name in CHOICES else {"type": "function", "function": {"name": name}}
