"""Commands in rough hands: signals, full disks, closed pipes, hostile words, variables, contradictions."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from loopback import Loopback, answer, stream
from toolwire.cli import run
from toolwire.cli.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from loopback import Received

    Serving = Callable[[Loopback], AbstractContextManager[str]]

QUICK = ["--case", "S1", "--case", "M1", "--repeat", "1", "--quiet"]
COMMAND = [sys.executable, "-m", "toolwire"]
BOUND = 60
"""Seconds that a command of a test may take on a busy machine."""


@pytest.fixture
def recorded(simulator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Give the recording of a run with a fault."""
    file = tmp_path / "run.jsonl"
    assert run(["probe", f"{simulator}/leak-hermes", *QUICK, "--record", str(file)]) == Exit.FAILS
    capsys.readouterr()
    return file


def test_no_case_selected_is_3_and_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is judged, so it is neither success nor a wrong flag."""
    assert run(["probe", "http://127.0.0.1:1", "--case", "S99"]) == Exit.NO_ANSWER
    assert "did you mean" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--repeat", "5"], "--repeat"),
        (["--suite", "other.toml", "--thinking", "off"], "--suite, --thinking"),
        (["--record", "other.jsonl"], "two recordings"),
    ],
)
def test_a_recording_is_gone_on_with_as_it_was_begun(
    arguments: list[str], said: str, recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Settings beside those of the recording are refused, and not silently left out."""
    before = recorded.read_bytes()
    assert run(["probe", "--resume", str(recorded), *arguments]) == Exit.USAGE
    assert said in capsys.readouterr().err
    assert recorded.read_bytes() == before


def test_record_and_no_record_contradict_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither wins in silence; a directory is no file."""
    assert run(["probe", "http://127.0.0.1:1", "--record", "x", "--no-record"]) == Exit.USAGE
    assert "contradict" in capsys.readouterr().err
    assert run(["probe", "http://127.0.0.1:1", "--record", str(tmp_path)]) == Exit.USAGE
    assert "is a directory" in capsys.readouterr().err


def test_every_option_has_a_variable(
    simulator: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named after the option; of an option that may come often each line is a value; the command line wins."""
    monkeypatch.setenv("TOOLWIRE_PROBE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("TOOLWIRE_PROBE_CASE", "S1\nM*\n")
    monkeypatch.setenv("TOOLWIRE_PROBE_HEADER", "X-One: a b")
    monkeypatch.setenv("TOOLWIRE_PROBE_REPEAT", "2")
    assert run(["probe", simulator, "--quiet", "--json"]) == Exit.CONFORMS
    document = json.loads(capsys.readouterr().out)
    assert {case["name"] for case in document["cases"]} == {"S1", "M1", "M2"}
    assert document["settings"]["headers"] == {"X-One": "[redacted]"}
    assert document["planned"] == 6
    assert run(["probe", simulator, "--quiet", "--json", "--repeat", "1", "--case", "S1"]) == Exit.CONFORMS
    assert json.loads(capsys.readouterr().out)["planned"] == 1
    assert run(["probe", "--help"]) == Exit.CONFORMS
    assert "TOOLWIRE_PROBE_CONNECT_TIMEOUT" in capsys.readouterr().out


def test_help_keeps_the_lines_of_its_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """The mark that tells click so is not shown, and defaults are."""
    for command in ([], ["probe"], ["judge"]):
        assert run([*command, "--help"]) == Exit.CONFORMS
        assert "\\b" not in capsys.readouterr().out
    assert run(["probe", "--help"]) == Exit.CONFORMS
    out = capsys.readouterr().out
    assert "\n  toolwire probe http://localhost:8000\n" in out
    for default in ("[default: 4;", "[default: 300.0;", "[default: seed]", "[default: must]", "suite's own"):
        assert default in " ".join(out.split())


def test_a_suite_is_shown_with_and_without_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    """`suites show seed` and `suites seed` are the same."""
    assert run(["suites", "show", "seed"]) == Exit.CONFORMS
    shown = capsys.readouterr().out
    assert run(["suites", "seed"]) == Exit.CONFORMS
    assert capsys.readouterr().out == shown
    assert run(["suites", "show"]) == Exit.USAGE
    assert run(["suites", "seed", "seed"]) == Exit.USAGE


def test_of_several_recordings_each_has_a_line(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Documents one after the other can be told apart."""
    assert run(["judge", str(recorded), str(recorded), "--json"]) == Exit.FAILS
    documents = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["exit"]["code"] for one in documents] == [1, 1]


def test_changed_verdicts_are_told(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recording keeps the verdict of its day; where today's is another, the reader hears of it."""
    recorded.write_bytes(recorded.read_bytes().replace(b'"verdict":"DROP"', b'"verdict":"PASS"'))
    assert run(["judge", str(recorded)]) == Exit.FAILS
    assert "2 verdicts are not what was recorded" in capsys.readouterr().err


ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202e\r\x9b31m" + "x" * 5000


def test_words_of_a_server_do_nothing_to_a_terminal(serving: Serving, capsys: pytest.CaptureFixture[str]) -> None:
    """Names, errors, keys and values of any length come escaped and cut, on stdout and on stderr."""
    delta = {"role": ESCAPES, ESCAPES: ESCAPES, "content": ESCAPES, "tool_calls": [{"index": ESCAPES, "id": ESCAPES}]}
    chunk = {
        "choices": [{"index": ESCAPES, "delta": delta, "finish_reason": ESCAPES}],
        "usage": {"total_tokens": ESCAPES},
    }

    async def hostile(request: Received, writer: asyncio.StreamWriter) -> None:
        if request.path.endswith("/models"):
            writer.write(answer("200 OK", {"data": [{"id": ESCAPES, "owned_by": ESCAPES}]}, Server="x" * 500))
        else:
            writer.write(
                stream(b"data: " + json.dumps(chunk).encode() + b"\n\n", b"data: " + ESCAPES.encode() + b"\n\n")
            )

    async def refuses(request: Received, writer: asyncio.StreamWriter) -> None:
        del request
        writer.write(answer("401 No", {"error": {"message": ESCAPES}}))

    said = []
    with serving(Loopback(hostile)) as url:
        assert run(["probe", url, "--case", "S1", "--repeat", "1", "--notes"]) == Exit.FAILS
        said.append(capsys.readouterr())
        file = next(line.split()[-1] for line in said[0].out.splitlines() if line.startswith("recording"))
        assert run(["judge", file, "-v", "--notes"]) == Exit.FAILS
        said.append(capsys.readouterr())
        assert run(["probe", url, "--model", "other", "--case", "S1", "--repeat", "1"]) == Exit.FAILS
        said.append(capsys.readouterr())
    with serving(Loopback(refuses)) as url:
        assert run(["probe", url]) == Exit.NO_ANSWER
        said.append(capsys.readouterr())
    for text in (part for one in said for part in (one.out, one.err)):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
        assert "x" * 2000 not in re.sub("curl .*", "", text)


def test_what_an_old_terminal_cannot_show_is_replaced(recorded: Path) -> None:
    """An encoding without our characters is no crash."""
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "120"}
    done = subprocess.run(  # noqa: S603 - our own command
        [*COMMAND, "judge", str(recorded)], env=environment, capture_output=True, timeout=BOUND, check=False
    )
    assert done.returncode == Exit.FAILS
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_no_bug_of_ours(recorded: Path) -> None:
    """A report that cannot be written is told in a line, with a code that is no success."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(  # noqa: S603 - our own command
            [*COMMAND, "judge", str(recorded)], stdout=full, stderr=subprocess.PIPE, timeout=BOUND, check=False
        )
    assert done.returncode == Exit.NO_ANSWER
    assert b"no space left" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_with_its_report(number: signal.Signals, serving: Serving, tmp_path: Path) -> None:
    """What there is, is reported; the recording is whole, and `judge` says the same of it."""
    asked = threading.Event()

    async def hangs(request: Received, writer: asyncio.StreamWriter) -> None:
        if request.path.endswith("/models"):
            writer.write(answer("200 OK", {"data": [{"id": "m"}]}))
        else:
            asked.set()
            await hold.wait()

    hold = asyncio.Event()
    file = tmp_path / "run.jsonl"
    with serving(Loopback(hangs)) as url:
        command = [*COMMAND, "probe", url, "--record", str(file), "--quiet"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603 - our own command
            try:
                assert asked.wait(BOUND)
                process.send_signal(number)
                out, err = process.communicate(timeout=BOUND)
            finally:
                process.kill()
    assert process.returncode == Exit.NO_ANSWER
    assert b"interrupted after 0 of 30 trials" in out
    assert not err
    again = subprocess.run([*COMMAND, "judge", str(file)], capture_output=True, timeout=BOUND, check=False)  # noqa: S603 - our own command
    assert (again.returncode, again.stdout) == (Exit.NO_ANSWER, out)


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    """`| head -1` ends us without a word."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(  # noqa: S603 - our own command
            [*COMMAND, "rules"], stdout=writer, stderr=subprocess.PIPE, cwd=tmp_path, timeout=BOUND, check=False
        )
    finally:
        os.close(writer)
    assert done.returncode == Exit.NO_ANSWER
    assert not done.stderr


def test_a_key_that_a_server_echoes_is_shown_nowhere(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither in the words of a refusal, nor in the name of a model, nor in a recording."""
    echoed = "sk-echoed-4f5a6b7c"
    monkeypatch.setenv("OPENAI_API_KEY", echoed)
    status = ["401 No"]

    async def echoes(request: Received, writer: asyncio.StreamWriter) -> None:
        words = request.headers["authorization"]
        writer.write(answer(status[0], {"error": {"message": words}, "data": [{"id": words}]}, Server=words))

    file = tmp_path / "run.jsonl"
    with serving(Loopback(echoes)) as url:
        assert run(["probe", url]) == Exit.NO_ANSWER
        said = capsys.readouterr()
        status[0] = "200 OK"
        assert run(["probe", url, *QUICK, "--record", str(file)]) == Exit.NO_ANSWER
        more = capsys.readouterr()
    assert f"Bearer {'*' * len(echoed)}" in said.err
    for text in (said.out, said.err, more.out, more.err, file.read_text(encoding="utf-8")):
        assert echoed not in text


def test_a_redirect_says_where_it_leads(serving: Serving, capsys: pytest.CaptureFixture[str]) -> None:
    """The key is not sent there, and the user is told the address."""

    async def elsewhere(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(answer("307 Elsewhere", {}, Location=f"http://other.example{request.path}"))

    with serving(Loopback(elsewhere)) as url:
        assert run(["probe", url]) == Exit.NO_ANSWER
    assert "redirects to http://other.example/v1/models" in capsys.readouterr().err


def test_a_whole_recording_needs_no_server(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is missing, so nobody is asked and nothing is written; the report is that of `judge`."""
    before = recorded.read_bytes()
    assert run(["judge", str(recorded)]) == Exit.FAILS
    report = capsys.readouterr().out
    assert run(["probe", "http://127.0.0.1:9", "--resume", str(recorded)]) == Exit.FAILS
    captured = capsys.readouterr()
    assert captured.out == report
    assert "nothing is missing" in captured.err
    assert recorded.read_bytes() == before
