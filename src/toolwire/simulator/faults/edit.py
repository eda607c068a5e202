"""The few ways in which faults change an answer: edit chunks of one part, put items beside them, replace them.

Knows: what each chunk of a healthy answer carries. Must not know: which fault wants what.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, cast

from toolwire.simulator.wire import Chunk, Done, Raw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from random import Random

    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item, Wire

    Object = dict[str, object]

__all__ = [
    "SECOND_ID",
    "Call",
    "Part",
    "as_object",
    "assistant_calls",
    "chain",
    "choice_of",
    "content_instead",
    "delta_of",
    "edit",
    "edit_all",
    "ended",
    "entry_of",
    "event",
    "first_call",
    "function_of",
    "head_fields",
    "insert",
    "join_arguments",
    "like",
    "part_of",
    "pieces",
    "rebuild",
    "replace_part",
    "retype",
    "second_call",
    "set_finish",
    "template",
    "without",
]


SECOND_ID = "call_7Kp2mZq9Xw4LtR8v"
"""The id of the call that faults add to the planned ones."""


class Part(StrEnum):
    """What an item of a healthy answer carries."""

    ROLE = "role"
    REASONING = "reasoning"
    CONTENT = "content"
    HEAD = "head"
    """The first fragment of a call: index, id, type, name."""
    ARGUMENTS = "arguments"
    """A later fragment of a call."""
    FINISH = "finish"
    USAGE = "usage"
    DONE = "done"
    OTHER = "other"


class Call(NamedTuple):
    """A call as faults speak of it."""

    name: str
    arguments: str
    id: str

    @property
    def values(self) -> Object:
        """The arguments as an object."""
        return as_object(json.loads(self.arguments))


def as_object(value: object) -> Object:
    """Return `value` where it is an object, else an empty one."""
    return cast("Object", value) if isinstance(value, dict) else {}


def _first(value: object) -> Object:
    """Return the first object of a list."""
    return as_object(value[0]) if isinstance(value, list) and value else {}


def choice_of(value: Object) -> Object:
    """Return the first choice of a chunk."""
    return _first(value.get("choices"))


def delta_of(value: Object) -> Object:
    """Return the delta of a chunk."""
    return as_object(choice_of(value).get("delta"))


def entry_of(value: Object) -> Object:
    """Return the first entry of `tool_calls` of a chunk."""
    return _first(delta_of(value).get("tool_calls"))


def function_of(value: Object) -> Object:
    """Return the function of the first entry of `tool_calls` of a chunk."""
    return as_object(entry_of(value).get("function"))


def part_of(item: Item) -> Part:
    """Tell what an item carries."""
    if isinstance(item, Done):
        return Part.DONE
    if not isinstance(item, Chunk):
        return Part.OTHER
    value = item.value
    if not value.get("choices"):
        return Part.USAGE if value.get("usage") else Part.OTHER
    entry = entry_of(value)
    if entry:
        return Part.HEAD if function_of(value).get("name") else Part.ARGUMENTS
    if choice_of(value).get("finish_reason") is not None:
        return Part.FINISH
    delta = delta_of(value)
    if "role" in delta:
        return Part.ROLE
    if delta.get("reasoning_content") is not None or delta.get("reasoning") is not None:
        return Part.REASONING
    return Part.CONTENT if "content" in delta else Part.OTHER


def chain(*changes: Change) -> Change:
    """Make one change of several, in order."""

    def change(wire: Wire, plan: Plan, dice: Random) -> Wire:
        for each in changes:
            wire = each(wire, plan, dice)
        return wire

    return change


def rebuild(make: Callable[[tuple[Item, ...], Plan], Iterable[Item]]) -> Change:
    """Make the items anew from those of the healthy answer and the plan."""

    def change(wire: Wire, plan: Plan, _dice: Random) -> Wire:
        return replace(wire, items=tuple(make(wire.items, plan)))

    return change


def _places(items: Sequence[Item], part: Part, which: int | None) -> frozenset[int]:
    """Return the places of a part: all, or the one numbered `which` (negative: from the end)."""
    places = [place for place, item in enumerate(items) if part_of(item) is part]
    if which is None:
        return frozenset(places)
    return frozenset(places[which : which + 1 or None])


def edit(part: Part, mutate: Callable[[Object], object], which: int | None = None) -> Change:
    """Edit copies of the chunks of a part in place."""

    def make(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
        places = _places(items, part, which)
        for place, item in enumerate(items):
            if place in places and isinstance(item, Chunk):
                value = deepcopy(item.value)
                mutate(value)
                yield Chunk(value)
            else:
                yield item

    return rebuild(make)


def edit_all(mutate: Callable[[Object], object]) -> Change:
    """Edit copies of all chunks in place."""

    def make(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
        for item in items:
            if isinstance(item, Chunk):
                value = deepcopy(item.value)
                mutate(value)
                yield Chunk(value)
            else:
                yield item

    return rebuild(make)


def replace_part(part: Part, make: Callable[[Object], Iterable[Item]], which: int | None = None) -> Change:
    """Put what `make` returns in the place of the chunks of a part; it gets a copy of each."""

    def again(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
        places = _places(items, part, which)
        for place, item in enumerate(items):
            if place in places:
                yield from make(deepcopy(item.value) if isinstance(item, Chunk) else {})
            else:
                yield item

    return rebuild(again)


def without(*parts: Part) -> Change:
    """Leave parts out."""
    return rebuild(lambda items, _plan: (item for item in items if part_of(item) not in parts))


def insert(part: Part, *extra: Item, which: int | None = 0, behind: bool = False) -> Change:
    """Put items before or behind the first (or `which`) chunk of a part."""

    def make(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
        places = _places(items, part, which)
        for place, item in enumerate(items):
            if place in places and not behind:
                yield from extra
            yield item
            if place in places and behind:
                yield from extra

    return rebuild(make)


def template(items: Iterable[Item]) -> Object:
    """Return the fields that all chunks of an answer share."""
    for item in items:
        if isinstance(item, Chunk) and item.value.get("choices"):
            return {key: deepcopy(value) for key, value in item.value.items() if key not in ("choices", "usage")}
    return {}


def like(shared: Object, **delta: object) -> Chunk:
    """Make a chunk with the shared fields of an answer and a delta of its own."""
    return ended(shared, None, **delta)


def ended(shared: Object, reason: str | None, **delta: object) -> Chunk:
    """Make such a chunk with a reason to finish."""
    return Chunk({**shared, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


def retype(item: Item, **fields: object) -> Item:
    """Return a chunk with other top-level fields."""
    return Chunk({**item.value, **fields}) if isinstance(item, Chunk) else item


def set_finish(reason: object) -> Change:
    """Give another reason to finish."""
    return edit(Part.FINISH, lambda value: choice_of(value).update(finish_reason=reason))


def head_fields(call: Call, index: int) -> Object:
    """Write a whole call as one entry of `tool_calls`."""
    return {
        "index": index,
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def assistant_calls(plan: Plan) -> list[Call]:
    """Return the planned calls and behind them one more, for faults that need a second.

    The one more goes to a tool that needs no arguments where there is one, else it is the first call again.
    """
    calls = [Call(call.name, call.arguments_json, call.id) for call in plan.calls]
    if not calls:
        return calls
    tools = plan.request.get("tools")
    for tool in tools if isinstance(tools, list) else []:
        function = as_object(as_object(tool).get("function"))
        name = function.get("name")
        other = isinstance(name, str) and name != calls[0].name
        if other and not as_object(function.get("parameters")).get("required"):
            return [*calls, Call(str(name), "{}", SECOND_ID)]
    return [*calls, calls[0]._replace(id=SECOND_ID)]


def first_call(plan: Plan) -> Call | None:
    """Return the first planned call."""
    return next(iter(assistant_calls(plan)), None)


def content_instead(text: Callable[[list[Call]], str], *, finish: str = "stop", field: str = "content") -> Change:
    """Send the planned calls as text in a field of the delta, cut into small deltas, and finish otherwise."""

    def make(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
        calls = assistant_calls(plan)[:-1]
        shared = template(items)
        placed = not calls
        for item in items:
            part = part_of(item)
            if part in (Part.HEAD, Part.ARGUMENTS):
                if not placed:
                    placed = True
                    yield from (like(shared, **{field: piece}) for piece in pieces(text(calls)))
            else:
                yield item

    cut = rebuild(make)

    def change(wire: Wire, plan: Plan, dice: Random) -> Wire:
        return set_finish(finish)(cut(wire, plan, dice), plan, dice) if plan.calls else wire

    return change


def second_call(index: int | None = None, **fields: object) -> Change:
    """Send one more call in one delta before the finish, at the next index or another, with other fields if given."""

    def make(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
        calls = assistant_calls(plan)
        shared = template(items)
        for item in items:
            if calls and part_of(item) is Part.FINISH:
                place = len(calls) - 1 if index is None else index
                yield like(shared, tool_calls=[{**head_fields(calls[-1], place), **fields}])
            yield item

    return rebuild(make)


def join_arguments(*before: Item) -> Change:
    """Send all arguments of each call in one delta, behind other items."""

    def make(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
        calls = iter(enumerate(plan.calls))
        for item in items:
            part = part_of(item)
            if part is not Part.ARGUMENTS:
                yield item
            if part is Part.HEAD and (planned := next(calls, None)) is not None:
                place, call = planned
                yield from before
                entry = {"index": place, "function": {"arguments": call.arguments_json}}
                yield like(template(items), tool_calls=[entry])

    return rebuild(make)


PIECE = 5
"""Characters of one delta of text, few enough that every marker is split."""


def pieces(text: str) -> list[str]:
    """Cut text as a server that sends token by token does."""
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def event(value: object) -> Raw:
    """Write any JSON value as one event."""
    return Raw(b"data: " + json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n\n")
