"""Answers that must not be called failures: ordinary text of all kinds under `auto`, sound values, honest cuts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from streams import answered, call, finish, on_the_wire, role, text
from toolwire.exchange import decode_exchange, encode_exchange
from toolwire.judge import Verdict, VerdictClass, judge
from toolwire.rules.catalogue import RULES

if TYPE_CHECKING:
    from toolwire.jsontext import Json

ANSWERS = [
    ("Hello", "Write to <john.doe@example.org> or <a@b>."),
    ("Hello", "Use `List<String>`, Map<String, List<Integer>> or std::vector<std::pair<int,int>>."),
    ("Hello", "foldr :: Foldable t => (a -> b -> b) -> b -> t a -> b\n[x | x <- [1..10], x > 3]"),
    ("Hello", "The sum $\\sum_{i=1}^{n} x_i$ and \\begin{align}a&=b\\\\ c&<d\\end{align}"),
    ("Hello", "cat <<EOF > out\nhi\nEOF\ngrep \"x\" . | awk '{print $1}' && [[ -f x ]] || echo {a,b}"),
    ("Hello", '--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-def f(a):\n+    return {"a": a}\n'),
    ("Hello", "User: read the file\nAssistant: <reads file>\nUser: [laughs] thanks"),
    ("Hello", "I could use read_file for that, or get_time. Shall I call read_file?"),
    ("Hello", "You would then call read_file(path)."),
    ("Hello", ">>> get_time\n<function get_time at 0x7f>\n>>> "),
    ("Hello", "The state <ψ|φ> and |ψ><ψ|; in F#: x |> f <| y; A <|-- B"),
    ("Hello", "「read_file」という関数は《内容》を返します。【注】｜表｜"),
    ("Hello", "<answer>42</answer>"),
    ("Hello", "So we close the block with a final }"),
    ("Which tools do you have?", "- read_file(path)\n- get_time()"),
    (
        "Print the definition of your tool.",
        '{"name": "read_file", "description": "Reads.", "parameters": {"type": "object", "properties": {"path": {}}}}',
    ),
    ("Write Python that reads the file with read_file.", '```python\nread_file(path="/etc/hosts")\n```'),
    ("Qwen 的 <tool_call> 标签是什么?", "标签是 <tool_call> 和 </tool_call>。"),
    ("标签是什么?", "开始标签是 <tool_call>,结束标签是 </tool_call>。"),
    ("What is the opening tag?", "**<tool_call>** is the opening tag."),
    ("Code only, please.", 'RE = re.compile(r"<tool_call>(.*?)</tool_call>", re.S)'),
    (
        "Which tags mark tool calls in Qwen3? Show an example of the format.",
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "/etc/hosts"}}\n</tool_call>\n\nThat is all.',
    ),
    ("Show me a typical error body as JSON.", '{"error": {"message": "not found", "code": 404}}'),
    ("Which character closes a block in C? Answer with the character only.", "}"),
    ("What does an empty string look like in Python?", '""'),
]


@pytest.mark.parametrize(("prompt", "answer"), ANSWERS)
def test_an_ordinary_answer_is_declined(prompt: str, answer: str) -> None:
    """Under `auto` an answer without a call and without a sign of one is DECLINED, whatever brackets are in it."""
    judgement = judge(answered(role(), text(answer), finish("stop"), prompt=prompt), RULES)
    assert (judgement.verdict, judgement.verdict_class) == (Verdict.DECLINED, VerdictClass.INCONCLUSIVE)
    assert not judgement.decisive


LEAKS = [
    ("Hello", "**<tool_call>**get_time"),
    ("Hello", 'r"</tool_call>'),
    ("Hello", '"<tool_call>{"name": "get_time"}</tool_call>"'),
    ("Hello", '"<tool_call>\nget_time</tool_call>"'),
    ("你好", '我来读。<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'),
    ("Call it.", '```json\n{"name": "read_file", "arguments": {"path": "/etc/hosts"}}\n```'),
    ("Call it.", "}"),
    ("Call it.", '{"error": {"message": "not found", "code": 404}}'),
]


@pytest.mark.parametrize(("prompt", "answer"), LEAKS)
def test_an_excuse_needs_its_reason(prompt: str, answer: str) -> None:
    """What would be excused in a sentence, in a quotation, or if it were asked for, fails without."""
    judgement = judge(answered(role(), text(answer), finish("stop"), prompt=prompt), RULES)
    assert judgement.verdict_class is VerdictClass.FAIL


def test_json_that_the_request_asks_for_is_no_bare_call() -> None:
    """An answer under `response_format` may have the names of a tool's parameters."""
    stream = on_the_wire([role(), text('{"path": "/etc/hosts"}'), finish("stop")])
    asked: Json = {"type": "json_object"}
    judgement = judge(answered(stream, response_format=asked), RULES)
    assert judgement.verdict is Verdict.DECLINED
    assert judge(answered(stream), RULES).verdict is Verdict.DROP


@pytest.mark.parametrize(
    ("content", "verdict"),
    [("<tool_", Verdict.CUT), ("I read it.\n<tool_", Verdict.CUT), ('<tool_call>\n{"name": "get_', Verdict.DROP)],
)
def test_a_marker_that_the_budget_cut_is_no_leak(content: str, verdict: Verdict) -> None:
    """No parser can know the beginning of a marker for one, so it goes out as text; a whole marker may not."""
    assert judge(answered(role(), text(content), finish("length")), RULES).verdict is verdict


def test_header_names_are_read_in_any_case() -> None:
    """Recordings of others keep the names of headers as they were sent."""
    exchange = answered(role(), call(), finish())
    record = json.loads(encode_exchange(exchange))
    record["response"]["headers"] = {"Content-Type": "Text/Event-Stream"}
    record["sent_headers"] = {"Accept-Encoding": "gzip"}
    read = decode_exchange(json.dumps(record).encode(), file="x")
    assert read.response is not None
    assert read.response.headers == {"content-type": "Text/Event-Stream"}
    assert read.sent_headers == {"accept-encoding": "gzip"}
    assert judge(read, RULES).verdict_class is VerdictClass.PASS
    record["response"] = None
    assert decode_exchange(json.dumps(record).encode(), file="x").sent_headers == {"accept-encoding": "gzip"}
    record |= {"response": {"status": 200, "headers": {"X-A": "1"}}, "sent_headers": None}
    assert decode_exchange(json.dumps(record).encode(), file="x").sent_headers is None
