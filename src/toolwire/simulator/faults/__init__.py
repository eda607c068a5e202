"""All faults of the simulator, in groups.

Each is a pure change of a healthy answer and says which rules it trips, so that the judge is measured by all of them.
Must not know: how answers are read or judged.
"""

from __future__ import annotations

from dataclasses import replace

from toolwire.simulator.faults import (
    arguments,
    chance,
    chunks,
    contract,
    ends,
    errors,
    finish,
    framing,
    hostile,
    ids,
    indexes,
    leaks,
    legal,
    names,
    text,
    timing,
    usage,
)
from toolwire.simulator.faults.fault import Fault, by_name_of

__all__ = ["FAULTS", "Fault", "by_name"]

FAULTS: tuple[Fault, ...] = (
    *ids.FAULTS,
    *names.FAULTS,
    *indexes.FAULTS,
    *arguments.FAULTS,
    *finish.FAULTS,
    *leaks.FAULTS,
    *text.FAULTS,
    *chunks.FAULTS,
    *usage.FAULTS,
    *contract.FAULTS,
    *errors.FAULTS,
    *framing.FAULTS,
    *ends.FAULTS,
    *timing.FAULTS,
    *legal.FAULTS,
    *chance.FAULTS,
    *hostile.FAULTS,
)

_BY_NAME = by_name_of(FAULTS)

ALWAYS = 100
"""Percent that leave nothing to chance."""


def by_name(name: str) -> Fault:
    """Return the fault with that name; `NAME@PERCENT` is put into that share of the answers only.

    Raises `KeyError` where there is none.
    """
    plain, at, percent = name.partition("@")
    fault = _BY_NAME[plain]
    if not at:
        return fault
    if not percent.isascii() or not percent.isdecimal() or int(percent) > ALWAYS:
        raise KeyError(name)
    summary = f"{fault.summary}, in {percent} answers of a hundred"
    change = chance.sometimes(int(percent) / ALWAYS, fault.apply)
    return replace(fault, name=name, summary=summary, apply=change, group="chance")
