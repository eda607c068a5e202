"""The tricky branches of the rules on the transport, the framing and JSON."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec
import pytest

from streams import DONE, HEAD, answered, call, finish, on_the_wire, role, text, whole
from toolwire.evidence import Evidence
from toolwire.exchange import End, Exchange, Read, ResponseHead
from toolwire.framing.body import BODY_LIMIT, Body
from toolwire.judge import Verdict, VerdictClass, judge
from toolwire.rule import Finding, Level
from toolwire.rules.catalogue import RULES
from toolwire.rules.framing.body_too_long import body_too_long

if TYPE_CHECKING:
    from toolwire.jsontext import Json

MUST, SHOULD, NOTE = Level.MUST, Level.SHOULD, Level.NOTE
PIECES = (role(), call(), finish())
WIRE = on_the_wire(PIECES) + DONE
EVENTS = [event + "\n\n" for event in WIRE.split("\n\n") if event]
JSON_HEAD = ResponseHead(200, {"content-type": "application/json"})


def of_bytes(body: bytes, *, head: ResponseHead | None = HEAD, end: End = End.EOF) -> Exchange:
    """Return an exchange with these bytes as its body, in one read (or none)."""
    reads = [Read.of(0.5, body)] if body else []
    return msgspec.structs.replace(answered(done=False, head=head, end=end), reads=reads)


def of_text(body: str, *, head: ResponseHead | None = HEAD, end: End = End.EOF) -> Exchange:
    """Return an exchange with this text as its body."""
    return of_bytes(body.encode(), head=head, end=end)


def found(exchange: Exchange, name: str) -> list[Finding]:
    """Return a rule's findings."""
    judgement = judge(exchange, RULES)
    assert not judgement.crashed
    return [finding for finding in judgement.findings if finding.rule == name]


def levels(exchange: Exchange, name: str) -> list[Level]:
    """Return the levels of a rule's findings."""
    return [finding.level for finding in found(exchange, name)]


ERROR = json.dumps({"error": {"message": "out of memory", "type": "server_error"}})
WHOLE = json.dumps(whole(("get_time", "{}")))

NO_STREAM: list[tuple[Exchange, str, str]] = [
    (of_text(ERROR, head=ResponseHead(503, {"retry-after": "3"})), "http-error", "status 503: out of memory"),
    (of_text("Bad Gateway", head=ResponseHead(502)), "http-error", "status 502: Bad Gateway"),
    (of_text("", head=ResponseHead(404)), "http-error", "status 404"),
    (of_text("", head=ResponseHead(302)), "http-error", "status 302"),
    (of_text(WIRE, head=ResponseHead(500)), "http-error", "status 500"),
    (of_text("", head=ResponseHead(500), end=End.RESET), "http-error", "status 500"),
    (of_text("", head=None, end=End.REFUSED), "no-answer", "no connection came about"),
    (of_text("", head=None, end=End.TIMEOUT), "no-answer", "we gave up waiting"),
    (of_text("", head=None, end=End.EOF), "no-answer", "the connection ended"),
    (of_text("", end=End.RESET), "no-answer", "no byte of an answer came: the connection broke"),
    (of_text("", end=End.TIMEOUT), "no-answer", "no byte of an answer came: we gave up waiting"),
    (of_text("", end=End.ABORTED), "no-answer", "no byte of an answer came: we stopped reading"),
    (of_text(ERROR), "bare-json-error", "out of memory"),
    (of_text(ERROR + "\n\n" + DONE), "bare-json-error", "out of memory"),
    (of_text('{"error": "no such model"}', head=JSON_HEAD), "bare-json-error", "no such model"),
    (of_text('{"message": "too long"}'), "bare-json-error", "too long"),
    (of_text('{"detail": "Not Found"}'), "bare-json-error", "Not Found"),
    (of_text('{"error": 7}'), "bare-json-error", "7"),
    (of_text(""), "no-event", "the body is empty"),
    (of_text("\n\n\n"), "no-event", "the body begins with"),
    (of_text(": ping\n\n: ping\n\n"), "no-event", "only comments came"),
    (of_text(": ping\n\n", end=End.TIMEOUT), "no-event", "only comments came"),
    (of_text(DONE), "no-event", "only [DONE] came"),
    (of_text("data: {'id': 1}\n\n" + DONE), "no-event", "only [DONE] and payloads that are no JSON came"),
    (of_text("data: {'id': 1}\n\n" * 3), "no-event", "the payload of none of 3 events is JSON"),
    (of_text(WIRE.replace("data: ", "")), "no-event", "the lines of JSON have no data field"),
    (of_text(EVENTS[0].rstrip("\n")), "no-event", "the only block is not finished"),
    (of_text("<html>Sign in</html>"), "no-event", "the body begins with '<html>Sign in"),
    (of_text("{}"), "no-event", "the lines of JSON have no data field"),
    (of_text("null", head=JSON_HEAD), "no-event", "the body begins with 'null'"),
    (of_bytes(b"\x80\x81\x82\x83"), "no-event", "the body begins with"),
    (of_bytes(gzip.compress(WIRE.encode())), "encoding-broken", "coded as gzip, and no header says so"),
    (of_bytes(b"\x28\xb5\x2f\xfd\x04"), "encoding-broken", "coded as zstd"),
    (of_text(WIRE, head=ResponseHead(200, {"content-encoding": "gzip"})), "encoding-broken", "the body is not gzip"),
    (of_text(WIRE, head=ResponseHead(200, {"content-encoding": "zstd"})), "encoding-broken", "'zstd'"),
]


@pytest.mark.parametrize(("exchange", "rule", "words"), NO_STREAM)
def test_what_is_no_answer_is_an_error_and_one_rule_says_why(exchange: Exchange, rule: str, words: str) -> None:
    """The verdict is ERROR, and of the rules that could say so exactly one does."""
    judgement = judge(exchange, RULES)
    assert not judgement.crashed
    assert judgement.verdict is Verdict.ERROR
    speakers = {"http-error", "no-answer", "bare-json-error", "completion-as-body", "no-event", "encoding-broken"}
    [name] = {finding.rule for finding in judgement.findings} & speakers
    assert name == rule
    assert words in next(finding.message for finding in judgement.findings if finding.rule == rule)


@pytest.mark.parametrize(
    "body",
    [
        WHOLE,
        json.dumps(json.loads(WHOLE), indent=2) + "\n",
        WHOLE + "\n\n" + DONE,
        '{"choices": [{"message": {"content": "Hi."}}]}',
        '{"object": "chat.completion", "choices": []}',
    ],
)
@pytest.mark.parametrize("head", [HEAD, JSON_HEAD])
def test_a_whole_completion_as_the_body_is_broken(body: str, head: ResponseHead) -> None:
    """Whatever its label, and whether or not a [DONE] follows."""
    judgement = judge(of_text(body, head=head), RULES)
    assert judgement.verdict is Verdict.BROKEN
    assert [finding.rule for finding in judgement.decisive] == ["completion-as-body"]


@pytest.mark.parametrize(
    ("body", "status", "count"),
    [
        (ERROR, 400, 1),
        ('{"detail": "Not Found"}', 404, 1),
        ("", 500, 2),
        ("<html></html>", 502, 2),
        ("[]", 400, 2),
        (WIRE, 400, 2),
        ("", 204, 0),
        ("", 301, 1),
        (WIRE, 201, 0),
    ],
)
def test_a_refusal_has_a_json_error(body: str, status: int, count: int) -> None:
    """The status is one finding, a body in other words a second one."""
    assert levels(of_text(body, head=ResponseHead(status)), "http-error") == [MUST] * count


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (429, {"retry-after": "0"}, 0),
        (429, {"retry-after": "120"}, 0),
        (503, {"retry-after": "Tue, 01 Dec 2026 10:00:00 GMT"}, 0),
        (503, {"retry-after": "Tuesday, 01-Dec-26 10:00:00 GMT"}, 0),
        (503, {"retry-after": "Tue Dec  1 10:00:00 2026"}, 0),
        (429, {"retry-after": "1.5"}, 1),
        (429, {"retry-after": "-1"}, 1),
        (429, {"retry-after": "²"}, 1),
        (429, {"server": "example"}, 1),
        (429, {}, 0),
        (500, {"server": "example"}, 0),
    ],
)
def test_a_busy_server_says_when_to_come_back(status: int, headers: dict[str, str], expected: int) -> None:
    """Whole seconds or a date; nothing is said where headers were not kept, or nothing was promised."""
    assert levels(of_text(ERROR, head=ResponseHead(status, headers)), "retry-after") == [SHOULD] * expected


@pytest.mark.parametrize(
    ("label", "wrong", "charset"),
    [
        ("text/event-stream", 0, 0),
        ("TEXT/EVENT-STREAM ; charset=UTF-8", 0, 0),
        ('text/event-stream;charset="utf-8"', 0, 0),
        ("text/event-stream; charset=latin-1", 0, 1),
        ("text/event-stream; boundary=x; charset=ascii", 0, 1),
        ("application/json", 1, 0),
        ("text/event-streams", 1, 0),
        ("text/plain; charset=utf-8", 1, 0),
        ("", 1, 0),
    ],
)
def test_the_label_of_a_stream(label: str, wrong: int, charset: int) -> None:
    """The media type counts in any case and with any parameter."""
    exchange = answered(*PIECES, head=ResponseHead(200, {"content-type": label}))
    assert levels(exchange, "content-type") == [MUST] * wrong
    assert levels(exchange, "charset") == [NOTE] * charset


@pytest.mark.parametrize("head", [ResponseHead(200), None])
def test_a_label_that_was_not_kept_is_not_judged(head: ResponseHead | None) -> None:
    """The rule says that it could not judge."""
    assert "content-type" in judge(answered(*PIECES, head=head), RULES).not_applicable


CUT: list[tuple[Exchange, Verdict, int]] = [
    (answered(*PIECES, end=End.EOF), Verdict.PASS, 0),
    (answered(*PIECES, end=End.RESET), Verdict.BROKEN, 1),
    (answered(*PIECES, end=End.TIMEOUT), Verdict.PASS, 0),
    (answered(*PIECES, end=End.ABORTED), Verdict.PASS, 0),
    (answered(*PIECES, done=False, end=End.RESET), Verdict.BROKEN, 1),
    (answered(*PIECES, done=False, end=End.TIMEOUT), Verdict.BROKEN, 1),
    (answered(*PIECES, done=False, end=End.ABORTED), Verdict.BROKEN, 1),
    (answered(*PIECES, done=False), Verdict.PASS, 0),
    (answered(*PIECES[:2], done=False), Verdict.BROKEN, 1),
    (answered(role(), done=False), Verdict.BROKEN, 1),
    (answered(role(), text("Hi"), done=False), Verdict.BROKEN, 1),
    (answered(role(), done=False, end=End.RESET, tool_choice="required"), Verdict.BROKEN, 1),
    (answered(role(), role(1), text("a"), finish("stop"), n=2, done=False), Verdict.BROKEN, 1),
    # the error says why the rest is missing
    (answered(role(), f"data: {ERROR}\n\n", done=False), Verdict.BROKEN, 0),
]


@pytest.mark.parametrize(("exchange", "verdict", "count"), CUT)
def test_how_a_body_ends(exchange: Exchange, verdict: Verdict, count: int) -> None:
    """A torn body fails the stream, before any call too; one that only stays open behind [DONE] does not."""
    assert levels(exchange, "body-cut") == [MUST] * count
    assert judge(exchange, RULES).verdict is verdict


def test_a_compressed_body_that_stops_early_is_cut() -> None:
    """What was unfolded until then is judged, and the cut is told."""
    coded = gzip.compress(WIRE.encode(), mtime=0)
    head = ResponseHead(200, {"content-type": "text/event-stream", "content-encoding": "gzip"})
    torn = of_bytes(coded[:-30], head=head)
    assert "the compressed body stops before its end" in found(torn, "body-cut")[0].message
    assert judge(torn, RULES).verdict is Verdict.BROKEN
    assert judge(of_bytes(coded, head=head), RULES).verdict is Verdict.PASS


def test_a_call_lost_on_a_connection_that_stays_open_is_still_lost() -> None:
    """A server that does not close the body has no excuse for what is missing before [DONE]."""
    exchange = answered(role(), text("I cannot."), finish("stop"), tool_choice="required", end=End.TIMEOUT)
    assert judge(exchange, RULES).verdict is Verdict.DROP


@pytest.mark.parametrize(
    ("offer", "coding", "expected"),
    [
        ("gzip, deflate", "gzip", [MUST] * 0),
        ("GZIP", "x-gzip", [MUST] * 0),
        ("*", "gzip", [MUST] * 0),
        ("*, gzip;q=0", "gzip", [MUST]),
        ("gzip;q=0.001", "gzip", [MUST] * 0),
        ("gzip; q=0.0", "gzip", [MUST]),
        ("identity", "gzip", [MUST]),
        ("", "gzip", [MUST]),
        ("br", "identity", [MUST] * 0),
        (None, "gzip", [MUST] * 0),
    ],
)
def test_codings_are_those_that_were_offered(offer: str | None, coding: str, expected: list[Level]) -> None:
    """Without an offer any coding will do (RFC 9110, section 12.5.3)."""
    body = gzip.compress(WIRE.encode(), mtime=0) if "gzip" in coding else WIRE.encode()
    head = ResponseHead(200, {"content-type": "text/event-stream", "content-encoding": coding})
    sent = {"accept": "*/*"} if offer is None else {"accept-encoding": offer}
    exchange = msgspec.structs.replace(of_bytes(body, head=head), sent_headers=sent)
    assert levels(exchange, "encoding-unrequested") == expected


LINES: list[tuple[str, str, list[Level], VerdictClass]] = [
    # line ends
    (WIRE.replace("\n", "\r\n"), "mixed-line-endings", [NOTE], VerdictClass.PASS),
    (WIRE.replace("\n", "\r"), "mixed-line-endings", [SHOULD], VerdictClass.WARN),
    (": ping\r\n\r\n" + WIRE, "mixed-line-endings", [SHOULD], VerdictClass.WARN),
    (WIRE, "mixed-line-endings", [], VerdictClass.PASS),
    # marks
    ("\ufeff" + WIRE, "byte-order-mark", [SHOULD], VerdictClass.WARN),
    # the last block
    (WIRE[:-1], "unfinished-event", [NOTE], VerdictClass.PASS),
    (WIRE[:-2], "unfinished-event", [NOTE], VerdictClass.PASS),
    (WIRE + "event: end", "unfinished-event", [NOTE], VerdictClass.PASS),
    (WIRE + ": bye", "unfinished-event", [], VerdictClass.PASS),
    ("".join(EVENTS[:-1])[:-1], "unfinished-event", [MUST], VerdictClass.FAIL),
    # payloads
    (EVENTS[0][:-1] + "".join(EVENTS[1:]), "payload-not-json", [MUST], VerdictClass.FAIL),
    ("data: : ping\n\n" + WIRE, "payload-not-json", [MUST], VerdictClass.FAIL),
    (EVENTS[0] + "data: " + "".join(EVENTS[1:]), "payload-not-json", [MUST], VerdictClass.FAIL),
    (WIRE + "data: [done]\n\n", "payload-not-json", [SHOULD], VerdictClass.WARN),
    (EVENTS[0] + "data: DONE\n\n" + "".join(EVENTS[1:]), "payload-not-json", [MUST], VerdictClass.FAIL),
    (WIRE.replace("}\n\n", "}  \n\n"), "payload-not-json", [], VerdictClass.PASS),
    (WIRE.replace("data: {", "data: {\ndata: "), "payload-not-json", [], VerdictClass.PASS),
    (WIRE.replace("data: {", "data: {\ndata: "), "several-data-lines", [NOTE], VerdictClass.PASS),
    # empty payloads have a rule of their own
    (EVENTS[0] + "data:\n\n" + "".join(EVENTS[1:]), "payload-not-json", [], VerdictClass.FAIL),
    (EVENTS[0] + "data:\n\n" + "".join(EVENTS[1:]), "empty-event", [MUST], VerdictClass.FAIL),
    ("event: open\n\n" + WIRE, "empty-event", [MUST], VerdictClass.FAIL),
    ("id: 1\n\n" + WIRE, "empty-event", [MUST], VerdictClass.FAIL),
    ("retry: 10\n\n" + WIRE, "empty-event", [MUST], VerdictClass.FAIL),
    ("id: 1\n" + EVENTS[0] + "\n" + "".join(EVENTS[1:]), "empty-event", [MUST], VerdictClass.FAIL),
    (EVENTS[0] + "\n\n" + "".join(EVENTS[1:]), "empty-event", [], VerdictClass.PASS),
    (WIRE + "event: close\n\n", "empty-event", [SHOULD], VerdictClass.WARN),
    # comments
    ("id: 1\n" + EVENTS[0] + ": ping\n\n" + "".join(EVENTS[1:]), "comment-after-id", [SHOULD], VerdictClass.WARN),
    (": ping\n\n" + "id: 1\n" + WIRE, "comment-after-id", [], VerdictClass.PASS),
    (": a\n:\n: b\n\n" + WIRE, "comments", [NOTE], VerdictClass.PASS),
    # fields
    (EVENTS[0] + "".join(EVENTS[1:])[6:], "payload-outside-data", [MUST], VerdictClass.FAIL),
    ("".join(EVENTS[:-1]) + "[DONE]\n\n", "payload-outside-data", [MUST], VerdictClass.FAIL),
    (": {}\n\n" + WIRE, "payload-outside-data", [], VerdictClass.PASS),
    (WIRE.replace("data: ", "data:"), "no-space-after-colon", [SHOULD], VerdictClass.WARN),
    (WIRE.replace("data: [", "data:["), "no-space-after-colon", [SHOULD], VerdictClass.WARN),
    ("id:1\nevent:message\nretry:5\n" + WIRE, "no-space-after-colon", [], VerdictClass.PASS),
    ("event: thread.run\n" + WIRE, "event-name", [SHOULD], VerdictClass.WARN),
    ("event: message\n" + WIRE, "event-name", [NOTE], VerdictClass.PASS),
    ("id: a\0b\nretry: soon\n" + WIRE, "id-or-retry-field", [NOTE] * 4, VerdictClass.PASS),
    ("Data: x\n" + WIRE, "unknown-field", [SHOULD], VerdictClass.WARN),
    ("error: x\n" + WIRE, "unknown-field", [SHOULD], VerdictClass.WARN),
    (EVENTS[0] + "error: x\n\n" + DONE, "unknown-field", [MUST], VerdictClass.FAIL),
]


@pytest.mark.parametrize(("wire", "rule", "expected", "verdict"), LINES)
def test_lines_and_blocks(wire: str, rule: str, expected: list[Level], verdict: VerdictClass) -> None:
    """Each oddity has its rule and its level; what is legal and harmless passes."""
    exchange = of_text(wire)
    assert levels(exchange, rule) == expected
    assert judge(exchange, RULES).verdict_class is verdict


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ('{"a": NaN}', "has a number that JSON does not know (NaN)"),
        ('{"a": "\t"}', "has a raw control character"),
        ("[" * 400 + "]" * 400, "nests deeper than we read"),
        ('{"a": 1}{"b": 2}', "is 2 JSON documents glued together"),
        ('{"a": 1} trailing', "has more behind its JSON"),
        ('{"a": "b', "is cut-off JSON"),
        ("{'a': 1}", "is no JSON"),
        (": ping", "is a comment wrapped as data"),
        ("data: {}", "begins with data: once more"),
        ('{"a": 1}\ndata: [DONE]', "is glued to the next one"),
        ("{'a': 1}\ndata: [DONE]", "is glued to the next one"),
    ],
)
def test_what_is_wrong_with_a_payload_is_said(payload: str, words: str) -> None:
    """The message tells one way to be wrong from another."""
    exchange = answered(role(), f"data: {payload}\n\n", call(), finish())
    [finding] = found(exchange, "payload-not-json")
    assert words in finding.message
    assert finding.at.event == 1
    assert judge(exchange, RULES).verdict is Verdict.BROKEN


def test_bytes_that_are_no_utf8_are_located() -> None:
    """The finding has the bytes and their place; a character that reads cut in two is whole."""
    wire = on_the_wire((role(), text("café"), finish("stop"))).encode() + DONE.encode()
    broken = wire.replace("é".encode(), b"\xe9")
    [finding] = found(of_bytes(broken), "invalid-utf8")
    assert broken[finding.at.start] == 0xE9
    # our own reading put a mark there, the server did not
    assert not found(of_bytes(broken), "replacement-character")
    cut = wire.index("é".encode()) + 1
    reads = [Read.of(0.1, wire[:cut]), Read.of(0.2, wire[cut:])]
    assert not found(msgspec.structs.replace(of_bytes(wire), reads=reads), "invalid-utf8")


def escaped(value: dict[str, Json]) -> str:
    """Write a chunk with escapes for all that is not ASCII, halves of pairs too."""
    base: dict[str, Json] = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return f"data: {json.dumps({**base, 'choices': [value]})}\n\n"


HIGH, LOW = "\ud83d", "\ude00"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((text("a" + HIGH), text(LOW + "b")), 0),
        ((text("a" + HIGH), text("b")), 1),
        ((text(LOW),), 1),
        ((text(HIGH + LOW),), 0),
        ((text(LOW), text(HIGH)), 1),
        ((call(arguments='{"path": "' + HIGH + LOW + '"}'),), 0),
        ((call(arguments='{"path": "' + HIGH + '"}'),), 1),
        ((call(arguments='{"path": "\\ud83d\\ude00"}'),), 0),
        ((call(arguments='{"path": "\\ud83d"}'),), 1),
    ],
)
def test_pairs_of_surrogates_are_whole_in_the_joined_text(parts: tuple[dict[str, Json], ...], expected: int) -> None:
    """Where a delta cuts a pair the text is whole all the same."""
    exchange = answered(escaped(role()), *[escaped(part) for part in parts], escaped(finish("stop")))
    assert levels(exchange, "lone-surrogate") == [SHOULD] * expected


@pytest.mark.parametrize(
    ("exchange", "expected"),
    [
        (answered(role(), text("caf\ufffd"), finish("stop")), 1),
        (answered(role(), text("caf\ufffd"), finish("stop"), prompt="What is \ufffd?"), 0),
        (answered(role(), text("the escape \\ufffd"), finish("stop")), 0),
        (answered(role(), call(arguments='{"path": "caf\ufffd"}'), finish()), 1),
        (answered(role(), call(arguments='{"path": "caf\\ufffd"}'), finish()), 1),
        (answered(role(), call(arguments='{"path": "é caf\\uFFFD"}'), finish()), 1),
        (
            answered(
                role(),
                call(arguments='{"path": "\ufffd"}'),
                finish(),
                expect=[("read_file", {"path": "\ufffd"})],
            ),
            0,
        ),
    ],
)
def test_lost_characters(exchange: Exchange, expected: int) -> None:
    """The mark counts unless it was asked for; in arguments its escape counts too."""
    assert levels(exchange, "replacement-character") == [SHOULD] * expected


@pytest.mark.parametrize(
    ("arguments", "duplicate", "big"),
    [
        ('{"path": "a", "path": "b"}', 1, 0),
        ('{"a": {"x": 1}, "b": {"x": 1}}', 0, 0),
        ('{"n": 9007199254740992}', 0, 0),
        ('{"n": 9007199254740993}', 0, 1),
        ('{"n": -9007199254740993}', 0, 1),
        ('{"n": 1e300}', 0, 0),
        ('{"n": "9007199254740993"}', 0, 0),
    ],
)
def test_traps_in_arguments(arguments: str, duplicate: int, big: int) -> None:
    """Names that come twice and integers that doubles cannot hold."""
    exchange = answered(role(), call(arguments=arguments), finish())
    assert levels(exchange, "duplicate-key") == [SHOULD] * duplicate
    assert levels(exchange, "big-integer") == [NOTE] * big


def test_payloads_that_are_json_but_no_chunks_are_broken() -> None:
    """They can be read, so it is not that no answer came."""
    exchange = of_text("data: 7\n\n" + DONE)
    assert not found(exchange, "no-event")
    assert levels(exchange, "chunk-fields") == [MUST]
    assert judge(of_text('data: {"type": "ping"}\n\n'), RULES).verdict is Verdict.BROKEN


def test_a_body_that_was_left_out_in_part_says_so() -> None:
    """Where the limit on bodies was reached, the finding names it."""
    evidence = Evidence(of_text(WIRE))
    evidence.__dict__["body"] = Body(((0.5, WIRE.encode()),), "", too_long=True)
    complaints = body_too_long.check(evidence)
    assert isinstance(complaints, Iterator)
    assert [complaint.message for complaint in complaints] == [
        f"the body passes {BODY_LIMIT} bytes; the rest was left out"
    ]


def test_a_body_beyond_all_bounds_is_cut_off_and_told() -> None:
    """A bomb fails the stream, and is not unfolded further than the limit on lines."""
    bomb = gzip.compress((EVENTS[0] + "data: " + "a" * (33 << 20)).encode(), mtime=0)
    head = ResponseHead(200, {"content-type": "text/event-stream", "content-encoding": "gzip"})
    exchange = of_bytes(bomb, head=head)
    assert levels(exchange, "body-too-long") == [MUST]
    assert judge(exchange, RULES).verdict is Verdict.BROKEN
