"""From a suite to the requests of a run: which trials there are, what each one sends, and what of it is refused.

Knows: cases, choices, repeats, bodies, how servers refuse a field. Must not know: streams, files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolwire.errors import SuiteError
from toolwire.jsontext import read_json
from toolwire.suite import CHOICES, Case, Suite, tool_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toolwire.exchange import Exchange
    from toolwire.jsontext import Json

__all__ = ["PlannedTrial", "added_fields", "case_expectation", "plan", "refusal_words", "refused_field", "request_body"]

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


# -- fields that a server refuses --------------------------------------------------------------------------------------

REFUSALS = (400, 422)
"""Statuses with which servers refuse a field: OpenAI and most others the first, FastAPI's validation the second."""

WORDS_SHOWN = 300
"""Characters of a server's error that are kept."""


def refused_field(exchange: Exchange, added: Sequence[str]) -> str | None:
    """Return which of the fields that we `added` beyond OpenAI's a server refused; None where it refused none of them.

    First what the error names in its own fields (`param`, FastAPI's `loc`), then what its words name. A field is also
    named by a key inside it, as `enable_thinking` is inside `chat_template_kwargs`.
    """
    if exchange.response is None or exchange.response.status not in REFUSALS:
        return None
    error = _error(exchange)
    names = {name: name for name in added}
    for name in added:
        inner = exchange.request.get(name)
        names |= {key: name for key in (inner if isinstance(inner, dict) else {}) if isinstance(key, str)}
    for said in _named(error):
        for part in re.split(r"[.\[\]]", said):
            if part in names and part not in ("", *_COMMON):
                return names[part]
    words = refusal_words(exchange)
    found = [name for name in names if name not in _COMMON and re.search(rf"\b{re.escape(name)}\b", words)]
    return names[min(found, key=words.index)] if found else None


_COMMON = frozenset({"type", "name", "model", "stream", "tools", "messages", "value", "input", "body"})
"""Keys that errors hold whatever they are about."""


def refusal_words(exchange: Exchange) -> str:
    """Return what the body of a refusal says, in one line, cut to an excerpt."""
    error = _error(exchange)
    message: Json = error
    for key in ("error", "message", "detail", "msg"):
        if isinstance(message, dict) and key in message:
            message = message[key]
    if isinstance(message, list):
        message = "; ".join(
            str(item.get("msg", "")) + " " + ".".join(map(str, _list(item.get("loc"))))
            for item in message
            if isinstance(item, dict)
        )
    text = message if isinstance(message, str) else _body(exchange)
    return " ".join(text.split())[:WORDS_SHOWN]


def _list(value: Json) -> list[Json]:
    """Return a list, or none."""
    return value if isinstance(value, list) else []


def _named(error: Json) -> Iterator[str]:
    """Yield the fields that an error names in fields of its own."""
    if isinstance(error, dict):
        inner = error.get("error")
        for holder in (error, inner if isinstance(inner, dict) else {}):
            for key in ("param", "parameter", "field"):
                if isinstance(said := holder.get(key), str):
                    yield said
        items = (item for item in _list(error.get("detail")) if isinstance(item, dict))
        yield from (".".join(str(part) for part in _list(item.get("loc"))) for item in items)


def _error(exchange: Exchange) -> Json:
    """Return the JSON value of a refusal; None where the body is none."""
    reading = read_json(_body(exchange))
    return reading.value if reading.ok else None


def _body(exchange: Exchange) -> str:
    """Return the body as text."""
    return b"".join(read.data for read in exchange.reads).decode("utf-8", "replace")
