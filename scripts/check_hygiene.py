"""The project speaks of itself alone: no path of a machine, no unfinished mark, no host of a package index."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

FORBIDDEN = {
    "a path of somebody's machine": re.compile(r"(?<![\w.])/(?:work|farm|Users)/|/home/[a-z]{3,}|/tmp/(?!\.)[a-z]"),
    "an unfinished mark": re.compile(r"\b(?:TODO|FIXME|XXX)\b|NotImplementedError"),
    "a host of a package index": re.compile(r"pypi\.(?:org|python)|files\.pythonhosted|registry\.npmjs"),
    "a conflict mark": re.compile(r"^(?:<{7}|>{7}) "),
}
BINARY = {".png", ".gz", ".gif", ".woff2"}
DATA = {".jsonl", ".sse", ".ndjson"}
"""Evidence: paths in it are what a model was asked to read, so only the index hosts are looked for."""


def main() -> None:
    """List every forbidden line, and fail if there is one."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\n")  # fmt: skip
    found = 0
    for name in filter(None, names):
        path = ROOT / name
        if path.suffix in BINARY or not path.is_file() or path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
            for what, pattern in FORBIDDEN.items():
                if path.suffix in DATA and "index" not in what:
                    continue
                if pattern.search(line):
                    print(f"{name}:{number}: {what}: {line.strip()[:120]}")
                    found += 1
    if found:
        sys.exit(f"{found} lines speak of what is not the project's")


if __name__ == "__main__":
    main()
