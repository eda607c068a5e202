"""One choice of a Chat Completions stream: its deltas, its end, and what is odd about them.

Knows: an entry of `choices` and its delta (rule book C-12 to C-14, C-22 to C-28, C-36, C-37, C-41 to C-43).
Must not know: chunks, verdicts. The fragments of calls are the business of `toolwire.protocol.chat_call`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolwire.completion import Finish, Said
from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.protocol.chat_call import CallJoiner

if TYPE_CHECKING:
    from toolwire.completion import Choice
    from toolwire.jsontext import Json
    from toolwire.protocol.anomaly import Anomalies
    from toolwire.protocol.request import Request

__all__ = ["FINISH_REASONS", "ChoiceReader"]

FINISH_REASONS = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})
"""The values that the schema allows (rule book C-22)."""

KEPT = 256
"""Finish reasons and foreign calls of one choice that are kept; more of the same tell nothing new."""

_COMMON = frozenset({"role", "content", "tool_calls"})
_REASONING = frozenset({"reasoning_content", "reasoning"})


class ChoiceReader:
    """Takes the entries of `choices` that belong to one choice; the state is what its grammar needs."""

    __slots__ = ("anomalies", "calls", "choice", "deltas", "finished", "request")

    def __init__(self, choice: Choice, anomalies: Anomalies, request: Request) -> None:
        """Fill `choice`, and append oddities to `anomalies`."""
        self.choice = choice
        self.anomalies = anomalies
        self.request = request
        self.calls = CallJoiner(choice, anomalies)
        self.deltas = 0
        self.finished: Json = None

    def add(self, entry: dict[str, Json], number: int) -> None:
        """Take one entry of `choices` that belongs to this choice."""
        choice = self.choice
        choice.last_event = number
        finish = entry.get("finish_reason")
        if finish is None and "finish_reason" not in entry:
            self.note(ChunkAnomaly.FINISH_KEY_MISSING, number)
        delta = entry.get("delta")
        logprobs = entry.get("logprobs")
        if logprobs is not None:
            self._check_logprobs(logprobs, number)
        if type(delta) is not dict:
            self._odd_delta(entry, delta, number)
            delta = {}
        elif "message" in entry:
            self._message_beside(entry["message"], number)
        if self.finished is not None:
            self._after_finish(delta, finish, number, empty=not self._carries(delta))
        self.deltas += 1
        if delta:
            self._add_delta(delta, number)
        elif self.deltas == 1:
            self.note(ChunkAnomaly.ROLE_MISSING, number)
        if finish is not None:
            self._finish(finish, number, empty=not self._carries(delta))

    def close(self) -> None:
        """Note what only the end shows."""
        self.calls.close()

    def note(self, kind: ChunkAnomaly, number: int, *, detail: object = "") -> None:
        """Note an oddity of this choice."""
        self.anomalies.note(kind, number, choice=self.choice.index, detail=detail)

    @staticmethod
    def _carries(delta: dict[str, Json]) -> bool:
        """Whether a delta carries anything of the answer (a role is none)."""
        return any(value and key != "role" for key, value in delta.items())

    def _odd_delta(self, entry: dict[str, Json], delta: Json, number: int) -> None:
        """Note a delta that is no object; keep what a `message` in its place carries as a foreign call."""
        message = entry.get("message")
        if isinstance(message, dict):
            self.note(ChunkAnomaly.MESSAGE_FOR_DELTA, number)
            self._foreign_message(message, number)
        if "delta" not in entry:
            self.note(ChunkAnomaly.DELTA_TYPE, number, detail="missing")
        else:
            self.note(ChunkAnomaly.DELTA_TYPE, number, detail=delta)

    def _message_beside(self, message: Json, number: int) -> None:
        """Note a message beside a delta where it carries calls: no client looks there."""
        if isinstance(message, dict) and isinstance(message.get("tool_calls"), list) and message["tool_calls"]:
            self.note(ChunkAnomaly.MESSAGE_FOR_DELTA, number, detail="beside")
            self._foreign_message(message, number)

    def _foreign_message(self, message: dict[str, Json], number: int) -> None:
        """Keep calls that came in a whole message."""
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            if len(self.choice.foreign_calls) < KEPT:
                self.choice.foreign_calls.append(Said(json.dumps(call, ensure_ascii=False)[:2000], number))

    def _after_finish(self, delta: dict[str, Json], finish: Json, number: int, *, empty: bool) -> None:
        """Note what comes after the finish (rule book C-26)."""
        if not empty:
            self.note(ChunkAnomaly.DELTA_AFTER_FINISH, number, detail=json.dumps(delta, ensure_ascii=False)[:200])
        elif finish is None:
            self.note(ChunkAnomaly.EMPTY_AFTER_FINISH, number)

    def _finish(self, finish: Json, number: int, *, empty: bool) -> None:
        """Take a finish reason that is not null."""
        choice = self.choice
        if len(choice.finishes) < KEPT:
            choice.finishes.append(Finish(finish, number, empty))
        if not isinstance(finish, str):
            self.note(ChunkAnomaly.FINISH_TYPE, number, detail=finish)
            return
        if not finish:
            self.note(ChunkAnomaly.FINISH_EMPTY, number)
            return
        if finish not in FINISH_REASONS:
            self.note(ChunkAnomaly.FINISH_UNKNOWN, number, detail=finish)
        if not empty:
            self.note(ChunkAnomaly.FINISH_WITH_DELTA, number)
        if self.finished is None:
            self.finished = finish
        elif finish == self.finished and empty:
            self.note(ChunkAnomaly.FINISH_REPEATED, number, detail=finish)
        else:
            self.note(ChunkAnomaly.FINISH_TWICE, number, detail=f"{self.finished!r} then {finish!r}")

    def _check_logprobs(self, logprobs: Json, number: int) -> None:
        """Check the shape of logprobs (rule book C-37)."""
        if not self.request.logprobs:
            self.note(ChunkAnomaly.LOGPROBS_UNASKED, number)
        if not isinstance(logprobs, dict):
            self.note(ChunkAnomaly.LOGPROBS_SHAPE, number, detail=f"logprobs is {logprobs!r}")
            return
        entries = logprobs.get("content")
        if entries is not None and not isinstance(entries, list):
            self.note(ChunkAnomaly.LOGPROBS_SHAPE, number, detail="content is no list")
            return
        for entry in entries or []:
            if not isinstance(entry, dict) or not isinstance(entry.get("token"), str):
                self.note(ChunkAnomaly.LOGPROBS_SHAPE, number, detail="an entry has no token")
                return
            logprob = entry.get("logprob")
            if isinstance(logprob, bool) or not isinstance(logprob, (int, float)):
                self.note(ChunkAnomaly.LOGPROBS_SHAPE, number, detail=f"the logprob of an entry is {logprob!r}")
                return

    def _add_delta(self, delta: dict[str, Json], number: int) -> None:
        """Take a delta that has keys."""
        choice = self.choice
        if "role" in delta:
            self._role(delta["role"], number)
        elif self.deltas == 1:
            self.note(ChunkAnomaly.ROLE_MISSING, number)
        content = delta.get("content")
        if content is not None:
            if type(content) is str:
                if content:
                    if choice.calls:
                        self.note(ChunkAnomaly.CONTENT_AFTER_CALL, number)
                    choice.content.add(content, number)
            else:
                self.note(ChunkAnomaly.CONTENT_TYPE, number, detail=content)
        for key in delta:
            if key in _COMMON:
                continue
            self._other_key(key, delta, number)
        calls = delta.get("tool_calls")
        if calls is not None:
            self.calls.add(calls, number)

    def _role(self, role: Json, number: int) -> None:
        """Check a role (rule book C-12, C-13)."""
        if self.deltas == 1 or self.choice.role is None:
            if role == "assistant":
                self.choice.role = role
                if self.deltas > 1:
                    self.note(ChunkAnomaly.ROLE_MISSING, number, detail="the first delta has none")
            elif self.deltas == 1:
                self.note(ChunkAnomaly.ROLE_WRONG, number, detail=role)
        elif role is not None:
            kind = ChunkAnomaly.ROLE_REPEATED if role == "assistant" else ChunkAnomaly.ROLE_WRONG
            self.note(kind, number, detail=role)

    def _other_key(self, key: str, delta: dict[str, Json], number: int) -> None:
        """Take a key other than role, content and tool_calls."""
        value = delta[key]
        if key in _REASONING:
            self._reasoning(key, value, delta, number)
        elif key == "refusal":
            if isinstance(value, str):
                self.choice.refusal.add(value, number)
            elif value is not None:
                self.note(ChunkAnomaly.REFUSAL_TYPE, number, detail=value)
        elif key == "function_call":
            if isinstance(value, dict) and value:
                self.note(ChunkAnomaly.FUNCTION_CALL, number, detail=json.dumps(value, ensure_ascii=False)[:200])
                if len(self.choice.foreign_calls) < KEPT:
                    self.choice.foreign_calls.append(Said(json.dumps(value, ensure_ascii=False)[:2000], number))
            else:
                self.note(ChunkAnomaly.FUNCTION_CALL_EMPTY, number, detail=value)
        elif isinstance(value, list) and any(
            isinstance(item, dict) and type(item.get("index")) is not int for item in value
        ):
            self.note(ChunkAnomaly.DETAILS_WITHOUT_INDEX, number, detail=key)

    def _reasoning(self, key: str, value: Json, delta: dict[str, Json], number: int) -> None:
        """Take reasoning in either of its field names (rule book C-42); both with the same text count once."""
        if value is None:
            return
        if not isinstance(value, str):
            self.note(ChunkAnomaly.REASONING_TYPE, number, detail=f"{key} is {value!r}")
            return
        if not value:
            return
        other = delta.get("reasoning" if key == "reasoning_content" else "reasoning_content")
        if other == value and key == "reasoning":
            self.note(ChunkAnomaly.REASONING_TWICE, number)
            return
        if self.choice.calls:
            self.note(ChunkAnomaly.REASONING_LATE, number)
        self.choice.reasoning.add(value, number)
