"""Faults of the places of calls."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import (
    Part,
    assistant_calls,
    chain,
    delta_of,
    edit,
    entry_of,
    first_call,
    head_fields,
    like,
    part_of,
    rebuild,
    replace_part,
    second_call,
    template,
)
from toolwire.simulator.faults.fault import declare
from toolwire.simulator.wire import Chunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolwire.simulator.faults.edit import Object
    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item

__all__ = ["FAULTS"]

_fault = declare("indexes")


def _entries(mutate: Callable[[Object], object]) -> Change:
    """Edit the entry of every fragment."""

    def change(value: Object) -> None:
        mutate(entry_of(value))

    return chain(edit(Part.ARGUMENTS, change), edit(Part.HEAD, change))


def _shift(entry: Object) -> None:
    """Count from one place further."""
    index = entry.get("index")
    entry["index"] = index + 1 if isinstance(index, int) else index


def _interleaved(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Send a fragment of a second call after each of the first."""
    calls = assistant_calls(plan)
    shared = template(items)
    place = len(calls) - 1
    begun = False
    left = list(calls[-1].arguments) if calls else []
    for item in items:
        part = part_of(item)
        if part is Part.FINISH and left:
            yield like(shared, tool_calls=[{"index": place, "function": {"arguments": "".join(left)}}])
            left = []
        yield item
        if part is Part.HEAD and not begun:
            begun = True
            yield like(shared, tool_calls=[head_fields(calls[-1]._replace(arguments=""), place)])
        elif part is Part.ARGUMENTS and left:
            yield like(shared, tool_calls=[{"index": place, "function": {"arguments": left.pop(0)}}])


def _stray(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Send the arguments alone, without any head."""
    return (item for item in items if part_of(item) is not Part.HEAD or not plan.calls)


def _twice(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Send the first call again at the next index."""
    call = first_call(plan)
    for item in items:
        if call is not None and part_of(item) is Part.FINISH:
            again = call._replace(id="call_T4nB6vC1xZ8mQ3wE")
            yield like(template(items), tool_calls=[head_fields(again, len(plan.calls))])
        yield item


def _object_for_list(value: Object) -> None:
    """Send the entry itself where a list of entries belongs."""
    delta_of(value)["tool_calls"] = deepcopy(entry_of(value))


def _string_entry(value: Object) -> Iterable[Item]:
    """Send a fragment that is no object, before the right one."""
    wrong = deepcopy(value)
    delta_of(wrong)["tool_calls"] = ["call"]
    return [Chunk(wrong), Chunk(value)]


FAULTS = (
    _fault(
        "index-missing", "no fragment has an index", _entries(lambda entry: entry.pop("index")), "call-index-missing"
    ),
    _fault(
        "index-missing-later",
        "only the head has an index",
        edit(Part.ARGUMENTS, lambda value: entry_of(value).pop("index")),
        "call-index-missing",
    ),
    _fault("index-null", "the index is null", _entries(lambda entry: entry.update(index=None)), "call-index-missing"),
    _fault("index-string", "the index is a string", _entries(lambda entry: entry.update(index="0")), "call-index-type"),
    _fault("index-from-one", "the first call has the index 1", _entries(_shift), "call-index-start"),
    _fault("index-gap", "the second call has the index 2", second_call(2), "call-index-gap"),
    _fault(
        "index-reused",
        "the second call has the index of the first",
        second_call(0),
        "call-index-reused",
        "arguments-not-json",
    ),
    _fault(
        "calls-interleaved",
        "fragments of two calls come by turns",
        rebuild(_interleaved),
        "calls-interleaved",
        verdict="PASS",
    ),
    _fault("head-missing", "arguments come without id, type and name", rebuild(_stray), "call-fragment-stray"),
    _fault("call-twice", "the same call comes at two indexes", rebuild(_twice), verdict="PASS"),
    _fault(
        "calls-object",
        "`tool_calls` is an object",
        chain(edit(Part.ARGUMENTS, _object_for_list), edit(Part.HEAD, _object_for_list)),
        "calls-shape",
    ),
    _fault(
        "calls-string-entry",
        "an entry of `tool_calls` is a string",
        replace_part(Part.HEAD, _string_entry, 0),
        "calls-shape",
    ),
)
