"""The request is answered with status 200.

What it checks
    The status is a 2xx one. Otherwise there is no answer to judge; and a refusal (400 and above) has a JSON error as
    its body.

Why it matters
    Clients branch on the status, and show the words of the error to whoever can do something about it.

Basis
    The API's error responses. Rule book T-01.

Which clients break
    None: clients expect this. Where the body is no JSON, the words of the error are lost in most of them.

How to fix
    Read the words: a wrong key, model or parameter is ours to correct; 429 and 503 ask for patience; 5xx and pages of
    a proxy are the server's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.jsontext import read_json
from toolwire.protocol.whole import error_words
from toolwire.rule import Basis, Complaint, Effect, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["http_error"]

_SUCCESS = range(200, 300)
_REFUSED = 400
"""From this status on the API owes an error body (a redirect has none)."""


@rule(
    name="http-error",
    code="TW101",
    level=Level.MUST,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("T-01",),
    source="OpenAI OpenAPI, ErrorResponse",
    effect=Effect.UNREADABLE,
)
def http_error(evidence: Evidence) -> Iterator[Complaint]:
    """Complain of the status, and of a refusal in other words than JSON."""
    head = evidence.exchange.response
    if head is None or head.status in _SUCCESS:
        return
    text = evidence.body.data.decode("utf-8", "replace").strip()
    value = read_json(text).value
    words = error_words(value) or (text if value is None else "")
    yield Complaint(
        f"the server answers with status {head.status}" + (f": {' '.join(words.split())[:160]}" if words else ""),
        evidence.at_start(),
        expected="status 200",
        actual=f"status {head.status}",
    )
    if head.status >= _REFUSED and not error_words(value):
        yield Complaint(
            f"the body of the refusal is no JSON error ({f'it begins with {text[:40]!r}' if text else 'it is empty'})",
            evidence.at_start(),
            expected='{"error": {"message": "…"}}',
            actual=text[:120],
        )
