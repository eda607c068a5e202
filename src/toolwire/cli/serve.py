"""`toolwire serve`: the simulator on loopback."""

from __future__ import annotations

import asyncio
import os

import click

from toolwire.cli.options import GroupedCommand, grouped, say
from toolwire.errors import UnknownNameError, UsageError
from toolwire.simulator.faults import FAULTS
from toolwire.simulator.server import SimulatorServer

__all__ = ["command"]


@click.command("serve", cls=GroupedCommand)
@grouped("Target", "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one.")
@grouped("Target", "--fault", default="", help="Apply this fault to every answer that names none in its path.")
@grouped("Target", "--seed", type=int, default=0, show_default=True, help="Seed of probabilistic faults.")
@grouped("Target", "--api-key-env", metavar="NAME", help="Ask for the key that this environment variable holds.")
@grouped("Output", "--list", "list_faults", is_flag=True, help="List the faults and exit.")
def command(port: int, fault: str, seed: int, api_key_env: str | None, list_faults: bool) -> None:
    """Start a server on loopback whose streams have the fault that the path names.

    http://127.0.0.1:PORT/v1 is healthy, http://127.0.0.1:PORT/FAULT/v1 has that fault, and / lists them all.
    """
    known = {one.name: one for one in FAULTS}
    if list_faults:
        width = max(map(len, known))
        say("\n".join(f"{one.name:<{width}}  {one.summary}" for one in FAULTS))
        return
    if fault and fault not in known:
        raise UnknownNameError("fault", fault, known)
    key = None
    if api_key_env:
        key = os.environ.get(api_key_env)
        if not key:
            raise UsageError(f"the environment variable {api_key_env} is empty", "set it, or leave out --api-key-env")
    try:
        asyncio.run(_serve(port, fault, seed, key))
    except KeyboardInterrupt:
        click.echo("stopped", err=True)
    except OSError as error:
        raise UsageError(f"cannot listen on port {port}: {error.strerror}", "choose another with --port") from error


async def _serve(port: int, fault: str, seed: int, key: str | None) -> None:
    """Serve until interrupted."""
    async with SimulatorServer(port=port, fault=fault, key=key, seed=seed) as server:
        click.echo(f"listening on {server.url}; Ctrl-C stops it", err=True)
        click.echo(f"  healthy: toolwire probe {server.url}", err=True)
        click.echo(f"  broken:  toolwire probe {server.url}/leak-hermes", err=True)
        await asyncio.Event().wait()
