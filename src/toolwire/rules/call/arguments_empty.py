"""Arguments are never empty.

What it checks
    The joined arguments of a call are not the empty string, neither for a tool that has required parameters nor
    for one without any: that has `{}`.

Why it matters
    An empty string is no JSON. For a tool with required parameters it means that the arguments were lost.

Basis
    The official library calls json.loads on what came. Rule book G-04, G-02 and "where two rules meet", 9.

Which clients break
    json.loads raises in every client; some take it for `{}` and call the tool without what it needs.

How to fix
    Send `{}` where the model gave no arguments. Where it gave some, look for the delta that the parser swallowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Call

__all__ = ["arguments_empty"]


def _misplaced(evidence: Evidence, call: Call) -> bool:
    """Whether the arguments of a call came in another field, which another rule tells."""
    return any(
        odd.call == call.index and odd.choice == call.choice and not odd.detail.startswith(("id", "name"))
        for odd in evidence.odd(ChunkAnomaly.MISPLACED)
    )


@rule(
    name="arguments-empty",
    code="TW323",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=(
        "G-04",
        "G-02",
    ),
    source="first-party behaviour",
    clients=(ClientEffect("json.loads in any client", Breaks.BY_EXCEPTION, "JSONDecodeError", "reproduced"),),
)
def arguments_empty(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for call in evidence.completion.calls:
        if call.stray or call.custom_input is not None or evidence.left_open(call):
            continue
        arguments = evidence.arguments(call)
        if not arguments.blank or call.object_arguments is not None or _misplaced(evidence, call):
            continue
        tool = evidence.request.tools.get(call.name)
        needs = (
            f", though {call.name} requires {', '.join(tool.required)}" if tool is not None and tool.required else ""
        )
        yield Complaint(
            f"the arguments of call {call.index} ({call.name[:60]}) are empty{needs}",
            evidence.at_event(call.last_event, '"tool_calls"'),
            expected="arguments with " + ", ".join(tool.required) if tool is not None and tool.required else "{}",
            actual=repr(arguments.text),
        )
