"""Faults of the names of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import (
    Part,
    as_object,
    chain,
    edit,
    entry_of,
    first_call,
    function_of,
)
from toolwire.simulator.faults.fault import declare

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from toolwire.simulator.faults.edit import Object
    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Wire

__all__ = ["FAULTS"]

_fault = declare("names")


def _named(make: Callable[[str], object]) -> Change:
    """Make another name of each call's name."""

    def mutate(value: Object) -> None:
        function_of(value)["name"] = make(str(function_of(value)["name"]))

    return edit(Part.HEAD, mutate)


def _with_later(head: Callable[[str], str], later: Callable[[str], str], which: int | None) -> Change:
    """Send one part of a name with the head and another with later fragments."""

    def change(wire: Wire, plan: Plan, dice: Random) -> Wire:
        call = first_call(plan)
        if call is None:
            return wire

        rest = edit(Part.ARGUMENTS, lambda value: function_of(value).update(name=later(call.name)), which)
        return chain(rest, edit(Part.HEAD, lambda value: function_of(value).update(name=head(call.name)), 0))(
            wire, plan, dice
        )

    return change


def _misplaced(value: Object) -> None:
    """Move name and arguments beside `function`."""
    entry = entry_of(value)
    entry.update(as_object(entry.pop("function", None)))


def _camel(name: str) -> str:
    """Write a name in another case."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest) if rest else name.upper()


HALF = 4
"""Characters of a name before it is cut."""

FAULTS = (
    _fault(
        "name-missing",
        "no fragment of a call has a name",
        edit(Part.HEAD, lambda value: function_of(value).pop("name")),
        "call-name-missing",
    ),
    _fault("name-empty", "the name is an empty string", _named(lambda _name: ""), "call-name-missing"),
    _fault("name-null", "the name is null", _named(lambda _name: None), "call-name-missing"),
    _fault(
        "name-late",
        "the name is empty in the head and comes with the next fragment",
        _with_later(lambda _name: "", lambda name: name, 0),
        "call-name-missing",
    ),
    _fault(
        "name-split",
        "the name comes in two pieces",
        _with_later(lambda name: name[:HALF], lambda name: name[HALF:], 0),
        "call-name-split",
    ),
    _fault(
        "name-repeated",
        "each fragment has the name again",
        _with_later(lambda name: name, lambda name: name, None),
        "call-name-repeated",
    ),
    _fault("name-truncated", "the end of the name is missing", _named(lambda name: name[:-2]), "call-name-undeclared"),
    _fault("name-other-case", "the name is written in another case", _named(_camel), "call-name-undeclared"),
    _fault(
        "name-prefixed", "the name has a namespace before it", _named("functions.{}".format), "call-name-undeclared"
    ),
    _fault("name-invented", "no tool has that name", _named(lambda _name: "launch_rocket"), "call-name-undeclared"),
    _fault(
        "name-with-markup",
        "markup of the model is glued to the name",
        _named("{}<|tool_call_argument_begin|>".format),
        "call-name-undeclared",
    ),
    _fault("name-joined", "two names are glued to one", _named(lambda name: name + name), "call-name-undeclared"),
    _fault(
        "name-misplaced",
        "name and arguments stand beside `function`",
        chain(edit(Part.ARGUMENTS, _misplaced), edit(Part.HEAD, _misplaced)),
        "call-field-misplaced",
        "call-name-missing",
    ),
    _fault(
        "function-null",
        "`function` is null in the head",
        edit(Part.HEAD, lambda value: entry_of(value).update(function=None)),
        "function-not-object",
        "call-name-missing",
    ),
)
