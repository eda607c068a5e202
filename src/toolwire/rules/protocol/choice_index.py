"""The choices are those that were asked for.

What it checks
    The indexes of choices lie between 0 and n - 1, and each of them comes.

Why it matters
    A client waits for choice 0, or for all n of them; what comes under another index is not seen.

Basis
    `n` choices are generated (OpenAPI, CreateChatCompletionRequest.n). Rule book C-10, C-39.

Which clients break
    Clients that read choice 0 see nothing.

How to fix
    Number the choices of each request from 0, also where requests are batched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["choice_index"]

MOST = 128
"""Choices that are looked for: the limit of OpenAI's own `n`."""


@rule(
    name="choice-index",
    code="TW210",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=(
        "C-10",
        "C-39",
    ),
    source="OpenAI OpenAPI, CreateChatCompletionRequest.n",
)
def choice_index(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for odd in evidence.odd(ChunkAnomaly.CHOICE_RANGE):
        yield Complaint(
            f"a choice has {odd.detail}",
            evidence.at_event(odd.event, '"index"'),
            expected=f"an index below {evidence.request.n}",
            actual=str(odd.choice),
        )
    choices = evidence.completion.choices
    if not choices or evidence.failed_as_a_whole:
        return
    missing = [str(number) for number in range(min(evidence.request.n, MOST)) if number not in choices]
    if missing:
        yield Complaint(
            f"choice {', '.join(missing)} of {evidence.request.n} never came",
            evidence.at_end(),
            expected=f"{evidence.request.n} choices",
            actual=f"{len(choices)} choices",
        )
