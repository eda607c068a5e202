"""The tricky branches of the rules on leaks, empty turns, swallowed tokens and errors in disguise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streams import answered, call, delta, finish, role, text, thought, tool, usage
from toolwire.exchange import End
from toolwire.judge import Verdict, judge
from toolwire.rule import Certainty, Finding, Level, LossKind
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from toolwire.exchange import Exchange
    from toolwire.jsontext import Json

MUST, SHOULD, NOTE = Level.MUST, Level.SHOULD, Level.NOTE
HERMES = '<tool_call>\n{"name": "read_file", "arguments": {"path": "/etc/hosts"}}\n</tool_call>'
TIME = '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'
BARE = '{"name": "read_file", "arguments": {"path": "/etc/hosts"}}'


def found(exchange: Exchange, name: str) -> list[Finding]:
    """Return a rule's findings."""
    judgement = judge(exchange, RULES)
    assert not judgement.crashed
    return [finding for finding in judgement.findings if finding.rule == name]


@pytest.mark.parametrize(
    ("exchange", "levels"),
    [
        (answered(role(), text(HERMES), finish("stop")), [MUST]),
        (answered(role(), text(HERMES + TIME), finish("stop")), [MUST, MUST]),
        (answered(role(), text("<tool_call>"), finish("stop")), [MUST]),
        (answered(role(), text(BARE), finish("stop")), [MUST]),
        (answered(role(), text(HERMES), call(), finish()), [MUST]),
        (answered(role(), call(), text("</function>\n</tool_call>"), finish()), [MUST]),
        (answered(role(), role(1), call(), text(HERMES, 1), finish(), finish("stop", 1), n=2), [MUST]),
        # cut or not, markup is not for the client
        (answered(role(), text(HERMES[:50]), finish("length")), [MUST]),
        # forbidden calls may be passed through; without tools there is nothing to call
        (answered(role(), text(HERMES), finish("stop"), tool_choice="none"), [NOTE]),
        (answered(role(), text(HERMES), finish("stop"), tools=[]), []),
        # what was asked for, quoted, or is plain text
        (answered(role(), text("It ends with `</tool_call>`."), finish("stop"), prompt="What is </tool_call>?"), []),
        (answered(role(), text("I will use read_file on /etc/hosts."), call(), finish()), []),
        (answered(role(), text('{"hosts": ["a"]}'), finish("stop")), []),
    ],
)
def test_leaks(exchange: Exchange, levels: list[Level]) -> None:
    """Each call, or else the first mark, is named once."""
    assert [finding.level for finding in found(exchange, "call-leaked")] == levels


def test_a_leak_says_what_leaked_and_where_it_began() -> None:
    """The message has the call and the form; the place is the event in which it began; a whole call is proof."""
    exchange = answered(role(), text("Reading.\n"), text(HERMES[:4]), text(HERMES[4:]), finish("stop"))
    (finding,) = found(exchange, "call-leaked")
    assert 'read_file({"path": "/etc/hosts"})' in finding.message
    assert "hermes_json" in finding.message
    assert "hermes_json" in finding.dialect
    assert finding.at.event == 2
    assert (finding.kind, finding.certainty) == (LossKind.LEAKED, Certainty.PROVEN)
    judgement = judge(exchange, RULES)
    assert (judgement.verdict, judgement.kind) == (Verdict.DROP, LossKind.LEAKED)


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([text(HERMES)], "and no call came"),
        ([text(HERMES), call()], "beside the same call (number 0)"),
        ([text(TIME), call()], "beside 1 other calls"),
    ],
)
def test_a_leak_says_what_stood_beside_it(pieces: list[dict[str, Json]], words: str) -> None:
    """The same call again is a duplicate, another one is lost."""
    (finding,) = found(answered(role(), *pieces, finish()), "call-leaked")
    assert words in finding.message


@pytest.mark.parametrize(
    ("exchange", "levels", "verdict"),
    [
        (answered(role(), thought(HERMES), finish("stop")), [MUST], Verdict.DROP),
        (answered(role(), thought(HERMES + "\nWaiting."), finish("length")), [MUST], Verdict.DROP),
        (answered(role(), thought('{"path": "/etc/hosts"}'), finish("stop")), [MUST], Verdict.DROP),
        (answered(role(), thought(HERMES), finish()), [MUST], Verdict.DROP),
        # a draft, a mention, a change of mind
        (answered(role(), thought(f"I send {BARE}."), call(), finish()), [], Verdict.PASS),
        (answered(role(), thought("I must emit <tool_call> now."), call(), finish()), [], Verdict.PASS),
        (answered(role(), thought(HERMES), call(), finish()), [SHOULD], Verdict.PASS),
        (answered(role(), thought(f"Maybe {BARE}? No."), text("Which?"), finish("stop")), [], Verdict.DECLINED),
        (answered(role(), thought("<tool_call> perhaps."), text("Which?"), finish("stop")), [SHOULD], Verdict.DECLINED),
        # markers that end the reasoning were cut off from the call
        (answered(role(), thought("Reading.\n<tool_call>\n"), call(), finish()), [MUST], Verdict.BROKEN),
        (answered(role(), thought("Reading.</tool_call></tool_call>"), call(), finish()), [MUST], Verdict.BROKEN),
        (answered(role(), thought("Reading. <tool_call> Now."), call(), finish()), [], Verdict.PASS),
        (answered(role(), thought("The marker is <tool_call>"), call(), finish()), [], Verdict.PASS),
        (answered(role(), thought(HERMES[:40]), call(), finish()), [], Verdict.PASS),
        # another call than the one delivered was lost
        (answered(role(), thought(TIME), call(), finish()), [MUST], Verdict.BROKEN),
        # an answer does not excuse whole markup
        (answered(role(), thought(HERMES), text("I have asked."), finish("stop")), [MUST], Verdict.DROP),
        (answered(role(), thought(HERMES), text("Hello."), finish("stop"), tool_choice="none"), [], Verdict.PASS),
    ],
)
def test_calls_in_reasoning(exchange: Exchange, levels: list[Level], verdict: Verdict) -> None:
    """A lost call fails; a thought about a call does not."""
    assert [finding.level for finding in found(exchange, "call-in-reasoning")] == levels
    assert judge(exchange, RULES).verdict is verdict


@pytest.mark.parametrize(
    ("name", "exchange", "levels"),
    [
        ("think-tags-in-content", answered(role(), text("<think>a</think>"), call(), finish()), [MUST]),
        ("think-tags-in-content", answered(role(), text(" so.\n</th"), text("ink>"), call(), finish()), [MUST]),
        ("think-tags-in-content", answered(role(), text("[THINK]a[/THINK]"), call(), finish()), [MUST]),
        ("think-tags-in-content", answered(role(), text("<think>a</think>Yes."), finish("stop")), [NOTE]),
        ("think-tags-in-content", answered(role(), text("I think so."), call(), finish()), []),
        ("turn-tokens-in-content", answered(role(), text("Yes.<|im_end|>"), call(), finish()), [MUST]),
        ("turn-tokens-in-content", answered(role(), call(), text("<|eot_"), text("id|>"), finish()), [MUST]),
        ("turn-tokens-in-content", answered(role(), text("Yes.<|im_end|>"), finish("stop")), [NOTE]),
        ("turn-tokens-in-content", answered(role(), text("<|channel|>final<|message|>Yes."), call(), finish()), [MUST]),
        ("turn-tokens-in-content", answered(role(), text("A `<|channel|>` opens."), call(), finish()), []),
    ],
)
def test_tags_and_tokens(name: str, exchange: Exchange, levels: list[Level]) -> None:
    """Beside a call an error, else a note; tags split over deltas are seen."""
    assert [finding.level for finding in found(exchange, name)] == levels


@pytest.mark.parametrize(
    ("exchange", "levels"),
    [
        (answered(role(), finish("stop")), [MUST]),
        (answered(role(), text(" \n"), finish("stop")), [MUST]),
        (answered(role()), [MUST]),
        (answered(role(), thought("Hm."), finish("stop")), [MUST]),
        (answered(role(), text("<think>Hm.</think>\n"), finish("stop")), [MUST]),
        (answered(role(), text("Hm.</think>\n\n"), finish("stop")), [MUST]),
        (answered(role(), text("<think>Hm."), finish("stop")), [MUST]),
        (answered(role(), text("<|im_end|>"), finish("stop")), [MUST]),
        (answered(usage(2)), [MUST]),
        (answered(role(), role(1), call(), finish(), finish("stop", 1), n=2), [MUST]),
        (answered(role(), finish("stop"), tool_choice="none"), [NOTE]),
        # an answer, or a reason why there is none
        (answered(role(), text("<think>Hm.</think>Yes."), finish("stop")), []),
        (answered(role(), text("Yes.<|im_end|>"), finish("stop")), []),
        (answered(role(), delta(refusal="No."), finish("stop")), []),
        (answered(role(), thought("Hm."), finish("length")), []),
        (answered(role(), finish("content_filter")), []),
        (answered(role(), finish("tool_calls")), []),
        (answered(role(), finish("stop"), tool_choice="required"), []),
        (answered(role(), 'data: {"error": {"message": "x"}}\n\n'), []),
        (answered(role(), done=False, end=End.RESET), []),
        (answered(role(), delta(function_call={"name": "get_time", "arguments": "{}"}), finish("stop")), []),
    ],
)
def test_empty_turns(exchange: Exchange, levels: list[Level]) -> None:
    """Nothing, white space, reasoning and turn tokens are no answer."""
    assert [finding.level for finding in found(exchange, "empty-turn")] == levels


@pytest.mark.parametrize(
    ("exchange", "levels"),
    [
        (answered(role(), finish("stop"), usage(31)), [MUST]),
        (answered(role(), finish("stop"), usage(12)), []),
        (answered(role(), finish("length"), usage(31)), [NOTE]),
        (answered(role(), finish("stop"), usage(31), tool_choice="none"), [NOTE]),
        (answered(role(), thought("Hm."), finish("stop"), usage(31)), [NOTE]),
        (answered(role(), call(), finish(), usage(300)), [NOTE]),
        (answered(role(), call(), finish(), usage(80)), []),
        (answered(role(), text("読" * 30), finish("stop"), usage(90)), []),
        (answered(role(), finish("stop"), {"usage": {"completion_tokens": "many"}}), []),
        (
            answered(
                role(),
                finish("stop"),
                {
                    "usage": {
                        "prompt_tokens": 1,
                        "completion_tokens": 300,
                        "total_tokens": 301,
                        "completion_tokens_details": {"reasoning_tokens": 295},
                    }
                },
            ),
            [],
        ),
    ],
)
def test_swallowed_tokens(exchange: Exchange, levels: list[Level]) -> None:
    """More tokens than bytes are noted, and are evidence of a loss where the turn is empty."""
    assert [finding.level for finding in found(exchange, "swallowed-tokens")] == levels


def test_billed_tokens_make_an_empty_turn_evident() -> None:
    """What is only inferred from an empty turn is evident once its tokens were billed."""
    inferred = judge(answered(role(), finish("stop")), RULES)
    evident = judge(answered(role(), finish("stop"), usage(31)), RULES)
    assert (inferred.verdict, inferred.certainty) == (Verdict.DROP, Certainty.INFERRED)
    assert (evident.verdict, evident.certainty) == (Verdict.DROP, Certainty.EVIDENT)


ERROR = '{"error": {"message": "worker died", "type": "server_error", "code": 500}}'


@pytest.mark.parametrize(
    ("exchange", "levels"),
    [
        (answered(role(), text(ERROR[:20]), text(ERROR[20:]), finish("stop")), [MUST]),
        (answered(role(), text('{"object": "error", "message": "worker died"}'), finish("stop")), [MUST]),
        (answered(role(), text("Traceback (most recent call last):\n  KeyError: 7"), finish("stop")), [SHOULD]),
        (answered(role(), text(f"It said {ERROR}"), finish("stop")), []),
        (answered(role(), text('{"error": "no such file"}'), finish("stop")), []),
        (answered(role(), text("{error} stands for what went wrong"), finish("stop")), []),
        (answered(role(), text('{"error": {"message": "no such file"}}'), finish("stop")), []),
        (answered(role(), text(ERROR), finish("stop"), prompt=f"Repeat {ERROR}"), []),
        (answered(role(), text(ERROR), finish("stop"), response_format={"type": "json_object"}), []),
        (answered(role(), text(ERROR), call(), finish()), []),
    ],
)
def test_errors_as_content(exchange: Exchange, levels: list[Level]) -> None:
    """Only an error object that is the whole content is an error."""
    assert [finding.level for finding in found(exchange, "error-text-as-content")] == levels
    if levels == [MUST]:
        assert judge(exchange, RULES).verdict is Verdict.BROKEN


def test_reasoning_that_is_repeated_is_a_warning() -> None:
    """The whole reasoning in content, also with words around it; not a part of it, and nothing short."""
    long = "The user wants the hosts file, so read it."
    assert found(answered(role(), thought(long), text(f"{long} Reading."), call(), finish()), "reasoning-sent-twice")
    assert not found(answered(role(), thought(long), text(long[:30]), call(), finish()), "reasoning-sent-twice")
    assert not found(answered(role(), thought("Reading."), text("Reading."), call(), finish()), "reasoning-sent-twice")


def test_tools_decide_what_is_a_call() -> None:
    """A bare call counts only when its tool was offered."""
    other: list[Json] = [tool("get_weather", city="string")]
    assert not found(answered(role(), text(BARE), finish("stop"), tools=other), "call-leaked")


@pytest.mark.parametrize(
    ("exchange", "levels"),
    [
        (answered(role(), call(), text('"path": "/etc/hosts"}}'), finish()), [MUST]),
        (answered(role(), text('ath": 1, "path": "/etc/hosts"}'), finish("stop")), [MUST]),
        (answered(role(), text('{"'), finish("stop")), [MUST]),
        (answered(role(), call(), text("}"), finish()), [SHOULD]),
        (answered(role(), call(), text("\n```"), finish()), []),
        (answered(role(), call(), text("[]"), finish()), []),
        (answered(role(), text("Use {x] for it."), finish("stop")), []),
        (answered(role(), text('It says "path": "/etc/hosts".'), finish("stop")), []),
        (answered(role(), text('"size": 3}'), finish("stop")), []),
        (answered(role(), text('"path": 1}'), finish("stop"), prompt="Go on with the JSON."), []),
        (answered(role(), text('{"'), finish("length")), []),
        (answered(role(), text("}"), finish("stop"), tool_choice="none"), []),
        (answered(role(), text("}"), finish("stop"), tools=[]), []),
        # the whole of it is another rule's matter
        (answered(role(), text(f"{BARE}}}"), call(), text("</tool_call>"), finish()), []),
    ],
)
def test_debris(exchange: Exchange, levels: list[Level]) -> None:
    """A splinter of a call is told from an answer."""
    assert [finding.level for finding in found(exchange, "call-debris")] == levels
