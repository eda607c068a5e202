"""Each rule's examples are its tests: a fail example trips the rule, a pass example does not."""

from __future__ import annotations

from importlib.resources import files

import pytest

from toolwire.exchange import Exchange, decode_exchange
from toolwire.judge import Judgement, judge
from toolwire.rule import Level
from toolwire.rules.catalogue import RULES

EXAMPLES = files("toolwire.rules") / "examples"


def examples(kind: str) -> list[tuple[str, Exchange]]:
    """Read all examples of a kind, with the name of the rule that they belong to."""
    found = []
    for rule in RULES:
        folder = EXAMPLES / rule.name
        if not folder.is_dir():
            continue
        for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if file.name.startswith(kind) and file.name.endswith(".jsonl"):
                found += [
                    (rule.name, decode_exchange(line, file=file.name, number=number))
                    for number, line in enumerate(file.read_bytes().splitlines(), start=1)
                ]
    return found


def tripped(judgement: Judgement) -> set[str]:
    """Return the names of the rules that complain."""
    return {finding.rule for finding in judgement.findings}


@pytest.mark.parametrize(("name", "exchange"), examples("fail"), ids=lambda value: getattr(value, "id", value))
def test_a_fail_example_trips_its_rule(name: str, exchange: Exchange) -> None:
    """The rule complains, with a location inside the body, and no rule crashes."""
    judgement = judge(exchange, RULES)
    assert not judgement.crashed
    assert name in tripped(judgement)
    size = sum(len(read.data) for read in exchange.reads)
    for finding in judgement.findings:
        assert 0 <= finding.at.start <= finding.at.end
        if exchange.response is not None and "content-encoding" not in exchange.response.headers:
            assert finding.at.end <= size


@pytest.mark.parametrize(("name", "exchange"), examples("pass"), ids=lambda value: getattr(value, "id", value))
def test_a_pass_example_does_not(name: str, exchange: Exchange) -> None:
    """The rule stays silent, and nothing else fails the exchange either."""
    judgement = judge(exchange, RULES)
    assert not judgement.crashed
    assert name not in tripped(judgement)
    assert not [finding for finding in judgement.findings if finding.level is Level.MUST]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_has_both_kinds(rule: object) -> None:
    """A rule without a pass and a fail example is not finished."""
    name = getattr(rule, "name", "")
    names = {entry.name[:4] for entry in (EXAMPLES / name).iterdir()}
    assert {"pass", "fail"} <= names
