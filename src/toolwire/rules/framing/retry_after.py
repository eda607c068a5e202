"""A server that is busy says when to come back.

What it checks
    A response with status 429 or 503 has a `retry-after` that is a number of seconds or an HTTP date. Only where
    headers were kept.

Why it matters
    Without it clients guess, and many come back at once, together.

Basis
    RFC 9110; the API's description of rate limits. Rule book T-11.

Which clients break
    Those that retry: they fall back on their own schedule.

How to fix
    Send whole seconds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["retry_after"]

_BUSY = frozenset({429, 503})
_DATE = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d")
"""A date of any of the three forms that RFC 9110, section 5.6.7, lets a recipient accept."""


@rule(
    name="retry-after",
    code="TW113",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("T-11",),
    source="RFC 9110, section 10.2.3",
)
def retry_after(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of a missing or senseless header."""
    head = evidence.exchange.response
    if head is None or head.status not in _BUSY or not head.headers:
        return
    value = head.headers.get("retry-after", "").strip()
    if not (value.isascii() and value.isdecimal()) and not _DATE.match(value):
        yield Complaint(
            f"retry-after is {value[:40]!r}" if value else f"status {head.status} comes without retry-after",
            evidence.at_start(),
            expected="whole seconds, or a date",
            actual=value or "no header",
        )
