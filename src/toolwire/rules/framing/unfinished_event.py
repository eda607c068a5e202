"""Every event ends with a blank line.

What it checks
    Behind the last event there is a blank line too. A last `[DONE]` without one, or fields without data, is only a
    note.

Why it matters
    Parsers discard a block that is not finished: what it carries, most often the finish, is lost.

Basis
    The standard. Rule book E-05.

Which clients break
    openai-python: the finish reason is None and no error is raised.

How to fix
    Write two line feeds behind each event, the last one too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.protocol.chat import DONE
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["unfinished_event"]


@rule(
    name="unfinished-event",
    code="TW124",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("E-05",),
    source="WHATWG HTML Living Standard, section 9.2.6 (interpreting an event stream)",
    clients=(ClientEffect("openai-python 3.57.0", Breaks.SILENTLY, "the finish reason is None", "reproduced"),),
)
def unfinished_event(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of what is left at the end."""
    residue = evidence.framing.residue
    if residue is None or not evidence.is_stream:
        return
    data = residue.data.strip()
    harmless = data in ("", DONE)
    loss = "" if harmless else ", and what it carries is lost"
    yield Complaint(
        f"the last block has no blank line behind it{loss}: {data[:60]!r}",
        evidence.at_span(residue.span, evidence.at_end().at),
        level=Level.NOTE if harmless else None,
        expected="a blank line",
        actual="the end of the body",
    )
