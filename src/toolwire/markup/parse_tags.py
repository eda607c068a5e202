"""Leaked calls whose arguments are written one by one between tags.

Knows: tags with a key and a value (XML-like, typed or not), and nested elements behind a namespace marker.
Must not know: which family it reads; that is in the reader's regular expressions.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from toolwire.markup.model import LeakedCall
from toolwire.markup.offered import MAX_CALLS, Offered, read_json, untyped_value

if TYPE_CHECKING:
    from toolwire.jsontext import Json
    from toolwire.markup.families import Reader

__all__ = ["namespaced_elements", "tagged_parameters"]

_CDATA = re.compile(r"\s*<!\[CDATA\[(.*?)\]\]>\s*", re.DOTALL)
_SPACE = re.compile(r"\s*")
_ELEMENT = re.compile(r"<(/?)([^<>\s]{1,200})>")
_MAX_DEPTH = 40


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.DOTALL)


def tagged_parameters(text: str, opens: list[re.Match[str]], reader: Reader, offered: Offered) -> list[LeakedCall]:
    """Read calls whose opener holds the name and is followed by arguments, each between its tags."""
    parameter, close = _pattern(reader.parameter), _pattern(reader.close)
    calls: list[LeakedCall] = []
    done = -1
    for number, opener in enumerate(opens):
        if opener.start() < done or len(calls) >= MAX_CALLS:
            continue
        limit = opens[number + 1].start() if number + 1 < len(opens) else len(text)
        name = opener["name"].strip()
        arguments, place, whole = _body(
            text, opener.end(), limit, name=name, parameter=parameter, close=close, offered=offered
        )
        if opener[0].rstrip().endswith("/>"):
            whole, place = True, opener.end()
        calls.append(
            LeakedCall(
                name,
                arguments if whole else None,
                opener.start(),
                place,
                complete=whole,
                declared=offered.declares(name),
            )
        )
        done = place
    return calls


def _body(
    text: str,
    position: int,
    limit: int,
    *,
    name: str,
    parameter: re.Pattern[str],
    close: re.Pattern[str],
    offered: Offered,
) -> tuple[dict[str, Json], int, bool]:
    arguments: dict[str, Json] = {}
    place = position
    start = _SPACE.match(text, place, limit)
    if start is not None and text[start.end() : start.end() + 1] == "{":
        found = read_json(text, start.end())
        if found is not None and isinstance(found[0], dict):
            return found[0], found[1], True
    while (match := parameter.match(text, place, limit)) is not None:
        key = match["key"].strip()
        arguments[key] = _value(match, name, key, offered)
        place = match.end()
    gap = _SPACE.match(text, place, limit)
    end = close.match(text, gap.end() if gap is not None else place, limit)
    return (arguments, end.end(), True) if end is not None else (arguments, place, False)


def _value(match: re.Match[str], name: str, key: str, offered: Offered) -> Json:
    groups = match.groupdict()
    raw = match["value"]
    data = _CDATA.fullmatch(raw)
    if data is not None:
        raw = data[1]
    if groups.get("string") == "true" or groups.get("type") == "string":
        return raw
    if groups.get("string") == "false" or groups.get("type"):
        found = read_json(raw.strip(), 0)
        return found[0] if found is not None else raw
    return offered.value(name, key, raw)


def namespaced_elements(text: str, opens: list[re.Match[str]], reader: Reader, offered: Offered) -> list[LeakedCall]:
    """Read calls whose arguments are nested elements, each tag behind the namespace marker."""
    close = _pattern(reader.close)
    calls: list[LeakedCall] = []
    for number, opener in enumerate(opens[:MAX_CALLS]):
        limit = opens[number + 1].start() if number + 1 < len(opens) else len(text)
        end = close.search(text, opener.end(), limit)
        name = opener["name"]
        body = text[opener.end() : end.start()] if end is not None else None
        tree = _elements(body.split(reader.namespace)) if body is not None else None
        arguments = tree if isinstance(tree, dict) else ({} if tree == "" else None)
        whole = end is not None and arguments is not None
        place = end.end() if end is not None else opener.end()
        calls.append(
            LeakedCall(name, arguments, opener.start(), place, complete=whole, declared=offered.declares(name))
        )
    return calls


class _Open:
    """An element that is not closed yet."""

    __slots__ = ("children", "tag", "text")

    def __init__(self, tag: str, text: str) -> None:
        self.tag = tag
        self.text = text
        self.children: list[tuple[str, Json]] = []

    def value(self) -> Json:
        if not self.children:
            return untyped_value(self.text)
        if all(tag == "item" for tag, _ in self.children):
            return [value for _, value in self.children]
        return dict(self.children)


def _elements(pieces: list[str]) -> Json:
    """Return the tree of elements, or None where tags do not match."""
    stack = [_Open("", "")]
    for piece in pieces[1:]:
        tag = _ELEMENT.match(piece)
        if tag is None or len(stack) > _MAX_DEPTH:
            return None
        if not tag[1]:
            stack.append(_Open(tag[2], piece[tag.end() :]))
            continue
        closed = stack.pop()
        if not stack or closed.tag != tag[2]:
            return None
        stack[-1].children.append((closed.tag, closed.value()))
    if len(stack) > 1:
        return None
    root = stack[0]
    return dict(root.children) if root.children else ""
