"""What went wrong with a text that should be the arguments of a call.

A text that does not parse tells, by its shape, what a parser or a joiner did to it: cut it, doubled it, sent it again,
left markup in it. The shape is what an engine's author needs to find the place.

Knows: JSON's shapes and what debris looks like. Must not know: rules, protocols.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from toolwire.jsontext import Json, equal, prefix_state, read_documents, read_json

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Malformation", "Shape", "explain", "resent_at"]

TAIL = 80
"""Characters at the end of a text in which markup is looked for that ended it."""

TRIES = 32
"""Fragments that are tried as the beginning of a second copy; a text that is sent again is so at its first ones."""

_TAG = re.compile(r"</?[A-Za-z_｜|:][^<>\n]{0,60}>?|\[/?[A-Z_]{3,}\]|<[|｜][^<>\n]{0,60}[|｜]?>?")
_CALL_TAG = re.compile(r"</?(?:｜DSML｜)?(?:parameter|function|tool|arg|invoke|param)[^<>\n]{0,40}>?", re.IGNORECASE)
_PYTHON = re.compile(r"""[{,\[:]\s*(?:'[^'"\n]{0,200}'\s*[:,}\]]|(?:True|False|None)\s*[,}\]])""")
_WORD = re.compile(r"[A-Za-z_][\w.-]*")
_KEY_TAIL = re.compile(r'^[^{"\\]*"\s*[:,}\]]')


class Shape(StrEnum):
    """How a text departs from one JSON object."""

    EMPTY = "empty"
    CUT = "cut"
    """It stops too early."""
    LATE = "late"
    """Its beginning is missing."""
    DOUBLED = "doubled"
    """The same object stands there twice."""
    RESENT = "re-sent"
    """What was sent already was sent again."""
    SECOND = "second"
    """Another object follows: most often that of another call."""
    DEBRIS = "debris"
    """Markup or a control token stands in it or behind it."""
    TRAILING = "trailing"
    """Other text follows."""
    LEADING = "leading"
    """Other text comes first."""
    PYTHON = "python"
    """It is a Python literal."""
    BARE = "bare"
    """A word stands without quotes where a value or a key belongs."""
    CONTROL = "control"
    """A string holds a raw control character."""
    NOT_A_NUMBER = "not-a-number"
    """It holds NaN or Infinity."""
    BROKEN = "broken"
    """It goes wrong inside."""


@dataclass(frozen=True, slots=True)
class Malformation:
    """What happened, in words that fit behind "the arguments"; `offset` is where it shows."""

    shape: Shape
    words: str
    offset: int


def explain(text: str, fragments: Sequence[str]) -> Malformation:
    """Say what is wrong with a text that is not exactly one JSON value; `fragments` are the parts it came in."""
    if not text.strip():
        return Malformation(Shape.EMPTY, "are empty", 0)
    again = resent_at(fragments)
    if again is not None:
        return Malformation(Shape.RESENT, "were sent again from the beginning", again)
    documents = read_documents(text)
    if documents and isinstance(documents[0].value, dict):
        found = _after_a_document(text, [document.value for document in documents], documents[0].end)
        if found is not None:
            return found
    prefix = prefix_state(text)
    if prefix.cut:
        tags = list(_CALL_TAG.finditer(text, max(0, len(text) - TAIL)))
        if tags and not text[tags[-1].end() :].strip('":,[] \n'):
            return Malformation(Shape.CUT, f"stop too early, behind markup: {tags[-1].group()!r}", len(text))
        missing = f", {prefix.closing!r} is missing" if prefix.closing else ""
        return Malformation(Shape.CUT, f"stop too early{missing}", len(text))
    return _inside(text)


def resent_at(fragments: Sequence[str]) -> int | None:
    """Return the offset at which a whole object begins that repeats what came before it; None where none does.

    The copy begins with a fragment; what came before it is the beginning of the same object (cumulative sending).
    A copy of the whole object counts too.
    """
    if len(fragments) < 2:  # noqa: PLR2004 - with one fragment nothing can have been sent again
        return None
    steps = [fragment for fragment in fragments if fragment]
    grows = len(steps) > 1 and steps[0].lstrip().startswith("{")
    if grows and all(later.startswith(earlier) for earlier, later in pairwise(steps)):
        return len(steps[0])
    text = "".join(fragments)
    place = 0
    tried = 0
    for fragment in fragments:
        begins = fragment.lstrip().startswith(("{", '"{'))
        if place and begins and text[:place].strip():
            tried += 1
            if tried > TRIES:
                return None
            if _repeats(text[:place], text[place:]):
                return place
        place += len(fragment)
    return None


def _repeats(before: str, after: str) -> bool:
    """Whether `after` begins with a whole object that `before` is a beginning, or another spelling, of."""
    documents = read_documents(after)
    if not documents:
        return False
    value, copy = documents[0].value, after[: documents[0].end].strip()
    if isinstance(value, str):  # encoded once more
        copy = value
        value = read_json(value).value
    if not isinstance(value, dict) or not value:
        return False
    head = before.strip()
    if copy.startswith(head):
        return True
    whole = read_json(head)
    return whole.ok and equal(whole.value, value)


def _after_a_document(text: str, values: list[Json], end: int) -> Malformation | None:
    """Say what follows a whole object."""
    rest = text[end:].strip()
    if not rest:
        return None
    if len(values) > 1:
        if equal(values[0], values[1]):
            return Malformation(Shape.DOUBLED, "hold the same object twice", end)
        if isinstance(values[1], str) and equal(read_json(values[1]).value, values[0]):
            return Malformation(Shape.DOUBLED, "hold the object again, encoded as a string", end)
        if isinstance(values[1], dict):
            return Malformation(Shape.SECOND, f"hold a second object: {rest[:60]!r}", end)
    if _TAG.match(rest.lstrip("}] \t\r\n")):
        return Malformation(Shape.DEBRIS, f"end with markup or a control token: {rest[:60]!r}", end)
    if set(rest) <= set("}] \t\r\n"):
        return Malformation(Shape.TRAILING, f"close more than they opened: {rest[:20]!r}", end)
    if "{" in rest:
        return Malformation(Shape.SECOND, f"hold what seems to be another call: {rest[:60]!r}", end)
    return Malformation(Shape.TRAILING, f"have text behind the object: {rest[:60]!r}", end)


def _inside(text: str) -> Malformation:
    """Say where a text goes wrong that neither stops too early nor has a whole object first."""
    reading = read_json(text)
    problem = reading.problems[0] if reading.problems else None
    offset = problem.offset if problem else 0
    if text[offset : offset + 1] == "{" and text[:offset].strip() and _repeats(text[:offset], text[offset:]):
        return Malformation(Shape.RESENT, "were sent again from the beginning", offset)
    if any(found.start() <= offset <= found.end() for found in _PYTHON.finditer(text)):
        return Malformation(Shape.PYTHON, "are a Python literal, not JSON", offset)
    head = text.lstrip()
    if problem is not None and problem.issue == "control-character":
        return Malformation(Shape.CONTROL, "hold a raw control character in a string", offset)
    if problem is not None and problem.issue == "nan":
        return Malformation(Shape.NOT_A_NUMBER, f"hold {problem.detail}, which JSON does not know", offset)
    tag = _TAG.search(text)
    if head.startswith("```"):
        return Malformation(Shape.LEADING, "stand in a code fence", 0)
    if not head.startswith("{"):
        brace = head.find("{")
        if tag is not None and (brace < 0 or tag.start() <= brace + len(text) - len(head)):
            return Malformation(Shape.DEBRIS, f"begin with markup: {head[:60]!r}", 0)
        if brace > 0 and read_json(head[brace:]).ok and not _KEY_TAIL.match(head):
            return Malformation(Shape.LEADING, f"have text before the object: {head[:brace][:60]!r}", 0)
        if head.rstrip().endswith(("}", "]", '"')):
            return Malformation(Shape.LATE, f"lack their beginning: {head[:60]!r}", 0)
    if tag is not None and tag.group().strip("<>/|[]｜") and offset >= tag.start() - 1:
        return Malformation(Shape.DEBRIS, f"hold markup: {tag.group()[:60]!r}", tag.start())
    word = _WORD.match(text, offset)
    if word is not None and text[:offset].rstrip().endswith((":", ",", "[", "{")):
        return Malformation(Shape.BARE, f"hold a word without quotes: {word.group()[:60]!r}", offset)
    around = text[max(0, offset - 20) : offset + 30]
    return Malformation(Shape.BROKEN, f"are not JSON near {around!r}", offset)
