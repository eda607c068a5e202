"""`toolwire completion`: the script that teaches a shell our commands and options."""

from __future__ import annotations

import importlib

import click
from click.shell_completion import get_completion_class

from toolwire.cli.options import GroupedCommand, say

__all__ = ["command"]


@click.command("completion", cls=GroupedCommand)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL.

    For bash, add to ~/.bashrc:  eval "$(toolwire completion bash)"
    """
    group = importlib.import_module("toolwire.cli").toolwire
    kind = get_completion_class(shell)
    if kind is None:
        message = f"no completion for {shell}"
        raise click.UsageError(message)
    say(kind(group, {}, "toolwire", "_TOOLWIRE_COMPLETE").source())
