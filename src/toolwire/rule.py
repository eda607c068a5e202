"""What a rule is, and what it answers.

A rule is one documented check of one exchange. It answers findings, nothing, or `NotApplicable(reason)` where the
exchange lacks what it needs. Its module docstring is its page; its examples are its tests.

Knows: rules, levels, findings. Must not know: any rule by name, verdicts of whole exchanges.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from toolwire.evidence import Evidence, Location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolwire.oracle import Oracle

    Check = Callable[[Evidence], "Iterable[Complaint] | NotApplicable | None"]

__all__ = [
    "Basis",
    "Breaks",
    "Certainty",
    "ClientEffect",
    "Complaint",
    "Effect",
    "Evidence",
    "Finding",
    "Level",
    "Location",
    "LossKind",
    "NotApplicable",
    "Rule",
    "Stability",
    "rule",
]


class Level(StrEnum):
    """How bad a breach is: MUST fails, SHOULD warns, NOTE only tells."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    NOTE = "NOTE"


class Basis(StrEnum):
    """What a rule stands on (rule book, section 0)."""

    OFFICIAL = "official"
    """Official text or schema."""
    FIRST_PARTY = "first-party"
    """What the vendor's own library, capture or server does, though no text demands it."""
    DE_FACTO = "de-facto"
    """What third-party servers and clients agree on."""
    POLICY = "policy"
    """Our own judgement, for a stated reason."""


class Effect(StrEnum):
    """What a MUST finding means for the verdict."""

    UNREADABLE = "unreadable"
    """There is no answer that could be judged: ERROR."""
    STREAM = "stream"
    """The stream failed as a whole: BROKEN, even before any call."""
    LOSS = "loss"
    """The call was lost: DROP, unless a call's fragment came in its own field."""
    DEFECT = "defect"
    """Something about what came is wrong: BROKEN."""


class LossKind(StrEnum):
    """How a call was lost (design, section 2)."""

    LEAKED = "leaked"
    IN_REASONING = "in-reasoning"
    PHANTOM_FINISH = "phantom-finish"
    SILENT = "silent"


class Certainty(StrEnum):
    """How sure a failing verdict is."""

    PROVEN = "proven"
    """An oracle shows what was lost."""
    EVIDENT = "evident"
    """The stream itself shows it."""
    INFERRED = "inferred"
    """The contract demanded a call, and an empty or plain turn came."""


class Stability(StrEnum):
    """Preview rules never change an exit code."""

    PREVIEW = "preview"
    STABLE = "stable"


class Breaks(StrEnum):
    """How a client breaks."""

    SILENTLY = "silently"
    BY_EXCEPTION = "by an exception"


@dataclass(frozen=True, slots=True)
class ClientEffect:
    """What a named client does when the rule is broken."""

    client: str
    """Name and, where known, version."""
    how: Breaks
    what: str
    source: str


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The exchange lacks what the rule needs."""

    reason: str


@dataclass(frozen=True, slots=True)
class Complaint:
    """One located breach, as a rule says it; the judge adds whose it is."""

    message: str
    at: Location
    expected: str = ""
    actual: str = ""
    level: Level | None = None
    """Overrides the rule's level, where the rule book grades by circumstance."""
    effect: Effect | None = None
    """Overrides the rule's effect."""
    kind: LossKind | None = None
    certainty: Certainty = Certainty.EVIDENT
    dialect: tuple[str, ...] = ()
    """Ids of the markup families that leaked."""
    blame: str = ""
    """Empty: the server; else who else may be at fault, such as `twin`."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One documented check."""

    name: str
    code: str
    """`TW` and three digits; append-only, no severity inside."""
    level: Level
    basis: Basis
    since: str
    check: Check
    doc: str
    """The docstring of its module, with the fixed headings."""
    module: str
    rulebook: tuple[str, ...] = ()
    """Ids of the entries of the rule book that it enforces."""
    source: str = ""
    effect: Effect = Effect.DEFECT
    stability: Stability = Stability.STABLE
    protocols: frozenset[str] = frozenset({"chat"})
    needs: tuple[Oracle, ...] = ()
    clients: tuple[ClientEffect, ...] = field(default=())
    sees: frozenset[str] = frozenset()
    """Kinds of anomalies without which it has nothing to say, so that it need not run; empty where it always runs."""

    @property
    def summary(self) -> str:
        """The first line of its page."""
        return self.doc.strip().splitlines()[0].rstrip(".") if self.doc.strip() else ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One located complaint of a rule about one exchange."""

    rule: str
    code: str
    level: Level
    effect: Effect
    message: str
    at: Location
    expected: str = ""
    actual: str = ""
    kind: LossKind | None = None
    certainty: Certainty = Certainty.EVIDENT
    dialect: tuple[str, ...] = ()
    preview: bool = False
    blame: str = ""


def rule(
    *,
    name: str,
    code: str,
    level: Level,
    basis: Basis,
    since: str,
    rulebook: tuple[str, ...] = (),
    source: str = "",
    effect: Effect = Effect.DEFECT,
    stability: Stability = Stability.STABLE,
    protocols: frozenset[str] = frozenset({"chat"}),
    needs: tuple[Oracle, ...] = (),
    clients: tuple[ClientEffect, ...] = (),
    sees: Iterable[str] = (),
) -> Callable[[Check], Rule]:
    """Make a rule of a check; the page is the docstring of the check's module."""

    def make(check: Check) -> Rule:
        return Rule(
            name=name,
            code=code,
            level=level,
            basis=basis,
            since=since,
            check=check,
            doc=check.__globals__.get("__doc__") or "",
            module=check.__module__,
            rulebook=rulebook,
            source=source,
            effect=effect,
            stability=stability,
            protocols=protocols,
            needs=needs,
            clients=clients,
            sees=frozenset(sees),
        )

    return make
