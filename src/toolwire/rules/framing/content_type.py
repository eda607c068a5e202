"""A stream is labelled text/event-stream.

What it checks
    The `content-type` of a response whose body holds events is `text/event-stream`, with any parameters. Only where
    headers were kept.

Why it matters
    Browsers and the stricter libraries refuse a stream under another label; proxies buffer or compress it.

Basis
    The standard requires it. Rule book T-03.

Which clients break
    EventSource in browsers, httpx-sse and httpx2 refuse the stream; the official Python libraries do not look.

How to fix
    Set `content-type: text/event-stream` on the streaming path; look for middleware that overwrites it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, NotApplicable, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["content_type"]

_MEDIA_TYPE = "text/event-stream"


@rule(
    name="content-type",
    code="TW106",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("T-03",),
    source="WHATWG HTML Living Standard, section 9.2.3 (processing model)",
    clients=(
        ClientEffect("EventSource, httpx-sse, httpx2", Breaks.BY_EXCEPTION, "the stream is refused", "reproduced"),
    ),
)
def content_type(evidence: Evidence) -> Iterator[Complaint] | NotApplicable:
    """Complain of another label."""
    head = evidence.exchange.response
    if head is None or not head.headers:
        return NotApplicable("the headers of the response are not known")
    return _check(evidence, head.headers.get("content-type", ""))


def _check(evidence: Evidence, label: str) -> Iterator[Complaint]:
    """Compare the label of a body that has events."""
    if not evidence.events or not evidence.is_stream:
        return
    if label.partition(";")[0].strip().lower() != _MEDIA_TYPE:
        yield Complaint(
            f"the stream is labelled {label[:60]!r}" if label else "the stream has no content-type",
            evidence.at_start(),
            expected=_MEDIA_TYPE,
            actual=label or "no content-type",
        )
