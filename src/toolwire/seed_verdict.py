"""What the old script would have said of the same bytes, so that old numbers stay comparable.

Its rules (design, section 2): read line by line, take lines that begin with `data:`, stop at `[DONE]`, skip what is
no JSON; then a named call, finish `tool_calls`, no `<tool_call>` in content and arguments that parse (`""` counts as
`{}`) is PASS; no named call and markup in content or finish `stop` is DROP; an exception is ERROR; else OTHER.

Knows: those rules, on purpose nothing better. Must not know: our decoders.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import msgspec

from toolwire.exchange import End

if TYPE_CHECKING:
    from toolwire.exchange import Exchange

__all__ = ["SeedVerdict", "seed_verdict"]

_fast = msgspec.json.decode
"""A quicker reader; what it refuses goes to the one that the script uses, so the answers are the same."""

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
    body = b"".join(read.data for read in exchange.reads)
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


def _accumulate(body: bytes) -> tuple[str, dict[Any, dict[str, str]], Any, bool]:
    """Join the deltas as the script does; raises whatever the script would raise.

    The fragments are joined at the end: adding each to a growing text would copy it every time.
    """
    content: list[str] = []
    calls: dict[Any, dict[str, list[str]]] = {}
    finish: Any = None
    done = False
    for raw in body.split(b"\n"):
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
        try:
            chunk: Any = _fast(payload)
        except (msgspec.DecodeError, UnicodeDecodeError):
            try:
                chunk = json.loads(payload.decode("utf-8", "replace").strip())
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


def _looks_different_as_text(raw: bytes) -> bool:
    """Whether stripping text would remove more than stripping bytes does (Unicode spaces, a lone BOM is none)."""
    return (bool(raw) and raw.lstrip()[:1] >= b"\x80") or raw[:1] in (b"\x1c", b"\x1d", b"\x1e", b"\x1f")


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
