"""What the documents say can be done: commands are understood, targets exist, links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

import generate_docs
from toolwire.cli import toolwire
from toolwire.cli.exits import MEANINGS

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
PACKAGE = ROOT / "src" / "toolwire"

SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
MAKE = re.compile(r"\bmake ([a-z-]+)")
LONGEST_PICTURE = 80
"""Lines of ARCHITECTURE.md: what is read in one sitting."""


def commands() -> list[str]:
    """Return each command of ours in a shell block of a document."""
    blocks = [block for path in WRITTEN for block in SHELL.findall(path.read_text("utf-8"))]
    lines = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    pieces = [piece.strip() for line in lines for piece in re.split(r"&&|[;|&]", line)]
    return sorted({piece.split(" > ")[0] for piece in pieces if piece.startswith("toolwire ")})


def test_the_documents_show_commands() -> None:
    """The main ones are shown, so that the next test has something to try."""
    shown = {shlex.split(line)[1] for line in commands()}
    assert {"probe", "judge", "serve", "explain"} <= shown


@pytest.mark.parametrize("line", commands())
def test_a_command_is_understood(line: str) -> None:
    """The command line reads every command that a document shows, options and all."""
    name, *arguments = shlex.split(line)[1:]
    group = click.Context(toolwire, info_name="toolwire")
    command = toolwire.get_command(group, name)
    assert command is not None
    command.make_context(name, arguments, parent=group)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_targets_exist(path: Path) -> None:
    """Each relative link leads to a file, and each `make` target is one."""
    text = path.read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    missing = [link for link in LINK.findall(text) if not (path.parent / link).exists()]
    missing += [f"make {target}" for target in re.findall(r"`make ([a-z-]+)", text) if target not in targets]
    missing += [
        f"make {target}" for block in SHELL.findall(text) for target in MAKE.findall(block) if target not in targets
    ]
    assert not missing


def test_the_architecture_is_short_and_whole() -> None:
    """It names every module and package of the first level, in one sitting's length."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert len(text.splitlines()) <= LONGEST_PICTURE
    modules = {path.name for path in PACKAGE.glob("*.py") if not path.name.startswith("__")}
    packages = {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    assert not {name for name in modules | packages if f"`{name}`" not in text}


def test_text_of_a_docstring_is_shown_as_it_is() -> None:
    """Angle brackets outside of code are no HTML, and a bar ends no cell."""
    assert generate_docs.prose("a <b> and `<think>`") == "a &lt;b> and `<think>`"
    assert generate_docs.cell("a | b\nc") == "a \\| b c"
    assert generate_docs.code("a`b|") == "`` a`b\\| ``"


def test_an_output_is_the_same_but_for_times_and_ports() -> None:
    """A fresh run of the same command makes no page stale; another answer does."""
    before = "probe http://127.0.0.1:8765/v1 took 12 ms\nanswer     1 of 30 failed\n"
    after = "probe http://127.0.0.1:41000/v1 took 120.5 ms\nanswer     1 of 30 failed\n"
    assert generate_docs.scrub(before) == generate_docs.scrub(after)
    assert generate_docs.scrub(before) != generate_docs.scrub(before.replace("1 of 30", "2 of 30"))


def test_an_excerpt_begins_where_it_says() -> None:
    """What stands before is left out, long lines are cut, and a beginning that is not there ends the run."""
    text = "first\nsecond half\n" + "x" * 200 + "\n"
    assert generate_docs.excerpt(text, "second").splitlines() == ["second half", "x" * (generate_docs.WIDTH - 1) + "…"]
    assert generate_docs.excerpt("a\n", None) == "a\n"
    with pytest.raises(SystemExit):
        generate_docs.excerpt(text, "third")


def test_the_readme_has_the_exit_codes() -> None:
    """Its table says what the generated page says."""
    text = (ROOT / "README.md").read_text("utf-8")
    rows = [f"| {int(number)} | {meaning} |" for number, meaning in MEANINGS.items()]
    assert "\n".join(rows) in text


def test_the_decisions_are_listed() -> None:
    """Each decision stands in the index, by its title."""
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text("utf-8")
    for path in folder.glob("[0-9]*.md"):
        title = path.read_text("utf-8").splitlines()[0].removeprefix("# ")
        assert f"[{title}]({path.name})" in index
