"""Faults of how a turn is finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.simulator.faults.arguments import fragments
from toolwire.simulator.faults.edit import (
    Part,
    chain,
    choice_of,
    edit,
    ended,
    part_of,
    rebuild,
    second_call,
    set_finish,
    template,
    without,
)
from toolwire.simulator.faults.fault import declare

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item

__all__ = ["FAULTS"]

_fault = declare("finish")


def _behind_finish(reason: str | None = None, **delta: object) -> Change:
    """Send one more delta behind the finish."""

    def make(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
        for item in items:
            yield item
            if part_of(item) is Part.FINISH:
                yield ended(template(items), reason, **delta)

    return rebuild(make)


def _arguments_behind_finish(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Send the last fragment of arguments behind the finish."""
    places = [place for place, item in enumerate(items) if part_of(item) is Part.ARGUMENTS]
    for place, item in enumerate(items):
        if not places or place != places[-1]:
            yield item
        if places and part_of(item) is Part.FINISH:
            yield items[places[-1]]


def _half() -> Change:
    """Send the first half of the arguments."""
    return fragments(lambda call: [call.arguments[:6], call.arguments[6 : len(call.arguments) // 2]])


FAULTS = (
    _fault("finish-missing", "no chunk has a finish reason", without(Part.FINISH), "finish-missing"),
    _fault("finish-null", "the last delta has a finish reason of null", set_finish(None), "finish-missing"),
    _fault("finish-stop", "a turn with calls ends with `stop`", set_finish("stop"), "finish-contradicts-calls"),
    _fault("finish-empty", "the finish reason is an empty string", set_finish(""), "finish-value"),
    _fault("finish-foreign", "the finish reason is another protocol's", set_finish("tool_use"), "finish-value"),
    _fault("finish-number", "the finish reason is a number", set_finish(1), "finish-value"),
    _fault(
        "finish-legacy",
        "the finish reason is that of the old field",
        set_finish("function_call"),
        "finish-contradicts-calls",
    ),
    _fault(
        "finish-empty-everywhere",
        "all chunks before the last have an empty finish reason",
        chain(
            *(
                edit(part, lambda value: choice_of(value).update(finish_reason=""))
                for part in (Part.ARGUMENTS, Part.HEAD, Part.ROLE)
            )
        ),
        "finish-value",
    ),
    _fault("finish-twice", "the finish comes twice", _behind_finish("tool_calls"), "finish-twice", verdict="PASS"),
    _fault(
        "finish-changes",
        "another reason follows the finish",
        _behind_finish("stop"),
        "finish-twice",
    ),
    _fault(
        "call-after-finish",
        "the last fragment of the arguments follows the finish",
        rebuild(_arguments_behind_finish),
        "delta-after-finish",
    ),
    _fault("content-after-finish", "text follows the finish", _behind_finish(content="Done."), "delta-after-finish"),
    _fault(
        "empty-delta-after-finish",
        "an empty delta follows the finish",
        _behind_finish(),
        "delta-after-finish",
        verdict="PASS",
    ),
    _fault(
        "truncation-hidden",
        "arguments are cut off, and the turn ends with `tool_calls`",
        _half(),
        "arguments-not-json",
        "truncation-hidden",
    ),
    _fault(
        "truncation-honest",
        "arguments are cut off, and the turn ends with `length`",
        chain(_half(), set_finish("length")),
        verdict="CUT",
    ),
    _fault(
        "filtered",
        "arguments are cut off, and the turn ends with `content_filter`",
        chain(_half(), set_finish("content_filter")),
        verdict="CUT",
    ),
    _fault(
        "finish-length-complete",
        "the budget ends right behind the last brace, so a whole call ends with `length`",
        set_finish("length"),
        verdict="PASS",
    ),
    _fault("calls-parallel", "two calls come where two may", second_call(), verdict="PASS"),
)
