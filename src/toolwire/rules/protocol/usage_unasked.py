"""Usage comes only when it was asked for.

What it checks
    Without `stream_options.include_usage` no chunk has a usage object.

Why it matters
    Many servers always send it; only very strict decoders mind.

Basis
    The description of `include_usage`. Harmless. Rule book C-31.

Which clients break
    Strict decoders.

How to fix
    Nothing, unless a client complains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["usage_unasked"]


@rule(
    name="usage-unasked",
    code="TW221",
    level=Level.NOTE,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-31",),
    source="OpenAI OpenAPI, ChatCompletionStreamOptions.include_usage",
)
def usage_unasked(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once."""
    completion = evidence.completion
    if completion.usages and not evidence.request.include_usage:
        yield Complaint(
            f"usage came unasked ({completion.usage_count} times)",
            evidence.at_event(completion.usages[0].event, '"usage"'),
            expected="no usage",
            actual=f"{completion.usage_count} usage objects",
        )
