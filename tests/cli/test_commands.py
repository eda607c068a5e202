"""Every command as its user types it: what it prints, and its exit code in every case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from loopback import Loopback, answer
from runs import events_of, exchange_of
from toolwire.cli import COMMANDS, run
from toolwire.cli.exits import MEANINGS, Exit
from toolwire.exchange import encode_exchange
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    Serving = Callable[[Loopback], AbstractContextManager[str]]


QUICK = ["--case", "S1", "--case", "M1", "--repeat", "1", "--quiet"]


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` of each command says what it does; the group lists them all."""
    assert run(["--help"]) == Exit.CONFORMS
    listed = capsys.readouterr().out
    for name in COMMANDS:
        assert f"\n  {name} " in listed
        assert run([name, "--help"]) == Exit.CONFORMS
        assert "Usage: toolwire" in capsys.readouterr().out


def test_every_exit_code_has_a_meaning() -> None:
    """The page of exit codes is made from this."""
    assert set(MEANINGS) == set(Exit)


def test_a_healthy_server_is_0(simulator: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All pass, the answer is honest about the rest, and the recording's path is shown."""
    assert run(["probe", simulator, *QUICK]) == Exit.CONFORMS
    out = capsys.readouterr().out
    assert "0 of 2 dropped" in out
    assert "the true rate may still be up to" in out
    assert "exit 0" in out
    path = next(line.split()[-1] for line in out.splitlines() if line.startswith("recording"))
    assert Path(path).is_file()


@pytest.mark.parametrize("fault", ["args-doubled", "id-missing", "leak-hermes"])
def test_a_broken_server_is_1(fault: str, simulator: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The fault is shown once, with how often, where, how to repeat it and what it means."""
    assert run(["probe", f"{simulator}/{fault}", *QUICK]) == Exit.FAILS
    out = capsys.readouterr().out
    assert "2 of 2 (100.0 %, 95 % interval" in out
    assert f"curl -N {simulator}/{fault}/v1/chat/completions" in out
    assert "meaning" in out
    assert "to fix" in out
    assert "exit 1" in out


def test_the_same_report_comes_from_the_recording(
    simulator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Text and JSON of a run can be made again, verdict for verdict."""
    file = str(tmp_path / "run.jsonl")
    live = run(["probe", f"{simulator}/args-doubled", *QUICK, "--record", file])
    text = capsys.readouterr().out
    assert run(["judge", file]) == live
    assert capsys.readouterr().out == text
    assert run(["judge", file, "--json"]) == live
    again = json.loads(capsys.readouterr().out)
    assert again["counts"]["BROKEN"] == 2
    assert again["exit"]["code"] == live


def test_the_document_of_a_run_has_its_parts(simulator: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints one document and nothing else on stdout."""
    assert run(["probe", simulator, *QUICK, "--json"]) == Exit.CONFORMS
    document = json.loads(capsys.readouterr().out)
    assert {"format", "toolwire", "target", "settings", "cases", "counts", "rates", "answer", "exit"} <= set(document)
    assert document["cases"][0]["trials"][0]["verdict"] == "PASS"


def test_going_on_with_a_recording_asks_only_what_is_missing(
    simulator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A whole recording has nothing missing; one that was cut gets the rest."""
    file = tmp_path / "run.jsonl"
    assert run(["probe", simulator, *QUICK, "--record", str(file)]) == Exit.CONFORMS
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    capsys.readouterr()
    assert run(["judge", str(file)]) == Exit.NO_ANSWER
    assert "cut" in capsys.readouterr().out
    assert run(["probe", "--resume", str(file), "--quiet"]) == Exit.CONFORMS
    assert "0 of 2 dropped" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["probe"], "no server is named"),
        (["probe", "http://127.0.0.1:1", "--suite", "sede"], "did you mean seed"),
        (["probe", "http://127.0.0.1:1", "--tool-choice", "requierd"], "requierd"),
        (["probe", "http://127.0.0.1:1", "--header", "nonsense"], "is no header"),
        (["probe", "http://127.0.0.1:1", "--extra-body", "[1]"], "no JSON object"),
        (["probe", "http://127.0.0.1:1", "--extra-body", "{"], "no JSON"),
        (["probe", "http://127.0.0.1:1", "--url", "http://127.0.0.1:2"], "two addresses"),
        (["probe", "ftp://127.0.0.1"], "is no base address"),
        (["probe", "http://127.0.0.1:1", "--api-key-env", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE"),
        (["probe", "http://127.0.0.1:1", "--record", "a", "--resume", "b"], "two recordings"),
        (["probe", "--resume", "missing.jsonl"], "missing.jsonl"),
        (["probe", "http://127.0.0.1:1", "--suite", "missing.toml"], "missing.toml"),
        (["probe", "http://127.0.0.1:1", "--repeat", "0"], "--repeat"),
        (["probe", "http://127.0.0.1:1", "--no-such-flag"], "--no-such-flag"),
        (["judge"], "name a file"),
        (["judge", "missing.jsonl"], "missing.jsonl"),
        (["judge", "--rule", "call-laeked", "-"], "did you mean call-leaked"),
        (["judge", "--request", "missing.json", "-"], "missing.json"),
        (["explain", "call-laeked"], "did you mean call-leaked"),
        (["rules", "nonsense-*"], "no rule matches"),
        (["rules", "--client", "nonsense"], "no client matches"),
        (["rules", "--protocol", "nonsense"], "no protocol matches"),
        (["suites", "sede"], "did you mean seed"),
        (["suites", "--toml"], "needs the name"),
        (["serve", "--fault", "args-dubled"], "did you mean args-doubled"),
        (["serve", "--api-key-env", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE"),
        (["prob"], "did you mean probe"),
    ],
    ids=" ".join,
)
def test_a_wrong_word_is_2_and_says_what_to_do(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is sent, the message names the word, and there is no traceback."""
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == Exit.USAGE
    captured = capsys.readouterr()
    assert said in captured.err
    assert "Traceback" not in captured.err
    assert not captured.out


def test_a_dead_port_is_3(capsys: pytest.CaptureFixture[str]) -> None:
    """Unreachable is no success and no failure of the server's streams."""
    assert run(["probe", "http://127.0.0.1:9", "--quiet"]) == Exit.NO_ANSWER
    assert "cannot connect" in capsys.readouterr().err


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_server_that_refuses_everything_is_3(
    status: int, serving: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong key, an unknown model, and a server that fails on every request are told in words."""

    async def refuse(_: object, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(f"{status} Refused", {"error": {"message": f"refused with {status}"}}))

    with serving(Loopback(refuse)) as url:
        assert run(["probe", url, "--model", "m", *QUICK]) == Exit.NO_ANSWER
    captured = capsys.readouterr()
    assert str(status) in captured.out + captured.err


def test_exchanges_are_judged_one_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON Lines for machines, words for people; the worst decides the exit code."""
    file = tmp_path / "some.jsonl"
    kinds = ["pass", "leak", "broken", "plain"]
    file.write_bytes(b"\n".join(encode_exchange(exchange_of(kind, kind, choice="auto")) for kind in kinds))
    assert run(["judge", str(file), "--json"]) == Exit.FAILS
    documents = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["verdict"] for one in documents] == ["PASS", "DROP", "BROKEN", "DECLINED"]
    assert documents[1]["findings"][0]["evidence"]["excerpt"]
    assert run(["judge", str(file)]) == Exit.FAILS
    assert "4 judged: PASS 1, DROP 1, BROKEN 1, DECLINED 1; exit 1" in capsys.readouterr().out
    assert run(["judge", str(file), "--id", "pa*", "-v"]) == Exit.CONFORMS
    assert "end of the body: eof" in capsys.readouterr().out
    assert run(["judge", str(file), "--id", "nothing*"]) == Exit.NO_ANSWER
    assert run(["judge", str(file), "--id", "plain"]) == Exit.NO_ANSWER


def test_rules_can_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is ignored does not judge, and a level leaves the lighter ones out."""
    file = tmp_path / "one.jsonl"
    file.write_bytes(encode_exchange(exchange_of("x", "broken")))
    assert run(["judge", str(file), "--rule", "TW3*", "--rule", "truncation-*"]) == Exit.FAILS
    assert run(["judge", str(file), "--ignore", "arguments-*", "--ignore", "truncation-*"]) == Exit.CONFORMS
    assert run(["judge", str(file), "--level", "must"]) == Exit.FAILS
    assert run(["judge", str(file), "--rule", "comments", "--level", "must"]) == Exit.USAGE
    assert "no rule is left" in capsys.readouterr().err


def test_a_raw_capture_is_judged_with_its_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `curl -N` saved is evidence too, and without its request it is refused with a hint."""
    capture, request = tmp_path / "answer.sse", tmp_path / "body.json"
    capture.write_bytes(b"".join(events_of("leak")))
    request.write_text(json.dumps(exchange_of("x").request), encoding="utf-8")
    assert run(["judge", str(capture), "--request", str(request)]) == Exit.FAILS
    assert "DROP leaked (proven)" in capsys.readouterr().out
    assert run(["judge", str(capture)]) == Exit.USAGE
    assert "--request" in capsys.readouterr().err


def test_dialects_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each family that leaks are recognised by is named."""
    assert run(["judge", "--dialects"]) == Exit.CONFORMS
    out = capsys.readouterr().out
    assert "kimi_k2" in out
    assert "60 families" in out


def test_rules_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """By pattern, level, basis and client, for people and for machines."""
    assert run(["rules"]) == Exit.CONFORMS
    assert f"{len(RULES)} of {len(RULES)} rules" in capsys.readouterr().out
    assert (
        run(["rules", "call-*", "--level", "must", "--basis", "official", "--client", "openai-python", "--json"]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert {one["level"] for one in found} == {"MUST"}
    assert run(["explain", "call-index-missing"]) == Exit.CONFORMS
    out = capsys.readouterr().out
    assert "How to fix" in out
    assert "^ MUST call-index-missing" in out


def test_suites_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """The list, one suite, its TOML and its JSON."""
    assert run(["suites"]) == Exit.CONFORMS
    assert "seed" in capsys.readouterr().out
    assert run(["suites", "seed"]) == Exit.CONFORMS
    assert "M2" in capsys.readouterr().out
    assert run(["suites", "seed", "--toml"]) == Exit.CONFORMS
    assert 'name = "seed"' in capsys.readouterr().out
    assert run(["suites", "--json"]) == Exit.CONFORMS
    assert json.loads(capsys.readouterr().out)[0]["cases"]
    assert run(["suites", "seed", "--json"]) == Exit.CONFORMS
    assert json.loads(capsys.readouterr().out)["name"] == "seed"


def test_the_plan_can_be_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A dry run prints each request as a curl line, without the key, and sends nothing."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-seen")
    assert run(["probe", "http://127.0.0.1:9", "--dry-run", "--model", "m"]) == Exit.CONFORMS
    out = capsys.readouterr().out
    assert out.count("curl -N http://127.0.0.1:9/v1/chat/completions") == 10
    assert "$OPENAI_API_KEY" in out
    assert "sk-not-to-be-seen" not in out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The script of each shell is printed."""
    assert run(["completion", shell]) == Exit.CONFORMS
    assert "_TOOLWIRE_COMPLETE" in capsys.readouterr().out


def test_faults_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """`serve --list` names each fault with what it does."""
    assert run(["serve", "--list"]) == Exit.CONFORMS
    assert "args-doubled" in capsys.readouterr().out


def test_the_demo_shows_both(capsys: pytest.CaptureFixture[str]) -> None:
    """One healthy server, one broken one, a sentence on each, and how to go on."""
    assert run(["demo", "--quiet"]) == Exit.CONFORMS
    out = capsys.readouterr().out
    assert "exit 0" in out
    assert "exit 1" in out
    assert "toolwire probe http://localhost:8000" in out


def test_a_crash_of_ours_is_4(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A bug is called a bug, with its own exit code."""
    monkeypatch.setattr("toolwire.cli.suites.builtin_suites", lambda: 1 / 0)
    assert run(["suites"]) == Exit.INTERNAL
    assert "bug in toolwire" in capsys.readouterr().err
