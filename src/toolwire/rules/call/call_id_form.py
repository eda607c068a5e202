"""The id of a call can be sent to any API.

What it checks
    The id has at most 64 characters, all of them letters, digits, `_` or `-`.

Why it matters
    Histories travel: an id that another API refuses breaks the conversation when it is continued there.

Basis
    At most 64 characters where the id is sent back (OpenAPI, FunctionCallOutputItemParam.call_id); the characters
    are what servers agree on. Kimi K2 has native ids such as `functions.read_file:0`, which the model needs to
    see again. Rule book G-06.

Which clients break
    Stricter APIs refuse the history with a 400.

How to fix
    Where the model has native ids, keep them inside and send plain ones outside.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["call_id_form"]

LONGEST = 64
"""Characters that the strictest API takes (rule book G-06)."""

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")


@rule(
    name="call-id-form",
    code="TW311",
    level=Level.SHOULD,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("G-06",),
    source="OpenAI OpenAPI, FunctionCallOutputItemParam.call_id",
)
def call_id_form(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of each breach."""
    for call in evidence.completion.calls:
        identity = call.id
        if identity is None or _PLAIN.fullmatch(identity):
            continue
        long = len(identity) > LONGEST
        yield Complaint(
            f"the id of call {call.index} has {len(identity)} characters"
            if long
            else f"the id of call {call.index} has characters that stricter APIs refuse: {identity!r}",
            evidence.at_event(call.ids[0].event, identity),
            expected=f"at most {LONGEST} characters of A-Z, a-z, 0-9, _ and -",
            actual=identity[:80],
        )
