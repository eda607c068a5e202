"""Faults of what is told about tokens used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import Part, edit, part_of, rebuild, replace_part, template, without
from toolwire.simulator.faults.fault import declare
from toolwire.simulator.wire import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.simulator.faults.edit import Object
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item

__all__ = ["FAULTS"]

_fault = declare("usage")


def _usage(value: Object) -> Object:
    """Return the usage of a chunk."""
    usage = value.get("usage")
    return usage if isinstance(usage, dict) else {}


def _early(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Send usage before the first call, and not at the end."""
    usage = [item for item in items if part_of(item) is Part.USAGE]
    placed = False
    for item in items:
        part = part_of(item)
        if not placed and part is Part.HEAD:
            placed = True
            yield from usage
        if part is not Part.USAGE:
            yield item


def _usage_behind_done(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Send usage behind the end mark."""
    usage = [item for item in items if part_of(item) is Part.USAGE]
    return (*(item for item in items if part_of(item) is not Part.USAGE), *usage)


def _tokens_as_text(value: Object) -> None:
    """Write the numbers as text."""
    for key, number in list(_usage(value).items()):
        _usage(value)[key] = str(number)


def _usage_always(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Send usage before the end mark where none was planned."""
    for item in items:
        if part_of(item) is Part.DONE and not plan.include_usage:
            yield Chunk({**template(items), "choices": [], "usage": {**plan.usage}})
        yield item


FAULTS = (
    _fault(
        "usage-missing", "usage was asked for, and none comes", without(Part.USAGE), "usage-missing", verdict="PASS"
    ),
    _fault(
        "usage-twice",
        "usage comes twice",
        replace_part(Part.USAGE, lambda value: [Chunk(value), Chunk(value)]),
        "usage-place",
        verdict="PASS",
    ),
    _fault("usage-early", "usage comes before the calls", rebuild(_early), "usage-place", verdict="PASS"),
    _fault(
        "usage-after-done",
        "usage follows the end mark",
        rebuild(_usage_behind_done),
        "done-repeated",
        verdict="PASS",
    ),
    _fault(
        "usage-sum",
        "the total is not the sum",
        edit(Part.USAGE, lambda value: _usage(value).update(total_tokens=1)),
        "usage-numbers",
        verdict="PASS",
    ),
    _fault(
        "usage-negative",
        "tokens are negative",
        edit(Part.USAGE, lambda value: _usage(value).update(completion_tokens=-1)),
        "usage-numbers",
        verdict="PASS",
    ),
    _fault("usage-text", "tokens are strings", edit(Part.USAGE, _tokens_as_text), "usage-numbers", verdict="PASS"),
    _fault("usage-unasked", "usage comes, whether it was asked for or not", rebuild(_usage_always), verdict="PASS"),
)
