"""[DONE] comes once and nothing follows it.

What it checks
    There is one `[DONE]`, and no event behind it. Where an event behind it carries a part of the answer or its
    finish, this is an error: no client reads on.

Why it matters
    Clients stop at the first `[DONE]`. What follows is lost to them, or, where the connection is reused, taken for
    the next answer.

Basis
    The older API reference of `stream`: terminated by `[DONE]`. Rule book C-33; that clients ignore what follows was
    reproduced.

Which clients break
    openai-python ignores all that follows; duplicates confuse hand-written loops (vllm PR 378).

How to fix
    Send `[DONE]` once, behind everything else, usage included. Let only one layer of a chain of gateways send it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.jsontext import read_json
from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["done_repeated"]


@rule(
    name="done-repeated",
    code="TW224",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-33", "C-26"),
    source="older API reference of the parameter stream",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "what follows [DONE] is ignored", "reproduced"),),
    sees=(
        ChunkAnomaly.DONE_TWICE,
        ChunkAnomaly.AFTER_DONE,
    ),
)
def done_repeated(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of a second [DONE] and of each event behind the first."""
    for odd in evidence.odd(ChunkAnomaly.DONE_TWICE)[:1]:
        yield Complaint(
            f"[DONE] comes {evidence.anomalies.count(ChunkAnomaly.DONE_TWICE) + 1} times",
            evidence.at_event(odd.event),
            expected="one [DONE]",
            actual="another one",
        )
    for odd in evidence.odd(ChunkAnomaly.AFTER_DONE):
        lost = _carries(evidence, odd.event)
        yield Complaint(
            f"{lost or 'an event'} comes behind [DONE]",
            evidence.at_event(odd.event),
            level=Level.MUST if lost else None,
            expected="nothing behind [DONE]",
            actual=odd.detail,
        )


def _carries(evidence: Evidence, number: int) -> str:
    """Return what of the answer an event carries; empty for nothing that a client would miss."""
    chunk = read_json(evidence.events[number].data).value
    choices = chunk.get("choices") if isinstance(chunk, dict) else None
    for entry in choices if isinstance(choices, list) else []:
        delta = entry.get("delta") if isinstance(entry, dict) else None
        if isinstance(delta, dict) and any(value for key, value in delta.items() if key != "role"):
            return "a part of the answer"
    for choice in evidence.completion.choices.values():
        if choice.finishes and choice.finishes[0].event == number:
            return f"the finish of choice {choice.index}"
    return ""
