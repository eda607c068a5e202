"""The charset of a stream is utf-8.

What it checks
    A `charset` parameter of the content type says utf-8.

Why it matters
    Event streams are UTF-8 whatever the header says; libraries that believe the header garble what is not ASCII.

Basis
    The registration of the media type allows only this value. Rule book T-04.

Which clients break
    httpx-sse and httpx2 decode with the declared charset.

How to fix
    Leave the parameter out, or say `charset=utf-8`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["charset"]

_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\";]*)", re.IGNORECASE)


@rule(
    name="charset",
    code="TW107",
    level=Level.NOTE,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("T-04",),
    source="WHATWG HTML Living Standard, section 9.2.7 and the registration of text/event-stream",
    clients=(
        ClientEffect(
            "httpx-sse, httpx2", Breaks.SILENTLY, "text is decoded with the declared charset", "rule book T-04"
        ),
    ),
)
def charset(evidence: Evidence) -> Iterator[Complaint]:
    """Tell of another charset."""
    head = evidence.exchange.response
    found = _CHARSET.search(head.headers.get("content-type", "")) if head is not None else None
    if found is None or not evidence.events:
        return
    name = found.group(1).strip()
    if name.lower().replace("_", "-") not in ("utf-8", "utf8"):
        yield Complaint(
            f"the charset of the stream is said to be {name[:40]!r}",
            evidence.at_start(),
            expected="utf-8",
            actual=name,
        )
