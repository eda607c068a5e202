"""All that the rules may look at for one exchange, read once and lazily.

Knows: how to get from the timed reads to events, the Completion, scans and oracles.
Must not know: rules, levels, verdicts.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

from toolwire.exchange import End
from toolwire.framing.body import Body, decode_body
from toolwire.framing.sse import SseDecoder
from toolwire.jsontext import read_json
from toolwire.markup import Excuse, Strength, reasoning_marks, scan, scan_value, turn_marks
from toolwire.oracle import Oracle, SchemaCheck, read_arguments
from toolwire.pairing import PlainCall
from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.protocol.chat import DONE, ChatAccumulator, read_chat_body
from toolwire.protocol.request import Contract, Request, read_chat_request

if TYPE_CHECKING:
    from toolwire.completion import Call, Choice, Completion
    from toolwire.exchange import Exchange
    from toolwire.framing import Anomaly as FramingOddity
    from toolwire.framing import Event, FramingAnomaly, Span
    from toolwire.jsontext import Json
    from toolwire.markup import Mark, Scan
    from toolwire.oracle import Arguments
    from toolwire.protocol.anomaly import Anomalies, Anomaly

__all__ = ["Evidence", "Location", "Silence"]

HTTP_ERROR = 400
"""From this status on there is no answer."""

_SUCCESS = range(200, 300)
"""Statuses with which an answer may come."""

_ENDS_WITH_DONE = re.compile(r"(?:\s*data:\s*\[DONE\])+\s*\Z")

_CLOSING = re.compile(r"</|\[/|<\|end|<\|inner_suffix|<\|plamo:end|<channel\||◁/", re.IGNORECASE)
"""How the tags that end reasoning begin, in all families."""

SCANNED = 2_000_000
"""Characters of one text that are looked through for markup: an answer of half a million tokens. A text that is made to
be hard costs seconds a million, so what is longer is looked at in its first and last million."""

EXCERPT_BYTES = 240
"""Bytes of the wire that a location shows."""


PAUSE = 1.0
"""Seconds without a byte from which on a pause is kept: engines that generate at all do so faster."""


def _arrival(event: Event) -> float:
    """Return when an event was complete."""
    return event.at


@dataclass(frozen=True, slots=True)
class Silence:
    """A time without any byte, comments included, between two reads; the first counts from the request."""

    begin: float
    end: float
    """When the read came that ended it, in seconds since the request."""
    first: int
    """Number of the first event that was complete then or later; the count of events where there is none."""

    @property
    def seconds(self) -> float:
        """Return how long it lasted."""
        return self.end - self.begin


@dataclass(frozen=True, slots=True)
class Location:
    """Where on the wire something stands; offsets are bytes of the decoded body, `at` seconds since the request."""

    event: int | None
    """Number of the event, from 0; None where it belongs to no event."""
    start: int
    end: int
    at: float | None
    excerpt: str


def _ends(text: str) -> str:
    """Return a text, or of one that is too long its two ends."""
    return text if len(text) <= SCANNED else text[: SCANNED // 2] + text[-SCANNED // 2 :]


class Evidence:
    """One exchange, opened up. Everything is computed on first use and kept."""

    def __init__(self, exchange: Exchange) -> None:
        """Hold the exchange; nothing is read yet."""
        self.exchange = exchange

    @cached_property
    def request(self) -> Request:
        """The demands of the request."""
        return read_chat_request(cast("dict[str, Json]", self.exchange.request))

    @cached_property
    def body(self) -> Body:
        """The body after content decoding, in its timed pieces."""
        head = self.exchange.response
        encoding = head.headers.get("content-encoding", "") if head is not None else ""
        return decode_body([(read.at, read.data) for read in self.exchange.reads], encoding)

    @cached_property
    def _decoded(self) -> tuple[SseDecoder, list[Event]]:
        """The framing decoder after all bytes, and its events."""
        decoder = SseDecoder()
        pieces = self.body.pieces
        events = decoder.feed_all(pieces)
        events += decoder.close(pieces[-1][0] if pieces else 0.0)
        return decoder, events

    @cached_property
    def framing(self) -> SseDecoder:
        """The framing decoder, with its anomalies and residue."""
        return self._decoded[0]

    @cached_property
    def events(self) -> list[Event]:
        """All events in order; their numbers are their places."""
        return self._decoded[1]

    @cached_property
    def _accumulated(self) -> ChatAccumulator:
        """The accumulator after all events."""
        accumulator = ChatAccumulator(self.request)
        accumulator.add_all(self.events)
        accumulator.close()
        return accumulator

    @cached_property
    def completion(self) -> Completion:
        """What a client holds at the end."""
        return self._accumulated.completion

    @cached_property
    def anomalies(self) -> Anomalies:
        """Oddities of the pieces."""
        return self._accumulated.anomalies

    @cached_property
    def silences(self) -> tuple[Silence, ...]:
        """All pauses of at least `PAUSE`, in their order."""
        found: list[Silence] = []
        before = 0.0
        for at, _ in self.body.pieces:
            if at - before >= PAUSE:
                found.append(Silence(before, at, bisect_left(self.events, at, key=_arrival)))
            before = at
        return tuple(found)

    @cached_property
    def noted(self) -> frozenset[str]:
        """The kinds of all anomalies that were noted, of the framing and of the pieces."""
        return frozenset(self.framing.counts) | frozenset(self.anomalies.counts)

    def odd(self, *kinds: object) -> tuple[Anomaly, ...]:
        """Return the kept anomalies of these kinds (`ChunkAnomaly`)."""
        anomalies = self.anomalies
        if not anomalies.total:
            return ()
        return anomalies.of(*kinds)  # type: ignore[arg-type]  # kinds are ChunkAnomaly; object keeps rules short

    @cached_property
    def schema(self) -> SchemaCheck:
        """The declared schemas."""
        return SchemaCheck(self.request)

    @cached_property
    def twin(self) -> Completion | None:
        """The non-streamed answer to the same request, where there is one."""
        if self.exchange.twin is None:
            return None
        return read_chat_body(cast("dict[str, Json]", self.exchange.twin), self.request)

    @cached_property
    def twin_obstacle(self) -> str:
        """Why the twin cannot be compared with the stream; empty where it can."""
        twin = self.twin
        if twin is None:
            return "there is no non-streamed answer to compare with"
        if not self.request.streamed_twin_is_comparable:
            return "the request is neither greedy nor seeded, so its two answers may differ"
        if twin.errors or not twin.choices:
            return "the non-streamed answer is no completion"
        return "the stream failed as a whole" if self.failed_as_a_whole else ""

    @cached_property
    def whole_body(self) -> Json:
        """The body read as one JSON value, where it has no event but `[DONE]`; None where it is no such value."""
        if not self.body.size or any(event.data.strip() != DONE for event in self.events):
            return None
        text = self.body.data.decode("utf-8", "replace").strip()
        if self.events:
            text = _ENDS_WITH_DONE.sub("", text)
        reading = read_json(text)
        return reading.value if reading.ok else None

    @cached_property
    def is_stream(self) -> bool:
        """Whether the body can be taken for a stream of events: not refused, not garbled, not one JSON value."""
        head = self.exchange.response
        if head is None or head.status not in _SUCCESS or self.body.problem or self.body.disguised:
            return False
        return self.whole_body is None

    def framing_odd(self, *kinds: FramingAnomaly) -> tuple[FramingOddity, ...]:
        """Return the kept anomalies of the framing of these kinds; none where the body is no stream at all."""
        framing = self.framing
        if not framing.counts or not self.is_stream:
            return ()
        return tuple(anomaly for anomaly in framing.anomalies if anomaly.kind in kinds)

    # -- arguments -------------------------------------------------------------------------------------------------

    @cached_property
    def _arguments(self) -> dict[int, Arguments]:
        return {}

    def arguments(self, call: Call) -> Arguments:
        """Return the arguments of a call, read strictly."""
        found = self._arguments.get(id(call))
        if found is None:
            found = self._arguments[id(call)] = read_arguments(call)
        return found

    def honestly_cut(self, call: Call) -> bool:
        """Whether a call is the last of a choice that says it was cut (by length or filter)."""
        choice = self.completion.choices[call.choice]
        return choice.finish in ("length", "content_filter") and choice.calls[-1] is call

    def left_open(self, call: Call) -> bool:
        """Whether something else explains what a call lacks: an honest cut, or the failure of the whole stream."""
        if self.honestly_cut(call):
            return True
        choice = self.completion.choices[call.choice]
        return self.failed_as_a_whole and choice.finish is None and choice.calls[-1] is call

    # -- markup ----------------------------------------------------------------------------------------------------

    @cached_property
    def tool_parameters(self) -> dict[str, tuple[str, ...]]:
        """Declared names and their parameter names, for the scanner."""
        return {name: tool.properties for name, tool in self.request.tools.items()}

    @cached_property
    def _schemas(self) -> dict[str, Json]:
        """Declared names and their schemas, which settle the types of what markup writes without one."""
        return {name: tool.parameters for name, tool in self.request.tools.items() if tool.parameters}

    @cached_property
    def _scans(self) -> dict[tuple[str, int], Scan]:
        return {}

    def content_scan(self, choice: Choice) -> Scan:
        """Return the scan of a choice's joined content."""
        # frames of reasoning beside a call that came are no lost call
        return self._scan("content", choice.index, choice.content.text, answered=bool(choice.calls))

    def reasoning_scan(self, choice: Choice) -> Scan:
        """Return the scan of a choice's joined reasoning."""
        answered = bool(choice.calls) or bool(self.answer_text(choice))
        return self._scan("reasoning", choice.index, choice.reasoning.text, answered=answered)

    @cached_property
    def generated_scan(self) -> Scan | None:
        """The scan of the text that the model produced, where it is known."""
        text = self.exchange.generated
        return None if text is None else self._scan("generated", 0, text)

    def _scan(self, what: str, index: int, text: str, *, answered: bool = False) -> Scan:
        """Scan once."""
        found = self._scans.get((what, index))
        if found is None:
            found = scan(
                _ends(text),
                tools=self.tool_parameters,
                prompt=self.request.prompt,
                schemas=self._schemas,
                answered=answered,
                wants_json="response_format" in self.request.raw,
            )
            self._scans[what, index] = found
        return found

    @staticmethod
    def form_of(scanned: Scan) -> str:
        """Name the forms that fit markup best, to follow the words for it; empty where none is known."""
        return f" in the form of {' or '.join(scanned.dialects[:3])}" if scanned.dialects else ""

    def value_scan(self, text: str) -> Scan:
        """Return the scan of a string inside arguments."""
        return scan_value(_ends(text), tools=self.tool_parameters, prompt=self.request.prompt)

    def content_reasoning_marks(self, choice: Choice) -> tuple[Mark, ...]:
        """Return the reasoning markers in a choice's content that the prompt does not excuse."""
        return reasoning_marks(choice.content.text, prompt=self.request.prompt)

    def content_turn_marks(self, choice: Choice) -> tuple[Mark, ...]:
        """Return the turn tokens in a choice's content that the prompt does not excuse."""
        return turn_marks(choice.content.text, prompt=self.request.prompt)

    def content_frame_marks(self, choice: Choice) -> tuple[Mark, ...]:
        """Return the tokens of messages or channels that stand around an ordinary answer in a choice's content.

        Reasoning tags are frames too, and left out: `content_reasoning_marks` has them.
        """
        reasoning = {mark.start for mark in self.content_reasoning_marks(choice)}
        return tuple(
            mark
            for mark in self.content_scan(choice).excused
            if mark.strength is Strength.FRAME and mark.excuse is Excuse.ANSWERED and mark.start not in reasoning
        )

    # -- facts that several rules and the judge need ----------------------------------------------------------------

    @cached_property
    def used_call_field(self) -> bool:
        """Whether one fragment at least came in the protocol's own field for calls, in whatever shape."""
        if any(choice.calls for choice in self.completion.choices.values()):
            return True
        return bool(self.odd(ChunkAnomaly.CALLS_TYPE, ChunkAnomaly.ENTRY_TYPE))

    @cached_property
    def failed_as_a_whole(self) -> bool:
        """Whether there is no whole answer: refused, broken off, or ended by an error.

        What is missing then is missing because of that, and rules on missing things need not say it again.
        """
        head = self.exchange.response
        completion = self.completion
        # what only was not closed behind [DONE] was whole: nothing that is missing is missing because of that
        patient = self.exchange.end in (End.TIMEOUT, End.ABORTED) and bool(completion.terminals)
        torn = self.broke_off and not patient
        return head is None or head.status >= HTTP_ERROR or torn or bool(completion.errors)

    def plain_calls(self, choice: Choice, *, twin: bool = False) -> list[PlainCall]:
        """Return the calls of a choice of the stream (or of the twin) for comparison."""
        found = []
        for call in choice.calls:
            read = read_arguments(call) if twin else self.arguments(call)
            value: Json = read.value
            if value is None:
                value = call.object_arguments if isinstance(call.object_arguments, dict) else read.text
            found.append(PlainCall(call.name, value, call.position))
        return found

    def end_of_reasoning(self, text: str, scanned: Scan) -> int:
        """Return the offset behind the last tag in raw text that ends reasoning and stands in no call; 0 for none."""
        end = 0
        for mark in reasoning_marks(text, prompt=""):
            inside = any(call.start < mark.start and mark.end <= call.end for call in scanned.calls)
            if not inside and _CLOSING.match(mark.text):
                end = mark.end
        return end

    def answer_text(self, choice: Choice) -> str:
        """Return a choice's content without turn tokens and the reasoning that stands between tags in it, stripped."""
        marks = self.content_reasoning_marks(choice)
        text = choice.content.text
        kept: list[str] = []
        place = 0
        inside = False
        for mark in marks:
            closes = _CLOSING.match(mark.text) is not None
            if closes and not inside:
                # the opening tag was part of the prompt: all that stands before is reasoning
                kept.clear()
            elif not inside:
                kept.append(text[place : mark.start])
            inside = not closes
            place = max(place, mark.end)
        if not inside:
            kept.append(text[place:])
        answer = "".join(kept)
        for mark in self.content_turn_marks(choice):
            answer = answer.replace(mark.text, "")
        return answer.strip()

    @cached_property
    def finished_cleanly(self) -> bool:
        """Whether every choice that opened has a finish reason."""
        choices = self.completion.choices
        return bool(choices) and all(choice.finish is not None for choice in choices.values())

    @cached_property
    def oracles(self) -> tuple[Oracle, ...]:
        """The sources of truth that this exchange offers."""
        found = [Oracle.STREAM]
        if any(tool.parameters for tool in self.request.tools.values()):
            found.append(Oracle.SCHEMA)
        if self.exchange.expect is not None:
            found.append(Oracle.EXPECTATION)
        if self.exchange.generated is not None:
            found.append(Oracle.GENERATED)
        if self.exchange.twin is not None:
            found.append(Oracle.TWIN)
        if len(self.exchange.reads) > 0:
            found.append(Oracle.TIMING)
        if self.request.history_ids:
            found.append(Oracle.HISTORY)
        return tuple(found)

    @property
    def contract(self) -> Contract:
        """What `tool_choice` demands."""
        return self.request.contract

    # -- locations -------------------------------------------------------------------------------------------------

    def at_event(self, number: int, needle: str = "") -> Location:
        """Locate an event, or the place of `needle` inside it; -1 is the end of the stream."""
        if not 0 <= number < len(self.events):
            return self.at_end()
        event = self.events[number]
        start, end = event.span.start, event.span.end
        raw = self.body.data[start:end]
        if needle:
            for form in (needle, json.dumps(needle)[1:-1], json.dumps(needle, ensure_ascii=False)[1:-1]):
                place = raw.find(form.encode("utf-8", "surrogatepass"))
                if form and place >= 0:
                    start, end = start + place, start + place + len(form.encode("utf-8", "surrogatepass"))
                    break
        return Location(number, start, end, event.at, self._excerpt(start, end, event.span))

    def at_span(self, span: Span, at: float | None, event: int | None = None) -> Location:
        """Locate a byte span."""
        return Location(event, span.start, span.end, at, self._excerpt(span.start, span.end, span))

    def at_end(self) -> Location:
        """Locate the end of the body."""
        size = self.body.size
        at = self.body.pieces[-1][0] if self.body.pieces else None
        start = max(0, size - EXCERPT_BYTES)
        return Location(None, size, size, at, self.body.data[start:size].decode("utf-8", "replace"))

    def at_start(self) -> Location:
        """Locate the beginning of the body (also: the response's head)."""
        at = self.body.pieces[0][0] if self.body.pieces else None
        return Location(None, 0, 0, at, self.body.data[:EXCERPT_BYTES].decode("utf-8", "replace"))

    def _excerpt(self, start: int, end: int, within: Span) -> str:
        """Return what stands there, with what fits of its surroundings."""
        if end - start < EXCERPT_BYTES:
            slack = EXCERPT_BYTES - (end - start)
            start = max(within.start, start - slack // 2)
            end = min(max(within.end, end), start + EXCERPT_BYTES)
        return self.body.data[start : min(end, start + EXCERPT_BYTES)].decode("utf-8", "replace").strip()

    @property
    def broke_off(self) -> bool:
        """Whether the body ended otherwise than by its own end."""
        return self.exchange.end is not End.EOF or self.body.truncated
