"""What takes long to generate is streamed.

What it checks
    No silence of more than 30 seconds, without even a comment, ends in one delta of at least 100 characters that is
    most of what follows.

Why it matters
    The server generated all that time and held it back, until a call or a value was complete. Proxies and clients
    with idle timeouts gave up long before; the others show nothing.

Basis
    Our own policy: a whole call in one delta is legal (G-13) as long as it does not look like a dead server. Rule
    book T-09 and T-13.

Which clients break
    Those behind a proxy with an idle timeout of 30 or 60 seconds.

How to fix
    Stream the fragments of long arguments as they come; at least bridge the wait with comments.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from toolwire.oracle import Oracle
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["stall"]

_SILENCE = 30.0
"""Seconds: the shortest idle timeout that is common among proxies."""

_LARGE = 100
"""Characters of one delta: ordinary ones have a few, those of engines that send every tenth token some fifty."""

_SOON = 1.0
"""Seconds after the silence in which the delta comes: the role may come first, by itself."""


@rule(
    name="stall",
    code="TW702",
    level=Level.SHOULD,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("T-09", "T-13"),
    source="corpus README, judgement call 8",
    needs=(Oracle.TIMING,),
)
def stall(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each such silence."""
    for silence in evidence.silences:
        if silence.seconds <= _SILENCE:
            continue
        sizes = _sizes(evidence, silence.first)
        near = [(size, number) for number, size in sizes.items() if evidence.events[number].at <= silence.end + _SOON]
        size, number = max(near, default=(0, -1))
        if size >= _LARGE and 2 * size >= sum(sizes.values()):
            yield Complaint(
                f"after {silence.seconds:.1f} s of silence {size} characters come in one delta",
                evidence.at_event(number),
                expected=f"fragments, or at least comments, within {_SILENCE:.0f} s",
                actual=f"nothing from {silence.begin:.1f} s to {silence.end:.1f} s",
            )


def _sizes(evidence: Evidence, first: int) -> dict[int, int]:
    """Return how many characters each event from `first` on carries."""
    found: dict[int, int] = {}
    for choice in evidence.completion.choices.values():
        for track in (choice.content, choice.reasoning, *(call.arguments for call in choice.calls)):
            for place in range(bisect_left(track.events, first), len(track.events)):
                number = track.events[place]
                found[number] = found.get(number, 0) + len(track.parts[place])
    return found
