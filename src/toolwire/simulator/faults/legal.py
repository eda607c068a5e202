"""No faults: unusual answers that are right, and that a judge must pass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import (
    Call,
    Part,
    chain,
    choice_of,
    delta_of,
    edit,
    edit_all,
    ended,
    entry_of,
    function_of,
    head_fields,
    insert,
    join_arguments,
    like,
    part_of,
    rebuild,
    replace_part,
    second_call,
    template,
)
from toolwire.simulator.faults.fault import declare
from toolwire.simulator.faults.text import THOUGHT, said
from toolwire.simulator.wire import Chunk, Raw, frame

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from toolwire.simulator.faults.edit import Object
    from toolwire.simulator.faults.fault import Change, Fault
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item, Wire

__all__ = ["FAULTS"]

_fault = declare("legal")
TORN = 37
"""Bytes of a piece where the body is torn anywhere."""
_WITH_CHOICES = (Part.ROLE, Part.REASONING, Part.CONTENT, Part.HEAD, Part.ARGUMENTS, Part.FINISH)


def _whole_calls(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Send each call whole in one delta."""
    place = 0
    for item in items:
        part = part_of(item)
        if part is Part.HEAD and place < len(plan.calls):
            call = plan.calls[place]
            entry = head_fields(Call(call.name, call.arguments_json, call.id), place)
            yield like(template(items), tool_calls=[entry])
            place += 1
        elif part is not Part.ARGUMENTS:
            yield item


def _one_event(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Send role, calls and finish in one delta."""
    entries = [
        head_fields(Call(call.name, call.arguments_json, call.id), place) for place, call in enumerate(plan.calls)
    ]
    yield ended(template(items), plan.finish, role="assistant", content=None, tool_calls=entries)
    yield from (item for item in items if part_of(item) in (Part.USAGE, Part.DONE))


def _finish_with_last(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Finish with the last fragment of the arguments."""
    places = [place for place, item in enumerate(items) if part_of(item) is Part.ARGUMENTS]
    for place, item in enumerate(items):
        if places and place == places[-1] and isinstance(item, Chunk):
            yield ended(template(items), plan.finish, tool_calls=[entry_of(item.value)])
        elif part_of(item) is not Part.FINISH or not places:
            yield item


def _azure(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Begin with the results of a content filter, as Azure does."""
    filters = [{"prompt_index": 0, "content_filter_results": {}}]
    empty = {"id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": filters}
    return (Chunk(empty), *items)


def _usage_everywhere(wire: Wire, _plan: Plan, _dice: Random) -> Wire:
    """Send with each chunk what has been used so far."""
    last: Object = next(
        (item.value for item in wire.items if part_of(item) is Part.USAGE and isinstance(item, Chunk)), {}
    )
    total = last.get("usage")
    if not isinstance(total, dict):
        return wire
    items: list[Item] = []
    for place, item in enumerate(wire.items):
        if isinstance(item, Chunk) and item.value.get("choices"):
            done = min(place, total["completion_tokens"])
            usage = {**total, "completion_tokens": done, "total_tokens": total["prompt_tokens"] + done}
            items.append(Chunk({**item.value, "usage": usage}))
        else:
            items.append(item)
    return replace(wire, items=tuple(items))


def _nulls(value: Object) -> None:
    """Say of all that a later fragment does not carry that it is null."""
    entry_of(value).update(id=None)
    function_of(value).update(name=None)
    delta_of(value).update(content=None, role=None, refusal=None)


def _vendor(value: Object) -> None:
    """Add fields that vendors add."""
    value.update(system_fingerprint="fp_0", service_tier="default", obfuscation="aX9", timings={"predicted_n": 1})
    if choice_of(value):
        choice_of(value).update(stop_reason=None, matched_stop=None, token_ids=None)


def _interim(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Send an empty delta with a vendor's field before each fragment."""
    for item in items:
        if part_of(item) is Part.ARGUMENTS:
            yield Chunk({**like(template(items)).value, "timings": {"predicted_n": 1}})
        yield item


def _one_piece(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Send fragments of one character."""
    for item in items:
        arguments = function_of(item.value).get("arguments") if isinstance(item, Chunk) else None
        if part_of(item) is Part.ARGUMENTS and isinstance(item, Chunk) and isinstance(arguments, str):
            index = entry_of(item.value).get("index")
            for character in arguments:
                yield like(template(items), tool_calls=[{"index": index, "function": {"arguments": character}}])
        else:
            yield item


def _torn(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
    """Tear the body into pieces of a prime number of bytes."""
    body = b"".join(frame(item) for item in items)
    return (Raw(body[start : start + TORN]) for start in range(0, len(body), TORN))


_short_done = replace_part(Part.DONE, lambda _value: [Raw(b"data: [DONE]\n")])


def _pass(name: str, summary: str, apply: Change) -> Fault:
    """Declare an answer that is right."""
    return _fault(name, summary, apply, verdict="PASS")


FAULTS = (
    _pass("legal-healthy", "the answer as it is", lambda wire, _plan, _dice: wire),
    _pass("legal-single-blob", "the arguments come in one delta behind the head", join_arguments()),
    _pass("legal-whole-call", "a call comes whole in one delta", rebuild(_whole_calls)),
    _pass("legal-one-event", "role, call and finish come in one delta", rebuild(_one_event)),
    _pass("legal-one-character", "the arguments come character by character", rebuild(_one_piece)),
    _pass(
        "legal-arguments-absent",
        "the head has no key `arguments`",
        edit(Part.HEAD, lambda value: function_of(value).pop("arguments", None)),
    ),
    _pass("legal-finish-with-last", "the finish comes with the last fragment", rebuild(_finish_with_last)),
    _pass("legal-interim-deltas", "empty deltas with a vendor's field stand between", rebuild(_interim)),
    _pass("legal-vendor-fields", "chunks and choices have fields of vendors", edit_all(_vendor)),
    _pass("legal-comments", "comments stand between events", insert(Part.ARGUMENTS, Raw(b": ping\n\n"), which=None)),
    _pass("legal-comment-first", "a comment stands before the first event", insert(Part.ROLE, Raw(b": hello\n\n"))),
    _pass("legal-reasoning-content", "reasoning comes in `reasoning_content`", said(THOUGHT, "reasoning_content")),
    _pass("legal-reasoning", "reasoning comes in `reasoning`", said(THOUGHT, "reasoning")),
    _pass("legal-words-before", "words come before the call", said("I read the file.")),
    _pass("legal-words-after", "words come behind the call", said("I asked for the file.", before=Part.FINISH)),
    _pass("legal-nulls-later", "later fragments have null for what they do not carry", edit(Part.ARGUMENTS, _nulls)),
    _pass(
        "legal-type-again",
        "later fragments have the type again",
        edit(Part.ARGUMENTS, lambda value: entry_of(value).update(type="function")),
    ),
    _pass(
        "legal-calls-empty",
        "deltas of text have an empty `tool_calls`",
        edit(Part.ROLE, lambda value: delta_of(value).update(tool_calls=[])),
    ),
    _pass(
        "legal-calls-null",
        "the finish has `tool_calls: null`",
        edit(Part.FINISH, lambda value: delta_of(value).update(tool_calls=None)),
    ),
    _pass("legal-usage-everywhere", "each chunk says what has been used so far", _usage_everywhere),
    _pass(
        "legal-usage-null",
        "all chunks but the last have `usage: null`",
        chain(*(edit(part, lambda value: value.update(usage=None)) for part in _WITH_CHOICES)),
    ),
    _pass("legal-azure-first", "the first chunk has Azure's results of its filter", rebuild(_azure)),
    _pass("legal-parallel", "two calls come", second_call()),
    _pass("legal-no-blank-end", "the end mark has only one line feed", _short_done),
    _pass(
        "legal-role-content-null",
        "the first delta has `content: null`",
        edit(Part.ROLE, lambda value: delta_of(value).update(content=None)),
    ),
    _pass(
        "legal-event-split",
        "the bytes of events come in pieces that fit nothing",
        rebuild(_torn),
    ),
    _pass("legal-error-null", "each chunk has `error: null`", edit_all(lambda value: value.update(error=None))),
    _pass(
        "legal-close-delimited",
        "the body has no length and no chunks, and ends with the connection",
        lambda wire, _plan, _dice: replace(wire, close_delimited=True),
    ),
    _pass(
        "legal-header-case",
        "the headers are written in capitals, and the content type has parameters",
        lambda wire, _plan, _dice: replace(wire, headers={"CONTENT-TYPE": 'Text/Event-Stream; charset="UTF-8"'}),
    ),
    _pass(
        "legal-system-fingerprint-null",
        "the fingerprint of the system is null",
        edit_all(lambda value: value.update(system_fingerprint=None)),
    ),
)
