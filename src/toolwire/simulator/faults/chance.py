"""Faults that come now and then: another fault, by the dice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import content_instead
from toolwire.simulator.faults.errors import FAULTS as ERRORS
from toolwire.simulator.faults.fault import declare
from toolwire.simulator.faults.leaks import FAULTS as LEAKS

if TYPE_CHECKING:
    from random import Random

    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Wire

__all__ = ["FAULTS", "sometimes"]

_fault = declare("chance")


def sometimes(chance: float, fault: Change) -> Change:
    """Apply a fault with a probability; whether it is applied takes one throw of the dice."""

    def change(wire: Wire, plan: Plan, dice: Random) -> Wire:
        return fault(wire, plan, dice) if dice.random() < chance else wire

    return change


_LEAK = next(fault for fault in LEAKS if fault.name == "leak-hermes")
_DROP = content_instead(lambda _calls: "I will do that now.")


def _one_of_leaks(wire: Wire, plan: Plan, dice: Random) -> Wire:
    """Apply one of the leaks, another each time."""
    return dice.choice(LEAKS).apply(wire, plan, dice)


_REFUSAL = next(fault for fault in ERRORS if fault.name == "http-500")

FAULTS = (
    _fault("drop-30-percent", "three answers of ten announce a call and make none", sometimes(0.3, _DROP)),
    _fault("leak-30-percent", "three answers of ten leak the call", sometimes(0.3, _LEAK.apply), *_LEAK.trips),
    _fault("fails-30-percent", "three answers of ten are an error with status 500", sometimes(0.3, _REFUSAL.apply)),
    _fault("flaky-one-in-ten", "one answer of ten leaks a call, each in its own way", sometimes(0.1, _one_of_leaks)),
    _fault("flaky-one-in-fifty", "one answer of fifty leaks the call", sometimes(0.02, _LEAK.apply), *_LEAK.trips),
)
