"""The stream ends with [DONE].

What it checks
    The last event of a stream that ended cleanly is `data: [DONE]`. Behind an error it is optional, and a stream that
    broke off is another rule's matter. It counts also without the blank line behind it.

Why it matters
    It is how a client knows that all has come: a connection that closes early looks like a clean end otherwise.

Basis
    The older API reference of `stream`. Rule book C-33.

Which clients break
    Interfaces that wait for it hang. openai-python does not need it.

How to fix
    Send `data: [DONE]` and a blank line behind the last chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.chat import DONE
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

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
    source="older API reference of the parameter stream",
    clients=(ClientEffect("interfaces that wait for [DONE]", Breaks.SILENTLY, "they hang", "vllm-mlx issue 101"),),
)
def done_missing(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once, at the end."""
    completion = evidence.completion
    if completion.terminals or not completion.chunks or evidence.failed_as_a_whole:
        return
    residue = evidence.framing.residue
    if residue is not None and residue.data.strip() == DONE:
        return
    yield Complaint(
        "the stream ends without [DONE]",
        evidence.at_end(),
        expected="data: [DONE]",
        actual="the end of the body",
    )
