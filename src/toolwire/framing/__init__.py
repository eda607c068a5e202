"""Framing: bytes in, events out; every oddity an anomaly with its byte span. Never raises.

Knows: lines, fields, events. Must not know: what the data means.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

import msgspec

__all__ = ["RECORDED", "Anomaly", "Decoder", "Event", "FramingAnomaly", "Limits", "Residue", "Span"]

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
    """A line does not decode strictly; its text holds U+FFFD instead."""
    MIXED_LINE_ENDINGS = "mixed-line-endings"
    CR_LINE_ENDINGS = "cr-line-endings"
    CRLF_LINE_ENDINGS = "crlf-line-endings"
    UNFINISHED_EVENT = "unfinished-event"
    """Fields without the blank line, or a line of NDJSON without the LF, at the end of the body."""
    EMPTY_DATA_BLOCK = "empty-data-block"
    """A block whose data are empty; many clients take it for an event and fail."""
    NON_FIELD_JSON = "non-field-json"
    """A line that is no known field and looks like a payload without `data:`."""
    UNKNOWN_FIELD = "unknown-field"
    NO_SPACE_AFTER_COLON = "no-space-after-colon"
    MULTI_LINE_DATA = "multi-line-data"
    ID_FIELD = "id-field"
    RETRY_FIELD = "retry-field"
    EVENT_NAME = "event-name"
    COMMENT = "comment"
    COMMENT_AFTER_ID = "comment-after-id"
    """A block of nothing but comments once an id was set; openai-python takes it for an event."""
    LINE_TOO_LONG = "line-too-long"
    EVENT_TOO_LONG = "event-too-long"
    BODY_TOO_LONG = "body-too-long"
    NUL_IN_ID = "nul-in-id"
    BAD_RETRY = "bad-retry"
    BLANK_LINE = "blank-line"
    """NDJSON: a line with nothing but white space."""
    SSE_PREFIX = "sse-prefix"
    """NDJSON: a line that begins like a field or comment of server-sent events."""
    SEPARATOR_IN_LINE = "separator-in-line"
    """NDJSON: a raw character inside a line at which some clients split it."""


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

    @property
    def is_done(self) -> bool:
        """Whether it is the mark that ends a stream and nothing else: then nothing was lost (rule book E-05)."""
        return self.data.strip() == "[DONE]"


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes that a peer may not pass; beyond them bytes are left out and that is noted."""

    line: int = 32 * 1024 * 1024
    """One line: an engine that sends a whole answer as one event stays far below."""
    event: int = 64 * 1024 * 1024
    """The data of one event, over all of its lines."""
    body: int = 256 * 1024 * 1024
    """A whole body: the same as `framing.body.BODY_LIMIT`."""


class Decoder(ABC):
    """What all framing decoders share: `feed` bytes as they arrive, `close` once, read the attributes at any time.

    Neither raises, whatever the bytes. How the bytes are divided over the reads changes nothing but times.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        """Start before the first byte."""
        self.limits = limits or Limits()
        self.anomalies: list[Anomaly] = []
        """The first few of each kind, in the order in which they were met."""
        self.counts: Counter[FramingAnomaly] = Counter()
        """How many there were of each kind."""
        self.line_ending_counts: Counter[str] = Counter()
        """Lines ended by `lf`, `cr` and `crlf`."""
        self.residue: Residue | None = None
        """What `close` found unfinished and did not give as an event."""
        self.bytes_seen = 0
        """Bytes taken, up to the limit of the body."""
        self.event_count = 0
        """Events given; the number that the next one gets."""

    @property
    def comment_count(self) -> int:
        """How many comment lines there were."""
        return self.counts[FramingAnomaly.COMMENT]

    def feed(self, data: bytes, at: float) -> list[Event]:
        """Take the bytes of one read, `at` seconds after the request; return the events that it completed."""
        events: list[Event] = []
        room = self.limits.body - self.bytes_seen
        if len(data) <= room:
            self.bytes_seen += len(data)
            self._take(data, at, events)
        else:
            self.bytes_seen = self.limits.body
            self._take(data[:room], at, events)
            if not self.counts[FramingAnomaly.BODY_TOO_LONG]:
                self._note(FramingAnomaly.BODY_TOO_LONG, self.limits.body, self.limits.body, at)
        return events

    def close(self, at: float = 0.0) -> list[Event]:
        """End the body, `at` seconds after the request; return the events that only the end completes."""
        events: list[Event] = []
        self._finish(at, events)
        self._note_line_endings(at)
        return events

    @abstractmethod
    def _take(self, data: bytes, at: float, events: list[Event]) -> None:
        """Take bytes that are within the limit of the body."""

    @abstractmethod
    def _finish(self, at: float, events: list[Event]) -> None:
        """Take what is left at the end of the body."""

    @property
    def _cut_by_us(self) -> bool:
        """Whether the body goes on behind its limit: what is unfinished then is not the peer's doing."""
        return FramingAnomaly.BODY_TOO_LONG in self.counts

    def _note(self, kind: FramingAnomaly, start: int, end: int, at: float, detail: str = "") -> None:
        """Keep or count an anomaly."""
        count = self.counts[kind] + 1
        self.counts[kind] = count
        if count <= RECORDED:
            self.anomalies.append(Anomaly(kind, Span(start, end), at, detail[:EXCERPT], self.event_count))

    def _note_line_endings(self, at: float) -> None:
        """Say which line ends were used, where it was not LF throughout."""
        used = sorted(self.line_ending_counts.items())
        words = ", ".join(f"{count} {kind.upper()}" for kind, count in used)
        if len(used) > 1:
            self._note(FramingAnomaly.MIXED_LINE_ENDINGS, 0, self.bytes_seen, at, words)
        elif used and used[0][0] == "cr":
            self._note(FramingAnomaly.CR_LINE_ENDINGS, 0, self.bytes_seen, at, words)
        elif used and used[0][0] == "crlf":
            self._note(FramingAnomaly.CRLF_LINE_ENDINGS, 0, self.bytes_seen, at, words)
