"""Faults of what stands around the calls: chunks, choices, roles, deltas."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import (
    SECOND_ID,
    Part,
    chain,
    choice_of,
    delta_of,
    edit,
    edit_all,
    event,
    first_call,
    insert,
    like,
    part_of,
    rebuild,
    retype,
    set_finish,
    template,
)
from toolwire.simulator.faults.fault import declare
from toolwire.simulator.wire import Chunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from random import Random

    from toolwire.simulator.faults.edit import Object
    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item, Wire

__all__ = ["FAULTS"]

_fault = declare("chunks")
_BEFORE_FINISH = (Part.ROLE, Part.REASONING, Part.CONTENT, Part.HEAD, Part.ARGUMENTS)


def _without_key(key: str) -> Change:
    """Leave a field out of every chunk."""
    return edit_all(lambda value: value.pop(key, None))


def _with(**fields: object) -> Change:
    """Set fields of every chunk."""
    return edit_all(lambda value: value.update(fields))


def _choice_key(key: str) -> Change:
    """Leave a key out of every choice."""
    return edit_all(lambda value: choice_of(value).pop(key, None))


def _new_ids(wire: Wire, plan: Plan, dice: Random) -> Wire:
    """Give each chunk an id of its own."""

    def mutate(value: Object) -> None:
        value["id"] = f"chatcmpl-{dice.getrandbits(64):016x}"

    return edit_all(mutate)(wire, plan, dice)


def _role_everywhere(value: Object) -> None:
    """Send the role with each delta."""
    if choice_of(value) and choice_of(value).get("finish_reason") is None:
        delta_of(value)["role"] = "assistant"


def _message_for_delta(value: Object) -> None:
    """Name the delta `message`."""
    choice = choice_of(value)
    if "delta" in choice:
        choice["message"] = choice.pop("delta")


def _whole_message(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Send the calls in a `message` beside an empty delta, with the finish."""
    for item in items:
        part = part_of(item)
        if part is Part.FINISH and plan.calls and isinstance(item, Chunk):
            value = deepcopy(item.value)
            choice_of(value)["message"] = {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments_json},
                    }
                    for call in plan.calls
                ],
            }
            yield Chunk(value)
        elif part not in (Part.HEAD, Part.ARGUMENTS):
            yield item


def _legacy(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Send the first call in the old field."""
    call = first_call(plan)
    for item in items:
        part = part_of(item)
        if call is None or part not in (Part.HEAD, Part.ARGUMENTS):
            yield item
        elif part is Part.HEAD:
            shared = template(items)
            yield like(shared, function_call={"name": call.name, "arguments": ""})
            yield like(shared, function_call={"arguments": call.arguments})


def _set(key: str, value: object) -> Callable[[Object], object]:
    """Make the edit that sets one field of a chunk."""
    return lambda chunk: chunk.update({key: value})


def _odd(mutate: Callable[[Object], object]) -> Change:
    """Send one more chunk before the calls, which is not as it should be."""

    def make(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
        placed = False
        for item in items:
            if not placed and part_of(item) is Part.HEAD:
                placed = True
                value = like(template(items), content="").value
                mutate(value)
                yield Chunk(value)
            yield item

    return rebuild(make)


def _extra(**delta: object) -> Change:
    """Send one more delta before the calls."""

    def make(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
        placed = False
        for item in items:
            if not placed and part_of(item) is Part.HEAD:
                placed = True
                yield like(template(items), **delta)
            yield item

    return rebuild(make)


_DETAILS = _extra(reasoning_details=[{"type": "reasoning.text", "text": "I look."}])
"""Two of these are needed: a single one has nothing to be merged with."""


def _first(change: Object) -> Change:
    """Set fields of the first fragment of arguments' chunk."""
    return edit(Part.ARGUMENTS, lambda value: value.update(change), 0)


def _restart(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Begin the whole answer again within the same stream, as a proxy that tries again does."""
    places = [place for place, item in enumerate(items) if part_of(item) is Part.ARGUMENTS]
    if not places:
        return items
    other = tuple(
        Chunk({**item.value, "id": f"{item.value.get('id')}-again"}) if isinstance(item, Chunk) else item
        for item in items
    )
    return (*items[: places[len(places) // 2]], *other)


def _choices_backwards(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Send the choices from the last to the first."""
    chosen = [item for item in items if isinstance(item, Chunk) and choice_of(item.value)]
    places = sorted({str(choice_of(item.value).get("index")) for item in chosen}, reverse=True)
    for place in places:
        yield from (item for item in chosen if str(choice_of(item.value).get("index")) == place)
    yield from (item for item in items if item not in chosen)


def _later_created(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Count `created` up."""
    for place, item in enumerate(items):
        created = item.value.get("created") if isinstance(item, Chunk) else None
        yield retype(item, created=created + place) if isinstance(created, int) else item


def _late_thought(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Think behind the call."""
    for item in items:
        if part_of(item) is Part.FINISH:
            yield like(template(items), reasoning_content="That was right.")
        yield item


def _custom(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Call a free-form tool."""
    for item in items:
        if part_of(item) is Part.FINISH:
            custom = {"name": "shell", "input": "ls"}
            entry = {"index": len(plan.calls), "id": SECOND_ID, "type": "custom", "custom": custom}
            yield like(template(items), tool_calls=[entry])
        yield item


FAULTS = (
    _fault("chunk-id-missing", "no chunk has an id", _without_key("id"), "chunk-fields"),
    _fault("chunk-object-missing", "no chunk has `object`", _without_key("object"), "chunk-fields"),
    _fault("chunk-created-missing", "no chunk has `created`", _without_key("created"), "chunk-fields"),
    _fault("chunk-model-missing", "no chunk has a model", _without_key("model"), "chunk-fields"),
    _fault(
        "chunk-object-wrong", "chunks call themselves a completion", _with(object="chat.completion"), "chunk-object"
    ),
    _fault("chunk-created-float", "`created` is no whole number", _with(created=1796083200.25), verdict="PASS"),
    _fault("chunk-id-changes", "each chunk has another id", _new_ids, "chunk-id-changes", verdict="PASS"),
    _fault("chunk-model-changes", "one chunk names another model", _first({"model": "other"}), verdict="PASS"),
    _fault(
        "choices-missing", "one chunk has no choices", _odd(lambda value: value.pop("choices")), "choices-not-array"
    ),
    _fault("choices-null", "the choices of one chunk are null", _odd(_set("choices", None)), "choices-not-array"),
    _fault("choices-object", "the choices of one chunk are an object", _odd(_set("choices", {})), "choices-not-array"),
    _fault(
        "choices-empty",
        "the choices of one chunk are empty",
        _odd(_set("choices", [])),
        "choices-empty",
        verdict="PASS",
    ),
    _fault("choice-null", "the choice of one chunk is null", _odd(_set("choices", [None])), "choice-shape"),
    _fault(
        "delta-missing", "one choice has no delta", _odd(lambda value: choice_of(value).pop("delta")), "choice-shape"
    ),
    _fault(
        "delta-null",
        "the delta of one choice is null",
        _odd(lambda value: choice_of(value).update(delta=None)),
        "choice-shape",
    ),
    _fault(
        "delta-list",
        "the delta of one choice is a list",
        _odd(lambda value: choice_of(value).update(delta=[])),
        "choice-shape",
    ),
    _fault(
        "message-for-delta",
        "each delta is named `message`",
        edit_all(_message_for_delta),
        "message-for-delta",
        "choice-shape",
        "role-missing",
        verdict="DROP",
    ),
    _fault(
        "message-at-end",
        "the calls come in a `message` with the finish",
        rebuild(_whole_message),
        "message-for-delta",
        verdict="DROP",
    ),
    _fault("choice-index-missing", "no choice has an index", _choice_key("index"), "choice-index"),
    _fault(
        "choice-index-text",
        "the index of each choice is a string",
        edit_all(lambda value: choice_of(value) and choice_of(value).update(index="0")),
        "choice-index",
    ),
    _fault(
        "choice-index-one",
        "one choice was asked for, and it has the index 1",
        edit_all(lambda value: choice_of(value) and choice_of(value).update(index=1)),
        "choice-index",
    ),
    _fault(
        "finish-key-missing",
        "chunks before the last have no key `finish_reason`",
        chain(*(edit(part, lambda value: choice_of(value).pop("finish_reason")) for part in _BEFORE_FINISH)),
        verdict="PASS",
    ),
    _fault(
        "role-missing",
        "no delta has a role",
        edit(Part.ROLE, lambda value: delta_of(value).pop("role")),
        "role-missing",
        verdict="PASS",
    ),
    _fault(
        "role-empty",
        "the role is an empty string",
        edit(Part.ROLE, lambda value: delta_of(value).update(role="")),
        "role-missing",
        verdict="PASS",
    ),
    _fault(
        "role-wrong",
        "the role is the user's",
        edit(Part.ROLE, lambda value: delta_of(value).update(role="user")),
        "role-missing",
        verdict="PASS",
    ),
    _fault("role-repeated", "each delta has the role", edit_all(_role_everywhere), "role-repeated", verdict="PASS"),
    _fault(
        "content-list",
        "content is a list of parts",
        _extra(content=[{"type": "text", "text": "Reading."}]),
        "content-type-of-delta",
    ),
    _fault("content-number", "content is a number", _extra(content=7), "content-type-of-delta"),
    _fault("reasoning-object", "reasoning is an object", _extra(reasoning_content={"text": "I look."}), verdict="PASS"),
    _fault("refusal-number", "the refusal is a number", _extra(refusal=7), "refusal-type", verdict="PASS"),
    _fault(
        "foreign-ping",
        "a ping of another protocol comes as an event",
        insert(Part.HEAD, event({"type": "ping"})),
        "foreign-event",
    ),
    _fault("foreign-text", "an event holds a string", insert(Part.HEAD, event("keepalive")), "chunk-fields"),
    _fault("foreign-empty", "an event holds an empty object", insert(Part.HEAD, event({})), "foreign-event"),
    _fault(
        "legacy-call",
        "the call comes in the old field `function_call`",
        chain(rebuild(_legacy), set_finish("function_call")),
        "legacy-function-call",
        verdict="DROP",
    ),
    _fault(
        "legacy-null",
        "deltas have `function_call: null`",
        edit(Part.ARGUMENTS, lambda value: delta_of(value).update(function_call=None)),
        "legacy-function-call",
        verdict="PASS",
    ),
    _fault(
        "legacy-empty",
        "deltas have an empty `function_call`",
        edit(Part.ARGUMENTS, lambda value: delta_of(value).update(function_call={})),
        "legacy-function-call",
        verdict="PASS",
    ),
    _fault(
        "details-without-index",
        "reasoning details have no index",
        chain(_DETAILS, _DETAILS),
        "details-without-index",
        verdict="PASS",
    ),
    _fault(
        "logprobs-shape",
        "logprobs are a list",
        edit(Part.ARGUMENTS, lambda value: choice_of(value).update(logprobs=[]), 0),
        "logprobs-shape",
        verdict="PASS",
    ),
    _fault(
        "choices-backwards",
        "choices come from the last to the first; with one choice that is no fault",
        rebuild(_choices_backwards),
        verdict="PASS",
    ),
    _fault(
        "created-changes",
        "each chunk was created a second later",
        rebuild(_later_created),
        verdict="PASS",
    ),
    _fault(
        "reasoning-both-fields",
        "reasoning comes in both of its fields",
        _extra(reasoning="I look.", reasoning_content="I look."),
        verdict="PASS",
    ),
    _fault(
        "reasoning-late",
        "reasoning comes behind the call",
        rebuild(_late_thought),
        verdict="PASS",
    ),
    _fault(
        "custom-call",
        "a call of a free-form tool comes behind the call",
        rebuild(_custom),
        "call-name-undeclared",
    ),
    _fault(
        "restart",
        "the answer begins again within the stream",
        rebuild(_restart),
        "chunk-id-changes",
        "role-repeated",
        "call-id-repeated",
        "call-name-repeated",
        "arguments-resent",
    ),
)
