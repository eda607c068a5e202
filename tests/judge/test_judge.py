"""The judge: the order of verdicts, kinds and certainty, crashes, previews, and that bytes are all that counts."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streams import TOOLS, answered, call, delta, finish, on_the_wire, role, text, thought
from toolwire.exchange import End, Exchange, Read, ResponseHead
from toolwire.judge import FINDINGS_PER_RULE, OURSELVES, Judgement, Verdict, VerdictClass, judge
from toolwire.rule import (
    Basis,
    Certainty,
    Complaint,
    Effect,
    Evidence,
    Level,
    LossKind,
    NotApplicable,
    Rule,
    Stability,
    rule,
)
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolwire.protocol.request import Contract

MUST, SHOULD, NOTE = Level.MUST, Level.SHOULD, Level.NOTE
PLAIN = answered(role(), text("Which file?"), finish("stop"))
CALLED = answered(role(), call(), finish())
CUT = answered(role(), text("I would"), finish("length"))
CUT_CALL = answered(role(), call(arguments='{"path": "/etc/h'), finish("length"))
FORBIDDEN = answered(role(), text("Hello."), finish("stop"), tool_choice="none")
STRAY = answered(role(), delta(tool_calls=[{"index": 0, "function": {"arguments": "{}"}}]), finish())
NO_LIST = answered(role(), delta(tool_calls={"index": 0}), finish("stop"))


def complains(
    level: Level = MUST,
    effect: Effect = Effect.DEFECT,
    *,
    kind: LossKind | None = None,
    certainty: Certainty = Certainty.EVIDENT,
    stability: Stability = Stability.STABLE,
    name: str = "complains",
    times: int = 1,
    at: int | None = None,
) -> Rule:
    """Make a rule that always complains."""

    @rule(name=name, code="TW000", level=level, basis=Basis.POLICY, since="0", effect=effect, stability=stability)
    def check(evidence: Evidence) -> Iterator[Complaint]:
        place = evidence.at_end() if at is None else evidence.at_event(at)
        for number in range(times):
            yield Complaint(f"complaint {number}", place, kind=kind, certainty=certainty)

    return check


def answers(answer: NotApplicable | None) -> Rule:
    """Make a rule that gives this answer."""

    @rule(name="answers", code="TW000", level=MUST, basis=Basis.POLICY, since="0")
    def check(_: Evidence) -> NotApplicable | None:
        return answer

    return check


def crashes(after: int = 0, error: type[BaseException] = KeyError) -> Rule:
    """Make a rule that crashes behind `after` complaints."""

    @rule(name="crashes", code="TW000", level=NOTE, basis=Basis.POLICY, since="0")
    def check(evidence: Evidence) -> Iterator[Complaint]:
        for number in range(after):
            yield Complaint(f"complaint {number}", evidence.at_end())
        raise error("oops")

    return check


UNREADABLE = complains(effect=Effect.UNREADABLE)
STREAM = complains(effect=Effect.STREAM, certainty=Certainty.EVIDENT)
LOSS = complains(effect=Effect.LOSS, kind=LossKind.SILENT, certainty=Certainty.INFERRED)
DEFECT = complains()
PREVIEW = complains(stability=Stability.PREVIEW)


@pytest.mark.parametrize(
    ("exchange", "rules", "verdict", "verdict_class"),
    [
        (CALLED, [UNREADABLE, STREAM, LOSS, DEFECT], Verdict.ERROR, VerdictClass.FAIL),
        (PLAIN, [STREAM, LOSS, DEFECT], Verdict.BROKEN, VerdictClass.FAIL),
        (PLAIN, [LOSS, DEFECT], Verdict.DROP, VerdictClass.FAIL),
        (CALLED, [LOSS, DEFECT], Verdict.BROKEN, VerdictClass.FAIL),
        (CALLED, [LOSS], Verdict.BROKEN, VerdictClass.FAIL),
        (STRAY, [LOSS], Verdict.BROKEN, VerdictClass.FAIL),
        (NO_LIST, [LOSS], Verdict.BROKEN, VerdictClass.FAIL),
        (PLAIN, [DEFECT], Verdict.BROKEN, VerdictClass.FAIL),
        (CUT, [DEFECT], Verdict.BROKEN, VerdictClass.FAIL),
        (CUT, [complains(SHOULD)], Verdict.CUT, VerdictClass.INCONCLUSIVE),
        (CUT_CALL, [], Verdict.CUT, VerdictClass.INCONCLUSIVE),
        (CALLED, [], Verdict.PASS, VerdictClass.PASS),
        (CALLED, [complains(NOTE)], Verdict.PASS, VerdictClass.PASS),
        (CALLED, [complains(SHOULD)], Verdict.PASS, VerdictClass.WARN),
        (FORBIDDEN, [], Verdict.PASS, VerdictClass.PASS),
        (FORBIDDEN, [complains(SHOULD)], Verdict.PASS, VerdictClass.WARN),
        (PLAIN, [], Verdict.DECLINED, VerdictClass.INCONCLUSIVE),
        (PLAIN, [complains(SHOULD)], Verdict.DECLINED, VerdictClass.INCONCLUSIVE),
        (
            answered(role(), call(), call("get_time", "{}", place=1), finish("length")),
            [],
            Verdict.PASS,
            VerdictClass.PASS,
        ),
        (
            answered(role(), call(), call("get_time", "{", place=1), finish("length")),
            [],
            Verdict.CUT,
            VerdictClass.INCONCLUSIVE,
        ),
        (answered(role(), finish("content_filter")), [], Verdict.CUT, VerdictClass.INCONCLUSIVE),
        (answered(done=False, head=None, end=End.REFUSED), [], Verdict.ERROR, VerdictClass.FAIL),
        (answered(), [], Verdict.ERROR, VerdictClass.FAIL),
        (answered(": only a comment\n\n", done=False), [], Verdict.ERROR, VerdictClass.FAIL),
    ],
)
def test_the_order_of_verdicts(
    exchange: Exchange, rules: list[Rule], verdict: Verdict, verdict_class: VerdictClass
) -> None:
    """ERROR, stream failure, DROP, BROKEN, CUT, PASS, DECLINED; the order of the rules does not matter."""
    for order in (rules, rules[::-1]):
        judgement = judge(exchange, order)
        assert (judgement.verdict, judgement.verdict_class) == (verdict, verdict_class)


@pytest.mark.parametrize("exchange", [CALLED, PLAIN, CUT, FORBIDDEN, STRAY])
@pytest.mark.parametrize("rules", [[], [complains(SHOULD)], [LOSS], [DEFECT]])
def test_previews_never_change_the_verdict(exchange: Exchange, rules: list[Rule]) -> None:
    """A preview is shown among the findings and counts for nothing, whatever its level and effect."""
    without = judge(exchange, rules)
    previews = [complains(level, effect, stability=Stability.PREVIEW) for level in (MUST, SHOULD) for effect in Effect]
    judgement = judge(exchange, [*previews, *rules])
    assert len(judgement.findings) == len(without.findings) + len(previews)
    assert replace(judgement, findings=()) == replace(without, findings=())
    assert judgement.decisive == without.decisive


@pytest.mark.parametrize(
    ("losses", "kind", "certainty"),
    [
        ([(LossKind.SILENT, Certainty.INFERRED)], LossKind.SILENT, Certainty.INFERRED),
        (
            [(LossKind.SILENT, Certainty.PROVEN), (LossKind.LEAKED, Certainty.EVIDENT)],
            LossKind.LEAKED,
            Certainty.PROVEN,
        ),
        (
            [(LossKind.PHANTOM_FINISH, Certainty.EVIDENT), (LossKind.IN_REASONING, Certainty.EVIDENT)],
            LossKind.IN_REASONING,
            Certainty.EVIDENT,
        ),
        (
            [(LossKind.SILENT, Certainty.INFERRED), (LossKind.PHANTOM_FINISH, Certainty.EVIDENT)],
            LossKind.PHANTOM_FINISH,
            Certainty.EVIDENT,
        ),
        ([(None, Certainty.EVIDENT)], LossKind.SILENT, Certainty.EVIDENT),
    ],
)
def test_the_kind_that_tells_most_and_the_best_certainty(
    losses: list[tuple[LossKind | None, Certainty]], kind: LossKind, certainty: Certainty
) -> None:
    """Of several losses the clearest kind is named, with the best certainty of all of them."""
    rules = [complains(effect=Effect.LOSS, kind=kind, certainty=sure) for kind, sure in losses]
    judgement = judge(PLAIN, rules)
    assert (judgement.verdict, judgement.kind, judgement.certainty) == (Verdict.DROP, kind, certainty)


def test_a_defect_has_no_kind_and_the_best_certainty() -> None:
    """BROKEN is as sure as the surest finding that fails."""
    rules = [complains(certainty=Certainty.INFERRED), complains(certainty=Certainty.PROVEN), complains(SHOULD)]
    judgement = judge(CALLED, rules)
    assert (judgement.verdict, judgement.kind, judgement.certainty) == (Verdict.BROKEN, None, Certainty.PROVEN)


@pytest.mark.parametrize("exchange", [CALLED, PLAIN, CUT, FORBIDDEN])
def test_a_rule_that_crashes_is_reported_and_never_a_pass(exchange: Exchange) -> None:
    """What the crashed rule would have said is unknown, so the trial is an error of ours, with the rule's name."""
    judgement = judge(exchange, [complains(SHOULD), crashes(after=2), complains(NOTE)])
    assert judgement.verdict is Verdict.ERROR
    assert judgement.verdict_class is VerdictClass.FAIL
    assert judgement.crashed == {"crashes": "KeyError: 'oops'"}
    assert len(judgement.findings) == 4, "what was said before the crash, and by other rules, is kept"


def test_a_crash_does_not_hide_a_failure() -> None:
    """A failure that another rule found stays what it is."""
    judgement = judge(PLAIN, [crashes(error=RecursionError), LOSS])
    assert judgement.verdict is Verdict.DROP
    assert "crashes" in judgement.crashed


def test_an_interrupt_is_no_crash() -> None:
    """A user who stops us is obeyed."""
    with pytest.raises(KeyboardInterrupt):
        judge(PLAIN, [crashes(error=KeyboardInterrupt)])


def test_evidence_that_cannot_be_opened_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug of ours outside all rules is told as such, and is an error."""

    class Unreadable(Evidence):
        @property
        def contract(self) -> Contract:
            raise LookupError("oops")

    monkeypatch.setattr("toolwire.judge.Evidence", Unreadable)
    judgement = judge(CALLED, [complains(NOTE)])
    assert judgement.verdict is Verdict.ERROR
    assert judgement.crashed == {OURSELVES: "LookupError: oops"}
    assert len(judgement.findings) == 1


def test_rules_that_do_not_apply_are_named() -> None:
    """Not applicable is neither a finding nor a silent success."""
    judgement = judge(CALLED, [answers(NotApplicable("no twin")), complains(NOTE, name="other")])
    assert judgement.not_applicable == {"answers": "no twin"}
    assert [finding.rule for finding in judgement.findings] == ["other"]
    assert judge(CALLED, [answers(None)]).findings == ()


def test_rules_of_other_protocols_are_skipped() -> None:
    """A rule judges the protocols that it names."""
    assert judge(answered(role(), protocol="messages"), [DEFECT]).findings == ()


def test_findings_of_one_rule_are_bounded() -> None:
    """More of the same tells nothing, and output stays small."""
    assert len(judge(CALLED, [complains(times=1000)]).findings) == FINDINGS_PER_RULE


def test_findings_come_worst_first_then_in_the_order_of_the_wire() -> None:
    """MUST, SHOULD, NOTE; within each by place."""
    rules = [complains(NOTE, at=0), complains(MUST, at=2), complains(SHOULD, at=1), complains(MUST, at=1)]
    found = judge(CALLED, rules).findings
    assert [(finding.level, finding.at.event) for finding in found] == [(MUST, 1), (MUST, 2), (SHOULD, 1), (NOTE, 0)]


def test_a_complaint_may_override_its_rule() -> None:
    """Level and effect of the complaint win over those of the rule."""

    @rule(name="graded", code="TW000", level=NOTE, basis=Basis.POLICY, since="0")
    def graded(evidence: Evidence) -> Iterator[Complaint]:
        yield Complaint("gone", evidence.at_end(), level=MUST, effect=Effect.LOSS, kind=LossKind.LEAKED)

    judgement = judge(PLAIN, [graded])
    assert (judgement.verdict, judgement.kind) == (Verdict.DROP, LossKind.LEAKED)


def test_calls_are_those_that_a_client_holds() -> None:
    """Objects are read; what is none is shown as it came."""
    found = judge(answered(role(), call(), call("get_time", "{", place=1), finish()), []).calls
    assert [(held.name, held.arguments, held.id) for held in found] == [
        ("read_file", {"path": "/etc/hosts"}, "call_00"),
        ("get_time", "{", "call_01"),
    ]


SAMPLES = [
    answered(role(), thought("Hm, 読む."), call(arguments='{"path": "/etc/h\\u00f6sts, 😀"}'), finish()),
    answered(role(), text('<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'), finish("stop")),
    answered(role(), call(), text("</tool_call>"), finish(), "event: ping\n\n", "data: {\n\n"),
    answered(role(), text("I would"), finish("length"), done=False, end=End.RESET),
    answered("\ufeff", role(), ": ping\r\n\r\n", finish("stop"), 'data: {"error": {"message": "x"}}\r\r'),
]


def split(exchange: Exchange, cuts: list[int]) -> Exchange:
    """Cut the body of an exchange at these offsets, all reads at the same time."""
    body = b"".join(read.data for read in exchange.reads)
    places = [0, *sorted({cut % (len(body) + 1) for cut in cuts}), len(body)]
    reads = [Read.of(0.5, body[start:end]) for start, end in pairwise(places) if start < end]
    return Exchange(
        exchange.id, exchange.protocol, exchange.request, exchange.response, reads, exchange.end, exchange.expect
    )


def essence(judgement: Judgement) -> tuple[object, ...]:
    """Return all that a judgement says."""
    assert not judgement.crashed
    return (
        judgement.verdict,
        judgement.kind,
        judgement.certainty,
        judgement.findings,
        judgement.calls,
        judgement.seed_verdict,
        judgement.not_applicable,
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SAMPLES), st.lists(st.integers(0, 10_000), max_size=12))
def test_any_partition_of_the_bytes_gives_the_same_judgement(exchange: Exchange, cuts: list[int]) -> None:
    """Boundaries of reads mean nothing, also inside characters, markers and line ends."""
    assert essence(judge(split(exchange, cuts), RULES)) == essence(judge(exchange, RULES))


@pytest.mark.parametrize("exchange", SAMPLES)
def test_byte_by_byte_is_the_same(exchange: Exchange) -> None:
    """The finest partition of all."""
    size = sum(len(read.data) for read in exchange.reads)
    assert essence(judge(split(exchange, list(range(size))), RULES)) == essence(judge(exchange, RULES))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(st.binary(max_size=400), st.lists(st.sampled_from(SAMPLES)).map(lambda _: b"data: {}\n\n")),
    st.sampled_from(list(End)),
    st.sampled_from([None, 200, 204, 302, 404, 500]),
    st.sampled_from(["", "gzip", "deflate", "br", "x"]),
)
def test_arbitrary_bytes_never_raise(data: bytes, end: End, status: int | None, coding: str) -> None:
    """Whatever arrives is judged, no rule of ours crashes, and rubbish is no success."""
    head = None if status is None else ResponseHead(status, {"content-encoding": coding} if coding else {})
    exchange = Exchange("odd", "chat", PLAIN.request, head, [Read.of(0.1, data)], end)
    judgement = judge(exchange, RULES)
    assert not judgement.crashed
    assert judgement.verdict not in (Verdict.PASS, Verdict.DECLINED)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        *("role", "content", "reasoning_content", "reasoning", "refusal", "tool_calls", "function_call"),
        *("index", "id", "type", "function", "name", "arguments"),
    ]
)
ODD = st.recursive(JSON, lambda inner: st.dictionaries(KEYS, inner, max_size=4) | st.lists(inner, max_size=2))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.dictionaries(KEYS, ODD, max_size=3), max_size=4), ODD, ODD)
def test_odd_deltas_never_crash_a_rule(deltas: list[dict[str, object]], finished: object, request: object) -> None:
    """Any JSON in the place of any field, in chunk, request and twin, is judged without a crash."""
    choices = [{"index": 0, "delta": fields, "finish_reason": None} for fields in deltas]
    wire = "".join(f"data: {json.dumps({'choices': [choice]})}\n\n" for choice in choices)
    wire += on_the_wire([delta(finish="stop")]) + f"data: {json.dumps({'choices': finished, 'usage': finished})}\n\n"
    base = answered(wire)
    twin: dict[str, object] = {"choices": [{"message": finished}, finished], "usage": request}
    body = {**base.request, "messages": request, "tool_choice": finished, "tools": [*TOOLS, request]}
    odd = Exchange("odd", "chat", body, base.response, base.reads, End.EOF, None, twin, "<tool_call>")
    assert not judge(odd, RULES).crashed


def test_a_protocol_without_rules_is_said_to_be_unjudged() -> None:
    """Nothing judged is never success: the verdict is ERROR, and the reason names the protocol."""
    judgement = judge(Exchange("x", "telepathy", {}), RULES)
    assert judgement.verdict is Verdict.ERROR
    assert judgement.verdict_class is VerdictClass.FAIL
    assert judgement.not_applicable == {"every rule": "no rule of this version judges the protocol 'telepathy'"}
