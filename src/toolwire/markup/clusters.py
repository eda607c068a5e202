"""Which marks of a text belong together: those around a call, and those of one enumeration.

Knows: places of marks and calls, what may stand between two of them.
Must not know: what a mark proves, families.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolwire.markup.model import LeakedCall, Mark

__all__ = ["call_blocks", "enumerations"]

_ENUMERATED = re.compile(r"[ \t]*(?:[,;/&]|\.\.\.|…|and\b|or\b|[和或与及、，と]|[ \t])+(?:[ \t]*(?:and|or)\b)?[ \t]*")


def enumerations(text: str, marks: list[Mark]) -> list[tuple[int, int]]:
    """Return for each mark where the enumeration that it stands in begins and ends: `<a>, <b> and <c>`."""
    groups: list[tuple[int, int]] = []
    first = 0
    for number in range(1, len(marks) + 1):
        if number < len(marks):
            gap_start, gap_end = marks[number - 1].end, marks[number].start
            if 0 < gap_end - gap_start <= _LONGEST_GAP and _ENUMERATED.fullmatch(text, gap_start, gap_end):
                continue
        group = (marks[first].start, marks[number - 1].end)
        groups += [group] * (number - first)
        first = number
    return groups


_LONGEST_GAP = 12
"""Characters between two markers of an enumeration: a comma, a word, an ellipsis."""


def call_blocks(text: str, marks: list[Mark], calls: list[LeakedCall]) -> list[tuple[int, int]]:
    """Return where each call's block of markup begins and ends: the call and the markers that touch it."""
    starts = [mark.start for mark in marks]
    blocks: list[tuple[int, int]] = []
    floor = 0
    for place, call in enumerate(calls):
        start, end = call.start, call.end
        ceiling = calls[place + 1].start if place + 1 < len(calls) else len(text)
        number = bisect_left(starts, start) - 1
        while number >= 0 and marks[number].start >= floor and not text[marks[number].end : start].strip():
            start = marks[number].start
            number -= 1
        number = bisect_left(starts, end)
        while number < len(marks) and marks[number].end <= ceiling and not text[end : marks[number].start].strip():
            end = marks[number].end
            number += 1
        blocks.append((start, end))
        floor = end
    return blocks
