"""Calls that leaked without any marker: the markup was stripped, or the family has none.

Each form needs a declared tool name (or, for bare arguments, the names of one tool's parameters), and a text that is
nothing else, or that ends with it.

Knows: naked JSON calls, a name before JSON, Python calls, naked arguments, recipients without their tokens.
Must not know: markers, excuses.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from toolwire.markup.families import family_markers
from toolwire.markup.model import LeakedCall
from toolwire.markup.offered import MAX_CALLS, Offered, read_json
from toolwire.markup.parse_json import call_items, call_of, json_sequence
from toolwire.markup.parse_literals import python_sequence

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Bare", "bare_arguments", "bare_calls", "names_pattern", "recipients"]

_DEBRIS_BEFORE = re.compile(r"[\s,:;)\]}]*")
_DEBRIS_AFTER = re.compile(r"[\s,;)\]}>`]*")
_MAX_TRIES = 64
"""Places of a text that are tried as the beginning of a call at its end; each costs one look at a declared name."""
_LONGEST_NAME = 128
_CUT_JSON_TAIL = 6
"""Characters before the end where JSON that was cut off may stop making sense: inside a word or an escape."""
_FENCE_JSON = re.compile(r"```(?:json)?\s*")
_CUT_HEAD = re.compile(r'\[?\s*\{\s*"(?:name|tool_name|function)"\s*:\s*"(?P<name>[\w.:-]{3,128})\Z')
_ARGUMENT_KEY = re.compile(r'"(?:arguments|parameters|args|tool_input)"\s*:')


@dataclass(frozen=True, slots=True)
class Bare:
    """Calls without markers: the forms that were met, and what they cover."""

    calls: tuple[LeakedCall, ...]
    forms: tuple[str, ...]
    """Tags as in the `bare` lists of the family files, the most specific first."""
    start: int
    end: int

    @property
    def families(self) -> tuple[str, ...]:
        """The families that have one of the forms."""
        found = {entry.id: None for form in self.forms for entry in family_markers() if form in entry.bare}
        return tuple(found)


@lru_cache(maxsize=64)
def _names_pattern(names: frozenset[str]) -> re.Pattern[str]:
    ordered = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, ordered)) or r"(?!)")


def names_pattern(offered: Offered) -> re.Pattern[str]:
    """Return a regular expression for any declared name (without limits on either side)."""
    return _names_pattern(frozenset(offered.tools))


def bare_calls(text: str, start: int, end: int, offered: Offered) -> Bare | None:
    """Find calls without markers that make up text[start:end], or stand at its end from the beginning of a line on."""
    if not any(name and name in text for name in offered.tools):
        return _cut_head(text, start, end, offered)
    head = _DEBRIS_BEFORE.match(text, start, end)
    place = head.end() if head is not None else start
    found = _whole(text, place, end, offered) or _cut_head(text, start, end, offered)
    if found is not None:
        return found
    for line in _candidates(text, place, end, offered):
        found = _json(text, line, end, offered) or _named(text, line, end, offered)
        if found is None and text[line] == "[":
            found = _python(text, line, end, offered)
        if found is not None:
            return found
    return None


def _whole(text: str, place: int, end: int, offered: Offered) -> Bare | None:
    return _json(text, place, end, offered) or _named(text, place, end, offered) or _python(text, place, end, offered)


def _candidates(text: str, start: int, end: int, offered: Offered) -> Iterator[int]:
    """Yield beginnings of lines that hold a declared name close to their beginning, the last ones only."""
    lines: dict[int, None] = {}
    pattern = names_pattern(offered)
    for match in pattern.finditer(text, start, end):
        line = text.rfind("\n", max(start, match.start() - 40), match.start()) + 1
        if line > start and text[line : match.start()].strip() in _LINE_HEADS:
            lines[line] = None
            continue
        near = max(start, match.start() - _LONGEST_HEAD)
        line = max(text.rfind("\n{", near, match.start()), text.rfind("\n[", near, match.start())) + 1
        if line > start:
            lines[line] = None
    yield from list(lines)[-_MAX_TRIES:]


_LINE_HEADS = frozenset({"", "functions.", "call:", "Action:"})
_LONGEST_HEAD = 160
"""Characters between the bracket that opens JSON calls and the first name: a wrapper, an id, a type, an indent."""


def _rest_is_debris(text: str, place: int, end: int, offered: Offered) -> bool:
    """Whether nothing but punctuation follows, or the beginning of one more declared name."""
    rest = _DEBRIS_AFTER.match(text, place, end)
    start = rest.end() if rest is not None else place
    piece = text[start:end]
    return not piece or (len(piece) <= _LONGEST_NAME and any(name.startswith(piece) for name in offered.tools))


def _json(text: str, place: int, end: int, offered: Offered) -> Bare | None:
    """`{"name": …, "arguments": …}`, one or several, in a list or not."""
    if text[place : place + 1] not in {"{", "["}:
        return None
    calls, after = json_sequence(text, place, end, offered)
    if not calls or not all(call.declared for call in calls):
        return None
    last = calls[-1]
    if last.complete:
        if not _rest_is_debris(text, after, end, offered) and not _is_cut_json(text, after, end):
            return None
    elif not (
        _is_cut_json(text, last.start, end) or _ARGUMENT_KEY.search(text, last.start, min(end, last.start + 300))
    ):
        return None
    if calls[0].complete and not _explicit(text, calls[0].start, offered):
        return None
    return Bare(tuple(calls), _json_forms(text, place, calls), place, end)


def _explicit(text: str, start: int, offered: Offered) -> bool:
    """Whether the object at `start` says where its arguments are, so that it is no mere record with a name."""
    found = read_json(text, start)
    read = [call_of(item, offered) for item in call_items(found[0])] if found is not None else []
    return any(call is not None and call.explicit for call in read)


def _json_forms(text: str, place: int, calls: list[LeakedCall]) -> tuple[str, ...]:
    head = text[calls[0].start : calls[0].start + 200]
    if '"tool_name"' in head:
        return ("json_tool_name",)
    if '"args"' in head:
        return ("json_args",)
    if re.match(r'\{\s*"' + re.escape(calls[0].name) + r'"\s*:', head) is not None:
        return ("json_name_as_key",)
    if text[place] == "[" or "[" in text[place : calls[0].start]:
        return ("json_list",)
    if '"parameters"' in head:
        return ("json_object_parameters", "json_object")
    return ("json_object",)


_LENIENT = json.JSONDecoder(strict=False)


def _is_cut_json(text: str, start: int, end: int) -> bool:
    """Whether the JSON at `start` makes sense up to the end of the text, where it was cut off."""
    piece = text[start:end].lstrip(" \t\r\n,;")
    if piece[:1] not in {"{", "["}:
        return False
    try:
        _LENIENT.raw_decode(piece)
    except json.JSONDecodeError as problem:
        return problem.msg.startswith("Unterminated") or len(piece) - problem.pos <= _CUT_JSON_TAIL
    except (ValueError, RecursionError):
        pass
    return False


def _cut_head(text: str, start: int, end: int, offered: Offered) -> Bare | None:
    """Find a JSON call that was cut off before its arguments: `{"name": "get_wea`."""
    piece = text[start : min(end, start + 400)]
    cut = _CUT_HEAD.match(piece)
    whole = end - start == len(piece)
    if cut is None or not whole or not any(tool.startswith(cut["name"]) for tool in offered.tools):
        return None
    return Bare((), ("json_list" if piece.startswith("[") else "json_object",), start, end)


_NAMED = re.compile(
    r"(?P<prefix>functions\.|call:|Action:[ \t]*)?(?P<name>[A-Za-z_][\w.-]{0,127}?)(?P<index>:\d{1,4})?"
    r"(?P<gap>\[ARGS\]\s*|\s*\n\s*Action Input:\s*|\s*```(?:json)?\s*|[ \t]*\n\s*|[ \t]*|\()(?=\{)"
)


def _named(text: str, place: int, end: int, offered: Offered) -> Bare | None:
    """`NAME{…}`, `functions.NAME:0{…}`, `NAME` and JSON on the next line, `NAME({…})`; one or several."""
    calls: list[LeakedCall] = []
    first: re.Match[str] | None = None
    at = place
    while True:
        skip = _SKIP_BETWEEN.match(text, at, end)
        head = _NAMED.match(text, skip.end() if skip is not None else at, end)
        if head is None or not offered.declares(head["name"]):
            break
        first = first or head
        found = read_json(text, head.end())
        if found is not None and isinstance(found[0], dict) and found[1] <= end:
            at = found[1]
            calls.append(LeakedCall(head["name"], found[0], head.start(), at, complete=True, declared=True))
            continue
        if not _is_cut_json(text, head.end(), end) and head["prefix"] != "call:":
            return None
        calls.append(LeakedCall(head["name"], None, head.start(), end, complete=False, declared=True))
        at = end
        break
    if first is None or not _rest_is_debris(text, at, end, offered):
        return None
    first_call = calls[0]
    plain = not (first["prefix"] or first["index"] or first["gap"].startswith(("[ARGS]", "(")))
    if plain and first_call.arguments and not set(first_call.arguments) & set(offered.tools[first_call.name]):
        return None
    return Bare(tuple(calls), _named_forms(first), place, end)


_SKIP_BETWEEN = re.compile(r"[\s,;)\]>`]*")


def _named_forms(head: re.Match[str]) -> tuple[str, ...]:
    if head["prefix"] == "call:":
        return ("call_colon_name",)
    if head["prefix"] and head["prefix"].startswith("Action:"):
        return ()
    if head["prefix"] or head["index"]:
        return ("name_index_json",)
    if "```" in head["gap"]:
        return ("name_fence_json",)
    if "\n" in head["gap"]:
        return ("name_line_json",)
    return ("name_json",) if "(" not in head["gap"] else ("python_list",)


def _python(text: str, place: int, end: int, offered: Offered) -> Bare | None:
    """`[NAME(key=value), …]`, or a call a line."""
    bracket = text[place : place + 1] == "["
    calls, after = python_sequence(text, place, end, offered)
    if not calls or not all(call.declared for call in calls):
        return None
    last = calls[-1]
    if last.complete and not _rest_is_debris(text, after, end, offered):
        return None
    if not last.complete and not (bracket and _begins_arguments(text, last, end, offered)):
        return None
    if any(call.complete and call.arguments is None for call in calls):
        return None
    keys = {key for call in calls for key in call.arguments or {} if key in offered.tools[call.name]}
    if not bracket and not keys:
        return None
    return Bare(tuple(calls), ("python_list",) if bracket else ("python_lines", "python_list"), place, end)


def _begins_arguments(text: str, call: LeakedCall, end: int, offered: Offered) -> bool:
    """Whether a call that does not end begins with a declared argument, or ends before one."""
    place = call.start + len(call.name) + 1
    keyword = _KEYWORD.match(text[place : min(end, place + _LONGEST_NAME)])
    if keyword is None:
        return False
    key = keyword["key"]
    return key is None or not keyword["sign"] or key in offered.tools[call.name]


_KEYWORD = re.compile(r"\s*(?:\Z|(?P<key>\w+)\s*(?P<sign>=|\Z))")


def bare_arguments(text: str, start: int, end: int, offered: Offered) -> LeakedCall | None:
    """Read text[start:end] as the arguments of the one tool whose parameters have these names.

    All of them, or those that its schema requires and others of them.
    """
    if text[start : start + 1] != "{":
        return None
    found = read_json(text, start)
    if found is None or not isinstance(found[0], dict) or found[1] != end or not found[0]:
        return None
    keys = set(found[0])
    owners = [
        name
        for name, parameters in offered.tools.items()
        if keys == set(parameters) or (keys < set(parameters) and keys >= offered.required(name) != frozenset())
    ]
    if len(owners) != 1:
        return None
    return LeakedCall(owners[0], found[0], start, end, complete=True, declared=True)


_RECIPIENT = re.compile(r"to=(?P<prefix>functions\.)?(?P<name>[A-Za-z_][\w.-]{0,127})")
_GLUED = re.compile(r"(?:commentary|analysis|final|json|code)+\Z")
"""Words that stick to the name when the tokens between them are gone."""
_FRAMED = re.compile(r"\s*(?:<\||\Z)")
_HEADER_SPACE = 80
"""Characters between a recipient and its arguments: the channel, the constraint and their tokens."""


def recipients(text: str, offered: Offered) -> Iterator[tuple[LeakedCall, tuple[str, ...]]]:
    """Yield calls that are addressed as Harmony does it (`to=functions.NAME`), with or without its tokens."""
    done = 0
    count = 0
    for match in _RECIPIENT.finditer(text):
        if count >= MAX_CALLS:
            return
        name = match["name"] if offered.declares(match["name"]) else _GLUED.sub("", match["name"])
        if match.start() < done or not offered.declares(name):
            continue
        if not match["prefix"]:
            # a recipient without its name space counts only in a header
            lead = text[max(0, match.start() - 12) : match.start()].strip()
            if _FRAMED.match(text, match.end()) is None or (lead and not lead.endswith(("assistant", "|>"))):
                continue
        count += 1
        form = ("harmony_header",) if match["prefix"] else ("recipient_header",)
        brace = text.find("{", match.end(), match.end() + _HEADER_SPACE)
        found = read_json(text, brace) if brace >= 0 and "\n\n" not in text[match.end() : brace] else None
        if found is not None and isinstance(found[0], dict):
            done = found[1]
            yield LeakedCall(name, found[0], match.start(), done, complete=True, declared=True), form
        else:
            yield LeakedCall(name, None, match.start(), match.end(), complete=False, declared=True), form
