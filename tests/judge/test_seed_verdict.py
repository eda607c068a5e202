"""The old script's verdict: its rules one by one, and against a second writing of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams import DONE, HEAD, answered, call, delta, finish, on_the_wire, role, text, thought
from toolwire.exchange import End, Exchange, Read, ResponseHead
from toolwire.seed_verdict import SeedVerdict, seed_verdict

if TYPE_CHECKING:
    from toolwire.jsontext import Json

PASS, DROP, OTHER, ERROR = SeedVerdict.PASS, SeedVerdict.DROP, SeedVerdict.OTHER, SeedVerdict.ERROR


def raw(body: bytes | str, end: End = End.EOF, head: ResponseHead | None = HEAD) -> Exchange:
    """Return an exchange with this body."""
    data = body if isinstance(body, bytes) else body.encode()
    return Exchange("raw", "chat", {}, head, [Read.of(0.1, data)] if data else [], end)


def args(value: str, place: int = 0) -> dict[str, Json]:
    """Continue the arguments of a call."""
    return delta(tool_calls=[{"index": place, "function": {"arguments": value}}])


@pytest.mark.parametrize(
    ("exchange", "verdict"),
    [
        # a named call, finish tool_calls, no markup, arguments that parse
        (answered(role(), call(), finish()), PASS),
        (answered(role(), thought("Hm."), text("Reading."), call(), finish()), PASS),
        (answered(role(), call(arguments=""), finish()), PASS),
        (answered(role(), call(arguments="[1]"), finish()), PASS),
        (answered(role(), call(arguments='{"x": NaN}'), finish()), PASS),
        (answered(role(), call(arguments='{"pa'), args('th": "x"}'), finish()), PASS),
        (answered(role(), call(), args("", 1), finish()), PASS),
        (answered(role(), call(), finish(), done=False), PASS),
        (answered(role(), call(), finish("stop"), finish()), PASS),
        # no call, and either markup in content or finish stop
        (answered(role(), text("Which file?"), finish("stop")), DROP),
        (answered(role(), finish("stop")), DROP),
        (answered(role(), text("<tool_call>"), finish("length")), DROP),
        (answered(role(), text("</tool"), text("_call>"), done=False), DROP),
        (answered(role(), args("{}"), finish("stop")), DROP),
        (answered(role(), call(name=""), finish("stop")), DROP),
        # anything else
        (answered(role(), call(), finish("stop")), OTHER),
        (answered(role(), call()), OTHER),
        (answered(role(), call(), text("</tool_call>"), finish()), OTHER),
        (answered(role(), call(arguments="{"), finish()), OTHER),
        (answered(role(), call(arguments="{} x"), finish()), OTHER),
        (answered(role(), text("I would"), finish("length")), OTHER),
        (answered(role(), finish()), OTHER),
        (answered(role(), thought("<tool_call>"), finish("length")), OTHER),
        (answered(role(), text("[TOOL_CALLS]"), finish("length")), OTHER),
        (answered(role(), delta(tool_calls={"index": 0})), ERROR),
        (answered(), OTHER),
        (raw(""), OTHER),
        (raw("<html>busy</html>"), OTHER),
        (raw('{"choices": []}'), OTHER),
        # lines: `data:` with or without a space, white space around, what is no JSON is passed over
        (raw("data:" + on_the_wire([call()])[6:] + "  data: " + on_the_wire([finish()])[6:]), PASS),
        (raw("data: {\n\nevent: x\n" + on_the_wire([call(), finish()]).replace("\n", "\r\n")), PASS),
        (raw(on_the_wire([call(), finish()]) + DONE + on_the_wire([text("<tool_call>")])), PASS),
        (raw("\u2003" + on_the_wire([call(), finish()])), PASS),
        (raw("\ufeff" + on_the_wire([call()]) + on_the_wire([finish()])), OTHER),
        (raw(b"data: \xff\n\n" + on_the_wire([finish("stop")]).encode()), DROP),
        # what makes the script raise
        (raw("data: []\n\n"), ERROR),
        (raw("data: 1\n\n" + DONE), ERROR),
        (raw('data: {"choices": null}\n\n'), ERROR),
        (raw('data: {"choices": [null]}\n\n'), ERROR),
        (raw('data: {"choices": [{"delta": {"content": 1}}]}\n\n'), ERROR),
        (raw('data: {"choices": [{"delta": {"tool_calls": [{"index": [0]}]}}]}\n\n'), ERROR),
        (raw('data: {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": {"a": 1}}}]}}]}\n\n'), ERROR),
        (raw(DONE + "data: []\n\n"), OTHER),
        # the transport
        (answered(role(), call(), finish(), head=ResponseHead(404)), ERROR),
        (answered(role(), call(), finish(), head=None), ERROR),
        (answered(role(), call(), finish(), protocol="messages"), ERROR),
        (answered(role(), call(), finish(), end=End.TIMEOUT), PASS),
        (answered(role(), call(), finish(), done=False, end=End.TIMEOUT), ERROR),
        (answered(role(), call(), finish(), done=False, end=End.RESET), PASS),
        (raw("", End.RESET), ERROR),
    ],
)
def test_the_rules_of_the_script(exchange: Exchange, verdict: SeedVerdict) -> None:
    """Each line of the script that decides something decides it here too."""
    assert seed_verdict(exchange) is verdict


def by_the_words(body: str) -> SeedVerdict:
    """Say the script's verdict on a whole body, written down from its documentation a second time."""
    spoken: list[str] = []
    slots: dict[object, list[str]] = {}
    end: object = None
    for line in body.split("\n"):
        payload = line.strip().removeprefix("data:").strip()
        if not line.strip().startswith("data:"):
            continue
        if payload == "[DONE]":
            break
        try:
            chunk = json.loads(payload)
        except ValueError:
            continue
        for choice in chunk.get("choices", []):
            fields = choice.get("delta") or {}
            spoken.append(fields.get("content") or "")
            for entry in fields.get("tool_calls") or ():
                function = entry.get("function") or {}
                slot = slots.setdefault(entry.get("index", 0), ["", ""])
                slot[0] += function.get("name") or ""
                slot[1] += function.get("arguments") or ""
            end = choice.get("finish_reason") or end
    content = "".join(spoken)
    markup = any(tag in content for tag in ("<tool_call>", "</tool_call>"))
    calls = [arguments for name, arguments in slots.values() if name]
    if not calls:
        return DROP if markup or end == "stop" else OTHER
    sound = end == "tool_calls" and not markup
    for arguments in calls:
        try:
            json.loads(arguments or "{}")
        except ValueError:
            sound = False
    return PASS if sound else OTHER


PIECES = st.one_of(
    st.sampled_from(["Hm", "<tool_call>", "<tool", "_call>", "</tool_call>", ""]).map(text),
    st.builds(call, st.sampled_from(["read_file", ""]), st.sampled_from(["{}", "{", ""]), place=st.integers(0, 1)),
    st.builds(args, st.sampled_from(['{"a"', ": 1}", "}", " "]), st.integers(0, 1)),
    st.sampled_from(["stop", "tool_calls", "length", ""]).map(finish),
    st.sampled_from([": ping\n\n", "data: {\n\n", DONE, "data:\n\n", "\n", "data: {}\n\n"]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=8))
def test_any_stream_gets_the_script_s_verdict(pieces: list[dict[str, Json] | str]) -> None:
    """Both writings of the rules agree on every mixture of pieces."""
    body = on_the_wire(pieces)
    assert seed_verdict(raw(body)) is by_the_words(body)
