"""Faults in which a call is sent as text, in whole or in part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.simulator.faults.dialects import DIALECTS
from toolwire.simulator.faults.edit import (
    Part,
    assistant_calls,
    content_instead,
    first_call,
    like,
    part_of,
    pieces,
    rebuild,
    second_call,
    template,
)
from toolwire.simulator.faults.fault import declare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolwire.simulator.faults.edit import Call
    from toolwire.simulator.faults.fault import Change, Fault
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item

__all__ = ["FAULTS"]

_fault = declare("leaks")

IN_REASONING = ("hermes", "qwen3-xml", "kimi-k2", "deepseek-v3", "dsml", "glm", "harmony", "minimax", "bare-json")
"""Dialects that are also sent as reasoning."""


def _beside(text: Callable[[list[Call]], str], part: Part, field: str = "content") -> Change:
    """Send text before the first chunk of a part, and leave the calls as they are."""

    def make(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
        calls = assistant_calls(plan)
        placed = not calls
        for item in items:
            if not placed and part_of(item) is part:
                placed = True
                yield from (like(template(items), **{field: piece}) for piece in pieces(text(calls)))
            yield item

    return rebuild(make)


def _hermes(calls: list[Call]) -> str:
    """Write calls in the form that most models know."""
    return DIALECTS["hermes"](calls)


def _first_half(items: tuple[Item, ...], plan: Plan) -> Iterable[Item]:
    """Send the head and some arguments in their field, and the rest of them as content."""
    call = first_call(plan)
    seen = 0
    for item in items:
        if call is None or part_of(item) is not Part.ARGUMENTS:
            yield item
            continue
        seen += 1
        if seen == 1:
            shared = template(items)
            half = len(call.arguments) // 2
            yield like(shared, tool_calls=[{"index": 0, "function": {"arguments": call.arguments[:half]}}])
            yield like(shared, content=call.arguments[half:] + "\n</tool_call>")


UNTOLD = frozenset({"tool-code"})
"""Forms that only a code fence marks: they cannot be told from an example that a model writes for a reader."""


def _in_content() -> list[Fault]:
    """Send the call as content only: one fault a dialect."""
    return [
        _fault(
            f"leak-{name}",
            f"the call is sent as content, as {name} writes it",
            content_instead(writer),
            *(() if name in UNTOLD else ("call-leaked",)),
            verdict="DECLINED" if name in UNTOLD else "DROP",
        )
        for name, writer in DIALECTS.items()
    ]


def _in_reasoning() -> list[Fault]:
    """Send the call as reasoning only, in some of the dialects."""
    return [
        _fault(
            f"reasoning-{name}",
            f"the call is sent as reasoning, as {name} writes it",
            content_instead(DIALECTS[name], field="reasoning_content"),
            "call-in-reasoning",
            "empty-turn",
            verdict="DROP",
        )
        for name in IN_REASONING
    ]


FAULTS = (
    *_in_content(),
    *_in_reasoning(),
    _fault(
        "leak-and-finish",
        "the call is sent as content, and the turn ends with `tool_calls`",
        content_instead(_hermes, finish="tool_calls"),
        "call-leaked",
        "phantom-finish",
        verdict="DROP",
    ),
    _fault(
        "leak-behind-words",
        "words come first, then the call as content",
        content_instead(lambda calls: f"I will look that up.\n\n{_hermes(calls)}"),
        "call-leaked",
        verdict="DROP",
    ),
    _fault(
        "leak-marker-first-lost",
        "the opening marker lacks its first character",
        content_instead(lambda calls: _hermes(calls)[1:]),
        "call-leaked",
        verdict="DROP",
    ),
    _fault(
        "leak-marker-last-lost",
        "the closing marker lacks its last character",
        content_instead(lambda calls: _hermes(calls)[:-1]),
        "call-leaked",
        verdict="DROP",
    ),
    _fault(
        "leak-opening-lost",
        "the opening marker is taken away and the rest is sent as content",
        content_instead(lambda calls: _hermes(calls).removeprefix("<tool_call>\n")),
        "call-leaked",
        verdict="DROP",
    ),
    _fault(
        "leak-half",
        "the first half of the call is sent as content",
        content_instead(lambda calls: _hermes(calls)[: len(_hermes(calls)) * 2 // 3]),
        "call-leaked",
        verdict="DROP",
    ),
    _fault(
        "leak-closing-tag",
        "only the closing tag is left, as content",
        content_instead(lambda _calls: "</tool_call>"),
        "call-leaked",
        verdict="DROP",
    ),
    _fault(
        "leak-unknown-dialect",
        "the call is sent as content in a form that nobody knows",
        content_instead(lambda calls: f"<acme:tool_call>{calls[0].name} {calls[0].arguments}</acme:tool_call>"),
        "call-leaked",
        verdict="DROP",
    ),
    _fault(
        "leak-beside-call",
        "the call comes, and its markup too",
        _beside(lambda calls: _hermes(calls[:1]), Part.HEAD),
        "call-leaked",
    ),
    _fault(
        "leak-closing-tag-beside-call",
        "the call comes, and behind it the closing tag as content",
        _beside(lambda _calls: "\n</tool_call>", Part.FINISH),
        "call-leaked",
    ),
    _fault(
        "leak-second-call",
        "the first call comes, the second is sent as content",
        _beside(lambda calls: _hermes(calls[-1:]), Part.FINISH),
        "call-leaked",
    ),
    _fault(
        "reasoning-beside-call",
        "the call comes, and its markup stood in the reasoning",
        _beside(lambda calls: _hermes(calls[:1]), Part.HEAD, "reasoning_content"),
        "call-in-reasoning",
        verdict="PASS",
    ),
    _fault(
        "reasoning-second-call",
        "the first call comes, the second stood in the reasoning",
        _beside(lambda calls: _hermes(calls[-1:]), Part.HEAD, "reasoning_content"),
        "call-in-reasoning",
    ),
    _fault(
        "arguments-leaked-half",
        "the second half of the arguments is sent as content",
        rebuild(_first_half),
        "arguments-not-json",
        "call-leaked",
        "truncation-hidden",
    ),
    _fault(
        "leak-splinter-beside-call",
        "the call comes, and the end of its arguments as content too",
        _beside(lambda calls: calls[0].arguments[len(calls[0].arguments) // 2 :], Part.FINISH),
        "call-debris",
    ),
    _fault(
        "second-call-without-head",
        "the second call comes without id, type and name",
        second_call(id=None, type=None, function={"arguments": "{}"}),
        "call-fragment-stray",
    ),
)
