"""Usage comes when it was asked for.

What it checks
    With `stream_options.include_usage` a usage object comes, unless the stream failed as a whole.

Why it matters
    Without it nobody can bill, budget, or see that tokens were generated which never arrived.

Basis
    The description of `include_usage`. Rule book C-29.

Which clients break
    Accounting and budgets; loops that wait for the usage chunk.

How to fix
    Send one more chunk with `"choices": []` and `usage` before `[DONE]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, NotApplicable, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["usage_missing"]


@rule(
    name="usage-missing",
    code="TW218",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-29",),
    source="OpenAI OpenAPI, ChatCompletionStreamOptions.include_usage",
)
def usage_missing(evidence: Evidence) -> Iterator[Complaint] | NotApplicable:
    """Complain once, at the end."""
    if not evidence.request.include_usage:
        return NotApplicable("usage was not asked for")
    return _check(evidence)


def _check(evidence: Evidence) -> Iterator[Complaint]:
    """Look for a usage object."""
    completion = evidence.completion
    if completion.usages or not completion.chunks or evidence.failed_as_a_whole:
        return
    if evidence.odd(ChunkAnomaly.USAGE_TYPE):
        return
    yield Complaint(
        "usage was asked for and none came",
        evidence.at_end(),
        expected='a chunk with "choices": [] and usage',
        actual="no usage",
    )
