"""What the project must not say is found, and what it may say is not."""

from __future__ import annotations

import pytest

from check_hygiene import slips

DOT, SLASH = ".", "/"
"""So that this file does not say itself what it looks for."""

PACKAGE_INDEX = f"https://pypi{DOT}org"
OTHER_INDEX = f"https://registry{DOT}npmjs{DOT}org"
WORKPLACE = f"{SLASH}work{SLASH}main"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (f"path = {WORKPLACE}", "machine"),
        ("see /Users/someone/notes", "machine"),
        ("cd /home/someone", "machine"),
        ("# TODO: later", "unfinished"),
        ("# FIXME", "unfinished"),
        ("raise NotImplementedError", "unfinished"),
        (f"{PACKAGE_INDEX}/simple", "index"),
        (f"{OTHER_INDEX}/x", "index"),
        ("<<<<<<< HEAD", "conflict"),
    ],
)
def test_a_slip_is_found(line: str, what: str) -> None:
    """The line is named with its place and what is wrong with it."""
    (slip,) = slips("src/x.py", f"fine\n{line}\n")
    assert slip.startswith("src/x.py:2: ")
    assert what in slip.split(": ")[1]


@pytest.mark.parametrize(
    "line",
    ["../shared/corpus", "/etc/hosts", "/home/u/.local/state", "a workaround", "method", "todos", "<<< a quote"],
)
def test_what_may_be_said_is_not(line: str) -> None:
    """Ordinary text is left alone."""
    assert not list(slips("README.md", line))


def test_evidence_may_hold_paths() -> None:
    """What a model was asked to read is data; only an index host is a slip there."""
    assert not list(slips("examples/pass.jsonl", '{"path": "/home/someone/x"} TODO'))
    assert list(slips("examples/pass.jsonl", f"{PACKAGE_INDEX}/simple"))
