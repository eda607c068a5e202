"""No markup of the call stands in its arguments.

What it checks
    No key and no string inside the arguments of a call holds a marker or the debris of a closing tag of the markup
    of calls, none ends with a token that ends a turn, and no key is the name of a parameter with more text folded
    into it. What the prompt or the expectation holds, and what is quoted or code, is left alone.

Why it matters
    The parser took a piece of markup for a piece of the value: the tool is called with `ls</parameter>`, or with
    a key that swallowed the next parameter.

Basis
    De facto: the markup is between model and server, and no client expects it. Rule book G-15.

Which clients break
    Silent everywhere: the JSON is valid and the tool runs with the wrong value.

How to fix
    Look at how the parser finds the end of a value when the closing tag comes in several deltas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.markup import turn_marks
from toolwire.protocol.request import texts_in
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Call
    from toolwire.jsontext import Json

__all__ = ["markup_in_arguments"]


def _texts(value: dict[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield every key and every string, with words on what it is."""
    stack: list[tuple[Json, str]] = [(value, "")]
    while stack:
        item, path = stack.pop()
        if isinstance(item, str):
            yield item, path or "a value"
        elif isinstance(item, list):
            stack.extend((inner, f"{path}[{place}]") for place, inner in enumerate(item))
        elif isinstance(item, dict):
            for key, inner in item.items():
                yield key, "a key"
                stack.append((inner, f"{path}.{key[:40]}" if path else key[:40]))


def _expected(evidence: Evidence, text: str) -> bool:
    """Whether the author of the case wants this text."""
    expect = evidence.exchange.expect
    wanted = [] if expect is None else [call.get("arguments") for call in _calls(expect)]
    return any(text in found for arguments in wanted for found in texts_in(arguments))


def _calls(expect: object) -> list[dict[str, Json]]:
    """Return the calls of an expectation."""
    found = expect.get("calls") if isinstance(expect, dict) else getattr(expect, "calls", None)
    return [call if isinstance(call, dict) else {"arguments": call.arguments} for call in found or []]


def _markup(evidence: Evidence, text: str) -> tuple[str, tuple[str, ...]]:
    """Return the markup or the token of a turn's end in a string, and its families; empty for none."""
    scan = evidence.value_scan(text)
    if scan.leaked:
        return (scan.first.text if scan.first is not None else text), scan.dialects
    last = turn_marks(text, prompt=evidence.request.prompt)[-1:]
    ends = [mark for mark in last if not text[mark.end :].strip()]
    return (ends[0].text, ends[0].families) if ends else ("", ())


def _folded_keys(evidence: Evidence, call: Call, value: dict[str, Json]) -> Iterator[Complaint]:
    """Complain of a parameter whose name swallowed text: it begins with a declared name and goes on in a new line."""
    tool = evidence.request.tools.get(call.name)
    if tool is None:
        return
    for key in value:
        name, fold, _ = key.partition("\n")
        if fold and key not in tool.properties and name.strip(" \t\r:=>\"'") in tool.properties:
            yield Complaint(
                f"a key of call {call.index} ({call.name[:60]}) holds more than the name of a parameter: {key[:60]!r}",
                evidence.at_event(call.last_event, '"tool_calls"'),
                expected=name.strip(),
                actual=key[:160],
            )


@rule(
    name="markup-in-arguments",
    code="TW326",
    level=Level.MUST,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=(
        "G-15",
        "G-02",
    ),
    source="rule book G-15",
)
def markup_in_arguments(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for call in evidence.completion.calls:
        if call.stray or call.custom_input is not None or evidence.left_open(call):
            continue
        value = evidence.arguments(call).value
        if not value:
            continue
        for text, path in _texts(value):
            shown, dialect = _markup(evidence, text)
            if not shown or _expected(evidence, text):
                continue
            place = call.arguments.text.find(shown)
            yield Complaint(
                f"{path} of call {call.index} ({call.name[:60]}) holds markup: {shown[:60]!r}",
                evidence.at_event(call.arguments.event_at(place) if place >= 0 else call.last_event, shown),
                expected="a value without markup",
                actual=text[:160],
                dialect=dialect,
            )
            break
        else:
            yield from _folded_keys(evidence, call, value)
