"""From one exchange to one judgement: run the rules, weigh the findings, say the verdict.

Knows: the order of verdicts (design, section 2; the corpus' judgement call 2). Must not know: any rule by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING

from toolwire.evidence import Evidence
from toolwire.protocol.request import Contract
from toolwire.rule import Certainty, Effect, Finding, Level, LossKind, NotApplicable, Rule, Stability
from toolwire.seed_verdict import SeedVerdict, seed_verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolwire.exchange import Exchange
    from toolwire.jsontext import Json
    from toolwire.oracle import Oracle
    from toolwire.rule import Complaint

__all__ = ["EVERY_RULE", "JudgedCall", "Judgement", "Verdict", "VerdictClass", "judge"]


class Verdict(StrEnum):
    """The answer about one trial (design, section 2)."""

    PASS = "PASS"  # noqa: S105 - a verdict, no password
    DROP = "DROP"
    BROKEN = "BROKEN"
    DECLINED = "DECLINED"
    CUT = "CUT"
    ERROR = "ERROR"


class VerdictClass(StrEnum):
    """What a verdict means for a run."""

    PASS = "PASS"  # noqa: S105 - a verdict, no password
    WARN = "WARN"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"


@dataclass(frozen=True, slots=True)
class JudgedCall:
    """A call as a client holds it; `arguments` is the object, or the raw text where it is none."""

    name: str
    arguments: Json
    choice: int = 0
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules say of one exchange."""

    id: str
    protocol: str
    verdict_class: VerdictClass
    verdict: Verdict
    kind: LossKind | None
    certainty: Certainty | None
    findings: tuple[Finding, ...]
    """Worst first: MUST, SHOULD, NOTE; in the order of the wire within each."""
    calls: tuple[JudgedCall, ...]
    seed_verdict: SeedVerdict
    oracles: tuple[Oracle, ...]
    not_applicable: dict[str, str] = field(default_factory=dict)
    """Rules that could not judge, with the reason."""
    crashed: dict[str, str] = field(default_factory=dict)
    """Rules of ours that crashed, with the exception: a bug in toolwire, never a pass."""

    @property
    def decisive(self) -> tuple[Finding, ...]:
        """The findings that make the verdict: those of level MUST that are no preview."""
        return tuple(finding for finding in self.findings if finding.level is Level.MUST and not finding.preview)


_ORDER = {Level.MUST: 0, Level.SHOULD: 1, Level.NOTE: 2}
FINDINGS_PER_RULE = 25
"""Findings kept of one rule on one exchange: more of the same tells nothing, and output stays bounded."""


def judge(exchange: Exchange, rules: Sequence[Rule]) -> Judgement:
    """Judge one exchange by `rules`; those of other protocols are skipped. Never raises on any evidence."""
    applied = [rule for rule in rules if exchange.protocol in rule.protocols]
    if rules and not applied:
        return _unknown_protocol(exchange)
    evidence = Evidence(exchange)
    findings: list[Finding] = []
    not_applicable: dict[str, str] = {}
    crashed: dict[str, str] = {}
    for rule in applied:
        try:
            if rule.sees and rule.sees.isdisjoint(evidence.noted):
                continue
            answer = rule.check(evidence)
            if answer is None:
                continue
            if isinstance(answer, NotApplicable):
                not_applicable[rule.name] = answer.reason
                continue
            for complaint in islice(answer, FINDINGS_PER_RULE):
                # one by one, not by extend: what came before a crash is kept
                findings.append(_signed(rule, complaint))  # noqa: PERF401
        except Exception as error:  # noqa: BLE001 - a rule that crashes is reported by name, whatever it raised
            crashed[rule.name] = f"{type(error).__name__}: {error}"
    findings.sort(key=lambda finding: (_ORDER[finding.level], finding.at.start))
    outcome = _Outcome(Verdict.ERROR)
    calls: tuple[JudgedCall, ...] = ()
    oracles: tuple[Oracle, ...] = ()
    try:
        oracles = evidence.oracles
        calls = tuple(_calls(evidence))
        outcome = _weigh(evidence, findings)
    except Exception as error:  # noqa: BLE001 - evidence that we cannot even open is our own fault, and is said
        crashed[OURSELVES] = f"{type(error).__name__}: {error}"
    if crashed and outcome.verdict not in _FAILING:
        # what the crashed rule would have said is not known, so nothing may be called sound
        outcome = _Outcome(Verdict.ERROR)
    return Judgement(
        id=exchange.id,
        protocol=exchange.protocol,
        verdict_class=_class(outcome.verdict, findings),
        verdict=outcome.verdict,
        kind=outcome.kind,
        certainty=outcome.certainty,
        findings=tuple(findings),
        calls=calls,
        seed_verdict=seed_verdict(exchange),
        oracles=oracles,
        not_applicable=not_applicable,
        crashed=crashed,
    )


def _unknown_protocol(exchange: Exchange) -> Judgement:
    """Say that nothing was judged: no rule of ours knows this protocol, and nothing judged is never success."""
    return Judgement(
        id=exchange.id,
        protocol=exchange.protocol,
        verdict_class=VerdictClass.FAIL,
        verdict=Verdict.ERROR,
        kind=None,
        certainty=None,
        findings=(),
        calls=(),
        seed_verdict=seed_verdict(exchange),
        oracles=(),
        not_applicable={EVERY_RULE: f"no rule of this version judges the protocol {exchange.protocol!r}"},
    )


EVERY_RULE = "every rule"
"""The name under which it is said that no rule could judge."""

OURSELVES = "judge"
"""The name under which a crash outside all rules is reported."""

_FAILING = frozenset({Verdict.DROP, Verdict.BROKEN, Verdict.ERROR})


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A verdict with what explains it."""

    verdict: Verdict
    kind: LossKind | None = None
    certainty: Certainty | None = None


def _signed(rule: Rule, complaint: Complaint) -> Finding:
    """Return a complaint with the name of its rule."""
    return Finding(
        rule=rule.name,
        code=rule.code,
        level=complaint.level or rule.level,
        effect=complaint.effect or rule.effect,
        message=complaint.message,
        at=complaint.at,
        expected=complaint.expected,
        actual=complaint.actual,
        kind=complaint.kind,
        certainty=complaint.certainty,
        dialect=complaint.dialect,
        preview=rule.stability is Stability.PREVIEW,
        blame=complaint.blame,
    )


_SURE = {Certainty.PROVEN: 0, Certainty.EVIDENT: 1, Certainty.INFERRED: 2}


def _weigh(evidence: Evidence, findings: list[Finding]) -> _Outcome:
    """Find the verdict in the order ERROR, stream failure, DROP, BROKEN, CUT, PASS, DECLINED."""
    failing = [finding for finding in findings if finding.level is Level.MUST and not finding.preview]
    by_effect: dict[Effect, list[Finding]] = {}
    for finding in failing:
        by_effect.setdefault(finding.effect, []).append(finding)
    if Effect.UNREADABLE in by_effect:
        return _Outcome(Verdict.ERROR)
    if Effect.STREAM in by_effect:
        return _Outcome(Verdict.BROKEN, certainty=_surest(failing))
    losses = by_effect.get(Effect.LOSS)
    if losses and not evidence.used_call_field:
        first = min(losses, key=lambda finding: (_SURE[finding.certainty], _KINDS[finding.kind]))
        kind = min((loss.kind for loss in losses if loss.kind), key=_KINDS.__getitem__, default=LossKind.SILENT)
        return _Outcome(Verdict.DROP, kind, first.certainty)
    if failing:
        return _Outcome(Verdict.BROKEN, certainty=_surest(failing))
    return _Outcome(_without_failure(evidence))


_KINDS: dict[LossKind | None, int] = {
    LossKind.LEAKED: 0,
    LossKind.IN_REASONING: 1,
    LossKind.PHANTOM_FINISH: 2,
    LossKind.SILENT: 3,
    None: 4,
}
"""The kind that tells most comes first."""


def _surest(findings: list[Finding]) -> Certainty:
    """Return the best certainty among findings."""
    return min((finding.certainty for finding in findings), key=_SURE.__getitem__)


def _without_failure(evidence: Evidence) -> Verdict:
    """Tell apart the verdicts that are no failure."""
    if not evidence.completion.chunks:
        # nothing was judged, and that is never success
        return Verdict.ERROR
    choices = evidence.completion.choices.values()
    if evidence.contract is Contract.NONE:
        # no call was wanted: an answer that is cut short has kept to that as well as a whole one
        return Verdict.PASS
    for choice in choices:
        if choice.finish in ("length", "content_filter"):
            complete = [call for call in choice.calls if evidence.arguments(call).value is not None]
            if not complete or len(complete) < len(choice.calls):
                return Verdict.CUT
    return Verdict.PASS if any(choice.calls for choice in choices) else Verdict.DECLINED


def _class(verdict: Verdict, findings: list[Finding]) -> VerdictClass:
    """Return the class of a verdict."""
    match verdict:
        case Verdict.PASS:
            warned = any(finding.level is Level.SHOULD and not finding.preview for finding in findings)
            return VerdictClass.WARN if warned else VerdictClass.PASS
        case Verdict.DECLINED | Verdict.CUT:
            return VerdictClass.INCONCLUSIVE
        case _:
            return VerdictClass.FAIL


def _calls(evidence: Evidence) -> Iterable[JudgedCall]:
    """Yield the calls as a client holds them."""
    for call in evidence.completion.calls:
        if call.custom_input is not None:
            yield JudgedCall(call.name, call.custom_input.text, call.choice, call.id)
            continue
        arguments = evidence.arguments(call)
        value: Json = arguments.value if arguments.value is not None else arguments.text
        if arguments.blank and call.object_arguments is not None:
            value = call.object_arguments
        yield JudgedCall(call.name, value, call.choice, call.id)
