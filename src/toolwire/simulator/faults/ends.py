"""Faults of how, and where, the connection ends."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import Part, part_of
from toolwire.simulator.faults.fault import declare
from toolwire.simulator.wire import Ending, Raw, frame

if TYPE_CHECKING:
    from random import Random

    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Wire

__all__ = ["FAULTS"]

_fault = declare("ends")


def _end(part: Part, ending: Ending, *, share: float = 1.0, torn: bool = False) -> Change:
    """End behind the first share of the items of a part; `torn` tears the last event in two."""

    def change(wire: Wire, _plan: Plan, _dice: Random) -> Wire:
        places = [place for place, item in enumerate(wire.items) if part_of(item) is part]
        if not places:
            return replace(wire, ending=ending)
        last = places[max(0, int(len(places) * share) - 1)]
        kept = wire.items[: last + 1]
        if torn:
            data = frame(kept[-1])
            kept = (*kept[:-1], Raw(data[: len(data) // 2]))
        return replace(wire, items=kept, ending=ending)

    return change


FAULTS = (
    _fault(
        "cut-in-arguments",
        "the connection is cut amid the arguments",
        _end(Part.ARGUMENTS, Ending.CUT, share=0.5),
        "body-cut",
    ),
    _fault(
        "cut-in-event",
        "the connection is cut amid an event",
        _end(Part.ARGUMENTS, Ending.CUT, share=0.5, torn=True),
        "body-cut",
        "unfinished-event",
    ),
    _fault(
        "cut-after-head", "the connection is cut behind the head of a call", _end(Part.HEAD, Ending.CUT), "body-cut"
    ),
    _fault("cut-after-role", "the connection is cut before any call", _end(Part.ROLE, Ending.CUT), "body-cut"),
    _fault("cut-after-finish", "the connection is cut behind the finish", _end(Part.FINISH, Ending.CUT), "body-cut"),
    _fault("cut-after-done", "the connection is cut behind the end mark", _end(Part.DONE, Ending.CUT), "body-cut"),
    _fault(
        "reset-in-arguments",
        "the connection is reset amid the arguments",
        _end(Part.ARGUMENTS, Ending.RESET, share=0.5),
        "body-cut",
    ),
    _fault(
        "reset-at-once",
        "the connection is reset before any byte of the body",
        lambda wire, _plan, _dice: replace(wire, items=(), ending=Ending.RESET),
        "no-answer",
        verdict="ERROR",
    ),
    _fault(
        "stop-in-arguments",
        "the stream ends properly amid the arguments",
        _end(Part.ARGUMENTS, Ending.CLEAN, share=0.5),
        "body-cut",
        "arguments-not-json",
        "finish-missing",
        "usage-missing",
        "done-missing",
    ),
    _fault(
        "stop-without-finish",
        "the stream ends properly behind the arguments, without a finish",
        _end(Part.ARGUMENTS, Ending.CLEAN),
        "body-cut",
        "finish-missing",
        "usage-missing",
        "done-missing",
    ),
    _fault(
        "stop-after-finish",
        "the stream ends properly behind the finish",
        _end(Part.FINISH, Ending.CLEAN),
        "done-missing",
        "usage-missing",
        verdict="PASS",
    ),
)
