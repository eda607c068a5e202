"""What stands around a mark: code, quotation marks, prose about markup, and what the prompt asked for.

False alarms are worse than misses, so everything here looks for a reason why a mark is no leak.

Knows: Markdown's code, English prose about tags.
Must not know: families, calls.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

__all__ = ["Asked", "Code", "asked_about", "code_spans", "is_mentioned", "is_quoted", "is_told"]

_FENCE = re.compile(r"^[ \t>*+\-\d.)]{0,20}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_TICKS = re.compile(r"`+")
_FENCE_LINE = re.compile(r"`{3,}[^`\n]*(?:\n|\Z)")
_BLANK = re.compile(r"\n(?:[ \t]*\n|`{3}[^`\n]*<)")
"""What no span of code reaches over: the end of its paragraph, or the end of a fence that a tag follows."""
_NEAR = 80
"""Characters of a line that are looked at on each side of a mark."""

_QUOTES = {
    '"': '"',
    "'": "'",
    "“": "”",
    "\u2018": "\u2019",
    "«": "»",
    "`": "`",
    "|": "|",
    "(": ")",
    "„": "“",
    "「": "」",
}
_BEFORE_QUOTE = frozenset(" \t\n([{,;:—\u2013-/|*_")
_NOUN = (
    r"(?:tags?|tokens?|markers?|markup|blocks?|elements?|sections?|formats?|syntax|delimiters?|strings?|wrappers?|"
    r"sequences?|sentinels?|symbols?|pairs?|openers?|closers?|lines?|literals?)\b"
)
_VERB = (
    r"(?:is|are|was|were|means?|meant|opens?|closes?|starts?|begins?|ends?|indicates?|denotes?|marks?|appears?|"
    r"comes?|goes|stands|signals?|tells?|separates?|wraps?|surrounds?|introduces?|and|or|then|instead|when|which|"
    r"that|followed|inside|around|itself|must|should|will|would|can|may|has|have|does|did|leaks?|leaked|vs)\b"
)
_DETERMINER = (
    r"(?:the|a|an|this|that|these|those|each|every|any|no|some|literal|raw|special|missing|stray|unclosed|closing|"
    r"opening|final|first|last|second|its|their|your|our|my|own|called|named|tags?|tokens?|markers?|strings?|"
    r"like|as|is|are|and|or|with|without|of|between|inside|within|via|using|by|from|to|after|before|than|"
    r"emits?|emitted|emitting|prints?|printed|writes?|wrote|written|contains?|mentions?|outputs?|uses?|used|sees?|"
    r"saw|says?|e\.g\.|i\.e\.)"
)
_AFTER_NOUN = re.compile(rf"[ \t]?(?:{_NOUN})", re.IGNORECASE)
_AFTER_VERB = re.compile(rf"[ \t](?:{_VERB})", re.IGNORECASE)
_BEFORE_DETERMINER = re.compile(rf"(?:^|[\s(])(?:{_DETERMINER})[ \t]$", re.IGNORECASE)
_BEFORE_NAMING = re.compile(
    r"(?:^|[\s(])(?:the|an?|this|that|is|are|called|named|tags?|tokens?|markers?|literal|like|as|say|says)[ \t]$",
    re.IGNORECASE,
)
_BEFORE_PROSE = re.compile(r"[a-z,;:]{2,}[ \t]$")
_AFTER_PROSE = re.compile(r"(?:[ \t][a-z]|[.,;:?!)](?:[ \t\n]|$))")
_LIST_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+$")
_AFTER_ITEM = re.compile(r"[ \t]*(?::|—|\u2013|-|=|→|->)[ \t]+[A-Za-z]")
_ONLY_SPACE = re.compile(r"^[ \t>*+\-\d.)]*$")

_EMPHASIS = re.compile(r"(?:\*{1,3}|_{1,3})$")
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_CJK_STOP = "\u3001\u3002\uff0c\uff1a\uff1b\uff01\uff1f"
_BEFORE_CJK = re.compile(rf"[{_CJK}\u3001\uff0c\uff1a][ \t]?$")
_AFTER_CJK = re.compile(rf"[ \t]?[{_CJK}{_CJK_STOP},.;:!?]")
"""A sentence in Chinese, Japanese or Korean that goes on behind the mark, in its line."""
_STRING_PREFIX = re.compile(r"(?:^|[\s([{,;:=])[rbfuRBFU]")
"""What stands before the quotation mark of a string literal in code, of the two characters there."""

_EXAMPLE = re.compile(
    r"(?:\b(?:for example|for instance|e\.g\.|examples?|format|syntax|looks?|like (?:this|so)|as follows|would|could|"
    r"shape|such as|something like|template|schema|in the form)\b)[^\n]{0,60}$",
    re.IGNORECASE,
)

_ABOUT_VERBS = (
    r"explain|describe|document|discuss|teach|illustrate|demonstrate|clarify|summari[sz]e|review|proofread|debug|"
    r"what (?:does|do|is|are)|how (?:does|do|is|are|can|should|would)|tell (?:me|us) (?:about|how)|"
    r"write (?:about|documentation|docs|a (?:guide|tutorial|parser|regex|test))|parse|detect|strip|escape"
)
_MARKUP = (
    r"(?:this|that|the|your|its|following|above|below|which) (?:[\w-]+ ){0,3}?(?:format|syntax|markup|dialect|"
    r"template|notation|tags?|tokens?|markers?)|markup|chat template|special tokens?|control tokens?|"
    r"(?:tool|function)[ _-]?call(?:s|ing)? (?:[\w-]+ ){0,2}?(?:formats?|syntax|markup|tags?|tokens?|templates?|"
    r"parsers?|blocks?|dialects?|look|looks|works?|written)|</?\w*(?:tool|function)\w*>|\[tool_calls\]|<\|\w+\|>"
)
_ABOUT = re.compile(
    rf"\b(?:{_ABOUT_VERBS})\b[^.?!\n]{{0,80}}?(?:{_MARKUP})|"
    r"\b(?:what|which) (?:[\w-]+ )?(?:markers?|tags?|tokens?|formats?|syntax|markup)\b",
    re.IGNORECASE,
)
_FOR_VERBS = r"show|give|write|provide|print|quote|repeat|echo|output|return|produce|generate|spell|copy|translate"
_CALL_TEXT = (
    r"(?:example|sample|demo|mock|fake|raw|literal|verbatim)s? (?:[\w-]+ ){0,4}?(?:tool|function)[ _-]?calls?|"
    r"(?:tool|function)[ _-]?calls? (?:[\w-]+ ){0,3}?(?:examples?|samples?|formats?|syntax|markup|as text|"
    r"as (?:plain )?text|in text|blocks?|templates?|verbatim|literally)|chat template|special tokens?|raw markup"
)
_FOR = re.compile(rf"\b(?:{_FOR_VERBS})\b[^.?!\n]{{0,60}}?(?:{_CALL_TEXT})", re.IGNORECASE)
_EXAMPLE_OF = re.compile(rf"\b(?:{_FOR_VERBS})\b[^.?!\n]{{0,30}}?\b(?:examples?|samples?)\b", re.IGNORECASE)
"""Where the prompt speaks of markup already, an example is one of markup."""
_VERBATIM = re.compile(
    r"\b(?:repeat|echo|quote|copy|print|say|output|write|return)\b[^.?!\n]{0,60}?"
    r"\b(?:verbatim|exactly|literally|word for word|as is|back)\b|\brepeat after me\b",
    re.IGNORECASE,
)


class Asked(Enum):
    """What the prompt wants with markup."""

    NOTHING = auto()
    ABOUT = auto()
    """Text about markup: prose with markup in it is an answer, markup alone is not."""
    FOR = auto()
    """Markup itself as text."""


@lru_cache(maxsize=8)
def asked_about(prompt: str) -> Asked:
    """Tell by its words whether a prompt asks to explain markup, or to write it as text."""
    if _FOR.search(prompt) is not None or _VERBATIM.search(prompt) is not None:
        return Asked.FOR
    if _ABOUT.search(prompt) is None:
        return Asked.NOTHING
    return Asked.FOR if _EXAMPLE_OF.search(prompt) is not None else Asked.ABOUT


@dataclass(frozen=True, slots=True)
class Code:
    """The stretches of a text that are code."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    fences: tuple[tuple[int, int, int, int, str], ...]
    """Fenced blocks: start, start of the inside, end of the inside, end, and the word behind the opening fence."""

    def holds(self, place: int) -> bool:
        """Whether the character at `place` is code."""
        found = bisect_right(self.starts, place) - 1
        return found >= 0 and place < self.ends[found]


def code_spans(text: str, markup: frozenset[int] = frozenset()) -> Code:
    """Find code: fences (one that is not closed reaches to the end) and spans between equal runs of back-ticks.

    `markup` are the places of fences that belong to a call's own form, and so are no code.
    """
    fences = _fences(text, markup)
    spans: list[tuple[int, int]] = []
    place = 0
    for start, _, _, end, _ in fences:
        spans += _inline(text, place, start)
        spans.append((start, end))
        place = end
    spans += _inline(text, place, len(text))
    return Code(tuple(start for start, _ in spans), tuple(end for _, end in spans), tuple(fences))


def _fences(text: str, markup: frozenset[int]) -> list[tuple[int, int, int, int, str]]:
    found: list[tuple[int, int, int, int, str]] = []
    if "```" not in text and "~~~" not in text:
        return found
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        ticks, word = line[1], line[2].strip()
        if opened is None:
            # an info string names a language; one with a tag in it is the rest of a call that holds a fence
            if "`" not in word and "<" not in word and line.start(1) not in markup:
                opened = line
        elif (
            (not word or _closes_json(text, opened, word)) and ticks[0] == opened[1][0] and len(ticks) >= len(opened[1])
        ):
            inside = min(opened.end() + 1, line.start())
            end = line.end(1) if word else line.end()
            found.append((opened.start(), inside, line.start(), end, opened[2].strip()))
            opened = None
    if opened is not None:
        inside = min(opened.end() + 1, len(text))
        found.append((opened.start(), inside, len(text), len(text), opened[2].strip()))
    return found


def _closes_json(text: str, opened: re.Match[str], word: str) -> bool:
    """Whether a line of back-ticks and a tag ends fenced arguments: no Markdown, but a call whose head is missing."""
    return word.startswith("<") and opened[2].strip() == "json" and text.startswith("{", opened.end() + 1)


def _inline(text: str, start: int, end: int) -> list[tuple[int, int]]:
    runs = [
        (match.start(), match.end())
        for match in _TICKS.finditer(text, start, end)
        # such a line bounds a fence whose other end is missing, and begins no span
        if _FENCE_LINE.match(text, match.start()) is None or text[max(0, match.start() - 1) : match.start()].strip("\n")
    ]
    if len(runs) < 2:  # noqa: PLR2004 - a pair
        return []
    following: dict[int, int] = {}
    partner: list[int] = [0] * len(runs)
    for number in range(len(runs) - 1, -1, -1):
        size = runs[number][1] - runs[number][0]
        partner[number] = following.get(size, -1)
        following[size] = number
    blanks = [match.start() for match in _BLANK.finditer(text, start, end)]
    spans: list[tuple[int, int]] = []
    number = 0
    while number < len(runs):
        other = partner[number]
        # a span ends with its paragraph
        if other < 0 or bisect_right(blanks, runs[number][1]) != bisect_right(blanks, runs[other][0]):
            number += 1
            continue
        spans.append((runs[number][0], runs[other][1]))
        number = other + 1
    return spans


def is_quoted(text: str, start: int, end: int) -> bool:
    """Whether quotation marks, parentheses or table bars stand around a mark."""
    before = text[start - 1 : start]
    closer = _QUOTES.get(before)
    if _ends_quoted_pair(text, start, end):
        return True
    if closer is None:
        padded = text[start - 2 : start] == "| "
        return padded and text[end : end + 2] == " |"
    if text[end : end + 1] == closer:
        return True
    lead = text[max(0, start - 3) : start - 1]
    opens_quote = not lead or lead[-1] in _BEFORE_QUOTE or _STRING_PREFIX.fullmatch(lead) is not None
    if not opens_quote or before == "|":
        return False
    if end >= len(text):
        return before == "`"
    line = text[end : end + _NEAR].split("\n", 1)[0]
    place = line.find(closer)
    return place >= 0 and "{" not in line[:place] and not line[place + 1 : place + 2].isalnum()


def _ends_quoted_pair(text: str, start: int, end: int) -> bool:
    """Whether a closing tag ends a quotation that begins with its opening tag: `"<a>(.*?)</a>"`."""
    if not text.startswith("</", start) or end >= len(text):
        return False
    opener = text.rfind("<" + text[start + 2 : end], max(1, start - _NEAR), start)
    if opener < 0 or _QUOTES.get(text[opener - 1]) != text[end]:
        return False
    between = text[opener:start]
    return "\n" not in between and "{" not in between


def is_mentioned(text: str, start: int, end: int) -> bool:
    """Whether a mark stands in a sentence that speaks of it."""
    before = text[max(0, start - _NEAR) : start].rpartition("\n")[2]
    after = text[end : end + _NEAR]
    emphasis = _EMPHASIS.search(before)
    if emphasis is not None and after.startswith(emphasis[0]):
        before, after = before[: emphasis.start()], after[len(emphasis[0]) :]
    if _BEFORE_CJK.search(before) is not None and _AFTER_CJK.match(after) is not None:
        return True
    if not after.strip() and not text.startswith("</", start):
        # an opening marker that nothing follows was cut off, unless the sentence names it
        return _BEFORE_NAMING.search(before) is not None
    if _AFTER_NOUN.match(after) is not None and (not before or before[-1] in " \t(`'\"*_"):
        return True
    if _BEFORE_DETERMINER.search(before) is not None and not after.startswith(("\n", "{", "[")):
        return True
    if _BEFORE_PROSE.search(before) is not None and _AFTER_PROSE.match(after) is not None:
        return True
    if _LIST_ITEM.match(before) is not None and _AFTER_ITEM.match(after) is not None:
        return True
    return _ONLY_SPACE.match(before) is not None and _AFTER_VERB.match(after) is not None


def is_told(text: str, start: int) -> bool:
    """Whether the text before a place introduces an example."""
    before = text[max(0, start - 2 * _NEAR) : start].rstrip(" \t\n\"'“\u2018(*_")
    return before.endswith(":") and _EXAMPLE.search(before) is not None
