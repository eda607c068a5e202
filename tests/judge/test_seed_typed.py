"""Reading a chunk by type gives the old script's verdict exactly as walking it does."""

from __future__ import annotations

import json
import random
from importlib.resources import files
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams import DONE, HEAD, call, delta, finish, on_the_wire, role, text
from toolwire import seed_verdict as module
from toolwire.exchange import Exchange, Read, decode_exchange
from toolwire.seed_verdict import TYPED, seed_verdict

BODIES = [
    b"".join(read.data for read in decode_exchange(line, file=file.name).reads)
    for folder in sorted((files("toolwire.rules") / "examples").iterdir(), key=lambda entry: entry.name)
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name)
    for line in file.read_bytes().splitlines()
]


def walked(body: bytes) -> tuple[str, dict[Any, dict[str, str]], Any, bool]:
    """Join the deltas by reading every chunk whole and walking it, line for line as the script does."""
    content: list[str] = []
    calls: dict[Any, dict[str, list[str]]] = {}
    finish: Any = None
    done = False
    for raw in body.split(b"\n"):
        line = raw.decode("utf-8", "replace").strip().encode("utf-8")
        if not line.startswith(b"data:"):
            continue
        payload = line[len(b"data:") :].strip()
        if payload == b"[DONE]":
            done = True
            break
        try:
            chunk: Any = json.loads(payload.decode("utf-8", "replace").strip())
        except json.JSONDecodeError:
            continue
        for choice in chunk.get("choices", []):
            delta = choice.get("delta") or {}
            if delta.get("content"):
                content.append("" + delta["content"])
            for entry in delta.get("tool_calls") or []:
                slot = calls.setdefault(entry.get("index", 0), {"name": [], "arguments": []})
                function = entry.get("function") or {}
                for key in slot:
                    if function.get(key):
                        slot[key].append("" + function[key])
            if choice.get("finish_reason"):
                finish = choice["finish_reason"]
    joined = {index: {key: "".join(parts) for key, parts in slot.items()} for index, slot in calls.items()}
    return "".join(content), joined, finish, done


def outcome(read: Any, body: bytes) -> object:  # noqa: ANN401 - either way of reading
    """Return what a way of reading gives, or that it raises."""
    try:
        return read(body)
    except Exception:  # noqa: BLE001 - the script catches everything in the same way
        return "raises"


def agree(body: bytes) -> None:
    """Hold both ways against each other: what they join, and the verdict."""
    exchange = Exchange("raw", "chat", {}, HEAD, [Read.of(0.1, body)] if body else [])
    assert outcome(module._accumulate, body) == outcome(walked, body)
    verdict = seed_verdict(exchange)
    with patch.object(module, "_accumulate", walked):
        assert seed_verdict(exchange) is verdict


PIECES = [
    *(
        b'"',
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b"null",
        b" ",
        b",",
        b"\\u0063",
        b"\\ud83d",
        b"\xff",
        b"\x01",
        b"\r",
        b"0",
        b"1.0",
    ),
    *(b"\x1c", "\u2003".encode(), b"9" * 5000, b"1e400", b"-", b"true", b'"choices":null,', b'"index":null,', b"NaN"),
    *(b'"content":[],', b'"content":false,', b'"delta":0,', b'"function":"",', b'"name":7,', b'"\\u0063ontent":"x",'),
    *(b'"x":"\xc3",', b'"x\xff":1,', b'"index":true,', b'"index":1.0,', b'"index":"0",', b'"finish_reason":{},', b"\n"),
]


@pytest.mark.parametrize("part", range(3))
def test_examples_and_what_is_broken_of_them(part: int) -> None:
    """Every example as it is, and broken at random in several ways."""
    dice = random.Random(part)
    for body in BODIES[part::3]:
        agree(body)
        for _ in range(12 if body else 0):
            at = dice.randrange(len(body))
            until = at + dice.randrange(3)
            agree(body[:at] + dice.choice([*PIECES, b"", bytes([dice.randrange(256)])]) + body[until:])


texts = st.none() | st.sampled_from(["", "x", "<tool_call>"])
odd: st.SearchStrategy[Any] = st.sampled_from([None, 0, 1, 1.0, True, False, "", "x", [], {}, [None], {"a": 1}, 2**70])
functions = st.dictionaries(st.sampled_from(["name", "arguments", "x"]), texts | odd, max_size=3)
entries = st.dictionaries(st.sampled_from(["index", "function", "x"]), functions | odd, max_size=3)
inner = st.fixed_dictionaries({}, optional={"content": texts | odd, "tool_calls": st.lists(entries, max_size=2) | odd})
outer = st.fixed_dictionaries({}, optional={"delta": inner | odd, "finish_reason": texts | odd, "x": odd})
chunks = st.fixed_dictionaries({}, optional={"choices": st.lists(outer | odd, max_size=2) | odd, "x": odd}) | odd


@given(st.lists(chunks, min_size=1, max_size=4), st.integers(0, 2**32), st.booleans())
@settings(max_examples=500)
def test_chunks_of_any_types(values: list[Any], seed: int, mutated: bool) -> None:
    """Whatever stands in the fields that are looked at, and whatever bytes are put between."""
    body = b"".join(b"data: %s\n\n" % json.dumps(value).encode() for value in values)
    if mutated:
        dice = random.Random(seed)
        at = dice.randrange(len(body))
        body = body[:at] + dice.choice(PIECES) + body[at + dice.randrange(3) :]
    agree(body)


def test_a_number_that_nobody_looks_at_raises_where_the_script_does() -> None:
    """A long chunk is walked, since its numbers may have more digits than Python reads."""
    for digits in (800, 4300, 4301, 9000):
        agree(b'data: {"x": %s}\n\n' % (b"9" * digits))
    assert outcome(module._accumulate, b'data: {"x": %s}\n\n' % (b"9" * 9000)) == "raises"


def test_a_number_in_the_arguments_raises_where_the_script_does() -> None:
    """Arguments with more digits than Python reads make the script raise, which is no verdict on the server."""
    body = on_the_wire([call(arguments='{"x": %s}' % ("9" * 5000)), finish()]).encode()
    agree(body)
    exchange = Exchange("raw", "chat", {}, HEAD, [Read.of(0.1, body)])
    assert seed_verdict(exchange) is module.SeedVerdict.ERROR


def test_usual_chunks_are_read_by_type() -> None:
    """None of an ordinary stream is walked; a long one is."""
    body = on_the_wire([role(), text("a"), call(), delta(tool_calls=[{"index": 0}]), finish(), DONE]).encode()
    with patch.object(module, "_fast", side_effect=AssertionError):
        assert module._accumulate(body)[2] == "tool_calls"
    with patch.object(module, "_fast", side_effect=msgspec.json.decode) as fast:
        assert module._accumulate(on_the_wire([text("x" * TYPED)]).encode())[0] == "x" * TYPED
    assert fast.call_count == 1
