"""Oddities that an accumulator met, located by event; a rule decides what each means.

Bounded: of each kind only the first `RECORDED` are kept, the rest are counted, so that a stream of a million odd
chunks costs no more memory than one of ten.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["RECORDED", "Anomalies", "Anomaly", "ChunkAnomaly"]

RECORDED = 8
"""How many anomalies of one kind are kept whole: enough to show a pattern, few enough to print."""

EXCERPT = 120
"""Characters of a peer's text that an anomaly may carry."""


class ChunkAnomaly(StrEnum):
    """What can be odd about the pieces of an answer, whatever the protocol calls them."""

    # a payload
    NOT_JSON = "not-json"
    NOT_OBJECT = "not-object"
    DUPLICATE_KEY = "duplicate-key"
    LONE_SURROGATE = "lone-surrogate"
    BIG_INTEGER = "big-integer"
    # an error
    ERROR_OBJECT = "error-object"
    ERROR_SHAPE = "error-shape"
    AFTER_ERROR = "after-error"
    # a chunk
    FIELD_MISSING = "field-missing"
    FIELD_TYPE = "field-type"
    OBJECT_VALUE = "object-value"
    ID_CHANGES = "id-changes"
    CREATED_CHANGES = "created-changes"
    MODEL_CHANGES = "model-changes"
    CHOICES_TYPE = "choices-type"
    CHOICES_EMPTY = "choices-empty"
    FOREIGN_EVENT = "foreign-event"
    # a choice
    CHOICE_TYPE = "choice-type"
    CHOICE_INDEX = "choice-index"
    CHOICE_RANGE = "choice-range"
    CHOICE_ORDER = "choice-order"
    DELTA_TYPE = "delta-type"
    MESSAGE_FOR_DELTA = "message-for-delta"
    FINISH_KEY_MISSING = "finish-key-missing"
    LOGPROBS_SHAPE = "logprobs-shape"
    LOGPROBS_UNASKED = "logprobs-unasked"
    # a delta
    ROLE_MISSING = "role-missing"
    ROLE_WRONG = "role-wrong"
    ROLE_REPEATED = "role-repeated"
    CONTENT_TYPE = "content-type"
    CONTENT_AFTER_CALL = "content-after-call"
    REASONING_TYPE = "reasoning-type"
    REASONING_TWICE = "reasoning-twice"
    REASONING_LATE = "reasoning-late"
    REFUSAL_TYPE = "refusal-type"
    FUNCTION_CALL = "function-call"
    FUNCTION_CALL_EMPTY = "function-call-empty"
    DETAILS_WITHOUT_INDEX = "details-without-index"
    # a call
    CALLS_TYPE = "calls-type"
    CALLS_EMPTY = "calls-empty"
    TOO_MANY_CALLS = "too-many-calls"
    ENTRY_TYPE = "entry-type"
    INDEX_MISSING = "index-missing"
    INDEX_TEXT = "index-text"
    INDEX_TYPE = "index-type"
    INDEX_START = "index-start"
    INDEX_GAP = "index-gap"
    INDEX_REUSED = "index-reused"
    INTERLEAVED = "interleaved"
    CALL_ID_MISSING = "call-id-missing"
    CALL_ID_LATE = "call-id-late"
    CALL_ID_TYPE = "call-id-type"
    CALL_ID_REPEATED = "call-id-repeated"
    CALL_ID_CHANGES = "call-id-changes"
    CALL_TYPE_MISSING = "call-type-missing"
    CALL_TYPE_LATE = "call-type-late"
    CALL_TYPE_WRONG = "call-type-wrong"
    CALL_TYPE_NULL = "call-type-null"
    CALL_TYPE_REPEATED = "call-type-repeated"
    NAME_MISSING = "name-missing"
    NAME_LATE = "name-late"
    NAME_TYPE = "name-type"
    NAME_REPEATED = "name-repeated"
    NAME_SPLIT = "name-split"
    FUNCTION_TYPE = "function-type"
    FUNCTION_ABSENT = "function-absent"
    MISPLACED = "misplaced"
    ARGUMENTS_TYPE = "arguments-type"
    ARGUMENTS_NULL = "arguments-null"
    STRAY_FRAGMENT = "stray-fragment"
    CUSTOM_CALL = "custom-call"
    # an end
    FINISH_EMPTY = "finish-empty"
    FINISH_TYPE = "finish-type"
    FINISH_UNKNOWN = "finish-unknown"
    FINISH_TWICE = "finish-twice"
    FINISH_REPEATED = "finish-repeated"
    FINISH_WITH_DELTA = "finish-with-delta"
    DELTA_AFTER_FINISH = "delta-after-finish"
    EMPTY_AFTER_FINISH = "empty-after-finish"
    DONE_TWICE = "done-twice"
    AFTER_DONE = "after-done"
    # usage
    USAGE_TYPE = "usage-type"
    USAGE_NUMBER = "usage-number"
    USAGE_SUM = "usage-sum"
    USAGE_EARLY = "usage-early"
    USAGE_TWICE = "usage-twice"
    USAGE_UNASKED = "usage-unasked"


@dataclass(frozen=True, slots=True)
class Anomaly:
    """One oddity: `event` is the number of the event that shows it (-1: the end of the stream)."""

    kind: ChunkAnomaly
    event: int
    choice: int = -1
    """Index of the choice, -1 where it belongs to none."""
    call: int = -1
    """Index of the call, -1 where it belongs to none."""
    detail: str = ""
    """What stood there, cut to an excerpt."""


class Anomalies:
    """All oddities of one stream: the first few of each kind and how many there were."""

    __slots__ = ("counts", "recorded", "total")

    def __init__(self) -> None:
        """Start with none."""
        self.recorded: dict[ChunkAnomaly, list[Anomaly]] = {}
        self.counts: Counter[ChunkAnomaly] = Counter()
        self.total = 0
        """How many there were of all kinds."""

    def note(self, kind: ChunkAnomaly, event: int, *, choice: int = -1, call: int = -1, detail: object = "") -> None:
        """Keep or count one."""
        self.counts[kind] += 1
        self.total += 1
        kept = self.recorded.setdefault(kind, [])
        if len(kept) < RECORDED:
            text = detail if isinstance(detail, str) else json.dumps(detail, ensure_ascii=False, default=repr)
            kept.append(Anomaly(kind, event, choice, call, text[:EXCERPT]))

    def of(self, *kinds: ChunkAnomaly) -> tuple[Anomaly, ...]:
        """Return the kept ones of these kinds, in the order of the kinds."""
        recorded = self.recorded
        if not recorded:
            return ()
        return tuple(anomaly for kind in kinds for anomaly in recorded.get(kind, ()))

    def count(self, kind: ChunkAnomaly) -> int:
        """Return how many of this kind there were."""
        return self.counts[kind]
