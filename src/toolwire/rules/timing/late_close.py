"""The body ends soon after [DONE].

What it checks
    Nothing comes later than one second after `[DONE]`, and the body has ended before our patience does.

Why it matters
    Clients wait for the end of the body before they use the connection again, or drop it; interfaces that read to the
    end hang though all is said.

Basis
    openai-python drains for a tenth of a second and then drops the connection. Rule book T-12.

Which clients break
    Interfaces that wait for the end of the body hang (vllm-mlx issue 101).

How to fix
    End the response right behind `[DONE]`; free the slot of the engine and write logs after that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.exchange import End
from toolwire.oracle import Oracle
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["late_close"]

_SOON = 1.0
"""Seconds: the rule book says well under one, and a network may add some."""


@rule(
    name="late-close",
    code="TW703",
    level=Level.SHOULD,
    basis=Basis.FIRST_PARTY,
    since="0.1",
    rulebook=("T-12",),
    source="openai-python 3.57.0, _streaming_cleanup.py",
    needs=(Oracle.TIMING,),
    clients=(ClientEffect("interfaces that read to the end", Breaks.SILENTLY, "they hang", "vllm-mlx issue 101"),),
)
def late_close(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of a body that goes on behind its terminal event."""
    terminals = evidence.completion.terminals
    if not terminals:
        return
    done = evidence.events[terminals[0]].at
    last = evidence.body.pieces[-1][0]
    if evidence.exchange.end is End.TIMEOUT:
        yield Complaint(
            "the body stays open behind [DONE] until we give up",
            evidence.at_end(),
            expected=f"the end of the body within {_SOON:.0f} s",
            actual="no end",
        )
    elif last - done > _SOON:
        yield Complaint(
            f"bytes still come {last - done:.1f} s after [DONE]",
            evidence.at_end(),
            expected=f"the end of the body within {_SOON:.0f} s",
            actual=f"{last - done:.1f} s",
        )
