"""Recordings on disk: written as a run goes, whole again after a crash. The only module that opens the user's files.

A recording is JSON Lines: a header, then exchanges and their judgements and what else happened, then a footer.
Nothing that was written is ever changed; going on with a run appends to it.

Policy: each trial is one write at the end of the file, so that a crash of ours loses nothing that was written; the
disk is told to keep it at least every `SYNC_SECONDS` and at the end, so that a crash of the machine loses little.
A write that fails (a full disk) is taken back to the last whole line and reported.

Knows: files, paths, the form of the lines. Must not know: rules, servers.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, Self

import msgspec

from toolwire.errors import RecordingError, UsageError
from toolwire.exchange import Exchange, encode_exchange
from toolwire.recording import (
    FORMAT,
    RecordedTrial,
    capture_exchange,
    is_recording,
    is_whole,
    looks_like_exchange,
    read_header,
    read_records,
)
from toolwire.report.document import judgement_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from toolwire.judge import Judgement, Verdict
    from toolwire.recording import Record
    from toolwire.results import DroppedField, RunEnd, RunHeader

__all__ = [
    "Recording",
    "Source",
    "SourceKind",
    "WriteError",
    "new_recording_path",
    "open_source",
    "read_bytes",
    "read_text",
    "state_directory",
    "write_text",
]

SYNC_SECONDS = 1.0
"""At most so much of a run is lost when the machine goes down; syncing each line would slow fast servers down."""

MODE = 0o600
"""Prompts and answers are the user's own."""

TEXT_LIMIT = 64 * 1024 * 1024
"""Bytes of a suite or request file that are read; anything larger was named by mistake."""


class WriteError(UsageError):
    """A file cannot be written; what was written before is whole."""


def state_directory(environ: Mapping[str, str], *, platform: str = sys.platform, home: Path | None = None) -> Path:
    """Return where runs are kept: `$TOOLWIRE_STATE_DIR`, else the platform's place for a program's state."""
    if named := environ.get("TOOLWIRE_STATE_DIR"):
        return Path(named).expanduser()
    base = home if home is not None else Path.home()
    match platform:
        case "darwin":
            return base / "Library" / "Application Support" / "toolwire"
        case "win32":
            local = environ.get("LOCALAPPDATA")
            return (Path(local) if local else base / "AppData" / "Local") / "toolwire"
        case _:
            # a relative path there is to be ignored (XDG Base Directory Specification)
            state = environ.get("XDG_STATE_HOME", "")
            return (Path(state) if state.startswith("/") else base / ".local" / "state") / "toolwire"


def new_recording_path(directory: Path, *, started: str, model: str) -> Path:
    """Return a path for a new recording that nothing has yet: `runs/2026-12-01T12-59-56Z-model.jsonl`."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{started.replace(':', '-')}-{model.rpartition('/')[2]}")[:100]
    folder = directory / "runs"
    path = folder / f"{stem}.jsonl"
    number = 2
    while path.exists():
        path = folder / f"{stem}-{number}.jsonl"
        number += 1
    return path


def read_text(path: Path) -> str:
    """Return a text file of the user. Raises `UsageError`."""
    data = read_bytes(path, limit=TEXT_LIMIT)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UsageError(f"{path} is not UTF-8 ({problem.reason} at byte {problem.start})") from problem


def read_bytes(path: Path, *, limit: int) -> bytes:
    """Return a file of at most `limit` bytes. Raises `UsageError`."""
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as problem:
        raise UsageError(f"cannot read {path} ({_reason(problem)})") from problem
    if len(data) > limit:
        raise UsageError(f"{path} has more than {limit} bytes", "is this the right file?")
    return data


def write_text(path: Path, text: str) -> None:
    """Write a report: all of it or nothing, replacing what was there. Raises `WriteError`."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with scratch.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        scratch.replace(path)
    except OSError as problem:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)
        raise WriteError(f"cannot write {path} ({_reason(problem)})") from problem


@dataclass(slots=True)
class _Written:
    """How much of a file is whole lines, and when the disk was last told."""

    size: int = 0
    synced: float = 0.0
    dirty: bool = False


class Recording:
    """A recording that is being written; a context manager that closes the file."""

    def __init__(self, descriptor: int, path: Path, size: int) -> None:
        """Use `create` or `append_to`."""
        self.path = path
        self._descriptor = descriptor
        self._written = _Written(size, monotonic())

    @classmethod
    def create(cls, path: Path, header: RunHeader) -> Self:
        """Start a new recording; a file that exists is never overwritten. Raises `WriteError`."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as problem:
            raise WriteError(f"cannot create the folder {path.parent} ({_reason(problem)})") from problem
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | _BINARY, MODE)
        except FileExistsError as problem:
            raise WriteError(
                f"{path} exists", "name another file with --record, or go on with it with --resume"
            ) from problem
        except OSError as problem:
            raise WriteError(f"cannot create {path} ({_reason(problem)})") from problem
        recording = cls(descriptor, path, 0)
        try:
            recording.add_header(header)
            recording.sync()
        except WriteError:
            recording.close()
            with suppress(OSError):
                path.unlink()
            raise
        return recording

    @classmethod
    def append_to(cls, path: Path, size: int) -> Self:
        """Go on with a recording of which the first `size` bytes are whole lines. Raises `WriteError`.

        What a crash left of a last line is cut off: nothing can be read of it.
        """
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | _BINARY)
        except OSError as problem:
            raise WriteError(f"cannot append to {path} ({_reason(problem)})") from problem
        recording = cls(descriptor, path, size)
        try:
            os.ftruncate(descriptor, size)
            with path.open("rb") as file:
                file.seek(max(size - 1, 0))
                if file.read(1) not in (b"\n", b""):
                    recording._write(b"\n")
        except (OSError, WriteError) as problem:
            recording.close()
            raise WriteError(f"cannot append to {path} ({problem})") from problem
        return recording

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def add_header(self, header: RunHeader) -> None:
        """Write what the run is."""
        self._add({"record": "header", "format": FORMAT, **_fields(header)})

    def add_trial(self, case: str, tool_choice: str, repeat: int, exchange: Exchange, judgement: Judgement) -> None:
        """Write one trial: its exchange and what was said of it, both or none."""
        place = {"record": "exchange", "case": case, "tool_choice": tool_choice, "repeat": repeat}
        head = _encode(place)[:-1] + b","
        verdict = {"record": "judgement", **judgement_document(judgement)}
        self._write(head + encode_exchange(exchange)[1:] + b"\n" + _encode(verdict) + b"\n")

    def add_aborted(self, exchange: Exchange) -> None:
        """Write what came of a trial that we broke off; it is kept, and counts for nothing."""
        self._write(_encode({"record": "aborted"})[:-1] + b"," + encode_exchange(exchange)[1:] + b"\n")

    def add_dropped(self, dropped: DroppedField, exchange: Exchange) -> None:
        """Write that the server refused a field, with the exchange that shows it."""
        fields = {"record": "dropped", **_fields(dropped)}
        self._write(_encode(fields)[:-1] + b',"exchange":' + encode_exchange(exchange) + b"}\n")

    def add_footer(
        self, ended: RunEnd, *, stopped: str, seconds: float, finished: str, counts: Mapping[Verdict, int]
    ) -> None:
        """Write how the run ended, and have the disk keep it."""
        self._add(
            {
                "record": "footer",
                "ended": ended.value,
                "stopped": stopped,
                "seconds": round(seconds, 3),
                "finished": finished,
                "counts": {verdict.value: count for verdict, count in counts.items()},
            }
        )
        self.sync()

    @property
    def sync_due(self) -> bool:
        """Whether it is time to call `sync` (which may take long, and is best done beside the event loop)."""
        return self._written.dirty and monotonic() - self._written.synced >= SYNC_SECONDS

    def sync(self) -> None:
        """Have the disk keep what was written. Raises `WriteError`."""
        self._written.synced = monotonic()
        self._written.dirty = False
        try:
            os.fsync(self._descriptor)
        except OSError as problem:
            raise WriteError(f"cannot write {self.path} ({_reason(problem)})", _HINT_DISK) from problem

    def close(self) -> None:
        """Close the file; once is enough."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _add(self, fields: Mapping[str, object]) -> None:
        """Write one line."""
        self._write(_encode(fields) + b"\n")

    def _write(self, lines: bytes) -> None:
        """Append whole lines, or leave the file as it was."""
        rest = memoryview(lines)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as problem:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._written.size)
            raise WriteError(f"cannot write {self.path} ({_reason(problem)})", _HINT_DISK) from problem
        self._written.size += len(lines)
        self._written.dirty = True


# -- reading -----------------------------------------------------------------------------------------------------------


class SourceKind(StrEnum):
    """What a file of evidence is."""

    RECORDING = "recording"
    EXCHANGES = "exchanges"
    CAPTURE = "capture"
    """The raw body of one answer, as `curl -N` saves it, perhaps with the head that `curl -i` puts before it."""


class Source:
    """A file of evidence that is being read: go through it once, then look at `notes` and `whole`."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        """Use `open_source`."""
        self.name = name
        self.kind = SourceKind.EXCHANGES
        self.header: RunHeader | None = None
        """Of a recording."""
        self.notes: list[str] = []
        """What was left out, in our words."""
        self.whole = 0
        """Bytes of the whole lines that were read."""
        self._file = file
        self._first = b""
        self._capture = Exchange("", "", {})

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, unless it is not ours."""
        if self._file is not sys.stdin.buffer:
            self._file.close()

    def __iter__(self) -> Iterator[Record]:
        """Yield what it holds. Raises `RecordingError` for a line that is broken, unless it is the last and cut."""
        if self.kind is SourceKind.CAPTURE:
            yield RecordedTrial(self._capture)
            return
        try:
            yield from read_records(self._lines(), file=self.name)
        except OSError as problem:
            raise RecordingError(f"cannot be read ({_reason(problem)})", file=self.name) from problem

    def open(self, request: dict[str, object] | None, protocol: str) -> Self:
        """Find out what it is. Raises `RecordingError`."""
        self._first = self._file.readline(LINE_LIMIT)
        while self._first and not self._first.strip():
            self.whole += len(self._first)
            self._first = self._file.readline(LINE_LIMIT)
        if not self._first:
            raise RecordingError("it is empty", file=self.name)
        if is_recording(self._first):
            self.kind = SourceKind.RECORDING
            self.header = read_header(self._first, file=self.name)
        elif not looks_like_exchange(self._first):
            self.kind = SourceKind.CAPTURE
            self._capture = self._read_capture(request, protocol)
        return self

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines with their numbers, without a header, blank ones and a cut last one."""
        line, number = self._first, 1
        while line:
            ends = line.endswith(b"\n")
            if not ends and len(line) >= LINE_LIMIT:
                raise RecordingError(f"the line has more than {LINE_LIMIT} bytes", file=self.name, line=number)
            if not ends and not is_whole(line):
                self.notes.append(f"line {number} is cut short and was left out; everything before it was read")
                return
            if line.strip() and not (number == 1 and self.header is not None):
                yield number, line
            self.whole += len(line)
            line, number = self._file.readline(LINE_LIMIT), number + 1

    def _read_capture(self, request: dict[str, object] | None, protocol: str) -> Exchange:
        """Read a raw body, and the head before it where there is one."""
        data = self._first + self._file.read(CAPTURE_LIMIT + 1)
        if len(data) > CAPTURE_LIMIT:
            raise RecordingError(f"the capture has more than {CAPTURE_LIMIT} bytes", file=self.name)
        if request is None:
            raise RecordingError(
                "a raw capture says nothing of its request",
                file=self.name,
                hint="name the file that holds the request's body with --request",
            )
        name = self.name if self.name == STDIN else Path(self.name).stem
        return capture_exchange(data, request, id=name, protocol=protocol)


STDIN = "stdin"

LINE_LIMIT = 512 * 1024 * 1024
"""Bytes of one line: twice what an exchange of the largest body takes, and still in memory."""

CAPTURE_LIMIT = 256 * 1024 * 1024
"""Bytes of a raw capture: as much of a body as is judged."""


def open_source(path: Path | None, *, request: dict[str, object] | None = None, protocol: str = "chat") -> Source:
    """Open a recording, a file of exchanges or a raw capture; None is stdin.

    `request` is the body of the request that a capture answers.
    Raises `RecordingError`, also for a capture without its request.
    """
    if path is None:
        return Source(sys.stdin.buffer, STDIN).open(request, protocol)
    try:
        file = path.open("rb")
    except OSError as problem:
        raise RecordingError(f"cannot be read ({_reason(problem)})", file=str(path)) from problem
    try:
        return Source(file, str(path)).open(request, protocol)
    except OSError as problem:
        file.close()
        raise RecordingError(f"cannot be read ({_reason(problem)})", file=str(path)) from problem
    except BaseException:
        file.close()
        raise


_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would translate line feeds."""

_HINT_DISK = "what was recorded so far is whole; make room, then go on with --resume"


def _encode(value: object) -> bytes:
    """Return one line of JSON, without its line feed."""
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError, msgspec.EncodeError):
        # what a judgement quotes may hold lone surrogates, which readers refuse; the evidence has them as bytes
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def _fields(value: object) -> dict[str, object]:
    """Return the fields of a dataclass as plain values."""
    plain: dict[str, object] = msgspec.to_builtins(value)
    return plain


def _reason(problem: OSError) -> str:
    """Return the system's own words."""
    return (problem.strerror or str(problem)).lower()
