"""Finds everything in a text that looks like markup; what it is worth is judged elsewhere.

Knows: whole markers, markers with a missing end, tags of the shape of markup, which contextual markers are supported.
Must not know: excuses, prompts, families' rank.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolwire.markup.bare import names_pattern
from toolwire.markup.lexicon import lexicon
from toolwire.markup.model import Mark, Strength
from toolwire.markup.parse_json import json_sequence

if TYPE_CHECKING:
    from toolwire.markup.offered import Offered

__all__ = [
    "MAX_MARKS",
    "beheaded_by",
    "cut_marker",
    "incomplete_markers",
    "is_supported",
    "unknown_dialects",
    "whole_markers",
]

MAX_MARKS = 20_000
"""Marks that are kept of one text; more prove nothing more, and it bounds the memory of a scan."""

_NEAR = 200
"""Characters behind a marker in which a declared name makes it a leak (formats, false-positive rule 2)."""
_LONGEST_MARKER = 60
_QUOTED_NAME = re.compile(r"""[^"'<>\n]{0,128}""")
_TAG_STARTS = ("<", "[", "]", "-", ":")


def whole_markers(text: str) -> list[Mark]:
    """Return all whole markers; closing ones without an opener of their families before them are stray."""
    known = lexicon()
    marks: list[Mark] = []
    opened: set[str] = set()
    for match in known.pattern.finditer(text):
        marker = known.marker(match)
        strength = marker.strength
        if not marker.closing:
            opened.update(marker.families)
        elif strength is Strength.STRONG and opened.isdisjoint(marker.families):
            strength = Strength.STRAY_CLOSE
        marks.append(Mark(match.start(), match.end(), match[0], strength, marker.families))
        if len(marks) >= MAX_MARKS:
            break
    return marks


def cut_marker(text: str) -> Mark | None:
    """Find a strong marker that the end of the text cut off."""
    end = len(text.rstrip())
    known = lexicon()
    found: Mark | None = None
    for place in range(max(0, end - _LONGEST_MARKER), end):
        if text[place] not in "<[]\uff5c":
            continue
        families = known.beginning(text[place:end])
        if families:
            found = Mark(place, end, text[place:end], Strength.PARTIAL, families)
            break
    if found is None:
        return None
    before = text[: found.start].rstrip(" ")[-1:]
    in_sentence = found.start > 0 and text[found.start - 1] in " \t" and (before.isalnum() or before in ",;'\"(")
    return None if in_sentence else found


def incomplete_markers(text: str, offered: Offered) -> list[Mark]:
    """Find strong markers without their first character (at the beginning of a line) or their last one."""
    known = lexicon()
    marks: list[Mark] = []
    # the added line feed stands for the beginning of the text
    for match in known.beheaded.finditer("\n" + text):
        start, end = match.start(1) - 1, match.end(1) - 1
        whole = known.headless[match[1]]
        named = whole.endswith(("=", '"'))
        follows = _follows(text, end, offered) if not named else _names(text, end, offered, cut=False)
        if follows:
            marks.append(Mark(start, end, match[1], Strength.PARTIAL, known.literals[whole].families))
    for match in known.unended.finditer(text):
        marker = known.literals[known.endless[match[1]]]
        marks.append(Mark(match.start(1), match.end(1), match[1], Strength.PARTIAL, marker.families))
    marks.sort(key=lambda mark: mark.start)
    return marks[:MAX_MARKS]


def beheaded_by(piece: str) -> str:
    """Return the first characters that an incomplete marker lacks; empty where it is whole."""
    whole = lexicon().headless.get(piece, "")
    return whole[: len(whole) - len(piece)]


_GAP = re.compile(r"\s*")


def _follows(text: str, place: int, offered: Offered) -> bool:
    """Whether JSON, another tag, a declared name or the end follows, as behind a whole marker."""
    start = _behind_gap(text, place)
    if start >= len(text) or text[start] in "{[<":
        return True
    return names_pattern(offered).match(text, start) is not None


def _names(text: str, place: int, offered: Offered, *, cut: bool = True) -> bool:
    """Whether a declared name or argument key stands at `place`, or the beginning of one where the text was cut off."""
    found = _QUOTED_NAME.match(text, place)
    token = found[0].strip() if found is not None else ""
    if offered.declares(token) or offered.is_key(token):
        return True
    if not cut or found is None or found.end() < len(text.rstrip()):
        return False
    known = [*offered.tools, *(key for keys in offered.tools.values() for key in keys)]
    return any(name.startswith(token) for name in known)


_TOOL_TAG_REST = re.compile(r"[\w.-]{0,30}>?\s*[\w.-]{0,64}\s*\Z")


def is_supported(text: str, mark: Mark, offered: Offered, openers: dict[str, int]) -> bool:
    """Whether a contextual marker has a declared name or key beside it, as its form wants it.

    `openers` remembers where the opening tags of a text are; give the same dictionary for the same text.
    """
    literal = mark.text
    if literal.startswith("</"):
        return _is_stray_debris(text, mark, openers)
    if literal.endswith(('"', "=")):
        return _names(text, mark.end, offered)
    names = names_pattern(offered)
    if literal == ">>>":
        name = names.match(text, mark.end)
        return name is not None and text[name.end() : name.end() + 1] == "\n"
    near = names.search(text, mark.end, mark.end + _NEAR)
    if near is not None:
        return True
    return literal == "<tool: " and _TOOL_TAG_REST.match(text, mark.end) is not None


def _is_stray_debris(text: str, mark: Mark, openers: dict[str, int]) -> bool:
    """Whether a closing tag has no opener in the text, and stands at its end or among other tags."""
    opener = openers.get(mark.text)
    if opener is None:
        opener = openers[mark.text] = text.find("<" + mark.text[2:-1])
    if 0 <= opener < mark.start:
        return False
    after = text[mark.end : mark.end + _NEAR].lstrip()
    before = text[max(0, mark.start - _NEAR) : mark.start].rstrip()
    return not after or after.startswith("</") or (before.endswith(">") and "</" in before)


_TAG = re.compile(r"<([^\s<>]{3,80})(?:\s[^<>\n]{0,120})?>")
_BRACKET = re.compile(r"\[([A-Z][A-Z_ ]{2,40})\]")
_SPACED_TAG = re.compile(r"<[ ]([^\s<>]{3,80})[ ]>")
_ESCAPED_TAG = re.compile(r"&lt;([^\s<>&]{3,80})&gt;")
"""A tag that something on the way wrote as text of a web page."""
_TAG_NAME = re.compile(r"(?:[A-Za-z0-9_.-]{1,30}:)?(?:[a-z0-9_:.|\uff5c▁-]+|[A-Z0-9_:.|\uff5c▁-]+)")
"""Markup writes its tags in one case, behind a name space if any; components of user interfaces do not."""
_MARKUP_WORDS = re.compile(r"tool|function|invoke", re.IGNORECASE)
_CALL_WORDS = re.compile(r"call|use|begin|start|invoke|sep", re.IGNORECASE)
_BARS = ("<|", "<\uff5c")


def unknown_dialects(text: str, offered: Offered) -> list[Mark]:
    """Find tags of the shapes `<…tool…call…>` and `<|…|>` that no family has, right before or around a call.

    The same words in brackets (`[TOOL_CALL_START]`), tags with spaces inside and tags whose signs were escaped need a
    whole JSON call to a declared tool behind them.
    """
    marks = [
        Mark(match.start(), match.end(), match[0], Strength.UNKNOWN_DIALECT)
        for match in _TAG.finditer(text)
        if _opens_call(text, match, offered)
    ]
    for pattern in (_BRACKET, _SPACED_TAG, _ESCAPED_TAG):
        marks += [
            Mark(match.start(), match.end(), match[0], Strength.UNKNOWN_DIALECT)
            for match in pattern.finditer(text)
            if _is_worded(match[1]) and _declared_call_follows(text, match.end(), offered)
        ]
    marks.sort(key=lambda mark: mark.start)
    return marks[:MAX_MARKS]


def _is_worded(name: str) -> bool:
    """Whether a tag's name speaks of calls to tools."""
    return _MARKUP_WORDS.search(name) is not None and _CALL_WORDS.search(name) is not None


def _opens_call(text: str, match: re.Match[str], offered: Offered) -> bool:
    """Whether a tag that no family has looks like markup and stands before or around a call."""
    tag = match[0]
    barred = tag.startswith(_BARS) and tag[-2] in "|\uff5c"
    worded = _is_worded(match[1]) and _TAG_NAME.fullmatch(match[1]) is not None
    if not (barred or worded) or tag in lexicon().literals or match[1].startswith("/"):
        return False
    end = match.end()
    start = _behind_gap(text, end)
    names = names_pattern(offered)
    if text[start : start + 1] in {"{", "["}:
        if worded and names.search(text, match.end(1), end) is not None:
            return True
        calls, _ = json_sequence(text, start, len(text), offered)
        return bool(calls) and (calls[0].declared or worded)
    if worded:
        return names.search(text, match.end(1), end + _NEAR) is not None
    return names.match(text, start) is not None


def _declared_call_follows(text: str, place: int, offered: Offered) -> bool:
    """Whether a JSON call to a declared tool stands at `place`, and is whole."""
    start = _behind_gap(text, place)
    if text[start : start + 1] not in {"{", "["}:
        return False
    calls, _ = json_sequence(text, start, len(text), offered)
    return bool(calls) and calls[0].declared and calls[0].complete


def _behind_gap(text: str, place: int) -> int:
    """Return the place behind the white space at `place`."""
    gap = _GAP.match(text, place)
    return gap.end() if gap is not None else place
