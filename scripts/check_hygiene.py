"""The project speaks of itself alone: no path of a machine, no unfinished mark, no host of a package index."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]

FORBIDDEN = {
    # tests call nobody's home `u`
    "a path of somebody's machine": re.compile(r"(?<![\w.])/(?:work|farm|Users)/|/home/(?!u\b)[a-z]"),
    # a letter in brackets, so that these lines are not what they look for
    "an unfinished mark": re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b|NotImplemente[d]Error"),
    "a host of a package index": re.compile(r"pypi\.(?:org|python)|files\.pythonhoste[d]|registry\.npmj[s]"),
    "a conflict mark": re.compile(r"^(?:<{7}|>{7}) "),
}
BINARY = {".png", ".gz", ".gif", ".woff2"}
DATA = {".jsonl", ".sse", ".ndjson"}
"""Evidence: what a model was asked or said is nobody's slip, so only the index hosts are looked for."""

ELSEWHERE = {"tests/project/test_hygiene.py"}
"""Files that must name what is forbidden."""


def main() -> None:
    """List every forbidden line, and fail if there is one."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\n")  # fmt: skip
    found = 0
    for name in filter(None, names):
        path = ROOT / name
        if path.suffix in BINARY or not path.is_file() or name in ELSEWHERE:
            continue
        for slip in slips(name, path.read_text(encoding="utf-8", errors="replace")):
            print(slip)
            found += 1
    if found:
        sys.exit(f"{found} lines speak of what is not the project's")


def slips(name: str, text: str) -> Iterator[str]:
    """Yield each line of a file that says what it must not, with its place."""
    for number, line in enumerate(text.splitlines(), start=1):
        for what, pattern in FORBIDDEN.items():
            if Path(name).suffix in DATA and "index" not in what:
                continue
            if pattern.search(line):
                yield f"{name}:{number}: {what}: {line.strip()[:120]}"


if __name__ == "__main__":
    main()
