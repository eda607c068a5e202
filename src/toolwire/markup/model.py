"""The words of the markup scanner: marks, leaked calls, and what a scan found.

Knows: the result types and what may be concluded from them.
Must not know: families, regular expressions, how anything was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwire.jsontext import Json

__all__ = ["EMPTY", "Excuse", "LeakedCall", "Mark", "Scan", "Strength"]


class Strength(StrEnum):
    """How much a mark proves."""

    STRONG = "strong"
    """A marker that occurs in nothing but a model's own markup."""
    CONTEXTUAL = "contextual"
    """A form that other text has too; it counts only with a declared tool name or argument key."""
    WEAK = "weak"
    """A form that never counts by itself."""
    PARTIAL = "partial"
    """A marker whose first or last character is missing, or that the end of the text cut off."""
    STRAY_CLOSE = "stray-close"
    """A closing marker without its opening one."""
    UNKNOWN_DIALECT = "unknown-dialect"
    """A tag of the shape of tool-call markup that no known family has."""
    FRAME = "frame"
    """A channel, wrapper or turn token of a dialect: raw model output, but no call by itself."""
    REASONING = "reasoning"
    """A tag around reasoning."""
    TURN = "turn"
    """A token that ends a turn or message."""


class Excuse(StrEnum):
    """Why a mark was judged to be no leak."""

    CODE = "inside code"
    QUOTED = "quoted"
    MENTIONED = "mentioned in prose"
    PROMPT = "the prompt contains it"
    REQUESTED = "the prompt asks for it"
    UNSUPPORTED = "nothing beside it names a declared tool or argument"
    ANSWERED = "an ordinary answer stands beside it"
    BALANCED = "part of a text that is whole in itself"
    NO_TOOLS = "no tools were offered"


@dataclass(frozen=True, slots=True)
class Mark:
    """One place that looks like markup: `text` is what stands at characters `start` to `end`."""

    start: int
    end: int
    text: str
    strength: Strength
    families: tuple[str, ...] = ()
    """Ids of all families that have this marker; empty for an unknown dialect."""
    excuse: Excuse | None = None
    """Set on marks that were judged to be no leak."""


@dataclass(frozen=True, slots=True)
class LeakedCall:
    """A call that was read out of text; `start` and `end` are character offsets."""

    name: str
    arguments: dict[str, Json] | None
    """None where they could not be read, as those of any call that is not complete."""
    start: int
    end: int
    complete: bool
    """Whether the call is there to its end."""
    declared: bool = False
    """Whether a tool of this name was offered."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What one text holds. An empty scan (`EMPTY`) says that nothing was found."""

    marks: tuple[Mark, ...] = ()
    """Evidence of a leak, by place."""
    calls: tuple[LeakedCall, ...] = ()
    dialects: tuple[str, ...] = ()
    """The families that fit best, the most specific first; families with the same markers stand together."""
    excused: tuple[Mark, ...] = ()
    """Marks that were judged to be no leak, each with its excuse."""

    @property
    def leaked(self) -> bool:
        """Whether this is evidence of a leaked call."""
        return bool(self.marks)

    @property
    def certain(self) -> bool:
        """Whether the evidence leaves no doubt: a marker of its own kind, or a call to a declared tool."""
        return bool(self.marks) and (
            any(mark.strength is Strength.STRONG for mark in self.marks) or any(call.declared for call in self.calls)
        )

    @property
    def proven(self) -> bool:
        """Whether a complete call to a declared tool was read."""
        return bool(self.marks) and any(
            call.complete and call.declared and call.arguments is not None for call in self.calls
        )

    @property
    def first(self) -> Mark | None:
        """The first mark of the leak."""
        return self.marks[0] if self.marks else None


EMPTY = Scan()
"""The scan of a text without any trace of markup."""
