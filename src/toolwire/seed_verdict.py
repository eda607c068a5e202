"""What the old script would have said of the same bytes, so that old numbers stay comparable.

Its rules (design, section 2): read line by line, take lines that begin with `data:`, stop at `[DONE]`, skip what is
no JSON; then a named call, finish `tool_calls`, no `<tool_call>` in content and arguments that parse (`""` counts as
`{}`) is PASS; no named call and markup in content or finish `stop` is DROP; an exception is ERROR; else OTHER.

Knows: those rules, on purpose nothing better. Must not know: our decoders.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import msgspec

from toolwire.exchange import End

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolwire.exchange import Exchange, Read

__all__ = ["SeedVerdict", "seed_verdict"]

_fast = msgspec.json.decode
"""A quicker reader; what it refuses goes to the one that the script uses, so the answers are the same."""


class _Function(msgspec.Struct, gc=False):
    """What the script looks at in the `function` of an entry."""

    name: str | None = None
    arguments: str | None = None


class _Entry(msgspec.Struct, gc=False):
    """What it looks at in an entry of `tool_calls`."""

    index: int = 0
    function: _Function | None = None


class _Delta(msgspec.Struct, gc=False):
    """What it looks at in a delta."""

    content: str | None = None
    tool_calls: list[_Entry] | None = None


class _Choice(msgspec.Struct, gc=False):
    """What it looks at in a choice."""

    delta: _Delta | None = None
    finish_reason: str | None = None


class _Chunk(msgspec.Struct, gc=False):
    """What it looks at in a chunk, where all of that has the usual types."""

    choices: list[_Choice] = []


_typed = msgspec.json.Decoder(_Chunk).decode
"""Reads a chunk without building what nobody looks at; what it refuses is read and walked as the script does."""

TYPED = 900
"""Bytes of a chunk that are read by type: in longer ones a number that is passed over could have more digits than
Python reads, or brackets more depth, and there the script's reader raises."""

HTTP_ERROR = 300
"""From this status on the script's HTTP library raises (redirects that lead nowhere included)."""


class SeedVerdict(StrEnum):
    """The old script's four words."""

    PASS = "PASS"  # noqa: S105 - a verdict, no password
    DROP = "DROP"
    OTHER = "OTHER"
    ERROR = "ERROR"


def seed_verdict(exchange: Exchange) -> SeedVerdict:
    """Return the old script's verdict on an exchange of protocol `chat`; ERROR for any other protocol."""
    head = exchange.response
    if exchange.protocol != "chat" or head is None or head.status >= HTTP_ERROR:
        return SeedVerdict.ERROR
    body = _body(exchange.reads)
    try:
        content, calls, finish, done = _accumulate(body)
    except Exception:  # noqa: BLE001 - the script catches everything in the same way
        return SeedVerdict.ERROR
    if not done and (exchange.end in (End.TIMEOUT, End.REFUSED) or (exchange.end is End.RESET and not exchange.reads)):
        # a chunked body that merely lacks its end is read by the script's library as if it were whole
        return SeedVerdict.ERROR
    try:
        return _classify(content, calls, finish)
    except Exception:  # noqa: BLE001 - as above: a number too long for Python's own reader is one such
        return SeedVerdict.ERROR


@dataclass(slots=True)
class _Joined:
    """The deltas as the script joins them.

    The fragments are joined at the end: adding each to a growing text would copy it every time.
    """

    content: list[str] = field(default_factory=list)
    calls: dict[Any, tuple[list[str], list[str]]] = field(default_factory=dict)
    """Names and arguments by index."""
    finish: Any = None

    def add_typed(self, chunk: _Chunk) -> None:
        """Take a chunk of the usual types."""
        for choice in chunk.choices:
            delta = choice.delta
            if delta is not None:
                if delta.content:
                    self.content.append(delta.content)
                for entry in delta.tool_calls or ():
                    slot = self.calls.get(entry.index)
                    if slot is None:
                        slot = self.calls[entry.index] = ([], [])
                    function = entry.function
                    if function is not None:
                        if function.name:
                            slot[0].append(function.name)
                        if function.arguments:
                            slot[1].append(function.arguments)
            if choice.finish_reason:
                self.finish = choice.finish_reason

    def add(self, chunk: Any) -> None:  # noqa: ANN401 - any JSON value
        """Take any chunk; raises whatever the script would raise."""
        for choice in chunk.get("choices", []):
            delta = choice.get("delta") or {}
            if delta.get("content"):
                self.content.append("" + delta["content"])
            for entry in delta.get("tool_calls") or []:
                slot = self.calls.setdefault(entry.get("index", 0), ([], []))
                function = entry.get("function") or {}
                for key, parts in zip(("name", "arguments"), slot, strict=True):
                    if function.get(key):
                        parts.append("" + function[key])
            if choice.get("finish_reason"):
                self.finish = choice["finish_reason"]


def _body(reads: Sequence[Read]) -> bytes:
    """Return all bytes; text that came in many reads is joined before it is encoded."""
    texts = [read.text for read in reads if read.text is not None]
    if len(texts) == len(reads):
        return "".join(texts).encode("utf-8", "surrogatepass")
    return b"".join([read.data for read in reads])


def _accumulate(body: bytes) -> tuple[str, dict[Any, dict[str, str]], Any, bool]:
    """Join the deltas as the script does; raises whatever the script would raise."""
    joined = _Joined()
    done = False
    for raw in body.split(b"\n"):
        if not raw:
            continue
        if raw.startswith(b"data: {") and raw.endswith(b"}"):
            payload = raw[6:]  # nothing to strip
        else:
            line = raw.strip()
            if not line.startswith(b"data:"):
                if not _looks_different_as_text(raw):
                    continue
                line = raw.decode("utf-8", "replace").strip().encode("utf-8")
                if not line.startswith(b"data:"):
                    continue
            payload = line[len(b"data:") :].strip()
            if payload == b"[DONE]":
                done = True
                break
        if len(payload) <= TYPED:
            try:
                typed = _typed(payload)
            except (msgspec.DecodeError, UnicodeDecodeError):
                pass
            else:
                joined.add_typed(typed)
                continue
        try:
            chunk: Any = _fast(payload)
        except (msgspec.DecodeError, UnicodeDecodeError):
            try:
                chunk = json.loads(payload.decode("utf-8", "replace").strip())
            except json.JSONDecodeError:
                continue
        joined.add(chunk)
    calls = {
        index: {"name": "".join(names), "arguments": "".join(arguments)}
        for index, (names, arguments) in joined.calls.items()
    }
    return "".join(joined.content), calls, joined.finish, done


def _looks_different_as_text(raw: bytes) -> bool:
    """Whether stripping text would remove more than stripping bytes does (Unicode spaces, a lone BOM is none)."""
    return raw.lstrip()[:1] >= b"\x80" or raw[:1] in (b"\x1c", b"\x1d", b"\x1e", b"\x1f")


def _classify(content: str, calls: dict[Any, dict[str, str]], finish: object) -> SeedVerdict:
    """Say the script's verdict."""
    named = [slot for slot in calls.values() if slot["name"]]
    leaked = "<tool_call>" in content or "</tool_call>" in content
    arguments_parse = True
    for slot in named:
        try:
            json.loads(slot["arguments"] or "{}")
        except json.JSONDecodeError:
            arguments_parse = False
    if named and finish == "tool_calls" and not leaked and arguments_parse:
        return SeedVerdict.PASS
    if not named and (leaked or finish == "stop"):
        return SeedVerdict.DROP
    return SeedVerdict.OTHER
