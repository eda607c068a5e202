"""Write `requirements/dev.lock`: the newest versions that pyproject.toml allows, with hashes, for every platform.

Needs `uv` on the path. The lock names no host, so that any index serves.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Compile the lock."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [
        *project["project"]["dependencies"],
        *project["dependency-groups"]["dev"],
        *project["build-system"]["requires"],
    ]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "dev.in"
        source.write_text("\n".join(wanted) + "\n", encoding="utf-8")
        command = [
            "uv", "pip", "compile", "--universal", "--generate-hashes", "--python-version", "3.11",
            "--no-header", "--no-annotate", "--no-emit-index-url", "--upgrade", "--quiet",
            str(source), "--output-file", str(ROOT / "requirements" / "dev.lock"),
        ]  # fmt: skip
        sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
