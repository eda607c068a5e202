"""Events have no id and no retry.

What it checks
    Tells that `id:` or `retry:` fields came, and where their values are none that the standard knows.

Why it matters
    Nobody resumes such streams; and both make decoders take blocks without data for events.

Basis
    Open Responses advises against `id:`; the vendors send neither. Rule book E-13.

Which clients break
    None by themselves.

How to fix
    Leave them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.framing import FramingAnomaly
from toolwire.rule import Basis, Complaint, Evidence, Level, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["id_or_retry_field"]

_KINDS = (
    FramingAnomaly.NUL_IN_ID,
    FramingAnomaly.BAD_RETRY,
    FramingAnomaly.ID_FIELD,
    FramingAnomaly.RETRY_FIELD,
)


@rule(
    name="id-or-retry-field",
    code="TW132",
    level=Level.NOTE,
    basis=Basis.OFFICIAL,
    since="0.1",
    rulebook=("E-13",),
    source="Open Responses specification; OpenAI captures",
)
def id_or_retry_field(evidence: Evidence) -> Iterator[Complaint]:
    """Tell once of each kind."""
    for kind in _KINDS:
        for odd in evidence.framing_odd(kind)[:1]:
            yield Complaint(
                f"{evidence.framing.counts[kind]} times {kind.value}, such as {odd.detail[:40]!r}",
                evidence.at_span(odd.span, odd.at),
                expected="data fields only",
                actual=odd.detail,
            )
