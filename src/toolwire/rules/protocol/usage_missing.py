"""Usage that was asked for comes.

What it checks
    With `stream_options.include_usage` an answer that came to its end brings a usage object.

Why it matters
    There is no accounting without it.

Basis
    OpenAPI, ChatCompletionStreamOptions. Rule book C-29.

Which clients break
    Bills and budgets miss the answer.

How to fix
    Send the usage chunk before `[DONE]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, NotApplicable, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["usage_missing"]


def _missing(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once."""
    yield Complaint(
        "usage was asked for, and none came",
        evidence.at_end(),
        expected="a chunk with empty choices and usage",
        actual="none",
    )


@rule(
    name="usage-missing",
    code="TW218",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-29",),
    source="OpenAI OpenAPI, ChatCompletionStreamOptions",
)
def usage_missing(evidence: Evidence) -> Iterator[Complaint] | NotApplicable:
    """Complain of each breach."""
    if not evidence.request.include_usage:
        return NotApplicable("usage was not asked for")
    if evidence.completion.usage_count or evidence.failed_as_a_whole or not evidence.completion.chunks:
        return None
    return _missing(evidence)
