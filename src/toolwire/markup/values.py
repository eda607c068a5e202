"""Markup inside the values of arguments, and tags that belong to no answer.

A value may hold any text, also text about markup. What counts is debris: a closing marker without its opener where a
parser cut in the wrong place, a marker at the very beginning or end, the next argument folded into this one.

Knows: which marks in a value, or outside calls, are no part of the text that was meant.
Must not know: events, exchanges, rules.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolwire.markup.context import Asked, Code, asked_about, code_spans, is_mentioned, is_quoted
from toolwire.markup.finding import cut_marker, is_supported, whole_markers
from toolwire.markup.lexicon import Lexicon, reasoning_lexicon, turn_lexicon
from toolwire.markup.model import EMPTY, Excuse, Mark, Scan, Strength
from toolwire.markup.offered import Offered

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["reasoning_marks", "scan_value", "turn_marks"]

_CODELESS = Code((), (), ())
_MAX_MARKS = 2_000
"""Tags that are kept of one text."""


def scan_value(text: str, *, tools: Mapping[str, Collection[str]], prompt: str = "") -> Scan:
    """Look for debris of markup in one string of a call's arguments; no calls are read out of it."""
    if not ("<" in text or "[" in text or "\uff5c" in text or ":plamo" in text):
        return EMPTY
    offered = Offered(tools)
    marks = whole_markers(text)
    cut = cut_marker(text)
    if cut is not None:
        # a cut closing tag may begin with a shorter marker
        marks = [mark for mark in marks if mark.end <= cut.start]
        marks.append(cut)
    if not marks:
        return EMPTY
    code = code_spans(text) if "`" in text else _CODELESS
    asked = asked_about(prompt)
    value = _Value(
        text=text,
        start=len(text) - len(text.lstrip()),
        end=len(text.rstrip()),
        offered=offered,
        code=code,
        opened={mark.text for mark in marks if not mark.text.startswith("</")},
        closed={mark.text for mark in marks if mark.text.startswith("</")},
        openers={},
    )
    leaks: list[Mark] = []
    excused: list[Mark] = []
    for number, mark in enumerate(marks):
        following = marks[number + 1] if number + 1 < len(marks) else None
        previous = marks[number - 1] if number else None
        excuse = _excuse_in_value(value, mark, previous, following)
        if excuse is None and mark.text in prompt:
            excuse = Excuse.PROMPT
        if excuse is None and asked is not Asked.NOTHING:
            excuse = Excuse.REQUESTED
        if excuse is None:
            leaks.append(mark)
        else:
            excused.append(replace(mark, excuse=excuse))
    owners = dict.fromkeys(family_id for mark in leaks for family_id in mark.families)
    shared = [name for name in owners if all(name in mark.families for mark in leaks)]
    return Scan(tuple(leaks), (), tuple(shared or owners), tuple(excused))


@dataclass(frozen=True, slots=True)
class _Value:
    """A value under scan."""

    text: str
    start: int
    """Where it begins behind white space."""
    end: int
    offered: Offered
    code: Code
    opened: set[str]
    """Its markers that close nothing."""
    closed: set[str]
    openers: dict[str, int]


def _excuse_in_value(value: _Value, mark: Mark, previous: Mark | None, following: Mark | None) -> Excuse | None:
    text = value.text
    if value.code.holds(mark.start):
        return Excuse.CODE
    if is_quoted(text, mark.start, mark.end):
        return Excuse.QUOTED
    if is_mentioned(text, mark.start, mark.end):
        return Excuse.MENTIONED
    if mark.strength is Strength.CONTEXTUAL and not is_supported(text, mark, value.offered, value.openers):
        return Excuse.UNSUPPORTED
    at_end, at_start = mark.end >= value.end, mark.start <= value.start
    if mark.strength is Strength.PARTIAL:
        closes = mark.text.startswith("</") or (mark.text.startswith("<|") and len(mark.text) > _CUT_IN_VALUE)
        return None if closes or '"' in mark.text else Excuse.UNSUPPORTED
    if mark.text.startswith("</") or mark.strength is Strength.STRAY_CLOSE:
        if _has_opener(mark.text, value.opened):
            return Excuse.BALANCED
        return None if at_end or at_start or _touches(text, mark, previous, following) else Excuse.UNSUPPORTED
    if mark.text == "<parameter=":
        # the next argument, folded into this one
        return None if is_supported(text, mark, value.offered, value.openers) else Excuse.UNSUPPORTED
    if mark.strength is Strength.CONTEXTUAL:
        return Excuse.UNSUPPORTED
    # an opener in a value is text unless the value is cut out around it
    cut_out = (at_end or at_start) and len(value.opened) == 1
    return None if cut_out and "</" + mark.text[1:] not in value.closed else Excuse.BALANCED


def _touches(text: str, mark: Mark, previous: Mark | None, following: Mark | None) -> bool:
    """Whether another marker stands right beside a mark."""
    return (following is not None and not text[mark.end : following.start].strip()) or (
        previous is not None and not text[previous.end : mark.start].strip()
    )


_CUT_IN_VALUE = 6
"""Characters that a cut token needs in a value, where a bar after `<` may be meant."""


def _has_opener(closer: str, opened: set[str]) -> bool:
    """Whether an opening marker of the same element stands in the value."""
    stem = closer[2:].rstrip('>="')
    return any(opener[1:].startswith(stem) for opener in opened)


def reasoning_marks(text: str, *, prompt: str = "") -> tuple[Mark, ...]:
    """Return tags around reasoning; those in code, quoted, mentioned or from the prompt are left out."""
    if "<" not in text and "[" not in text and "◁" not in text:
        return ()
    return _plain_marks(text, reasoning_lexicon(), Strength.REASONING, prompt)


def turn_marks(text: str, *, prompt: str = "") -> tuple[Mark, ...]:
    """Return tokens that end a turn; those in code, quoted, mentioned or from the prompt are left out."""
    if "<" not in text:
        return ()
    found = _plain_marks(text, turn_lexicon(), Strength.TURN, prompt)
    end = len(text.rstrip())
    if not found and text.endswith("</s>", 0, end) and "<s>" not in text and "</s>" not in prompt:
        return (Mark(end - 4, end, "</s>", Strength.TURN),)
    return found


def _plain_marks(text: str, known: Lexicon, strength: Strength, prompt: str) -> tuple[Mark, ...]:
    code: Code | None = None
    marks: list[Mark] = []
    for match in known.pattern.finditer(text):
        if code is None:
            code = code_spans(text) if "`" in text or "~~~" in text else _CODELESS
        start, end = match.span()
        if code.holds(start) or match[0] in prompt or is_quoted(text, start, end) or is_mentioned(text, start, end):
            continue
        marks.append(Mark(start, end, match[0], strength, known.literals[match[0]].families))
        if len(marks) >= _MAX_MARKS:
            break
    if marks and asked_about(prompt) is not Asked.NOTHING:
        return ()
    return tuple(marks)
