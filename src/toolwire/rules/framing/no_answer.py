"""An answer arrives.

What it checks
    A connection comes about, the head of a response arrives, and at least one byte of its body, before the connection
    breaks or our patience ends.

Why it matters
    There is nothing to judge: neither the model nor the parser had a part in it.

Basis
    Our own policy: what was not seen is not judged.

Which clients break
    All.

How to fix
    Is the server up, and the address right? Did it crash while it read the prompt? Does a proxy in front give up
    early?
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.exchange import End
from toolwire.rule import Basis, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["no_answer"]

_HOW = {
    End.REFUSED: "no connection came about",
    End.RESET: "the connection broke",
    End.TIMEOUT: "we gave up waiting",
    End.ABORTED: "we stopped reading",
}


@rule(
    name="no-answer",
    code="TW102",
    level=Level.MUST,
    basis=Basis.POLICY,
    since="0.1",
    rulebook=("T-05",),
    source="rule book T-05",
    effect=Effect.UNREADABLE,
)
def no_answer(evidence: Evidence) -> Iterator[Complaint]:
    """Complain where nothing came."""
    exchange = evidence.exchange
    head = exchange.response
    if head is None:
        how = _HOW.get(exchange.end, "the connection ended")
        yield Complaint(
            f"no response came: {how}",
            evidence.at_start(),
            expected="a response",
            actual=exchange.end.value,
        )
    elif exchange.end is not End.EOF and head.status < _REFUSED and not any(read.data for read in exchange.reads):
        yield Complaint(
            f"no byte of an answer came: {_HOW[exchange.end]}",
            evidence.at_start(),
            expected="a stream of events",
            actual=exchange.end.value,
        )


_REFUSED = 400
"""From this status on the missing body is not what matters."""
