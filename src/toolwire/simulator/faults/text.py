"""Faults of the text beside, or in place of, calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.simulator.faults.edit import (
    Part,
    as_object,
    chain,
    content_instead,
    edit,
    like,
    part_of,
    pieces,
    rebuild,
    set_finish,
    template,
    without,
)
from toolwire.simulator.faults.fault import declare

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolwire.simulator.faults.edit import Object
    from toolwire.simulator.faults.fault import Change
    from toolwire.simulator.script import Plan
    from toolwire.simulator.wire import Item

__all__ = ["FAULTS", "said"]

_fault = declare("text")
TRACEBACK = """Traceback (most recent call last):
  File "tool_parser.py", line 91, in extract_tool_calls
    arguments = json.loads(text)
json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column 9 (char 8)
"""
BILLED = 64
"""Tokens of an answer that holds nothing."""

THOUGHT = "The user wants this file, so I have to read it with the tool."


def said(text: str, field: str = "content", *, before: Part = Part.HEAD) -> Change:
    """Send a text before the first chunk of a part, and leave the rest as it is."""

    def make(items: tuple[Item, ...], _plan: Plan) -> Iterable[Item]:
        placed = False
        for item in items:
            if not placed and part_of(item) is before:
                placed = True
                yield from (like(template(items), **{field: piece}) for piece in pieces(text))
            yield item

    return rebuild(make)


def _instead(text: str, *, finish: str = "stop", field: str = "content") -> Change:
    """Send a text in place of the calls."""
    return content_instead(lambda _calls: text, finish=finish, field=field)


def _billed(value: Object) -> None:
    """Bill as many tokens as a call takes."""
    usage = as_object(value.get("usage"))
    usage.update(completion_tokens=BILLED, total_tokens=BILLED + int(str(usage.get("prompt_tokens", 0))))


FAULTS = (
    _fault(
        "think-tags",
        "the reasoning comes as content, within its tags",
        said(f"<think>\n{THOUGHT}\n</think>\n\n"),
        "think-tags-in-content",
    ),
    _fault(
        "think-closing-tag",
        "the reasoning comes as content, with its closing tag alone",
        said(f"{THOUGHT}\n</think>\n\n"),
        "think-tags-in-content",
    ),
    _fault(
        "think-tags-mistral",
        "the reasoning comes as content, within the tags of Magistral",
        said(f"[THINK]{THOUGHT}[/THINK]"),
        "think-tags-in-content",
    ),
    _fault(
        "reasoning-in-content",
        "the reasoning comes as content, without tags; only a twin could tell",
        said(THOUGHT),
        verdict="PASS",
    ),
    _fault(
        "reasoning-twice",
        "the reasoning comes in its field, and as content again",
        chain(said(THOUGHT, "reasoning_content"), said(THOUGHT)),
        "reasoning-sent-twice",
        verdict="PASS",
    ),
    _fault(
        "turn-token",
        "the token that ends a turn comes as content beside a call",
        said("<|im_end|>", before=Part.FINISH),
        "turn-tokens-in-content",
    ),
    _fault(
        "turn-token-deepseek",
        "DeepSeek's end of sentence comes as content beside a call",
        said("<｜end▁of▁sentence｜>", before=Part.FINISH),
        "turn-tokens-in-content",
    ),
    _fault(
        "channel-tokens",
        "the channel tokens of gpt-oss come as content beside a call",
        said(f"<|channel|>analysis<|message|>{THOUGHT}<|end|>"),
        "think-tags-in-content",
        "turn-tokens-in-content",
    ),
    _fault(
        "empty-turn",
        "nothing comes, and the turn ends with `stop`",
        _instead(""),
        "empty-turn",
        "swallowed-tokens",
        verdict="DROP",
    ),
    _fault(
        "empty-turn-billed",
        "nothing comes, though the tokens of a call are billed",
        chain(_instead(""), edit(Part.USAGE, _billed)),
        "empty-turn",
        "swallowed-tokens",
        verdict="DROP",
    ),
    _fault(
        "only-reasoning",
        "nothing but reasoning comes",
        _instead(THOUGHT, field="reasoning_content"),
        "empty-turn",
        verdict="DROP",
    ),
    _fault("only-blanks", "nothing but line feeds come", _instead("\n\n"), "empty-turn", verdict="DROP"),
    _fault(
        "silent-drop",
        "words announce a call, and none comes; only an expectation or a twin could tell",
        _instead("I will read the file now."),
        verdict="DECLINED",
    ),
    _fault(
        "phantom-finish",
        "no call comes, and the turn ends with `tool_calls`",
        _instead("", finish="tool_calls"),
        "phantom-finish",
        verdict="DROP",
    ),
    _fault(
        "phantom-finish-behind-words",
        "words come and no call, and the turn ends with `tool_calls`",
        _instead("I will read the file now.", finish="tool_calls"),
        "phantom-finish",
        verdict="DROP",
    ),
    _fault(
        "error-text",
        "an error of the server comes as content",
        _instead('{"error": {"message": "Internal server error", "type": "server_error", "code": 500}}'),
        "error-text-as-content",
    ),
    _fault(
        "error-text-traceback",
        "an exception of the server comes as content",
        _instead(TRACEBACK),
        "error-text-as-content",
        verdict="DECLINED",
    ),
    _fault(
        "replacement-character",
        "a character was cut between two deltas, and both halves came as U+FFFD",
        said("Na\ufffd\ufffdve question, I read the file."),
        "replacement-character",
        verdict="PASS",
    ),
    _fault(
        "truncated-in-reasoning",
        "the budget ends within the reasoning",
        chain(_instead(THOUGHT[:20], field="reasoning_content"), set_finish("length")),
        verdict="CUT",
    ),
    _fault(
        "calls-lost",
        "the calls are lost, and so is the finish",
        without(Part.HEAD, Part.ARGUMENTS, Part.FINISH),
        "empty-turn",
        "finish-missing",
        verdict="DROP",
    ),
)
