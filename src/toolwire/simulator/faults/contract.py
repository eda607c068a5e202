"""Faults against what the request demanded; which rule they break depends on the request.

Where nothing was demanded but what came, as in the plain request of one tool, they are no faults at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import (
    SECOND_ID,
    Call,
    Part,
    as_object,
    assistant_calls,
    choice_of,
    ended,
    entry_of,
    head_fields,
    like,
    part_of,
    rebuild,
    template,
)
from toolwire.simulator.faults.fault import declare
from toolwire.simulator.wire import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item

__all__ = ["FAULTS"]

_fault = declare("contract")


def _wrong_tool(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Call another tool than planned."""
    calls = assistant_calls(plan)
    placed = not calls
    for item in items:
        part = part_of(item)
        if not calls or part not in (Part.HEAD, Part.ARGUMENTS):
            yield item
        elif not placed:
            placed = True
            yield like(template(items), tool_calls=[head_fields(calls[-1], 0)])


def _uninvited(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Call the first tool that needs no arguments, where a call was planned or not."""
    tools = plan.request.get("tools")
    functions = [as_object(as_object(tool).get("function")) for tool in (tools if isinstance(tools, list) else [])]
    free = [function for function in functions if not as_object(function.get("parameters")).get("required")]
    name = str(free[0].get("name")) if free else ""
    for item in items:
        if name and part_of(item) is Part.FINISH:
            entry = head_fields(Call(name, "{}", SECOND_ID), len(plan.calls))
            yield like(template(items), tool_calls=[entry])
            yield ended(template(items), "tool_calls")
        else:
            yield item


def _later_calls_lost(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Send the first call alone."""
    return (item for item in items if not (isinstance(item, Chunk) and entry_of(item.value).get("index", 0)))


def _last_choice_lost(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Send one choice less than was asked for, where several were."""
    last = plan.n - 1
    return (
        item for item in items if not (isinstance(item, Chunk) and last and choice_of(item.value).get("index") == last)
    )


def _later_calls_grafted(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Give the later calls the arguments of the first."""
    first = plan.calls[0].arguments_json if plan.calls else ""
    for item in items:
        index = entry_of(item.value).get("index", 0) if isinstance(item, Chunk) else 0
        if not index or not isinstance(item, Chunk):
            yield item
        elif part_of(item) is Part.HEAD:
            yield item
            yield like(template(items), tool_calls=[{"index": index, "function": {"arguments": first}}])


FAULTS = (
    _fault("later-calls-lost", "of several calls only the first comes", rebuild(_later_calls_lost), verdict="PASS"),
    _fault(
        "later-calls-grafted",
        "of several calls each has the arguments of the first",
        rebuild(_later_calls_grafted),
        verdict="PASS",
    ),
    _fault("choice-missing", "the last of several choices does not come", rebuild(_last_choice_lost), verdict="PASS"),
    _fault("wrong-tool", "another tool is called than the prompt asks for", rebuild(_wrong_tool), verdict="PASS"),
    _fault("call-uninvited", "a tool is called that nobody asked for", rebuild(_uninvited), verdict="PASS"),
)
