"""Suites of cases: request templates with what may be expected of them, written as TOML.

Knows: the form of a suite. The one place where the package's suites are opened.
Must not know: files of the user, servers, answers, how a case becomes a request (`toolwire.plan`).
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import TYPE_CHECKING, NoReturn, TypeVar, cast

from toolwire.errors import SuiteError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "BODY_KEYS",
    "CHOICES",
    "Case",
    "Suite",
    "builtin_suite",
    "builtin_suite_text",
    "builtin_suites",
    "parse",
    "select_cases",
    "tool_name",
]

FORMAT = 1
"""The form of suites that this version reads."""

CHOICES = ("auto", "required", "none")
"""Values of tool_choice; any other is the name of a tool, which is then the named choice."""

BODY_KEYS = frozenset({"model", "messages", "tools", "tool_choice", "stream"})
"""Fields of the body that a suite, a case or a flag cannot set as a parameter: they have their own places."""

REPEAT = 3
"""Repeats where a suite says nothing: lost calls are intermittent."""

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
    expect: dict[str, object] | None = None
    """What must come, in the form of an exchange's `expect`: `calls` (name, arguments or null) and `order_matters`."""


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
    repeat: int = REPEAT
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
        return tuple(tool_name(tool) for tool in self.tools)


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


def tool_name(tool: Mapping[str, object]) -> str:
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
    form = top.optional("format", int)
    if form not in (None, FORMAT):
        top.fail("format", f"only format {FORMAT} is known, not {form}")
    name = top.take("name", str)
    top.check_name("name", name)
    tools = [_tool(table) for table in top.tables("tools")]
    known = [tool_name(tool) for tool in tools]
    if twice := _first_twice(known):
        top.fail("tools", f"two tools are called {twice!r}")
    thinking = top.table("thinking")
    choices = top.strings("tool_choice")
    repeat = top.optional("repeat", int)
    suite = Suite(
        name=name,
        description=top.optional("description", str) or "",
        tools=tools,
        tool_choices=("required",) if choices is None else choices,
        repeat=REPEAT if repeat is None else repeat,
        parameters=_parameters(top),
        thinking_on=_parameters(thinking, "on"),
        thinking_off=_parameters(thinking, "off"),
        beyond_openai=top.strings("beyond_openai") or (),
        cases=tuple(_case(table, known) for table in top.tables("cases")),
    )
    thinking.close()
    top.close()
    if suite.repeat < 1:
        top.fail("repeat", f"at least 1 repeat is needed, not {suite.repeat}")
    if not suite.tool_choices:
        top.fail("tool_choice", "at least one choice is needed")
    _check_choices(top, suite.tool_choices, known)
    if not suite.cases:
        top.fail("cases", "a suite needs at least one case")
    if twice := _first_twice([case.name for case in suite.cases]):
        raise SuiteError("two cases have this name", file=file, case=twice, key="name")
    return suite


def _first_twice(names: Sequence[str]) -> str | None:
    """Return the first name that stands twice."""
    return next((name for number, name in enumerate(names) if name in names[:number]), None)


def _tool(table: _Table) -> dict[str, object]:
    """Read one tool into the form in which it is sent."""
    found = {
        "name": table.take("name", str),
        "description": table.optional("description", str),
        "parameters": table.json("parameters", dict),
        "strict": table.optional("strict", bool),
    }
    table.close()
    function = {key: value for key, value in found.items() if value is not None}
    return {"type": "function", "function": function}


def _case(table: _Table, tools: Sequence[str]) -> Case:
    """Read one case."""
    name = table.take("name", str)
    table.case = name
    table.check_name("name", name)
    prompt = table.optional("prompt", str)
    messages = table.json("messages", list)
    if (prompt is None) == (messages is None):
        table.fail("messages", "a case needs either `prompt` or `messages`")
    offered = table.strings("tools")
    for tool in offered or ():
        if tool not in tools:
            table.fail("tools", str(UnknownNameError("tool", tool, tools)))
    choices = table.strings("tool_choice") or ()
    _check_choices(table, choices, tools if offered is None else offered)
    case = Case(
        name=name,
        description=table.optional("description", str) or "",
        messages=[{"role": "user", "content": prompt}] if messages is None else _messages(table, messages),
        tools=offered,
        tool_choices=choices,
        thinking=table.optional("thinking", bool),
        parameters=_parameters(table),
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


def _parameters(table: _Table, key: str = "parameters") -> dict[str, object]:
    """Read fields of the body."""
    values: dict[str, object] = table.json(key, dict) or {}
    for name in values:
        if name in BODY_KEYS:
            table.fail(f"{key}.{name}", "this field has its own place and is no parameter")
    return dict(values)


def _expectation(table: _Table) -> dict[str, object]:
    """Read what the author of a case knows that must come."""
    calls: list[dict[str, object]] = []
    for call in table.tables("calls"):
        calls.append({"name": call.take("name", str), "arguments": call.json("arguments", dict)})
        call.close()
    order_matters = bool(table.values.get("order_matters", False))
    table.optional("order_matters", bool)
    table.close()
    return {"calls": calls, "order_matters": order_matters}


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

    def fail(self, key: str, problem: str) -> NoReturn:
        """Refuse the suite."""
        raise SuiteError(problem, file=self.file, case=self.case, key=self._path + key)

    def take(self, key: str, kind: type[T]) -> T:
        """Return the value of a key that must be there."""
        value = self.optional(key, kind)
        if value is None:
            self.fail(key, "this key is missing")
        return value

    def optional(self, key: str, kind: type[T]) -> T | None:
        """Return the value of a key; None where it is missing (TOML has no null)."""
        self._known.add(key)
        value = self.values.get(key)
        if value is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            self.fail(key, f"expected {_KINDS[kind]}, not {type(value).__name__} {str(value)[:60]!r}")
        return value

    def json(self, key: str, kind: type[T]) -> T | None:
        """Return the value of a key, which may also be given as JSON text under `<key>_json` (TOML has no null)."""
        text = self.optional(f"{key}_json", str)
        value = self.optional(key, kind)
        if text is None:
            return value
        if value is not None:
            self.fail(key, f"give either this or `{key}_json`")
        try:
            read: object = json.loads(text)
        except (ValueError, RecursionError) as problem:
            self.fail(f"{key}_json", f"not JSON ({problem})")
        if not isinstance(read, kind):
            self.fail(f"{key}_json", f"expected {_KINDS[kind]}, not {text[:60]!r}")
        return read

    def strings(self, key: str) -> tuple[str, ...] | None:
        """Return a list of strings; one string stands for a list of it, None for none."""
        self._known.add(key)
        value = self.values.get(key)
        if value is None:
            return None
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            self.fail(key, "expected a list of strings")
        return tuple(items)

    def table(self, key: str) -> _Table:
        """Return a table inside this one; an empty one where it is missing."""
        return _Table(self.optional(key, dict) or {}, file=self.file, case=self.case, path=f"{self._path}{key}.")

    def tables(self, key: str) -> list[_Table]:
        """Return an array of tables."""
        found: list[object] = self.optional(key, list) or []
        if not all(isinstance(item, dict) for item in found):
            self.fail(key, "expected an array of tables")
        return [
            _Table(
                cast("dict[str, object]", item), file=self.file, case=self.case, path=f"{self._path}{key}[{number}]."
            )
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


_KINDS: dict[type, str] = {
    str: "a string",
    int: "a whole number",
    bool: "true or false",
    dict: "a table",
    list: "a list",
}
