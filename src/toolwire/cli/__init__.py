"""The command line: one command a file; only here is anything printed or exited.

Commands are imported when they are run, so that `toolwire --help` stays quick.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import traceback
from typing import NoReturn

import click

from toolwire import __version__
from toolwire.cli.exits import Exit
from toolwire.cli.options import OutputError, ReaderGoneError
from toolwire.errors import NoAnswerError, ToolwireError, UnknownNameError
from toolwire.report.text import one_line

__all__ = ["COMMANDS", "main", "toolwire"]

COMMANDS: dict[str, str] = {
    "probe": "Ask a live server for streamed tool calls and judge every answer.",
    "judge": "Judge recorded exchanges, a run's recording, or a raw capture.",
    "demo": "Probe a healthy and a broken server of our own; no key, no GPU.",
    "serve": "Start the simulator: a server on loopback that can send anything.",
    "suites": "List the suites of cases, and show one.",
    "rules": "List the rules.",
    "explain": "Explain one rule, with a failing example drawn as a timeline.",
    "completion": "Print the completion script of a shell.",
}
"""Command and one line on it; the module of the same name holds it as `command`."""


LONGEST = 1200
"""Characters of an error: enough for a list of models, too few for a page that a server sent."""


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of their use."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"toolwire.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Answer an unknown command with the nearest one."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            unknown = UnknownNameError("command", name, COMMANDS)
            ctx.fail(str(unknown))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "TOOLWIRE"},
    epilog="Exit codes: 0 conforms, 1 something fails, 2 usage, 3 no answer, 4 a bug in toolwire.",
)
@click.version_option(__version__, "-V", "--version", message="toolwire %(version)s")
def toolwire() -> None:
    """Ask whether a server's streamed tool calls reach the client whole.

    Asks a live OpenAI-compatible server, keeps the bytes, judges them by documented rules.

    \b
    Try it without a server of your own:  toolwire demo
    Then with yours:                      toolwire probe http://localhost:8000
    """  # noqa: D301 - click looks for the character itself


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with one of the documented codes."""
    sys.exit(run(args))


def run(args: list[str] | None = None) -> int:
    """Run the command line; return the exit code instead of exiting."""
    try:
        code = toolwire.main(args=args, prog_name="toolwire", standalone_mode=False)
        return int(code) if isinstance(code, int) else Exit.CONFORMS
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return Exit.USAGE
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return Exit.NO_ANSWER
    except OutputError as error:
        _say(error)
        _give_up_output()
        return Exit.NO_ANSWER
    except NoAnswerError as error:
        _say(error)
        return Exit.NO_ANSWER
    except ToolwireError as error:
        _say(error)
        return Exit.USAGE
    except (ReaderGoneError, BrokenPipeError):
        # whoever read our output has gone; nothing that is said now would be seen
        _give_up_output()
        return Exit.NO_ANSWER
    except Exception:  # noqa: BLE001 - whatever is left is a bug of ours, and has its own exit code
        click.echo("toolwire: internal error; this is a bug in toolwire, please report what follows", err=True)
        click.echo(traceback.format_exc(), err=True)
        return Exit.INTERNAL


def _give_up_output() -> None:
    """Let what is still held back go nowhere: the interpreter would try once more, and end with a code of its own."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(error: ToolwireError) -> None:
    """Print an error and what to do about it; it may hold words of a server."""
    click.echo(f"toolwire: {one_line(error.problem, LONGEST)}", err=True)
    if error.hint:
        click.echo(f"  {one_line(error.hint, LONGEST)}", err=True)
