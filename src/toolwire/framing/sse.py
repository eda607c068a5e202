"""Server-sent events to the letter of the WHATWG text, with every oddity noted.

Two paths give the same answer: whole blocks of the usual shapes (LF, one `data: ` line, perhaps an `event: ` line
before it) are cut with `bytes.find`; all else goes line by line, until the next block begins. A body that is here as a
whole can be taken at once (`feed_all`), which spares the work of every single read.

Source: WHATWG HTML Living Standard, section 9.2.5 (parsing) and 9.2.6 (interpreting).
Knows: lines, fields, events. Must not know: JSON, protocols.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import Decoder, Event, FramingAnomaly, Residue, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolwire.framing import Limits

__all__ = ["SseDecoder"]

_BOM = b"\xef\xbb\xbf"
_DATA = b"data: "
_EVENT = b"event: "
_FIELDS = ("data", "event", "id", "retry")

BLOCK = 16 * 1024
"""Bytes of an unfinished block that wait for its end; a longer one is taken line by line, so that time stays linear in
the bytes. Ordinary events have a few hundred."""


class SseDecoder(Decoder):
    """`feed` bytes as they arrive, `close` once; an unfinished last block becomes the `residue` and no event."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Start before the first byte."""
        super().__init__(limits)
        self._buffer = b""  # the unfinished block (quick path) or line (exact path)
        self._parts: list[bytes] = []  # what came after the buffer without any end of line
        self._parts_size = 0
        self._offset = 0  # of the buffer's first byte in the body
        self._searched = 0  # bytes of the buffer that are known to hold no end of a block
        self._begun = False  # whether the place for a byte order mark is behind us
        self._exact = False  # whether the buffer begins inside a block or holds a CR
        self._held_at: float | None = None  # when the CR came that ends the buffer
        self._discarding = False  # inside a line that passed its limit
        self._block_start = 0
        self._data: list[str] = []
        self._data_size = 0
        self._name = ""
        self._fields = 0
        self._comments = 0
        self._too_long = False  # whether something of the current block was left out
        self._last_id = ""
        self.last_event_id = ""
        """The id that a client would send on reconnecting, as of the last block that ended."""

    def feed_all(self, reads: Sequence[tuple[float, bytes]]) -> list[Event]:
        """Take the timed reads of a body, from its beginning; all is as if `feed` had been given one after the other.

        Without a CR `feed` holds a short block until its end is here, and then takes all of it at the time of that
        read. So short blocks are cut off at once, each with the time of the read that holds its last byte; from the
        first longer block on `feed` does the work.
        """
        events: list[Event] = []
        body = b"".join(data for _, data in reads)
        done = 0
        if not self._begun and len(body) <= self.limits.body and body[:1] != _BOM[:1] and b"\r" not in body:
            done = len(body) - len(self._blocks(body, 0.0, events, reads))
            self._begun = True
            self._searched = 0
            self.bytes_seen = done
        begin = 0
        for at, data in reads:
            end = begin + len(data)
            if end > done:
                events += self.feed(data[max(done - begin, 0) :], at)
            begin = end
        return events

    def _take(self, data: bytes, at: float, events: list[Event]) -> None:
        """Choose the path for what is here now."""
        if not self._begun:
            data = self._begin(self._buffer + data, at)
            if not self._begun:
                return
        if self._buffer and self._held_at is None and b"\n" not in data and b"\r" not in data:
            # nothing can end here: let the line grow without copying it at every read
            self._parts.append(data)
            self._parts_size += len(data)
            if len(self._buffer) + self._parts_size > self.limits.line:
                self._lines(self._joined(b""), at, events)
            return
        buffer = self._joined(data)
        if not self._exact and b"\r" not in data:
            buffer = self._blocks(buffer, at, events)
            if len(buffer) <= BLOCK and len(buffer) <= self.limits.line:
                self._buffer = buffer
                return
        self._lines(buffer, at, events)

    def _begin(self, head: bytes, at: float) -> bytes:
        """Strip the one byte order mark that may come first; keep a beginning of it until the rest is here."""
        if len(head) < len(_BOM) and _BOM.startswith(head):
            self._buffer = head
            return b""
        self._begun = True
        self._buffer = b""
        if not head.startswith(_BOM):
            return head
        self._note(FramingAnomaly.BOM, 0, len(_BOM), at)
        self._offset = self._block_start = len(_BOM)
        return head[len(_BOM) :]

    def _joined(self, data: bytes) -> bytes:
        """Return the buffer with what came after it."""
        if self._parts:
            data = b"".join((self._buffer, *self._parts, data))
            self._parts = []
            self._parts_size = 0
            return data
        return self._buffer + data if self._buffer else data

    def _finish(self, at: float, events: list[Event]) -> None:
        """Keep an unfinished block as `residue` and discard it, as the standard says."""
        self._begun = True
        self._lines(self._joined(b""), at, events, last=True)
        if self._cut_by_us:
            return
        line = self._buffer
        end = self._offset + len(line)
        stump = any(name.encode().startswith(line) for name in _FIELDS)  # a name that was cut is no odd field
        if not stump:
            self._line(line, self._offset, end, at, events)
        if self._fields:
            self.residue = Residue("\n".join(self._data), self._name, Span(self._block_start, end))
            self._note(FramingAnomaly.UNFINISHED_EVENT, self._block_start, end, at, self.residue.data)

    # -- the quick path ------------------------------------------------------------------------------------------------

    def _blocks(
        self, buffer: bytes, at: float, events: list[Event], reads: Sequence[tuple[float, bytes]] = ()
    ) -> bytes:
        """Cut whole blocks off a buffer without CR that begins with a block; return the rest.

        All of them came `at` one time, or in `reads`; then only blocks up to the first one are cut that may have been
        taken line by line.
        """
        offset = self._offset
        longest = min(self.limits.line, self.limits.event)
        later = iter(reads)
        here, most = (0, min(BLOCK, self.limits.line)) if reads else (len(buffer), len(buffer))
        begin = lines = 0
        search = self._searched
        while True:
            # mostly a block is one line, and the end of a line is found more quickly than that of a block
            stop = buffer.find(b"\n", begin)
            plain = buffer.startswith(_DATA, begin) and buffer.startswith(b"\n\n", stop)
            if not plain:
                stop = buffer.find(b"\n\n", search)
            if stop < 0:
                break
            end = search = stop + 2
            if end - begin > most:
                break
            while end > here:
                at, data = next(later)
                here += len(data)
            if plain and begin + 6 < stop <= begin + longest:
                try:
                    text = buffer[begin + 6 : stop].decode()
                except UnicodeDecodeError:
                    self._odd_block(buffer[begin:end], offset + begin, at, events)
                else:
                    lines += 2
                    events.append(Event(self.event_count, at, Span(offset + begin, offset + end), text))
                    self.event_count += 1
                    self._block_start = offset + end
            elif not self._named_block(buffer[begin:stop], offset + begin, at, events):
                self._odd_block(buffer[begin:end], offset + begin, at, events)
            begin = end
        if lines:
            self.line_ending_counts["lf"] += lines
        if begin:
            self._offset = offset + begin
            buffer = buffer[begin:]
        # the last byte may be the first half of a block's end
        self._searched = len(buffer) - 1 if buffer else 0
        return buffer

    def _named_block(self, block: bytes, start: int, at: float, events: list[Event]) -> bool:
        """Take a block of an `event: ` line and a `data: ` line, and say whether it was one."""
        head, _, line = block.partition(b"\n")
        value = line[6:]
        if not (head.startswith(_EVENT) and line.startswith(_DATA) and value and b"\n" not in value):
            return False
        if max(len(head), len(line)) > min(self.limits.line, self.limits.event):
            return False
        try:
            name = head[7:].decode()
            text = value.decode()
        except UnicodeDecodeError:
            return False
        self._note(FramingAnomaly.EVENT_NAME, start, start + len(head) + 1, at, name)
        self.line_ending_counts["lf"] += 3
        end = start + len(block) + 2
        events.append(Event(self.event_count, at, Span(start, end), text, name))
        self.event_count += 1
        self._block_start = end
        return True

    def _odd_block(self, block: bytes, offset: int, at: float, events: list[Event]) -> None:
        """Take the lines of a block of another shape."""
        lines = block.split(b"\n")
        lines.pop()
        self.line_ending_counts["lf"] += len(lines)
        for line in lines:
            end = offset + len(line) + 1
            self._line(line, offset, end, at, events)
            offset = end

    # -- the exact path ------------------------------------------------------------------------------------------------

    def _lines(self, buffer: bytes, at: float, events: list[Event], *, last: bool = False) -> None:
        """Take all whole lines; a CR at the end waits for the byte after it, which may be its LF."""
        # of bytes, `splitlines` splits at CR, LF and CRLF and nowhere else
        lines = buffer.splitlines(keepends=True)
        rest = b""
        arrived = at if self._held_at is None else self._held_at  # a line was complete when its held CR came
        self._held_at = None
        if lines and not lines[-1].endswith(b"\n") and not (last and lines[-1].endswith(b"\r")):
            rest = lines.pop()
            if rest.endswith(b"\r"):
                self._held_at = at if lines else arrived
        for raw in lines:
            line, kind = (raw[:-2], "crlf") if raw.endswith(b"\r\n") else (raw[:-1], "cr" if raw[-1] == 13 else "lf")  # noqa: PLR2004 - CR
            self.line_ending_counts[kind] += 1
            end = self._offset + len(raw)
            if self._discarding:
                self._discarding = False
            else:
                self._line(line, self._offset, end, arrived, events)
            self._offset = end
            arrived = at
        held = b"" if self._held_at is None else b"\r"
        if not self._discarding and len(rest) - len(held) > self.limits.line:
            self._note_long_line(self._offset, at)
            self._discarding = True
        if self._discarding:
            self._offset += len(rest) - len(held)
            rest = held
        self._buffer = rest
        self._searched = 0
        self._exact = bool(held) or self._block_start != self._offset

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _note_long_line(self, start: int, at: float) -> None:
        """Leave a line out, and with it the block."""
        self._note(FramingAnomaly.LINE_TOO_LONG, start, start + self.limits.line, at)
        self._too_long = True

    def _line(self, line: bytes, start: int, end: int, at: float, events: list[Event]) -> None:
        """Take one line without its end; `end` is the offset behind its end."""
        if not line:
            self._dispatch(end, at, events)
            return
        if len(line) > self.limits.line:
            self._note_long_line(start, at)
            return
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            text = line.decode("utf-8", "replace")
            self._note(FramingAnomaly.INVALID_UTF8, start + error.start, start + error.end, at, text)
        name, colon, value = text.partition(":")
        if not name:
            self._comments += 1
            self._note(FramingAnomaly.COMMENT, start, end, at, text)
            return
        if name not in _FIELDS:
            bare = text.lstrip()
            odd = bare.startswith(("{", "[")) or bare.rstrip() == "[DONE]"
            self._note(FramingAnomaly.NON_FIELD_JSON if odd else FramingAnomaly.UNKNOWN_FIELD, start, end, at, text)
            return
        self._fields += 1
        if value.startswith(" "):
            value = value[1:]
        elif colon and value:
            self._note(FramingAnomaly.NO_SPACE_AFTER_COLON, start, end, at, text)
        if name == "data":
            self._add_data(value, len(line), end, at)
        else:
            self._other_field(name, value, start, end, at)

    def _add_data(self, value: str, size: int, end: int, at: float) -> None:
        """Add the value of a data line of `size` bytes to the block."""
        self._data_size += size
        if self._data_size <= self.limits.event:
            self._data.append(value)
            return
        if not self._too_long:
            self._note(FramingAnomaly.EVENT_TOO_LONG, self._block_start, end, at)
        self._too_long = True
        self._data = []

    def _other_field(self, name: str, value: str, start: int, end: int, at: float) -> None:
        """Take a field that is not data."""
        if name == "event":
            self._name = value
            self._note(FramingAnomaly.EVENT_NAME, start, end, at, value)
        elif name == "id":
            self._note(FramingAnomaly.ID_FIELD, start, end, at, value)
            # "If the field value does not contain U+0000 NULL, then set the last event ID buffer"
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
        start = self._block_start
        self.last_event_id = self._last_id
        if self._too_long:
            pass  # a block that passed a limit has no data that could be trusted
        elif self._data:
            data = "\n".join(self._data)
            if len(self._data) > 1:
                self._note(FramingAnomaly.MULTI_LINE_DATA, start, end, at, data)
            if not data:
                self._note(FramingAnomaly.EMPTY_DATA_BLOCK, start, end, at, "data without a value")
            events.append(Event(self.event_count, at, Span(start, end), data, self._name))
            self.event_count += 1
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
        self._block_start = end
