"""OpenAI Chat Completions: events in, a Completion and the oddities of its pieces out.

Tolerant of everything and repairing nothing: what a client would hold is built exactly as it came, and each oddity is
noted with the event that shows it. Runs of chunks that differ in one piece of text take the way of
`toolwire.protocol.chat_lane`, deltas are read in `toolwire.protocol.chat_choice`, the fragments of calls in
`toolwire.protocol.chat_call`, whole bodies in `toolwire.protocol.chat_body`, requests in `toolwire.protocol.request`.

Knows: the chunk's grammar (rule book groups C and J). Must not know: verdicts, bytes.
Source of the grammar: OpenAI's OpenAPI description, CreateChatCompletionStreamResponse.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolwire.completion import Choice, Completion, Said, Usage
from toolwire.jsontext import JsonIssue, read_json
from toolwire.protocol.anomaly import Anomalies, ChunkAnomaly
from toolwire.protocol.chat_body import read_chat_body
from toolwire.protocol.chat_choice import FINISH_REASONS, ChoiceReader
from toolwire.protocol.chat_lane import find_lane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolwire.framing import Event
    from toolwire.jsontext import Json, JsonProblem
    from toolwire.protocol.request import Request

__all__ = ["DONE", "FINISH_REASONS", "ChatAccumulator", "read_chat_body"]

DONE = "[DONE]"
CHUNK_OBJECT = "chat.completion.chunk"

ERRORS = 64
"""Error objects of one stream that are kept."""

CHOICES = 512
"""Choices kept of one answer: above any `n` that a server allows."""

INDEX_DIGITS = 3
"""Digits of a choice's index that came as a string: no server offers a thousand choices."""

USAGES = 8
"""Usage objects that are kept, beside the last one."""

LANES = 16
"""Searches for a lane that may be in vain; each event that a lane takes allows another, so that time stays linear."""

ERROR_LENGTH = 2000
"""Characters of an error that are kept."""

_ISSUES = {
    JsonIssue.DUPLICATE_KEY: ChunkAnomaly.DUPLICATE_KEY,
    JsonIssue.LONE_SURROGATE: ChunkAnomaly.LONE_SURROGATE,
    JsonIssue.BIG_INTEGER: ChunkAnomaly.BIG_INTEGER,
    JsonIssue.HUGE_NUMBER: ChunkAnomaly.BIG_INTEGER,
}
"""All issues with which a payload is still JSON."""

_ERROR_WORDS = ("error_message", "error_type", "error_code", "error_msg")
"""Fields in which vendors report an error where no `error` object stands (rule book C-35)."""


class ChatAccumulator:
    """Feed it the events of one streamed answer; afterwards read `completion` and `anomalies`."""

    def __init__(self, request: Request) -> None:
        """`request` decides what was asked for (usage, logprobs, n)."""
        self.completion = Completion()
        self.anomalies = Anomalies()
        self._request = request
        self._id: Json = None
        self._created: Json = None
        self._states: dict[int, ChoiceReader] = {}
        self._last_chunk = -1
        self._bare_usages = 0

    def add_all(self, events: Sequence[Event]) -> None:
        """Take the events as `add` takes them one by one, at less cost."""
        credit = LANES
        place = 0
        while place < len(events):
            event = events[place]
            noted = self.anomalies.total
            chunk = self._take(event)
            place += 1
            if chunk is None or credit == 0 or place == len(events) or self.anomalies.total != noted:
                continue
            lane = find_lane(event, events[place].data, chunk, self._states)
            found = place if lane is None else lane.run(events, place, self.completion)
            if found > place:
                self._last_chunk = self.completion.last_event
            credit += found - place - 1
            place = found

    def add(self, event: Event) -> None:
        """Take one event; never raises, whatever it holds."""
        self._take(event)

    def _take(self, event: Event) -> dict[str, Json] | None:
        """Take one event; return its chunk, where it is one."""
        data = event.data
        number = event.number
        completion = self.completion
        completion.last_event = number
        if data.strip() == DONE:
            if completion.terminals:
                self.anomalies.note(ChunkAnomaly.DONE_TWICE, number)
            completion.terminals.append(number)
            del completion.terminals[2:]
            return None
        reading = read_json(data)
        chunk = reading.value if reading.ok else None
        if reading.problems:
            self._note_problems(reading.problems, number, data, ok=reading.ok)
        if not reading.ok:
            if completion.terminals:
                self.anomalies.note(ChunkAnomaly.AFTER_DONE, number, detail=data)
            if event.name == "error":
                self._keep_error(data, number, "an event named error that holds no JSON")
            return None
        if completion.terminals:
            self.anomalies.note(ChunkAnomaly.AFTER_DONE, number, detail=data)
        if not isinstance(chunk, dict):
            self.anomalies.note(ChunkAnomaly.NOT_OBJECT, number, detail=data)
            return None
        if self._is_error(chunk, event):
            return None
        if completion.errors:
            self.anomalies.note(ChunkAnomaly.AFTER_ERROR, number, detail=data)
        self._add_chunk(chunk, number)
        return chunk

    def close(self) -> Completion:
        """Note what only the end shows, and return the Completion."""
        for state in self._states.values():
            state.close()
        if self.completion.usages and self._last_chunk >= 0:
            last = self.completion.usages[-1]
            if last.event < self._last_chunk and self._request.include_usage:
                self.anomalies.note(ChunkAnomaly.USAGE_EARLY, last.event)
        return self.completion

    def _note_problems(self, problems: tuple[JsonProblem, ...], number: int, data: str, *, ok: bool) -> None:
        """Turn what the JSON reader met into anomalies of this event."""
        if not ok:
            self.anomalies.note(ChunkAnomaly.NOT_JSON, number, detail=data)
            return
        for problem in problems:
            self.anomalies.note(_ISSUES[problem.issue], number, detail=problem.detail)

    def _is_error(self, chunk: dict[str, Json], event: Event) -> bool:
        """Recognise an error in any of the shapes that servers send; note where it is not the usual one."""
        error = chunk.get("error")
        shape = ""
        if error:
            message = error.get("message") if isinstance(error, dict) else None
            if not isinstance(message, str) or not message:
                shape = "error has no message of its own" if isinstance(error, dict) else "error is no object"
        elif "choices" not in chunk or not isinstance(chunk["choices"], list):
            words = [word for word in _ERROR_WORDS if chunk.get(word)]
            if words:
                shape = f"no error object, but {words[0]}"
            elif chunk.get("object") == "error" or chunk.get("type") == "error":
                shape = "an error without an error object"
            elif event.name == "error":
                shape = "an event named error without an error object"
            elif isinstance(chunk.get("message"), str) and ("code" in chunk or "status" in chunk or "type" in chunk):
                shape = "message and code without an error object"
            elif isinstance(chunk.get("detail"), (str, list)):
                shape = "detail without an error object"
            else:
                return False
        elif event.name == "error":
            shape = "an event named error with choices"
        else:
            return False
        self._keep_error(json.dumps(chunk, ensure_ascii=False), event.number, shape)
        return True

    def _keep_error(self, text: str, number: int, shape: str) -> None:
        """Keep an error; `shape` says how it departs from the usual form, where it does."""
        text = text[:ERROR_LENGTH]
        if len(self.completion.errors) < ERRORS:
            self.completion.errors.append(Said(text, number))
        self.anomalies.note(ChunkAnomaly.ERROR_OBJECT, number, detail=text)
        if shape:
            self.anomalies.note(ChunkAnomaly.ERROR_SHAPE, number, detail=shape)

    def _add_chunk(self, chunk: dict[str, Json], number: int) -> None:
        """Take one object that is no error."""
        anomalies = self.anomalies
        completion = self.completion
        choices = chunk.get("choices")
        kind = chunk.get("object")
        if choices is None and "choices" not in chunk and kind not in (CHUNK_OBJECT, "") and "usage" not in chunk:
            anomalies.note(ChunkAnomaly.FOREIGN_EVENT, number, detail=json.dumps(chunk, ensure_ascii=False)[:200])
            return
        completion.chunks += 1
        # Azure's filter chunks (`object: ""`) are outside the rules on fields and choices ("two rules meet", 2)
        filter_chunk = kind == "" and "object" in chunk
        if not filter_chunk:
            self._check_head(chunk, number, kind)
        if isinstance(choices, list):
            for choice in choices:
                self._add_choice(choice, number)
            if not choices and not filter_chunk and not chunk.get("usage") and "moderation" not in chunk:
                anomalies.note(ChunkAnomaly.CHOICES_EMPTY, number)
        elif not filter_chunk:
            anomalies.note(
                ChunkAnomaly.CHOICES_TYPE, number, detail="missing" if "choices" not in chunk else repr(choices)
            )
        self._last_chunk = number
        usage = chunk.get("usage")
        if usage is not None:
            self._add_usage(usage, number, bare=choices == [])

    def _check_head(self, chunk: dict[str, Json], number: int, kind: Json) -> None:
        """Check the fields that every chunk repeats (rule book C-01 to C-05)."""
        anomalies = self.anomalies
        if kind != CHUNK_OBJECT:
            if "object" not in chunk:
                anomalies.note(ChunkAnomaly.FIELD_MISSING, number, detail="object")
            else:
                anomalies.note(ChunkAnomaly.OBJECT_VALUE, number, detail=kind)
        identity = chunk.get("id")
        if identity != self._id or identity is None:
            if not isinstance(identity, str):
                self._odd_field(chunk, "id", identity, number)
            elif self._id is None:
                self._id = identity
            else:
                anomalies.note(ChunkAnomaly.ID_CHANGES, number, detail=f"{self._id!r} then {identity!r}")
        created = chunk.get("created")
        if created != self._created or created is None:
            if isinstance(created, bool) or not isinstance(created, int):
                self._odd_field(chunk, "created", created, number)
            elif self._created is None:
                self._created = created
            else:
                anomalies.note(ChunkAnomaly.CREATED_CHANGES, number, detail=f"{self._created!r} then {created!r}")
        model = chunk.get("model")
        if model != self.completion.model or model is None:
            if not isinstance(model, str):
                self._odd_field(chunk, "model", model, number)
            elif self.completion.model is None:
                self.completion.model = model
            else:
                anomalies.note(ChunkAnomaly.MODEL_CHANGES, number, detail=f"{self.completion.model!r} then {model!r}")
        fingerprint = chunk.get("system_fingerprint")
        if isinstance(fingerprint, str):
            self.completion.fingerprint = fingerprint

    def _odd_field(self, chunk: dict[str, Json], key: str, value: Json, number: int) -> None:
        """Note a head field that is missing or of the wrong type."""
        if key not in chunk:
            self.anomalies.note(ChunkAnomaly.FIELD_MISSING, number, detail=key)
        else:
            self.anomalies.note(ChunkAnomaly.FIELD_TYPE, number, detail=f"{key} is {value!r}")

    def _add_usage(self, usage: Json, number: int, *, bare: bool) -> None:
        """Keep a usage object; check its arithmetic (rule book C-29 to C-32)."""
        anomalies = self.anomalies
        if not isinstance(usage, dict):
            anomalies.note(ChunkAnomaly.USAGE_TYPE, number, detail=usage)
            return
        completion = self.completion
        found = Usage(usage, number)
        if bare and completion.usages and self._bare_usages:
            anomalies.note(ChunkAnomaly.USAGE_TWICE, number)
        self._bare_usages += bare
        completion.usage_count += 1
        completion.usages.append(found)
        del completion.usages[USAGES:-1]
        numbers = {key: usage.get(key) for key in ("prompt_tokens", "completion_tokens", "total_tokens")}
        for key, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                anomalies.note(ChunkAnomaly.USAGE_NUMBER, number, detail=f"{key} is {value!r}")
                return
        prompt, produced, total = (found.number(key) or 0 for key in numbers)
        if prompt + produced != total:
            anomalies.note(ChunkAnomaly.USAGE_SUM, number, detail=f"{prompt} + {produced} is not {total}")
        if not self._request.include_usage:
            anomalies.note(ChunkAnomaly.USAGE_UNASKED, number)

    def _add_choice(self, choice: Json, number: int) -> None:
        """Take one entry of `choices`."""
        anomalies = self.anomalies
        if not isinstance(choice, dict):
            anomalies.note(ChunkAnomaly.CHOICE_TYPE, number, detail=choice)
            return
        index = choice.get("index")
        if type(index) is not int:
            anomalies.note(
                ChunkAnomaly.CHOICE_INDEX, number, detail="missing" if "index" not in choice else repr(index)
            )
            is_number = isinstance(index, str) and index.isdecimal() and len(index) <= INDEX_DIGITS
            index = int(index) if isinstance(index, str) and is_number else 0
        state = self._states.get(index)
        if state is None:
            state = self._open(index, number)
            if state is None:
                return
        state.add(choice, number)

    def _open(self, index: int, number: int) -> ChoiceReader | None:
        """Begin a choice; one outside 0..n-1 is noted but kept, so that what it carries is seen."""
        anomalies = self.anomalies
        if len(self._states) >= CHOICES:
            anomalies.note(ChunkAnomaly.CHOICE_RANGE, number, choice=index, detail="too many choices")
            return None
        if not 0 <= index < self._request.n:
            anomalies.note(
                ChunkAnomaly.CHOICE_RANGE, number, choice=index, detail=f"index {index} of {self._request.n}"
            )
        elif self._states and index < max(self._states):
            anomalies.note(ChunkAnomaly.CHOICE_ORDER, number, choice=index)
        choice = Choice(index, number, number)
        self.completion.choices[index] = choice
        state = ChoiceReader(choice, anomalies, self._request)
        self._states[index] = state
        return state
