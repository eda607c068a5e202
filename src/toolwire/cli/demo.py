"""`toolwire demo`: the main job against servers of our own, one healthy and one broken."""

from __future__ import annotations

import click

from toolwire.cli.exits import Exit
from toolwire.cli.options import GroupedCommand, grouped, look, say
from toolwire.cli.progress import ProgressLine
from toolwire.client import Client, run
from toolwire.preflight import preflight
from toolwire.report.terminal import run_report
from toolwire.results import RunResult, Settings
from toolwire.rules.catalogue import RULES
from toolwire.runner import execute, new_header
from toolwire.simulator.pacing import Pacing
from toolwire.simulator.server import SimulatorServer
from toolwire.suite import builtin_suite, select_cases
from toolwire.target import Target

__all__ = ["command"]

FAULT = "leak-30-percent"
"""What the broken server does: as in vllm#39056, it loses some of the calls at the end of the thinking."""

PACE = Pacing(first=0.02, gap=0.002)
"""Fast enough for a demo of seconds, slow enough that the times in it look like a server's."""


@click.command("demo", cls=GroupedCommand)
@grouped("Output", "-q", "--quiet", is_flag=True, help="No progress on stderr.")
def command(quiet: bool) -> int:
    """Probe a healthy and a broken server of our own, and say what each report means.

    Needs no key, no GPU and no network but loopback.
    """
    healthy, broken = run(both(quiet=quiet))
    say("== A healthy server\n")
    say(run_report(healthy, look=look()))
    say("\nEvery call came whole, so the exit code is 0; the answer still says how bad it could be.\n")
    say("== A broken server: now and then a call is left in the text\n")
    say(run_report(broken, look=look()))
    say(
        "\nThe same requests, and some calls came as text: an agent would have stopped there, without an error."
        "\nThe exit code 1 is what stops an upgrade.\n"
    )
    say("Now yours:  toolwire probe http://localhost:8000")
    say("More faults: toolwire serve, then toolwire probe http://127.0.0.1:8765/FAULT")
    as_it_should = healthy.exit.code == Exit.CONFORMS and broken.exit.code == Exit.FAILS
    return Exit.CONFORMS if as_it_should else Exit.INTERNAL


async def both(*, quiet: bool) -> tuple[RunResult, RunResult]:
    """Start the simulator and probe it twice."""
    async with SimulatorServer(pacing=PACE) as server:
        healthy = await probe(server.url, "a healthy server", quiet=quiet)
        broken = await probe(f"{server.url}/{FAULT}", "a broken server", quiet=quiet)
    return healthy, broken


async def probe(url: str, label: str, *, quiet: bool) -> RunResult:
    """Run the seed suite against one server."""
    suite = select_cases(builtin_suite("seed"), ())
    line = ProgressLine(quiet=quiet)
    async with Client(Target(url)) as client:
        looked = await preflight(client)
        header = new_header(looked.target, suite, Settings(repeat=suite.repeat), label=label)
        return await execute(client, header, rules=RULES, observe=line)
