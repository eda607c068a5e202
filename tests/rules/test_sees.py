"""A rule that says what it sees has nothing to say without it, so that it need not run."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from unittest.mock import patch

import pytest

from toolwire.evidence import Evidence
from toolwire.exchange import Exchange, decode_exchange
from toolwire.framing import FramingAnomaly
from toolwire.judge import judge
from toolwire.protocol.anomaly import ChunkAnomaly
from toolwire.rule import NotApplicable, Rule
from toolwire.rules.catalogue import RULES

EXAMPLES: list[Exchange] = [
    decode_exchange(line, file=file.name)
    for folder in sorted((files("toolwire.rules") / "examples").iterdir(), key=lambda entry: entry.name)
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name)
    for line in file.read_bytes().splitlines()
]
SEEING = [rule for rule in RULES if rule.sees]


def said(rule: Rule, evidence: Evidence) -> list[object]:
    """Return what a rule answers."""
    answer = rule.check(evidence)
    assert not isinstance(answer, NotApplicable)
    return list(answer or ())


def test_many_rules_need_not_run() -> None:
    """Most rules on the form of chunks and lines are of this kind, and what they see are anomalies."""
    kinds = {*map(str, ChunkAnomaly), *map(str, FramingAnomaly)}
    assert len(SEEING) > len(RULES) // 3
    for rule in SEEING:
        assert rule.sees <= kinds


@pytest.mark.parametrize("rule", SEEING, ids=lambda rule: rule.name)
def test_it_asks_for_nothing_else(rule: Rule) -> None:
    """It asks for no other kinds, and where there is none of them it says nothing about any example."""
    asked: set[str] = set()

    def nothing(_: Evidence, *kinds: str) -> tuple[object, ...]:
        asked.update(kinds)
        return ()

    with patch.object(Evidence, "odd", nothing), patch.object(Evidence, "framing_odd", nothing):
        for exchange in EXAMPLES[::5]:
            assert said(rule, Evidence(exchange)) == []
    assert asked == rule.sees


def test_judging_without_running_them_is_judging() -> None:
    """The judgement of every example is the same as when every rule runs."""
    eager = [replace(rule, sees=frozenset()) for rule in RULES]
    for exchange in EXAMPLES:
        assert judge(exchange, RULES) == judge(exchange, eager)
