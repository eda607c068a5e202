"""What is left of a text when reasoning, channels, wrappers and turn tokens are taken away.

Knows: reasoning blocks, headers between tokens, turn tokens.
Must not know: calls, excuses, prompts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING

from toolwire.markup.lexicon import alternation, family, lexicon, reasoning_lexicon, turn_lexicon
from toolwire.markup.model import Strength

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["core_bounds", "has_answer"]

_ANY = "\0"
_BODY = "\1"
_HEADER = re.compile(
    "\0\\s*(?:assistant|analysis|commentary|final|thought|function call|json|xml|code)?"
    "(?:[ \t]*-?>?[ \t]*(?:to=|tool/)[\\w.-]*)?"
)
_CUT_HEADER = re.compile("\0\\s*(?:function c?a?l?|[a-z]{0,12}(?:[ \t]*(?:to?|-|->[ \t]*[a-z/]*))?)\\Z")
_WORD = re.compile(r"\w")
_LONGEST = 60
"""More characters than any marker has."""
_TRAILING = re.compile(r"(?:<[|\uff5c][^<>\s]{1,40}[|\uff5c]>|</s>|<turn\|>|\s)+\Z")


@cache
def _frame_tokens() -> tuple[re.Pattern[str], frozenset[str], tuple[str, ...]]:
    literals = [literal for literal, marker in lexicon().literals.items() if marker.strength is not Strength.CONTEXTUAL]
    tokens = {*literals, *turn_lexicon().literals}
    bodies = frozenset(body for owners in _ids() for body in family(owners).body)
    return re.compile(alternation(tokens)), bodies, tuple(sorted(tokens))


@cache
def _ids() -> tuple[str, ...]:
    found: dict[str, None] = {}
    for marker in lexicon().literals.values():
        found.update(dict.fromkeys(marker.families))
    return tuple(found)


def has_answer(text: str, families: Iterable[str]) -> bool:
    """Whether a text with tokens of these families holds words that are neither reasoning nor part of a header."""
    rest = text
    for family_id in families:
        entry = family(family_id)
        rest = _without_reasoning(rest, entry.reasoning_open, entry.reasoning_close)
    pattern, bodies, tokens = _frame_tokens()
    rest = _without_cut_token(rest, tokens)
    rest = pattern.sub(lambda match: _BODY if match[0] in bodies else _ANY, rest)
    rest = _HEADER.sub("", _CUT_HEADER.sub("", rest))
    return _WORD.search(rest) is not None


def _without_cut_token(text: str, tokens: tuple[str, ...]) -> str:
    """Take away a token that the end of the text cut off."""
    for place in range(max(0, len(text) - _LONGEST), len(text)):
        tail = text[place:]
        found = bisect_left(tokens, tail)
        if found < len(tokens) and tokens[found] != tail and tokens[found].startswith(tail) and tail[0] in "<[]":
            return text[:place]
    return text


def _without_reasoning(text: str, opens: tuple[str, ...], closes: tuple[str, ...]) -> str:
    if not closes:
        return text
    for opener in opens:
        parts: list[str] = []
        place = 0
        while (start := text.find(opener, place)) >= 0:
            parts.append(text[place:start])
            ends = [(end, close) for close in closes if (end := text.find(close, start + len(opener))) >= 0]
            if not ends:
                return "".join(parts)
            end, close = min(ends)
            place = end + len(close)
        parts.append(text[place:])
        text = "".join(parts)
    for close in closes:
        if "think" not in close.lower():
            continue
        # the opening tag was part of the prompt: all that stands before is reasoning
        end = text.find(close)
        if end >= 0:
            text = text[end + len(close) :]
        elif _ends_inside(text, close):
            return ""
    return text


def _ends_inside(text: str, token: str) -> bool:
    """Whether a text ends with a beginning of `token` that is long enough to be told from other tokens."""
    shortest = min(7, len(token) - 1)
    return any(text.endswith(token[:size]) for size in range(shortest, len(token)))


@cache
def _reasoning_ends() -> tuple[str, ...]:
    return tuple(
        literal
        for literal in reasoning_lexicon().literals
        if "/" in literal
        or "end" in literal.lower()
        or literal in {"<|close|>think<|sep|>", "<channel|>", "<|inner_suffix|>"}
    )


def core_bounds(text: str) -> tuple[int, int]:
    """Return where the text begins after its reasoning, and where it ends before its turn tokens."""
    start, end = 0, len(text)
    if "<" in text or "[/" in text or "◁" in text:
        for close in _reasoning_ends():
            place = text.rfind(close)
            if place >= 0 and text[place + len(close) :].strip():
                start = max(start, place + len(close))
        tail = _TRAILING.search(text, max(start, end - 10 * _LONGEST))
        end = tail.start() if tail is not None else end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
