"""A body is compressed only in ways that were offered.

What it checks
    `content-encoding` names codings that the `accept-encoding` of the request allows. Only where the headers of the
    request were kept and had that field.

Why it matters
    Clients cannot undo what they did not offer: they see bytes instead of events.

Basis
    RFC 9110. Without the field any coding is acceptable, so nothing is said then. Rule book T-07.

Which clients break
    All that do not know the coding.

How to fix
    Negotiate, or do not compress event streams at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, NotApplicable, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["encoding_unrequested"]


@rule(
    name="encoding-unrequested",
    code="TW110",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("T-07",),
    source="RFC 9110, sections 8.4 and 12.5.3",
)
def encoding_unrequested(evidence: Evidence) -> Iterator[Complaint] | NotApplicable:
    """Complain of a coding that was not offered."""
    sent = evidence.exchange.sent_headers
    offer = None if sent is None else sent.get("accept-encoding")
    if offer is None:
        return NotApplicable("what the request offered is not known")
    return _check(evidence, offer)


def _check(evidence: Evidence, offer: str) -> Iterator[Complaint]:
    """Compare what came with what was offered."""
    allowed = {name for name, weight in map(_weighed, offer.split(",")) if weight}
    refused = {name for name, weight in map(_weighed, offer.split(",")) if not weight}
    head = evidence.exchange.response
    for coding in (head.headers.get("content-encoding", "") if head is not None else "").split(","):
        name = coding.strip().lower().removeprefix("x-")
        if name in ("", "identity") or name in allowed or ("*" in allowed and name not in refused):
            continue
        yield Complaint(
            f"the body is coded as {name[:40]}, which was not offered",
            evidence.at_start(),
            expected=offer or "no coding",
            actual=name,
        )


def _weighed(item: str) -> tuple[str, bool]:
    """Return a coding of the offer and whether its weight is above zero."""
    name, _, parameters = item.partition(";")
    weight = parameters.partition("=")[2].strip()
    return name.strip().lower().removeprefix("x-"), weight.strip("0.") != "" or weight == ""
