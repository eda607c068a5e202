"""The bytes that a finding is about, marked in what stands around them.

Knows: bytes and spans. Must not know: rules, terminals.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolwire.report.text import one_line

__all__ = ["Marked", "marked"]

AROUND = 20
"""Characters shown on either side: enough for the key that a value belongs to."""

LONGEST = 32
"""Characters of the span itself; of a longer one the beginning and the end are shown."""

_CONTINUES = 0xC0
_CONTINUATION = 0x80


@dataclass(frozen=True, slots=True)
class Marked:
    """One line of the wire in three parts; `hit` is what is marked, empty where the span is a place between bytes."""

    before: str
    hit: str
    after: str


def marked(body: bytes, start: int, end: int) -> Marked:
    """Return the bytes from `start` to `end` with their surroundings; offsets beyond the body are brought into it."""
    start = _whole(body, min(max(start, 0), len(body)))
    end = max(_whole(body, min(max(end, start), len(body))), start)
    left, right = _whole(body, max(start - AROUND, 0)), _whole(body, min(end + AROUND, len(body)))
    before, after = _shown(body[left:start]), _shown(body[end:right])
    cut = left > 0 or len(before) > AROUND
    before = "…" * cut + before[-AROUND:]
    cut = right < len(body) or len(after) > AROUND
    after = after[:AROUND] + "…" * cut
    return Marked(before, _middle(body[start:end]), after)


def _middle(span: bytes) -> str:
    """Show a span, or of a long one the beginning and the end."""
    half = LONGEST // 2
    if len(span) <= LONGEST * 4:
        hit = _shown(span)
        return hit if len(hit) <= LONGEST else f"{hit[:half]}…{hit[-half:]}"
    head, tail = _shown(span[: LONGEST * 2]), _shown(span[_whole(span, len(span) - LONGEST * 2) :])
    return f"{head[:half]}…{tail[-half:]}"


def _shown(data: bytes) -> str:
    """Show bytes on one line."""
    return one_line(data.decode("utf-8", "replace").replace("\r", "\\r"), 4 * len(data) + 1)


def _whole(body: bytes, place: int) -> int:
    """Move a place back to the first byte of the character that it stands in, at most the three bytes there can be."""
    for back in range(4):
        spot = place - back
        if spot <= 0 or spot >= len(body) or body[spot] & _CONTINUES != _CONTINUATION:
            return max(spot, 0)
    return place
