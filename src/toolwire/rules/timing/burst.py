"""Events arrive while they are generated.

What it checks
    Not nearly all events come in a single late read: at least 5 events that make up three quarters of the stream,
    after 2 seconds without a byte, with a text or arguments among them that is split into fragments. A call that a
    server sends whole, when it is finished, is let pass: that is its way of streaming.

Why it matters
    Nobody splits a text that is whole already, so something in between held the stream back. Users wait before an
    empty screen, and idle timeouts strike.

Basis
    Our own policy. Rule book T-08 and T-09; G-13 for calls that come whole.

Which clients break
    Interfaces seem to hang; proxies with idle timeouts close the connection.

How to fix
    Look for proxies that buffer (`X-Accel-Buffering: no`, `proxy_buffering off`), middleware that compresses without
    flushing, and servers that collect the stream before they send it.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from toolwire.oracle import Oracle
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["burst"]

_SILENCE = 2.0
"""Seconds: prompts of tests are short, and engines begin within one; waking models up is slower, but not the rest."""

_EVENTS = 5
"""Fewer can be the head, a whole call, the finish, usage and [DONE] of a server that sends calls whole."""

_SHARE = 0.75
"""Of all events: the role may have come early, and usage or [DONE] late."""


@rule(
    name="burst",
    code="TW701",
    level=Level.SHOULD,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("T-08", "T-09"),
    source="corpus README, judgement call 8",
    needs=(Oracle.TIMING,),
)
def burst(evidence: Evidence) -> Iterator[Complaint]:
    """Complain once, of the read that holds the stream."""
    events = evidence.events
    if len(events) < _EVENTS:
        return
    for silence in evidence.silences:
        if silence.seconds < _SILENCE or silence.first + _EVENTS > len(events):
            continue
        after = silence.first
        while after < len(events) and events[after].at == silence.end:
            after += 1
        count = after - silence.first
        if count >= max(_EVENTS, _SHARE * len(events)) and _has_fragments(evidence, silence.first, after):
            yield Complaint(
                f"{count} of {len(events)} events come in one read, after {silence.seconds:.1f} s of silence",
                evidence.at_event(silence.first),
                expected="events spread over the time of generation",
                actual=f"{count} events at {silence.end:.1f} s",
            )
            return


def _has_fragments(evidence: Evidence, first: int, after: int) -> bool:
    """Whether one text or call came in several events from `first` up to and without `after`."""
    for choice in evidence.completion.choices.values():
        for track in (choice.content, choice.reasoning, *(call.arguments for call in choice.calls)):
            begin, end = bisect_left(track.events, first), bisect_left(track.events, after)
            said = {track.events[place] for place in range(begin, end) if track.parts[place]}
            if len(said) > 1:
                return True
    return False
