"""`toolwire serve`: the simulator on loopback."""

from __future__ import annotations

import asyncio
import os

import click

from toolwire.cli.options import GroupedCommand, grouped, say
from toolwire.errors import UnknownNameError, UsageError
from toolwire.simulator.faults import FAULTS, by_name
from toolwire.simulator.forms import Dialect
from toolwire.simulator.pacing import Chunking, Pacing
from toolwire.simulator.server import SimulatorServer

__all__ = ["command"]


@click.command("serve", cls=GroupedCommand)
@grouped("Target", "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one.")
@grouped("Target", "--api-key-env", metavar="NAME", help="Ask for the key that this environment variable holds.")
@grouped(
    "Answers",
    "--fault",
    default="",
    metavar="NAME[@PERCENT]",
    help="Put this fault into every answer whose path names none, or into a share of them.",
)
@grouped("Answers", "--seed", type=int, default=0, show_default=True, help="Seed of faults that come by chance.")
@grouped(
    "Answers",
    "--dialect",
    type=click.Choice([one.value for one in Dialect]),
    default="openai",
    show_default=True,
    help="Whose habits the healthy stream has.",
)
@grouped("Pacing", "--first", type=click.FloatRange(0, 600), default=0.0, help="Seconds until the first token.")
@grouped("Pacing", "--gap", type=click.FloatRange(0, 600), default=0.0, help="Seconds between two writes.")
@grouped(
    "Pacing",
    "--chunking",
    type=click.Choice([one.value for one in Chunking]),
    default="event",
    show_default=True,
    help="Where the bytes are cut into writes.",
)
@grouped("Pacing", "--size", type=click.IntRange(1), default=1, show_default=True, help="Events or bytes of one write.")
@grouped("Output", "--list", "list_faults", is_flag=True, help="List the faults and exit.")
def command(
    port: int,
    api_key_env: str | None,
    fault: str,
    seed: int,
    dialect: str,
    first: float,
    gap: float,
    chunking: str,
    size: int,
    list_faults: bool,
) -> None:
    """Start a server on loopback whose streams have the fault that the path names.

    http://127.0.0.1:PORT/v1 is healthy, http://127.0.0.1:PORT/FAULT/v1 has that fault, and / lists them all.
    """
    if list_faults:
        width = max(len(one.name) for one in FAULTS)
        say("\n".join(f"{one.name:<{width}}  {one.summary}" for one in FAULTS))
        return
    if fault:
        try:
            by_name(fault)
        except KeyError as error:
            raise UnknownNameError("fault", fault, {one.name for one in FAULTS}) from error
    key = None
    if api_key_env:
        key = os.environ.get(api_key_env)
        if not key:
            raise UsageError(f"the environment variable {api_key_env} is empty", "set it, or leave out --api-key-env")
    server = SimulatorServer(
        port=port, fault=fault, key=key, seed=seed, dialect=dialect, pacing=Pacing(first, gap, Chunking(chunking), size)
    )
    try:
        asyncio.run(_serve(server))
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
    except OSError as error:
        raise UsageError(f"cannot listen on port {port}: {error.strerror}", "choose another with --port") from error


async def _serve(server: SimulatorServer) -> None:
    """Serve until interrupted."""
    async with server:
        click.echo(f"listening on {server.url}; Ctrl-C stops it", err=True)
        click.echo(f"  healthy: toolwire probe {server.url}", err=True)
        click.echo(f"  broken:  toolwire probe {server.url}/leak-hermes", err=True)
        await asyncio.Event().wait()
