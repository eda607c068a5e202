"""A quick way through runs of chunks that are the same but for one piece of text.

Most chunks of a stream repeat the one before them, character by character, around a string: the next piece of the
content, of the reasoning, or of the arguments of a call. Reading the whole of each again tells nothing new. This is
exact, for two reasons.

The text. Where a string stands as a value in a valid document, with no bracket or name cut, the characters before it
(`prefix`) and behind it (`suffix`) make a valid document with any other string in its place: JSON's grammar does not
look into a string to decide what may follow, and quotes keep its characters apart from their neighbours. The tree is
then the same but for that one value, and so are duplicate names, odd numbers and the depth. That the place really is
that value is not concluded from a search: a text that stands nowhere else is put there, the whole is read strictly,
and it must be found where the value belongs. Each later string is read strictly by the same reader; what it refuses,
and what is no string, leaves the lane.

The effects. A run begins right behind a chunk that was taken in full and about which nothing was odd, and nothing but
chunks of the lane comes in between, so all that the accumulator compares with (id, model, the open calls, whether the
choice has finished) is as that chunk left it. A chunk of these forms then changes nothing but the counts and the track:
no field is there that acts once (a role, a finish, a usage), nor one that acts differently the second time.

Knows: the form of a chunk that only carries text. Must not know: what is odd about any other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jiter

from toolwire.jsontext import read_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolwire.completion import Call, Completion, TextTrack
    from toolwire.framing import Event
    from toolwire.jsontext import Json
    from toolwire.protocol.chat_choice import ChoiceReader

__all__ = ["Lane", "find_lane"]

_MARK = "a text that stands nowhere else\u241f"
"""Put in the place of a value, to see that it is one; an event that holds it has no lane."""

_VALUE = re.compile(r'"[a-z_]+"[ \t\r\n]*+:[ \t\r\n]*+(?P<value>"[^"\\]*+(?:\\.[^"\\]*+)*+")', re.DOTALL)

_TEXTS = ("content", "reasoning_content", "reasoning")
_SILENT = frozenset({*_TEXTS, "tool_calls", "refusal"})
"""Keys of a delta that say nothing when they are null, nor do texts when they are empty."""


@dataclass(slots=True)
class Lane:
    """The text around the value, and what a value is added to."""

    prefix: str
    suffix: str
    reader: ChoiceReader
    track: TextTrack
    call: Call | None
    """The call whose arguments they are; None for a text."""

    def run(self, events: Sequence[Event], place: int, completion: Completion) -> int:
        """Take the events from `place` on that fit, and return the place of the first that does not."""
        prefix, suffix = self.prefix, self.suffix
        head, tail = len(prefix), len(suffix)
        keep_empty = self.call is not None
        read = jiter.from_json
        values: list[str] = []
        numbers: list[int] = []
        begin, end = place, len(events)
        while place < end:
            event = events[place]
            data = event.data
            if not (data.startswith(prefix) and data.endswith(suffix)) or event.name:
                break
            try:
                value = read(data[head : len(data) - tail].encode())
            except ValueError:
                break
            if type(value) is not str:
                break
            if value or keep_empty:
                values.append(value)
                numbers.append(event.number)
            place += 1
        self.track.extend(values, numbers)
        if place > begin:
            last = events[place - 1].number
            completion.last_event = self.reader.choice.last_event = last
            completion.chunks += place - begin
            self.reader.deltas += place - begin
            if self.call is not None:
                self.call.last_event = last
        return place


def find_lane(event: Event, following: str, chunk: Json, readers: dict[int, ChoiceReader]) -> Lane | None:
    """Return the lane behind an event, where the `following` data may fit it.

    The event's chunk was taken in full just now by these readers, and nothing was noted about it: so its choice and its
    call are known, the choice has not finished, and no text came behind a call.
    """
    aim = _aim(chunk)
    if aim is None:
        return None
    reader = readers[aim.choice]
    call = None if aim.call is None else reader.calls.by_index[aim.call]
    if call is not None:
        track = call.arguments
    else:
        track = reader.choice.content if aim.key == "content" else reader.choice.reasoning
    around = _around(event.data, aim.key, following)
    if around is None:
        return None
    prefix, suffix = around
    marked = read_json(f'{prefix}"{_MARK}"{suffix}')
    there = _aim(marked.value) if marked.ok and not marked.problems else None
    if there is None or (there.key, there.value) != (aim.key, _MARK):
        return None
    return Lane(prefix, suffix, reader, track, call)


def _around(data: str, key: str, following: str) -> tuple[str, str] | None:
    """Return what stands before and behind the last value of a key, where `following` may fit it."""
    found = _VALUE.match(data, max(data.rfind(f'"{key}"'), 0))
    if found is None or _MARK in data:
        return None
    start, end = found.span("value")
    prefix, suffix = data[:start], data[end:]
    return (prefix, suffix) if following.startswith(prefix) and following.endswith(suffix) else None


@dataclass(frozen=True, slots=True)
class _Aim:
    """Where the one piece of text of a chunk belongs."""

    choice: int
    call: int | None
    key: str
    value: str


def _aim(chunk: Json) -> _Aim | None:
    """Return where the one piece of text of a chunk belongs; None for a chunk that does more than carry it."""
    if not isinstance(chunk, dict) or chunk.get("usage") is not None:
        return None
    choices = chunk.get("choices")
    entry = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
    if not isinstance(entry, dict) or "message" in entry:
        return None
    if entry.get("finish_reason") is not None or entry.get("logprobs") is not None:
        return None
    index, delta = entry.get("index"), entry.get("delta")
    if type(index) is not int or not isinstance(delta, dict) or not _SILENT.issuperset(delta):
        return None
    said = [(key, value) for key, value in delta.items() if value is not None and (value != "" or key not in _TEXTS)]
    if len(said) != 1:
        return None
    key, value = said[0]
    if key == "tool_calls":
        return _aim_at_call(index, value)
    return _Aim(index, None, key, value) if key in _TEXTS and isinstance(value, str) else None


def _aim_at_call(choice: int, calls: Json) -> _Aim | None:
    """Return the aim of `tool_calls` with one entry that carries nothing but arguments."""
    entry = calls[0] if isinstance(calls, list) and len(calls) == 1 else None
    if not isinstance(entry, dict) or not {"index", "id", "function"}.issuperset(entry) or entry.get("id"):
        return None
    index, function = entry.get("index"), entry.get("function")
    if type(index) is not int or not isinstance(function, dict) or not {"name", "arguments"}.issuperset(function):
        return None
    arguments = function.get("arguments")
    if function.get("name") or not isinstance(arguments, str):
        return None
    return _Aim(choice, index, "arguments", arguments)
