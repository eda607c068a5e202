"""Faults of the arguments of calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import (
    Part,
    edit,
    first_call,
    function_of,
    like,
    part_of,
    rebuild,
    template,
)
from toolwire.simulator.faults.fault import declare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolwire.simulator.faults.edit import Call, Object
    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item

__all__ = ["FAULTS", "fragments"]

_fault = declare("arguments")
PIECES = 4
"""Fragments that arguments are cut into, so that each fault is split over deltas."""


def fragments(cut: Callable[[Call], list[object]]) -> Change:
    """Send other fragments for the arguments of the first call; the head stays."""

    def make(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
        call = first_call(plan)
        shared = template(items)
        heads = 0
        for item in items:
            part = part_of(item)
            heads += part is Part.HEAD
            if call is None or part is not Part.ARGUMENTS or heads != 1:
                yield item
            if call is not None and part is Part.HEAD and heads == 1:
                for value in cut(call):
                    yield like(shared, tool_calls=[{"index": 0, "function": {"arguments": value}}])

    return rebuild(make)


def text(make: Callable[[Call], str]) -> Change:
    """Send another text as the arguments of the first call, in pieces."""

    def cut(call: Call) -> list[object]:
        whole = make(call)
        size = max(1, -(-len(whole) // PIECES))
        return [whole[start : start + size] for start in range(0, len(whole), size)]

    return fragments(cut)


def values(make: Callable[[Object], object]) -> Change:
    """Send another value as the arguments of the first call, in pieces."""
    return text(lambda call: json.dumps(make(call.values), ensure_ascii=False))


def _cumulative(call: Call) -> list[object]:
    """Send with each fragment all that came before."""
    step = -(-len(call.arguments) // PIECES)
    return [call.arguments[:end] for end in range(step, len(call.arguments) + step, step)]


def _doubled(call: Call) -> list[object]:
    """Send every fragment once more, in order."""
    half = len(call.arguments) // 2
    return [call.arguments[:half], call.arguments[half:]] * 2


def _resent(call: Call) -> list[object]:
    """Send all of it once more in the last fragment."""
    half = len(call.arguments) // 2
    return [call.arguments[:half], call.arguments[half:], call.arguments]


def _prefix_then_whole(call: Call) -> list[object]:
    """Send the beginning, and then everything from the start."""
    return [call.arguments[: len(call.arguments) // 2], call.arguments]


def _middle_lost(call: Call) -> list[object]:
    """Lose bytes at the seam of two fragments."""
    seam = call.arguments.find('": ') + 1
    return [call.arguments[: max(seam, 1)], call.arguments[max(seam, 1) + 4 :]]


def _first_text(values: Object) -> str:
    """Return the first key whose value is a text."""
    return next((key for key, value in values.items() if isinstance(value, str)), next(iter(values), ""))


def _with(make: Callable[[object], object]) -> Callable[[Object], object]:
    """Change the first text among the values."""

    def change(values: Object) -> object:
        key = _first_text(values)
        return {**values, key: make(values.get(key))}

    return change


def _not_of_type(values: Object) -> object:
    """Write numbers as text."""
    return {key: str(value) if isinstance(value, int) else 7 for key, value in values.items()}


def _folded(values: Object) -> object:
    """Fold the second parameter into the key of the first."""
    keys = list(values)
    return {", ".join(keys): next(iter(values.values()), "")}


def _grafted(values: Object) -> object:
    """Add a parameter of another tool."""
    return {**values, "recipient": "all"}


def _required_missing(values: Object) -> object:
    """Leave the last parameter out."""
    return dict(list(values.items())[:-1])


def _nan(values: Object) -> object:
    """Write the last value as NaN, which no JSON has."""
    return {**values, list(values)[-1]: float("nan")} if values else values


def _python(values: Object) -> str:
    """Write an object as Python does."""
    return repr({**values})


def _whole_object(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Send the arguments as an object with the head, and no fragments."""
    call = first_call(plan)
    for item in items:
        part = part_of(item)
        if call is None or part not in (Part.HEAD, Part.ARGUMENTS):
            yield item
        elif part is Part.HEAD:
            entry = {"index": 0, "id": call.id, "type": "function"}
            yield like(
                template(items), tool_calls=[{**entry, "function": {"name": call.name, "arguments": call.values}}]
            )


FAULTS = (
    _fault(
        "args-object",
        "the arguments are an object",
        rebuild(_whole_object),
        "arguments-not-string",
    ),
    _fault(
        "args-null-head",
        "the arguments of the head are null",
        edit(Part.HEAD, lambda value: function_of(value).update(arguments=None)),
        "arguments-not-string",
        verdict="PASS",
    ),
    _fault("args-empty", "no argument comes", fragments(lambda _call: []), "arguments-empty"),
    _fault("args-blank", "the arguments are a blank", text(lambda _call: " "), "arguments-empty"),
    _fault("args-null", "the arguments are the word null", text(lambda _call: "null"), "arguments-not-object"),
    _fault("args-array", "the arguments are a list", values(lambda value: [value]), "arguments-not-object"),
    _fault(
        "args-encoded-twice",
        "the arguments are a string that holds JSON",
        text(lambda call: json.dumps(call.arguments)),
        "arguments-not-object",
    ),
    _fault("args-doubled", "the fragments come twice, one after the other", fragments(_doubled), "arguments-resent"),
    _fault("args-resent", "all arguments come again in the last fragment", fragments(_resent), "arguments-resent"),
    _fault("args-cumulative", "each fragment has all that came before", fragments(_cumulative), "arguments-resent"),
    _fault(
        "args-prefix-then-whole",
        "the beginning comes, and then everything",
        fragments(_prefix_then_whole),
        "arguments-resent",
    ),
    _fault(
        "args-empty-object-first",
        "an empty object stands before the arguments",
        text(lambda call: "{}" + call.arguments),
        "arguments-not-json",
    ),
    _fault(
        "args-end-missing",
        "the last brace is missing",
        text(lambda call: call.arguments[:-1]),
        "arguments-not-json",
        "truncation-hidden",
    ),
    _fault(
        "args-brace-too-many",
        "a brace follows the object",
        text(lambda call: call.arguments + "}"),
        "arguments-not-json",
    ),
    _fault(
        "args-beginning-missing",
        "the first fragment is lost",
        text(lambda call: call.arguments[3:]),
        "arguments-not-json",
    ),
    _fault("args-middle-missing", "a fragment in the middle is lost", fragments(_middle_lost), "arguments-not-json"),
    _fault(
        "args-half",
        "the second half is missing",
        text(lambda call: call.arguments[: len(call.arguments) // 2]),
        "arguments-not-json",
        "truncation-hidden",
    ),
    _fault(
        "args-python",
        "the object is written as Python does",
        text(lambda call: _python(call.values)),
        "arguments-not-json",
    ),
    _fault("args-bare-words", "the arguments are words", text(lambda _call: "the file, please"), "arguments-not-json"),
    _fault(
        "args-fenced",
        "the object stands in a code fence",
        text(lambda call: f"```json\n{call.arguments}\n```"),
        "arguments-not-json",
    ),
    _fault(
        "args-raw-newline",
        "a string of the arguments holds a raw line feed",
        text(lambda call: call.arguments.replace('"/', '"\n/', 1)),
        "arguments-not-json",
    ),
    _fault(
        "args-closing-tag-behind",
        "the closing tag of the markup follows the object",
        text(lambda call: call.arguments + "\n</tool_call>"),
        "arguments-not-json",
    ),
    _fault(
        "args-closing-tag-in-value",
        "closing tags of the markup stand at the end of a value",
        values(_with(lambda value: f"{value}\n</parameter>\n</function>\n</tool_call>")),
        "markup-in-arguments",
    ),
    _fault(
        "args-marker-in-value",
        "a token of the markup stands in a value",
        values(_with(lambda value: f"{value}<|tool_call_end|>")),
        "markup-in-arguments",
    ),
    _fault("args-wrong-type", "numbers come as text, and text as numbers", values(_not_of_type), "arguments-schema"),
    _fault("args-required-missing", "a required parameter is missing", values(_required_missing), "arguments-schema"),
    _fault("args-undeclared", "a parameter that no schema has", values(_grafted), "arguments-schema"),
    _fault("args-folded-key", "one key holds the names of two parameters", values(_folded), "arguments-schema"),
    _fault(
        "args-empty-object",
        "the object is empty, though parameters are required",
        values(lambda _v: {}),
        "arguments-schema",
    ),
    _fault(
        "args-replacement-character",
        "a value holds U+FFFD where a character was cut",
        values(_with(lambda value: f"{value}-\ufffd")),
        "replacement-character",
        verdict="PASS",
    ),
    _fault(
        "args-lone-surrogate",
        "a value holds half of a surrogate pair",
        text(lambda call: call.arguments.replace('"/', '"\\ud83d/', 1)),
        "lone-surrogate",
        verdict="PASS",
    ),
    _fault(
        "args-duplicate-key",
        "the object has a key twice",
        text(lambda call: "{" + call.arguments[1:-1] + ", " + call.arguments[1:]),
        "duplicate-key",
        verdict="PASS",
    ),
    _fault("args-nan", "a value is NaN", values(_nan), "arguments-not-json"),
)
