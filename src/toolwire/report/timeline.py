"""An exchange as a timeline: when, which event, what it carried, and the findings beside it.

Knows: how to sum up one event for a person. Must not know: terminals, HTML.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from toolwire.jsontext import read_json
from toolwire.report.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toolwire.evidence import Evidence
    from toolwire.jsontext import Json
    from toolwire.rule import Finding

__all__ = ["Row", "rows", "summary"]

LONGEST = 600
"""Characters that one event is summed up in; one with hundreds of calls is shown by its first ones."""

QUIET_RUN = 6
"""From so many like events without a finding on, a run is folded into one row."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the timeline; `last` differs from `event` where like events were folded."""

    at: float | None
    event: int | None
    last: int | None
    lane: str
    """`role`, `reasoning`, `content`, `call`, `finish`, `usage`, `done`, `error`, `other` or `end`."""
    text: str
    findings: tuple[Finding, ...] = ()

    @property
    def time(self) -> str:
        """Milliseconds since the request; empty where they are not known."""
        return "" if self.at is None else f"{self.at * 1000:.0f} ms"

    @property
    def number(self) -> str:
        """`#3`, or `#3–17` where events were folded; empty where the row is no event."""
        if self.event is None:
            return ""
        return f"#{self.event}" if self.event == self.last else f"#{self.event}–{self.last}"


def rows(evidence: Evidence, findings: Sequence[Finding]) -> list[Row]:
    """Return the timeline of an exchange, with findings beside the events that show them."""
    by_event: dict[int | None, list[Finding]] = {}
    for finding in findings:
        by_event.setdefault(finding.at.event, []).append(finding)
    folded = list(_fold(_each(evidence, by_event)))
    if not evidence.events and evidence.body.size:
        head = evidence.body.data[:200].decode("utf-8", "replace")
        folded.append(Row(evidence.body.pieces[0][0], None, None, "other", one_line(head)))
    last = evidence.body.pieces[-1][0] if evidence.body.pieces else None
    folded.append(
        Row(last, None, None, "end", f"end of the body: {evidence.exchange.end}", tuple(by_event.get(None, ())))
    )
    return folded


def _each(evidence: Evidence, by_event: Mapping[int | None, list[Finding]]) -> Iterator[Row]:
    """Yield a row for each event; there may be millions, of which few are shown."""
    for event in evidence.events:
        lane, text = summary(event.data)
        yield Row(event.at, event.number, event.number, lane, text, tuple(by_event.get(event.number, ())))


def _fold(found: Iterable[Row]) -> Iterator[Row]:
    """Fold long runs of like events without findings into their first and last and one row between."""
    for lane, group in groupby(found, key=lambda row: None if row.findings else row.lane):
        head: list[Row] = []
        count, tail = 0, deque[Row](maxlen=2)
        for row in group:
            count += 1
            tail.append(row)
            if lane is None or count < QUIET_RUN:
                head.append(row)
        if len(head) == count:
            yield from head
            continue
        second, (before, last) = head[1], tail
        yield head[0]
        yield Row(second.at, second.event, before.event, second.lane, f"… {count - 2} more like it …")
        yield last


def summary(data: str) -> tuple[str, str]:
    """Sum up the data of one event: its lane and what it carried, in one line."""
    if not data:
        return "other", ""
    if data.strip() == "[DONE]":
        return "done", "[DONE]"
    reading = read_json(data)
    value = reading.value if reading.ok else None
    if not isinstance(value, dict):
        return "other", one_line(data)
    if value.get("error"):
        return "error", one_line(data)
    choices = value.get("choices")
    if not isinstance(choices, list):
        return "other", one_line(data)
    parts: list[tuple[str, str]] = []
    for choice in choices:
        if isinstance(choice, dict):
            prefix = "" if choice.get("index") in (0, None) else f"[choice {choice.get('index')}] "
            parts += [(lane, prefix + text) for lane, text in _choice(choice)]
    if value.get("usage"):
        parts.append(("usage", _usage(value["usage"])))
    if not parts:
        return "other", one_line(data, 100) if not choices else "an empty delta"
    lane = max((lane for lane, _ in parts), key=_LANES.index)
    # names of fields and indexes are a peer's words too
    return lane, one_line("; ".join(text for _, text in parts), LONGEST)


_LANES = ("role", "usage", "other", "reasoning", "content", "finish", "call")
"""Which lane an event with several parts belongs to: the later, the more it matters."""


def _choice(choice: dict[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield what one choice carried."""
    delta = choice.get("delta")
    if isinstance(delta, dict):
        for key, value in delta.items():
            if key == "role":
                yield "role", f"role {one_line(str(value), 40)}"
            elif key == "tool_calls" and isinstance(value, list):
                for entry in value:
                    yield "call", _entry(entry)
                if not value:
                    yield "other", "tool_calls []"
            elif value is None or value == "":
                continue
            else:
                lane = "reasoning" if key.startswith("reasoning") else "content" if key == "content" else "other"
                yield lane, f"{key} {_quoted(value)}"
    elif "delta" in choice:
        yield "other", f"delta {one_line(repr(delta), 40)}"
    if choice.get("message") is not None:
        yield "other", f"message {one_line(str(choice['message']), 80)}"
    if choice.get("finish_reason") is not None:
        yield "finish", f"finish_reason {_quoted(choice['finish_reason'])}"


def _entry(entry: Json) -> str:
    """Sum up one entry of tool_calls."""
    if not isinstance(entry, dict):
        return f"call entry {one_line(repr(entry), 40)}"
    parts = [f"call {entry.get('index', '(no index)')}"]
    parts += [f"{key} {_quoted(entry[key])}" for key in ("id", "type") if entry.get(key) is not None]
    function = entry.get("function")
    if isinstance(function, dict):
        parts += [f"{key} {_quoted(function[key])}" for key in ("name", "arguments") if function.get(key) is not None]
    elif "function" in entry:
        parts.append(f"function {function!r}")
    return " ".join(parts)


def _quoted(value: Json) -> str:
    """Show a value, strings in quotes, cut."""
    return f'"{one_line(value, 72)}"' if isinstance(value, str) else one_line(repr(value), 72)


def _usage(usage: Json) -> str:
    """Sum up usage."""
    if not isinstance(usage, dict):
        return f"usage {one_line(repr(usage), 40)}"
    return f"usage {usage.get('prompt_tokens')} + {usage.get('completion_tokens')} = {usage.get('total_tokens')}"
