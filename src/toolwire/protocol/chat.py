"""OpenAI Chat Completions: events in, a Completion and the oddities of its pieces out.

Tolerant of everything and repairing nothing: what a client would hold is built exactly as it came, and each oddity is
noted with the event that shows it. The request side is in `toolwire.protocol.request`.

Knows: the chunk's grammar (rule book groups C and J). Must not know: verdicts, bytes.
Source of the grammar: OpenAI's OpenAPI description, CreateChatCompletionStreamResponse.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolwire.completion import Call, Choice, Completion, Finish, Said, TextTrack, Usage
from toolwire.jsontext import JsonIssue, read_json
from toolwire.protocol.anomaly import Anomalies, ChunkAnomaly

if TYPE_CHECKING:
    from toolwire.framing import Event
    from toolwire.jsontext import Json
    from toolwire.protocol.request import Request

__all__ = ["DONE", "FINISH_REASONS", "ChatAccumulator", "read_chat_body"]

DONE = "[DONE]"
CHUNK_OBJECT = "chat.completion.chunk"
FINISH_REASONS = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})
"""The values that the schema allows (rule book C-22)."""

CALL_LIMIT = 20_000
"""Calls kept of one choice; a stream that opens more is not an answer, and memory stays bounded."""

_ISSUES = {
    JsonIssue.DUPLICATE_KEY: ChunkAnomaly.DUPLICATE_KEY,
    JsonIssue.LONE_SURROGATE: ChunkAnomaly.LONE_SURROGATE,
    JsonIssue.BIG_INTEGER: ChunkAnomaly.BIG_INTEGER,
    JsonIssue.CONTROL_CHARACTER: ChunkAnomaly.CONTROL_CHARACTER,
    JsonIssue.NAN: ChunkAnomaly.NOT_A_NUMBER,
}
"""Issues of the payload's JSON that leave a usable value behind."""

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
        self._states: dict[int, _ChoiceState] = {}
        self._last_usage_chunk = -1
        self._seen_chunk_fields = False

    def add(self, event: Event) -> None:
        """Take one event; never raises, whatever it holds."""
        data = event.data
        number = event.number
        completion = self.completion
        completion.last_event = number
        if data.strip() == DONE:
            if completion.terminals:
                self.anomalies.note(ChunkAnomaly.DONE_TWICE, number)
            completion.terminals.append(number)
            del completion.terminals[2:]
            return
        reading = read_json(data)
        chunk = reading.value if reading.ok else None
        if reading.problems:
            self._note_problems(reading.problems, number, data, ok=reading.ok)
        if not reading.ok:
            if completion.terminals:
                self.anomalies.note(ChunkAnomaly.AFTER_DONE, number, detail=data)
            return
        if completion.terminals:
            self.anomalies.note(ChunkAnomaly.AFTER_DONE, number, detail=data)
        if not isinstance(chunk, dict):
            self.anomalies.note(ChunkAnomaly.NOT_OBJECT, number, detail=data)
            return
        if self._is_error(chunk, event):
            return
        if completion.errors:
            self.anomalies.note(ChunkAnomaly.AFTER_ERROR, number, detail=data)
        self._add_chunk(chunk, number, event.name)

    def close(self) -> Completion:
        """Note what only the end shows, and return the Completion."""
        for state in self._states.values():
            state.close()
        if self.completion.usages and self._last_usage_chunk >= 0:
            last = self.completion.usages[-1]
            if last.event < self._last_usage_chunk and self._request.include_usage:
                self.anomalies.note(ChunkAnomaly.USAGE_EARLY, last.event)
        return self.completion

    def _note_problems(self, problems: tuple[object, ...], number: int, data: str, *, ok: bool) -> None:
        """Turn what the JSON reader met into anomalies of this event."""
        if not ok:
            self.anomalies.note(ChunkAnomaly.NOT_JSON, number, detail=data)
            return
        for problem in problems:
            kind = _ISSUES.get(getattr(problem, "issue", JsonIssue.INVALID))
            if kind is not None:
                self.anomalies.note(kind, number, detail=getattr(problem, "detail", ""))

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
        text = json.dumps(chunk, ensure_ascii=False)[:2000]
        if len(self.completion.errors) < CALL_LIMIT:
            self.completion.errors.append(Said(text, event.number))
        self.anomalies.note(ChunkAnomaly.ERROR_OBJECT, event.number, detail=text)
        if shape:
            self.anomalies.note(ChunkAnomaly.ERROR_SHAPE, event.number, detail=shape)
        return True

    def _add_chunk(self, chunk: dict[str, Json], number: int, name: str) -> None:
        """Take one object that is no error."""
        anomalies = self.anomalies
        completion = self.completion
        choices = chunk.get("choices")
        kind = chunk.get("object")
        if choices is None and "choices" not in chunk and kind not in (CHUNK_OBJECT, "") and "usage" not in chunk:
            anomalies.note(ChunkAnomaly.FOREIGN_EVENT, number, detail=json.dumps(chunk, ensure_ascii=False)[:200])
            return
        completion.chunks += 1
        # Azure's filter chunks (`object: ""`) are outside the rules on fields and choices (rule book, two rules meet, 2)
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
        self._last_usage_chunk = number
        usage = chunk.get("usage")
        if usage is not None:
            self._add_usage(usage, number, bare=choices == [])
        del name

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
            if isinstance(created, bool) or not isinstance(created, (int, float)) or isinstance(created, float):
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
        del completion.usages[8:-1]
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

    _bare_usages = 0

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
            index = int(index) if isinstance(index, str) and index.isdecimal() and len(index) < 4 else 0  # noqa: PLR2004 - no server offers a thousand choices
        state = self._states.get(index)
        if state is None:
            state = self._open(index, number)
            if state is None:
                return
        state.add(choice, number)

    def _open(self, index: int, number: int) -> _ChoiceState | None:
        """Begin a choice; one outside 0..n-1 is noted but kept, so that what it carries is seen."""
        anomalies = self.anomalies
        if len(self._states) >= CHOICE_LIMIT:
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
        state = _ChoiceState(choice, anomalies, self._request)
        self._states[index] = state
        return state


CHOICE_LIMIT = 512
"""Choices kept of one answer: above any `n` that a server allows."""


class _ChoiceState:
    """The state that the grammar of one choice needs."""

    __slots__ = ("anomalies", "by_index", "choice", "deltas", "finished", "last_call", "request")

    def __init__(self, choice: Choice, anomalies: Anomalies, request: Request) -> None:
        self.choice = choice
        self.anomalies = anomalies
        self.request = request
        self.by_index: dict[int, Call] = {}
        self.last_call: Call | None = None
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
        empty = not self._carries(delta)
        if self.finished is not None:
            self._after_finish(delta, finish, number, empty=empty)
        self.deltas += 1
        if delta:
            self._add_delta(delta, number)
        elif self.deltas == 1:
            self.note(ChunkAnomaly.ROLE_MISSING, number)
        if finish is not None:
            self._finish(finish, number, empty=empty)

    def note(self, kind: ChunkAnomaly, number: int, *, call: int = -1, detail: object = "") -> None:
        """Note an oddity of this choice."""
        self.anomalies.note(kind, number, choice=self.choice.index, call=call, detail=detail)

    @staticmethod
    def _carries(delta: dict[str, Json]) -> bool:
        """Whether a delta carries anything of the answer (a role is none)."""
        for key, value in delta.items():
            if value and key != "role":
                return True
        return False

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

    def _foreign_message(self, message: dict[str, Json], number: int) -> None:
        """Keep calls that came in a whole message."""
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            if len(self.choice.foreign_calls) < CALL_LIMIT:
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
        if len(choice.finishes) < CALL_LIMIT:
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
            self._calls(calls, number)

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
            self.note(ChunkAnomaly.ROLE_REPEATED if role == "assistant" else ChunkAnomaly.ROLE_WRONG, number, detail=role)

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
                if len(self.choice.foreign_calls) < CALL_LIMIT:
                    self.choice.foreign_calls.append(Said(json.dumps(value, ensure_ascii=False)[:2000], number))
            else:
                self.note(ChunkAnomaly.FUNCTION_CALL_EMPTY, number, detail=value)
        elif isinstance(value, list) and any(isinstance(item, dict) and "index" not in item for item in value):
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

    def _calls(self, calls: Json, number: int) -> None:
        """Take the value of `tool_calls`."""
        if type(calls) is not list:
            self.note(ChunkAnomaly.CALLS_TYPE, number, detail=calls)
            return
        if not calls:
            self.note(ChunkAnomaly.CALLS_EMPTY, number)
        for entry in calls:
            if type(entry) is dict:
                self._fragment(entry, number)
            else:
                self.note(ChunkAnomaly.ENTRY_TYPE, number, detail=entry)

    def _fragment(self, entry: dict[str, Json], number: int) -> None:
        """Take one entry of `tool_calls`."""
        index = entry.get("index")
        function = entry.get("function")
        opens = bool(entry.get("id")) or (isinstance(function, dict) and bool(function.get("name")))
        if type(index) is not int:
            index = self._odd_index(entry, index, number, opens=opens)
        call = self.by_index.get(index)
        if call is None:
            self._open_call(index, entry, function, number, opens=opens)
            return
        if call is not self.last_call:
            self.note(ChunkAnomaly.INTERLEAVED, number, call=index)
            self.last_call = call
        call.last_event = number
        if "id" in entry:
            self._later_id(call, entry["id"], entry, number)
        if "type" in entry:
            self._later_type(call, entry["type"], number)
        if type(function) is dict:
            if "name" in function:
                self._later_name(call, function["name"], number)
            if "arguments" in function:
                arguments = function["arguments"]
                if type(arguments) is str:
                    call.arguments.add(arguments, number)
                else:
                    self._odd_arguments(call, arguments, number)
        elif "function" in entry:
            self.note(ChunkAnomaly.FUNCTION_TYPE, number, call=index, detail=function)
        self._others(call, entry, number)

    def _odd_index(self, entry: dict[str, Json], index: Json, number: int, *, opens: bool) -> int:
        """Find the call that an entry without a proper index belongs to."""
        if isinstance(index, str) and index.isdecimal() and len(index) < 6:  # noqa: PLR2004 - longer is no index
            self.note(ChunkAnomaly.INDEX_TEXT, number, detail=index)
            return int(index)
        if "index" not in entry:
            self.note(ChunkAnomaly.INDEX_MISSING, number)
        elif index is None:
            self.note(ChunkAnomaly.INDEX_MISSING, number, detail="null")
        else:
            self.note(ChunkAnomaly.INDEX_TYPE, number, detail=index)
        if self.last_call is None:
            return 0
        known = {said.value for said in self.last_call.ids}
        if opens and entry.get("id") not in known:
            return max(self.by_index) + 1
        return self.last_call.index

    def _open_call(self, index: int, entry: dict[str, Json], function: Json, number: int, *, opens: bool) -> None:
        """Begin a call with its first fragment (rule book C-16, C-18)."""
        choice = self.choice
        if len(choice.calls) >= CALL_LIMIT:
            return
        if index != len(self.by_index):
            kind = ChunkAnomaly.INDEX_START if not self.by_index else ChunkAnomaly.INDEX_GAP
            self.note(kind, number, call=index, detail=f"index {index} where {len(self.by_index)} was next")
        call = Call(choice.index, index, len(choice.calls), number, number)
        call.stray = not opens
        self.by_index[index] = call
        self.last_call = call
        choice.calls.append(call)
        identity = entry.get("id")
        if isinstance(identity, str) and identity:
            call.ids.append(Said(identity, number))
        elif identity is not None and not isinstance(identity, str):
            self.note(ChunkAnomaly.CALL_ID_TYPE, number, call=index, detail=identity)
        kind_of = entry.get("type")
        if kind_of == "function" or (kind_of == "custom" and "custom" in entry):
            call.types.append(Said(kind_of, number))
        elif kind_of is not None:
            self.note(ChunkAnomaly.CALL_TYPE_WRONG, number, call=index, detail=kind_of)
        if type(function) is dict:
            name = function.get("name")
            if isinstance(name, str):
                if name:
                    call.names.append(Said(name, number))
            elif name is not None:
                self.note(ChunkAnomaly.NAME_TYPE, number, call=index, detail=name)
            if "arguments" in function:
                arguments = function["arguments"]
                if type(arguments) is str:
                    call.arguments.add(arguments, number)
                else:
                    self._odd_arguments(call, arguments, number)
        elif "function" in entry:
            self.note(ChunkAnomaly.FUNCTION_TYPE, number, call=index, detail=function)
        self._others(call, entry, number)

    def _others(self, call: Call, entry: dict[str, Json], number: int) -> None:
        """Take the keys of an entry that are not index, id, type and function."""
        for key in entry:
            if key in _ENTRY:
                continue
            if key == "custom":
                self._custom(call, entry[key], number)
            elif key in ("name", "arguments", "parameters"):
                self.note(ChunkAnomaly.MISPLACED, number, call=call.index, detail=f"{key} beside function")

    def _custom(self, call: Call, value: Json, number: int) -> None:
        """Take a fragment of a custom tool's call (rule book C-40)."""
        if not isinstance(value, dict):
            return
        self.note(ChunkAnomaly.CUSTOM_CALL, number, call=call.index)
        name = value.get("name")
        if isinstance(name, str) and name:
            call.names.append(Said(name, number))
        text = value.get("input")
        if isinstance(text, str):
            if call.custom_input is None:
                call.custom_input = TextTrack()
            call.custom_input.add(text, number)

    def _odd_arguments(self, call: Call, arguments: Json, number: int) -> None:
        """Note arguments that are no string (rule book C-20)."""
        if arguments is None:
            self.note(ChunkAnomaly.ARGUMENTS_NULL, number, call=call.index)
            return
        call.object_arguments = arguments
        text = json.dumps(arguments, ensure_ascii=False)
        self.note(ChunkAnomaly.ARGUMENTS_TYPE, number, call=call.index, detail=text)

    def _later_id(self, call: Call, identity: Json, entry: dict[str, Json], number: int) -> None:
        """Check an id after the first fragment (rule book C-17, C-19)."""
        if identity is None or identity == "":
            return
        if not isinstance(identity, str):
            self.note(ChunkAnomaly.CALL_ID_TYPE, number, call=call.index, detail=identity)
            return
        if not call.ids:
            call.ids.append(Said(identity, number))
            self.note(ChunkAnomaly.CALL_ID_LATE, number, call=call.index, detail=identity)
            return
        if identity == call.ids[0].value:
            self.note(ChunkAnomaly.CALL_ID_REPEATED, number, call=call.index, detail=identity)
            return
        function = entry.get("function")
        names = isinstance(function, dict) and bool(function.get("name"))
        kind = ChunkAnomaly.INDEX_REUSED if names else ChunkAnomaly.CALL_ID_CHANGES
        self.note(kind, number, call=call.index, detail=f"{call.ids[0].value!r} then {identity!r}")
        if len(call.ids) < CALL_LIMIT:
            call.ids.append(Said(identity, number))

    def _later_type(self, call: Call, kind: Json, number: int) -> None:
        """Check a type after the first fragment (rule book C-18, C-19 and "two rules meet", 7)."""
        if kind is None:
            self.note(ChunkAnomaly.CALL_TYPE_NULL, number, call=call.index)
        elif kind in ("function", "custom"):
            if call.types:
                self.note(ChunkAnomaly.CALL_TYPE_REPEATED, number, call=call.index)
            else:
                self.note(ChunkAnomaly.CALL_TYPE_LATE, number, call=call.index)
                call.types.append(Said(str(kind), number))
        else:
            self.note(ChunkAnomaly.CALL_TYPE_WRONG, number, call=call.index, detail=kind)

    def _later_name(self, call: Call, name: Json, number: int) -> None:
        """Check a name after the first fragment (rule book C-18, C-19)."""
        if name is None or name == "":
            return
        if not isinstance(name, str):
            self.note(ChunkAnomaly.NAME_TYPE, number, call=call.index, detail=name)
            return
        if not call.names:
            self.note(ChunkAnomaly.NAME_LATE, number, call=call.index, detail=name)
        elif name == call.names[0].value:
            self.note(ChunkAnomaly.NAME_REPEATED, number, call=call.index, detail=name)
        else:
            self.note(ChunkAnomaly.NAME_SPLIT, number, call=call.index, detail=f"{call.name!r} then {name!r}")
        if len(call.names) < CALL_LIMIT:
            call.names.append(Said(name, number))

    def close(self) -> None:
        """Note what is missing of each call now that nothing more can come."""
        for call in self.choice.calls:
            if call.stray and not call.ids and not call.names:
                self.note(ChunkAnomaly.STRAY_FRAGMENT, call.first_event, call=call.index)
                continue
            if not call.ids:
                self.note(ChunkAnomaly.CALL_ID_MISSING, call.first_event, call=call.index)
            if not call.names:
                self.note(ChunkAnomaly.NAME_MISSING, call.first_event, call=call.index)
            if not call.types:
                self.note(ChunkAnomaly.CALL_TYPE_MISSING, call.first_event, call=call.index)


_COMMON = frozenset({"role", "content", "tool_calls"})
_REASONING = frozenset({"reasoning_content", "reasoning"})
_ENTRY = frozenset({"index", "id", "type", "function"})


def read_chat_body(body: dict[str, Json], request: Request) -> Completion:
    """Read a whole, non-streamed answer (the twin) into the same form; what is odd is left out silently.

    The twin is an oracle, not the accused: only what it clearly says is used.
    """
    completion = Completion()
    choices = body.get("choices")
    for place, entry in enumerate(choices if isinstance(choices, list) else []):
        if not isinstance(entry, dict):
            continue
        message = entry.get("message")
        if not isinstance(message, dict):
            continue
        index = entry.get("index")
        number = index if isinstance(index, int) and not isinstance(index, bool) else place
        choice = Choice(number, 0, 0, role="assistant")
        completion.choices[number] = choice
        _read_message(choice, message)
        finish = entry.get("finish_reason")
        if finish is not None:
            choice.finishes.append(Finish(finish, 0, empty_delta=True))
    usage = body.get("usage")
    if isinstance(usage, dict):
        completion.usages.append(Usage(usage, 0))
        completion.usage_count = 1
    if body.get("error"):
        completion.errors.append(Said(json.dumps(body["error"], ensure_ascii=False)[:2000], 0))
    completion.chunks = 1
    del request
    return completion


def _read_message(choice: Choice, message: dict[str, Json]) -> None:
    """Read content, reasoning and calls of one message."""
    content = message.get("content")
    if isinstance(content, str):
        choice.content.add(content, 0)
    for key in ("reasoning_content", "reasoning"):
        text = message.get(key)
        if isinstance(text, str) and text:
            choice.reasoning.add(text, 0)
            break
    calls = message.get("tool_calls")
    for position, entry in enumerate(calls if isinstance(calls, list) else []):
        function = entry.get("function") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(function, dict):
            continue
        call = Call(choice.index, position, position, 0, 0)
        identity, name, arguments = entry.get("id"), function.get("name"), function.get("arguments")
        if isinstance(identity, str):
            call.ids.append(Said(identity, 0))
        if isinstance(name, str):
            call.names.append(Said(name, 0))
        if isinstance(arguments, str):
            call.arguments.add(arguments, 0)
        elif arguments is not None:
            call.arguments.add(json.dumps(arguments, ensure_ascii=False), 0)
        choice.calls.append(call)
