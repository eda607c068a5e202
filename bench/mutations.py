"""Break one thing at random in a healthy stream, and see whether a rule reports it.

    python bench/mutations.py [--count 5000] [--seed 1] [--list] [--markdown FILE]

Each base is a passing example of a rule that a client reads as a whole answer; it gets its own answer as the twin,
as a real run with the twin oracle would have it. A mutation counts when the official client's accumulator
(openai-python) or the schema check sees something else than before: another text, call, finish or usage, or an
exception. Vendors' own fields do not count, since clients must ignore them. Of those that count, the share that some
rule reports (at any level) is the rate.
"""

from __future__ import annotations

import argparse
import json
import random
import warnings
from collections import Counter
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from openai._models import construct_type
from openai._streaming import SSEDecoder
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

from toolwire.evidence import Evidence
from toolwire.exchange import Exchange, Read, decode_exchange
from toolwire.judge import Judgement, VerdictClass, judge
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolwire.jsontext import Json


@dataclass(frozen=True, slots=True)
class Base:
    """A healthy exchange, its blocks, and what was seen of it before anything was broken."""

    exchange: Exchange
    blocks: tuple[bytes, ...]
    seen: str
    findings: frozenset[tuple[str, str]]


def official_view(body: bytes, judged: Judgement) -> str:
    """Return what the official client ends up with, as text, or the exception that it raises.

    The arguments as the schema check sees them are part of it, since the client does not look at them.
    """
    state = ChatCompletionStreamState()
    try:
        for event in SSEDecoder().iter_bytes(iter([body])):
            if event.data.startswith("[DONE]"):
                break
            value = json.loads(event.data)
            if isinstance(value, dict) and value.get("error"):
                return f"error {value['error']}"
            state.handle_chunk(_typed(value))
        snapshot = state.current_completion_snapshot.to_dict(mode="json", warnings=False)
    except Exception as problem:  # noqa: BLE001 - any exception of the client is something that a user would see
        return f"raises {type(problem).__name__}"
    calls = [(call.name, call.arguments) for call in judged.calls]
    return json.dumps([_protocol_part(snapshot), calls], sort_keys=True, default=str)


def _protocol_part(snapshot: dict[str, Any]) -> list[Any]:
    """Keep what the protocol defines: vendors' own fields may hold anything, and no content is as good as empty."""
    usage = snapshot.get("usage")
    counts = {key: usage[key] for key in usage if key.endswith("_tokens")} if isinstance(usage, dict) else usage
    found: list[Any] = [counts or None]
    for choice in snapshot.get("choices") or []:
        message = choice.get("message") or {}
        calls = [
            [
                call.get("id"),
                call.get("type"),
                (call.get("function") or {}).get("name"),
                (call.get("function") or {}).get("arguments"),
            ]
            for call in message.get("tool_calls") or []
        ]
        texts = [message.get(key) or "" for key in ("role", "content", "refusal", "reasoning_content", "reasoning")]
        found.append([choice.get("index"), choice.get("finish_reason"), texts, calls])
    return found


def _typed(value: object) -> ChatCompletionChunk:
    """Build the chunk as the client does: by its own models, without validation."""
    built = construct_type(type_=ChatCompletionChunk, value=value)
    if not isinstance(built, ChatCompletionChunk):
        raise TypeError(value)
    return built


def bases() -> list[Base]:
    """Return the passing examples that hold a whole answer with at least four events."""
    found: list[Base] = []
    root = files("toolwire.rules") / "examples"
    for folder in sorted(root.iterdir(), key=lambda entry: entry.name):
        for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if not file.name.startswith("pass"):
                continue
            for line in file.read_bytes().splitlines():
                base = prepare(decode_exchange(line, file=file.name))
                if base is not None:
                    found.append(base)
    return found


def prepare(exchange: Exchange) -> Base | None:
    """Give an exchange its twin, and judge it as it is; None where it is no plain healthy stream."""
    body = b"".join(read.data for read in exchange.reads)
    if b"\r" in body or body.count(b"\n\n") < 4 or exchange.response is None or exchange.response.status != 200:  # noqa: PLR2004
        return None
    evidence = Evidence(exchange)
    if len(evidence.completion.choices) != 1 or exchange.twin is not None or exchange.generated is not None:
        return None
    exchange = msgspec.structs.replace(exchange, twin=twin_of(evidence), request={**exchange.request, "temperature": 0})
    judged = judge(exchange, RULES)
    if judged.verdict_class not in (VerdictClass.PASS, VerdictClass.WARN):
        return None
    blocks = tuple(block + b"\n\n" for block in body.split(b"\n\n") if block)
    return Base(exchange, blocks, official_view(body, judged), reported(judged))


def twin_of(evidence: Evidence) -> dict[str, object]:
    """Return the answer of a stream in its non-streamed form."""
    choice = next(iter(evidence.completion.choices.values()))
    message: dict[str, object] = {"role": "assistant", "content": choice.content.text or None}
    if choice.reasoning:
        message["reasoning_content"] = choice.reasoning.text
    if choice.calls:
        message["tool_calls"] = [
            {
                "id": f"twin_{call.index}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments.text},
            }
            for call in choice.calls
        ]
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": choice.finish}]}


def reported(judged: Judgement) -> frozenset[tuple[str, str]]:
    """Return what the rules say, without places."""
    return frozenset((finding.rule, finding.message) for finding in judged.findings)


# -- mutators: blocks and randomness in, blocks out --------------------------------------------------------------------


def drop_event(blocks: list[bytes], dice: random.Random) -> list[bytes]:
    """Lose one event."""
    del blocks[dice.randrange(len(blocks))]
    return blocks


def double_event(blocks: list[bytes], dice: random.Random) -> list[bytes]:
    """Send one event twice."""
    place = dice.randrange(len(blocks))
    return [*blocks[: place + 1], *blocks[place:]]


def swap_events(blocks: list[bytes], dice: random.Random) -> list[bytes]:
    """Send two neighbours in the wrong order."""
    place = dice.randrange(len(blocks) - 1)
    blocks[place], blocks[place + 1] = blocks[place + 1], blocks[place]
    return blocks


def cut_body(blocks: list[bytes], dice: random.Random) -> list[bytes]:
    """End the body early, at any byte."""
    body = b"".join(blocks)
    return [body[: dice.randrange(1, len(body))]]


def lose_byte(blocks: list[bytes], dice: random.Random) -> list[bytes]:
    """Lose one byte."""
    body = b"".join(blocks)
    place = dice.randrange(len(body))
    return [body[:place] + body[place + 1 :]]


def flip_byte(blocks: list[bytes], dice: random.Random) -> list[bytes]:
    """Change one byte."""
    body = bytearray(b"".join(blocks))
    body[dice.randrange(len(body))] ^= 1 << dice.randrange(8)
    return [bytes(body)]


def lose_run(blocks: list[bytes], dice: random.Random) -> list[bytes]:
    """Lose a run of bytes inside one event."""
    place = dice.randrange(len(blocks))
    block = blocks[place]
    start = dice.randrange(len(block))
    blocks[place] = block[:start] + block[start + dice.randrange(1, 12) :]
    return blocks


def change_value(blocks: list[bytes], dice: random.Random) -> list[bytes]:
    """Change the type of one value in the JSON of one event."""
    return _edit(blocks, dice, lambda value: dice.choice([None, 7, "", "x", [], {}, True, str(value)]))


def drop_key(blocks: list[bytes], dice: random.Random) -> list[bytes]:
    """Leave out one key in the JSON of one event."""
    return _edit(blocks, dice, None)


def cut_fragment(blocks: list[bytes], dice: random.Random) -> list[bytes]:
    """Lose the end of one string in the JSON of one event."""
    return _edit(blocks, dice, lambda value: value[: len(value) // 2] if isinstance(value, str) else None)


def double_fragment(blocks: list[bytes], dice: random.Random) -> list[bytes]:
    """Repeat one string in the JSON of one event."""
    return _edit(blocks, dice, lambda value: value + value if isinstance(value, str) else [value, value])


def _edit(blocks: list[bytes], dice: random.Random, change: Callable[[Json], Json] | None) -> list[bytes]:
    """Change (or drop, where `change` is None) one random value of one random event."""
    places = [place for place, block in enumerate(blocks) if _object_in(block) is not None]
    if not places:
        return blocks
    place = dice.choice(places)
    value = _object_in(blocks[place])
    slots = list(_slots(value))
    container, key = dice.choice(slots)
    if change is None:
        del container[key]
    else:
        container[key] = change(container[key])
    blocks[place] = b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"
    return blocks


def _object_in(block: bytes) -> Any:  # noqa: ANN401 - JSON that is about to be broken
    """Return the object that a plain block holds; None where it holds none that can be edited."""
    if not block.startswith(b"data: {"):
        return None
    try:
        return json.loads(block[6:]) or None
    except ValueError:
        return None


def _slots(value: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401 - JSON that is about to be broken
    """Return every place in a JSON value that holds another value."""
    found: list[tuple[Any, Any]] = []
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        keys = list(item) if isinstance(item, dict) else range(len(item)) if isinstance(item, list) else ()
        for key in keys:
            found.append((item, key))
            stack.append(item[key])
    return found


MUTATORS = (
    drop_event,
    double_event,
    swap_events,
    cut_body,
    lose_byte,
    flip_byte,
    lose_run,
    change_value,
    drop_key,
    cut_fragment,
    double_fragment,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One mutation that a client would notice."""

    mutator: str
    base: str
    reported: bool
    before: str
    after: str


def mutate(
    base: Base, mutator: Callable[[list[bytes], random.Random], list[bytes]], dice: random.Random
) -> Outcome | None:
    """Break one thing; None where nobody would notice."""
    body = b"".join(mutator(list(base.blocks), dice))
    exchange = msgspec.structs.replace(base.exchange, reads=[Read.of(1.0, body)])
    judged = judge(exchange, RULES)
    if judged.crashed:
        message = f"a rule crashed on {base.exchange.id}: {judged.crashed}"
        raise AssertionError(message)
    seen = official_view(body, judged)
    if seen == base.seen:
        return None
    return Outcome(mutator.__name__, base.exchange.id, bool(reported(judged) - base.findings), base.seen, seen)


def main() -> None:
    """Mutate, judge, and print the rate."""
    warnings.simplefilter("ignore")  # the official client warns of what it is fed here
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print what no rule reports")
    parser.add_argument("--markdown", type=Path, help="write the table to this file")
    options = parser.parse_args()
    dice = random.Random(options.seed)  # noqa: S311 - a seeded choice, no secret
    pool = bases()
    noticed: Counter[str] = Counter()
    told: Counter[str] = Counter()
    missed: list[Outcome] = []
    for _ in range(options.count):
        outcome = mutate(dice.choice(pool), dice.choice(MUTATORS), dice)
        if outcome is None:
            continue
        noticed[outcome.mutator] += 1
        told[outcome.mutator] += outcome.reported
        if not outcome.reported:
            missed.append(outcome)
    lines = ["| mutation | a client notices | a rule reports | rate |", "|---|---|---|---|"]
    for mutator in MUTATORS:
        name = mutator.__name__
        if noticed[name]:
            lines.append(
                f"| {name.replace('_', ' ')} | {noticed[name]} | {told[name]} | {told[name] / noticed[name]:.1%} |"
            )
    total, reports = sum(noticed.values()), sum(told.values())
    lines.append(f"| all | {total} | {reports} | {reports / total:.2%} |")
    print(f"{len(pool)} bases, {options.count} mutations, seed {options.seed}")
    print("\n".join(lines))
    if options.list:
        for outcome in missed:
            print(
                f"\n{outcome.mutator} of {outcome.base}",
                f"\n  before {outcome.before[:600]}\n  after  {outcome.after[:600]}",
            )
    if options.markdown:
        options.markdown.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
