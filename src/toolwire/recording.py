"""The lines of a recording, read back: old forms, cut ends, what each line is; and raw captures.

Knows: the form of the lines and of earlier forms, the heads that `curl -i` saves. Must not know: files, rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import msgspec

from toolwire.errors import RecordingError
from toolwire.exchange import Exchange, Read, ResponseHead, decode_exchange, redact_headers
from toolwire.results import DroppedField, RunEnd, RunHeader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "FORMAT",
    "Aborted",
    "Dropped",
    "Footer",
    "Record",
    "RecordedTrial",
    "RecordedVerdict",
    "capture_exchange",
    "is_recording",
    "is_whole",
    "looks_like_exchange",
    "read_header",
    "read_records",
]

FORMAT: Final = 1
"""Number of the form that this version writes."""

MIGRATIONS: dict[int, Callable[[dict[str, object]], dict[str, object]]] = {}
"""From the header of form n to that of form n + 1; lines of other kinds never lost or renamed a key so far."""


class Footer(msgspec.Struct, frozen=True):
    """How a run ended; a recording without it was cut short."""

    ended: RunEnd
    stopped: str = ""
    seconds: float | None = None
    finished: str = ""


class RecordedVerdict(msgspec.Struct, frozen=True, rename={"verdict_class": "class"}):
    """What was said of a trial when it was made."""

    id: str
    verdict_class: str
    verdict: str


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """One trial of a run; in a file of bare exchanges `case` and `tool_choice` are empty."""

    exchange: Exchange
    case: str = ""
    tool_choice: str = ""
    repeat: int = 1


@dataclass(frozen=True, slots=True)
class Aborted:
    """What came of a trial that we broke off; it counts for nothing."""

    exchange: Exchange


@dataclass(frozen=True, slots=True)
class Dropped:
    """A field that the server refused, and the exchange that shows it."""

    field: DroppedField
    exchange: Exchange


Record = RecordedTrial | RecordedVerdict | Aborted | Dropped | Footer


class _Tag(msgspec.Struct):
    record: str | None = None


class _Form(msgspec.Struct):
    format: int


class _Place(msgspec.Struct):
    case: str
    tool_choice: str
    repeat: int


class _DroppedLine(msgspec.Struct):
    name: str
    status: int
    said: str
    trial: str
    exchange: msgspec.Raw


_tag = msgspec.json.Decoder(_Tag)
_form = msgspec.json.Decoder(_Form)
_place = msgspec.json.Decoder(_Place)
_dropped = msgspec.json.Decoder(_DroppedLine)
_verdict = msgspec.json.Decoder(RecordedVerdict)
_footer = msgspec.json.Decoder(Footer)
_header = msgspec.json.Decoder(RunHeader)


def is_recording(line: bytes) -> bool:
    """Whether a first line is the header of a recording."""
    try:
        return _tag.decode(line).record == "header"
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False


def read_header(line: bytes, *, file: str) -> RunHeader:
    """Read the header, of this or an earlier form. Raises `RecordingError`."""
    try:
        found = _form.decode(line).format
        if found == FORMAT:
            return _header.decode(line)
        if found > FORMAT or found < 1:
            raise RecordingError(
                f"the recording has form {found}, this version of toolwire reads up to {FORMAT}",
                file=file,
                line=1,
                hint="read it with a newer version",
            )
        fields = cast("dict[str, object]", msgspec.json.decode(line))
        for number in range(found, FORMAT):
            fields = MIGRATIONS[number](fields)
        return msgspec.convert(fields, RunHeader)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
        raise RecordingError(f"not the header of a recording ({problem})", file=file, line=1) from problem


def read_records(lines: Iterable[tuple[int, bytes]], *, file: str) -> Iterator[Record]:
    """Read the lines after the header; kinds that this version does not know are skipped. Raises `RecordingError`."""
    for number, line in lines:
        record = _read_record(line, file=file, number=number)
        if record is not None:
            yield record


def _read_record(line: bytes, *, file: str, number: int) -> Record | None:
    """Read one line."""
    try:
        match _tag.decode(line).record:
            case "exchange":
                place = _place.decode(line)
                exchange = decode_exchange(line, file=file, number=number)
                return RecordedTrial(exchange, place.case, place.tool_choice, place.repeat)
            case "judgement":
                return _verdict.decode(line)
            case "aborted":
                return Aborted(decode_exchange(line, file=file, number=number))
            case "dropped":
                said = _dropped.decode(line)
                exchange = decode_exchange(bytes(said.exchange), file=file, number=number)
                return Dropped(DroppedField(said.name, said.status, said.said, said.trial), exchange)
            case "footer":
                return _footer.decode(line)
            case None:
                return RecordedTrial(decode_exchange(line, file=file, number=number))
            case _:
                return None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
        raise RecordingError(f"not a line of a recording ({problem})", file=file, line=number) from problem


def looks_like_exchange(line: bytes) -> bool:
    """Whether a line looks like an exchange, also a broken one, so that the error can say what is wrong with it."""
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return line.lstrip().startswith(b'{"id"') and b'"request"' in line
    return isinstance(value, dict) and "request" in value


def is_whole(line: bytes) -> bool:
    """Whether a line is whole."""
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True


# -- raw captures ------------------------------------------------------------------------------------------------------


def capture_exchange(
    data: bytes,
    request: dict[str, object],
    *,
    id: str,  # noqa: A002 - the exchange's own name for it
    protocol: str,
) -> Exchange:
    """Make an exchange of a raw body, as `curl -N` saves it, with the head that `curl -i` puts before it; no times."""
    head, body = _split_head(data)
    reads = [Read.of(0.0, body)] if body else []
    return Exchange(id=id, protocol=protocol, request=request, response=head, reads=reads)


def _split_head(data: bytes) -> tuple[ResponseHead, bytes]:
    """Take the head that `curl -i` saves off the body; interim heads (1xx) are passed over."""
    head = ResponseHead(200)
    while found := _HEAD.match(data):
        fields: dict[str, str] = {}
        for line in found["fields"].decode("latin-1").splitlines():
            name, _, value = line.partition(":")
            key = name.strip().lower()
            fields[key] = f"{fields[key]}, {value.strip()}" if key in fields else value.strip()
        head = ResponseHead(int(found["status"]), redact_headers(fields))
        data = data[found.end() :]
        if head.status >= 200:  # noqa: PLR2004 - from here on answers are final
            break
    return head, data


_HEAD = re.compile(rb"HTTP/[0-9.]+ (?P<status>[0-9]{3})[^\n]*\n(?P<fields>(?:[^\r\n]+\r?\n)*)\r?\n")
