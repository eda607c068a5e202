"""The tricky branches of the rules on endings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from streams import answered, call, delta, finish, role, text, thought, usage
from toolwire.exchange import End
from toolwire.judge import Judgement, Verdict, judge
from toolwire.rule import Certainty, Level, LossKind
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from toolwire.exchange import Exchange
    from toolwire.jsontext import Json

MUST, SHOULD, NOTE = Level.MUST, Level.SHOULD, Level.NOTE
MINE = {rule.name for rule in RULES if rule.code.startswith("TW4")}
NAMED: dict[str, Json] = {"type": "function", "function": {"name": "read_file"}}
CUT = call(arguments='{"path": "/etc')
FAILED = f"data: {json.dumps({'error': {'message': 'the engine died'}})}\n\n"


def allowed(mode: str) -> dict[str, Json]:
    """Choose among tools by a list."""
    tools: list[Json] = [{"type": "function", "function": {"name": "read_file"}}]
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}


def told(judgement: Judgement) -> dict[str, Level]:
    """Return which rules on endings complain, at which level (the last of each)."""
    assert not judgement.crashed
    return {finding.rule: finding.level for finding in judgement.findings if finding.rule in MINE}


@pytest.mark.parametrize(
    ("exchange", "wanted"),
    [
        # which ending fits, by tool_choice
        (answered(role(), call(), finish()), {}),
        (answered(role(), call(), finish("stop")), {"finish-contradicts-calls": MUST}),
        (answered(role(), call(), finish("stop"), tool_choice="required"), {"finish-contradicts-calls": MUST}),
        (answered(role(), call(), finish("stop"), tool_choice=allowed("auto")), {"finish-contradicts-calls": MUST}),
        (answered(role(), call(), finish("stop"), tool_choice=allowed("required")), {"finish-contradicts-calls": MUST}),
        (answered(role(), call(), finish("stop"), tool_choice=NAMED), {}),
        (answered(role(), call(), finish(), tool_choice=NAMED), {}),
        (answered(role(), call(), finish("function_call"), tool_choice=NAMED), {"finish-contradicts-calls": MUST}),
        (answered(role(), call(), finish("stop"), tool_choice="none"), {}),
        (answered(role(), call(), finish("length")), {}),
        (answered(role(), call(), finish("content_filter")), {}),
        (answered(role(), call(), finish("tool_call")), {"finish-value": MUST}),
        # calls that are promised
        (answered(role(), text("I will."), finish()), {"phantom-finish": MUST}),
        (answered(role(), thought("I will."), finish()), {"phantom-finish": MUST}),
        (answered(role(), text("No."), finish("stop")), {}),
        (answered(role(), delta(function_call={"name": "read_file"}), finish()), {}),
        (answered(role(), delta(tool_calls={"index": 0}), finish()), {}),
        # an ending that is missing
        (answered(role(), call()), {"finish-missing": MUST}),
        (answered(role(), call(), done=False), {"finish-missing": MUST}),
        (answered(role(), call(), done=False, end=End.RESET), {}),
        (answered(role(), call(), FAILED), {}),
        (answered(role(), call(), finish("")), {"finish-value": MUST}),
        (answered(role(), role(1), call(), text("Hi.", 1), finish(), n=2), {"finish-missing": MUST}),
        # more than one
        (answered(role(), call(), finish(), finish()), {"finish-twice": SHOULD}),
        (answered(role(), call(), finish(), finish("stop")), {"finish-twice": MUST}),
        (answered(role(), text("Hi.", 0), finish("stop"), role(1), finish("stop", 1), n=2), {}),
        # what comes behind it
        (answered(role(), call(), finish(), usage(9)), {}),
        (answered(role(), call(), finish(), delta()), {"delta-after-finish": SHOULD}),
        (answered(role(), call(), finish(), role()), {"delta-after-finish": SHOULD}),
        (answered(role(), text("Hi"), finish("stop"), text(".")), {"delta-after-finish": MUST}),
        (answered(role(), finish(), call()), {"delta-after-finish": MUST}),
        # beside it
        (answered(role(), delta(content="Hi.", finish="stop")), {"finish-with-delta": NOTE}),
        (answered(role(), delta(content="", finish="stop")), {}),
        (answered(role(), call(), text("Hi."), finish()), {"content-after-call": NOTE}),
        (answered(role(), text("Hi."), call(), text(""), finish()), {}),
        # a cut that is hidden
        (answered(role(), CUT, finish()), {"truncation-hidden": MUST}),
        (answered(role(), CUT, finish("stop"), tool_choice=NAMED), {"truncation-hidden": MUST}),
        (answered(role(), CUT, finish("length")), {}),
        (answered(role(), CUT, finish("content_filter")), {}),
        (answered(role(), CUT, done=False, end=End.RESET), {}),
        (answered(role(), CUT, call("get_time", "{}", place=1), finish()), {}),
        (answered(role(), call(arguments="{'path': 1}"), finish()), {}),
        (answered(role(), call(arguments=""), finish()), {}),
    ],
)
def test_each_ending_is_told_by_its_own_rule(exchange: Exchange, wanted: dict[str, Level]) -> None:
    """What the request and the answer make right is left alone; each other ending has one rule."""
    assert told(judge(exchange, RULES)) == wanted


def test_a_promised_call_is_a_loss_of_its_kind() -> None:
    """The server itself says that a call was made, so the drop is evident."""
    judgement = judge(answered(role(), text("I will."), finish()), RULES)
    assert (judgement.verdict, judgement.kind, judgement.certainty) == (
        Verdict.DROP,
        LossKind.PHANTOM_FINISH,
        Certainty.EVIDENT,
    )


def test_a_promised_call_in_an_unreadable_shape_is_broken() -> None:
    """It did come in the field for calls."""
    judgement = judge(answered(role(), delta(tool_calls={"index": 0}), finish()), RULES)
    assert judgement.verdict is Verdict.BROKEN


@pytest.mark.parametrize(("count", "words"), [(1, "has 1 call and ends"), (2, "has 2 calls and ends")])
def test_calls_are_counted(count: int, words: str) -> None:
    """The message says how many calls the ending contradicts."""
    calls = [call("get_time", "{}", place=place) for place in range(count)]
    judgement = judge(answered(role(), *calls, finish("stop")), RULES)
    assert words in next(found.message for found in judgement.findings if found.rule == "finish-contradicts-calls")


@pytest.mark.parametrize("value", [True, 3, ["stop"], {"type": "stop"}])
def test_a_reason_that_is_no_string_is_shown_as_json(value: Json) -> None:
    """The message quotes what stood on the wire."""
    entry: dict[str, Json] = {"index": 0, "delta": {}, "finish_reason": value}
    judgement = judge(answered(role(), call(), entry), RULES)
    (found,) = [found for found in judgement.findings if found.rule == "finish-value"]
    assert found.message == f"finish_reason is {json.dumps(value)}"
    assert judgement.verdict is Verdict.BROKEN
