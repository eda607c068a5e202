"""The suite `seed` sends exactly what the old script sent.

The script is not part of the project, so its prompts, tools and body are written out here once more, by hand.
"""

from __future__ import annotations

import itertools
import json

import pytest

from toolwire.plan import added_fields, plan, request_body
from toolwire.suite import builtin_suite


def tool(name: str, description: str, parameter: str) -> dict[str, object]:
    """Return one of the script's tools: one string that must be given."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {parameter: {"type": "string"}},
                "required": [parameter],
            },
        },
    }


TOOLS = [
    tool("read_file", "Read a file from disk.", "path"),
    tool("run_shell", "Run a shell command and return its output.", "command"),
    tool("web_search", "Search the web for a query.", "query"),
    tool("calculate", "Evaluate an arithmetic expression.", "expression"),
]

SINGLE = [
    "Read the file /etc/hosts and summarize it.",
    "What's in /var/log/syslog? Read it.",
    "Run `df -h` and tell me the root filesystem usage.",
    "Check the current directory contents by running `ls -la`.",
    "Search the web for the latest Qwen3 release notes.",
    "Look up who won the 2022 FIFA World Cup.",
    "Compute 17 * 23 + 100 using the calculator.",
    "What is 2 to the power of 16? Use the calculator tool.",
]


def turns(first: str, name: str, arguments: str, result: str, then: str) -> list[dict[str, object]]:
    """Return one of the script's conversations of two turns."""
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return [
        {"role": "user", "content": first},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": result},
        {"role": "user", "content": then},
    ]


MULTI = [
    turns(
        "Read /etc/os-release.",
        "read_file",
        '{"path": "/etc/os-release"}',
        'NAME="Ubuntu"\nVERSION="24.04"',
        "Now read /etc/hostname too.",
    ),
    turns(
        "Run `uname -r`.",
        "run_shell",
        '{"command": "uname -r"}',
        "6.8.0-124-generic",
        "Good. Now run `nproc` to count CPUs.",
    ),
]

CASES: list[tuple[str, list[dict[str, object]]]] = [
    (f"S{number}", [{"role": "user", "content": prompt}]) for number, prompt in enumerate(SINGLE, start=1)
]
CASES += [(f"M{number}", messages) for number, messages in enumerate(MULTI, start=1)]


def body_of_the_script(messages: list[dict[str, object]], choice: str, *, thinking: bool) -> dict[str, object]:
    """Return the body that the script builds with its defaults."""
    body: dict[str, object] = {
        "model": "qwen3.6-27b",
        "messages": messages,
        "tools": TOOLS,
        "tool_choice": choice,
        "stream": True,
        "temperature": 0.6,
        "top_p": 0.95,
        "top_k": 20,
        "max_tokens": 512,
    }
    if thinking:
        body["chat_template_kwargs"] = {"enable_thinking": True}
    return body


@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("choices", [["required"], ["auto"], ["required", "auto"]])
def test_every_request_is_the_scripts(choices: list[str], *, thinking: bool) -> None:
    """Same trials in the same order, and the same bytes of JSON for each: no key more, none less, none elsewhere."""
    suite = builtin_suite("seed")
    trials = plan(suite, choices, suite.repeat)
    wanted = list(itertools.product(choices, CASES, (1, 2, 3)))
    assert [trial.id for trial in trials] == [f"{name}/{choice}#{repeat}" for choice, (name, _), repeat in wanted]
    for trial, (choice, (_, messages), _) in zip(trials, wanted, strict=True):
        body = request_body(suite, trial, model="qwen3.6-27b", thinking=thinking, parameters={}, extra={})
        assert json.dumps(body) == json.dumps(body_of_the_script(messages, choice, thinking=thinking))


def test_its_defaults_are_the_scripts() -> None:
    """`required`, three repeats, thinking off says nothing; what OpenAI does not know is named."""
    suite = builtin_suite("seed")
    assert (suite.tool_choices, suite.repeat, suite.thinking_off) == (("required",), 3, {})
    body = request_body(
        suite, plan(suite, ["auto"], 1)[0], model="m", thinking=True, parameters={"temperature": 0.0}, extra={}
    )
    assert added_fields(suite, body, {}) == ("top_k", "chat_template_kwargs")
    assert body["temperature"] == 0.0
    assert all(case.description for case in suite.cases)
