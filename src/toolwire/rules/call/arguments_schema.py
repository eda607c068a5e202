"""Arguments fit the declared schema.

What it checks
    The arguments of each call to an offered tool validate against its JSON Schema. For a tool with `strict: true`
    a breach fails, for others it warns.

Why it matters
    Wrong types, missing or foreign parameters reach the tool, which was promised better.

Basis
    `strict` guarantees the schema (OpenAPI, FunctionObject.strict; Function calling guide, strict mode); without
    it the model is free to err, and only a warning is due. Rule book G-03, C-44.

Which clients break
    openai-python does not validate plain schemas; typed tool wrappers raise.

How to fix
    Where the value was right in the model's text and its type is wrong here, the parser guesses types: let it use
    the declared schema. Where strictness cannot be kept, refuse the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.oracle import Oracle
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, NotApplicable, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.jsontext import Json
    from toolwire.oracle import SchemaError

__all__ = ["arguments_schema"]


def _breaches(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each call whose arguments break the schema, with all that is wrong."""
    for call in evidence.completion.calls:
        value = evidence.arguments(call).value
        tool = evidence.request.tools.get(call.name)
        if value is None or tool is None or evidence.left_open(call):
            continue
        errors = evidence.schema.errors(call.name, value)
        if not errors:
            continue
        yield Complaint(
            f"the arguments of call {call.index} ({call.name[:60]}) break its schema: {_words(errors)}"
            + _owner(evidence, call.name, errors, value),
            evidence.at_event(call.arguments.first_event() or call.first_event, '"arguments"'),
            expected="arguments that fit the declared schema",
            actual=evidence.arguments(call).text[:200],
            level=None if tool.strict else Level.SHOULD,
        )


def _words(errors: tuple[SchemaError, ...]) -> str:
    """Say what is wrong, the first three places."""
    shown = [error.message for error in errors[:3]]
    more = f" and {len(errors) - 3} more" if len(errors) > 3 else ""  # noqa: PLR2004 - as many as are shown
    return "; ".join(shown) + more


def _owner(evidence: Evidence, name: str, errors: tuple[SchemaError, ...], value: dict[str, Json]) -> str:
    """Say which other tool a foreign parameter belongs to: then it was grafted from another call."""
    if not any(error.keyword == "additionalProperties" and not error.path for error in errors):
        return ""
    own = set(evidence.request.tools[name].properties)
    for key in value:
        for other, tool in evidence.request.tools.items():
            if key not in own and other != name and key in tool.properties:
                return f" ({key} is a parameter of {other})"
    return ""


@rule(
    name="arguments-schema",
    code="TW324",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=(
        "G-03",
        "C-44",
    ),
    source="OpenAI OpenAPI, FunctionObject.strict",
    needs=(Oracle.SCHEMA,),
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "plain schemas are not validated", "reproduced"),),
)
def arguments_schema(evidence: Evidence) -> Iterator[Complaint] | NotApplicable:
    """Complain of each breach."""
    if not evidence.request.tools:
        return NotApplicable("no tool was offered")
    return _breaches(evidence)
