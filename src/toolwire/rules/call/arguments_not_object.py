"""Arguments are an object.

What it checks
    Where the joined arguments of a call are JSON, they are an object: no string that holds JSON once more, no
    array, no null.

Why it matters
    A client passes them on by name. A string inside a string parses once and is then of no use.

Basis
    Function calling guide of OpenAI; a call without parameters yields `{}`, not null. Rule book G-02, G-04.

Which clients break
    Dispatchers raise a TypeError when they look for the first parameter.

How to fix
    Serialise the arguments once. Write `{}` for a call without any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.jsontext import Json

__all__ = ["arguments_not_object"]


def _kind(value: Json) -> str:
    """Name the kind of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    return "an array" if isinstance(value, list) else "a number"


@rule(
    name="arguments-not-object",
    code="TW322",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=(
        "G-02",
        "G-04",
    ),
    source="OpenAI, Function calling guide",
)
def arguments_not_object(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for call in evidence.completion.calls:
        if call.stray or call.custom_input is not None or evidence.left_open(call):
            continue
        arguments = evidence.arguments(call)
        if not arguments.valid or arguments.value is not None:
            continue
        twice = isinstance(arguments.other, str)
        yield Complaint(
            f"the arguments of call {call.index} ({call.name[:60]}) are "
            + ("a string: they were encoded twice" if twice else f"{_kind(arguments.other)}, not an object"),
            evidence.at_event(call.arguments.first_event() or call.first_event, '"arguments"'),
            expected="a JSON object",
            actual=arguments.text[:160],
        )
