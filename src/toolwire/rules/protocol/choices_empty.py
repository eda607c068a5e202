"""Only the usage chunk has no choice.

What it checks
    A chunk with an empty list of choices carries usage (or a moderation result). Two more are let pass with a note:
    Azure's filter chunk, which has `object: ""`, and the chunk in which SGLang sends the token ids that the request
    asked for.

Why it matters
    Many loops read `choices[0]` without looking.

Basis
    The schema: the list can also be empty for the last chunk, with usage. Rule book C-08; Azure's chunk: "where two
    rules meet" 2.

Which clients break
    Loops that index the first choice blindly raise an IndexError.

How to fix
    Send nothing where there is nothing to say; to keep the connection open send an SSE comment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.jsontext import read_json
from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["choices_empty"]

_EXTENSION = '"sglext"'
"""The key of SGLang's own chunk, which comes only when it was asked for (formats.md, section 3.3)."""


@rule(
    name="choices-empty",
    code="TW207",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-08",),
    source="OpenAI OpenAPI, CreateChatCompletionStreamResponse.choices",
    clients=(ClientEffect("loops over choices[0]", Breaks.BY_EXCEPTION, "IndexError", "rule book C-08"),),
)
def choices_empty(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each chunk that says nothing; tell of Azure's once."""
    for odd in evidence.odd(ChunkAnomaly.CHOICES_EMPTY):
        asked_for = _EXTENSION in evidence.events[odd.event].data
        yield Complaint(
            "a chunk has no choice and no usage",
            evidence.at_event(odd.event, '"choices"'),
            level=Level.NOTE if asked_for else None,
            expected="a choice in every chunk but the one with usage",
            actual="[]",
        )
    first = next(iter(evidence.events), None)
    if first is not None and _is_filter_chunk(first.data):
        yield Complaint(
            "the first chunk has no choice but filter results, as Azure sends it",
            evidence.at_event(0, '"choices"'),
            level=Level.NOTE,
            expected="a choice in every chunk but the one with usage",
            actual="[]",
        )


def _is_filter_chunk(data: str) -> bool:
    """Whether an event is a chunk with an empty object and no choices."""
    if "prompt_filter_results" not in data and '"object": ""' not in data and '"object":""' not in data:
        return False
    chunk = read_json(data).value
    return isinstance(chunk, dict) and chunk.get("object") == "" and chunk.get("choices") == []
