"""The tricky branches of the rules on contracts, expectations, twins and generated text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streams import answered, call, delta, finish, role, text, thought, usage, whole
from toolwire.exchange import End
from toolwire.judge import Judgement, Verdict, judge
from toolwire.rule import Certainty, Level, LossKind
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from toolwire.exchange import Exchange
    from toolwire.jsontext import Json

HOSTS = '{"path": "/etc/hosts"}'
FSTAB = '{"path": "/etc/fstab"}'
NAMED: dict[str, Json] = {"type": "function", "function": {"name": "read_file"}}
LEVEL_3 = "<tool_call>\n<function=set_level>\n<parameter=level>\n3\n</parameter>\n</function>\n</tool_call>"
CUT_LEVEL = "\n<tool_call>\n<function=set_level>\n<parameter=level>\n4\n</parameter>"
GET_TIME = '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'
READ = '<tool_call>\n{"name": "read_file", "arguments": {"path": "/etc/hosts"}}\n</tool_call>'
BOTH = (call(), call("get_time", "{}", place=1))


def allowed(mode: str, *names: str) -> dict[str, Json]:
    """Choose among tools by a list."""
    tools: list[Json] = [{"type": "function", "function": {"name": name}} for name in names]
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}


def said(judgement: Judgement, name: str) -> list[tuple[Level, str]]:
    """Return what a rule complained of."""
    assert not judgement.crashed
    return [(finding.level, finding.message) for finding in judgement.findings if finding.rule == name]


def levels(exchange: Exchange, name: str) -> list[Level]:
    """Return the levels of a rule's complaints."""
    return [level for level, _ in said(judge(exchange, RULES), name)]


MUST, SHOULD, NOTE = Level.MUST, Level.SHOULD, Level.NOTE


@pytest.mark.parametrize(
    ("name", "exchange", "wanted"),
    [
        # call-missing: who is excused
        ("call-missing", answered(role(), text("No."), finish("stop"), tool_choice="required"), [MUST]),
        ("call-missing", answered(role(), text("No."), finish("stop"), tool_choice="any"), [MUST]),
        ("call-missing", answered(role(), finish("tool_calls"), tool_choice="required"), [MUST]),
        ("call-missing", answered(usage(3), tool_choice="required"), [MUST]),
        ("call-missing", answered(role(), text("No."), finish("stop"), tool_choice="required", tools=[]), []),
        ("call-missing", answered(role(), text("No."), finish("length"), tool_choice=NAMED), []),
        ("call-missing", answered(role(), delta(refusal="No."), finish("stop"), tool_choice="required"), []),
        ("call-missing", answered(role(), done=False, end=End.RESET, tool_choice="required"), []),
        ("call-missing", answered('data: {"error": {"message": "x"}}\n\n', tool_choice="required"), []),
        ("call-missing", answered(role(), text("No."), finish("stop"), tool_choice=allowed("auto", "get_time")), []),
        # call-forbidden counts fragments, not names
        ("call-forbidden", answered(role(), *BOTH, finish(), tool_choice="none"), [MUST, MUST]),
        ("call-forbidden", answered(role(), *BOTH, finish()), []),
        # wrong-tool leaves undeclared names to their own rule
        ("wrong-tool", answered(role(), call("erase", "{}"), finish(), tool_choice=NAMED), []),
        ("wrong-tool", answered(role(), *BOTH, finish(), tool_choice=NAMED), [MUST]),
        ("wrong-tool", answered(role(), *BOTH, finish(), tool_choice=allowed("auto", "get_time", "read_file")), []),
        # counts are per choice
        (
            "parallel-forbidden",
            answered(
                role(), role(1), call(), call(choice=1), finish(), finish(index=1), n=2, parallel_tool_calls=False
            ),
            [],
        ),
        ("parallel-forbidden", answered(role(), *BOTH, finish(), parallel_tool_calls=False), [MUST]),
        (
            "parallel-forbidden",
            answered(
                role(),
                call(),
                delta(tool_calls=[{"index": 1, "function": {"arguments": ""}}]),
                finish(),
                parallel_tool_calls=False,
            ),
            [],
        ),
        ("named-more-than-one", answered(role(), call(), call(place=1), finish(), tool_choice=NAMED), [MUST]),
        ("named-more-than-one", answered(role(), *BOTH, finish(), tool_choice="required"), []),
    ],
)
def test_contracts(name: str, exchange: Exchange, wanted: list[Level]) -> None:
    """The rule complains exactly as often, and as loud, as it should."""
    assert levels(exchange, name) == wanted


@pytest.mark.parametrize(
    ("exchange", "wanted"),
    [
        # values
        (answered(role(), call(), finish(), expect=[("read_file", {"path": "/etc/hosts"})]), []),
        (answered(role(), call(), finish(), expect=[("read_file", None)]), []),
        (
            answered(role(), call(arguments=FSTAB), finish(), expect=[("read_file", {"path": "/etc/hosts"})]),
            [(MUST, 'call 0 (read_file): path is "/etc/fstab" where "/etc/hosts" was expected')],
        ),
        (
            answered(role(), call("set_level", '{"level": 1.0}'), finish(), expect=[("set_level", {"level": 1})]),
            [],
        ),
        (
            answered(role(), call("set_level", '{"level": true}'), finish(), expect=[("set_level", {"level": 1})]),
            [(MUST, "call 0 (set_level): level is true where 1 was expected")],
        ),
        (
            answered(role(), call("set_level", '{"level": "1"}'), finish(), expect=[("set_level", {"level": 1})]),
            [(MUST, 'call 0 (set_level): level is "1" where 1 was expected')],
        ),
        (
            answered(
                role(), call("get_time", '{"zone": "UTC"}'), finish(), expect=[("get_time", {"when": {"a b": [1]}})]
            ),
            [
                (MUST, 'call 0 (get_time): zone is "UTC" where no such key was expected'),
                (MUST, 'call 0 (get_time): when is no such key where {"a b": [1]} was expected'),
            ],
        ),
        # arguments that are no object are another rule's matter
        (answered(role(), call(arguments='{"path'), finish(), expect=[("read_file", {"path": "x"})]), []),
        # too few
        (
            answered(role(), call(), finish(), expect=[("read_file", None), ("get_time", {})]),
            [
                (
                    MUST,
                    'the expected call get_time({}) did not come; 1 came: read_file({"path": "/etc/hosts"})',
                )
            ],
        ),
        (answered(role(), call(), finish("length"), expect=[("read_file", None), ("get_time", {})]), []),
        (
            answered(
                role(), call(), finish(), expect=[("read_file", None), ("get_time", {})], parallel_tool_calls=False
            ),
            [],
        ),
        # too many
        (
            answered(role(), call(), call(place=1), finish(), expect=[("read_file", {"path": "/etc/hosts"})]),
            [(MUST, 'the call read_file({"path": "/etc/hosts"}) came 2 times, 1 expected')],
        ),
        (
            answered(role(), *BOTH, finish(), expect=[("read_file", None)]),
            [(MUST, "the call get_time({}) was not expected")],
        ),
        (
            answered(role(), call(), finish(), expect=[]),
            [(MUST, 'the call read_file({"path": "/etc/hosts"}) was not expected')],
        ),
        # a call that takes any arguments does not rob one that does not
        (
            answered(
                role(),
                call(arguments=FSTAB),
                call(place=1),
                finish(),
                expect=[("read_file", None), ("read_file", {"path": "/etc/fstab"})],
            ),
            [],
        ),
        # order counts only where it is said to
        (answered(role(), *BOTH, finish(), expect=[("get_time", {}), ("read_file", None)]), []),
        (
            answered(role(), *BOTH, finish(), expect=[("get_time", {}), ("read_file", None)], in_order=True),
            [(MUST, "the calls came in another order: read_file, get_time for get_time, read_file")],
        ),
        # none at all: the contract decides, and signs of a loss
        (
            answered(role(), text("Which?"), finish("stop"), expect=[("get_time", {})]),
            [(NOTE, "none of the 1 expected calls came (get_time({}))")],
        ),
        (answered(role(), text("Which?"), finish("stop"), expect=[]), []),
        (answered(role(), text("I would"), finish("length"), expect=[("get_time", {})]), []),
        # a call that is forbidden is another rule's matter
        (answered(role(), call(), finish(), tool_choice="none", expect=[("get_time", {})]), []),
        (answered(role(), call(), done=False, end=End.RESET, expect=[("get_time", {})]), []),
    ],
)
def test_expectations(exchange: Exchange, wanted: list[tuple[Level, str]]) -> None:
    """Exactly these differences are named, with both values."""
    assert said(judge(exchange, RULES), "expected-calls") == wanted


@pytest.mark.parametrize(
    ("exchange", "wanted"),
    [
        (answered(role(), call(), finish(), twin=whole(("read_file", HOSTS))), []),
        (
            answered(role(), call(arguments='{ "path":"\\/etc\\/hosts" }'), finish(), twin=whole(("read_file", HOSTS))),
            [],
        ),
        (answered(role(), text("No."), finish("stop"), twin=whole(("read_file", HOSTS))), [MUST]),
        (answered(role(), call(), finish(), twin=whole(("read_file", HOSTS), ("get_time", "{}"))), [MUST]),
        (answered(role(), call(arguments=FSTAB), finish(), twin=whole(("read_file", HOSTS))), [MUST]),
        (answered(role(), call(arguments='{"path": "/etc'), finish(), twin=whole(("read_file", HOSTS))), [MUST]),
        (answered(role(), call("get_time", "{}"), finish(), twin=whole(("read_file", HOSTS))), [MUST, SHOULD]),
        # the other side is to blame: a warning
        (answered(role(), call(), finish(), twin=whole(content="Which file?")), [SHOULD]),
        (answered(role(), call(), finish(), twin=whole(("read_file", '{"path": 1}'))), [SHOULD]),
        (answered(role(), call(), finish(), twin=whole(("read_file", ""))), [SHOULD]),
        (
            answered(
                role(),
                call(),
                finish(),
                twin=whole(("read_file", FSTAB)),
                expect=[("read_file", {"path": "/etc/hosts"})],
            ),
            [SHOULD],
        ),
        # an expectation of another call says nothing of this one
        (
            answered(
                role(), call(arguments=FSTAB), finish(), twin=whole(("read_file", HOSTS)), expect=[("get_time", {})]
            ),
            [MUST],
        ),
        # a choice that the twin lacks has nothing to be compared with
        (
            answered(
                role(),
                role(1),
                call(),
                call(choice=1),
                finish(),
                finish(index=1),
                twin=whole(("read_file", HOSTS)),
                n=2,
            ),
            [],
        ),
        # a copy, or a call to nothing, is the stream's own
        (answered(role(), call(), call(place=1), finish(), twin=whole(("read_file", HOSTS))), [MUST]),
        (answered(role(), call(), call("erase", "{}", place=1), finish(), twin=whole(("read_file", HOSTS))), [MUST]),
        # order
        (answered(role(), *BOTH, finish(), twin=whole(("get_time", "{}"), ("read_file", HOSTS))), [SHOULD]),
        # cut, not comparable, no answer
        (answered(role(), call(arguments='{"pa'), finish("length"), twin=whole(("read_file", HOSTS))), []),
        (answered(role(), call(), finish(), twin=whole(("read_file", '{"pa'), finish="length")), []),
        (answered(role(), call(), finish(), temperature=0.6, twin=whole()), []),
        (answered(role(), call(), finish(), temperature=None, twin=whole()), []),
        (answered(role(), call(), finish(), temperature=0.6, seed=1, twin=whole(content="x")), [SHOULD]),
        (answered(role(), text("x"), finish("stop"), twin={"error": {"message": "busy"}}), []),
        (answered(role(), text("x"), finish("stop"), twin={"choices": []}), []),
        (answered(role(), text("x"), done=False, end=End.RESET, twin=whole(("read_file", HOSTS))), []),
    ],
)
def test_twins(exchange: Exchange, wanted: list[Level]) -> None:
    """What the stream lost is an error; what the other answer lost or spoiled is a warning that blames it."""
    judgement = judge(exchange, RULES)
    found = [finding for finding in judgement.findings if finding.rule == "twin-differs"]
    assert [finding.level for finding in found] == wanted
    assert all(finding.blame in ("", "twin") for finding in found)
    assert all(finding.blame == "" for finding in found if finding.level is MUST)


def test_a_call_that_only_the_twin_has_is_a_proven_loss() -> None:
    """Without any call the verdict is DROP, proven; beside another call it is BROKEN."""
    twin = whole(("read_file", HOSTS), ("get_time", "{}"))
    lost = judge(answered(role(), text("Let me see."), finish("stop"), twin=twin), RULES)
    assert (lost.verdict, lost.kind, lost.certainty) == (Verdict.DROP, LossKind.SILENT, Certainty.PROVEN)
    second = judge(answered(role(), call(), finish(), twin=twin), RULES)
    assert (second.verdict, second.certainty) == (Verdict.BROKEN, Certainty.PROVEN)


THOUGHT = "The hosts file is wanted, so read it."


@pytest.mark.parametrize(
    ("exchange", "wanted"),
    [
        # reasoning in the stream's content: with a lead-in, as its end, or whole
        (
            answered(
                role(),
                text(f"thought\n{THOUGHT}"),
                call(),
                finish(),
                twin=whole(("read_file", HOSTS), reasoning=THOUGHT),
            ),
            [MUST],
        ),
        (
            answered(
                role(),
                thought(THOUGHT[:12]),
                text(THOUGHT[12:]),
                call(),
                finish(),
                twin=whole(("read_file", HOSTS), reasoning=THOUGHT),
            ),
            [MUST],
        ),
        # the same text in both answers' content is the model's way
        (
            answered(
                role(),
                text(THOUGHT),
                call(),
                finish(),
                twin=whole(("read_file", HOSTS), content=THOUGHT, reasoning=THOUGHT),
            ),
            [SHOULD],
        ),
        # short words meet by chance
        (
            answered(role(), text("Hm."), call(), finish(), twin=whole(("read_file", HOSTS), reasoning="Hm. " * 9)),
            [SHOULD, SHOULD],
        ),
        # the other way round it is the twin's fault
        (
            answered(role(), thought(THOUGHT), call(), finish(), twin=whole(("read_file", HOSTS), content=THOUGHT)),
            [SHOULD],
        ),
        # lengths
        (
            answered(
                role(), text("I will"), call(), finish(), twin=whole(("read_file", HOSTS), content="I will read.")
            ),
            [SHOULD],
        ),
        (
            answered(
                role(), text("\n I  will\n"), call(), finish(), twin=whole(("read_file", HOSTS), content="I will")
            ),
            [],
        ),
        (
            answered(role(), thought("Hm"), call(), finish(), twin=whole(("read_file", HOSTS), reasoning="Hm, yes.")),
            [SHOULD],
        ),
        (answered(role(), call(), finish(), twin=whole(("read_file", HOSTS), reasoning="Hm, yes.")), [SHOULD]),
        # a leak explains the difference
        (answered(role(), text(READ), finish("stop"), twin=whole(("read_file", HOSTS))), []),
        (
            answered(role(), thought(READ), text("A."), finish("stop"), twin=whole(("read_file", HOSTS), content="A.")),
            [],
        ),
        # as long, and another
        (answered(role(), text("Ja."), finish("stop"), twin=whole(content="No.")), [SHOULD]),
        # finish
        (answered(role(), call(), finish("stop"), twin=whole(("read_file", HOSTS))), [SHOULD]),
        (answered(role(), call(), finish("stop"), tool_choice=NAMED, twin=whole(("read_file", HOSTS))), []),
        (answered(role(), text("A"), finish("length"), twin=whole(content="A b c d e")), []),
    ],
)
def test_texts_of_twins(exchange: Exchange, wanted: list[Level]) -> None:
    """Only reasoning that came as content is an error."""
    assert levels(exchange, "twin-text-differs") == wanted


@pytest.mark.parametrize(
    ("exchange", "wanted"),
    [
        (answered(role(), finish("stop"), generated=READ), [LossKind.SILENT]),
        (answered(role(), finish(), generated=READ), [LossKind.PHANTOM_FINISH]),
        (answered(role(), text(READ), finish("stop"), generated=READ), [LossKind.LEAKED]),
        (answered(role(), thought(READ), finish("stop"), generated=READ), [LossKind.IN_REASONING]),
        (answered(role(), call(), finish(), generated=READ), []),
        (answered(role(), call(), finish(), generated=READ + "\n" + GET_TIME), [LossKind.SILENT]),
        (answered(role(), call(arguments=FSTAB), finish(), generated=READ), [None]),
        # parameters between tags have no type
        (answered(role(), call("set_level", '{"level": 3}'), finish(), generated=LEVEL_3), []),
        (answered(role(), call("set_level", '{"level": 3.5}'), finish(), generated=LEVEL_3), [None]),
        # drafts in closed reasoning are no calls; calls in reasoning that never closes are
        (answered(role(), call(), finish(), generated=f"<think>\n{GET_TIME}\n</think>\n{READ}"), []),
        (answered(role(), call(), finish(), generated=f"{GET_TIME}\n</think>\n{READ}"), []),
        (answered(role(), finish("stop"), generated=f"<think>\n{READ}"), [LossKind.SILENT]),
        # not the server's fault, or allowed
        (answered(role(), text("Done."), finish("stop"), generated="Done."), []),
        (answered(role(), call(), finish("length"), generated=READ + '\n<tool_call>\n{"name": "get_time", "arg'), []),
        (answered(role(), call(), finish(), generated=READ + GET_TIME, parallel_tool_calls=False), []),
        (answered(role(), call("set_level", '{"level": 3}'), finish("length"), generated=LEVEL_3 + CUT_LEVEL), []),
        (answered(role(), call(arguments='{"path": "/et'), finish(), generated=READ), []),
        (answered(role(), text("Let"), done=False, end=End.RESET, generated=READ), []),
        (answered(done=True, generated=READ), []),
        (answered(role(), text(READ), finish("stop"), generated=READ, tool_choice="none"), []),
        (answered(role(), role(1), finish("stop"), finish("stop", 1), generated=READ, n=2), []),
    ],
)
def test_generated_text(exchange: Exchange, wanted: list[LossKind | None]) -> None:
    """Each whole call that the model wrote must be in the stream with its values."""
    judgement = judge(exchange, RULES)
    found = [finding for finding in judgement.findings if finding.rule == "generated-call-lost"]
    assert [finding.kind for finding in found] == wanted
    assert all((finding.level, finding.certainty) == (MUST, Certainty.PROVEN) for finding in found)


def test_a_lost_second_call_is_broken_and_proven() -> None:
    """What the model wrote and the stream lacks is proof, also beside a call that came."""
    judgement = judge(answered(role(), call(), finish(), generated=READ + "\n" + GET_TIME), RULES)
    assert (judgement.verdict, judgement.certainty) == (Verdict.BROKEN, Certainty.PROVEN)
