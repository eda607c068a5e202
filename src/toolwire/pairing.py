"""Which calls of two lists belong together, and where two JSON values differ.

Both lists say what the same answer should hold: what was wanted and what came, what the model wrote and what the
stream carried. Order is not used to pair them, because parallel calls have none; it can be checked afterwards.

Knows: names, argument objects, paths into JSON.
Must not know: where the lists come from, levels, verdicts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolwire.jsontext import read_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from toolwire.jsontext import Json

__all__ = [
    "Difference",
    "Pairing",
    "PlainCall",
    "differences",
    "pair_calls",
    "same_value",
    "same_written",
    "show_call",
    "show_value",
]

SHOWN = 160
"""Characters of a value that a message quotes."""

DIFFERENCES = 8
"""Differences of one pair of values that are listed; more of them tell nothing new."""

PAIRED = 256
"""Calls of each list that are paired: above any real turn, and pairing stays cheap whatever a peer sends."""


@dataclass(frozen=True, slots=True)
class PlainCall:
    """A call without its provenance."""

    name: str
    arguments: Json
    """The object; the text as it came where it is none; None in a wanted call means that any arguments will do."""
    position: int
    """Its place in its list, from 0."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """What belongs together, and what is left over on either side."""

    equal: tuple[tuple[PlainCall, PlainCall], ...]
    """Pairs that are the same."""
    unequal: tuple[tuple[PlainCall, PlainCall], ...]
    """Pairs with the same name and other arguments."""
    missing: tuple[PlainCall, ...]
    """Wanted, and not there."""
    extra: tuple[PlainCall, ...]
    """There, and not wanted."""

    @property
    def in_order(self) -> bool:
        """Whether the pairs come in the order in which they were wanted."""
        pairs = sorted(self.equal + self.unequal, key=lambda pair: pair[0].position)
        places = [came.position for _, came in pairs]
        return places == sorted(places)


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where a value is not what it should be; a side that lacks the place has `absent` words instead."""

    path: str
    wanted: str
    came: str


def pair_calls(
    wanted: Sequence[PlainCall],
    came: Sequence[PlainCall],
    same: Callable[[Json, Json], bool] | None = None,
) -> Pairing:
    """Pair equal calls first, then calls of one name in their order; `same` compares two argument objects."""
    equals = same or same_value
    free = list(came[:PAIRED])
    equal: list[tuple[PlainCall, PlainCall]] = []
    waiting: list[PlainCall] = []
    # calls whose arguments are known choose first, so that a call that takes any arguments does not rob them
    for call in sorted(wanted[:PAIRED], key=lambda call: (call.arguments is None, call.position)):
        match = next((other for other in free if _is_same(call, other, equals)), None)
        if match is None:
            waiting.append(call)
        else:
            free.remove(match)
            equal.append((call, match))
    unequal: list[tuple[PlainCall, PlainCall]] = []
    missing: list[PlainCall] = []
    for call in waiting:
        match = next((other for other in free if other.name == call.name), None)
        if match is None:
            missing.append(call)
        else:
            free.remove(match)
            unequal.append((call, match))
    return Pairing(tuple(equal), tuple(unequal), tuple(missing), tuple(free))


def _is_same(wanted: PlainCall, came: PlainCall, equals: Callable[[Json, Json], bool]) -> bool:
    """Whether one call may stand for the other."""
    if wanted.name != came.name:
        return False
    return wanted.arguments is None or equals(wanted.arguments, came.arguments)


def same_value(left: Json, right: Json) -> bool:
    """Whether two JSON values are equal: 1 and 1.0 are, 1 and true are not; the order of keys does not count."""
    return next(differences(left, right), None) is None


def differences(wanted: Json, came: Json) -> Iterator[Difference]:
    """Yield where `came` is not `wanted`, at most `DIFFERENCES` times, in the order of the wanted value."""
    found = 0
    stack: list[tuple[str, Json, Json]] = [("", wanted, came)]
    while stack and found < DIFFERENCES:
        path, left, right = stack.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            for key in right:
                if key not in left and found < DIFFERENCES:
                    found += 1
                    yield Difference(_join(path, key), "no such key", show_value(right[key]))
            for key in left:
                if key not in right and found < DIFFERENCES:
                    found += 1
                    yield Difference(_join(path, key), show_value(left[key]), "no such key")
            stack.extend((_join(path, key), left[key], right[key]) for key in reversed(list(left)) if key in right)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                found += 1
                yield Difference(path, f"{len(left)} items", f"{len(right)} items: {show_value(right)}")
            else:
                stack.extend((f"{path}[{place}]", left[place], right[place]) for place in reversed(range(len(left))))
        elif not _same_scalar(left, right):
            found += 1
            yield Difference(path, show_value(left), show_value(right))


def same_written(written: Json, came: Json) -> bool:
    """As `same_value`, but a text that was written where only text can stand equals the value that it spells.

    A parameter between tags has no type, and white space at its ends belongs to the tags: `5` and 5, `[1]` and the
    list, a line and the same line with a line feed are the same there.
    """
    stack: list[tuple[Json, Json]] = [(written, came)]
    while stack:
        left, right = stack.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            stack.extend((left[key], right[key]) for key in left)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            stack.extend(zip(left, right, strict=True))
        elif isinstance(left, str):
            if not _spells(left, right):
                return False
        elif not _same_scalar(left, right):
            return False
    return True


def _spells(text: str, value: Json) -> bool:
    """Whether `text` is how `value` is written between tags."""
    if isinstance(value, str):
        return text.strip() == value.strip()
    reading = read_json(text)
    return (reading.ok and same_value(reading.value, value)) or text.strip().lower() == str(value).lower()


def _same_scalar(left: Json, right: Json) -> bool:
    """Compare two values of which at most one is a container."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right
    return type(left) is type(right) and left == right


def _join(path: str, key: str) -> str:
    """Add a key to a path."""
    plain = key.isidentifier()
    return (f"{path}.{key}" if path else key) if plain else f"{path}[{json.dumps(key, ensure_ascii=False)}]"


def show_value(value: Json) -> str:
    """Write a value for a message, cut to what fits."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"


def show_call(call: PlainCall) -> str:
    """Write a call for a message."""
    shown = "…" if call.arguments is None else show_value(call.arguments)
    return f"{call.name}({shown})"
