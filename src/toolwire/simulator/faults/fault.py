"""What a fault is: a named, pure change of a healthy answer, with the rules it must trip.

Knows: the wire. Must not know: decoders, rules, sockets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from random import Random

    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Wire

    Change = Callable[[Wire, Plan, Random], Wire]

__all__ = ["Fault", "by_name_of", "declare"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which an answer goes wrong, or is unusual and yet right."""

    name: str
    summary: str
    trips: frozenset[str]
    """Rules that complain with MUST or SHOULD, exactly, where one call of a required tool was asked for."""
    verdict: str
    """The verdict of that answer."""
    apply: Change
    """Change a healthy answer; chance comes from the dice alone."""
    group: str
    hostile: bool = False
    """Whether it attacks the reader's memory or patience: endless, gigantic, or hardly moving."""


def declare(group: str) -> Callable[..., Fault]:
    """Return a constructor of the faults of one group; a fault is BROKEN unless it says otherwise."""

    def fault(
        name: str, summary: str, apply: Change, *trips: str, verdict: str = "BROKEN", hostile: bool = False
    ) -> Fault:
        return Fault(name, summary, frozenset(trips), verdict, apply, group, hostile)

    return fault


def by_name_of(faults: Iterable[Fault]) -> dict[str, Fault]:
    """Index faults by name; raises `ValueError` where two have the same one."""
    found: dict[str, Fault] = {}
    for fault in faults:
        if fault.name in found:
            raise ValueError(f"two faults are named {fault.name}")
        found[fault.name] = fault
    return found
