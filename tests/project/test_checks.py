"""The project's own checks can fail: each finds what was planted for it."""

from __future__ import annotations

import fnmatch
import tomllib
from pathlib import Path

import pytest

import check_coverage
import check_rules

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.mark.parametrize(
    "line",
    [
        "from toolwire.rules.call.arguments_empty import arguments_empty",
        "import toolwire.rules.catalogue",
        "from toolwire.rules import catalogue",
    ],
)
def test_a_rule_that_imports_another_is_found(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the form of the import, the file and what it imports are named."""
    folder = tmp_path / "call"
    folder.mkdir()
    (folder / "planted.py").write_text(f"import re\n\n{line}\n", encoding="utf-8")
    monkeypatch.setattr(check_rules, "RULES_FOLDER", tmp_path)
    (problem,) = check_rules.imports()
    assert problem.startswith("planted.py imports toolwire.rules")


def test_no_rule_imports_another() -> None:
    """The rules as they are hold to it."""
    assert not check_rules.imports()


def test_a_rule_that_nobody_listed_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file beside the listed ones is named."""
    folder = tmp_path / "call"
    folder.mkdir()
    (folder / "forgotten.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(check_rules, "RULES_FOLDER", tmp_path)
    assert "forgotten.py is not in the catalogue" in check_rules.catalogue()


@pytest.mark.parametrize(
    ("file", "pure"),
    [
        ("judge.py", True),
        ("framing/sse.py", True),
        ("rules/call/arguments_empty.py", True),
        ("simulator/wire.py", True),
        ("simulator/server.py", False),
        ("client.py", False),
        ("store.py", False),
        ("cli/probe.py", False),
    ],
)
def test_coverage_is_asked_of_the_pure_half_alone(file: str, *, pure: bool) -> None:
    """The floor holds for what the import contract calls pure, and for nothing else."""
    path = f"{ROOT}/src/toolwire/{file}"
    assert any(fnmatch.fnmatch(path, pattern) for pattern in check_coverage.pure_half()) is pure


def test_each_fragment_of_the_changelog_has_a_known_type() -> None:
    """A fragment of another type would be left out of the release without a word."""
    known = {one["directory"] for one in PROJECT["tool"]["towncrier"]["type"]}
    fragments = [path.name for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md"]
    assert fragments
    assert not [name for name in fragments if name.split(".")[-2] not in known]
