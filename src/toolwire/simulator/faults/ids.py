"""Faults of the ids and types of calls."""

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
    second_call,
)
from toolwire.simulator.faults.fault import declare

if TYPE_CHECKING:
    from random import Random

    from toolwire.simulator.faults.edit import Object
    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Wire

__all__ = ["FAULTS"]

_fault = declare("ids")
LONG = 80
"""Characters of an id that is too long: official validation stops at 40, others at 64."""


def _head(**fields: object) -> Change:
    """Set fields of the head of every call."""
    return edit(Part.HEAD, lambda value: entry_of(value).update(fields))


def _later(**fields: object) -> Change:
    """Set fields of all later fragments."""
    return edit(Part.ARGUMENTS, lambda value: entry_of(value).update(fields))


def _head_without(key: str) -> Change:
    """Leave a field of the head out."""
    return edit(Part.HEAD, lambda value: entry_of(value).pop(key, None))


def _move(key: str) -> Change:
    """Send a field with the second fragment and not with the first."""

    def change(wire: Wire, plan: Plan, dice: Random) -> Wire:
        call = first_call(plan)
        if call is None:
            return wire
        late = edit(Part.ARGUMENTS, lambda value: entry_of(value).update({key: _value(call.id, key)}), 0)
        return chain(_head_without(key), late)(wire, plan, dice)

    return change


def _value(identifier: str, key: str) -> str:
    """Return what belongs into a field of the head."""
    return identifier if key == "id" else "function"


def _same_everywhere(key: str) -> Change:
    """Send a field of the head again with each later fragment."""

    def change(wire: Wire, plan: Plan, dice: Random) -> Wire:
        call = first_call(plan)
        return wire if call is None else _later(**{key: _value(call.id, key)})(wire, plan, dice)

    return change


def _regenerated(wire: Wire, plan: Plan, dice: Random) -> Wire:
    """Give each fragment an id of its own."""

    def mutate(value: Object) -> None:
        entry_of(value)["id"] = f"call_{dice.getrandbits(64):016x}"

    return edit(Part.ARGUMENTS, mutate)(wire, plan, dice)


def _into_function(value: Object) -> None:
    """Move the id of a call into its function."""
    function_of(value)["id"] = entry_of(value).pop("id")


def _duplicate(wire: Wire, plan: Plan, dice: Random) -> Wire:
    """Give a second call the id of the first."""
    call = first_call(plan)
    return wire if call is None else second_call(id=call.id)(wire, plan, dice)


def _of_history(wire: Wire, plan: Plan, dice: Random) -> Wire:
    """Use an id of the history again, where there is one."""
    messages = plan.request.get("messages")
    for message in messages if isinstance(messages, list) else []:
        calls = as_object(message).get("tool_calls")
        if isinstance(calls, list) and calls:
            return _head(id=as_object(calls[0]).get("id"))(wire, plan, dice)
    return wire


FAULTS = (
    _fault("id-missing", "no fragment of a call has an id", _head_without("id"), "call-id-missing"),
    _fault("id-empty", "the id of a call is an empty string", _head(id=""), "call-id-missing"),
    _fault("id-null", "the id of a call is null", _head(id=None), "call-id-missing"),
    _fault("id-number", "the id of a call is a number", _head(id=17), "call-id-type"),
    _fault("id-late", "the id comes with the second fragment", _move("id"), "call-id-missing"),
    _fault("id-repeated", "each fragment has the id again", _same_everywhere("id"), "call-id-repeated"),
    _fault("id-regenerated", "each fragment has a new id", _regenerated, "call-id-changes"),
    _fault("id-duplicate", "two calls have the same id", _duplicate, "call-id-duplicate"),
    _fault(
        "id-too-long",
        f"the id has {LONG} characters and more",
        _head(id="call_" + "a1B2" * (LONG // 4)),
        "call-id-form",
        verdict="PASS",
    ),
    _fault("id-odd-characters", "the id has blanks and slashes", _head(id="call 1/2"), "call-id-form", verdict="PASS"),
    _fault(
        "id-native-kimi",
        "the id is the one that Kimi K2 writes",
        edit(Part.HEAD, lambda value: entry_of(value).update(id="functions.read_file:0")),
        "call-id-form",
        verdict="PASS",
    ),
    _fault("id-of-history", "the id is one of an earlier turn", _of_history, "call-id-of-history", verdict="PASS"),
    _fault(
        "id-misplaced",
        "the id stands within `function`",
        edit(Part.HEAD, _into_function),
        "call-field-misplaced",
        "call-id-missing",
    ),
    _fault("type-missing", "no fragment of a call has a type", _head_without("type"), "call-type"),
    _fault("type-null", "the type of a call is null", _head(type=None), "call-type"),
    _fault("type-wrong", "the type of a call is `tool`", _head(type="tool"), "call-type"),
    _fault("type-late", "the type comes with the second fragment", _move("type"), "call-type"),
    _fault("type-null-later", "later fragments have `type: null`", _later(type=None), "call-type", verdict="PASS"),
)
