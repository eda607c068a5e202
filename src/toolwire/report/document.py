"""Results as JSON documents: one for a run, one a line for judged exchanges (design, section 6).

The forms are described in `docs/reference/probe.schema.json` and `docs/reference/judge.schema.json`.

Knows: results and judgements. Must not know: files, terminals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec

if TYPE_CHECKING:
    from toolwire.jsontext import Json
    from toolwire.judge import Judgement
    from toolwire.results import DistinctFault, RunResult, Trial
    from toolwire.rule import Finding
    from toolwire.stats import Rate

__all__ = ["FORMAT", "document", "judgement_document"]

FORMAT = 1
"""Number of the form; it grows when a reader of the old form would misread the new one."""


def document(result: RunResult) -> dict[str, Json]:
    """Return the document of `toolwire probe --json`."""
    header = result.header
    return {
        "format": FORMAT,
        "toolwire": header.toolwire,
        "started": header.started,
        "seconds": result.seconds,
        "label": header.label,
        "target": _plain(header.target),
        "settings": {
            "suite": header.suite.name,
            **cast("dict[str, Json]", _plain(header.settings)),
            "parameters": _plain({**header.suite.parameters, **header.settings.parameters}),
        },
        "ended": result.ended.value,
        "stopped": result.stopped,
        "planned": result.planned,
        "dropped_fields": [
            {"field": one.name, "status": one.status, "said": one.said, "trial": one.trial} for one in result.dropped
        ],
        "oracles": [oracle.value for oracle in result.oracles],
        "cases": [
            {
                "name": case.name,
                "tool_choice": case.tool_choice,
                "planned": case.planned,
                "counts": _plain(case.counts),
                "trials": [_trial(trial) for trial in case.trials],
            }
            for case in result.cases
        ],
        "counts": _plain(result.counts),
        "classes": _plain(result.classes),
        "seed_counts": _plain(result.seed_counts),
        "rates": {
            "drop": _rate(result.rates.drop),
            "broken": _rate(result.rates.broken),
            "fail": _rate(result.rates.fail),
        },
        "faults": [_fault(fault) for fault in result.faults],
        "answer": result.answer,
        "exit": {"code": result.exit.code, "why": result.exit.why},
    }


def judgement_document(judgement: Judgement) -> dict[str, Json]:
    """Return one line of `toolwire judge --json`."""
    return {
        "id": judgement.id,
        "protocol": judgement.protocol,
        **_verdict(judgement),
        "findings": [_finding(finding) for finding in judgement.findings],
        "calls": [{"name": call.name, "arguments": call.arguments} for call in judgement.calls],
        "seed_verdict": judgement.seed_verdict.value,
        "oracles": [oracle.value for oracle in judgement.oracles],
        "not_applicable": cast("Json", dict(judgement.not_applicable)),
        "crashed": cast("Json", dict(judgement.crashed)),
    }


def _verdict(judgement: Judgement) -> dict[str, Json]:
    """Return the verdict with its class, kind and certainty."""
    return {
        "class": judgement.verdict_class.value,
        "verdict": judgement.verdict.value,
        "kind": None if judgement.kind is None else judgement.kind.value,
        "certainty": None if judgement.certainty is None else judgement.certainty.value,
    }


def _trial(trial: Trial) -> dict[str, Json]:
    """Return one trial of a run."""
    judgement = trial.judgement
    return {
        "id": trial.id,
        **_verdict(judgement),
        "findings": [_finding(finding) for finding in judgement.findings],
        "seed_verdict": judgement.seed_verdict.value,
        "timing": _plain(trial.timing),
        "error": trial.error,
    }


def _finding(finding: Finding) -> dict[str, Json]:
    """Return one finding with its evidence: where on the wire it stands, and what stands there."""
    return {
        "rule": finding.rule,
        "code": finding.code,
        "level": finding.level.value,
        "message": finding.message,
        "expected": finding.expected,
        "actual": finding.actual,
        "kind": None if finding.kind is None else finding.kind.value,
        "certainty": finding.certainty.value,
        "dialect": list(finding.dialect),
        "blame": finding.blame,
        "preview": finding.preview,
        "evidence": {
            "event": finding.at.event,
            "start": finding.at.start,
            "end": finding.at.end,
            "at": finding.at.at,
            "excerpt": finding.at.excerpt,
        },
    }


def _fault(fault: DistinctFault) -> dict[str, Json]:
    """Return one distinct fault of a run."""
    return {
        "rule": fault.rule,
        "code": fault.code,
        "level": fault.level.value,
        "kind": None if fault.kind is None else fault.kind.value,
        "dialect": list(fault.dialect),
        "blame": fault.blame,
        "preview": fault.preview,
        "rate": _rate(fault.rate),
        "trials": list(fault.trials),
        "example": fault.example.id,
        "finding": _finding(fault.finding),
    }


def _rate(rate: Rate) -> dict[str, Json]:
    """Return a share with its exact 95 % interval and its one-sided upper bound."""
    return {"k": rate.k, "n": rate.n, "share": rate.share, "low": rate.low, "high": rate.high, "upper": rate.upper}


def _plain(value: object) -> Json:
    """Turn a dataclass, or a mapping with enum keys, into plain JSON values (the round trip makes lists of tuples)."""
    plain: Json = msgspec.json.decode(msgspec.json.encode(value))
    return plain
