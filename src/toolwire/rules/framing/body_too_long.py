"""An answer stays within bounds.

What it checks
    No line, event or body passes our limits (32 MiB, 64 MiB, 256 MiB), also after decompression.

Why it matters
    An answer of this size is a fault or an attack; a client that keeps all of it runs out of memory.

Basis
    Our own policy: the limits are many times what any engine can generate.

Which clients break
    All that keep what they read.

How to fix
    Look for an endless generation without a token limit, and for text that is sent again with every chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.framing.body import BODY_LIMIT
from toolwire.rule import Basis, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["body_too_long"]


@rule(
    name="body-too-long",
    code="TW112",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    source="limits of toolwire.framing",
    effect=Effect.STREAM,
)
def body_too_long(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each limit that was passed."""
    if evidence.body.too_long:
        yield Complaint(
            f"the body passes {BODY_LIMIT} bytes; the rest was left out",
            evidence.at_end(),
            expected=f"at most {BODY_LIMIT} bytes",
            actual="more",
        )
    for odd in evidence.framing_odd(
        FramingAnomaly.BODY_TOO_LONG, FramingAnomaly.LINE_TOO_LONG, FramingAnomaly.EVENT_TOO_LONG
    ):
        yield Complaint(
            f"a limit on sizes is passed ({odd.kind.value})",
            evidence.at_span(odd.span, odd.at),
            expected="lines, events and bodies within our limits",
            actual=odd.kind.value,
        )
