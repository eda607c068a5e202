"""Every chunk has its fields.

What it checks
    Each payload other than `[DONE]` and errors is an object with `id`, `object`, `created`, `model` and
    `choices`, each of its type. Azure's filter chunks (`object: ""`) are left alone.

Why it matters
    Typed clients decode every chunk by its schema and refuse one that lacks a field.

Basis
    The required fields of the schema (OpenAPI, CreateChatCompletionStreamResponse). Rule book C-01.

Which clients break
    openai-python tolerates missing id, created and model; typed clients in Go, Rust and Java fail.

How to fix
    Send all of them with every chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["chunk_fields"]


@rule(
    name="chunk-fields",
    code="TW201",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-01",),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.required",
    clients=(
        ClientEffect(
            "typed clients in Go, Rust, Java", Breaks.BY_EXCEPTION, "the chunk cannot be decoded", "rule book C-01"
        ),
    ),
)
def chunk_fields(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.FIELD_MISSING, ChunkAnomaly.FIELD_TYPE, ChunkAnomaly.NOT_OBJECT):
        yield Complaint(
            f"{'a payload is no object' if odd.kind is ChunkAnomaly.NOT_OBJECT else 'a chunk lacks ' + odd.detail if odd.kind is ChunkAnomaly.FIELD_MISSING else 'in a chunk ' + odd.detail}",
            evidence.at_event(odd.event, ""),
            expected="id, object, created, model and choices",
            actual=odd.detail,
        )
