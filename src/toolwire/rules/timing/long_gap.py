"""Long silences are bridged.

What it checks
    Tells of the longest time without any byte, comments included, where it is over 20 seconds.

Why it matters
    Proxies close connections on which nothing moves.

Basis
    The standard suggests a comment about every 15 seconds. Rule book T-13.

Which clients break
    Those behind a proxy with an idle timeout.

How to fix
    Send a comment every 15 seconds while a prompt is read or a call is held back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.oracle import Oracle
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["long_gap"]

_SILENCE = 20.0
"""Seconds: the 15 that the standard suggests, and what timers and networks add."""


@rule(
    name="long-gap",
    code="TW704",
    level=Level.NOTE,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("T-13",),
    source="WHATWG HTML Living Standard, section 9.2.7 (authoring notes)",
    needs=(Oracle.TIMING,),
)
def long_gap(evidence: Evidence) -> Iterator[Complaint]:
    """Tell of the longest silence."""
    longest = max(evidence.silences, key=lambda silence: silence.seconds, default=None)
    if longest is not None and longest.seconds > _SILENCE:
        yield Complaint(
            f"nothing came for {longest.seconds:.1f} s, from {longest.begin:.1f} s on",
            evidence.at_event(longest.first),
            expected="a comment about every 15 s",
            actual=f"{longest.seconds:.1f} s",
        )
