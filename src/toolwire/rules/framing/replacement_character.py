"""No character was replaced by U+FFFD.

What it checks
    Content, reasoning, refusal and arguments hold no U+FFFD that the prompt (or the expectation) did not contain.

Why it matters
    It stands where a character was lost: a token ended in the middle of it, and each half was decoded by itself.
    Inside of arguments it becomes part of a path or of code.

Basis
    De facto: the usual sign of detokenising token by token. Rule book J-04.

Which clients break
    All: the wrong character is shown, stored, executed.

How to fix
    Detokenise incrementally, and hold back what ends inside a character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["replacement_character"]

_MARK = "\ufffd"
_ESCAPES = ("\\ufffd", "\\uFFFD")
"""How the mark looks inside the JSON of arguments that is kept in ASCII."""

_TEXTS = 3
"""Content, reasoning and refusal are text; what follows them is JSON."""


@rule(
    name="replacement-character",
    code="TW143",
    level=Level.SHOULD,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("J-04",),
    source="rule book J-04",
)
def replacement_character(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once of each text."""
    for choice in evidence.completion.choices.values():
        tracks = [("content", choice.content), ("reasoning", choice.reasoning), ("refusal", choice.refusal)]
        tracks += [(f"arguments of {call.name or 'a call'}", call.arguments) for call in choice.calls]
        for number, (what, track) in enumerate(tracks):
            place = _place(track.text, in_json=number >= _TEXTS)
            if place < 0 or _excused(evidence):
                continue
            yield Complaint(
                f"a character was lost and replaced by U+FFFD in the {what} of choice {choice.index}",
                evidence.at_event(track.event_at(place), _MARK),
                expected="the character",
                actual=track.text[max(0, place - 20) : place + 20],
            )


def _place(text: str, *, in_json: bool) -> int:
    """Return where the mark stands; -1 for nowhere."""
    forms = (_MARK, *_ESCAPES) if in_json else (_MARK,)
    return next((place for form in forms if (place := text.find(form)) >= 0), -1)


def _excused(evidence: Evidence) -> bool:
    """Whether the prompt or the expectation has the mark, or our own reading of bytes put it there."""
    if _MARK in evidence.request.prompt or evidence.framing.counts[FramingAnomaly.INVALID_UTF8]:
        return True
    expect = evidence.exchange.expect
    return expect is not None and any(_MARK in str(call.arguments) for call in expect.calls)
