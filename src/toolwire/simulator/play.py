"""A request's answer without sockets: the wire that the server would send, and what a reader would have recorded of it.

Knows: plans, faults, the exchange's JSON form (design, section 5). Must not know: sockets, clocks, our own readers.
"""

from __future__ import annotations

import base64
import random
from typing import TYPE_CHECKING

from toolwire.simulator.faults import by_name
from toolwire.simulator.forms import Dialect, stream
from toolwire.simulator.script import plan_answer
from toolwire.simulator.wire import Ending, Pause, frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolwire.simulator.wire import Wire

__all__ = ["plan_wire", "wire_exchange"]

FIRST = 0.2
"""Seconds to the first byte of an answer that nobody paces."""

STEP = 0.05
"""Seconds between two items: twenty tokens a second."""

_ENDS = {Ending.CLEAN: "eof", Ending.CUT: "reset", Ending.RESET: "reset"}


def plan_wire(
    request: Mapping[str, object], fault: str = "", seed: int = 0, dialect: Dialect | str = Dialect.OPENAI
) -> Wire:
    """Return the answer to the body of a streamed request, with a fault (empty: none) put into it.

    The same arguments give the same bytes. Raises `KeyError` where no fault has that name.
    """
    plan = plan_answer(request, seed=seed)
    healthy = stream(plan, dialect=dialect)
    if not fault:
        return healthy
    return by_name(fault).apply(healthy, plan, random.Random(seed))  # noqa: S311 - a seeded choice, no secret


def wire_exchange(
    wire: Wire, request: Mapping[str, object], *, identity: str = "simulator", step: float = STEP
) -> dict[str, object]:
    """Return the exchange that recorded this answer, read item by item, as plain JSON values.

    Pauses of the wire pass on a clock of its own; an endless wire is recorded up to its first repetition.
    """
    at = FIRST
    reads: list[dict[str, object]] = []
    held = b""
    for item in wire.items:
        if isinstance(item, Pause):
            at += item.seconds
            continue
        at += step
        data = frame(item)
        if wire.one_write:
            held += data
        elif data:
            reads.append(_read(at, data))
    if held:
        reads.append(_read(at, held))
    headers = {name.lower(): value for name, value in wire.headers.items()}
    return {
        "id": identity,
        "protocol": "chat",
        "request": dict(request),
        "response": {"status": wire.status, "headers": headers},
        "reads": reads,
        "end": _ENDS[wire.ending],
        "expect": None,
        "twin": None,
        "generated": None,
    }


def _read(at: float, data: bytes) -> dict[str, object]:
    """Write one read in the form that people can read, if there is one."""
    try:
        return {"at": round(at, 6), "text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"at": round(at, 6), "base64": base64.b64encode(data).decode("ascii")}
