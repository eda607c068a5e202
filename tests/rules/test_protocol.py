"""The tricky branches of the rules on chunks, choices, roles, usage, errors and the end of a stream."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from streams import DONE, answered, call, delta, finish, role, text, usage
from toolwire.exchange import End
from toolwire.judge import Verdict, judge
from toolwire.protocol.anomaly import RECORDED
from toolwire.rule import Finding, Level
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from toolwire.exchange import Exchange
    from toolwire.jsontext import Json

MUST, SHOULD, NOTE = Level.MUST, Level.SHOULD, Level.NOTE
WHOLE = (role(), call(), finish())


def found(exchange: Exchange, name: str) -> list[Finding]:
    """Return a rule's findings."""
    judgement = judge(exchange, RULES)
    assert not judgement.crashed
    return [finding for finding in judgement.findings if finding.rule == name]


def levels(exchange: Exchange, name: str) -> list[Level]:
    """Return the levels of a rule's findings."""
    return [finding.level for finding in found(exchange, name)]


def entry(fields: dict[str, Json]) -> dict[str, Json]:
    """Make one entry of `choices` with these fields in its delta."""
    return {"index": 0, "delta": fields, "finish_reason": None}


def chunk(choice: Json = None, **fields: Json) -> str:
    """Write a chunk with fields replaced, or left out where they are the word `absent`."""
    base: dict[str, Json] = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1796083200,
        "model": "example-model",
        "choices": [choice] if choice is not None else [],
    }
    whole = {key: value for key, value in {**base, **fields}.items() if value != "absent"}
    return f"data: {json.dumps(whole)}\n\n"


AZURE = chunk(id="", object="", created=0, model="", prompt_filter_results=[])


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ({}, []),
        ({"id": "absent"}, [MUST]),
        ({"id": None}, [MUST]),
        ({"id": 7}, [MUST]),
        ({"created": "absent", "model": "absent"}, [MUST, MUST]),
        ({"created": "now"}, [MUST]),
        ({"created": True}, [MUST]),
        ({"created": None}, [MUST]),
        ({"created": 1796083200.25}, [NOTE]),
        ({"object": "absent"}, [MUST]),
        ({"object": "", "id": "absent", "model": None}, []),
        ({"object": "chat.completion"}, []),
        ({"system_fingerprint": None, "service_tier": "x", "obfuscation": "abc"}, []),
    ],
)
def test_the_head_of_a_chunk(head: dict[str, Json], expected: list[Level]) -> None:
    """Each field is named once, however many chunks lack it; Azure's filter chunks may lack all."""
    chunks = [chunk(text("a"), **head) for _ in range(RECORDED)]
    assert levels(answered(role(), *chunks, finish("stop")), "chunk-fields") == expected


@pytest.mark.parametrize("payload", ["null", "7", '"text"', "[]", "true"])
def test_a_payload_that_is_no_object(payload: str) -> None:
    """JSON that is no object is no chunk."""
    exchange = answered(role(), f"data: {payload}\n\n", call(), finish())
    assert levels(exchange, "chunk-fields") == [MUST]
    assert judge(exchange, RULES).verdict is Verdict.BROKEN


@pytest.mark.parametrize(
    ("value", "expected"),
    [("chat.completion.chunk", 0), ("", 0), ("chat.completion", 1), (None, 1), (7, 1), ("Chat.Completion.Chunk", 1)],
)
def test_the_object_of_a_chunk(value: Json, expected: int) -> None:
    """One word is right; the empty one is Azure's."""
    exchange = answered(role(), chunk(text("a"), object=value), finish("stop"))
    assert levels(exchange, "chunk-object") == [MUST] * expected


def test_an_id_that_changes_is_told_once_and_counted() -> None:
    """One finding says how many chunks differ."""
    exchange = answered(role(), *[chunk(text("a"), id=f"chatcmpl-{n}") for n in range(2, 6)], finish("stop"))
    findings = found(exchange, "chunk-id-changes")
    assert [finding.level for finding in findings] == [SHOULD]
    assert "4 of 6 chunks differ" in findings[0].message


@pytest.mark.parametrize(
    ("part", "rule", "expected"),
    [
        (chunk(choices=None), "choices-not-array", [MUST]),
        (chunk(choices={}), "choices-not-array", [MUST]),
        (chunk(choices="absent"), "choices-not-array", [MUST]),
        (chunk(choices="absent", object=""), "choices-not-array", []),
        (chunk(choices=[]), "choices-empty", [SHOULD]),
        (chunk(choices=[], usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}), "choices-empty", []),
        (chunk(choices=[], usage=None), "choices-empty", [SHOULD]),
        (chunk(choices=[], moderation={}), "choices-empty", []),
        (chunk(choices=[], sglext={"output_ids": [1]}), "choices-empty", [NOTE]),
        (chunk(choices=[None]), "choice-shape", [MUST]),
        (chunk({"index": 0, "delta": None, "finish_reason": None}), "choice-shape", [MUST]),
        (chunk({"index": 0, "delta": [], "finish_reason": None}), "choice-shape", [MUST]),
        (chunk({"index": 0, "finish_reason": None}), "choice-shape", [MUST]),
        (chunk({"delta": {}, "finish_reason": None}), "choice-index", [MUST]),
        (chunk({"index": "0", "delta": {}, "finish_reason": None}), "choice-index", [MUST]),
        (chunk({"index": True, "delta": {}, "finish_reason": None}), "choice-index", [MUST]),
        (chunk({"index": 1, "delta": {"role": "assistant"}, "finish_reason": "stop"}), "choice-index", [MUST]),
        (chunk({"index": -1, "delta": {"role": "assistant"}, "finish_reason": "stop"}), "choice-index", [MUST]),
    ],
)
def test_choices(part: str, rule: str, expected: list[Level]) -> None:
    """What stands where a list of choices belongs, and what it holds."""
    assert levels(answered(role(), part, call(), finish()), rule) == expected


def test_azures_first_chunk_is_told_once() -> None:
    """It has no choice: a note, and nothing else complains of it."""
    judgement = judge(answered(AZURE, *WHOLE), RULES)
    assert judgement.verdict is Verdict.PASS
    assert [(finding.rule, finding.level) for finding in judgement.findings] == [("choices-empty", NOTE)]


@pytest.mark.parametrize(
    ("parts", "n", "end", "expected"),
    [
        ((*WHOLE,), 3, End.EOF, ["of 3 choices these never came: 1, 2"]),
        # what a torn stream lacks is no news
        ((*WHOLE,), 3, End.RESET, []),
        ((role(), role(1), text("a"), text("b", 1), finish("stop"), finish("stop", 1)), 2, End.EOF, []),
        ((role(2), finish("stop", 2)), 2, End.EOF, ["with index 2", "0, 1"]),
    ],
)
def test_every_choice_that_was_asked_for_comes(
    parts: tuple[dict[str, Json], ...], n: int, end: End, expected: list[str]
) -> None:
    """Those that never came are named at the end."""
    findings = found(answered(*parts, n=n, end=end), "choice-index")
    assert len(findings) == len(expected)
    for words in expected:
        assert any(words in finding.message for finding in findings)


@pytest.mark.parametrize(
    ("first", "second", "missing", "repeated"),
    [
        ({"role": "assistant"}, {}, 0, 0),
        ({"role": "assistant"}, {"role": None}, 0, 0),
        ({"role": "assistant"}, {"role": "assistant"}, 0, 1),
        ({"role": "assistant"}, {"role": "tool"}, 1, 0),
        ({"role": ""}, {"role": ""}, 1, 0),
        ({"role": None}, {}, 1, 0),
        ({"role": "user"}, {}, 1, 0),
        ({}, {}, 1, 0),
        ({}, {"role": "assistant"}, 1, 1),
    ],
)
def test_roles(first: dict[str, Json], second: dict[str, Json], missing: int, repeated: int) -> None:
    """The role comes in the first delta, once; each choice is complained of once."""
    exchange = answered(
        entry({"content": "a", **first}), entry({"content": "b", **second}), entry(second), finish("stop")
    )
    assert levels(exchange, "role-missing") == [SHOULD] * missing
    assert levels(exchange, "role-repeated") == [SHOULD] * repeated


@pytest.mark.parametrize(
    ("payload", "words", "shaped"),
    [
        ({"error": {"message": "out of memory", "code": 500}}, "out of memory", True),
        ({"error": {"message": 'a "quoted" word'}}, 'a "quoted" word', True),
        ({"error": {"code": 500}}, "500", False),
        ({"error": "out of memory"}, "out of memory", False),
        ({"error": True}, "True", False),
        ({"object": "error", "message": "too long", "code": 400}, "too long", False),
        ({"type": "error", "message": "too long"}, "too long", False),
        ({"message": "too long", "status": 400}, "too long", False),
        ({"detail": [{"msg": "wrong"}]}, "wrong", False),
        ({"choices": None, "error_message": "too long"}, "too long", False),
        ({"choices": [], "error": {"message": "no provider"}}, "no provider", True),
    ],
)
def test_errors_in_the_stream(payload: dict[str, Json], words: str, shaped: bool) -> None:
    """Whatever their shape they break the stream, also before any call; another shape than the usual is told."""
    exchange = answered(role(), f"data: {json.dumps(payload)}\n\n", tool_choice="required")
    judgement = judge(exchange, RULES)
    assert judgement.verdict is Verdict.BROKEN
    [finding] = [finding for finding in judgement.findings if finding.rule == "error-in-stream"]
    assert words in finding.message
    assert levels(exchange, "error-shape") == ([] if shaped else [SHOULD])


@pytest.mark.parametrize("value", [None, "", {}, False, 0])
def test_an_error_that_is_nothing_is_none(value: Json) -> None:
    """Clients test the value and not the key."""
    assert not found(answered(chunk(role(), error=value), call(), finish()), "error-in-stream")


@pytest.mark.parametrize(
    ("parts", "rule", "asked", "unasked"),
    [
        (WHOLE, "usage-missing", [SHOULD], []),
        ((*WHOLE, usage(20)), "usage-missing", [], []),
        ((*WHOLE, usage(20)), "usage-place", [], []),
        ((*WHOLE, usage(20), usage(21)), "usage-place", [SHOULD], []),
        ((role(), usage(20), call(), finish()), "usage-place", [SHOULD], []),
        ((*WHOLE, usage(20)), "usage-unasked", [], [NOTE]),
        ((*WHOLE, {"usage": {}}), "usage-numbers", [SHOULD], [SHOULD]),
        (
            (*WHOLE, {"usage": {"prompt_tokens": 1, "completion_tokens": -1, "total_tokens": 0}}),
            "usage-numbers",
            [SHOULD],
            [SHOULD],
        ),
        (
            (*WHOLE, {"usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 4}}),
            "usage-numbers",
            [SHOULD],
            [SHOULD],
        ),
        (
            (*WHOLE, {"usage": {"prompt_tokens": 1.5, "completion_tokens": 2, "total_tokens": 3.5}}),
            "usage-numbers",
            [SHOULD],
            [SHOULD],
        ),
        ((*WHOLE, {"usage": [1, 2]}), "usage-numbers", [SHOULD], [SHOULD]),
        # a list is no usage, but saying twice that it is missing helps nobody
        ((*WHOLE, {"usage": [1, 2]}), "usage-missing", [], []),
    ],
)
def test_usage(parts: tuple[dict[str, Json], ...], rule: str, asked: list[Level], unasked: list[Level]) -> None:
    """What is asked for comes once, last, alone and adds up; what is not asked for is only told."""
    assert levels(answered(*parts, stream_options={"include_usage": True}), rule) == asked
    assert levels(answered(*parts), rule) == unasked


def test_usage_on_the_finish_chunk_is_no_chunk_of_its_own() -> None:
    """Where it was asked for it has its own chunk; usage that runs along is fine when it also comes last."""
    numbers: Json = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
    beside = answered(role(), call(), chunk(finish(), usage=numbers), stream_options={"include_usage": True})
    assert levels(beside, "usage-place") == [SHOULD]
    running = answered(role(), call(), chunk(finish(), usage=numbers), usage(4), stream_options={"include_usage": True})
    assert not found(running, "usage-place")


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ((), []),
        ((DONE,), [SHOULD]),
        ((DONE, DONE), [SHOULD]),
        ((usage(3),), [SHOULD]),
        (("data: bye\n\n",), [SHOULD]),
        ((": bye\n\n",), []),
        # an exact repeat of the finish loses nothing
        ((finish(),), [SHOULD]),
        ((delta(),), [SHOULD]),
        ((text("more"),), [MUST]),
        ((call(place=1),), [MUST]),
    ],
)
def test_what_follows_done(tail: tuple[dict[str, Json] | str, ...], expected: list[Level]) -> None:
    """No client reads on: what belongs to the answer is lost, the rest only confuses."""
    assert levels(answered(*WHOLE, DONE, *tail, done=False), "done-repeated") == expected


def test_a_finish_behind_done_is_lost() -> None:
    """A client has no finish reason then."""
    assert levels(answered(role(), call(), DONE, finish(), done=False), "done-repeated") == [MUST]


@pytest.mark.parametrize(
    ("exchange", "expected"),
    [
        (answered(*WHOLE, done=False), [SHOULD]),
        (answered(*WHOLE), []),
        (answered(*WHOLE, "data: [DONE]", done=False), []),
        (answered(*WHOLE, done=False, end=End.RESET), []),
        (answered(role(), 'data: {"error": {"message": "x"}}\n\n', done=False), []),
    ],
)
def test_done_is_missed_where_nothing_else_explains_it(exchange: Exchange, expected: list[Level]) -> None:
    """A torn stream and an error explain it; a missing blank line behind it does no harm."""
    assert levels(exchange, "done-missing") == expected


LEGACY: Json = {"name": "read_file", "arguments": '{"path": "/etc/hosts"}'}


@pytest.mark.parametrize(
    ("exchange", "expected", "verdict"),
    [
        (answered(role(), delta(function_call=LEGACY), finish("function_call")), [MUST], Verdict.DROP),
        (answered(role(), delta(function_call=LEGACY), call(), finish()), [SHOULD], Verdict.PASS),
        (answered(role(), delta(function_call=None), call(), finish()), [SHOULD], Verdict.PASS),
        (answered(role(), delta(function_call={}), call(), finish()), [SHOULD], Verdict.PASS),
        (answered(role(), delta(function_call=LEGACY), finish("function_call"), functions=[{"name": "x"}]), [], None),
    ],
)
def test_the_old_field_for_calls(exchange: Exchange, expected: list[Level], verdict: Verdict | None) -> None:
    """A call that is only there is lost; beside the right field it is only old."""
    assert levels(exchange, "legacy-function-call") == expected
    if verdict is not None:
        assert judge(exchange, RULES).verdict is verdict


def test_a_message_in_the_place_of_a_delta() -> None:
    """With a call in it the call is lost; with text alone it is a defect of form."""
    calls: Json = [{"id": "call_1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}]
    lost = answered(
        chunk({"index": 0, "message": {"content": None, "tool_calls": calls}, "finish_reason": "tool_calls"})
    )
    assert judge(lost, RULES).verdict is Verdict.DROP
    assert "with 1 call in it" in found(lost, "message-for-delta")[0].message
    twice = answered(*[chunk({"index": 0, "message": {"tool_calls": calls}, "finish_reason": None}) for _ in range(2)])
    assert levels(twice, "message-for-delta") == [MUST]
    beside = chunk({"index": 0, "delta": {}, "message": {"tool_calls": calls}, "finish_reason": "tool_calls"})
    assert judge(answered(role(), beside), RULES).verdict is Verdict.DROP
    # a copy of what came in the deltas too loses nothing
    assert judge(answered(role(), call("get_time", "{}"), beside), RULES).verdict is Verdict.PASS
    said = answered(role(), text("Hi."), chunk({"index": 0, "message": {"content": "Hi."}, "finish_reason": "stop"}))
    assert judge(said, RULES).verdict is Verdict.BROKEN


@pytest.mark.parametrize(
    ("logprobs", "asked", "expected"),
    [
        (None, True, []),
        ({"content": None, "refusal": None}, True, []),
        ({"content": [{"token": "a", "logprob": -0.5, "bytes": None, "top_logprobs": []}]}, True, []),
        ({"content": [{"token": "a", "logprob": 0}]}, True, []),
        ({"content": [{"token": "a", "logprob": None}]}, True, [SHOULD]),
        ({"content": [{"token": "a", "logprob": True}]}, True, [SHOULD]),
        ({"content": [{"logprob": -0.5}]}, True, [SHOULD]),
        ({"content": ["a"]}, True, [SHOULD]),
        ({"content": {}}, True, [SHOULD]),
        ([], True, [SHOULD]),
        ({"content": None}, False, [SHOULD]),
        (None, False, []),
    ],
)
def test_log_probabilities(logprobs: Json, asked: bool, expected: list[Level]) -> None:
    """Null, or the object of the schema, and only when asked for; a missing refusal key does no harm."""
    exchange = answered(role(), {**text("a"), "logprobs": logprobs}, finish("stop"), logprobs=asked)
    assert levels(exchange, "logprobs-shape") == expected


def test_lists_in_deltas_need_an_index_from_the_second_on() -> None:
    """One delta with such a list is fine, and so are lists of strings; each field is named once."""
    details: Json = [{"type": "reasoning.text", "text": "a"}]
    once = answered(role(), delta(reasoning_details=details), *WHOLE[1:])
    assert not found(once, "details-without-index")
    three = [delta(reasoning_details=details) for _ in range(3)]
    assert levels(answered(role(), *three, *WHOLE[1:]), "details-without-index") == [SHOULD]
    numbered: Json = [{"index": 0, "text": "a"}]
    fine = [delta(reasoning_details=numbered, citations=["x"]) for _ in range(3)]
    assert not found(answered(role(), *fine, *WHOLE[1:]), "details-without-index")


@pytest.mark.parametrize(
    ("fields", "field", "twice"),
    [
        ({"reasoning_content": "a"}, "reasoning_content;", False),
        ({"reasoning": "a"}, "reasoning;", False),
        ({"reasoning": "a", "reasoning_content": "a"}, "", True),
        ({"reasoning": None, "reasoning_content": ""}, "", False),
    ],
)
def test_the_field_of_reasoning_is_told(fields: dict[str, Json], field: str, twice: bool) -> None:
    """It is never an error; both names at once are told by their own rule."""
    exchange = answered(role(), entry(fields), call(), finish())
    told = found(exchange, "reasoning-field")
    assert [finding.level for finding in told] == ([NOTE] if field else [])
    assert all(field in finding.message for finding in told)
    assert levels(exchange, "reasoning-twice") == [NOTE] * twice
    assert judge(exchange, RULES).verdict is Verdict.PASS
