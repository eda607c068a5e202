"""Suites of cases: request templates with what may be expected of them, written as TOML.

Knows: the form of a suite, how a case becomes the body of a request, which trials a run plans.
Must not know: files of the user, servers, answers. The one place where the package's suites are opened.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import TYPE_CHECKING, TypeVar, cast

from toolwire.errors import SuiteError, UnknownNameError
from toolwire.exchange import Expectation, ExpectedCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolwire.jsontext import Json

__all__ = [
    "BODY_KEYS",
    "CHOICES",
    "Case",
    "PlannedTrial",
    "Suite",
    "added_fields",
    "builtin_suite",
    "builtin_suite_text",
    "builtin_suites",
    "case_expectation",
    "parse",
    "plan",
    "request_body",
    "select_cases",
]

FORMAT = 1
"""The form of suites that this version reads."""

CHOICES = ("auto", "required", "none")
"""Values of tool_choice; any other is the name of a tool, which is then the named choice."""

BODY_KEYS = frozenset({"model", "messages", "tools", "tool_choice", "stream"})
"""Fields of the body that a suite, a case or a flag cannot set as a parameter: they have their own places."""

TRIALS_LIMIT = 100_000
"""Trials of one run; a plan beyond that is a slip of the keyboard."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Names stand in ids, file names and patterns; `/` and `#` separate the parts of a trial's id."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Case:
    """A request template with what may be expected of the answer."""

    name: str
    messages: list[dict[str, object]]
    """As they are sent."""
    description: str = ""
    tools: tuple[str, ...] | None = None
    """Names of the suite's tools that are offered; None offers all."""
    tool_choices: tuple[str, ...] = ()
    """The case's own choices; empty where it takes those of the run."""
    thinking: bool | None = None
    """Overrides the run's setting."""
    parameters: dict[str, object] = field(default_factory=dict)
    """Fields of the body that replace the suite's and the run's."""
    expect: Expectation | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """A named list of cases, with the tools that they offer and the defaults of their requests."""

    name: str
    description: str
    tools: list[dict[str, object]]
    """As they are sent."""
    cases: tuple[Case, ...]
    tool_choices: tuple[str, ...] = ("required",)
    """What a run asks for by default."""
    repeat: int = 3
    parameters: dict[str, object] = field(default_factory=dict)
    thinking_on: dict[str, object] = field(default_factory=dict)
    """Fields of the body that turn thinking on."""
    thinking_off: dict[str, object] = field(default_factory=dict)
    """Fields of the body that turn thinking off; empty says nothing about it."""
    beyond_openai: tuple[str, ...] = ()
    """Fields of the body that OpenAI's own API does not know; a server that refuses one is asked again without it."""

    @property
    def tool_names(self) -> tuple[str, ...]:
        """Names of the tools, in order."""
        return tuple(_tool_name(tool) for tool in self.tools)


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


# -- from a suite to requests ------------------------------------------------------------------------------------------


def select_cases(suite: Suite, patterns: Sequence[str]) -> Suite:
    """Return the suite with only the cases whose names match one of the patterns (`*`, `?`, `[…]`); all without any.

    Raises `UnknownNameError` for a pattern that matches none.
    """
    names = [case.name for case in suite.cases]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise UnknownNameError("case", pattern, names)
    if not patterns:
        return suite
    chosen = tuple(case for case in suite.cases if any(fnmatchcase(case.name, pattern) for pattern in patterns))
    return replace(suite, cases=chosen)


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
    offered = [tool for tool in suite.tools if case.tools is None or _tool_name(tool) in case.tools]
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


def case_expectation(case: Case, tool_choice: str) -> Expectation | None:
    """Return what must come of a trial: nothing is expected where calls are forbidden."""
    return None if tool_choice == "none" else case.expect


def _choice(name: str) -> object:
    """Return the value of tool_choice."""
    return name if name in CHOICES else {"type": "function", "function": {"name": name}}


def _tool_name(tool: Mapping[str, object]) -> str:
    """Return the name of a tool in the form in which it is sent."""
    return str(cast("Mapping[str, object]", tool["function"])["name"])


# -- the package's own suites ------------------------------------------------------------------------------------------


def builtin_suites() -> tuple[str, ...]:
    """Return the names of the suites that come with the package."""
    found = files("toolwire").joinpath("suites").iterdir()
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in found if entry.name.endswith(".toml")))


def builtin_suite_text(name: str) -> str:
    """Return the TOML of one of the package's suites. Raises `UnknownNameError`."""
    known = builtin_suites()
    if name not in known:
        raise UnknownNameError("suite", name, known)
    return files("toolwire").joinpath("suites", f"{name}.toml").read_text("utf-8")


def builtin_suite(name: str) -> Suite:
    """Return one of the package's suites. Raises `UnknownNameError`."""
    return parse(builtin_suite_text(name), file=f"suite {name}")


# -- from TOML to a suite ----------------------------------------------------------------------------------------------


def parse(text: str, *, file: str) -> Suite:
    """Read a suite from TOML; `file` is what errors call it. Raises `SuiteError` with file, case and key."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise SuiteError(f"not TOML ({problem})", file=file) from problem
    top = _Table(document, file=file)
    if top.take("format", int, FORMAT) != FORMAT:
        top.fail("format", f"only format {FORMAT} is known, not {document['format']!r}")
    name = top.take("name", str)
    top.check_name("name", name)
    tools = [_tool(table) for table in top.tables("tools")]
    known = [_tool_name(tool) for tool in tools]
    for number, one in enumerate(known):
        if one in known[:number]:
            top.fail("tools", f"two tools are called {one!r}")
    thinking = top.table("thinking")
    suite = Suite(
        name=name,
        description=top.take("description", str, ""),
        tools=tools,
        tool_choices=tuple(top.strings("tool_choice", ["required"])),
        repeat=top.take("repeat", int, 3),
        parameters=_parameters(top, "parameters"),
        thinking_on=dict(thinking.take("on", dict, {})),
        thinking_off=dict(thinking.take("off", dict, {})),
        beyond_openai=tuple(top.strings("beyond_openai", [])),
        cases=tuple(_case(table, known) for table in top.tables("cases")),
    )
    thinking.close()
    top.close()
    if suite.repeat < 1:
        top.fail("repeat", f"at least 1 repeat is needed, not {suite.repeat}")
    _check_choices(top, suite.tool_choices, known)
    if not suite.cases:
        top.fail("cases", "a suite needs at least one case")
    names = [case.name for case in suite.cases]
    for number, one in enumerate(names):
        if one in names[:number]:
            raise SuiteError("two cases have this name", file=file, case=one, key="name")
    return suite


def _tool(table: _Table) -> dict[str, object]:
    """Read one tool into the form in which it is sent."""
    function: dict[str, object] = {"name": table.take("name", str)}
    for key, kind in (("description", str), ("strict", bool)):
        if key in table.values:
            function[key] = table.take(key, kind)
    parameters = table.json("parameters", dict, None)
    if parameters is not None:
        function["parameters"] = parameters
    table.close()
    return {"type": "function", "function": function}


def _case(table: _Table, tools: Sequence[str]) -> Case:
    """Read one case."""
    name = table.take("name", str)
    table.case = name
    table.check_name("name", name)
    prompt = table.take("prompt", str, None)
    messages = table.json("messages", list, None)
    if (prompt is None) == (messages is None):
        table.fail("messages", "a case needs either `prompt` or `messages`")
    offered = table.strings("tools", None)
    for tool in offered or []:
        if tool not in tools:
            raise SuiteError(str(UnknownNameError("tool", tool, tools)), file=table.file, case=name, key="tools")
    choices = table.strings("tool_choice", [])
    _check_choices(table, choices, tools if offered is None else offered)
    case = Case(
        name=name,
        description=table.take("description", str, ""),
        messages=[{"role": "user", "content": prompt}] if messages is None else _messages(table, messages),
        tools=None if offered is None else tuple(offered),
        tool_choices=tuple(choices),
        thinking=table.take("thinking", bool, None),
        parameters=_parameters(table, "parameters"),
        expect=_expectation(table.table("expect")) if "expect" in table.values else None,
    )
    table.close()
    return case


def _messages(table: _Table, messages: Sequence[object]) -> list[dict[str, object]]:
    """Read messages; TOML has no null, so an assistant's calls without content get the null that clients send."""
    found: list[dict[str, object]] = []
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            table.fail("messages", "each message is a table with a role")
        entry = dict(message)
        if "tool_calls" in entry and "content" not in entry:
            entry = {"role": entry.pop("role"), "content": None, **entry}
        found.append(entry)
    if not found:
        table.fail("messages", "at least one message is needed")
    return found


def _parameters(table: _Table, key: str) -> dict[str, object]:
    """Read fields of the body."""
    values: dict[str, object] = table.json(key, dict, {})
    for name in values:
        if name in BODY_KEYS:
            table.fail(f"{key}.{name}", "this field has its own place and is no parameter")
    return dict(values)


def _expectation(table: _Table) -> Expectation:
    """Read what the author of a case knows that must come."""
    calls: list[ExpectedCall] = []
    for call in table.tables("calls"):
        calls.append(ExpectedCall(call.take("name", str), call.json("arguments", dict, None)))
        call.close()
    expectation = Expectation(calls, table.take("order_matters", bool, False))  # noqa: FBT003 - a default, not a flag
    table.close()
    return expectation


def _check_choices(table: _Table, choices: Iterable[str], tools: Sequence[str]) -> None:
    """Refuse a choice that is neither a mode nor a tool."""
    for choice in choices:
        if choice not in CHOICES and choice not in tools:
            table.fail("tool_choice", str(UnknownNameError("choice or tool", choice, [*CHOICES, *tools])))


class _Table:
    """A TOML table whose keys are taken one by one; what is left over at the end is unknown."""

    def __init__(self, values: dict[str, object], *, file: str, case: str = "", path: str = "") -> None:
        self.values = values
        self.file = file
        self.case = case
        self._path = path
        self._known: set[str] = set()

    def fail(self, key: str, problem: str) -> None:
        """Refuse the suite."""
        raise SuiteError(problem, file=self.file, case=self.case, key=self._path + key)

    def take(self, key: str, kind: type[T], default: T | None | _Needed = ...) -> T:  # type: ignore[assignment]
        """Return the value of a key; without a default it must be there."""
        self._known.add(key)
        if key not in self.values:
            if default is ...:
                self.fail(key, "this key is missing")
            return cast("T", default)
        value = self.values[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.fail(key, f"expected {_KINDS[kind]}, not {type(value).__name__} {str(value)[:60]!r}")
        return cast("T", value)

    def json(self, key: str, kind: type[T], default: T | None) -> T:
        """Return the value of a key, which may also be given as JSON text under `<key>_json` (TOML has no null)."""
        text = self.take(f"{key}_json", str, None)
        value = self.take(key, kind, default)
        if text is None:
            return value
        if key in self.values:
            self.fail(key, f"give either this or `{key}_json`")
        try:
            read: Json = json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise SuiteError(
                f"not JSON ({problem})", file=self.file, case=self.case, key=f"{self._path}{key}_json"
            ) from problem
        if not isinstance(read, kind):
            self.fail(f"{key}_json", f"expected {_KINDS[kind]}, not {text[:60]!r}")
        return cast("T", read)

    def strings(self, key: str, default: list[str] | None) -> list[str]:
        """Return a list of strings; one string stands for a list of it."""
        self._known.add(key)
        value = self.values.get(key, default)
        if isinstance(value, str):
            value = [value]
        if value is not None and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            self.fail(key, "expected a list of strings")
        return cast("list[str]", value)

    def table(self, key: str) -> _Table:
        """Return a table inside this one; an empty one where it is missing."""
        return _Table(self.take(key, dict, {}), file=self.file, case=self.case, path=f"{self._path}{key}.")

    def tables(self, key: str) -> list[_Table]:
        """Return an array of tables."""
        found: list[object] = self.take(key, list, [])
        if not all(isinstance(item, dict) for item in found):
            self.fail(key, "expected an array of tables")
        return [
            _Table(cast("dict[str, object]", item), file=self.file, case=self.case, path=f"{self._path}{key}[{number}].")
            for number, item in enumerate(found)
        ]

    def check_name(self, key: str, name: str) -> None:
        """Refuse a name that cannot stand in an id."""
        if not _NAME.fullmatch(name):
            self.fail(key, f"{name!r} is no name: letters, digits, dot, dash and underscore, a letter or digit first")

    def close(self) -> None:
        """Refuse keys that nobody took."""
        for key in self.values:
            if key not in self._known:
                self.fail(key, str(UnknownNameError("key of a suite", key, self._known)))


_KINDS: dict[type, str] = {str: "a string", int: "a whole number", bool: "true or false", dict: "a table", list: "a list"}
