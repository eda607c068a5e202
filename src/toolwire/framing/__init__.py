"""Framing: bytes in, events out; every oddity an anomaly with its byte span. Never raises.

Knows: lines, fields, events. Must not know: what the data means.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec

__all__ = ["RECORDED", "Anomaly", "Event", "FramingAnomaly", "Limits", "Residue", "Span"]

RECORDED = 8
"""How many anomalies of one kind are kept whole; the rest are counted, so that memory stays bounded."""

EXCERPT = 120
"""Characters of a peer's text that an anomaly may carry."""


class Span(msgspec.Struct, frozen=True, gc=False):
    """Byte offsets into the content-decoded body: from `start`, up to and without `end`."""

    start: int
    end: int


class FramingAnomaly(StrEnum):
    """What can be odd about lines and events."""

    BOM = "bom"
    INVALID_UTF8 = "invalid-utf8"
    MIXED_LINE_ENDINGS = "mixed-line-endings"
    CR_LINE_ENDINGS = "cr-line-endings"
    CRLF_LINE_ENDINGS = "crlf-line-endings"
    UNFINISHED_EVENT = "unfinished-event"
    EMPTY_DATA_BLOCK = "empty-data-block"
    NON_FIELD_JSON = "non-field-json"
    UNKNOWN_FIELD = "unknown-field"
    NO_SPACE_AFTER_COLON = "no-space-after-colon"
    MULTI_LINE_DATA = "multi-line-data"
    ID_FIELD = "id-field"
    RETRY_FIELD = "retry-field"
    EVENT_NAME = "event-name"
    COMMENT = "comment"
    COMMENT_AFTER_ID = "comment-after-id"
    LINE_TOO_LONG = "line-too-long"
    EVENT_TOO_LONG = "event-too-long"
    BODY_TOO_LONG = "body-too-long"
    NUL_IN_ID = "nul-in-id"
    BAD_RETRY = "bad-retry"
    BLANK_LINE = "blank-line"
    SSE_PREFIX = "sse-prefix"
    SEPARATOR_IN_LINE = "separator-in-line"


class Anomaly(msgspec.Struct, frozen=True):
    """One oddity: where, when it arrived, an excerpt, and the number of the event that it belongs to or precedes."""

    kind: FramingAnomaly
    span: Span
    at: float
    detail: str = ""
    event: int = -1


class Event(msgspec.Struct, frozen=True, gc=False):
    """One event: `at` is when the read came that completed it; `span` includes the blank line that ends it."""

    number: int
    at: float
    span: Span
    data: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Residue:
    """What was left unfinished at the end of the body; a strict client discards it."""

    data: str
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes that a peer may not pass; beyond them bytes are left out and that is noted."""

    line: int = 32 * 1024 * 1024
    """One line: an engine that sends a whole answer as one event stays far below."""
    event: int = 64 * 1024 * 1024
    """The data of one event, over all of its lines."""
    body: int = 256 * 1024 * 1024
    """A whole body: the same as `framing.body.BODY_LIMIT`."""
