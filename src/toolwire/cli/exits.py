"""The exit codes (design, section 6); `docs/reference/exit-codes.md` is made from this."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["MEANINGS", "Exit"]


class Exit(IntEnum):
    """What the exit code of a command means."""

    CONFORMS = 0
    FAILS = 1
    USAGE = 2
    NO_ANSWER = 3
    INTERNAL = 4


MEANINGS: dict[Exit, str] = {
    Exit.CONFORMS: "judged, and conforms",
    Exit.FAILS: "judged, and something fails",
    Exit.USAGE: "usage, configuration or suite wrong; nothing was sent",
    Exit.NO_ANSWER: "no answer: unreachable, refused, no case selected, every trial ERROR, or undecided",
    Exit.INTERNAL: "internal error: a bug in toolwire",
}
