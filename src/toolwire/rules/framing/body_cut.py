"""The body comes to its own end.

What it checks
    Once events came, the body ends as its transport says: with the last chunk of a chunked body, the promised length,
    the end of the compressed stream. And it does not end in the middle of the answer: without `[DONE]` while a choice
    still lacks its finish. A connection that stays open behind `[DONE]` is another rule's matter.

Why it matters
    What is missing is lost, and where the connection alone marks the end nobody can tell. Half of a call may look
    like a whole one.

Basis
    RFC 9112. Rule book T-05 and C-33 (an error where the body does not end cleanly either).

Which clients break
    httpx2, aiohttp and niquests raise; where the connection marks the end all take the torn answer for whole.

How to fix
    Look for a crash of the engine, a timeout of a proxy or load balancer, and for error paths that end the stream
    without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.exchange import End
from toolwire.protocol.chat import DONE
from toolwire.rule import Basis, Breaks, ClientEffect, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["body_cut"]

_HOW = {
    End.RESET: "the connection broke",
    End.TIMEOUT: "nothing more came until we gave up",
    End.ABORTED: "we stopped reading",
    End.REFUSED: "the connection broke",
    End.EOF: "the compressed body stops before its end",
}


@rule(
    name="body-cut",
    code="TW108",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("T-05", "C-33"),
    source="RFC 9112, sections 7.1 and 8",
    effect=Effect.STREAM,
    clients=(
        ClientEffect("httpx2, aiohttp, niquests", Breaks.BY_EXCEPTION, "a missing last chunk raises", "reproduced"),
        ClientEffect("all clients", Breaks.SILENTLY, "a body that the connection delimits looks whole", "reproduced"),
    ),
)
def body_cut(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of a body that broke off, or that ends in the middle of the answer."""
    if not evidence.events or not evidence.is_stream:
        return
    end = evidence.exchange.end
    completion = evidence.completion
    done = bool(completion.terminals)
    if evidence.broke_off and not (done and end in (End.TIMEOUT, End.ABORTED)):
        where = "behind [DONE]" if done else "before [DONE]" if evidence.finished_cleanly else "inside the answer"
        yield Complaint(
            f"the body breaks off {where}: {_HOW[end]}",
            evidence.at_end(),
            expected="the end of the body as its transport says",
            actual=end.value,
        )
    elif not done and completion.chunks and not completion.errors and not _whole(evidence):
        yield Complaint(
            "the body ends inside the answer, without a finish reason and without [DONE]",
            evidence.at_end(),
            expected="a finish reason and [DONE]",
            actual="the end of the body",
        )


def _whole(evidence: Evidence) -> bool:
    """Whether each choice that opened has its finish, or what is left unfinished at the end is [DONE]."""
    residue = evidence.framing.residue
    return evidence.finished_cleanly or (residue is not None and residue.data.strip() == DONE)
