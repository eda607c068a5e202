"""Lines of JSON (NDJSON), as Ollama's own interface streams them, with every oddity noted.

A line ends at LF, or CRLF; everything else that some client takes for the end of a line is an anomaly where it stands.
A last line without LF is given as an event: no reader of lines loses it.

Source: rule book N-01 to N-03; RFC 8259 for what counts as white space.
Knows: lines. Must not know: JSON, protocols.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolwire.framing import Decoder, Event, FramingAnomaly, Span

if TYPE_CHECKING:
    from toolwire.framing import Limits

__all__ = ["NdjsonDecoder"]

_BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\r"
_PREFIX = re.compile(rb"(?:data|event|id|retry)?:")
_SEPARATOR = re.compile(rb"[\x0b\x0c\r\x1c-\x1f]|\xc2\x85|\xe2\x80[\xa8\xa9]")
"""VT, FF, CR, FS to US, U+0085, U+2028 and U+2029: ollama-python splits at them (rule book N-03)."""


class NdjsonDecoder(Decoder):
    """`feed` bytes as they arrive, `close` once; the events' data are the lines, blank ones left out."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Start before the first byte."""
        super().__init__(limits)
        self._parts: list[bytes] = []  # of the line that is still growing
        self._size = 0  # of these parts
        self._offset = 0  # of the line's first byte in the body
        self._discarding = False  # inside a line that passed its limit

    def _take(self, data: bytes, at: float, events: list[Event]) -> None:
        """Take all whole lines."""
        *lines, rest = data.split(b"\n")
        for piece in lines:
            line = b"".join((*self._parts, piece)) if self._parts else piece
            self._parts = []
            self._size = 0
            ending = "crlf" if line.endswith(b"\r") else "lf"
            self.line_ending_counts[ending] += 1
            end = self._offset + len(line) + 1
            if self._discarding:
                self._discarding = False
            else:
                self._line(line, end, at, events)
            self._offset = end
        if rest:
            self._grow(rest, at)

    def _grow(self, piece: bytes, at: float) -> None:
        """Keep the beginning of a line, unless it passes the limit; the last byte may be the CR of its end."""
        self._parts.append(piece)
        self._size += len(piece)
        tail = 1 if piece.endswith(b"\r") else 0
        if not self._discarding and self._size - tail > self.limits.line:
            self._note(FramingAnomaly.LINE_TOO_LONG, self._offset, self._offset + self.limits.line, at)
            self._discarding = True
        if self._discarding:
            self._offset += self._size - tail
            self._parts = [b"\r"] if tail else []
            self._size = tail

    def _finish(self, at: float, events: list[Event]) -> None:
        """Give the last line although its LF is missing."""
        line = b"".join(self._parts)
        if not line or self._discarding or self._cut_by_us:
            return
        end = self._offset + len(line)
        text = line.removeprefix(_BOM) if self._offset == 0 else line
        if text.strip(_SPACE):
            self._note(FramingAnomaly.UNFINISHED_EVENT, self._offset, end, at, line.decode("utf-8", "replace"))
        self._line(line, end, at, events)

    def _line(self, line: bytes, end: int, at: float, events: list[Event]) -> None:
        """Take one line without its LF; `end` is the offset behind its end."""
        start = self._offset
        if line.endswith(b"\r"):
            line = line[:-1]
        if len(line) > self.limits.line:
            self._note(FramingAnomaly.LINE_TOO_LONG, start, start + self.limits.line, at)
            return
        if start == 0 and line.startswith(_BOM):
            self._note(FramingAnomaly.BOM, 0, len(_BOM), at)
            start = len(_BOM)
            line = line[start:]
        if not line.strip(_SPACE):
            self._note(FramingAnomaly.BLANK_LINE, start, end, at)
            return
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            text = line.decode("utf-8", "replace")
            self._note(FramingAnomaly.INVALID_UTF8, start + error.start, start + error.end, at, text)
        if _PREFIX.match(line):
            self._note(FramingAnomaly.SSE_PREFIX, start, end, at, text)
        if not text.isprintable():  # as all of the separators are not
            for match in _SEPARATOR.finditer(line):
                name = f"U+{ord(match.group().decode()):04X}"
                self._note(FramingAnomaly.SEPARATOR_IN_LINE, start + match.start(), start + match.end(), at, name)
        events.append(Event(self.event_count, at, Span(start, end), text))
        self.event_count += 1
