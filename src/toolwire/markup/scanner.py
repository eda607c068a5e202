"""The scanner, which tells whether there is evidence that a call leaked into a text.

`scan` looks at the joined content or reasoning of an answer. It never raises, and needs time in proportion to the text.

Knows: how marks, calls, excuses and families come together to a verdict about one text.
Must not know: events, exchanges, rules.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from toolwire.markup.bare import Bare, bare_arguments, bare_calls, names_pattern, recipients
from toolwire.markup.clusters import call_blocks, enumerations
from toolwire.markup.context import Asked, Code, asked_about, code_spans, is_mentioned, is_quoted, is_told
from toolwire.markup.finding import (
    beheaded_by,
    cut_marker,
    incomplete_markers,
    is_supported,
    unknown_dialects,
    whole_markers,
)
from toolwire.markup.lexicon import lexicon
from toolwire.markup.model import EMPTY, Excuse, LeakedCall, Mark, Scan, Strength
from toolwire.markup.offered import Offered
from toolwire.markup.parse_json import json_sequence
from toolwire.markup.readers import Reading, fence_openers, rank, read_family
from toolwire.markup.residue import core_bounds, has_answer

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from toolwire.jsontext import Json

__all__ = ["scan"]

_WIDE_BAR = "\uff5c"
_MUCH_PROSE = 12
"""Words beside markup that make an answer about markup out of it, where the prompt asked for one."""
_SOME_PROSE = 4
_WORD = re.compile(r"\w+")
_GAP = re.compile(r"\s*")
_ONLY_SPACE = re.compile(r"\s*\Z")
_JSON_END = re.compile(r"[}\]]\s*\Z")
_WANTS_JSON = re.compile(r"\bjson\b", re.IGNORECASE)
_VERBATIM = re.compile(
    r"\b(?:repeat|echo|quote|copy|print|say|spell|translate)\b[^\n]{0,80}|\b(?:verbatim|literally|word for word)\b",
    re.IGNORECASE,
)
_CODELESS = Code((), (), ())
_MAX_FENCES = 8
_MAX_TRIES = 64
"""Marks behind which a call is looked for that no reader has found."""
_MARK_LENGTH = 80
"""Characters of a call without markers that its mark shows."""


def scan(
    text: str,
    *,
    tools: Mapping[str, Collection[str]],
    prompt: str = "",
    requested: bool | None = None,
    answered: bool = False,
    wants_json: bool = False,
    schemas: Mapping[str, Json] | None = None,
) -> Scan:
    """Look for a leaked call in the joined content or reasoning of an answer.

    `tools` are the declared names with the names of their parameters, `schemas` their JSON schemas, which settle the
    types of arguments that markup writes without one. `prompt` is all text of the request: what it contains is no
    leak, except in a call to a declared tool. `requested` says whether the prompt asks for markup as text; by default
    the prompt's words decide. `answered` says that an ordinary answer stands elsewhere, so that channel and reasoning
    tokens alone are no evidence. `wants_json` says that the answer was to be JSON, so that an object with the names of
    a tool's parameters is one; a prompt that speaks of JSON says it too.
    """
    if not (
        "<" in text
        or "{" in text
        or "[" in text
        or ">" in text
        or _WIDE_BAR in text
        or "to=" in text
        or ")" in text[-8:]
    ):
        return EMPTY
    if requested is None:
        asked: Asked | None = None
    else:
        asked = Asked.FOR if requested else Asked.NOTHING
    return _Text(text, Offered(tools, schemas or {}), prompt, asked, answered=answered, wants_json=wants_json).scan()


class _Text:
    """One text under scan."""

    def __init__(
        self,
        text: str,
        offered: Offered,
        prompt: str,
        asked: Asked | None,
        *,
        answered: bool = True,
        wants_json: bool = False,
        nested: bool = False,
    ) -> None:
        self.text = text
        self.offered = offered
        self.prompt = prompt
        self.answered = answered
        self.wants_json = wants_json
        self.nested = nested
        self._marks: list[Mark] = []
        self._code: Code | None = None
        self._asked = asked
        self._in_prompt: dict[str, bool] = {}
        self._openers: dict[str, int] = {}
        self._call_blocks: list[tuple[int, int]] = []
        self._beside: int | None = None

    @property
    def code(self) -> Code:
        """The text's code; most texts are never asked for it."""
        if self._code is None:
            text = self.text
            if "`" in text or "~~~" in text:
                owners = {family_id for mark in self._marks for family_id in mark.families}
                self._code = code_spans(text, fence_openers(text, owners) if "```" in text else frozenset())
            else:
                self._code = _CODELESS
        return self._code

    @property
    def asked(self) -> Asked:
        if self._asked is None:
            self._asked = asked_about(self.prompt)
        return self._asked

    def scan(self) -> Scan:
        text, offered = self.text, self.offered
        marks = self._marks = whole_markers(text)
        first = next((mark for mark in marks if mark.strength is Strength.STRONG), None)
        if first is None:
            marks = [*marks, *self._lesser_marks(marks)]
        elif text[: first.start].strip():
            marks = [*incomplete_markers(text[: first.start + 1], offered), *marks]
        cut = cut_marker(text)
        if cut is not None and not any(mark.end > cut.start for mark in marks):
            marks = [*marks, cut]
        if not offered.tools:
            return Scan(excused=tuple(replace(mark, excuse=Excuse.NO_TOOLS) for mark in marks))
        readings = self._read(marks)
        outside = [mark for mark in marks if not self.code.holds(mark.start)]
        ranked = rank(text, outside, readings)
        calls = list(ranked[0].calls) if ranked else []
        forms: tuple[str, ...] = ()
        if not calls:
            calls = self._calls_behind(marks)
        if not any(call.complete or call.declared for call in calls):
            bare_marks, found, forms = self._bare(marks)
            calls = found or calls
            marks = sorted([*marks, *bare_marks], key=lambda mark: (mark.start, mark.end))
        return self._conclude(marks, calls, readings, forms)

    # -- finding ---------------------------------------------------------------------------------------------------

    def _lesser_marks(self, marks: list[Mark]) -> list[Mark]:
        """Find what counts only where no whole marker is."""
        text = self.text
        found = incomplete_markers(text, self.offered) if ">" in text or "]" in text or "<" in text else []
        taken = {mark.start for mark in marks}
        found = [mark for mark in found if mark.start not in taken and mark.start + 1 not in taken]
        if ("<" in text or "[" in text or "&lt;" in text) and not found:
            found = [mark for mark in unknown_dialects(text, self.offered) if mark.start not in taken]
        return found

    def _calls_behind(self, marks: list[Mark]) -> list[LeakedCall]:
        """Read the calls that no family's own reader reads: JSON behind a marker, or a marker that is not whole."""
        for mark in marks[:_MAX_TRIES]:
            if not self._is_outside(mark.start):
                continue
            calls: list[LeakedCall] = []
            if mark.strength in {Strength.UNKNOWN_DIALECT, Strength.STRONG}:
                calls, _ = json_sequence(self.text, mark.end, len(self.text), self.offered)
            elif mark.strength is Strength.PARTIAL and (first := beheaded_by(mark.text)):
                mended = self.text[: mark.start] + first + self.text[mark.start :]
                readings = [read_family(mended, name, self.offered, mark.start.__le__) for name in mark.families]
                best, by = rank(mended, (), readings)[0], len(first)
                calls = [
                    replace(call, start=max(call.start - by, mark.start), end=call.end - by) for call in best.calls
                ]
            if calls:
                return calls
        return []

    def _read(self, marks: list[Mark]) -> list[Reading]:
        """Read the calls of every family that has a marker outside code."""
        families: dict[str, None] = {}
        for mark in marks:
            if not self.code.holds(mark.start):
                families.update(dict.fromkeys(mark.families))
        return [read_family(self.text, name, self.offered, self._is_outside) for name in families]

    def _is_outside(self, place: int) -> bool:
        return not self.code.holds(place)

    def _bare(self, marks: list[Mark]) -> tuple[list[Mark], list[LeakedCall], tuple[str, ...]]:
        """Find calls without markers; return their marks, the calls, and the families that write them so."""
        text, offered = self.text, self.offered
        addressed = (
            [found for found in recipients(text, offered) if self._is_outside(found[0].start)] if "to=" in text else []
        )
        if addressed:
            families = {form: Bare((), form, 0, 0).families for form in {form for _, form in addressed}}
            found_marks = [
                Mark(call.start, end, text[call.start : end], Strength.CONTEXTUAL, families[form])
                for call, form in addressed
                for end in (min(call.end, call.start + _MARK_LENGTH),)
            ]
            return found_marks, [call for call, _ in addressed], found_marks[0].families
        start, end = core_bounds(text)
        for mark in reversed(marks):
            if mark.end == end and mark.text.startswith("</") and not self.code.holds(mark.start):
                end = len(text[start : mark.start].rstrip()) + start
        if start >= end:
            return [], [], ()
        if text.startswith(("```", "~~~"), start) and not self.nested:
            return [], [], ()
        bare = bare_calls(text, start, end, offered)
        if bare is not None and self._is_outside(bare.start):
            shown = min(bare.end, bare.start + _MARK_LENGTH)
            mark = Mark(bare.start, shown, text[bare.start : shown], Strength.CONTEXTUAL, bare.families)
            return [mark], list(bare.calls), bare.families
        only = bare_arguments(text, start, end, offered)
        if only is not None and not (self.nested or self.wants_json or _WANTS_JSON.search(self.prompt)):
            shown = min(only.end, only.start + _MARK_LENGTH)
            return [Mark(start, shown, text[start:shown], Strength.CONTEXTUAL)], [only], ()
        return [], [], ()

    # -- judging ---------------------------------------------------------------------------------------------------

    def _conclude(
        self, marks: list[Mark], calls: list[LeakedCall], readings: list[Reading], forms: tuple[str, ...]
    ) -> Scan:
        blocks = call_blocks(self.text, marks, calls)
        self._call_blocks = blocks
        verdicts = [self._excuse_of_call(call, start) for call, (start, _) in zip(calls, blocks, strict=True)]
        live = tuple(call for call, verdict in zip(calls, verdicts, strict=True) if verdict is None)
        leaks: list[Mark] = []
        excused: list[Mark] = []
        place = 0
        for mark, (group_start, group_end) in zip(marks, enumerations(self.text, marks), strict=True):
            while place < len(blocks) and blocks[place][1] <= mark.start:
                place += 1
            inside = place < len(blocks) and blocks[place][0] <= mark.start
            excuse: Excuse | None = verdicts[place] if inside else None
            if self.code.holds(mark.start):
                excuse = Excuse.CODE
            elif excuse is None and not (inside and calls[place].declared):
                excuse = self._excuse(mark, group_start, group_end)
            if excuse is not None:
                excused.append(replace(mark, excuse=excuse))
            elif mark.strength is Strength.CONTEXTUAL and mark.text.startswith("</") and not inside:
                leaks.append(replace(mark, strength=Strength.STRAY_CLOSE))
            else:
                leaks.append(mark)
        bare_frames = all(mark.strength is Strength.FRAME for mark in leaks)
        if leaks and bare_frames and not any(call.declared for call in live):
            families = {family_id for mark in leaks for family_id in mark.families}
            if self.answered or has_answer(self.text, sorted(families)):
                excused += [replace(mark, excuse=Excuse.ANSWERED) for mark in leaks]
                leaks = []
        if not leaks and not self.nested:
            inner = self._whole_fences(tuple(excused))
            if inner is not None:
                return inner
        if not leaks:
            return Scan(excused=tuple(excused))
        return Scan(tuple(leaks), live, self._dialects(leaks, readings, forms), tuple(excused))

    def _dialects(self, leaks: list[Mark], readings: list[Reading], forms: tuple[str, ...]) -> tuple[str, ...]:
        known = lexicon().literals
        leaks = [mark for mark in leaks if mark.text in known or mark.strength is not Strength.CONTEXTUAL]
        owners = {family_id for mark in leaks for family_id in mark.families}
        ranked = rank(self.text, leaks, [reading for reading in readings if reading.family in owners])
        return tuple(reading.family for reading in ranked) or forms

    def _excuse_of_call(self, call: LeakedCall, start: int) -> Excuse | None:
        """Return why a call is none that leaked; `start` is where its block of markup begins."""
        if is_told(self.text, start):
            return Excuse.MENTIONED
        if self.asked is Asked.FOR:
            return Excuse.REQUESTED
        if self.asked is Asked.ABOUT and self._words_beside() >= _MUCH_PROSE:
            return Excuse.REQUESTED
        if (
            start < call.start
            and self._contained(self.text[start : call.end])
            and (self._words_beside() >= _SOME_PROSE or _VERBATIM.search(self.prompt) is not None)
        ):
            return Excuse.PROMPT
        return None

    def _excuse(self, mark: Mark, group_start: int, group_end: int) -> Excuse | None:
        """Return why a mark that belongs to no call to a declared tool is no leak."""
        text, start, end = self.text, mark.start, mark.end
        contextual = mark.strength is Strength.CONTEXTUAL
        if contextual and mark.text not in lexicon().literals:
            return Excuse.REQUESTED if self.asked is Asked.FOR else None
        if is_quoted(text, start, end) or is_quoted(text, group_start, group_end):
            return Excuse.QUOTED
        gap = _GAP.match(text, end)
        named = names_pattern(self.offered).match(text, gap.end() if gap is not None else end) is not None
        if not named and (is_mentioned(text, start, end) or is_mentioned(text, group_start, group_end)):
            return Excuse.MENTIONED
        if contextual and not is_supported(text, mark, self.offered, self._openers):
            return Excuse.UNSUPPORTED
        if self._is_in_prompt(mark) and not (mark.strength is Strength.STRAY_CLOSE and self._ends_json(mark)):
            return Excuse.PROMPT
        if self.asked is Asked.FOR or (self.asked is Asked.ABOUT and self._words_beside() >= _MUCH_PROSE):
            return Excuse.REQUESTED
        return None

    def _ends_json(self, mark: Mark) -> bool:
        """Whether a stray closing marker ends the text right behind the end of JSON: the debris of a call."""
        return _JSON_END.search(self.text, max(0, mark.start - _MARK_LENGTH), mark.start) is not None and (
            _ONLY_SPACE.match(self.text, mark.end) is not None
        )

    def _is_in_prompt(self, mark: Mark) -> bool:
        """Whether the prompt has a mark, or the tag that a closing one closes."""
        closes = mark.text.startswith("</")
        return self._contained(mark.text) or (closes and self._contained("<" + mark.text[2:]))

    def _contained(self, piece: str) -> bool:
        known = self._in_prompt.get(piece)
        if known is None:
            known = self._in_prompt[piece] = piece in self.prompt
        return known

    def _words_beside(self) -> int:
        """Count words that belong to no call and no code, as far as it matters."""
        if self._beside is None:
            self._beside = place = 0
            for start, end in [*self._call_blocks, (len(self.text), len(self.text))]:
                for word in _WORD.finditer(self.text, place, max(start, place)):
                    self._beside += self._is_outside(word.start())
                    if self._beside >= _MUCH_PROSE:
                        return self._beside
                place = max(place, end)
        return self._beside

    def _is_language_asked_for(self, word: str) -> bool:
        """Whether the prompt names the language of a fence: the code in it is what was wanted (JSON is any call's)."""
        named = word.isalpha() and word.lower() != "json"
        return named and re.search(rf"\b{word}\b", self.prompt, re.IGNORECASE) is not None

    def _whole_fences(self, excused: tuple[Mark, ...]) -> Scan | None:
        """Scan the inside of code fences that are the whole answer; only a call to a declared tool counts there."""
        if "```" not in self.text and "~~~" not in self.text:
            return None
        start, end = core_bounds(self.text)
        if not self.text.startswith(("```", "~~~"), start):
            return None
        fences = self.code.fences
        if not fences or len(fences) > _MAX_FENCES or self.asked is not Asked.NOTHING:
            return None
        place = start
        found: list[tuple[int, Scan]] = []
        for fence_start, inside, inside_end, fence_end, word in fences:
            if fence_start < start:
                continue
            if self.text[place:fence_start].strip():
                return None
            place = fence_end
            if word == "tool_code":
                owners = Bare((), ("tool_code_fence",), 0, 0).families
                weak = Mark(fence_start, inside, self.text[fence_start:inside], Strength.WEAK, owners)
                return Scan(excused=(replace(weak, excuse=Excuse.UNSUPPORTED), *excused))
            inner = _Text(self.text[inside:inside_end], self.offered, self.prompt, self.asked, nested=True).scan()
            if not any(call.declared for call in inner.calls) or self._is_language_asked_for(word):
                return None
            found.append((inside, inner))
        if not found or self.text[place:end].strip():
            return None
        marks = tuple(
            replace(mark, start=mark.start + by, end=mark.end + by) for by, inner in found for mark in inner.marks
        )
        calls = tuple(
            replace(call, start=call.start + by, end=call.end + by) for by, inner in found for call in inner.calls
        )
        taken = {mark.start for mark in marks}
        return Scan(marks, calls, found[0][1].dialects, tuple(mark for mark in excused if mark.start not in taken))
