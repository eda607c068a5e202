"""How fast the markup scanner reads, and how its time grows with texts that are made to be hard.

    python bench/scanner.py

Plain prose and prose full of brackets in megabytes a second; then every marker of every family repeated, at two sizes:
the worst growth (1 is linear, 2 quadratic) and the worst time a megabyte are printed with the marker.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from toolwire.markup import families, scan, scan_value

if TYPE_CHECKING:
    from collections.abc import Iterator

TOOLS = {"get_weather": ("city", "days"), "get_time": ("tz",)}
PROSE = "The quick brown fox jumps over the lazy dog, and nobody calls a tool for it. "
BRACKETS = "if (a < b) { return x[1]; } // get_weather is a name, <b>bold</b> is a tag, {1: 2} a table. "
SMALL, LARGE = 25_000, 100_000
FLOOR = 0.002
"""Seconds below which a time is noise."""


def seconds(text: str) -> float:
    """Return the CPU time of both scans."""
    begun = time.process_time()
    scan(text, tools=TOOLS)
    scan_value(text, tools=TOOLS)
    return time.process_time() - begun


def hard() -> Iterator[str]:
    """Yield units that are hard when they are repeated: each marker alone, before a brace, before a declared name."""
    markers = {marker for family in families() for marker in (*family.markers.strong, *family.markers.closing)}
    for marker in (*sorted(markers), "<", "[", "{", "`<", "```\n<"):
        yield marker
        yield marker + "{"
        yield marker + "get_weather\n"


def main() -> None:
    """Measure and print."""
    seconds("warm <tool_call>")
    for name, unit in (("plain prose", PROSE), ("prose full of brackets", BRACKETS)):
        text = unit * (4_000_000 // len(unit))
        print(f"{name}: {len(text) / seconds(text) / 1e6:,.0f} MB/s")
    growths: list[tuple[float, str]] = []
    slowest: list[tuple[float, str]] = []
    for unit in hard():
        small, large = (seconds(unit * (size // len(unit))) for size in (SMALL, LARGE))
        if small > FLOOR:
            growths.append((math.log(large / small) / math.log(LARGE / SMALL), unit))
        slowest.append((large / LARGE * 1e6, unit))
    growth, unit = max(growths)
    print(f"worst growth: {growth:.2f}, of {unit!r} repeated")
    worst, unit = max(slowest)
    print(f"worst time: {worst:.2f} s a megabyte, of {unit!r} repeated")


if __name__ == "__main__":
    main()
