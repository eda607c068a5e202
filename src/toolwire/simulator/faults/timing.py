"""Faults of when things come."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import Part, insert, join_arguments, like, rebuild, template
from toolwire.simulator.faults.fault import declare
from toolwire.simulator.faults.text import THOUGHT
from toolwire.simulator.wire import Pause, Raw

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item

__all__ = ["FAULTS"]

_fault = declare("timing")
LONG = 45.0
"""Seconds of a silence that is too long; half a minute is what idle timeouts are set to."""
SHORT = 10.0
"""Seconds of a silence that a slow model may need."""


QUIET = 5.0
"""Seconds that a connection is left open behind the end."""
PING = Raw(b": ping\n\n")


def _between(*extra: Item) -> Change:
    """Put items before each fragment of the arguments."""
    return insert(Part.ARGUMENTS, *extra, which=None)


def _held_back(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Be silent while the model thinks, then send all it thought at once."""
    for place, item in enumerate(items):
        yield item
        if not place:
            yield Pause(LONG)
            yield like(template(items), reasoning_content=f"{THOUGHT} " * 4)


FAULTS = (
    _fault(
        "burst",
        "all events come in one write at the end, as a proxy that buffers sends them",
        lambda wire, _plan, _dice: replace(wire, items=(Pause(SHORT), *wire.items), one_write=True),
        "burst",
        verdict="PASS",
    ),
    _fault(
        "stall",
        f"{LONG:.0f} s of silence, and then all of the reasoning in one delta",
        rebuild(_held_back),
        "stall",
        verdict="PASS",
    ),
    _fault(
        "stall-short",
        f"{LONG:.0f} s of silence, and then short arguments in one delta",
        join_arguments(Pause(LONG)),
        verdict="PASS",
    ),
    _fault(
        "stall-with-comments",
        f"{LONG:.0f} s without events, bridged by comments, and then all arguments in one delta",
        join_arguments(*(part for _ in range(3) for part in (Pause(LONG / 3), PING))),
        verdict="PASS",
    ),
    _fault(
        "stall-then-fragments",
        f"{LONG:.0f} s of silence, and then fragments as ever",
        insert(Part.ARGUMENTS, Pause(LONG)),
        verdict="PASS",
    ),
    _fault("slow-start", f"{LONG:.0f} s before the first event", insert(Part.ROLE, Pause(LONG)), verdict="PASS"),
    _fault("slow-fragments", f"{SHORT:.0f} s before each fragment", _between(Pause(SHORT)), verdict="PASS"),
    _fault(
        "late-close",
        f"the connection stays open for {QUIET:.0f} s behind the end mark",
        insert(Part.DONE, Pause(QUIET), PING, behind=True),
        "late-close",
        verdict="PASS",
    ),
)
