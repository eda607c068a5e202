"""What the simulator puts on the wire, as data: a head, items one after the other, and how it ends.

A fault is a pure change of a `Wire`. Nothing here knows sockets, and nothing here is shared with our own decoders.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Chunk", "Done", "Ending", "Item", "Pause", "Raw", "Wire", "frame"]


class Ending(StrEnum):
    """How the connection ends behind the last item."""

    CLEAN = "clean"
    """With the transport's own end."""
    CUT = "cut"
    """Closed without the transport's own end."""
    RESET = "reset"
    """Broken off by a reset."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One JSON payload, sent as one event `data: …`."""

    value: dict[str, object]


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes that are sent as they stand."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Done:
    """The event `data: [DONE]`."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A silence, in seconds."""

    seconds: float


Item = Chunk | Raw | Done | Pause


@dataclass(frozen=True, slots=True)
class Wire:
    """One answer as it is to be sent."""

    items: tuple[Item, ...]
    status: int = 200
    headers: dict[str, str] = field(
        default_factory=lambda: {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
    )
    ending: Ending = Ending.CLEAN
    one_write: bool = False
    """Whether all bytes go out in one write at the end, as a buffering proxy sends them."""
    close_delimited: bool = False
    """Whether only the end of the connection ends the body, without chunks or a length (RFC 9112, section 6.3)."""
    endless: bool = False
    """Whether the last item is repeated for ever; only the server plays that."""


def frame(item: Item) -> bytes:
    """Return the bytes of an item; a pause has none."""
    if isinstance(item, Chunk):
        return b"data: " + json.dumps(item.value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n\n"
    if isinstance(item, Raw):
        return item.data
    return b"data: [DONE]\n\n" if isinstance(item, Done) else b""
