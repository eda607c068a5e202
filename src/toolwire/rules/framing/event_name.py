"""Events have no name.

What it checks
    Tells that `event:` fields came. A name that begins with `thread.` is a warning.

Why it matters
    Events of this protocol are data-only. Names are harmless, but those of the vendor's other protocol are treated
    apart.

Basis
    The older API reference: data-only server-sent events. Rule book C-34.

Which clients break
    openai-python wraps the payload of an event whose name begins with `thread.`.

How to fix
    Leave the names out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["event_name"]


@rule(
    name="event-name",
    code="TW133",
    level=Level.NOTE,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("C-34",),
    source="older API reference of the parameter stream",
    clients=(
        ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the payload of thread.… is wrapped", "rule book C-34"),
    ),
)
def event_name(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once, and once more of a name that is treated apart."""
    odds = evidence.framing_odd(FramingAnomaly.EVENT_NAME)
    apart = next((odd for odd in odds if odd.detail.startswith("thread.")), None)
    for odd in (apart,) if apart is not None else odds[:1]:
        yield Complaint(
            f"{evidence.framing.counts[FramingAnomaly.EVENT_NAME]} events have a name, such as {odd.detail[:40]!r}",
            evidence.at_span(odd.span, odd.at),
            level=Level.SHOULD if apart is not None else None,
            expected="data fields only",
            actual=odd.detail,
        )
