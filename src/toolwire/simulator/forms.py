"""The healthy forms of a plan: a stream in the habit of an engine, or one whole body.

Knows: what the streams of engines look like (formats, section 3). Must not know: how a plan is made, faults.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from toolwire.simulator.script import CHARACTERS_A_TOKEN, HEAD, PlannedCall, tokens
from toolwire.simulator.wire import Chunk, Done, Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.simulator.script import Plan

    Object = dict[str, object]

__all__ = ["Dialect", "stream", "whole"]

FRAGMENT = CHARACTERS_A_TOKEN
"""Characters of one fragment: about what an engine sends for one token."""


class Dialect(StrEnum):
    """Whose habits a healthy stream has."""

    OPENAI = "openai"
    VLLM = "vllm"
    SGLANG = "sglang"
    LLAMACPP = "llamacpp"
    OLLAMA = "ollama"


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the budget leaves of a plan; the last call's arguments may be cut."""

    reasoning: str
    text: str
    calls: tuple[PlannedCall, ...]


def stream(plan: Plan, *, dialect: Dialect | str = Dialect.OPENAI) -> Wire:
    """Return the healthy stream of a plan."""
    form = Dialect(dialect)
    chunks: list[Object] = []
    kept = _keep(plan)
    for index in range(plan.n):
        chunks += [_chunk(plan, form, [_choice(index, delta, form)]) for delta in _deltas(plan, kept, index, form)]
        chunks.append(_chunk(plan, form, [_last_choice(plan, index, form)]))
    if plan.include_usage:
        chunks.append({**_chunk(plan, form, []), "usage": dict(plan.usage)})
    if form is Dialect.LLAMACPP:
        chunks[-1]["timings"] = {
            "prompt_n": plan.usage["prompt_tokens"],
            "predicted_n": plan.usage["completion_tokens"],
        }
    return Wire((*map(Chunk, chunks), Done()))


def whole(plan: Plan) -> Object:
    """Return the answer in its non-streamed form: what the stream of the same plan comes to."""
    kept = _keep(plan)
    choices = []
    for index in range(plan.n):
        message: Object = {"role": "assistant", "content": kept.text or None}
        if kept.reasoning:
            message["reasoning_content"] = kept.reasoning
        if kept.calls:
            message["tool_calls"] = [
                {
                    "id": _id(call, index, Dialect.OPENAI),
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments_json},
                }
                for call in kept.calls
            ]
        choices.append({"index": index, "message": message, "logprobs": None, "finish_reason": plan.finish})
    return {
        "id": plan.id,
        "object": "chat.completion",
        "created": plan.created,
        "model": plan.model,
        "choices": choices,
        "usage": dict(plan.usage),
    }


def _keep(plan: Plan) -> _Kept:
    """Cut a plan where its budget ends; a call whose head does not fit does not come at all."""
    if plan.budget is None:
        return _Kept(plan.reasoning, plan.text, plan.calls)
    left = plan.budget
    said = []
    for part in (plan.reasoning, plan.text):
        said.append(part[: left * CHARACTERS_A_TOKEN])
        left = max(0, left - tokens(part))
    calls: list[PlannedCall] = []
    for call in plan.calls:
        left -= HEAD
        if left < 0:
            break
        calls.append(PlannedCall(call.name, call.arguments_json[: left * CHARACTERS_A_TOKEN], call.id))
        left = max(0, left - tokens(call.arguments_json))
    return _Kept(said[0], said[1], tuple(calls))


_FINGERPRINTS = {
    Dialect.LLAMACPP: "b7214-3f1ab0c2",
    Dialect.OLLAMA: "fp_ollama",
}


def _chunk(plan: Plan, form: Dialect, choices: list[Object]) -> Object:
    """Return one chunk."""
    chunk: Object = {
        "id": plan.id,
        "object": "chat.completion.chunk",
        "created": plan.created,
        "model": plan.model,
        "choices": choices,
    }
    if form in _FINGERPRINTS:
        chunk["system_fingerprint"] = _FINGERPRINTS[form]
    return chunk


def _choice(index: int, delta: Object, form: Dialect, finish: str | None = None) -> Object:
    """Return one entry of `choices`; llama.cpp and Ollama have no key for log probabilities."""
    choice: Object = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
    if form in (Dialect.LLAMACPP, Dialect.OLLAMA):
        del choice["logprobs"]
    return choice


def _last_choice(plan: Plan, index: int, form: Dialect) -> Object:
    """Return the entry that finishes a choice, with what an engine says about why it stopped."""
    choice = _choice(index, {}, form, plan.finish)
    if form is Dialect.VLLM:
        choice["stop_reason"] = None
    elif form is Dialect.SGLANG:
        choice["matched_stop"] = None
    return choice


def _deltas(plan: Plan, kept: _Kept, index: int, form: Dialect) -> Iterator[Object]:
    """Yield the deltas of one choice, without the finish."""
    nothing_said: Object = {}
    if form is Dialect.OLLAMA:
        nothing_said = {"content": ""}
    elif form is Dialect.SGLANG:
        nothing_said = {"content": None}
    yield {"role": "assistant", "content": None if form is Dialect.LLAMACPP else ""}
    thinking = "reasoning" if form in (Dialect.VLLM, Dialect.OLLAMA) else "reasoning_content"
    for piece in _pieces(kept.reasoning):
        yield {**nothing_said, thinking: piece}
    for piece in _pieces(kept.text):
        yield {"content": piece, **({"reasoning_content": None} if form is Dialect.SGLANG else {})}
    for place, call in enumerate(kept.calls):
        if form is Dialect.OLLAMA and call.arguments_json != plan.calls[place].arguments_json:
            return  # what comes whole or not at all does not come cut
        for entry in _entries(call, place, _id(call, index, form), form):
            yield {**nothing_said, "tool_calls": [entry]}


def _entries(call: PlannedCall, place: int, identity: str, form: Dialect) -> Iterator[Object]:
    """Yield the entries of `tool_calls` of one call, each for a delta of its own."""
    head: Object = {"index": place, "id": identity, "type": "function"}
    if form is Dialect.OLLAMA:
        yield {**head, "function": {"name": call.name, "arguments": call.arguments_json}}
        return
    name: Object = {"name": call.name}
    yield {**head, "function": name if form is Dialect.VLLM else {**name, "arguments": ""}}
    for piece in _pieces(call.arguments_json):
        if form is Dialect.SGLANG:
            nulls: Object = {"name": None, "arguments": piece}
            yield {"id": None, "index": place, "type": "function", "function": nulls}
        else:
            yield {"index": place, "function": {"arguments": piece}}


def _pieces(text: str) -> Iterator[str]:
    """Cut a text into fragments."""
    for place in range(0, len(text), FRAGMENT):
        yield text[place : place + FRAGMENT]


_IDS = {
    Dialect.VLLM: ("chatcmpl-tool-", 16),
    Dialect.SGLANG: ("call_", 24),
    Dialect.LLAMACPP: ("", 32),
    Dialect.OLLAMA: ("call_", 8),
}
"""How engines write ids: the beginning, and how many characters of chance follow it."""


def _id(call: PlannedCall, index: int, form: Dialect) -> str:
    """Return the id of a call in one choice, as an engine writes it: choices never share one."""
    if form not in _IDS:
        return call.id if index == 0 else f"{call.id}{index}"
    beginning, length = _IDS[form]
    digest = hashlib.sha256(f"{call.id}:{index}".encode()).hexdigest()
    return beginning + digest[:length]
