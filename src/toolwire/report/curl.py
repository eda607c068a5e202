"""A request as a `curl -N` line that repeats it; keys stay names of variables."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from toolwire.report.text import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["curl"]

_OURS = frozenset(
    {"content-type", "authorization", "accept", "accept-encoding", "user-agent", "host", "content-length"}
)


def curl(url: str, body: Mapping[str, object], *, headers: Mapping[str, str] | None = None, key: bool = False) -> str:
    """Return one shell line; `url` is the whole address, `key` whether a bearer key was sent.

    Headers whose values were redacted come as a variable named after them.
    """
    parts = ["curl", "-N", shlex.quote(url), "-H", "'Content-Type: application/json'"]
    if key:
        parts += ["-H", '"Authorization: Bearer $OPENAI_API_KEY"']
    for name, value in (headers or {}).items():
        if name.lower() in _OURS:
            continue
        if value == "[redacted]":
            variable = "".join(character if character.isalnum() else "_" for character in name.upper())
            parts += ["-H", f'"{name}: ${variable}"']
        else:
            parts += ["-H", shlex.quote(f"{name}: {value}")]
    data = plain(json.dumps(body, ensure_ascii=True, separators=(",", ":")))
    parts += ["-d", shlex.quote(data)]
    return " ".join(parts)
