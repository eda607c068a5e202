"""Server-sent events to the letter of the WHATWG text, with every oddity noted.

Two paths give the same answer: plain streams (LF, one `data: ` line an event) are cut with `bytes.find`; all else goes
line by line. Once a CR was seen, a stream stays on the exact path.

Source: WHATWG HTML Living Standard, section 9.2.5 (parsing) and 9.2.6 (interpreting).
Knows: lines, fields, events. Must not know: JSON, protocols.
"""

from __future__ import annotations

import re
from collections import Counter

from toolwire.framing import EXCERPT, RECORDED, Anomaly, Event, FramingAnomaly, Limits, Residue, Span

__all__ = ["SseDecoder"]

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\n|\r")
_PREFIX = b"data: "
_FIELDS = (b"data", b"event", b"id", b"retry")
_LONG = 1024 * 1024
"""From this size on an unfinished block is taken line by line and a growing line is not copied at every read, so that
time stays linear in the bytes; ordinary events are a thousand times smaller."""


class SseDecoder:
    """`feed` bytes as they arrive, `close` once; read `anomalies`, `counts` and `residue` at any time."""

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
        self.bytes_seen = 0
        self._buffer = b""
        self._offset = 0  # of the buffer's first byte in the body
        self._searched = 0  # bytes of the buffer that are known to hold no end of a block
        self._begun = False  # whether the place for a byte order mark is behind us
        self._exact = False
        self._parts: list[bytes] = []  # of a long line that is still growing, behind the buffer
        self._parts_size = 0
        self._held_at: float | None = None  # when the CR came that ends the buffer
        self._discarding = False  # inside a line that passed its limit
        self._number = 0
        self._blank_start = 0  # where the current block began
        self._data: list[str] = []
        self._data_size = 0
        self._name = ""
        self._fields = 0
        self._comments = 0
        self._too_long = False
        self._last_id = ""

    def feed(self, data: bytes, at: float) -> list[Event]:
        """Take the bytes of one read, which came `at` seconds after the request; return the events that it completed."""
        room = self.limits.body - self.bytes_seen
        if len(data) > room:
            if not self.counts[FramingAnomaly.BODY_TOO_LONG]:
                self._note(FramingAnomaly.BODY_TOO_LONG, self.limits.body, self.limits.body, at)
            data = data[:room]
        self.bytes_seen += len(data)
        if len(self._buffer) > _LONG and self._held_at is None and b"\n" not in data and b"\r" not in data:
            return self._lengthen(data, at)
        if self._parts:
            data = b"".join((*self._parts, data))
            self._parts = []
            self._parts_size = 0
        buffer = self._buffer + data if self._buffer else data
        if not self._begun:
            if len(buffer) < len(_BOM) and _BOM.startswith(buffer):
                self._buffer = buffer
                return []
            self._begun = True
            if buffer.startswith(_BOM):
                self._note(FramingAnomaly.BOM, 0, len(_BOM), at)
                buffer = buffer[len(_BOM) :]
                self._offset = self._blank_start = len(_BOM)
        self._buffer = buffer
        events: list[Event] = []
        if not self._exact and (b"\r" in data or len(buffer) > min(_LONG, self.limits.line)):
            self._exact = True
        if self._exact:
            self._exact_lines(at, events)
        else:
            self._plain_blocks(at, events)
        return events

    def _lengthen(self, data: bytes, at: float) -> list[Event]:
        """Let a long line grow without copying it at every read."""
        self._parts.append(data)
        if len(self._buffer) + self._parts_size + len(data) > self.limits.line:
            self._flush_parts(at, [])
        else:
            self._parts_size += len(data)
        return []

    def _flush_parts(self, at: float, events: list[Event]) -> None:
        """Join what `_lengthen` set aside, and take it line by line."""
        self._buffer = b"".join((self._buffer, *self._parts))
        self._parts = []
        self._parts_size = 0
        self._exact = True
        self._exact_lines(at, events)

    def close(self, at: float = 0.0) -> list[Event]:
        """End the body: an unfinished block is kept as `residue` and discarded, as the standard says."""
        events: list[Event] = []
        if not self._begun:  # nothing but the beginning of a byte order mark
            self._begun = True
        self._exact = True
        if self._parts:
            self._flush_parts(at, events)
        self._exact_lines(at, events, last=True)
        end = self._offset + len(self._buffer)
        stump = any(name.startswith(self._buffer) for name in _FIELDS)  # a name that was cut is no odd field
        if not stump and not self._discarding:
            self._line(self._buffer, self._offset, end, at, events)
        self._buffer = b""
        if self._fields or self._data:
            self.residue = Residue("\n".join(self._data), self._name, Span(self._blank_start, end))
            self._note(FramingAnomaly.UNFINISHED_EVENT, self._blank_start, end, at, self.residue.data)
        self._note_line_endings(at)
        return events

    # -- the quick path ------------------------------------------------------------------------------------------------

    def _plain_blocks(self, at: float, events: list[Event]) -> None:
        """Cut whole blocks off a buffer without CR."""
        buffer = self._buffer
        offset = self._offset
        begin = 0
        search = self._searched
        lines = 0
        while True:
            stop = buffer.find(b"\n\n", search)
            if stop < 0:
                break
            block = buffer[begin:stop]
            end = stop + 2
            if block.startswith(_PREFIX) and b"\n" not in block and len(_PREFIX) < len(block) <= self.limits.event:
                try:
                    text = block[6:].decode("utf-8")
                except UnicodeDecodeError:
                    self._slow_block(buffer[begin:end], offset + begin, at, events)
                else:
                    lines += 2
                    events.append(Event(self._number, at, Span(offset + begin, offset + end), text))
                    self._number += 1
                    self._blank_start = offset + end
            else:
                self._slow_block(buffer[begin:end], offset + begin, at, events)
            begin = search = end
        if lines:
            self.line_ending_counts["lf"] += lines
        self._buffer = buffer[begin:]
        self._offset = offset + begin
        # the last byte may be the first half of a block's end
        self._searched = max(len(self._buffer) - 1, 0)

    def _slow_block(self, block: bytes, offset: int, at: float, events: list[Event]) -> None:
        """Take the lines of a block that is not plain."""
        for line in block.split(b"\n")[:-1]:
            end = offset + len(line)
            self.line_ending_counts["lf"] += 1
            self._line(line, offset, end + 1, at, events)
            offset = end + 1

    # -- the exact path ------------------------------------------------------------------------------------------------

    def _exact_lines(self, at: float, events: list[Event], *, last: bool = False) -> None:
        """Take all lines that are whole; a CR at the end waits for the byte after it, which may be its LF."""
        buffer = self._buffer
        begin = 0
        held_at = self._held_at
        for match in _LINE_END.finditer(buffer):
            ending = match.group()
            stop, end = match.span()
            if ending == b"\r" and end == len(buffer) and not last:
                if held_at is None or begin:
                    held_at = at
                self._held_at = held_at
                self._keep(buffer, begin)
                return
            kind = "lf" if ending == b"\n" else "cr" if ending == b"\r" else "crlf"
            self.line_ending_counts[kind] += 1
            # the line of a held CR was complete when that came
            arrived = held_at if held_at is not None and begin == 0 else at
            if self._discarding:
                self._discarding = False
            else:
                self._line(buffer[begin:stop], self._offset + begin, self._offset + end, arrived, events)
            begin = end
        self._held_at = None
        self._keep(buffer, begin)
        if len(self._buffer) > self.limits.line:
            if not self._discarding:
                self._note(FramingAnomaly.LINE_TOO_LONG, self._offset, self._offset + self.limits.line, at)
                self._discarding = True
            self._too_long = True
            self._offset += len(self._buffer)
            self._buffer = b""

    def _keep(self, buffer: bytes, begin: int) -> None:
        """Keep what is not a whole line yet."""
        self._buffer = buffer[begin:]
        self._offset += begin

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _line(self, line: bytes, start: int, end: int, at: float, events: list[Event]) -> None:
        """Take one line without its end; `end` is the offset behind its end."""
        if not line:
            self._dispatch(end, at, events)
            return
        if len(line) > self.limits.line:
            self._note(FramingAnomaly.LINE_TOO_LONG, start, start + self.limits.line, at)
            self._too_long = True
            return
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            text = line.decode("utf-8", "replace")
            self._note(FramingAnomaly.INVALID_UTF8, start + error.start, start + error.end, at, text)
        if text.startswith(":"):
            self._comments += 1
            self._note(FramingAnomaly.COMMENT, start, end, at, text)
            return
        name, colon, value = text.partition(":")
        spaced = value.startswith(" ")
        if spaced:
            value = value[1:]
        if name not in ("data", "event", "id", "retry"):
            bare = text.lstrip()
            odd = bare.startswith(("{", "[")) or bare.rstrip() == "[DONE]"
            self._note(FramingAnomaly.NON_FIELD_JSON if odd else FramingAnomaly.UNKNOWN_FIELD, start, end, at, text)
            return
        if colon and not spaced and value:
            self._note(FramingAnomaly.NO_SPACE_AFTER_COLON, start, end, at, text)
        self._fields += 1
        if name == "data":
            self._data_size += len(line)
            if self._data_size > self.limits.event:
                if not self._too_long:
                    self._note(FramingAnomaly.EVENT_TOO_LONG, self._blank_start, end, at)
                self._too_long = True
                self._data = []
            else:
                self._data.append(value)
        else:
            self._other_field(name, value, start, end, at)

    def _other_field(self, name: str, value: str, start: int, end: int, at: float) -> None:
        """Take a field that is not data."""
        if name == "event":
            self._name = value
            self._note(FramingAnomaly.EVENT_NAME, start, end, at, value)
        elif name == "id":
            self._note(FramingAnomaly.ID_FIELD, start, end, at, value)
            if "\0" in value:
                self._note(FramingAnomaly.NUL_IN_ID, start, end, at, value)
            else:
                self._last_id = value
        else:
            self._note(FramingAnomaly.RETRY_FIELD, start, end, at, value)
            if not (value.isascii() and value.isdigit()):
                self._note(FramingAnomaly.BAD_RETRY, start, end, at, value)

    def _dispatch(self, end: int, at: float, events: list[Event]) -> None:
        """Take a blank line: dispatch the block, if it has data."""
        start = self._blank_start
        if self._too_long:
            pass  # a block that passed a limit has no data that could be trusted
        elif self._data:
            data = "\n".join(self._data)
            if len(self._data) > 1:
                self._note(FramingAnomaly.MULTI_LINE_DATA, start, end, at, data)
            if not data:
                self._note(FramingAnomaly.EMPTY_DATA_BLOCK, start, end, at, "data without a value")
            events.append(Event(self._number, at, Span(start, end), data, self._name))
            self._number += 1
        elif self._fields:
            self._note(FramingAnomaly.EMPTY_DATA_BLOCK, start, end, at, "fields without data")
        elif self._last_id:
            # clients that keep the last id take the block for an event (rule book E-11, E-12)
            if self._comments:
                self._note(FramingAnomaly.COMMENT_AFTER_ID, start, end, at)
            else:
                self._note(FramingAnomaly.EMPTY_DATA_BLOCK, start, end, at, "a blank line after an id")
        self._data = []
        self._data_size = 0
        self._name = ""
        self._fields = 0
        self._comments = 0
        self._too_long = False
        self._blank_start = end

    def _note(self, kind: FramingAnomaly, start: int, end: int, at: float, detail: str = "") -> None:
        """Keep or count an anomaly."""
        self.counts[kind] += 1
        if self.counts[kind] <= RECORDED:
            self.anomalies.append(Anomaly(kind, Span(start, end), at, detail[:EXCERPT], self._number))

    def _note_line_endings(self, at: float) -> None:
        """Say which line ends were used, where it was not LF throughout."""
        used = {kind: count for kind, count in self.line_ending_counts.items() if count}
        words = ", ".join(f"{count} {kind.upper()}" for kind, count in sorted(used.items()))
        if len(used) > 1:
            self._note(FramingAnomaly.MIXED_LINE_ENDINGS, 0, self.bytes_seen, at, words)
        elif "cr" in used:
            self._note(FramingAnomaly.CR_LINE_ENDINGS, 0, self.bytes_seen, at, words)
        elif "crlf" in used:
            self._note(FramingAnomaly.CRLF_LINE_ENDINGS, 0, self.bytes_seen, at, words)
