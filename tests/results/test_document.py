"""The JSON documents are what their schemas say, no more and no less."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from runs import exchange_of, header_of
from toolwire.judge import Verdict, VerdictClass, judge
from toolwire.oracle import Oracle
from toolwire.report.document import document, judgement_document
from toolwire.results import DroppedField, FailOn, RunEnd, RunResult
from toolwire.rule import Certainty, Level, LossKind
from toolwire.rules.catalogue import RULES
from toolwire.seed_verdict import SeedVerdict
from toolwire.tally import Tally

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
KINDS = ("pass", "leak", "broken", "plain", "cut", "error", "refused")


def schema(name: str) -> dict[str, Any]:
    """Return one of the published schemas."""
    value: dict[str, Any] = json.loads((REFERENCE / f"{name}.schema.json").read_text("utf-8"))
    return value


def whole_run() -> RunResult:
    """Return a run with every kind of trial, a refused field and an untouched case."""
    tally = Tally(header_of(*KINDS, "untouched", repeat=1))
    for kind in KINDS:
        exchange = exchange_of(f"{kind}/required#1", kind)
        tally.add(kind, "required", 1, exchange, judge(exchange, RULES))
    tally.drop_field(DroppedField("top_k", 400, "no", "pass/required#1"))
    return tally.result(RunEnd.STOPPED, stopped="a reason", seconds=1.25)


def test_a_run_is_what_the_schema_says() -> None:
    """Whole, and without any trial; what is written can be read as JSON by anyone."""
    validator = jsonschema_rs.validator_for(schema("probe"))
    for result in (whole_run(), Tally(header_of("a")).result(RunEnd.COMPLETE)):
        value = document(result)
        assert json.loads(json.dumps(value, allow_nan=False)) == value
        validator.validate(value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_judged_exchange_is_what_the_schema_says(kind: str) -> None:
    """One line for each."""
    value = judgement_document(judge(exchange_of("x", kind), RULES))
    jsonschema_rs.validator_for(schema("judge")).validate(value)
    assert json.loads(json.dumps(value, allow_nan=False)) == value


def objects(value: object) -> list[dict[str, Any]]:
    """Return every schema of an object with named properties inside a schema."""
    if isinstance(value, list):
        return [found for item in value for found in objects(item)]
    if not isinstance(value, dict):
        return []
    inner = [found for item in value.values() for found in objects(item)]
    return [value, *inner] if "properties" in value and "additionalProperties" in value else inner


@pytest.mark.parametrize("name", ["probe", "judge"])
def test_the_schemas_are_closed(name: str) -> None:
    """Every named property is required and no other is allowed, so a stale schema cannot pass."""
    found = objects(schema(name))
    assert len(found) >= 3
    for one in found:
        assert one["additionalProperties"] is False
        assert sorted(one["required"]) == sorted(one["properties"])


@pytest.mark.parametrize("name", ["probe", "judge"])
def test_the_schemas_know_every_word(name: str) -> None:
    """Verdicts, classes, kinds and so on are those of the code."""
    words = schema(name)["$defs"]
    assert words["verdict"]["enum"] == [str(verdict) for verdict in Verdict]
    assert words["class"]["enum"] == [str(one) for one in VerdictClass]
    assert words["kind"]["enum"] == [*map(str, LossKind), None]
    assert words["certainty"]["enum"] == [str(one) for one in Certainty]
    assert words["seed_verdict"]["enum"] == [str(one) for one in SeedVerdict]
    assert words["oracle"]["enum"] == [str(one) for one in Oracle]
    assert words["finding"]["properties"]["level"]["enum"] == [str(one) for one in Level]


def test_the_schema_knows_every_end_and_threshold() -> None:
    """What only runs have."""
    properties = schema("probe")["properties"]
    assert properties["ended"]["enum"] == [str(end) for end in RunEnd]
    assert properties["settings"]["properties"]["fail_on"]["enum"] == [str(one) for one in FailOn]


def test_what_a_reader_needs_is_there() -> None:
    """Counts by case, the place of a finding on the wire, the answer and the exit code."""
    value: dict[str, Any] = document(whole_run())
    assert value["counts"]["DROP"] == 2
    leak = next(case for case in value["cases"] if case["name"] == "leak")
    (trial,) = leak["trials"]
    assert (trial["class"], trial["verdict"], trial["kind"], trial["seed_verdict"]) == (
        "FAIL",
        "DROP",
        "leaked",
        "DROP",
    )
    place = trial["findings"][0]["evidence"]
    assert place["event"] == 1
    assert place["start"] < place["end"]
    assert "<tool_call>" in place["excerpt"]
    assert value["rates"]["drop"]["n"] == value["counts"]["PASS"] + value["counts"]["DROP"] + value["counts"]["BROKEN"]
    assert value["settings"]["parameters"] == {"top_k": 20}
    assert value["dropped_fields"] == [{"field": "top_k", "status": 400, "said": "no", "trial": "pass/required#1"}]
    assert value["exit"]["code"] == 1
    assert value["answer"]
