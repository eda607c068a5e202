"""Recordings are written as a run goes and can be read whatever cut them short."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

import toolwire.recording
import toolwire.store
from runs import exchange_of, header_of
from toolwire.errors import RecordingError, UsageError
from toolwire.exchange import encode_exchange
from toolwire.judge import Verdict, judge
from toolwire.recording import Aborted, Dropped, Footer, RecordedTrial, RecordedVerdict, read_header
from toolwire.results import DroppedField, RunEnd
from toolwire.rules.catalogue import RULES
from toolwire.store import (
    Recording,
    SourceKind,
    WriteError,
    new_recording_path,
    open_source,
    read_text,
    state_directory,
    write_text,
)

if TYPE_CHECKING:
    from toolwire.exchange import Exchange
    from toolwire.recording import Record

HEADER = header_of("one", "two")
COUNTS = dict.fromkeys(Verdict, 0)


def add(recording: Recording, exchange: Exchange) -> None:
    """Record one trial."""
    case, _, rest = exchange.id.partition("/")
    choice, _, repeat = rest.partition("#")
    recording.add_trial(case, choice, int(repeat), exchange, judge(exchange, RULES))


def finish(recording: Recording, ended: RunEnd = RunEnd.COMPLETE) -> None:
    """Write the footer."""
    recording.add_footer(ended, stopped="", seconds=1.5, finished="2026-12-01T13:00:00Z", counts=COUNTS)


def read(path: Path) -> tuple[list[Record], list[str]]:
    """Read a file, return its records and notes."""
    with open_source(path) as source:
        return list(source), source.notes


def test_a_recording_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Header, trials, verdicts, dropped fields, broken-off trials and footer, in their order."""
    path = tmp_path / "deep" / "er" / "run.jsonl"
    first, second = exchange_of("one/required#1"), exchange_of("two/required#1", "leak")
    dropped = DroppedField("top_k", 400, "unknown field", "one/required#1")
    with Recording.create(path, HEADER) as recording:
        recording.add_dropped(dropped, first)
        add(recording, first)
        add(recording, second)
        recording.add_aborted(exchange_of("two/required#2"))
        finish(recording)
    with open_source(path) as source:
        assert source.kind is SourceKind.RECORDING
        assert source.header == HEADER
        records = list(source)
        assert source.notes == []
        assert source.whole == path.stat().st_size
    assert records == [
        Dropped(dropped, first),
        RecordedTrial(first, "one", "required", 1),
        RecordedVerdict("one/required#1", "PASS", "PASS"),
        RecordedTrial(second, "two", "required", 1),
        RecordedVerdict("two/required#1", "FAIL", "DROP"),
        Aborted(exchange_of("two/required#2")),
        Footer(RunEnd.COMPLETE, "", 1.5, "2026-12-01T13:00:00Z"),
    ]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_every_line_is_json_that_says_what_it_is(tmp_path: Path) -> None:
    """Other programs can read it line by line, and an exchange's line is an exchange."""
    path = tmp_path / "run.jsonl"
    with Recording.create(path, HEADER) as recording:
        add(recording, exchange_of("one/required#1"))
        finish(recording)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line["record"] for line in lines] == ["header", "exchange", "judgement", "footer"]
    assert lines[0]["format"] == 1
    assert lines[1]["id"] == "one/required#1"
    assert lines[2]["findings"] == []


def test_each_cut_is_read_up_to_the_cut(tmp_path: Path) -> None:
    """Wherever the file ends, every whole line before is read, and a cut line is said."""
    path, cut = tmp_path / "run.jsonl", tmp_path / "cut.jsonl"
    with Recording.create(path, HEADER) as recording:
        add(recording, exchange_of("one/required#1"))
        finish(recording)
    data = path.read_bytes()
    whole, _ = read(path)
    header = data.index(b"\n") + 1
    for size in range(header, len(data)):
        cut.write_bytes(data[:size])
        records, notes = read(cut)
        lines = data[:size].splitlines(keepends=True)[1:]
        kept = [line for line in lines if line.endswith(b"\n") or line + b"\n" in data]
        assert records == whole[: len(kept)]
        assert (notes == []) == (len(kept) == len(lines))


def test_a_broken_line_in_the_middle_is_an_error(tmp_path: Path) -> None:
    """What is no crash of ours is named by file and line."""
    path = tmp_path / "run.jsonl"
    with Recording.create(path, HEADER) as recording:
        add(recording, exchange_of("one/required#1"))
    path.write_bytes(path.read_bytes() + b'{"record": "exch\n{}\n')
    with pytest.raises(RecordingError, match=r"run\.jsonl, line 4: not a line of a recording"):
        read(path)


def test_kinds_of_later_versions_are_skipped(tmp_path: Path) -> None:
    """A line that says that it is something unknown does no harm."""
    path = tmp_path / "run.jsonl"
    with Recording.create(path, HEADER) as recording:
        add(recording, exchange_of("one/required#1"))
    path.write_bytes(path.read_bytes() + b'{"record": "weather", "sun": true}\n\n')
    records, notes = read(path)
    assert len(records) == 2
    assert notes == []


@pytest.mark.parametrize(("form", "words"), [(2, "has form 2, this version of toolwire reads up to 1"), (0, "form 0")])
def test_forms_that_are_not_known_are_refused(tmp_path: Path, form: int, words: str) -> None:
    """A newer form is not guessed at."""
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps({"record": "header", "format": form}) + "\n", "utf-8")
    with pytest.raises(RecordingError, match=words):
        open_source(path)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """An existing file stays as it is."""
    path = tmp_path / "run.jsonl"
    path.write_text("precious", "utf-8")
    with pytest.raises(WriteError, match=r"exists; name another file with --record"):
        Recording.create(path, HEADER)
    assert path.read_text("utf-8") == "precious"


def test_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    """A file where a folder should be."""
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(WriteError, match="cannot create"):
        Recording.create(tmp_path / "file" / "run.jsonl", HEADER)


@pytest.mark.parametrize("room", [0, 1, 200])
def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """A write that fails half-way is taken back; what came before stays whole and can be gone on with."""
    path = tmp_path / "run.jsonl"
    write = os.write
    left = [room]

    def scarce(descriptor: int, data: memoryview) -> int:
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(descriptor, data[: left[0]])
        left[0] -= written
        return written

    with Recording.create(path, HEADER) as recording:
        add(recording, exchange_of("one/required#1"))
        before = path.read_bytes()
        monkeypatch.setattr(os, "write", scarce)
        with pytest.raises(WriteError, match=r"no space left on device\); what was recorded so far is whole"):
            add(recording, exchange_of("two/required#1"))
        monkeypatch.undo()
        assert path.read_bytes() == before
        add(recording, exchange_of("two/required#1"))
    records, notes = read(path)
    assert [record.id for record in records if isinstance(record, RecordedVerdict)] == [
        "one/required#1",
        "two/required#1",
    ]
    assert notes == []


@pytest.mark.parametrize("cut", [b"", b'{"record": "exchange", "ca', b'{"record": "later"}'])
def test_going_on_after_a_crash(tmp_path: Path, cut: bytes) -> None:
    """A cut line is taken off, a line without its line feed gets one, and nothing else is touched."""
    path = tmp_path / "run.jsonl"
    with Recording.create(path, HEADER) as recording:
        add(recording, exchange_of("one/required#1"))
    before = path.read_bytes()
    path.write_bytes(before + cut)
    with open_source(path) as source:
        list(source)
    with Recording.append_to(path, source.whole) as recording:
        add(recording, exchange_of("two/required#1"))
        finish(recording)
    assert path.read_bytes().startswith(before)
    records, notes = read(path)
    assert [type(record).__name__ for record in records] == ["RecordedTrial", "RecordedVerdict"] * 2 + ["Footer"]
    assert notes == []


def test_syncing_is_due_at_most_once_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only after a write, and only when the last time is long enough ago."""
    clock = [100.0]
    monkeypatch.setattr(toolwire.store, "monotonic", lambda: clock[0])
    with Recording.create(tmp_path / "run.jsonl", HEADER) as recording:
        assert not recording.sync_due
        add(recording, exchange_of("one/required#1"))
        assert not recording.sync_due
        clock[0] += toolwire.store.SYNC_SECONDS
        assert recording.sync_due
        recording.sync()
        assert not recording.sync_due
        clock[0] += toolwire.store.SYNC_SECONDS
        assert not recording.sync_due


def test_what_a_judgement_quotes_can_always_be_written(tmp_path: Path) -> None:
    """Lone surrogates and huge integers in a call are in no one's way."""
    path = tmp_path / "run.jsonl"
    odd = '{"path": "\\ud800", "n": ' + "9" * 400 + "}"
    with Recording.create(path, HEADER) as recording:
        add(recording, exchange_of("one/required#1", arguments=odd))
        finish(recording)
    records, notes = read(path)
    assert [type(record).__name__ for record in records] == ["RecordedTrial", "RecordedVerdict", "Footer"]
    assert notes == []


def test_failures_of_the_disk_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Creating, syncing, appending: each with the path; a recording that could not begin leaves no file."""
    path = tmp_path / "run.jsonl"

    def fail(*_: object) -> int:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(WriteError, match=r"run\.jsonl \(input/output error\)"):
            Recording.create(path, HEADER)
        assert not path.exists()
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        with pytest.raises(WriteError, match="cannot create"):
            Recording.create(path, HEADER)
    recording = Recording.create(path, HEADER)
    recording.close()
    recording.close()
    with monkeypatch.context() as patch:
        patch.setattr(os, "ftruncate", fail)
        with pytest.raises(WriteError, match="cannot append to"):
            Recording.append_to(path, path.stat().st_size)
    with pytest.raises(WriteError, match="cannot append to"):
        Recording.append_to(tmp_path / "none.jsonl", 0)


def test_old_forms_are_brought_up_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each migration takes the header one form further."""
    now: dict[str, object] = {"record": "header", "format": 1, **msgspec.to_builtins(HEADER)}
    old = {**now, "format": 1, "version": now["toolwire"]}
    del old["toolwire"]

    def rename(fields: dict[str, object]) -> dict[str, object]:
        return {**fields, "began": fields.pop("started")}

    def restore(fields: dict[str, object]) -> dict[str, object]:
        return {**fields, "started": fields.pop("began"), "toolwire": fields.pop("version")}

    monkeypatch.setattr(toolwire.recording, "FORMAT", 3)
    monkeypatch.setattr(toolwire.recording, "MIGRATIONS", {1: rename, 2: restore})
    assert read_header(json.dumps(old).encode(), file="f") == HEADER
    with pytest.raises(RecordingError, match="not the header of a recording"):
        read_header(b'{"record": "header", "format": 2, "began": "x", "version": 1}', file="f")


# -- other evidence ----------------------------------------------------------------------------------------------------


def test_files_of_exchanges_are_read(tmp_path: Path) -> None:
    """With blank lines, unknown keys and a cut last line; the first line tells what the file is."""
    path = tmp_path / "exchanges.jsonl"
    one, two = exchange_of("a"), exchange_of("b", "leak")
    line = encode_exchange(one)[:-1] + b', "right": {"class": "PASS"}}'
    path.write_bytes(b"\n" + line + b"\n\n" + encode_exchange(two) + b"\n" + encode_exchange(one)[:50])
    with open_source(path) as source:
        assert source.kind is SourceKind.EXCHANGES
        assert list(source) == [RecordedTrial(one), RecordedTrial(two)]
        assert source.notes == ["line 4 is cut short and was left out; everything before it was read"]


def test_stdin_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not closed: it is not ours."""
    stdin = io.TextIOWrapper(io.BytesIO(encode_exchange(exchange_of("a")) + b"\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    with open_source(None) as source:
        assert list(source) == [RecordedTrial(exchange_of("a"))]
    assert not stdin.closed


REQUEST: dict[str, object] = {"model": "m", "stream": True}


@pytest.mark.parametrize(
    ("data", "status", "headers", "body"),
    [
        (b"data: {}\n\n", 200, {}, b"data: {}\n\n"),
        (b": hello\r\n\r\ndata: [DONE]\r\n\r\n", 200, {}, b": hello\r\n\r\ndata: [DONE]\r\n\r\n"),
        (b'{"error": {"message": "x"}}', 200, {}, b'{"error": {"message": "x"}}'),
        (
            b'{"message": {}, "done": false}\n{"done": true}\n',
            200,
            {},
            b'{"message": {}, "done": false}\n{"done": true}\n',
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: a\r\nX-B: c\r\n\r\ndata: 1\n\n",
            200,
            {"content-type": "a", "x-b": "c"},
            b"data: 1\n\n",
        ),
        (b"HTTP/2 404 \r\nSet-Cookie: s\r\n\r\n", 404, {"set-cookie": "[redacted]"}, b""),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\nA: 1\nA: 2\n\nno", 503, {"a": "1, 2"}, b"no"),
        (b"\xff\xfe\n", 200, {}, b"\xff\xfe\n"),
    ],
)
def test_raw_captures_are_read(tmp_path: Path, data: bytes, status: int, headers: dict[str, str], body: bytes) -> None:
    """As `curl -N` saves them, with the head of `curl -i` where there is one; the name of the file is the id."""
    path = tmp_path / "answer.sse"
    path.write_bytes(data)
    with open_source(path, request=REQUEST) as source:
        assert source.kind is SourceKind.CAPTURE
        (record,) = list(source)
    assert isinstance(record, RecordedTrial)
    exchange = record.exchange
    assert (exchange.id, exchange.protocol, exchange.request) == ("answer", "chat", REQUEST)
    assert exchange.response is not None
    assert (exchange.response.status, exchange.response.headers) == (status, headers)
    assert b"".join(read.data for read in exchange.reads) == body


def test_a_capture_needs_its_request(tmp_path: Path) -> None:
    """Without it nobody can tell what should have come."""
    path = tmp_path / "answer.sse"
    path.write_bytes(b"data: {}\n\n")
    with pytest.raises(RecordingError, match="name the file that holds the request's body with --request"):
        open_source(path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it is empty"),
        (b" \n\n", "it is empty"),
        (b'{"id": "a", "request": {}\n{}\n', "line 1: not an exchange|line 1: not a line"),
        (b'{"id": "a", "request": {}}\n', "line 1: not an exchange"),
        (b'{"id": "a", "protocol": "chat", "request": {}, "reads": [{"at": 1}]}\n', "line 1: a read needs either"),
        (
            b'{"id": "a", "protocol": "chat", "request": {}, "reads": [{"at": 1, "text": "", "base64": ""}]}\n',
            "line 1: a read needs either",
        ),
        (b'{"record": "header", "format": 1}\n', "line 1: not the header of a recording"),
        (b'{"record": "header"}\n', "line 1: not the header of a recording"),
    ],
)
def test_what_is_no_evidence_is_said(tmp_path: Path, data: bytes, words: str) -> None:
    """With file and line."""
    path = tmp_path / "what.jsonl"
    path.write_bytes(data)
    with pytest.raises(RecordingError, match=words) as caught:
        read(path)
    assert caught.value.file == str(path)


def test_files_that_are_not_there_are_said(tmp_path: Path) -> None:
    """Reading, and a folder in place of a file."""
    with pytest.raises(RecordingError, match=r"cannot be read \(no such file"):
        open_source(tmp_path / "none.jsonl")
    with pytest.raises(RecordingError, match="cannot be read"):
        open_source(tmp_path)
    with pytest.raises(UsageError, match=r"cannot read .*none\.toml"):
        read_text(tmp_path / "none.toml")


def test_limits_of_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line, a capture and a text have limits; each is said with its number."""
    path = tmp_path / "big"
    path.write_bytes(b'{"id": "' + b"x" * 2000)
    monkeypatch.setattr(toolwire.store, "LINE_LIMIT", 1000)
    monkeypatch.setattr(toolwire.store, "CAPTURE_LIMIT", 1000)
    monkeypatch.setattr(toolwire.store, "TEXT_LIMIT", 1000)
    with pytest.raises(RecordingError, match="the capture has more than 1000 bytes"):
        open_source(path, request={})
    with pytest.raises(UsageError, match="more than 1000 bytes"):
        read_text(path)
    path.write_bytes(encode_exchange(exchange_of("a")) + b"\n" + b'{"id": "' + b"x" * 2000 + b'"}\n')
    monkeypatch.setattr(toolwire.store, "LINE_LIMIT", len(encode_exchange(exchange_of("a"))) + 1)
    with pytest.raises(RecordingError, match="line 2: the line has more than"):
        read(path)


# -- places and texts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "platform", "place"),
    [
        ({"TOOLWIRE_STATE_DIR": "/var/tw"}, "linux", "/var/tw"),
        ({}, "linux", "/home/u/.local/state/toolwire"),
        ({"XDG_STATE_HOME": "/xdg"}, "linux", "/xdg/toolwire"),
        ({"XDG_STATE_HOME": "relative"}, "linux", "/home/u/.local/state/toolwire"),
        ({"XDG_STATE_HOME": "/xdg"}, "darwin", "/home/u/Library/Application Support/toolwire"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/toolwire"),
        ({}, "win32", "/home/u/AppData/Local/toolwire"),
    ],
)
def test_runs_are_kept_where_the_platform_keeps_state(environ: dict[str, str], platform: str, place: str) -> None:
    """Our own variable wins everywhere."""
    assert state_directory(environ, platform=platform, home=Path("/home/u")) == Path(place)


def test_each_run_has_a_path_of_its_own(tmp_path: Path) -> None:
    """With the time and the model in its name, whatever the model is called."""
    settings = {"started": "2026-12-01T12:59:56Z", "model": "org/Qwen3 27B:fast"}
    first = new_recording_path(tmp_path, **settings)
    assert first == tmp_path / "runs" / "2026-12-01T12-59-56Z-Qwen3-27B-fast.jsonl"
    Recording.create(first, HEADER).close()
    assert new_recording_path(tmp_path, **settings).name == "2026-12-01T12-59-56Z-Qwen3-27B-fast-2.jsonl"


def test_reports_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """Replacing what was there, and leaving nothing behind."""
    path = tmp_path / "report.html"
    write_text(path, "one\n")
    write_text(path, "zwei ä\n")
    assert path.read_bytes() == "zwei ä\n".encode()
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]
    with pytest.raises(WriteError, match="cannot write"):
        write_text(tmp_path / "none" / "report.html", "x")
    assert read_text(path) == "zwei ä\n"
    path.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="is not UTF-8"):
        read_text(path)
