"""The stream has the text, the reasoning and the finish that the non-streamed answer has.

What it checks
    Where the same request was also answered without streaming, and is greedy or seeded: the same content, the same
    reasoning in its own field, the same finish reason. Only whole answers are compared, and white space does not
    count.

Why it matters
    Reasoning that turns up as content is read aloud to users, goes back into the prompt and is taken for the
    answer; without tags only the other answer can show it. Text that breaks off before a call is the same parser
    fault that loses calls.

Basis
    Our own policy. Rule book G-16 and "where two rules meet" 5: reasoning in content is an error, shorter text a
    warning, and what only the non-streamed answer lacks or spoils a warning that blames that side.

Which clients break
    Those that show or store content: the thoughts are in it, a sentence is missing or stands there twice.

How to fix
    Let both ways share one parser for reasoning, and flush what it holds back before the first call is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.oracle import Oracle
from toolwire.protocol.request import Contract
from toolwire.rule import Basis, Certainty, Complaint, Evidence, Level, NotApplicable, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.completion import Choice

__all__ = ["twin_text_differs"]

TELLING = 10
"""Characters from which a piece of reasoning that stands in content is no chance."""

QUOTED = 80
"""Characters of a text that a message quotes: what fits a line."""

_CUT = ("length", "content_filter")
_TWIN = "twin"


@rule(
    name="twin-text-differs",
    code="TW509",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("G-16", "C-42"),
    source="rule book, where two rules meet, 5",
    needs=(Oracle.TWIN,),
)
def twin_text_differs(evidence: Evidence) -> Iterator[Complaint] | NotApplicable | None:
    """Compare the texts of the choices that both answers have."""
    twin = evidence.twin
    if twin is None or evidence.twin_obstacle:
        return NotApplicable(evidence.twin_obstacle)
    return _compare_all(evidence, twin.choices)


def _compare_all(evidence: Evidence, others: dict[int, Choice]) -> Iterator[Complaint]:
    """Compare choice by choice."""
    for index, choice in evidence.completion.choices.items():
        other = others.get(index)
        if other is None or choice.finish in _CUT or other.finish in _CUT:
            continue
        yield from _texts(evidence, choice, other)
        if len(choice.calls) == len(other.calls) and evidence.contract is not Contract.NAMED:
            # a named choice may end with stop or with tool_calls; a lost call explains the finish (both: other rules)
            yield from _finish(evidence, choice, other)


def _texts(evidence: Evidence, choice: Choice, other: Choice) -> Iterator[Complaint]:
    """Compare content and reasoning; reasoning in the other side's content comes first and explains the rest."""
    content, wanted = _plain(choice.content.text), _plain(other.content.text)
    reasoning, wanted_reasoning = _plain(choice.reasoning.text), _plain(other.reasoning.text)
    if _stands_in(wanted_reasoning, content, instead_of=wanted):
        yield Complaint(
            f"reasoning of the non-streamed answer came as content: {_quote(wanted_reasoning)}",
            evidence.at_event(choice.content.first_event() or choice.first_event, '"content"'),
            certainty=Certainty.PROVEN,
            expected=f"content {_quote(wanted)}",
            actual=f"content {_quote(content)}",
        )
        return
    if _stands_in(reasoning, wanted, instead_of=content):
        yield Complaint(
            f"reasoning of the stream stands in the content of the non-streamed answer: {_quote(reasoning)}",
            evidence.at_event(choice.reasoning.first_event() or choice.first_event),
            level=Level.SHOULD,
            certainty=Certainty.PROVEN,
            expected=f"content {_quote(content)}",
            actual=f"content {_quote(wanted)}",
            blame=_TWIN,
        )
        return
    if not evidence.content_scan(choice).leaked:
        yield from _text(evidence, choice, "text", content, wanted)
    if not evidence.reasoning_scan(choice).leaked:
        yield from _text(evidence, choice, "reasoning", reasoning, wanted_reasoning)


def _stands_in(reasoning: str, content: str, *, instead_of: str) -> bool:
    """Whether reasoning, or its end, is (in) content that the other side does not have."""
    if not reasoning or not content or content == instead_of:
        return False
    if len(reasoning) >= TELLING and reasoning in content:
        return reasoning not in instead_of
    return len(content) >= TELLING and content in reasoning and content not in instead_of


def _text(evidence: Evidence, choice: Choice, what: str, came: str, wanted: str) -> Iterator[Complaint]:
    """Say how one text differs; never worse than a warning."""
    if came == wanted:
        return
    blame = ""
    if wanted and came == f"{wanted}{wanted}":
        how = "was sent twice"
    elif len(came) < len(wanted):
        how = "is shorter than in the non-streamed answer" if came else "of the non-streamed answer did not come"
    elif len(came) > len(wanted):
        how = "is longer than in the non-streamed answer" if wanted else "is missing in the non-streamed answer"
        blame = _TWIN
    else:
        how = "differs from the non-streamed answer"
    yield Complaint(
        f"the {what} {how}: {len(came)} and {len(wanted)} characters",
        evidence.at_event(choice.last_event),
        level=Level.SHOULD,
        certainty=Certainty.PROVEN,
        expected=_quote(wanted),
        actual=_quote(came),
        blame=blame,
    )


def _finish(evidence: Evidence, choice: Choice, other: Choice) -> Iterator[Complaint]:
    """Compare the finish reasons of answers with the same calls."""
    if choice.finish is None or other.finish is None or choice.finish == other.finish:
        return
    yield Complaint(
        f"the stream finishes with {choice.finish}, the non-streamed answer with {other.finish}",
        evidence.at_event(choice.last_event, '"finish_reason"'),
        level=Level.SHOULD,
        certainty=Certainty.PROVEN,
        expected=other.finish,
        actual=choice.finish,
    )


def _plain(text: str) -> str:
    """Return a text with each run of white space as one space, and none at its ends."""
    return " ".join(text.split())


def _quote(text: str) -> str:
    """Quote the beginning of a text."""
    return repr(text if len(text) <= QUOTED else f"{text[:QUOTED]}…")
