"""A stream does not promise its length.

What it checks
    A response whose body holds events has no `content-length`.

Why it matters
    Whoever knows the length had the whole answer before the first byte was sent: something in between buffers.

Basis
    Our own reading of RFC 9112, section 6. Rule book T-06.

Which clients break
    None breaks; nothing arrives before all of it has.

How to fix
    Look for middleware or a proxy that buffers the response, and switch that off for event streams.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["content_length_stream"]


@rule(
    name="content-length-stream",
    code="TW109",
    level=Level.SHOULD,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("T-06",),
    source="RFC 9112, section 6",
)
def content_length_stream(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of the header."""
    head = evidence.exchange.response
    length = head.headers.get("content-length") if head is not None else None
    if length is not None and evidence.events and evidence.is_stream:
        yield Complaint(
            f"the stream promises its length ({length[:20]} bytes), so it was whole before it was sent",
            evidence.at_start(),
            expected="chunked transfer coding",
            actual=f"content-length: {length[:20]}",
        )
