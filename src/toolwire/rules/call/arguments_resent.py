"""Arguments are appended, never sent again.

What it checks
    No fragment begins the arguments of its call anew: what was sent is only continued.

Why it matters
    Clients append. A server that sends the text so far with each fragment, or the whole again at the end, leaves
    `{..}{..}` behind.

Basis
    Both official libraries concatenate. Rule book G-14.

Which clients break
    `{..}{..}` raises "Extra data" in json.loads.

How to fix
    Send what is new since the last fragment; do not flush the whole arguments again with the finish.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.arguments import resent_at
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["arguments_resent"]


@rule(
    name="arguments-resent",
    code="TW327",
    level=Level.MUST,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("G-14",),
    source="both official accumulators concatenate",
    clients=(ClientEffect("json.loads in any client", Breaks.BY_EXCEPTION, "Extra data", "reproduced"),),
)
def arguments_resent(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for call in evidence.completion.calls:
        if call.stray or evidence.arguments(call).valid:
            continue
        place = resent_at(call.arguments.parts)
        if place is not None:
            yield Complaint(
                f"the arguments of call {call.index} ({call.name[:60]}) are sent again from the beginning",
                evidence.at_event(call.arguments.event_at(place), '"arguments"'),
                expected="only what is new since the last fragment",
                actual=call.arguments.text[place : place + 160],
            )
