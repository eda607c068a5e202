"""The fragments of calls in one choice of a Chat Completions stream: what they join to, and what is odd about them.

Knows: the entries of `delta.tool_calls` (rule book C-15 to C-21, C-40). Must not know: chunks, verdicts.
Source of the grammar: OpenAI's OpenAPI description, ChatCompletionMessageToolCallChunk, and its own captures.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolwire.completion import Call, Said, TextTrack
from toolwire.protocol.anomaly import ChunkAnomaly

if TYPE_CHECKING:
    from toolwire.completion import Choice
    from toolwire.jsontext import Json
    from toolwire.protocol.anomaly import Anomalies

__all__ = ["CALL_LIMIT", "CallJoiner"]

CALL_LIMIT = 20_000
"""Calls kept of one choice; a stream that opens more is not an answer, and memory stays bounded."""

REPEATS = 64
"""Ids and fragments of a name that are kept of one call; the rest is counted as an anomaly and dropped."""

INDEX_DIGITS = 5
"""Digits of an index that came as a string; a longer one is no index."""

_ENTRY = frozenset({"index", "id", "type", "function"})
_MISPLACED = ("name", "arguments", "parameters")
"""Fields that belong into `function` and that servers put beside it."""


class CallJoiner:
    """Joins the fragments of one choice's calls, index by index."""

    __slots__ = ("anomalies", "by_index", "choice", "highest", "last")

    def __init__(self, choice: Choice, anomalies: Anomalies) -> None:
        """Append calls to `choice.calls`, and oddities to `anomalies`."""
        self.choice = choice
        self.anomalies = anomalies
        self.by_index: dict[int, Call] = {}
        self.last: Call | None = None
        self.highest = -1

    def add(self, calls: Json, number: int) -> None:
        """Take the value of `tool_calls` in event `number`; it is not null."""
        if type(calls) is not list:
            self._note(ChunkAnomaly.CALLS_TYPE, number, detail=calls)
            return
        if not calls:
            self._note(ChunkAnomaly.CALLS_EMPTY, number)
        for entry in calls:
            if type(entry) is dict:
                self._fragment(entry, number)
            else:
                self._note(ChunkAnomaly.ENTRY_TYPE, number, detail=entry)

    def close(self) -> None:
        """Note what is missing of each call now that nothing more can come."""
        for call in self.choice.calls:
            call.stray = not call.ids and not call.names
            if call.stray and not self._has_odd_head(call):
                self._note(ChunkAnomaly.STRAY_FRAGMENT, call.first_event, call=call)
                continue
            # a value of the wrong type is told once, not as missing too
            if not call.ids and not self._told(ChunkAnomaly.CALL_ID_TYPE, call):
                self._note(ChunkAnomaly.CALL_ID_MISSING, call.first_event, call=call)
            if not call.names and not self._told(ChunkAnomaly.NAME_TYPE, call):
                self._note(ChunkAnomaly.NAME_MISSING, call.first_event, call=call)
            if not call.types and not self._told(ChunkAnomaly.CALL_TYPE_WRONG, call):
                self._note(ChunkAnomaly.CALL_TYPE_MISSING, call.first_event, call=call)

    def _has_odd_head(self, call: Call) -> bool:
        """Whether a call was opened, if only with an id, a name or fields that cannot be used."""
        kinds = (ChunkAnomaly.CALL_ID_TYPE, ChunkAnomaly.NAME_TYPE, ChunkAnomaly.MISPLACED)
        return any(self._told(kind, call) for kind in kinds)

    def _told(self, kind: ChunkAnomaly, call: Call) -> bool:
        """Whether an oddity of this kind was noted of a call (among those that are kept)."""
        return any(odd.call == call.index and odd.choice == self.choice.index for odd in self.anomalies.of(kind))

    def _note(self, kind: ChunkAnomaly, number: int, *, call: Call | None = None, detail: object = "") -> None:
        """Note an oddity of this choice."""
        place = -1 if call is None else call.index
        self.anomalies.note(kind, number, choice=self.choice.index, call=place, detail=detail)

    def _fragment(self, entry: dict[str, Json], number: int) -> None:
        """Take one entry of `tool_calls`."""
        index = entry.get("index")
        function = entry.get("function")
        call = self.by_index.get(index) if type(index) is int else None
        if call is not None and call is self.last and len(entry) == 2 and type(function) is dict:  # noqa: PLR2004
            # by far the commonest: an index and a function that holds nothing but arguments
            arguments = function.get("arguments")
            if type(arguments) is str and len(function) == 1:
                call.last_event = number
                call.arguments.add(arguments, number)
                return
        if type(index) is not int:
            index = self._odd_index(entry, index, number)
            call = self.by_index.get(index)
        if call is None:
            self._open(index, entry, number)
        else:
            self._continue(call, entry, number)

    def _odd_index(self, entry: dict[str, Json], index: Json, number: int) -> int:
        """Find the call that an entry without a proper index belongs to."""
        if isinstance(index, str) and index.isdecimal() and len(index) <= INDEX_DIGITS:
            self._note(ChunkAnomaly.INDEX_TEXT, number, detail=index)
            return int(index)
        if "index" not in entry:
            self._note(ChunkAnomaly.INDEX_MISSING, number)
        elif index is None:
            self._note(ChunkAnomaly.INDEX_MISSING, number, detail="null")
        else:
            self._note(ChunkAnomaly.INDEX_TYPE, number, detail=index)
        if self.last is None:
            return 0
        function = entry.get("function")
        identity = entry.get("id")
        opens = bool(identity) or (isinstance(function, dict) and bool(function.get("name")))
        if opens and not any(said.value == identity for said in self.last.ids):
            return self.highest + 1
        return self.last.index

    # -- the first fragment ----------------------------------------------------------------------------------------

    def _open(self, index: int, entry: dict[str, Json], number: int) -> None:
        """Begin a call with its first fragment (rule book C-16, C-18)."""
        choice = self.choice
        if len(choice.calls) >= CALL_LIMIT:
            self._note(ChunkAnomaly.TOO_MANY_CALLS, number)
            return
        call = Call(choice.index, index, len(choice.calls), number, number)
        if index != len(self.by_index):
            kind = ChunkAnomaly.INDEX_GAP if self.by_index else ChunkAnomaly.INDEX_START
            self._note(kind, number, call=call, detail=f"index {index} where {len(self.by_index)} was next")
        self.by_index[index] = call
        self.highest = max(self.highest, index)
        self.last = call
        choice.calls.append(call)
        identity = entry.get("id")
        if isinstance(identity, str):
            if identity:
                call.ids.append(Said(identity, number))
        elif identity is not None:
            self._note(ChunkAnomaly.CALL_ID_TYPE, number, call=call, detail=identity)
        kind_of = entry.get("type")
        if kind_of == "function" or (kind_of == "custom" and "custom" in entry):
            call.types.append(Said(kind_of, number))
        elif kind_of is not None:
            self._note(ChunkAnomaly.CALL_TYPE_WRONG, number, call=call, detail=kind_of)
        function = entry.get("function")
        if type(function) is dict:
            name = function.get("name")
            if isinstance(name, str):
                if name:
                    call.names.append(Said(name, number))
            elif name is not None:
                self._note(ChunkAnomaly.NAME_TYPE, number, call=call, detail=name)
            self._arguments(call, function, number)
            if not identity and function.get("id"):
                self._note(ChunkAnomaly.MISPLACED, number, call=call, detail="id inside function")
            if "parameters" in function and "arguments" not in function:
                self._note(ChunkAnomaly.MISPLACED, number, call=call, detail="parameters where arguments belong")
        self._others(call, entry, function, number)

    # -- later fragments -------------------------------------------------------------------------------------------

    def _continue(self, call: Call, entry: dict[str, Json], number: int) -> None:
        """Take a fragment of a call that is open."""
        if call is not self.last:
            if call is not self.choice.calls[-1]:
                self._note(ChunkAnomaly.INTERLEAVED, number, call=call)
            self.last = call
        call.last_event = number
        function = entry.get("function")
        reused = False
        if "id" in entry:
            reused = self._later_id(call, entry["id"], function, number)
        if "type" in entry and not reused:
            self._later_type(call, entry["type"], number)
        if type(function) is dict:
            if "name" in function:
                self._later_name(call, function["name"], number, reused=reused)
            self._arguments(call, function, number)
        self._others(call, entry, function, number)

    def _later_id(self, call: Call, identity: Json, function: Json, number: int) -> bool:
        """Check an id after the first fragment (rule book C-17, C-19); return whether it begins a second call."""
        if identity is None or identity == "":
            return False
        if not isinstance(identity, str):
            self._note(ChunkAnomaly.CALL_ID_TYPE, number, call=call, detail=identity)
            return False
        if not call.ids:
            call.ids.append(Said(identity, number))
            self._note(ChunkAnomaly.CALL_ID_LATE, number, call=call, detail=identity)
            return False
        if identity == call.ids[0].value:
            self._note(ChunkAnomaly.CALL_ID_REPEATED, number, call=call, detail=identity)
            return False
        reused = isinstance(function, dict) and self._begins_anew(call, function)
        kind = ChunkAnomaly.INDEX_REUSED if reused else ChunkAnomaly.CALL_ID_CHANGES
        self._note(kind, number, call=call, detail=f"{call.ids[-1].value!r} then {identity!r}")
        if len(call.ids) < REPEATS:
            call.ids.append(Said(identity, number))
        return reused

    @staticmethod
    def _begins_anew(call: Call, function: dict[str, Json]) -> bool:
        """Whether a fragment with a new id is the head of another call: it has a name, and no middle of arguments.

        A server that invents an id for each fragment may repeat the name too; what follows then continues the text.
        """
        name = function.get("name")
        if not name:
            return False
        if not call.names or name != call.names[0].value:
            return True
        arguments = function.get("arguments")
        begins = not isinstance(arguments, str) or not arguments.strip() or arguments.lstrip().startswith("{")
        return begins and any(call.arguments.parts)

    def _later_type(self, call: Call, kind: Json, number: int) -> None:
        """Check a type after the first fragment (rule book C-18, C-19 and "two rules meet", 7)."""
        if kind is None or kind == "":
            self._note(ChunkAnomaly.CALL_TYPE_NULL, number, call=call, detail="null" if kind is None else '""')
        elif kind in ("function", "custom"):
            if call.types:
                self._note(ChunkAnomaly.CALL_TYPE_REPEATED, number, call=call)
            else:
                self._note(ChunkAnomaly.CALL_TYPE_LATE, number, call=call)
                call.types.append(Said(str(kind), number))
        else:
            self._note(ChunkAnomaly.CALL_TYPE_WRONG, number, call=call, detail=kind)

    def _later_name(self, call: Call, name: Json, number: int, *, reused: bool) -> None:
        """Check a name after the first fragment (rule book C-17 to C-19)."""
        if name is None or name == "":
            return
        if not isinstance(name, str):
            self._note(ChunkAnomaly.NAME_TYPE, number, call=call, detail=name)
            return
        if not call.names:
            self._note(ChunkAnomaly.NAME_LATE, number, call=call, detail=name)
        elif reused:
            pass  # told already, with the id
        elif name == call.names[0].value:
            self._note(ChunkAnomaly.NAME_REPEATED, number, call=call, detail=name)
        elif any(call.arguments.parts):
            # a name is whole before its arguments begin, so this is another call that has no id to show for itself
            self._note(ChunkAnomaly.INDEX_REUSED, number, call=call, detail=f"{call.names[0].value!r} then {name!r}")
        else:
            self._note(ChunkAnomaly.NAME_SPLIT, number, call=call, detail=f"{call.names[-1].value!r} then {name!r}")
        if len(call.names) < REPEATS:
            call.names.append(Said(name, number))

    # -- any fragment ----------------------------------------------------------------------------------------------

    def _arguments(self, call: Call, function: dict[str, Json], number: int) -> None:
        """Take the arguments of a fragment (rule book C-20)."""
        if "arguments" not in function:
            return
        arguments = function["arguments"]
        if type(arguments) is str:
            call.arguments.add(arguments, number)
        elif arguments is None:
            self._note(ChunkAnomaly.ARGUMENTS_NULL, number, call=call)
        else:
            call.object_arguments = arguments
            self._note(ChunkAnomaly.ARGUMENTS_TYPE, number, call=call, detail=json.dumps(arguments, ensure_ascii=False))

    def _others(self, call: Call, entry: dict[str, Json], function: Json, number: int) -> None:
        """Take what is left of an entry: a `function` that is no object, and keys that do not belong there."""
        inside = function if isinstance(function, dict) else {}
        if "function" in entry and type(function) is not dict:
            self._note(ChunkAnomaly.FUNCTION_TYPE, number, call=call, detail=function)
        elif "function" not in entry and "custom" not in entry and number != call.first_event:
            self._note(ChunkAnomaly.FUNCTION_ABSENT, number, call=call)
        for key, value in entry.items():
            if key in _ENTRY:
                continue
            if key == "custom":
                self._custom(call, value, number)
            elif key in _MISPLACED and value is not None and key not in inside:
                self._note(ChunkAnomaly.MISPLACED, number, call=call, detail=f"{key} beside function")

    def _custom(self, call: Call, value: Json, number: int) -> None:
        """Take a fragment of a custom tool's call (rule book C-40)."""
        if not isinstance(value, dict):
            return
        self._note(ChunkAnomaly.CUSTOM_CALL, number, call=call)
        if call.custom_input is None:
            call.custom_input = TextTrack()
        name = value.get("name")
        if isinstance(name, str) and name and len(call.names) < REPEATS:
            call.names.append(Said(name, number))
        text = value.get("input")
        if isinstance(text, str):
            call.custom_input.add(text, number)
        elif text is not None:
            self._note(ChunkAnomaly.ARGUMENTS_TYPE, number, call=call, detail=text)
