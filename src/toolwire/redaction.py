"""Takes secrets out of what a server sent back, before it is kept.

Knows: how a secret may be written in a body, also across reads. Must not know: where secrets come from.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["hide_in_reads", "hide_in_text"]

STAR = b"*"


def hide_in_text(text: str, secrets: Sequence[str]) -> str:
    """Return `text` with each secret replaced by as many asterisks."""
    for secret in secrets:
        text = text.replace(secret, STAR.decode() * len(secret))
    return text


def hide_in_reads(pieces: list[tuple[float, bytes]], secrets: Sequence[str]) -> bool:
    """Replace secrets in the timed pieces of a body, byte for byte, so that spans stay; say whether there were any.

    A secret may be cut in two by the reads, and may stand in JSON with `/` written as an escape.
    """
    if not secrets or not pieces:
        return False
    whole = b"".join(data for _, data in pieces)
    hidden = whole
    for secret in secrets:
        plain = secret.encode("utf-8", "surrogatepass")
        for form in {plain, plain.replace(b"/", b"\\/"), json.dumps(secret)[1:-1].encode("ascii")}:
            if form in hidden:
                hidden = hidden.replace(form, STAR * len(form))
    if hidden is whole:
        return False
    start = 0
    for number, (at, data) in enumerate(pieces):
        pieces[number] = (at, hidden[start : start + len(data)])
        start += len(data)
    return True
