"""All faults of the simulator, in groups."""

from __future__ import annotations

from toolwire.simulator.faults import arguments, finish, ids, indexes, leaks, names
from toolwire.simulator.faults.fault import Fault, by_name_of

__all__ = ["FAULTS", "Fault", "by_name"]

FAULTS: tuple[Fault, ...] = (
    *ids.FAULTS,
    *names.FAULTS,
    *indexes.FAULTS,
    *arguments.FAULTS,
    *finish.FAULTS,
    *leaks.FAULTS,
)

_BY_NAME = by_name_of(FAULTS)


def by_name(name: str) -> Fault:
    """Return the fault with that name; raises `KeyError`."""
    return _BY_NAME[name]
