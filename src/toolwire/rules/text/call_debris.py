"""No splinters of a call are sent as content.

What it checks
    The content of a choice is not a mere piece of a call's JSON: the end of an argument object with the name of a
    declared parameter in it, or nothing but brackets and quotes that do not pair. Whole calls and markers are
    another rule's matter; truncated turns, and answers for which JSON was asked, are left alone.

Why it matters
    The parser lost its place in the middle of a call: it took the head, or nothing at all, and passed the rest on
    as text. Beside a call the splinter is shown to the user, and the arguments may lack it; without one, the call
    is gone.

Basis
    De facto: the text of a call is the server's to parse. Rule book G-15.

Which clients break
    Those that show or store content; without a call, all.

How to fix
    Let the parser own all text from a call's first character to its last, whatever stands inside its strings.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolwire.protocol.request import Contract
from toolwire.rule import Basis, Certainty, Complaint, Effect, Evidence, Level, LossKind, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Choice

__all__ = ["call_debris"]

LONGEST = 2000
"""Characters of content up to which it may be a splinter; longer text is an answer, or another rule sees it."""

_BRACKETS = re.compile(r"""[{}\[\]":,`'()\s]+""")
_KEY = re.compile(r'"([\w.-]{1,64})"\s*:')
_WANTS_SIGNS = re.compile(
    r"\b(?:brackets?|braces?|parenthes[ei]s|quotes?|quotation marks?|characters?|symbols?|punctuation|literals?|"
    r"empty (?:string|list|array|object|dict|tuple|map))\b",
    re.IGNORECASE,
)
_WANTS_JSON = re.compile(r"\bjson\b", re.IGNORECASE)


@rule(
    name="call-debris",
    code="TW609",
    level=Level.MUST,
    basis=Basis.DE_FACTO,
    since="0.1",
    rulebook=("G-15",),
    source="rule book G-15",
    effect=Effect.LOSS,
)
def call_debris(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each choice whose content is a splinter."""
    request = evidence.request
    if not request.tools or evidence.contract is Contract.NONE or evidence.failed_as_a_whole:
        return
    for choice in evidence.completion.choices.values():
        if not 0 < len(choice.content.text) <= LONGEST or choice.finish in ("length", "content_filter"):
            continue
        text = evidence.answer_text(choice)
        opened, closed = _brackets(text)
        if opened == closed and '"' not in text:
            continue
        what = _splinter(evidence, text, tail=closed > opened)
        if not what or evidence.content_scan(choice).leaked or _is_asked_for(evidence, text):
            continue
        yield _complaint(evidence, choice, text, what)


def _splinter(evidence: Evidence, text: str, *, tail: bool) -> str:
    """Say what kind of splinter a text is; empty for none."""
    if _BRACKETS.fullmatch(text):
        return "brackets and quotes"
    if not tail:
        return ""
    declared = {name for names in evidence.tool_parameters.values() for name in names}
    return "the end of arguments" if any(key[1] in declared for key in _KEY.finditer(text)) else ""


def _brackets(text: str) -> tuple[int, int]:
    """Count what opens and what closes."""
    return text.count("{") + text.count("["), text.count("}") + text.count("]")


def _is_asked_for(evidence: Evidence, text: str) -> bool:
    """Whether the request explains the text."""
    request = evidence.request
    if text in request.prompt or "response_format" in request.raw or _WANTS_JSON.search(request.prompt):
        return True
    return bool(_BRACKETS.fullmatch(text)) and _WANTS_SIGNS.search(request.prompt) is not None


def _complaint(evidence: Evidence, choice: Choice, text: str, what: str) -> Complaint:
    """Complain; brackets beside a call that came are ugly and no more."""
    harmless = bool(choice.calls) and not _KEY.search(text)
    return Complaint(
        f"the content is {what} of a call: {text[:80]!r}"
        + (f", beside {len(choice.calls)} calls" if choice.calls else ", and no call came"),
        evidence.at_event(choice.content.first_event() or choice.first_event, '"content"'),
        level=Level.SHOULD if harmless else None,
        expected="no part of a call in content",
        actual=text[:80],
        kind=LossKind.LEAKED,
        certainty=Certainty.EVIDENT if _KEY.search(text) else Certainty.INFERRED,
    )
