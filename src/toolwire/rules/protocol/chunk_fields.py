"""Every chunk has its head: `id`, `object`, `created` and `model`.

What it checks
    Each payload but `[DONE]`, errors and Azure's filter chunks (`object: ""`) is an object with `id`, `object`,
    `created` and `model`, of the types that the schema gives. `created` with a fraction is only a note.

Why it matters
    Clients in typed languages decode each chunk into a record; a field that is missing, or null, fails the whole
    stream there.

Basis
    The schema requires all of them. Rule book C-01; the form of `created` is C-04.

Which clients break
    Generated clients in Go, Rust, Java and C#. openai-python tolerates it.

How to fix
    Send the same head with every chunk, the one that carries only usage included.
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
    rulebook=("C-01", "C-04"),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.required",
    clients=(
        ClientEffect(
            "typed clients in Go, Rust and Java", Breaks.BY_EXCEPTION, "the chunk cannot be decoded", "rule book C-01"
        ),
    ),
)
def chunk_fields(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each field that is missing or has the wrong type."""
    said: set[str] = set()
    for odd in evidence.odd(ChunkAnomaly.FIELD_MISSING, ChunkAnomaly.FIELD_TYPE, ChunkAnomaly.NOT_OBJECT):
        if odd.kind is ChunkAnomaly.NOT_OBJECT:
            field, what, message = "", odd.detail, f"the payload of an event is {odd.detail[:60]}, which is no object"
        elif odd.kind is ChunkAnomaly.FIELD_MISSING:
            field, what, message = odd.detail, "absent", f"a chunk has no {odd.detail}"
        else:
            field, what, message = odd.detail.partition(" ")[0], odd.detail, f"the {odd.detail} in a chunk"
        if field in said:
            continue
        said.add(field)
        yield Complaint(
            message,
            evidence.at_event(odd.event, f'"{field}"' if field and what != "absent" else ""),
            level=Level.NOTE if _is_fraction(odd.detail) else None,
            expected="an object with id, object, created, model and choices",
            actual=what,
        )


def _is_fraction(detail: str) -> bool:
    """Whether the odd field is a time that is a number, but no whole one."""
    value = detail.removeprefix("created is ")
    return value != detail and value.replace(".", "", 1).isdecimal()
