"""All markers of all families as one regular expression, built on first use.

A literal that begins with another one wins over it, so `<|close|>call<|sep|>` is one mark and not three.

Knows: which literal belongs to which families, and what it proves.
Must not know: texts' meaning, excuses, calls.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from toolwire.markup.families import FamilyMarkers, family_markers
from toolwire.markup.model import Strength

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Lexicon", "Marker", "alternation", "family", "lexicon", "reasoning_lexicon", "turn_lexicon"]

_SHORTEST_CUT = 5
"""Characters that a marker cut off by the end of the text must still have: `<tool`, `[TOOL`."""
_SHORTEST_RARE_CUT = 3
"""The same for beginnings that hardly any text has."""
_RARE = re.compile('[\uff5c\\]◁]|<\\|[a-z"/]')
_SHORTEST_BEHEADED = 6
"""Characters that a marker without its first one must have, to be told from ordinary words."""


@dataclass(frozen=True, slots=True)
class Marker:
    """One literal or pattern."""

    strength: Strength
    families: tuple[str, ...]
    closing: bool


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Markers, and how to find them."""

    pattern: re.Pattern[str]
    """Finds every marker. Each alternative begins with a literal character, which lets the engine skip other text."""
    literals: dict[str, Marker]
    patterns: tuple[tuple[re.Pattern[str], Marker], ...]
    ordered: tuple[str, ...]
    """All strong literals in order, to look up beginnings."""
    beheaded: re.Pattern[str]
    """Finds strong markers at the beginning of a line whose first character is missing."""
    headless: dict[str, str]
    """From a marker without its first character, or without `<|`, to the whole one."""
    unended: re.Pattern[str]
    """Finds strong markers whose last character is missing."""
    endless: dict[str, str]
    """From a marker without its last character to the whole one."""

    def marker(self, match: re.Match[str]) -> Marker:
        """Return the marker that `pattern` found."""
        found = self.literals.get(match[0])
        if found is None or found.strength is not Strength.STRONG:
            for pattern, marker in self.patterns:
                again = pattern.match(match.string, match.start())
                if again is not None and again.end() == match.end():
                    return marker
        return found or Marker(Strength.WEAK, (), closing=False)

    def beginning(self, tail: str) -> tuple[str, ...]:
        """Return the families with a strong marker of which `tail` is a beginning; empty where it is too short."""
        shortest = _SHORTEST_RARE_CUT if _RARE.match(tail) else _SHORTEST_CUT
        if len(tail) < shortest:
            return ()
        found: dict[str, None] = {}
        place = bisect_left(self.ordered, tail)
        while place < len(self.ordered) and self.ordered[place].startswith(tail):
            if self.ordered[place] != tail:
                found.update(dict.fromkeys(self.literals[self.ordered[place]].families))
            place += 1
        return tuple(found)


_Tree: TypeAlias = "dict[str, _Tree]"
"""Characters that may follow each other; the empty one stands for the end of a literal."""


def alternation(literals: Iterable[str]) -> str:
    """Return a regular expression for any of the literals, the longest first, whose beginnings are shared."""
    tree: _Tree = {}
    for literal in sorted(literals):
        node = tree
        for character in literal:
            node = node.setdefault(character, {})
        node[""] = {}
    return _branch(tree)


def _branch(tree: _Tree) -> str:
    ends = "" in tree
    parts = [re.escape(key) + _branch(child) for key, child in tree.items() if key]
    if not parts:
        return ""
    body = parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"
    return f"(?:{body})?" if ends else body


_RANK = (Strength.STRONG, Strength.FRAME, Strength.CONTEXTUAL)


class _Builder:
    """Collects literals of the families."""

    def __init__(self) -> None:
        self.literals: dict[str, tuple[Strength, list[str], bool]] = {}

    def add(self, literal: str, strength: Strength, family_id: str, *, closing: bool) -> None:
        known = self.literals.get(literal)
        if known is None:
            self.literals[literal] = (strength, [family_id], closing)
            return
        best = min(known[0], strength, key=_RANK.index)
        owners = known[1] if family_id in known[1] else [*known[1], family_id]
        self.literals[literal] = (best, owners, known[2] or closing)


@cache
def lexicon() -> Lexicon:
    """Build the lexicon of call markup."""
    builder = _Builder()
    patterns: dict[str, list[str]] = {}
    for entry in family_markers():
        for literal in entry.strong:
            builder.add(literal, Strength.STRONG, entry.id, closing=False)
        for literal in entry.closing:
            builder.add(literal, Strength.STRONG, entry.id, closing=True)
        for literal in entry.frame:
            builder.add(literal, Strength.FRAME, entry.id, closing=False)
        for literal in entry.contextual:
            builder.add(literal, Strength.CONTEXTUAL, entry.id, closing=literal.startswith("</"))
        for pattern in entry.patterns:
            patterns.setdefault(pattern, []).append(entry.id)
    literals = {
        literal: Marker(strength, tuple(owners), closing)
        for literal, (strength, owners, closing) in builder.literals.items()
    }
    strong = sorted(literal for literal, marker in literals.items() if marker.strength is Strength.STRONG)
    headless = {literal[1:]: literal for literal in strong if len(literal) > _SHORTEST_BEHEADED and literal[0] in "<["}
    for literal in strong:
        if len(literal) > _SHORTEST_BEHEADED + 1 and literal.startswith(("<|", "<\uff5c")):
            headless.setdefault(literal[2:], literal)
    endless = {literal[:-1]: literal for literal in headless.values() if literal[-1] in ">]"}
    return Lexicon(
        # patterns first: a suffixed tag would else be found as the plain one that it begins with
        pattern=re.compile("|".join([*patterns, _top(literals)])),
        literals=literals,
        patterns=tuple(
            (re.compile(pattern), Marker(Strength.STRONG, tuple(owners), pattern.startswith("</")))
            for pattern, owners in patterns.items()
        ),
        ordered=tuple(strong),
        beheaded=re.compile(rf"\n[ \t]*({_top(headless)})"),
        headless=headless,
        unended=re.compile(rf"({_top(endless)})(?=\s*[{{\[<]|\s*\Z)"),
        endless=endless,
    )


def _top(literals: Iterable[str]) -> str:
    body = alternation(literals)
    return body[3:-1] if body.startswith("(?:") and body.endswith(")") else body


def _plain(literals: dict[str, list[str]], strength: Strength) -> Lexicon:
    return Lexicon(
        pattern=re.compile(_top(literals)),
        literals={literal: Marker(strength, tuple(owners), closing=False) for literal, owners in literals.items()},
        patterns=(),
        ordered=tuple(sorted(literals)),
        beheaded=re.compile(r"(?!)"),
        headless={},
        unended=re.compile(r"(?!)"),
        endless={},
    )


_OLD_REASONING = ("◁think▷", "◁/think▷")
"""Kimi's first reasoning tags, which no family of today has (SGLang's `kimi` reasoning parser reads them)."""
_BEFORE_TEXT = frozenset("<[◁")
_NOT_REASONING = frozenset({"<|end|>", "<|im_end|>", "<|eom|>", "<|end_message|>"})
"""Tokens that end reasoning and everything else too."""


@cache
def reasoning_lexicon() -> Lexicon:
    """Build the lexicon of tags around reasoning."""
    literals: dict[str, list[str]] = {literal: [] for literal in _OLD_REASONING}
    for entry in family_markers():
        for literal in (*entry.reasoning_open, *entry.reasoning_close):
            if literal[0] in _BEFORE_TEXT and literal not in _NOT_REASONING:
                literals.setdefault(literal, []).append(entry.id)
    return _plain(literals, Strength.REASONING)


_TURNS = ("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|return|>", "<turn|>", "<|end_of_text|>")
"""Tokens that end a turn in many models' templates, whatever their tool-call markup is."""


@cache
def turn_lexicon() -> Lexicon:
    """Build the lexicon of tokens that end a turn."""
    literals: dict[str, list[str]] = {literal: [] for literal in _TURNS}
    for entry in family_markers():
        for literal in entry.turn:
            literals.setdefault(literal, []).append(entry.id)
    return _plain(literals, Strength.TURN)


@cache
def _by_id() -> dict[str, FamilyMarkers]:
    return {entry.id: entry for entry in family_markers()}


def family(family_id: str) -> FamilyMarkers:
    """Return what the scanner needs of one family."""
    return _by_id()[family_id]
