"""Calls do not come in the old field function_call.

What it checks
    A request with `tools` is not answered with `delta.function_call`. Where the same answer has calls in
    `tool_calls`, and where the field is null or empty, this is a warning.

Why it matters
    Clients that offered `tools` look into `tool_calls` only: the call in the old field is lost, and the turn looks
    empty.

Basis
    The field is deprecated, and belongs to requests with `functions`. Rule book C-41, "where two rules meet" 7;
    corpus, judgement call 3.

Which clients break
    All that read `tool_calls`; strict decoders stumble over the null.

How to fix
    Answer `tools` with `tool_calls`. Translate between the two in gateways, not in clients.
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
    source="OpenAI OpenAPI, ChatCompletionStreamResponseDelta.function_call (deprecated)",
    effect=Effect.LOSS,
)
def legacy_function_call(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each choice with a call in the old field, else once of the empty field."""
    if evidence.request.raw.get("functions"):
        return
    said: set[int] = set()
    for odd in evidence.odd(ChunkAnomaly.FUNCTION_CALL):
        if odd.choice in said:
            continue
        said.add(odd.choice)
        also = evidence.used_call_field
        yield Complaint(
            "a call comes in function_call " + ("as well as in tool_calls" if also else "and not in tool_calls"),
            evidence.at_event(odd.event, '"function_call"'),
            level=Level.SHOULD if also else None,
            effect=Effect.DEFECT if also else None,
            expected="the call in tool_calls",
            actual=odd.detail,
            kind=None if also else LossKind.SILENT,
        )
    for odd in evidence.odd(ChunkAnomaly.FUNCTION_CALL_EMPTY)[:1]:
        yield Complaint(
            f"the old field function_call is {odd.detail[:60]}",
            evidence.at_event(odd.event, '"function_call"'),
            level=Level.SHOULD,
            effect=Effect.DEFECT,
            expected="no function_call",
            actual=odd.detail,
        )
