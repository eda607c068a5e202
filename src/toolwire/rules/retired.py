"""Names and codes of rules that are gone; they are never used again.

A rule that is retired moves here with the release that dropped it and the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RETIRED", "Retired"]


@dataclass(frozen=True, slots=True)
class Retired:
    """One rule that is gone."""

    name: str
    code: str
    since: str
    reason: str


RETIRED: tuple[Retired, ...] = ()
