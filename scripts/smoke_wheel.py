"""Build the wheel, install it where the source is out of reach, and use it as its user would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements" / "dev.lock"


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
        toolwire = str(folder / "venv" / "bin" / "toolwire")
        run([toolwire, "--version"], folder)
        run([toolwire, "--help"], folder)
        rules = json.loads(run([toolwire, "rules", "--json"], folder))
        assert len(rules) > 1, "the wheel has no rules"  # noqa: S101 - a smoke test
        run([toolwire, "explain", rules[0]["name"]], folder)
        run([toolwire, "suites", "--json"], folder)
        run([toolwire, "demo"], folder)
        print(f"{wheel.name} works where its source is out of reach")


def constraints(folder: Path) -> Path:
    """Take the versions of the lock, without hashes, so that the installed wheel is tried with what was tested."""
    lines = [line.split(" \\")[0] for line in LOCK.read_text(encoding="utf-8").splitlines() if line[:1].isalnum()]
    path = folder / "constraints.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(command: list[str], folder: Path) -> str:
    """Run in an empty folder without our source on the path; return what it printed."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "TOOLWIRE"))}
    environment["TOOLWIRE_STATE_DIR"] = str(folder / "state")
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
