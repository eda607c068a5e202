"""The reader of Chat Completions streams: what it joins, what it finds odd, and that nothing can stop it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

from toolwire.framing import Event, Span
from toolwire.protocol import chat, chat_call, chat_choice
from toolwire.protocol.anomaly import RECORDED, ChunkAnomaly
from toolwire.protocol.chat import ChatAccumulator, read_chat_body
from toolwire.protocol.request import read_chat_request

if TYPE_CHECKING:
    from toolwire.completion import Choice
    from toolwire.jsontext import Json

A = ChunkAnomaly


def chunk(*choices: Json, **fields: Json) -> dict[str, Json]:
    """Make a chunk."""
    whole: dict[str, Json] = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1796083200,
        "model": "example-model",
        "choices": list(choices),
    }
    whole.update(fields)
    return whole


def without(key: str) -> dict[str, Json]:
    """Make a chunk that lacks a field."""
    whole = chunk(delta())
    del whole[key]
    return whole


def delta(*, index: Json = 0, finish: Json = None, **fields: Json) -> dict[str, Json]:
    """Make one entry of `choices`."""
    return {"index": index, "delta": dict(fields), "finish_reason": finish}


def calls(*entries: Json, finish: Json = None) -> dict[str, Json]:
    """Make a delta with fragments of calls."""
    return delta(finish=finish, tool_calls=list(entries))


def head(index: Json = 0, **fields: Json) -> dict[str, Json]:
    """Make the first fragment of a call."""
    function: Json = {"name": "f", "arguments": ""}
    return {"index": index, "id": "call_a", "type": "function", "function": function, **fields}


def more(text: Json, index: Json = 0, **fields: Json) -> dict[str, Json]:
    """Make a later fragment of a call."""
    return {"index": index, "function": {"arguments": text}, **fields}


def named(index: Json = 0, name: Json = "f", arguments: Json = "", **fields: Json) -> dict[str, Json]:
    """Make a fragment with a name."""
    return {"index": index, "function": {"name": name, "arguments": arguments}, **fields}


ROLE = delta(role="assistant", content="")
END = delta(finish="tool_calls")
STOP = delta(finish="stop")


def fed(*parts: Json, **request: Json) -> ChatAccumulator:
    """Feed chunks (a string goes in as it stands, an entry of `choices` in a chunk of its own) and close."""
    accumulator = ChatAccumulator(read_chat_request({"tools": [], **request}))
    for number, part in enumerate(parts):
        if isinstance(part, dict) and "delta" in part:
            part = chunk(part)  # noqa: PLW2901 - the part is an entry of a chunk
        data = part if isinstance(part, str) else json.dumps(part)
        accumulator.add(Event(number=number, at=0.0, span=Span(0, 0), data=data))
    accumulator.close()
    return accumulator


def counts(accumulator: ChatAccumulator) -> dict[ChunkAnomaly, int]:
    """Return how often each oddity was met."""
    return {kind: count for kind, count in accumulator.anomalies.counts.items() if count}


def choice(accumulator: ChatAccumulator) -> Choice:
    """Return the first choice."""
    return accumulator.completion.choices[0]


@pytest.mark.parametrize(
    "parts",
    [
        (ROLE, delta(content="Hi."), STOP),
        (ROLE, delta(content=None), delta(content="", tool_calls=None, refusal=None), STOP),
        (ROLE, calls(head()), calls(more("{}")), END),
        (ROLE, calls(head(function={"name": "f"})), calls(more("{}")), END),
        (ROLE, calls(head()), calls(more("{}", id="", function={"name": None, "arguments": "{}"})), END),
        (ROLE, calls(head(), head(1, id="call_b")), calls(more("{}", 1)), END),
        (ROLE, calls(head()), calls(more("{}"), head(1, id="call_b"), more("{}", 1)), END),
        (ROLE, calls(head(name="f", extra=1)), calls(more("{}")), END),
        (delta(role="assistant", content="", index=0), delta(reasoning_content="Hm."), delta(content="Hi."), STOP),
        (ROLE, delta(reasoning="Hm."), STOP),
        (ROLE, delta(refusal=""), delta(refusal="No."), STOP),
        (ROLE, delta(details=["a", "b"], extra=1), STOP),
        (ROLE, delta(reasoning_details=[{"index": 0, "text": "Hm."}]), STOP),
        (ROLE, delta(finish="length")),
        (ROLE, STOP, "[DONE]"),
        (ROLE, STOP, " [DONE] "),
        (chunk(object="", choices=[], prompt_filter_results=[{}]), ROLE, STOP),
        (ROLE, STOP, chunk(moderation={"results": []})),
        (chunk({**ROLE, "logprobs": None}), STOP),
    ],
)
def test_what_is_legal_is_not_odd(parts: tuple[Json, ...]) -> None:
    """Optional keys, nulls, empty strings and foreign fields are no oddities."""
    assert counts(fed(*parts)) == {}


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        # payloads
        ((ROLE, "{", STOP), {A.NOT_JSON: 1}),
        ((ROLE, "", STOP), {A.NOT_JSON: 1}),
        ((ROLE, "[1]", "null", STOP), {A.NOT_OBJECT: 2}),
        ((ROLE, json.dumps(chunk(STOP))[:-1] + ', "model": "example-model"}'), {A.DUPLICATE_KEY: 1}),
        ((ROLE, json.dumps(chunk(STOP))[:-1] + ', "x": 12345678901234567890}'), {A.BIG_INTEGER: 1}),
        ((ROLE, json.dumps(chunk(delta(content="\ud800"))), STOP), {A.LONE_SURROGATE: 1}),
        ((ROLE, STOP, "[DONE]", "[DONE]"), {A.DONE_TWICE: 1}),
        ((ROLE, STOP, "[DONE]", chunk(STOP)), {A.AFTER_DONE: 1, A.FINISH_REPEATED: 1}),
        ((ROLE, STOP, "[DONE]", "x"), {A.AFTER_DONE: 1, A.NOT_JSON: 1}),
        # errors
        (({"error": {"message": "no"}},), {A.ERROR_OBJECT: 1}),
        (({"error": {"code": 5}},), {A.ERROR_OBJECT: 1, A.ERROR_SHAPE: 1}),
        (({"error": "no"},), {A.ERROR_OBJECT: 1, A.ERROR_SHAPE: 1}),
        (({"error_message": "no", "choices": None},), {A.ERROR_OBJECT: 1, A.ERROR_SHAPE: 1}),
        (({"object": "error", "message": "no"},), {A.ERROR_OBJECT: 1, A.ERROR_SHAPE: 1}),
        (({"message": "no", "code": 500},), {A.ERROR_OBJECT: 1, A.ERROR_SHAPE: 1}),
        (({"detail": "no"},), {A.ERROR_OBJECT: 1, A.ERROR_SHAPE: 1}),
        (({"error": {"message": "no"}}, ROLE), {A.ERROR_OBJECT: 1, A.AFTER_ERROR: 1}),
        # chunks
        (({"type": "ping"}, ROLE, STOP), {A.FOREIGN_EVENT: 1}),
        ((ROLE, without("id"), STOP), {A.FIELD_MISSING: 1}),
        ((ROLE, without("created"), STOP), {A.FIELD_MISSING: 1}),
        ((ROLE, without("model"), STOP), {A.FIELD_MISSING: 1}),
        ((ROLE, without("object"), STOP), {A.FIELD_MISSING: 1}),
        ((ROLE, without("choices"), STOP), {A.CHOICES_TYPE: 1}),
        ((ROLE, chunk(STOP, id=7)), {A.FIELD_TYPE: 1}),
        ((ROLE, chunk(STOP, created=1.5)), {A.FIELD_TYPE: 1}),
        ((ROLE, chunk(STOP, created=True)), {A.FIELD_TYPE: 1}),
        ((ROLE, chunk(STOP, object="chat.completion")), {A.OBJECT_VALUE: 1}),
        ((ROLE, chunk(STOP, id="chatcmpl-2")), {A.ID_CHANGES: 1}),
        ((ROLE, chunk(STOP, created=1796083201)), {A.CREATED_CHANGES: 1}),
        ((ROLE, chunk(STOP, model="other")), {A.MODEL_CHANGES: 1}),
        ((ROLE, chunk(STOP, choices=None)), {A.CHOICES_TYPE: 1}),
        ((ROLE, chunk(), STOP), {A.CHOICES_EMPTY: 1}),
        # choices
        ((ROLE, chunk("x"), STOP), {A.CHOICE_TYPE: 1}),
        ((ROLE, delta(index="0", finish="stop")), {A.CHOICE_INDEX: 1}),
        ((ROLE, delta(index=None, finish="stop")), {A.CHOICE_INDEX: 1}),
        ((delta(index=1, role="assistant"),), {A.CHOICE_RANGE: 1}),
        ((ROLE, chunk({"index": 0, "delta": None, "finish_reason": "stop"})), {A.DELTA_TYPE: 1}),
        ((ROLE, chunk({"index": 0, "finish_reason": "stop"})), {A.DELTA_TYPE: 1}),
        ((ROLE, chunk({"index": 0, "delta": {}}), STOP), {A.FINISH_KEY_MISSING: 1}),
        ((ROLE, chunk({**STOP, "logprobs": {"content": []}})), {A.LOGPROBS_UNASKED: 1}),
        # deltas
        ((delta(content="Hi."), STOP), {A.ROLE_MISSING: 1}),
        ((delta(), ROLE, STOP), {A.ROLE_MISSING: 2}),
        ((delta(role="user"), STOP), {A.ROLE_WRONG: 1}),
        ((ROLE, delta(role="assistant", content="Hi."), STOP), {A.ROLE_REPEATED: 1}),
        ((ROLE, delta(role=None, content="Hi."), STOP), {}),
        ((ROLE, delta(content=["Hi."]), STOP), {A.CONTENT_TYPE: 1}),
        ((ROLE, calls(head()), calls(more("{}")), delta(content="Hi."), END), {A.CONTENT_AFTER_CALL: 1}),
        ((ROLE, calls(head()), calls(more("{}")), delta(reasoning="Hm."), END), {A.REASONING_LATE: 1}),
        ((ROLE, delta(reasoning=["Hm."]), STOP), {A.REASONING_TYPE: 1}),
        ((ROLE, delta(reasoning="Hm.", reasoning_content="Hm."), STOP), {A.REASONING_TWICE: 1}),
        ((ROLE, delta(refusal=True), STOP), {A.REFUSAL_TYPE: 1}),
        ((ROLE, delta(function_call={"name": "f"}), STOP), {A.FUNCTION_CALL: 1}),
        ((ROLE, delta(function_call=None), STOP), {A.FUNCTION_CALL_EMPTY: 1}),
        ((ROLE, delta(reasoning_details=[{"text": "Hm."}]), STOP), {A.DETAILS_WITHOUT_INDEX: 1}),
        # the shape of calls
        ((ROLE, delta(tool_calls={}), STOP), {A.CALLS_TYPE: 1}),
        ((ROLE, delta(tool_calls="x"), STOP), {A.CALLS_TYPE: 1}),
        ((ROLE, delta(tool_calls=[]), STOP), {A.CALLS_EMPTY: 1}),
        ((ROLE, calls("x", None), STOP), {A.ENTRY_TYPE: 2}),
        # their indexes
        ((ROLE, calls({**head(), "index": None}), calls(more("{}")), END), {A.INDEX_MISSING: 1}),
        ((ROLE, calls(head()), calls({"function": {"arguments": "{}"}}), END), {A.INDEX_MISSING: 1}),
        ((ROLE, calls(head("0")), calls(more("{}")), END), {A.INDEX_TEXT: 1}),
        ((ROLE, calls(head(0.5)), calls(more("{}")), END), {A.INDEX_TYPE: 1}),
        ((ROLE, calls(head(1)), calls(more("{}", 1)), END), {A.INDEX_START: 1}),
        ((ROLE, calls(head(-1)), calls(more("{}", -1)), END), {A.INDEX_START: 1}),
        ((ROLE, calls(head()), calls(more("{}"), head(2, id="b"), more("{}", 2)), END), {A.INDEX_GAP: 1}),
        ((ROLE, calls(head(), head(1, id="b")), calls(more("{}")), END), {A.INTERLEAVED: 1}),
        ((ROLE, calls(head(), head(1, id="b")), calls(more("{}"), more("{}", 1)), END), {A.INTERLEAVED: 1}),
        # a second call under one index
        ((ROLE, calls(head()), calls(more("{}"), head(id="b", function={"name": "g"})), END), {A.INDEX_REUSED: 1}),
        ((ROLE, calls(head()), calls(head(id="b", function={"name": "g"})), END), {A.INDEX_REUSED: 1}),
        ((ROLE, calls(head()), calls(more("{}"), head(id="b")), END), {A.INDEX_REUSED: 1}),
        ((ROLE, calls(head()), calls(more("{}"), named(name="g")), END), {A.INDEX_REUSED: 1}),
        # their ids
        ((ROLE, calls(head(id=None)), calls(more("{}")), END), {A.CALL_ID_MISSING: 1}),
        ((ROLE, calls(head(id="")), calls(more("{}")), END), {A.CALL_ID_MISSING: 1}),
        ((ROLE, calls(head(id="")), calls(more("{}", id="a")), END), {A.CALL_ID_LATE: 1}),
        ((ROLE, calls(head(id=7)), calls(more("{}")), END), {A.CALL_ID_TYPE: 1}),
        ((ROLE, calls(head()), calls(more("{}", id=7)), END), {A.CALL_ID_TYPE: 1}),
        ((ROLE, calls(head()), calls(more("{}", id="call_a")), END), {A.CALL_ID_REPEATED: 1}),
        ((ROLE, calls(head()), calls(more("{}", id="call_b")), END), {A.CALL_ID_CHANGES: 1}),
        (
            (ROLE, calls(head()), calls(more("{")), calls(named(name="f", arguments="}", id="b")), END),
            {A.CALL_ID_CHANGES: 1, A.NAME_REPEATED: 1},
        ),
        # their types
        ((ROLE, calls({"index": 0, "id": "a", "function": {"name": "f"}}), END), {A.CALL_TYPE_MISSING: 1}),
        ((ROLE, calls(head(type=None)), calls(more("{}", type="function")), END), {A.CALL_TYPE_LATE: 1}),
        ((ROLE, calls(head(type="tool")), END), {A.CALL_TYPE_WRONG: 1}),
        ((ROLE, calls(head(type="custom")), END), {A.CALL_TYPE_WRONG: 1}),
        ((ROLE, calls(head()), calls(more("{}", type="tool")), END), {A.CALL_TYPE_WRONG: 1}),
        ((ROLE, calls(head()), calls(more("{}", type=None)), END), {A.CALL_TYPE_NULL: 1}),
        ((ROLE, calls(head()), calls(more("{}", type="")), END), {A.CALL_TYPE_NULL: 1}),
        ((ROLE, calls(head()), calls(more("{}", type="function")), END), {A.CALL_TYPE_REPEATED: 1}),
        # their names
        ((ROLE, calls(head(function={"arguments": "{}"})), END), {A.NAME_MISSING: 1}),
        ((ROLE, calls(head(function={"name": 7})), END), {A.NAME_TYPE: 1}),
        ((ROLE, calls(head(function={"name": ""})), calls(named(name="f")), END), {A.NAME_LATE: 1}),
        ((ROLE, calls(head()), calls(named(name={})), END), {A.NAME_TYPE: 1}),
        ((ROLE, calls(head()), calls(named(name="f")), END), {A.NAME_REPEATED: 1}),
        ((ROLE, calls(head()), calls(named(name="g")), END), {A.NAME_SPLIT: 1}),
        # what is in the wrong place or of the wrong type
        ((ROLE, calls(head(function=None)), END), {A.FUNCTION_TYPE: 1, A.NAME_MISSING: 1}),
        ((ROLE, calls(head()), calls({"index": 0, "function": None}), END), {A.FUNCTION_TYPE: 1}),
        ((ROLE, calls(head()), calls({"index": 0}), END), {A.FUNCTION_ABSENT: 1}),
        (
            (ROLE, calls({"index": 0, "id": "a", "type": "function", "name": "f"}), END),
            {A.MISPLACED: 1, A.NAME_MISSING: 1},
        ),
        ((ROLE, calls(head(arguments="{}", name="f", function={"name": "f"})), END), {A.MISPLACED: 1}),
        ((ROLE, calls(head(id=None, function={"name": "f", "id": "a"})), END), {A.MISPLACED: 1, A.CALL_ID_MISSING: 1}),
        ((ROLE, calls(head(function={"name": "f", "parameters": {}})), END), {A.MISPLACED: 1}),
        ((ROLE, calls(head(function={"name": "f", "arguments": {}})), END), {A.ARGUMENTS_TYPE: 1}),
        ((ROLE, calls(head(function={"name": "f", "arguments": None})), calls(more("{}")), END), {A.ARGUMENTS_NULL: 1}),
        ((ROLE, calls(head()), calls(more(["{}"])), END), {A.ARGUMENTS_TYPE: 1}),
        ((ROLE, calls(head()), calls(more("{}"), more("}", 1)), END), {A.STRAY_FRAGMENT: 1}),
        ((ROLE, calls({"index": 0, "id": "a", "type": "custom", "custom": "f"}), END), {A.NAME_MISSING: 1}),
        (
            (ROLE, calls({"index": 0, "id": "a", "type": "custom", "custom": {"name": "f", "input": {"x": 1}}}), END),
            {A.CUSTOM_CALL: 1, A.ARGUMENTS_TYPE: 1},
        ),
        (
            (ROLE, calls({"index": 0, "id": "a", "type": "custom", "custom": {"name": "f", "input": "x"}}), END),
            {A.CUSTOM_CALL: 1},
        ),
        # ends
        ((ROLE, delta(finish=""), STOP), {A.FINISH_EMPTY: 1}),
        ((ROLE, delta(finish=["stop"])), {A.FINISH_TYPE: 1}),
        ((ROLE, delta(finish="eos")), {A.FINISH_UNKNOWN: 1}),
        ((ROLE, STOP, END), {A.EMPTY_AFTER_FINISH: 0, A.FINISH_TWICE: 1}),
        ((ROLE, STOP, STOP), {A.FINISH_REPEATED: 1}),
        ((ROLE, delta(content="Hi.", finish="stop")), {A.FINISH_WITH_DELTA: 1}),
        ((ROLE, delta(role="assistant", finish="stop")), {A.ROLE_REPEATED: 1}),
        ((ROLE, STOP, delta(content="Hi.")), {A.DELTA_AFTER_FINISH: 1}),
        ((ROLE, STOP, delta(content="")), {A.EMPTY_AFTER_FINISH: 1}),
        # usage
        ((ROLE, STOP, chunk(usage=3)), {A.USAGE_TYPE: 1}),
        ((ROLE, STOP, chunk(usage={"prompt_tokens": 1})), {A.USAGE_NUMBER: 1}),
        (
            (ROLE, STOP, chunk(usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 3})),
            {A.USAGE_SUM: 1, A.USAGE_UNASKED: 1},
        ),
    ],
)
def test_an_oddity_is_noted_once_and_nothing_else(parts: tuple[Json, ...], wanted: dict[ChunkAnomaly, int]) -> None:
    """Each departure from the grammar has its own kind, and one fault is not told under several."""
    assert counts(fed(*parts)) == {kind: count for kind, count in wanted.items() if count}


@pytest.mark.parametrize(
    ("parts", "request_", "wanted"),
    [
        ((chunk(delta(index=1, role="assistant")), chunk(ROLE)), {"n": 2}, {A.CHOICE_ORDER: 1}),
        ((chunk(ROLE, delta(index=1, role="assistant")),), {"n": 2}, {}),
        ((chunk({**ROLE, "logprobs": {"content": [{"token": 3}]}}),), {"logprobs": True}, {A.LOGPROBS_SHAPE: 1}),
        ((chunk({**ROLE, "logprobs": []}),), {"logprobs": True}, {A.LOGPROBS_SHAPE: 1}),
        ((chunk({**ROLE, "logprobs": {"content": {}}}),), {"logprobs": True}, {A.LOGPROBS_SHAPE: 1}),
        (
            (
                chunk(ROLE),
                chunk(usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}),
                chunk(STOP),
            ),
            {"stream_options": {"include_usage": True}},
            {A.USAGE_EARLY: 1},
        ),
    ],
)
def test_what_was_asked_for_decides(
    parts: tuple[Json, ...], request_: dict[str, Json], wanted: dict[ChunkAnomaly, int]
) -> None:
    """Several choices, logprobs and usage are right where the request wants them."""
    assert counts(fed(*parts, **request_)) == wanted


def test_an_oddity_says_where_it_stands() -> None:
    """It knows its event, its choice and its call, and carries what stood there."""
    accumulator = fed(ROLE, calls(head()), calls(more("{}"), head(2, id=9)), END)
    assert [(odd.event, odd.choice, odd.call, odd.detail) for odd in accumulator.anomalies.of(A.INDEX_GAP)] == [
        (2, 0, 2, "index 2 where 1 was next")
    ]
    assert [(odd.event, odd.call, odd.detail) for odd in accumulator.anomalies.of(A.CALL_ID_TYPE)] == [(2, 2, "9")]


def test_fragments_keep_their_events() -> None:
    """Each character of the arguments is found in the event that brought it."""
    call = choice(fed(ROLE, calls(head()), calls(more('{"a"')), calls(more(": 1}")), END)).calls[0]
    assert call.arguments.text == '{"a": 1}'
    assert [call.arguments.event_at(offset) for offset in (0, 3, 4, 7)] == [2, 2, 3, 3]
    assert (call.first_event, call.last_event) == (1, 3)


def test_entries_without_an_index_are_put_where_they_belong() -> None:
    """A new id or name opens the next call, and anything else goes on with the last one."""
    first, second = {**head(id="a")}, {**head(id="b", function={"name": "g", "arguments": ""})}
    rest: Json = {"function": {"arguments": "{}"}}
    for entry in (first, second):
        del entry["index"]
    found = choice(fed(ROLE, calls(first), calls(rest), calls(second), calls(rest), END)).calls
    assert [(call.index, call.id, call.name, call.arguments.text) for call in found] == [
        (0, "a", "f", "{}"),
        (1, "b", "g", "{}"),
    ]


def test_a_call_that_is_opened_late_is_no_stray() -> None:
    """Whether a fragment belongs nowhere is known only at the end."""
    late, never = choice(
        fed(ROLE, calls(more("{")), calls(named(arguments="}", id="a")), calls(more("}", 1)), END)
    ).calls
    assert not late.stray
    assert never.stray


def test_a_message_in_place_of_a_delta_is_kept_apart() -> None:
    """Its calls did not come in the field for calls of a stream, so they are no calls of the choice."""
    message: Json = {"role": "assistant", "tool_calls": [head()]}
    accumulator = fed(chunk({"index": 0, "message": message, "finish_reason": "tool_calls"}))
    assert choice(accumulator).calls == []
    assert [json.loads(said.value) for said in choice(accumulator).foreign_calls] == [head()]
    assert counts(accumulator)[A.MESSAGE_FOR_DELTA] == 1


def test_a_hostile_stream_is_kept_within_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is repeated, only so much of it is held, and the rest is counted."""
    monkeypatch.setattr(chat_call, "CALL_LIMIT", 5)
    monkeypatch.setattr(chat_call, "REPEATS", 4)
    monkeypatch.setattr(chat_choice, "KEPT", 3)
    monkeypatch.setattr(chat, "ERRORS", 2)
    monkeypatch.setattr(chat, "CHOICES", 2)
    many = 40
    opened = fed(ROLE, *[calls(head(index, id=f"call_{index}")) for index in range(many)])
    assert len(choice(opened).calls) == 5
    assert counts(opened)[A.TOO_MANY_CALLS] == many - 5
    renamed = fed(ROLE, calls(head()), *[calls(named(name=f"n{step}", id=f"i{step}")) for step in range(many)])
    assert len(choice(renamed).calls[0].names) == len(choice(renamed).calls[0].ids) == 4
    ended = fed(ROLE, *[STOP] * many)
    assert len(choice(ended).finishes) == 3
    assert counts(ended)[A.FINISH_REPEATED] == many - 1
    assert len(ended.anomalies.of(A.FINISH_REPEATED)) == RECORDED
    error: Json = {"error": {"message": "no"}}
    failed = fed(*[error] * many)
    assert len(failed.completion.errors) == 2
    spread = fed(*[chunk(delta(index=index, role="assistant")) for index in range(many)])
    assert len(spread.completion.choices) == 2
    old: Json = {"name": "f", "arguments": "{}"}
    legacy = fed(ROLE, *[delta(function_call=old)] * many)
    assert len(choice(legacy).foreign_calls) == 3
    assert counts(legacy)[A.FUNCTION_CALL] == many
    message: Json = {"tool_calls": [{"function": old}] * many}
    whole = fed(chunk({"index": 0, "message": message, "finish_reason": None}))
    assert len(choice(whole).foreign_calls) == 3


def test_an_event_named_error_is_an_error_whatever_it_holds() -> None:
    """A chunk under that name is no part of the answer: clients raise on the name."""
    accumulator = ChatAccumulator(read_chat_request({}))
    data = json.dumps(chunk(delta(content="Hi.")))
    accumulator.add(Event(number=0, at=0.0, span=Span(0, 0), data=data, name="error"))
    completion = accumulator.close()
    assert [said.value for said in completion.errors] == [data]
    assert completion.choices == {}
    (odd,) = accumulator.anomalies.of(A.ERROR_SHAPE)
    assert odd.detail == "an event named error with choices"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "index": JSON | st.integers(0, 2),
        "id": JSON | st.sampled_from(["a", "b", ""]),
        "type": JSON | st.just("function"),
        "function": JSON | st.fixed_dictionaries({}, optional={"name": JSON, "arguments": JSON | st.text(max_size=4)}),
        "custom": JSON | st.fixed_dictionaries({}, optional={"name": JSON, "input": JSON}),
        "arguments": JSON,
    },
)
DELTA = st.fixed_dictionaries(
    {},
    optional={
        "role": JSON | st.just("assistant"),
        "content": JSON | st.text(max_size=4),
        "tool_calls": JSON | st.lists(ENTRY | JSON, max_size=3),
        "reasoning": JSON,
        "reasoning_content": JSON,
        "refusal": JSON,
        "function_call": JSON,
        "details": JSON,
    },
)
CHOICE = st.fixed_dictionaries(
    {},
    optional={
        "index": JSON | st.integers(0, 2),
        "delta": JSON | DELTA,
        "message": JSON | DELTA,
        "finish_reason": JSON | st.sampled_from(["stop", "tool_calls", ""]),
        "logprobs": JSON,
    },
)
CHUNK = st.fixed_dictionaries(
    {},
    optional={
        "id": JSON,
        "object": JSON | st.just("chat.completion.chunk"),
        "created": JSON,
        "model": JSON,
        "choices": JSON | st.lists(CHOICE | JSON, max_size=3),
        "usage": JSON,
        "error": JSON,
    },
)


@given(st.lists(CHUNK | JSON | st.text(max_size=12), max_size=8))
def test_nothing_stops_it(parts: list[Json]) -> None:
    """Whatever JSON stands in whatever place, each event is taken, and all that is kept is bounded by what came."""
    accumulator = fed(*parts)
    taken = [call for choice in accumulator.completion.choices.values() for call in choice.calls]
    assert all(call.first_event <= call.last_event < len(parts) for call in taken)
    assert all(odd.event < len(parts) for odd in accumulator.anomalies.of(*ChunkAnomaly))


# -- the official accumulator as a second opinion --------------------------------------------------------------------


class Plain:
    """A whole answer as both accumulators should hold it: content, calls (id, name, arguments), finish."""

    def __init__(self, content: str, made: list[tuple[str, str, str]], finish: str) -> None:
        self.content = content
        self.calls = made
        self.finish = finish


def cuts(text: str) -> st.SearchStrategy[list[str]]:
    """Cut a text at any places."""
    places = st.lists(st.integers(0, len(text)), max_size=5).map(sorted)
    return places.map(lambda at: [text[i:j] for i, j in zip([0, *at], [*at, len(text)], strict=True)])


@st.composite
def valid_streams(draw: st.DrawFn) -> tuple[list[dict[str, Json]], list[Plain]]:
    """Draw answers of one to three choices and a right stream of them, the choices interleaved."""
    answers: list[Plain] = []
    lanes: list[list[dict[str, Json]]] = []
    for index in range(draw(st.integers(1, 3))):
        content = draw(st.text(max_size=12))
        arguments = draw(st.lists(st.dictionaries(st.text(max_size=5), JSON, max_size=3), max_size=3))
        made = [(f"call_{index}_{place}", f"tool_{place}", json.dumps(value)) for place, value in enumerate(arguments)]
        answer = Plain(content, made, draw(st.sampled_from(["length", "tool_calls" if made else "stop"])))
        lane = [delta(index=index, content=piece) for piece in draw(cuts(content))]
        for place, (identity, name, text) in enumerate(made):
            pieces = draw(cuts(text))
            opening: dict[str, Json] = {"name": name, "arguments": pieces[0]}
            first: Json = {"index": place, "id": identity, "type": "function", "function": opening}
            lane.append(delta(index=index, tool_calls=[first]))
            lane += [delta(index=index, tool_calls=[more(piece, place)]) for piece in pieces[1:]]
        lane.append(delta(index=index, finish=answer.finish))
        answers.append(answer)
        lanes.append(lane)
    chunks = [chunk(delta(index=index, role="assistant", content="")) for index in range(len(answers))]
    while any(lanes):
        lane = draw(st.sampled_from([lane for lane in lanes if lane]))
        chunks.append(chunk(lane.pop(0)))
    return chunks, answers


@given(valid_streams())
def test_it_joins_what_the_official_accumulator_joins(drawn: tuple[list[dict[str, Json]], list[Plain]]) -> None:
    """On right streams both hold the same text, calls and ends, and ours finds nothing odd."""
    chunks, answers = drawn
    accumulator = fed(*chunks, n=len(answers))
    state = ChatCompletionStreamState[None]()
    for part in chunks:
        state.handle_chunk(ChatCompletionChunk.model_validate(part))
    for theirs, answer in zip(state.current_completion_snapshot.choices, answers, strict=True):
        ours = accumulator.completion.choices[theirs.index]
        joined = [(call.id, call.function.name, call.function.arguments) for call in theirs.message.tool_calls or []]
        assert [(call.id, call.name, call.arguments.text) for call in ours.calls] == joined == answer.calls
        assert ours.content.text == theirs.message.content == answer.content
        assert ours.finish == theirs.finish_reason == answer.finish
        assert ours.role == theirs.message.role == "assistant"
    assert counts(accumulator) == {}


@pytest.mark.parametrize(
    ("fragment", "name", "arguments"),
    [
        (named(name="f", arguments="{}"), "ff", "{}"),
        (named(name="g", arguments="{}"), "fg", "{}"),
        (named(name=None, arguments="{}"), "f", "{}"),
        (more("{}", id="", type="function"), "f", "{}"),
        (head(id="call_b", function={"name": "g", "arguments": '{"b": 1}'}), "fg", '{"b": 1}'),
    ],
)
def test_it_shows_the_damage_that_joining_clients_have(fragment: Json, name: str, arguments: str) -> None:
    """A name that is sent again is joined, as the official accumulator joins it."""
    parts = [chunk(ROLE), chunk(calls(head())), chunk(calls(fragment))]
    state = ChatCompletionStreamState[None]()
    for part in parts:
        state.handle_chunk(ChatCompletionChunk.model_validate(part))
    theirs = state.current_completion_snapshot.choices[0].message.tool_calls
    ours = choice(fed(*parts)).calls
    assert theirs is not None
    assert [(call.name, call.arguments.text) for call in ours] == [(name, arguments)]
    assert [(call.function.name, call.function.arguments) for call in theirs] == [(name, arguments)]


# -- whole bodies ----------------------------------------------------------------------------------------------------


@given(valid_streams())
def test_a_whole_body_reads_as_its_stream_does(drawn: tuple[list[dict[str, Json]], list[Plain]]) -> None:
    """The same answer, streamed or not, is the same Completion in all that is compared."""
    _, answers = drawn
    entries: list[Json] = []
    for index, answer in enumerate(answers):
        made: list[Json] = [
            {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}
            for identity, name, arguments in answer.calls
        ]
        message: Json = {"role": "assistant", "content": answer.content, "tool_calls": made}
        entries.append({"index": index, "message": message, "finish_reason": answer.finish})
    whole = read_chat_body({"choices": entries}, read_chat_request({}))
    for index, answer in enumerate(answers):
        found = whole.choices[index]
        assert [(call.id, call.name, call.arguments.text) for call in found.calls] == answer.calls
        assert found.content.text == answer.content
        assert found.finish == answer.finish


def test_a_whole_body_may_be_odd() -> None:
    """What cannot be used is left out; arguments that came as an object count as their text."""
    message: Json = {
        "reasoning": "Hm.",
        "tool_calls": ["x", {"function": {"name": "f", "arguments": {"a": 1}}}, {"function": {}}],
    }
    body: dict[str, Json] = {
        "choices": ["x", {"message": 3}, {"index": True, "message": message}],
        "usage": {"total_tokens": 3},
        "error": {"message": "no"},
    }
    whole = read_chat_body(body, read_chat_request({}))
    (found,) = whole.choices.values()
    assert (found.reasoning.text, found.finish) == ("Hm.", None)
    assert [(call.id, call.name, call.arguments.text) for call in found.calls] == [
        (None, "f", '{"a": 1}'),
        (None, "", ""),
    ]
    assert whole.usage is not None
    assert [json.loads(said.value) for said in whole.errors] == [{"message": "no"}]


@given(JSON | st.fixed_dictionaries({"choices": st.lists(CHOICE, max_size=3), "usage": JSON}))
def test_any_whole_body_can_be_read(body: Json) -> None:
    """The twin may be anything."""
    assert read_chat_body(body if isinstance(body, dict) else {"choices": body}, read_chat_request({})).chunks == 1
