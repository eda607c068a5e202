"""The content coding is what the header says.

What it checks
    A body with a `content-encoding` can be decoded by it, and one without is not compressed.

Why it matters
    Clients get an exception instead of an answer, or bytes in which no event can be found.

Basis
    RFC 9110. Rule book T-07; corpus, judgement call 2.

Which clients break
    All.

How to fix
    Look for two layers that compress, or for one that passes the header on and not the coding. Do not compress event
    streams.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["encoding_broken"]


@rule(
    name="encoding-broken",
    code="TW111",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("T-07", "E-01"),
    source="RFC 9110, section 8.4",
    effect=Effect.UNREADABLE,
)
def encoding_broken(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of a coding that cannot be undone, and of one that nobody named."""
    head = evidence.exchange.response
    body = evidence.body
    if head is None or head.status >= _REFUSED:
        return
    if body.problem:
        yield Complaint(
            f"the body cannot be decoded: {body.problem}",
            evidence.at_start(),
            expected=f"a body coded as {body.encoding}",
            actual=body.problem,
        )
    elif body.disguised:
        yield Complaint(
            f"the body is coded as {body.disguised}, and no header says so",
            evidence.at_start(),
            expected=f"content-encoding: {body.disguised}",
            actual="no content-encoding",
        )


_REFUSED = 400
"""From this status on the status says enough."""
