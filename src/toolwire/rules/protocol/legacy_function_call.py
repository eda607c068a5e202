"""Calls come in `tool_calls`.

What it checks
    No delta carries a call in the old field `function_call` when tools were offered. Null, or an empty object,
    there is a warning.

Why it matters
    Clients that offered tools look at `tool_calls` only: the call is lost to them.

Basis
    The field is deprecated and belongs to requests with `functions` (OpenAPI). Rule book C-41.

Which clients break
    The call is not seen.

How to fix
    Send `tool_calls`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Effect, Evidence, Level, LossKind, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["legacy_function_call"]


@rule(
    name="legacy-function-call",
    code="TW227",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-41",),
    source="OpenAI OpenAPI",
    effect=Effect.LOSS,
)
def legacy_function_call(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    if "functions" in evidence.request.raw:
        return
    for odd in evidence.odd(ChunkAnomaly.FUNCTION_CALL)[:1]:
        yield Complaint(
            "a call came in the old field function_call",
            evidence.at_event(odd.event, '"function_call"'),
            expected="tool_calls",
            actual=odd.detail,
            kind=LossKind.SILENT,
        )
    for odd in evidence.odd(ChunkAnomaly.FUNCTION_CALL_EMPTY)[:1]:
        yield Complaint(
            "there is an empty function_call",
            evidence.at_event(odd.event, '"function_call"'),
            expected="no such key",
            actual=odd.detail,
            level=Level.SHOULD,
        )
