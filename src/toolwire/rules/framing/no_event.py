"""A stream has events that can be read.

What it checks
    A body that arrived holds at least one event whose payload is JSON. Empty bodies, comments alone, `[DONE]` alone,
    lines of JSON without `data:`, pages of a proxy and garbled bytes hold none.

Why it matters
    There is nothing to judge, and clients end with an empty answer, mostly without an error.

Basis
    By the standard such bytes dispatch no event. Rule book E-05, E-06, E-09; corpus, judgement call 2.

Which clients break
    All: the whole stream is silently empty.

How to fix
    Look at the excerpt: whose page or format is it? Write each chunk as `data: `, one JSON object, and a blank line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.exchange import End
from toolwire.framing import FramingAnomaly
from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.protocol.whole import error_words, is_answer
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["no_event"]

_SUCCESS = range(200, 300)


@rule(
    name="no-event",
    code="TW105",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("E-05", "E-06", "E-09"),
    source="WHATWG HTML Living Standard, section 9.2.6 (interpreting an event stream)",
    effect=Effect.UNREADABLE,
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the stream is empty", "reproduced"),),
)
def no_event(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once where no event can be read."""
    exchange = evidence.exchange
    head = exchange.response
    completion = evidence.completion
    if head is None or head.status not in _SUCCESS or completion.chunks or completion.errors:
        return
    if evidence.body.problem or evidence.body.disguised:
        return
    if exchange.end is not End.EOF and not any(read.data for read in exchange.reads):
        return
    if evidence.odd(ChunkAnomaly.FOREIGN_EVENT, ChunkAnomaly.NOT_OBJECT):
        return
    if is_answer(evidence.whole_body) or error_words(evidence.whole_body):
        return
    yield Complaint(
        f"there is no event that could be read: {_instead(evidence)}",
        evidence.at_start(),
        expected="events with a JSON object each",
        actual=evidence.at_start().excerpt[:120],
    )


def _instead(evidence: Evidence) -> str:
    """Say what there is instead."""
    counts = evidence.framing.counts
    if not evidence.body.size:
        return "the body is empty"
    if evidence.completion.terminals:
        return "only [DONE] came" if len(evidence.events) == 1 else "only [DONE] and payloads that are no JSON came"
    if evidence.events:
        return f"the payload of none of {len(evidence.events)} events is JSON"
    if counts[FramingAnomaly.NON_FIELD_JSON]:
        return "the lines of JSON have no data field"
    if counts[FramingAnomaly.UNFINISHED_EVENT]:
        return "the only block is not finished by a blank line"
    if counts[FramingAnomaly.COMMENT] and len(counts) == 1:
        return "only comments came"
    return f"the body begins with {evidence.body.data[:40].decode('utf-8', 'replace')!r}"
