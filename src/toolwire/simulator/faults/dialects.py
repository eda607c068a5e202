"""Calls as models write them: our own templates, one a dialect.

Source of the forms: `../shared/formats/formats.json`, the raw example of each family.
Must not know: the families of our scanner, which must find these by itself.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolwire.simulator.faults.edit import Call

    Writer = Callable[[Sequence[Call]], str]

__all__ = ["DIALECTS", "bare"]


def bare(value: object) -> str:
    """Write a value as a parameter of markup: text as it stands, others as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json_call(call: Call, arguments: str = "arguments") -> str:
    """Write a call as one JSON object."""
    return json.dumps({"name": call.name, arguments: call.values}, ensure_ascii=False)


def _each(one: Callable[[Call], str], before: str = "", after: str = "", between: str = "\n") -> Writer:
    """Write calls one after the other within a section."""
    return lambda calls: before + between.join(one(call) for call in calls) + after


def _list(before: str, after: str = "") -> Writer:
    """Write all calls as one JSON list."""
    return lambda calls: f"{before}[{', '.join(_json_call(call) for call in calls)}]{after}"


def _parameters(call: Call, form: str, between: str = "\n") -> str:
    """Write the parameters of a call by a form with `{key}` and `{value}`."""
    return between.join(
        form.replace("{key}", key).replace("{value}", bare(value)) for key, value in call.values.items()
    )


def _qwen3_xml(call: Call) -> str:
    """Write a call as Qwen3-Coder does."""
    parameters = _parameters(call, "<parameter={key}>\n{value}\n</parameter>")
    return f"<tool_call>\n<function={call.name}>\n{parameters}\n</function>\n</tool_call>"


def _seed_oss(call: Call) -> str:
    """Write a call as Seed-OSS does."""
    parameters = _parameters(call, "<parameter={key}>{value}</parameter>")
    return f"<seed:tool_call>\n<function={call.name}>\n{parameters}\n</function>\n</seed:tool_call>"


def _dsml(call: Call) -> str:
    """Write a call as DeepSeek V3.2 and later do."""
    lines = []
    for key, value in call.values.items():
        plain = "true" if isinstance(value, str) else "false"
        lines.append(f'<｜DSML｜parameter name="{key}" string="{plain}">{bare(value)}</｜DSML｜parameter>')
    return "\n".join([f'<｜DSML｜invoke name="{call.name}">', *lines, "</｜DSML｜invoke>"])


def _kimi_k2(calls: Sequence[Call]) -> str:
    """Write calls as Kimi K2 does, with its numbered names."""
    written = [
        f"<|tool_call_begin|>functions.{call.name}:{place}<|tool_call_argument_begin|>{call.arguments}<|tool_call_end|>"
        for place, call in enumerate(calls)
    ]
    return f"<|tool_calls_section_begin|>{''.join(written)}<|tool_calls_section_end|>"


def _kimi_k3(calls: Sequence[Call]) -> str:
    """Write calls as Kimi K3 does."""
    written = []
    for place, call in enumerate(calls, 1):
        arguments = "".join(
            f'<|open|>argument key="{key}" type="{"string" if isinstance(value, str) else "number"}"<|sep|>'
            f"{bare(value)}<|close|>argument<|sep|>"
            for key, value in call.values.items()
        )
        head = f'<|open|>call tool="{call.name}" index="{place}"<|sep|>'
        written.append(f"{head}{arguments}<|close|>call<|sep|>")
    return f"<|open|>tools<|sep|>{''.join(written)}<|close|>tools<|sep|>"


def _deepseek_v3(call: Call) -> str:
    """Write a call as DeepSeek V3 and R1 do."""
    return f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{call.name}\n```json\n{call.arguments}\n```<｜tool▁call▁end｜>"


def _glm(call: Call) -> str:
    """Write a call as GLM 4.7 does."""
    pairs = _parameters(call, "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>", "")
    return f"<tool_call>{call.name}{pairs}</tool_call>"


def _glm45(call: Call) -> str:
    """Write a call as GLM 4.5 does."""
    pairs = _parameters(call, "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>")
    return f"<tool_call>{call.name}\n{pairs}\n</tool_call>"


def _invoke(call: Call) -> str:
    """Write a call as MiniMax M2 does."""
    parameters = _parameters(call, '<parameter name="{key}">{value}</parameter>')
    return f'<invoke name="{call.name}">\n{parameters}\n</invoke>'


def _harmony(call: Call) -> str:
    """Write a call as gpt-oss does."""
    head = f"<|start|>assistant<|channel|>commentary to=functions.{call.name} <|constrain|>json<|message|>"
    return f"{head}{call.arguments}<|call|>"


def _harmony_without_start(calls: Sequence[Call]) -> str:
    """Write a call of gpt-oss whose opening special token was dropped."""
    return "".join(_harmony(call).removeprefix("<|start|>assistant") for call in calls)


def _gemma4(call: Call) -> str:
    """Write a call as Gemma 4 does."""
    pairs = ",".join(
        f'{key}:<|"|>{value}<|"|>' if isinstance(value, str) else f"{key}:{bare(value)}"
        for key, value in call.values.items()
    )
    return f"<|tool_call>call:{call.name}{{{pairs}}}<tool_call|>"


def _python(call: Call) -> str:
    """Write a call as Python does."""
    return f"{call.name}({', '.join(f'{key}={value!r}' for key, value in call.values.items())})"


def _cohere(calls: Sequence[Call]) -> str:
    """Write calls as Command does."""
    written = [
        json.dumps({"tool_call_id": str(place), "tool_name": call.name, "parameters": call.values}, ensure_ascii=False)
        for place, call in enumerate(calls)
    ]
    return f"<|START_ACTION|>[\n    {', '.join(written)}\n]<|END_ACTION|>"


def _solar(call: Call) -> str:
    """Write a call as Solar Open does."""
    return (
        f"<|tool_call:begin|>call00001<|tool_call:name|>{call.name}<|tool_call:args|>{call.arguments}<|tool_call:end|>"
    )


DIALECTS: dict[str, Writer] = {
    "hermes": _each(lambda call: f"<tool_call>\n{_json_call(call)}\n</tool_call>"),
    "qwen3-xml": _each(_qwen3_xml),
    "seed-oss": _each(_seed_oss),
    "kimi-k2": _kimi_k2,
    "kimi-k3": _kimi_k3,
    "deepseek-v3": _each(_deepseek_v3, "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    "deepseek-v31": _each(
        lambda call: f"<｜tool▁call▁begin｜>{call.name}<｜tool▁sep｜>{call.arguments}<｜tool▁call▁end｜>",
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁calls▁end｜>",
        "",
    ),
    "dsml": _each(_dsml, "<｜DSML｜function_calls>\n", "\n</｜DSML｜function_calls>"),
    "mistral-list": _list("[TOOL_CALLS] "),
    "mistral": _each(lambda call: f"[TOOL_CALLS]{call.name}[ARGS]{call.arguments}", between=""),
    "llama3": _each(lambda call: f"<|python_tag|>{_json_call(call, 'parameters')}", between="; "),
    "llama4": lambda calls: f"<|python_start|>[{', '.join(map(_python, calls))}]<|python_end|>",
    "glm": _each(_glm, between=""),
    "glm45": _each(_glm45),
    "minimax": _each(_invoke, "<minimax:tool_call>\n", "\n</minimax:tool_call>"),
    "minimax-m1": _each(_json_call, "<tool_calls>\n", "\n</tool_calls>"),
    "harmony": _each(_harmony, between=""),
    "harmony-half": _harmony_without_start,
    "gemma4": _each(_gemma4, between=""),
    "pythonic": lambda calls: f"[{', '.join(map(_python, calls))}]",
    "tool-code": _each(_python, "```tool_code\n", "\n```"),
    "olmo3": _each(_python, "<function_calls>\n", "\n</function_calls>"),
    "lfm2": lambda calls: f"<|tool_call_start|>[{', '.join(map(_python, calls))}]<|tool_call_end|>",
    "granite": _list("<|tool_call|>"),
    "nemotron": _list("<TOOLCALL>", "</TOOLCALL>"),
    "phi4": _list("functools"),
    "cohere": _cohere,
    "internlm": _each(
        lambda call: f"<|action_start|><|plugin|>\n{_json_call(call, 'parameters')}<|action_end|>\n", between=""
    ),
    "functionary": _each(lambda call: f"<function={call.name}>{call.arguments}</function>"),
    "solar": _each(_solar, "<|tool_calls|>", "<|calls|>", ""),
    "bare-json": _each(_json_call),
    "bare-json-llama": _each(lambda call: _json_call(call, "parameters")),
}
"""By a short name: how the calls of one turn are written."""
