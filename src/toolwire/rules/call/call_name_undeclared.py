"""Every called tool was offered.

What it checks
    The name of each call is one of the offered tools, byte for byte.

Why it matters
    A dispatcher looks the name up and finds nothing: the turn is lost, or the agent crashes.

Basis
    Tools are called by the names that the request declares (OpenAPI,
    ChatCompletionMessageToolCallChunk.function.name). Models without constrained decoding may invent one, so a
    name that resembles none is perhaps the model's; one that is cut, joined or has markup in it is the parser's.
    Rule book G-01.

Which clients break
    openai-python passes any name on; dispatchers raise a KeyError.

How to fix
    Where the name is cut or has markup in it, look at how the parser finds its end across deltas; constrain
    decoding to the declared names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_name_undeclared"]

_MARKUP = re.compile(r"[<>{}\[\]|｜\"\n]")


def _likeness(name: str, tools: tuple[str, ...]) -> str:
    """Say how a name resembles an offered one; empty where it resembles none."""
    inside = next((tool for tool in tools if tool in name), None)
    if inside is not None and _MARKUP.search(name):
        return f": {inside!r} with markup around it"
    for tool in tools:
        if tool.startswith(name):
            return f": only the beginning of {tool!r}"
        if tool.endswith(name):
            return f": only the end of {tool!r}"
        if tool.lower() == name.lower():
            return f": {tool!r} in other case"
        if name == tool * (len(name) // len(tool)):
            return f": {tool!r} several times over"
    if inside is not None:
        return f": {inside!r} with other text around it"
    return ": it has markup in it" if _MARKUP.search(name) else ""


@rule(
    name="call-name-undeclared",
    code="TW317",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("G-01",),
    source="OpenAI OpenAPI",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the unknown name is passed on", "reproduced"),),
)
def call_name_undeclared(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    tools = evidence.request.tools
    if not tools:
        return
    for call in evidence.completion.calls:
        name = call.name
        if not name or name in tools or (len(call.names) > 1 and call.names[0].value in tools):
            continue
        if evidence.left_open(call) and not call.arguments and any(tool.startswith(name) for tool in tools):
            continue  # cut inside the name
        yield Complaint(
            f"call {call.index} is to {name[:120]!r}, which was not offered{_likeness(name, tuple(tools))}",
            evidence.at_event(call.names[0].event, call.names[0].value),
            expected=f"one of {', '.join(sorted(tools))}",
            actual=name[:200],
        )
