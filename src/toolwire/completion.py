"""What a client holds at the end of an answer, for any protocol, with the provenance of every fragment.

A decoder of `toolwire.protocol` fills these by appending; afterwards they are only read. Nothing is repaired here:
a call that came without an id has none, a name that came twice stands there twice.

Knows: text, reasoning, calls, finish, usage, and which event carried what.
Must not know: wire forms, verdicts.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolwire.jsontext import Json

__all__ = ["Call", "Choice", "Completion", "Finish", "Said", "TextTrack", "Usage"]


class TextTrack:
    """A text that arrives in fragments: the joined text, and which event carried which part of it."""

    __slots__ = ("_ends", "_joined", "events", "parts")

    def __init__(self) -> None:
        """Start empty."""
        self.parts: list[str] = []
        """The fragments as they came; empty ones are kept."""
        self.events: list[int] = []
        """The number of the event that carried each fragment."""
        self._joined: str | None = None
        self._ends: list[int] | None = None

    def add(self, text: str, event: int) -> None:
        """Append a fragment that came in event number `event`."""
        self.parts.append(text)
        self.events.append(event)
        self._joined = None
        self._ends = None

    def extend(self, texts: Iterable[str], events: Iterable[int]) -> None:
        """Append fragments with the numbers of their events."""
        self.parts.extend(texts)
        self.events.extend(events)
        self._joined = None
        self._ends = None

    @property
    def text(self) -> str:
        """The joined text."""
        if self._joined is None:
            self._joined = _whole_pairs("".join(self.parts))
        return self._joined

    def event_at(self, offset: int) -> int:
        """Return the number of the event that carried the character at `offset` (clamped to the text)."""
        if self._ends is None:
            ends: list[int] = []
            total = 0
            for part in self.parts:
                total += len(part)
                ends.append(total)
            self._ends = ends
        place = bisect_right(self._ends, max(offset, 0))
        return self.events[min(place, len(self.events) - 1)]

    def first_event(self) -> int | None:
        """Return the event of the first non-empty fragment."""
        for part, event in zip(self.parts, self.events, strict=True):
            if part:
                return event
        return None

    def __bool__(self) -> bool:
        """Whether there is any text at all."""
        return bool(self.text)


def _whole_pairs(text: str) -> str:
    """Join surrogate pairs whose halves came in two fragments: joined they are one character (rule book J-03)."""
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Said:
    """A value that one event carried."""

    value: str
    event: int


@dataclass(frozen=True, slots=True)
class Finish:
    """One finish reason that is not null; `value` is as it came, also where it is no string."""

    value: Json
    event: int
    empty_delta: bool
    """Whether the delta beside it carried nothing."""


@dataclass(slots=True)
class Call:
    """One call as it came together under one index."""

    choice: int
    index: int
    """The index under which it came; where there was none, the place where it would belong."""
    position: int
    """Its place among the calls of its choice, by order of appearance, from 0."""
    first_event: int
    last_event: int
    ids: list[Said] = field(default_factory=list)
    """Every non-empty id."""
    names: list[Said] = field(default_factory=list)
    """Every non-empty fragment of the name."""
    types: list[Said] = field(default_factory=list)
    arguments: TextTrack = field(default_factory=TextTrack)
    object_arguments: Json = None
    """Arguments that came as a JSON value where a string belongs (the last such value); None where none did."""
    custom_input: TextTrack | None = None
    """The input of a custom (free-form) tool."""
    stray: bool = False
    """Fragments without index, id or name that belong to no call which was opened."""

    @property
    def id(self) -> str | None:
        """The first id."""
        return self.ids[0].value if self.ids else None

    @property
    def name(self) -> str:
        """All fragments of the name, joined, as accumulating clients do."""
        names = self.names
        if len(names) == 1:
            return names[0].value
        return "".join(part.value for part in names)


@dataclass(slots=True)
class Choice:
    """One of the alternatives of an answer; protocols without choices have exactly one."""

    index: int
    first_event: int
    last_event: int
    role: str | None = None
    content: TextTrack = field(default_factory=TextTrack)
    reasoning: TextTrack = field(default_factory=TextTrack)
    refusal: TextTrack = field(default_factory=TextTrack)
    calls: list[Call] = field(default_factory=list)
    finishes: list[Finish] = field(default_factory=list)
    foreign_calls: list[Said] = field(default_factory=list)
    """Calls in a field that is not the protocol's own (an old one, or a message where a delta belongs), as JSON."""

    @property
    def finish(self) -> str | None:
        """The first finish reason that is a non-empty string."""
        for finish in self.finishes:
            if isinstance(finish.value, str) and finish.value:
                return finish.value
        return None


@dataclass(frozen=True, slots=True)
class Usage:
    """One usage object as it came."""

    value: dict[str, Json]
    event: int

    def number(self, key: str) -> int | None:
        """Return a count, or None where it is missing or no whole number."""
        value = self.value.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None


@dataclass(slots=True)
class Completion:
    """A whole answer."""

    choices: dict[int, Choice] = field(default_factory=dict)
    usages: list[Usage] = field(default_factory=list)
    """Usage objects: the first few and the last one."""
    usage_count: int = 0
    errors: list[Said] = field(default_factory=list)
    """Error objects in the stream, as JSON text."""
    terminals: list[int] = field(default_factory=list)
    """Events that end the stream by the protocol's rule (`[DONE]`, a terminal event)."""
    chunks: int = 0
    """How many events were pieces of the answer."""
    model: str | None = None
    fingerprint: str | None = None
    last_event: int = -1

    @property
    def calls(self) -> Iterator[Call]:
        """All calls of all choices."""
        for choice in self.choices.values():
            yield from choice.calls

    @property
    def usage(self) -> Usage | None:
        """The last usage object."""
        return self.usages[-1] if self.usages else None
