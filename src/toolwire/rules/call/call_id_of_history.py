"""A call has an id that the conversation does not have yet.

What it checks
    No call of the answer has the id of a call in the messages of the request.

Why it matters
    Agents match results to calls over the whole conversation; an id that is used again makes an old result answer
    a new call.

Basis
    Rule book G-06 and "where two rules meet", 7: ids that restart with each turn, as those made of name and index
    do.

Which clients break
    Agents that key by id over the whole conversation overwrite the earlier result.

How to fix
    Number ids over the conversation, or make them random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.oracle import Oracle
from toolwire.rule import Basis, Complaint, Evidence, Level, NotApplicable, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_id_of_history"]


def _used_again(evidence: Evidence, history: frozenset[str]) -> Iterator[Complaint]:
    """Complain of each id that an earlier turn has."""
    for call in evidence.completion.calls:
        if call.id in history:
            yield Complaint(
                f"the id of call {call.index} is that of an earlier turn: {call.id!r}",
                evidence.at_event(call.ids[0].event, call.id),
                expected="an id that no earlier call has",
                actual=call.id,
            )


@rule(
    name="call-id-of-history",
    code="TW312",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("G-06",),
    source="rule book G-06",
    needs=(Oracle.HISTORY,),
)
def call_id_of_history(evidence: Evidence) -> Iterator[Complaint] | NotApplicable:
    """Complain of each breach."""
    history = evidence.request.history_ids
    if not history:
        return NotApplicable("the request has no earlier call")
    return _used_again(evidence, history)
