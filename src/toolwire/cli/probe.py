"""`toolwire probe`: ask a live server, judge every answer, keep the evidence."""

from __future__ import annotations

import json
import os
import signal
import threading
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolwire.cli.options import GroupedCommand, given, grouped, look, say
from toolwire.cli.progress import ProgressLine
from toolwire.client import Client, run
from toolwire.errors import NoAnswerError, UnknownNameError, UsageError
from toolwire.plan import plan, request_body
from toolwire.preflight import preflight, wait_until_ready
from toolwire.report.curl import curl
from toolwire.report.document import document
from toolwire.report.terminal import run_report
from toolwire.report.text import one_line
from toolwire.results import FailOn, RunHeader, Settings
from toolwire.rules.catalogue import RULES
from toolwire.runner import Resumed, execute, new_header, open_to_resume
from toolwire.store import Recording, new_recording_path, read_text, state_directory
from toolwire.suite import Suite, builtin_suite, builtin_suites, parse, select_cases
from toolwire.target import Target, Timeouts, byte_limit_for, key_from_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.results import RunResult

__all__ = ["command"]

MODES = {"auto": ("auto",), "required": ("required",), "both": ("required", "auto"), "none": ("none",)}
"""What the old script's words for tool_choice stand for; any other word is the name of a tool."""

_FIXED = (
    *("model", "suite_name", "patterns", "choices", "repeat", "thinking", "temperature", "top_p", "top_k"),
    *("max_tokens", "seed", "extra_body", "label", "dry_run", "no_record", "fail_on"),
)
"""Options that a recording has answered: half of a run with others would be no run."""

_OWN = "[default: the suite's own]"


@click.command("probe", cls=GroupedCommand)
@click.argument("address", required=False, metavar="URL")
@grouped("Target", "--url", help="The same as URL: the base address, with or without /v1.")
@grouped("Target", "--model", default="", help="Model; the only one that the server lists where none is named.")
@grouped(
    "Target",
    "--api-key-env",
    default="",
    metavar="NAME",
    help="Variable that holds the key. [TOOLWIRE_API_KEY, else OPENAI_API_KEY]",
)
@grouped(
    "Target",
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="Send this header too; its value is kept secret.",
)
@grouped("Target", "--extra-body", metavar="JSON", help="An object whose fields every request gets.")
@grouped(
    "Target",
    "--wait",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    show_default=True,
    help="Wait for a server that is still loading.",
)
@grouped(
    "Target",
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="For a whole answer.",
)
@grouped(
    "Target",
    "--connect-timeout",
    type=click.FloatRange(min=0.1),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="For a connection.",
)
@grouped(
    "Target",
    "--stall-timeout",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Between two reads of an answer.",
)
@grouped(
    "Selection", "--suite", "suite_name", default="seed", show_default=True, metavar="NAME|FILE", help="Suite of cases."
)
@grouped(
    "Selection",
    "--case",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Only cases whose name matches. [default: all]",
)
@grouped(
    "Selection",
    "--tool-choice",
    "choices",
    multiple=True,
    metavar="required|auto|both|none|TOOL",
    help=f"Whether a call is demanded; both asks required and auto. {_OWN}",
)
@grouped(
    "Selection", "--repeat", type=click.IntRange(1, 100_000), metavar="N", help=f"Times that each case is asked. {_OWN}"
)
@grouped(
    "Selection",
    "--thinking",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="Ask the model to think first.",
)
@grouped("Selection", "--temperature", type=click.FloatRange(0, 2), metavar="N", help=_OWN)
@grouped("Selection", "--top-p", type=click.FloatRange(0, 1), metavar="N", help=_OWN)
@grouped("Selection", "--top-k", type=click.IntRange(min=-1), metavar="N", help=_OWN)
@grouped("Selection", "--max-tokens", type=click.IntRange(min=1), metavar="N", help=_OWN)
@grouped(
    "Selection",
    "--concurrency",
    type=click.IntRange(1, 1024),
    default=4,
    show_default=True,
    metavar="N",
    help="Requests at once.",
)
@grouped(
    "Selection",
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Decides the order of the requests.",
)
@grouped("Selection", "--dry-run", is_flag=True, help="Print the requests as curl lines; send nothing.")
@grouped(
    "Judging",
    "--fail-on",
    type=click.Choice([one.value for one in FailOn]),
    default="must",
    show_default=True,
    help="From what on the exit code is 1.",
)
@grouped("Output", "--label", default="", help="A name for this run, shown in its reports.")
@grouped(
    "Output", "--record", metavar="FILE", help="Keep the evidence here. [default: a new file in the state directory]"
)
@grouped(
    "Output", "--resume", metavar="FILE", help="Go on with this recording: only the missing trials, with its settings."
)
@grouped("Output", "--no-record", is_flag=True, help="Keep no evidence.")
@grouped("Output", "--json", "as_json", is_flag=True, help="Print one JSON document.")
@grouped("Output", "--notes", is_flag=True, help="Show legal oddities (level NOTE) too.")
@grouped("Output", "-q", "--quiet", is_flag=True, help="No progress on stderr.")
def command(**options: object) -> int:
    """Ask the server at URL for streamed tool calls and judge every answer.

    \b
    toolwire probe http://localhost:8000
    toolwire probe http://localhost:8000 --suite seed --thinking on --tool-choice both --repeat 10
    """  # noqa: D301 - click looks for the character itself
    ctx = click.get_current_context()
    if options["address"] and not given(ctx, "url"):
        options["url"] = None  # a variable names the server for those who name none
    if options["resume"]:
        fixed = given(ctx, *_FIXED)
        if fixed:
            raise UsageError(
                f"--resume goes on with the settings of its recording, so {', '.join(fixed)} cannot be set",
                "leave it out, or begin another recording",
            )
    wanted = _Wanted(**options)  # type: ignore[arg-type]  # click has checked each option
    return wanted.run()


@dataclass
class _Wanted:
    """The options of one invocation, by their names."""

    address: str | None
    url: str | None
    model: str
    api_key_env: str
    headers: tuple[str, ...]
    extra_body: str | None
    wait: float
    timeout: float
    connect_timeout: float
    stall_timeout: float
    suite_name: str
    patterns: tuple[str, ...]
    choices: tuple[str, ...]
    repeat: int | None
    thinking: str
    temperature: float | None
    top_p: float | None
    top_k: int | None
    max_tokens: int | None
    concurrency: int
    seed: int
    dry_run: bool
    fail_on: str
    label: str
    record: str | None
    resume: str | None
    no_record: bool
    as_json: bool
    notes: bool
    quiet: bool

    def run(self) -> int:
        """Do what is wanted; return the exit code."""
        if self.record and self.no_record:
            raise UsageError("--record and --no-record contradict each other", "leave one out")
        if self.record and self.resume:
            raise UsageError("--record and --resume name two recordings", "--resume goes on in the same file")
        resumed = open_to_resume(Path(self.resume), RULES) if self.resume else None
        for note in resumed.notes if resumed is not None else ():
            click.echo(one_line(f"{self.resume}: {note}", 600), err=True)
        if resumed is not None and resumed.replay.footer is not None and not missing(resumed):
            with resumed.recording:
                if not self.quiet:
                    click.echo("nothing is missing in the recording, so nothing is asked", err=True)
            return self.tell(resumed.replay.result(), str(self.resume))
        target = self.target(resumed)
        if self.dry_run:
            return self.print_plan(target)
        suite = None if resumed is not None else self.suite()
        settings = None if suite is None else self.settings(suite, target)
        if self.record and Path(self.record).is_dir():
            raise UsageError(f"{self.record} is a directory", "name a file in it that does not exist yet")
        line = ProgressLine(quiet=self.quiet)
        try:
            with terminated_as_interrupted():
                result, path = run(self.probe(target, suite, settings, resumed, line))
        except NoAnswerError as problem:
            if target.url.startswith("https:") and "in time" in problem.problem:
                problem.hint += "; if it speaks plain HTTP, write http:// instead of https://"
            raise
        finally:
            line.clear()
        return self.tell(result, path)

    def tell(self, result: RunResult, path: str) -> int:
        """Print what the run came to; return the exit code."""
        if self.as_json:
            say(json.dumps(document(result), indent=1))
        else:
            say(run_report(result, look=look(), recording=path, notes=self.notes))
        return result.exit.code

    async def probe(
        self,
        target: Target,
        suite: Suite | None,
        settings: Settings | None,
        resumed: Resumed | None,
        line: ProgressLine,
    ) -> tuple[RunResult, str]:
        """Look at the server, execute the plan, and return the result with the recording's path."""
        async with Client(target) as client:
            if self.wait:
                if not self.quiet:
                    click.echo(f"waiting at most {self.wait:g} s for {target.url}", err=True)
                await wait_until_ready(client, self.wait)
            if resumed is not None or suite is None or settings is None:
                if resumed is None:  # one of them is there: `run` made it
                    raise UsageError("nothing is planned", "name a suite")
                await preflight(client, resumed.header.target.model)
                with resumed.recording as recording:
                    result = await execute(
                        client, resumed.header, rules=RULES, recording=recording, observe=line, past=resumed.replay
                    )
                return result, str(self.resume)
            looked = await preflight(client, self.model)
            if looked.models and not looked.listed:
                shown = one_line(", ".join(looked.models[:6]), 300)
                named = one_line(looked.target.model)
                click.echo(f"note: {named} is not among the models that are listed: {shown}", err=True)
            header = new_header(looked.target, suite, settings, label=self.label)
            kept = self.recording(header)
            with kept or nullcontext():
                result = await execute(client, header, rules=RULES, recording=kept, observe=line)
            return result, "" if kept is None else str(kept.path)

    def recording(self, header: RunHeader) -> Recording | None:
        """Start the recording."""
        if self.no_record:
            return None
        if self.record:
            return Recording.create(Path(self.record), header)
        folder = state_directory(os.environ)
        return Recording.create(new_recording_path(folder, started=header.started, model=header.target.model), header)

    def target(self, resumed: Resumed | None) -> Target:
        """Return the server that is meant."""
        given = [one for one in (self.address, self.url) if one]
        if len(given) > 1 and given[0] != given[1]:
            raise UsageError(f"two addresses are given: {given[0]} and {given[1]}", "give one")
        if not given and resumed is not None:
            given = [resumed.header.target.url]
        if not given:
            raise UsageError("no server is named", "toolwire probe http://localhost:8000, or try toolwire demo")
        return Target(
            given[0],
            key=key_from_environment(os.environ, self.api_key_env),
            headers=dict(map(_header, self.headers)),
            timeouts=Timeouts(connect=self.connect_timeout, total=self.timeout, stall=self.stall_timeout),
            byte_limit=byte_limit_for(self.concurrency),
        )

    def suite(self) -> Suite:
        """Return the suite with the selected cases."""
        name = self.suite_name
        if name in builtin_suites() or not (name.endswith(".toml") or os.sep in name):
            found = builtin_suite(name)
        else:
            found = parse(read_text(Path(name)), file=name)
        try:
            return select_cases(found, self.patterns)
        except UnknownNameError as nothing:
            # the words are understood and no case answers to them: nothing is judged, as when nobody answers
            raise NoAnswerError(nothing.problem, nothing.hint) from nothing

    def settings(self, suite: Suite, target: Target) -> Settings:
        """Return what shapes the run, and check that it can be planned."""
        chosen = [one for word in self.choices for one in MODES.get(word, (word,))]
        parameters = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "top_k": self.top_k,
            "max_tokens": self.max_tokens,
        }
        settings = Settings(
            tool_choices=tuple(dict.fromkeys(chosen)) or suite.tool_choices,
            repeat=self.repeat or suite.repeat,
            concurrency=self.concurrency,
            seed=self.seed,
            thinking=self.thinking == "on",
            parameters={key: value for key, value in parameters.items() if value is not None},
            extra_body=_object(self.extra_body),
            headers=dict.fromkeys(target.headers, "[redacted]"),
            key_variable=target.key.variable,
            connect_timeout=self.connect_timeout,
            total_timeout=self.timeout,
            stall_timeout=self.stall_timeout,
            fail_on=FailOn(self.fail_on),
        )
        plan(suite, settings.tool_choices, settings.repeat)
        return settings

    def print_plan(self, target: Target) -> int:
        """Print every request as a curl line."""
        suite = self.suite()
        settings = replace(self.settings(suite, target), repeat=1)
        for trial in plan(suite, settings.tool_choices, 1):
            body = request_body(
                suite,
                trial,
                model=self.model or "MODEL",
                thinking=settings.thinking,
                parameters=settings.parameters,
                extra=settings.extra_body,
            )
            say(f"# {trial.case.name}/{trial.tool_choice}")
            say(curl(f"{target.url}/chat/completions", body, headers=settings.headers, key=bool(target.key)))
        return 0


def missing(resumed: Resumed) -> int:
    """Return how many trials of the plan a recording lacks."""
    return resumed.replay.tally.planned - len(resumed.replay.tally.done)


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Let SIGTERM, as supervisors and CI send it, end the run as Ctrl-C does: with its report and recording."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # what was started in the background of a script ignores interrupts, and would then ignore this one too
    interrupts = signal.getsignal(signal.SIGINT)
    if interrupts is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, interrupts)


def _header(text: str) -> tuple[str, str]:
    """Read a header."""
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise UsageError(f"{name.strip()[:40]!r} is no header", "write it as 'Name: value'")
    return name.strip(), value.strip()


def _object(text: str | None) -> dict[str, object]:
    """Read the extra fields of the body."""
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except ValueError as problem:
        raise UsageError(
            f"--extra-body is no JSON ({problem})", "write an object, such as '{\"seed\": 1}'"
        ) from problem
    if not isinstance(value, dict):
        raise UsageError("--extra-body is no JSON object", "write an object, such as '{\"seed\": 1}'")
    return value
