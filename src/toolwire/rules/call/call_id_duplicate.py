"""No two calls share an id.

What it checks
    The ids of all calls of an answer differ, across choices too.

Why it matters
    Results are matched to calls by id: with one id for two calls, one result goes to the wrong call and the other
    nowhere.

Basis
    The id of a call names it in the messages that follow (OpenAPI,
    ChatCompletionRequestToolMessage.tool_call_id). Rule book G-05.

Which clients break
    Agents attach both results to one call; stricter APIs refuse the history.

How to fix
    Make ids from randomness or from the index of the call, not from its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Call

__all__ = ["call_id_duplicate"]


def _name(call: Call, other: Call) -> str:
    """Name a call beside another one."""
    return f"call {call.index}" + (f" of choice {call.choice}" if call.choice != other.choice else "")


@rule(
    name="call-id-duplicate",
    code="TW310",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("G-05",),
    source="OpenAI OpenAPI, tool_call_id",
)
def call_id_duplicate(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    seen: dict[str, Call] = {}
    for call in evidence.completion.calls:
        identity = call.id
        if identity is None:
            continue
        first = seen.setdefault(identity, call)
        if first is not call:
            yield Complaint(
                f"{_name(first, call)} and {_name(call, first)} share the id {identity!r}",
                evidence.at_event(call.ids[0].event, identity),
                expected="an id of its own for each call",
                actual=identity,
            )
