"""Debris of markup in the values of arguments."""

from __future__ import annotations

import pytest

from toolwire.markup import EMPTY, scan_value

TOOLS = {"write": ("path", "text"), "bash": ("command",)}

DEBRIS = [
    ("ls 2>&1</｜DSML｜parameter", "deepseek_v4"),
    ("ls</parameter>", "qwen3_xml"),
    ("ls\n</parameter>\n</function>\n</tool_call>", "qwen3_xml"),
    ("ls</parameter>\n<parameter=path>\n/etc", "qwen3_xml"),
    ("ls\n<parameter=text>\nx", "qwen3_xml"),
    ("Paris</arg_value>", "glm47"),
    ("Paris<|tool_call_end|>", "kimi_k2"),
    ('<|\\Demo<|"', "gemma4"),
    ('[ARGS]{"command": "ls"}', "mistral_v11"),
    ("ls</tool_call", "hermes_json"),
    ("<tool_call>ls", "hermes_json"),
    ("a</param></function> b", "minicpm5"),
]


@pytest.mark.parametrize(("text", "dialect"), DEBRIS)
def test_debris_in_a_value_is_seen(text: str, dialect: str) -> None:
    """A closing tag without its opener, a marker at an edge, a folded argument are debris of a known family."""
    found = scan_value(text, tools=TOOLS)
    assert found.leaked
    assert dialect in found.dialects
    assert found.calls == ()


CLEAN = [
    "ls -l",
    "a < b && c > d",
    "A call ends with </tool_call>; <think> opens thoughts; <function=x> names it.",
    "<tool_call>\n{}\n</tool_call>",
    "# Format\n\n```\n<tool_call>\n</tool_call>\n```\n",
    "Use `</tool_call>` here",
    '"</tool_call>"',
    '<config><parameter name="x">1</parameter></config>',
    "def f():\n    return '<tool_call>' + x + '</tool_call>'",
    "text </parameter> text",
    "echo <tool",
    "see <parameter=x> in it",
    'a <invoke name="bash"> b',
    "x [TOOL_CALLS] y",
]


@pytest.mark.parametrize("text", CLEAN)
def test_text_about_markup_is_a_value(text: str) -> None:
    """Balanced, quoted or mentioned markup is what the value was meant to hold."""
    assert not scan_value(text, tools=TOOLS).leaked


def test_what_the_prompt_gave_or_asked_for_is_meant() -> None:
    """Debris that stands in the prompt, or markup that the prompt asks about, is no leak."""
    assert not scan_value("ls</tool_call>", tools=TOOLS, prompt="Write ls</tool_call> to the file.").leaked
    assert not scan_value("ls</tool_call>", tools=TOOLS, prompt="Write documentation on this markup.").leaked
    assert scan_value("ls</tool_call>", tools=TOOLS, prompt="List the files.").leaked


def test_plain_values_cost_nothing() -> None:
    """Values without a character of markup are answered with the one empty scan."""
    assert scan_value("ls -l", tools=TOOLS) is EMPTY
    assert scan_value("a < b", tools=TOOLS) is EMPTY
