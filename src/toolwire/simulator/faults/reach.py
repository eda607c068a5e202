"""Which rules no fault trips by itself, and what it takes: the rest of the matrix of faults and rules.

`Fault.trips` holds for one plain request of one call. Rules about demands, oracles and mere notes are not in it; each
is here with the fault that makes it speak, or with the reason why none can. The tests hold every line.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEMANDS", "NOTES", "UNREACHED", "Demand"]


@dataclass(frozen=True, slots=True)
class Demand:
    """A rule that a fault trips only where something is demanded, or known besides the stream."""

    rule: str
    fault: str
    given: str
    """What is demanded or known, in words."""


DEMANDS = (
    Demand("http-error", "strict-about-fields", "the request has a field beyond OpenAI's"),
    Demand("choice-index", "choice-missing", "two choices are asked for"),
    Demand("choice-order", "choices-backwards", "two choices are asked for"),
    Demand("usage-unasked", "usage-unasked", "usage is not asked for"),
    Demand("call-forbidden", "call-uninvited", "tool_choice is none"),
    Demand("call-missing", "silent-drop", "tool_choice is required, or names the tool"),
    Demand("wrong-tool", "wrong-tool", "tool_choice names the tool"),
    Demand("named-more-than-one", "call-twice", "tool_choice names the tool"),
    Demand("parallel-forbidden", "calls-parallel", "parallel_tool_calls is false"),
    Demand("expected-calls", "silent-drop", "the case expects the call"),
    Demand("expected-calls", "wrong-tool", "the case expects the call"),
    Demand("expected-calls", "later-calls-lost", "the case expects two calls"),
    Demand("expected-calls", "later-calls-grafted", "the case expects two calls"),
    Demand("twin-differs", "silent-drop", "the answer that was not streamed is known"),
    Demand("twin-text-differs", "reasoning-in-content", "the answer that was not streamed is known"),
    Demand("generated-call-lost", "silent-drop", "the text that the model generated is known"),
)

NOTES = {
    "charset": "charset-latin",
    "several-data-lines": "data-lines",
    "comments": "legal-comments",
    "id-or-retry-field": "ids",
    "big-integer": "payload-big-integer",
    "created-changes": "created-changes",
    "model-changes": "chunk-model-changes",
    "finish-key-missing": "finish-key-missing",
    "custom-call": "custom-call",
    "reasoning-field": "legal-reasoning",
    "reasoning-twice": "reasoning-both-fields",
    "reasoning-late": "reasoning-late",
    "call-repeated": "call-twice",
    "calls-empty-list": "legal-calls-empty",
    "finish-with-delta": "legal-finish-with-last",
    "content-after-call": "legal-words-after",
    "long-gap": "slow-start",
}
"""Rules that only note, and a fault, or an answer that is right, which they note."""

UNREACHED = {
    "body-too-long": "its limits are those of the reader; the hostile answers reach them over sockets",
}
"""Rules that no fault of the matrix makes speak, and why."""
