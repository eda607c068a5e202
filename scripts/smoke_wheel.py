"""Build the wheel, install it where the source is out of reach, and use it as its user would."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements" / "dev.lock"
LIMIT = 600
"""Seconds that one step may take: installing downloads, the rest is quick."""

DEAD = "http://127.0.0.1:9"
"""The discard port, on which nothing listens."""


def main() -> None:
    """Build, install, try; the first failure ends it with its output."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", name, str(ROOT)], folder)
        wheel = next(folder.glob("*.whl"))
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*pip, "--constraint", str(constraints(folder)), str(wheel)], folder)
        look_around(str(folder / "venv" / "bin" / "toolwire"), folder)
        do_the_main_job(str(folder / "venv" / "bin" / "toolwire"), folder)
        print(f"{wheel.name} works where its source is out of reach")


def look_around(toolwire: str, folder: Path) -> None:
    """Try every command that only tells: the data of the package are all there."""
    run([toolwire, "--version"], folder)
    run([toolwire, "--help"], folder)
    rules = json.loads(run([toolwire, "rules", "--json"], folder))
    if not rules:
        sys.exit("the wheel has no rules")
    run([toolwire, "explain", rules[0]["name"]], folder)
    run([toolwire, "suites", "--json"], folder)
    run([toolwire, "judge", "--dialects"], folder)
    run([toolwire, "demo"], folder)


def do_the_main_job(toolwire: str, folder: Path) -> None:
    """Probe a healthy, a broken and a dead server, and judge a recording: every exit code that a user meets first."""
    with simulator(toolwire, folder) as url:
        probe = [toolwire, "probe", "--quiet", "--repeat", "1", "--record"]
        run([*probe, "healthy.jsonl", url], folder, code=0)
        run([*probe, "broken.jsonl", f"{url}/leak-hermes"], folder, code=1)
    run([toolwire, "judge", "healthy.jsonl"], folder, code=0)
    run([toolwire, "judge", "broken.jsonl"], folder, code=1)
    run([toolwire, "probe", "--no-such-option", DEAD], folder, code=2)
    run([toolwire, "probe", DEAD], folder, code=3)


@contextmanager
def simulator(toolwire: str, folder: Path) -> Iterator[str]:
    """Start `toolwire serve` on a free port and yield its address."""
    command = [toolwire, "serve", "--port", "0"]
    with subprocess.Popen(
        command, cwd=folder, env=environment(folder), stderr=subprocess.PIPE, text=True, bufsize=1
    ) as server:
        try:
            told = server.stderr.readline() if server.stderr else ""
            address = re.search(r"http://\S+?(?=[;,\s])", told)
            if address is None:
                sys.exit(f"{' '.join(command)} named no address: {told}")
            yield address.group()
        finally:
            server.terminate()


def constraints(folder: Path) -> Path:
    """Take the versions of the lock, without hashes, so that the installed wheel is tried with what was tested."""
    lines = [line.split(" \\")[0] for line in LOCK.read_text(encoding="utf-8").splitlines() if line[:1].isalnum()]
    path = folder / "constraints.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(command: list[str], folder: Path, *, code: int = 0) -> str:
    """Run in an empty folder without our source on the path; return what it printed, or end where the code differs."""
    done = subprocess.run(
        command, cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=LIMIT, check=False
    )
    if done.returncode != code:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of a user who has set nothing of ours and nothing of Python's."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "TOOLWIRE", "OPENAI"))}
    return {**kept, "PYTHONUNBUFFERED": "1", "TOOLWIRE_STATE_DIR": str(folder / "state")}


if __name__ == "__main__":
    main()
