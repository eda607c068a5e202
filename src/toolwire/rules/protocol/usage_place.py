"""Usage comes once, in a last chunk of its own.

What it checks
    Where usage was asked for, exactly one chunk with an empty list of choices carries it, and no other chunk follows.

Why it matters
    Clients take the usage of the last chunk. One that comes earlier is overwritten by nothing; one that rides on the
    finish chunk is missed by those who stop reading there or look only at chunks without choices.

Basis
    The description of `include_usage`: an additional chunk before `[DONE]`, whose choices are always empty. Rule book
    C-29.

Which clients break
    openai-python loses the usage when any chunk without one follows.

How to fix
    Send the usage in one additional chunk, last before `[DONE]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.jsontext import read_json
from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, NotApplicable, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["usage_place"]


@rule(
    name="usage-place",
    code="TW219",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-29",),
    source="OpenAI OpenAPI, ChatCompletionStreamOptions.include_usage",
    clients=(
        ClientEffect(
            "openai-python 3.57.0", Breaks.SILENTLY, "the usage is lost when a chunk without one follows", "reproduced"
        ),
    ),
)
def usage_place(evidence: Evidence) -> Iterator[Complaint] | NotApplicable:
    """Complain of usage that comes early, twice, or only beside choices."""
    if not evidence.request.include_usage:
        return NotApplicable("usage was not asked for")
    return _check(evidence)


def _check(evidence: Evidence) -> Iterator[Complaint]:
    """Look at where the usage objects stand."""
    for odd in evidence.odd(ChunkAnomaly.USAGE_EARLY):
        yield Complaint(
            "chunks follow the one with usage",
            evidence.at_event(odd.event, '"usage"'),
            expected="usage in the last chunk",
            actual=f"usage in event {odd.event}, chunks until event {evidence.completion.last_event}",
        )
    for odd in evidence.odd(ChunkAnomaly.USAGE_TWICE):
        yield Complaint(
            "a second chunk carries nothing but usage",
            evidence.at_event(odd.event, '"usage"'),
            expected="one such chunk",
            actual="two or more",
        )
    last = evidence.completion.usage
    if last is None or evidence.odd(ChunkAnomaly.USAGE_EARLY) or evidence.failed_as_a_whole:
        return
    chunk = read_json(evidence.events[last.event].data).value
    if isinstance(chunk, dict) and chunk.get("choices"):
        yield Complaint(
            "usage comes beside a choice and not in a chunk of its own",
            evidence.at_event(last.event, '"usage"'),
            expected='a chunk with "choices": [] and usage',
            actual="usage in a chunk with choices",
        )
