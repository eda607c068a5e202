"""A run of suite `seed` by the clock, against the old script, on the same slow server.

    python bench/clock.py [--seconds 2] [--script FILE]

The server is our simulator, which needs `--seconds` for each answer. Both ask the same 30 requests; toolwire asks four
at a time, the script one after the other. Prints both times, the ratio and both counts, which must agree.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from toolwire.simulator.pacing import Pacing
from toolwire.simulator.server import SimulatorServer

SCRIPT = Path(__file__).resolve().parents[2] / "shared" / "seed" / "stream-toolcall-probe.py"


async def timed(command: list[str]) -> tuple[float, str]:
    """Run a command; return its seconds and what it printed."""
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out, _ = await process.communicate()
    return time.perf_counter() - begun, out.decode()


async def compare(seconds: float, script: Path) -> None:
    """Run both against one server."""
    async with SimulatorServer(pacing=Pacing(first=seconds)) as server:
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            record = str(Path(folder) / "run.jsonl")
            ours = [sys.executable, "-m", "toolwire", "probe", server.url, "--quiet", "--record", record]
            theirs = [sys.executable, str(script), "--url", server.url, "--model", "simulator"]
            our_seconds, our_text = await timed(ours)
            their_seconds, their_text = await timed(theirs)
    our_counts = re.findall(r"old script: (.*?);", our_text)
    their_counts = re.findall(r"summary .*?: (.*)", their_text)
    print(f"toolwire {our_seconds:.1f} s, {our_counts}")
    print(f"script   {their_seconds:.1f} s, {their_counts}")
    print(f"ratio    {their_seconds / our_seconds:.1f}")


def main() -> None:
    """Read the options and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--script", type=Path, default=SCRIPT)
    options = parser.parse_args()
    if not options.script.is_file():
        sys.exit(f"no script at {options.script}; name one with --script")
    asyncio.run(compare(options.seconds, options.script))


if __name__ == "__main__":
    main()
