"""What is a leak and what is none, case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolwire.markup import EMPTY, Excuse, Strength, reasoning_marks, scan, turn_marks

if TYPE_CHECKING:
    from toolwire.jsontext import Json

TOOLS = {"get_weather": ("city", "days"), "get_time": ("tz",), "read_file": ("path",)}
PARIS = {"city": "Paris"}
WEATHER = '{"name": "get_weather", "arguments": {"city": "Paris"}}'

INNOCENT = [
    'The call is\n[get_weather(city="Paris")]\nand it takes a city.',
    "He wrote\n[get_weather]\n(the tool).",
    'The tools are:\n{"results": [{"name": "get_weather", "description": "x"}]}',
    "if a < tool_calls and b > get_weather: pass",
    '[CALL TOOL] {"a": 1}',
    "[CALL TOOL] get_weather",
    "[NOTE] " + WEATHER[:-1] + " is cut",
    "&lt;tool_call&gt; opens a call to get_weather.",
    '<Card:ToolCall name="get_weather">',
    "It is sunny in Paris.",
    "The `<tool_call>` tag opens a call.",
    "The <tool_call> tag opens a call and </tool_call> closes it.",
    "Models such as Qwen emit <tool_call> when they want to use a tool.",
    "\"<tool_call>\" is a marker; so is '[TOOL_CALLS]'.",
    "Unfinished code: `<tool_call>",
    "The markers are <tool_call>, </tool_call>, and <function=name>.",
    "- <tool_call>: opens a call\n- </tool_call>: closes it",
    "| marker | meaning |\n| <tool_call> | opens |",
    "The pair (<tool_call>) is special.",
    "He said “<tool_call>...</tool_call>” to me.",
    "It ends with </tool_call>.",
    "It ends with </tool_call>",
    "The first one is <tool_call>",
    "The error says: unexpected token <tool_call> at line 3.",
    "<tool_call> is what opens a call.",
    "Use <function> in prose.",
    "if a < b and c > d then [name(x)]",
    "f <| g <| h",
    "Haskell: x <|",
    '[link](http://x) and {"a": 1}',
    '{"city": "Paris", "temperature": 21}',
    '{"name": "Bob", "age": 3}',
    '{"name": "get_weather"}',
    '{"name": "get_weather", "description": "Gets the weather"}',
    '[{"name": "get_weather", "description": "x"}, {"name": "get_time", "description": "y"}]',
    '{"name": "get_weather", "arguments": {"city": "Paris"}} is what I would send.',
    '```json\n{"city": "Paris"}\n```',
    '```json\n{"name": "Bob"}\n```\n```json\n{"name": "Eve"}\n```',
    "[1, 2, 3]",
    "[get_weather]",
    '[get_weather("Paris")]',
    "[get_weather(town='Par",
    "get_weather()",
    '[get_weather(city="Paris")] is a list.',
    "[get_weather(=1)]",
    '{"name": "get_weather", x: 1} is no JSON at all',
    '{"name": "get_weather", "arguments": {}} {"a": 1}',
    '{"name": "xyz_abc',
    '```json\n{"name": "get_weather", "arguments": {}}\n```\nis what I would send.',
    "```\na < b\n```\n" * 9,
    f"```json\n{WEATHER}\n```\nor\n```json\n{WEATHER}\n```",
    "get_weather(place='Paris')",
    "get_weather",
    "get_weather: returns the weather",
    'get_weather\n{"town": "Paris"}',
    'get_weather {"city": "Paris"} is a call.',
    "I have these tools:\nget_weather\nget_time",
    "Tools:\n- get_weather {city}\n- get_time {tz}",
    'The tool get_weather takes a city. I can call get_weather(city="Paris") for you if you like.',
    '<html><body><function name="x">hi</function><param name="movie" value="a.swf"></body></html>',
    '<config><parameter name="x">1</parameter></config>',
    "<response>It is sunny.</response>",
    "Usage: app [OPTIONS] COMMAND [ARGS]...",
    '<invoke name="start"/>',
    "<tool>hammer</tool>",
    ">>> x = 1\n1",
    ">>> get_weather('Paris')\n21",
    "x = functools.partial(f) and functools[0]",
    "std::function<void(int)> f; vector<int> v;",
    "import { ToolCallView } from 'x';\n<ToolCallView tools={get_weather} />",
    "<toolbar>call</toolbar>",
    "<tool_call_id> get the id",
    "a tool_call> arrow",
    "<<<<<<< HEAD\nfoo\n=======\nbar\n>>>>>>> main",
    "Your code has `to=functions.get_weather` in it.",
    "Set to=get_weather in the mail.",
    "[THINK] comes first. It is sunny in Paris.",
    "<|channel|>final<|message|>It is sunny.<|return|>",
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Sunny!",
    "<seed:think>Hm.</seed:think>It is sunny.",
    "Paris is sunny.<|close|>message<|sep|>",
    f"For example:\n\n<tool_call>\n{WEATHER}\n</tool_call>\n\nThe server parses it.",
    f"A call looks like this:\n\n{WEATHER}",
    f"You can send `{WEATHER}` to it.",
    "Use the <tool",
    "See [TOOL",
]


@pytest.mark.parametrize("text", INNOCENT)
def test_an_ordinary_text_is_no_leak(text: str) -> None:
    """Prose about markup, code, HTML, JSON that is no call, and answers behind channel tokens are no leaks."""
    found = scan(text, tools=TOOLS, prompt="What is the weather?")
    assert not found.leaked
    assert found.first is None
    assert not found.proven
    assert not found.certain
    assert all(mark.excuse is not None for mark in found.excused)


LEAKS: list[tuple[str, list[tuple[str, object]], str]] = [
    # first or last character missing
    (f"tool_call>\n{WEATHER}\n</tool_call>", [("get_weather", PARIS)], "hermes_json"),
    (
        "function=read_file>\n<parameter=path>\n/etc\n</parameter>\n</function>",
        [("read_file", {"path": "/etc"})],
        "qwen3_xml",
    ),
    ("Ok.\nparameter=path>\n/etc", [], "qwen3_xml"),
    (
        '|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris"}',
        [],
        "kimi_k2",
    ),
    ("tool▁calls▁begin｜>", [], "deepseek_v3"),
    ("Let me look.\n<tool_call>", [], "hermes_json"),
    ("Let me check with <tool_call>", [], "hermes_json"),
    ("I will read it. <tool_cal", [], "qwen3_xml"),
    ("[TOOL_CA", [], "mistral_v11"),
    (f"<tool_call\n{WEATHER}", [("get_weather", PARIS)], "hermes_json"),
    ("<｜DSML｜par", [], "deepseek_v4"),
    # closing tags alone
    ("</tool_call>", [], "hermes_json"),
    ("</parameter>", [], "minimax_m2"),
    ("/etc/hosts\n</parameter>\n</function>\n</tool_call>", [], "qwen3_xml"),
    ("</parameter>\n</function>", [], "qwen3_xml"),
    ("x</function></tool> y", [], "qwen3_xml"),
    # special tokens stripped
    ('get_weather\n{"city": "Paris"}', [("get_weather", PARIS)], "functionary_v32"),
    ('functions.get_weather:0{"city": "Paris"}', [("get_weather", PARIS)], "kimi_k2"),
    (
        'functions.get_weather:0{"city": "Paris"}functions.get_time:1{"tz": "UTC"}',
        [("get_weather", PARIS), ("get_time", {"tz": "UTC"})],
        "kimi_k2",
    ),
    ('Let me check.\nfunctions.get_weather:0{"city": "Paris"}', [("get_weather", PARIS)], "kimi_k2"),
    ('get_weather{"city": "Par', [("get_weather", None)], "mistral_v11"),
    ('get_weather[ARGS]{"city": "Paris"}', [("get_weather", PARIS)], "mistral_v11"),
    ('get_weather\n```json\n{"city": "Paris"}\n```', [("get_weather", PARIS)], "deepseek_v3"),
    ('get_weather({"city": "Paris"})', [("get_weather", PARIS)], "pythonic"),
    ("call:get_weather{city:Paris}", [("get_weather", None)], "gemma4"),
    ('commentary to=functions.get_weather json{"city":"Paris"}', [("get_weather", PARIS)], "harmony"),
    (
        'analysisNeed it.assistantcommentary to=functions.get_weather json{"city":"Paris"}',
        [("get_weather", PARIS)],
        "harmony",
    ),
    ('assistant to=functions.get_weathercommentary json{"city":"Paris"}', [("get_weather", PARIS)], "harmony"),
    ("to=functions.get_weather", [("get_weather", None)], "harmony"),
    # no marker at all
    (WEATHER, [("get_weather", PARIS)], "llama3_json"),
    ('{"name": "get_weather", "parameters": {"city": "Paris"}}', [("get_weather", PARIS)], "llama3_json"),
    ('{"tool_name": "get_weather", "parameters": {"city": "Paris"}}', [("get_weather", PARIS)], "cohere_command"),
    ('{"name": "get_weather", "args": {"city": "Paris"}}', [("get_weather", PARIS)], "inkling"),
    ('{"get_weather": {"city": "Paris"}}', [("get_weather", PARIS)], "apertus"),
    (f", {WEATHER}]", [("get_weather", PARIS)], "hermes_json"),
    (f"I'll check.\n{WEATHER}", [("get_weather", PARIS)], "hermes_json"),
    (f"<think>hm</think>{WEATHER}<|eot_id|>", [("get_weather", PARIS)], "llama3_json"),
    (f"```json\n{WEATHER}\n```", [("get_weather", PARIS)], "hermes_json"),
    (f"```json\n{WEATHER}\n```\n\n```json\n{WEATHER}\n```", [("get_weather", PARIS)] * 2, "hermes_json"),
    (f"<think>\n```\nls\n```\n</think>\n```json\n{WEATHER}\n```", [("get_weather", PARIS)], "hermes_json"),
    (f"```xml\n<tool_call>{WEATHER}</tool_call>\n```", [("get_weather", PARIS)], "hermes_json"),
    ('{"name": "get_weather", "arguments": {"city": "Pa', [("get_weather", None)], "llama3_json"),
    ('{"name": "get_weather", "arguments": {"city": tru', [("get_weather", None)], "llama3_json"),
    ('{"name": "get_weather", "argu', [("get_weather", None)], "llama3_json"),
    ('{"name": "get_wea', [], "llama3_json"),
    ('[{"name": "get_wea', [], "xlam"),
    (
        '{"type": "function", "function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}}',
        [("get_weather", PARIS)],
        "hermes_json",
    ),
    (
        '{"tool_calls": [{"function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}}]}',
        [("get_weather", PARIS)],
        "hermes_json",
    ),
    ('[get_weather(city="Paris")]', [("get_weather", PARIS)], "pythonic"),
    ('[get_weather(city="Paris"), get_ti', [("get_weather", PARIS)], "pythonic"),
    ("[get_weather(city='Par", [("get_weather", None)], "pythonic"),
    ("[get_weather(city=", [("get_weather", None)], "pythonic"),
    ("[get_weather(ci", [("get_weather", None)], "pythonic"),
    ('get_weather(city="Paris")\nget_time(tz="UTC")', [("get_weather", PARIS), ("get_time", {"tz": "UTC"})], "olmo3"),
    # whole markers, odd insides
    ('<tool_call>{"name": "unknown", "arguments": {}}</tool_call>', [("unknown", {})], "hermes_json"),
    (
        "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Paris'}}</tool_call>",
        [("get_weather", None)],
        "hermes_json",
    ),
    (
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}</tool_call>',
        [("get_weather", None)],
        "hermes_json",
    ),
    ('<tool_call>{"name": "get_weather"}</tool_call>', [("get_weather", {})], "hermes_json"),
    ('<tool_call>{"name": "get_weather", "arguments": null}</tool_call>', [("get_weather", {})], "hermes_json"),
    ('<tool_call>{"name": "get_weather", "arguments": 3}</tool_call>', [("get_weather", None)], "hermes_json"),
    (
        '<tool_call>{"name": "get_weather", "arguments": {"city": "<tool_call>"}}</tool_call>',
        [("get_weather", {"city": "<tool_call>"})],
        "hermes_json",
    ),
    ('[TOOL_CALLS]get_weather{"city": "Paris"}', [("get_weather", PARIS)], "mistral_v11"),
    ('[TOOL_CALLS]get_weather[CALL_ID]abc123456[ARGS]{"city": "Paris"}', [("get_weather", PARIS)], "mistral_v11"),
    (f"<dots_function_call>{WEATHER}</dots_function_call>", [("get_weather", PARIS)], "dots"),
    (
        '<|tool_call_start|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|tool_call_end|>',
        [("get_weather", PARIS)],
        "lfm2",
    ),
    ("<tool_call>get_time</tool_call>", [("get_time", {})], "glm47"),
    ("<function=get_time>\n</function>", [("get_time", {})], "qwen3_xml"),
    ('<｜DSML｜invoke name="get_time"/>', [("get_time", {})], "deepseek_v4"),
    ('<｜DSML｜invoke name="get_weather">{"city": "Paris"}</｜DSML｜invoke>', [("get_weather", PARIS)], "deepseek_v4"),
    (
        '<function name="get_weather"><param name="city"><![CDATA[Paris]]></param></function>',
        [("get_weather", PARIS)],
        "minicpm5",
    ),
    (
        '<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>',
        [("get_weather", PARIS)],
        "minimax_m2",
    ),
    ('<|tool_call>get_weather{city:<|"|>Pa', [("get_weather", None)], "gemma4"),
    (
        '<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{"city": "Paris"}<|call|>',
        [("get_weather", PARIS)],
        "harmony",
    ),
    (
        "<tool_calls:abc><tool_call:abc>get_weather<tool_sep:abc><arg_key:abc>city</arg_key:abc><arg_value:abc>Paris</arg_value:abc></tool_call:abc>",
        [("get_weather", PARIS)],
        "hunyuan_hy3",
    ),
    (
        '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Paris"}}; {"name": "get_time"}',
        [("get_weather", PARIS), ("get_time", {})],
        "llama3_json",
    ),
    # without markers, behind words
    ("Let me look.\n\n[get_weather(city='Paris'), get_time()]", [("get_weather", PARIS), ("get_time", {})], "pythonic"),
    (
        'Let me look.\n{"type": "function", "name": "get_weather", "parameters": {"city": "Paris"}}',
        [("get_weather", PARIS)],
        "llama3_json",
    ),
    (
        'Let me look.\n{"tool_calls": [{"type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]}',
        [("get_weather", {})],
        "llama3_json",
    ),
    (
        'Let me look.\n{\n  "name": "get_weather",\n  "parameters": {"city": "Paris"}\n}',
        [("get_weather", PARIS)],
        "hermes_json",
    ),
    # frames with nothing behind them
    ("<|channel|>analysis<|message|>I need", [], "harmony"),
    ("I need it.<|END_THINKING|>", [], "cohere_command"),
    ("I need it.<|close|>", [], "kimi_k3"),
    ("<|message_sep|>\n\nfunction call<|role", [], "gigachat3"),
]


@pytest.mark.parametrize(("text", "calls", "dialect"), LEAKS)
def test_a_leak_is_seen_named_and_read(text: str, calls: list[tuple[str, object]], dialect: str) -> None:
    """The leak is seen, its dialect is among those named, and its calls are read as far as they go."""
    found = scan(text, tools=TOOLS, prompt="What is the weather?")
    assert found.leaked
    assert dialect in found.dialects
    assert [(call.name, call.arguments) for call in found.calls] == calls
    first = found.first
    assert first is not None
    assert text[first.start :].startswith(first.text[:8])
    assert all(mark.excuse is None for mark in found.marks)


@pytest.mark.parametrize(
    "text",
    [
        f"<my_tool_call>{WEATHER}</my_tool_call>",
        f"<|content_tool|>{WEATHER}",
        "<TOOL_USE>\n<name>get_weather</name>\n</TOOL_USE>",
        '<xai:function_call name="get_weather"></xai:function_call>',
        "<|call_tool|>get_weather",
        f"[BEGIN_TOOL_CALL]{WEATHER}[END_TOOL_CALL]",
        f"Let me see.\n[TOOL CALL] {WEATHER}",
        f"&lt;tool_call&gt;\n{WEATHER}\n&lt;/tool_call&gt;",
        f"< tool_call >\n{WEATHER}\n< /tool_call >",
        '<DSML:invoke name="get_weather">\n<DSML:parameter name="city">Paris</DSML:parameter>\n</DSML:invoke>',
        '<nova:tool_call name="get_weather">{"city": "Paris"}</nova:tool_call>',
    ],
)
def test_an_unknown_dialect_is_a_leak_without_a_name(text: str) -> None:
    """A tag of the shape of markup before a declared name or a call is a leak of no known family."""
    found = scan(text, tools=TOOLS)
    assert found.leaked
    assert found.dialects == ()
    assert found.marks[0].strength is Strength.UNKNOWN_DIALECT
    assert found.proven is ("arguments" in text)


def test_a_call_in_the_style_of_an_agent_is_a_leak_without_a_name() -> None:
    """`Action:` and `Action Input:` are no family's markup, but a call to a declared tool all the same."""
    found = scan('I need it.\nAction: get_weather\nAction Input: {"city": "Paris"}', tools=TOOLS)
    assert [(call.name, call.arguments) for call in found.calls] == [("get_weather", PARIS)]
    assert found.dialects == ()


def test_an_unknown_tag_without_a_call_is_nothing() -> None:
    """A tag that looks like markup proves nothing by its shape."""
    assert not scan("<my_tool_call> is nice", tools=TOOLS).leaked
    assert not scan('<|some|>{"a": 1}', tools=TOOLS).leaked


def test_stray_and_partial_marks_say_so() -> None:
    """Strengths tell closing tags without openers and cut markers from whole ones."""
    assert [mark.strength for mark in scan("x\n</parameter>\n</tool_call>", tools=TOOLS).marks] == [
        Strength.STRAY_CLOSE
    ] * 2
    partial = scan("I will. <tool_cal", tools=TOOLS)
    assert [mark.strength for mark in partial.marks] == [Strength.PARTIAL]
    assert not partial.certain


def test_bare_arguments_name_their_tool() -> None:
    """An object with exactly the names of one tool's parameters is that tool's arguments, unless JSON was wanted."""
    text = '{"city": "Paris", "days": 2}'
    found = scan(text, tools=TOOLS)
    assert [(call.name, call.arguments) for call in found.calls] == [("get_weather", {"city": "Paris", "days": 2})]
    assert found.dialects == ()
    assert not scan(text, tools=TOOLS, wants_json=True).leaked
    assert not scan(text, tools=TOOLS, prompt="Answer in JSON.").leaked
    assert not scan(text, tools=TOOLS | {"forecast": ("days", "city")}).leaked
    assert not scan('{"city": "Paris"} is it', tools=TOOLS).leaked
    assert not scan("{}", tools=TOOLS | {"now": ()}).leaked


def test_bare_arguments_may_leave_out_what_the_schema_does_not_require() -> None:
    """Without a schema all names must be there; with one, those that it requires."""
    text = '{"city": "Paris"}'
    schema: Json = {"type": "object", "required": ["city"]}
    assert not scan(text, tools=TOOLS).leaked
    assert scan(text, tools=TOOLS, schemas={"get_weather": schema}).leaked
    assert not scan('{"days": 2}', tools=TOOLS, schemas={"get_weather": schema}).leaked
    useless_schemas: list[Json] = [3, {"required": "city"}, {"required": []}, {"required": [3]}]
    for useless in useless_schemas:
        assert not scan(text, tools=TOOLS, schemas={"get_weather": useless}).leaked


def test_what_the_prompt_contains_is_no_leak_without_a_call() -> None:
    """A marker from the prompt is excused; the same marker around a call to a declared tool is not."""
    prompt = "Calls stand in <tool_call></tool_call> tags."
    mark = scan("<tool_call>\nhm", tools=TOOLS, prompt=prompt)
    assert [found.excuse for found in mark.excused] == [Excuse.PROMPT]
    assert scan(f"<tool_call>\n{WEATHER}\n</tool_call>", tools=TOOLS, prompt=prompt).proven
    assert scan('<tool_call>\n{"name": "get_weather"', tools=TOOLS, prompt=prompt).leaked
    assert not scan('<tool_call>\n{"name": "other"}', tools=TOOLS, prompt=prompt).leaked


def test_a_call_quoted_from_the_prompt_is_no_leak() -> None:
    """A block that stands in the prompt word for word, and is talked about, is a quotation; alone it is a call."""
    block = f"<tool_call>\n{WEATHER}\n</tool_call>"
    prompt = f"My log has this:\n{block}\nWhy did it fail?"
    assert not scan(f"{block}\nThis failed because the server was down.", tools=TOOLS, prompt=prompt).leaked
    assert scan(block, tools=TOOLS, prompt=prompt).leaked
    assert not scan(block, tools=TOOLS, prompt=f"Repeat after me: {block}").leaked


def test_debris_of_a_call_is_a_leak_even_if_the_prompt_has_the_tag() -> None:
    """A closing tag right behind the end of JSON, at the end of the text, is debris."""
    prompt = 'Write "ends with </tool_call> here" to the file.'
    assert scan(' here"}}\n</tool_call>', tools=TOOLS, prompt=prompt).leaked
    assert not scan("It ends here. </tool_call>", tools=TOOLS, prompt=prompt).leaked


@pytest.mark.parametrize(
    ("prompt", "text", "leaked"),
    [
        (
            "Explain the tool call format of Qwen.",
            f"In it a call is written in this way <tool_call>{WEATHER}</tool_call> and the server reads it back.",
            False,
        ),
        ("Explain the tool call format of Qwen.", f"<tool_call>{WEATHER}</tool_call>", True),
        ("Show me an example tool call as text.", f"<tool_call>{WEATHER}</tool_call>", False),
        ("Show me an example tool call as text.", WEATHER, False),
        ("Show me an example tool call as text.", '{"name": "get_wea', False),
        ("Show me an example tool call as text.", "<tool_call>", False),
        ("What is the weather? Use a table format.", f"<tool_call>{WEATHER}</tool_call>", True),
        (
            "Describe the markup of GLM.",
            "I write <arg_key> and then the key, and so on, until the last one of them is done <arg_value> x.",
            False,
        ),
        (
            "Describe the markup of GLM.",
            "One two three four five six seven eight nine ten eleven twelve.\n<arg_key>",
            False,
        ),
    ],
)
def test_what_the_prompt_asks_for_is_no_leak(prompt: str, text: str, leaked: bool) -> None:
    """An explanation may hold markup between its words; text that was asked for may be nothing else."""
    assert scan(text, tools=TOOLS, prompt=prompt).leaked is leaked


def test_the_caller_may_say_what_was_asked() -> None:
    """`requested` overrides the prompt's words."""
    text = f"<tool_call>{WEATHER}</tool_call>"
    assert not scan(text, tools=TOOLS, requested=True).leaked
    assert scan(text, tools=TOOLS, prompt="Show me an example tool call as text.", requested=False).leaked


def test_frames_beside_an_answer_elsewhere_are_no_evidence() -> None:
    """Reasoning tokens in the reasoning field say nothing where the content is an answer."""
    text = "<seed:think>I need it."
    assert scan(text, tools=TOOLS).leaked
    assert not scan(text, tools=TOOLS, answered=True).leaked


def test_schemas_settle_types() -> None:
    """A value without a type is a string where the schema says so, and else what JSON makes of it."""
    text = (
        "<function=get_weather>\n<parameter=city>\n75001\n</parameter>\n"
        "<parameter=days>\nTrue\n</parameter>\n</function>"
    )
    schema: dict[str, Json] = {
        "get_weather": {"properties": {"city": {"type": "string"}, "days": {"type": ["boolean", "null"]}}}
    }
    plain = scan(text, tools=TOOLS).calls[0].arguments
    typed = scan(text, tools=TOOLS, schemas=schema).calls[0].arguments
    assert plain == {"city": 75001, "days": "True"}
    assert typed == {"city": "75001", "days": True}


def test_a_text_without_a_trace_costs_nothing() -> None:
    """Texts without any character of markup are answered with the one empty scan."""
    assert scan("It is sunny.", tools=TOOLS) is EMPTY
    assert scan("", tools=TOOLS) is EMPTY
    assert EMPTY.first is None


@pytest.mark.parametrize(
    ("text", "prompt", "expected"),
    [
        ("<think>The user", "", ["<think>"]),
        ("so.</think>It is", "", ["</think>"]),
        ("[THINK]a[/THINK]b", "", ["[THINK]", "[/THINK]"]),
        ("◁think▷x", "", ["◁think▷"]),
        ("`<think>` is", "", []),
        ("The <think> tag is", "", []),
        ("<think>x", "Why do you write <think>?", []),
        ("<think>x", "Explain the special tokens of Qwen.", []),
        ("plain", "", []),
        ("a < b", "", []),
    ],
)
def test_reasoning_marks(text: str, prompt: str, expected: list[str]) -> None:
    """Tags around reasoning are found unless code, prose or the prompt explain them."""
    assert [mark.text for mark in reasoning_marks(text, prompt=prompt)] == expected


@pytest.mark.parametrize(
    ("text", "prompt", "expected"),
    [
        ("Hi<|im_end|>", "", ["<|im_end|>"]),
        ("Hi</s>", "", ["</s>"]),
        ("<s>Hi</s>", "", []),
        ("Hi</s>", "What is </s>?", []),
        ("Hi<|eot_id|><|eot_id|>", "", ["<|eot_id|>"] * 2),
        ("It is `<|im_end|>`", "", []),
        ("plain", "", []),
        ("a < b", "", []),
    ],
)
def test_turn_marks(text: str, prompt: str, expected: list[str]) -> None:
    """Tokens that end a turn are found unless code, prose or the prompt explain them."""
    assert [mark.text for mark in turn_marks(text, prompt=prompt)] == expected


def test_a_code_span_ends_with_its_paragraph() -> None:
    """Two ticks in two paragraphs are no span, so what stands between them is no code; in one paragraph they are."""
    block = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
    tools = {"get_weather": ("city", "days")}
    assert scan(f"Use `x\n\nand {block} then `y", tools=tools).leaked
    assert not scan("Write `<tool_call>` around `it`.", tools=tools).leaked
