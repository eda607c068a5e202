"""The stream brings no error.

What it checks
    No payload of the stream is an error, in whatever shape.

Why it matters
    The answer failed after it had begun: what came so far is a fragment.

Basis
    How vLLM, llama.cpp and others report failure once the status is sent; the official client raises for it. Rule
    book C-35.

Which clients break
    openai-python raises an APIError; clients that only look at choices end as if all were well.

How to fix
    Look into the server's log at this time; the message is quoted here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["error_in_stream"]


@rule(
    name="error-in-stream",
    code="TW216",
    level=Level.MUST,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("C-35",),
    source="openai-python, vLLM, llama.cpp",
    effect=Effect.STREAM,
    clients=(ClientEffect("openai-python 3.57.0", Breaks.BY_EXCEPTION, "APIError", "reproduced"),),
)
def error_in_stream(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for said in evidence.completion.errors[:3]:
        yield Complaint(
            f"the stream brings an error: {said.value[:200]}",
            evidence.at_event(said.event, '"error"'),
            expected="an answer",
            actual=said.value[:300],
        )
