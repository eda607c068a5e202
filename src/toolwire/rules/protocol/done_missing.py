"""The stream ends with `[DONE]`.

What it checks
    A stream whose body came to its own end has `data: [DONE]`. Where the body broke off, another rule fails it.

Why it matters
    Interfaces that wait for it hang; and without it a clean close cannot be told from a lost tail.

Basis
    "terminated by a data: [DONE] message" (older API reference). Rule book C-33.

Which clients break
    openai-python does not need it; some interfaces hang.

How to fix
    Send `data: [DONE]` as the last event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["done_missing"]


@rule(
    name="done-missing",
    code="TW223",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-33",),
    source="older API reference of OpenAI",
)
def done_missing(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    completion = evidence.completion
    if completion.terminals or not completion.chunks or evidence.failed_as_a_whole or evidence.broke_off:
        return
    residue = evidence.framing.residue
    if residue is not None and residue.data.strip() == "[DONE]":
        return
    yield Complaint(
        "the stream ends without [DONE]",
        evidence.at_end(),
        expected="data: [DONE]",
        actual="the end of the body",
    )
