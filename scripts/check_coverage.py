"""Hold the pure half of the package to its branch coverage: all of it."""

from __future__ import annotations

import io
import sys
import tomllib
from pathlib import Path

from coverage import Coverage

ROOT = Path(__file__).resolve().parents[1]

FLOOR = 100.0
"""Percent of lines and branches of the pure half: what no test reaches is tested, or taken out."""

CONTRACT = "the pure half does no I/O"
"""The contract in pyproject.toml that lists the pure half, so that there is one list."""


def main() -> None:
    """Print what is not covered, and fail below the floor."""
    coverage = Coverage()
    coverage.load()
    text = io.StringIO()
    total = coverage.report(include=pure_half(), file=text, show_missing=True, skip_covered=True)
    print(text.getvalue())
    if total < FLOOR:
        sys.exit(f"the pure half is covered to {total:.2f} %, and the floor is {FLOOR} %")


def pure_half() -> list[str]:
    """Return the patterns of the files that the contract calls pure."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    modules = next(contract["source_modules"] for contract in contracts if contract["name"] == CONTRACT)
    places = [module.replace(".", "/") for module in modules]
    return [f"*/{place}.py" for place in places] + [f"*/{place}/*" for place in places]


if __name__ == "__main__":
    main()
