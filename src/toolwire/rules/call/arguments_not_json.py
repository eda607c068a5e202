"""Joined arguments are JSON.

What it checks
    The joined arguments of each call are exactly one JSON value by RFC 8259. The finding says what happened to
    them: cut, doubled, their beginning lost, markup in them, a Python literal. A call that was honestly cut by
    its budget, or broke off with the whole stream, is left alone as long as what came is the beginning of an object.

Why it matters
    The client parses them before it calls the tool. This is the commonest real breakage of streamed calls.

Basis
    Function calling guide of OpenAI: arguments are JSON. Rule book G-02, J-01. A model that is not constrained
    may write broken JSON itself; what is cut, doubled or has markup in it was made so by the server. In every
    case G-12 holds, whether the tool is strict or not: broken arguments never come under a complete ending.

Which clients break
    json.loads raises in every client that calls the tool; openai-python raises while streaming where tools are
    strict.

How to fix
    Compare with the non-streamed answer to the same request: where that is whole, the fault is in how the stream
    is cut into deltas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.arguments import explain, resent_at
from toolwire.jsontext import prefix_state
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["arguments_not_json"]

SHOWN = 160
"""Characters of the arguments that are shown."""


def _shown(text: str, offset: int) -> str:
    """Return the text, or what stands around the place that goes wrong."""
    if len(text) <= SHOWN:
        return text
    start = max(0, min(offset, len(text)) - SHOWN // 2)
    return f"{'…' if start else ''}{text[start : start + SHOWN]}{'…' if start + SHOWN < len(text) else ''}"


@rule(
    name="arguments-not-json",
    code="TW321",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=(
        "G-02",
        "J-01",
    ),
    source="OpenAI, Function calling guide",
    clients=(
        ClientEffect(
            "openai-python 3.57.0",
            Breaks.BY_EXCEPTION,
            "JSONDecodeError in .stream() where the tool is strict",
            "reproduced",
        ),
    ),
)
def arguments_not_json(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for call in evidence.completion.calls:
        if call.stray or call.custom_input is not None:
            continue
        arguments = evidence.arguments(call)
        if arguments.valid or arguments.blank or resent_at(call.arguments.parts) is not None:
            continue
        if evidence.left_open(call) and prefix_state(arguments.text).cut:
            continue
        found = explain(arguments.text, call.arguments.parts)
        yield Complaint(
            f"the arguments of call {call.index} ({call.name[:60]}) {found.words}",
            evidence.at_event(call.arguments.event_at(min(found.offset, len(arguments.text) - 1))),
            expected="one JSON object",
            actual=_shown(arguments.text, found.offset),
        )
