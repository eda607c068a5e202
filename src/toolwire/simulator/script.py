"""What the simulator answers: a planned completion, made from the request by rules.

A plan picks the tool that the last message asks for, fills its arguments from the declared schema and the prompt, and
honours what the request demands, so that any suite can be asked of it.

Pure: no clock, no chance; ids follow from the request and the seed.
Must not know: our decoders, markup, rules; one misreading must not sit on both sides.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolwire.simulator.arguments import fill
from toolwire.simulator.wishes import MOST, Wish, asks_to_go_on, wished_words, wishes

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CHARACTERS_A_TOKEN", "HEAD", "Plan", "PlannedCall", "plan_answer", "tokens"]

CHARACTERS_A_TOKEN = 4
"""What a token of English or JSON comes to, roughly; budgets are counted with it."""

HEAD = 8
"""Tokens that a call takes beside its arguments: markers and name."""

ID = 24
"""Characters of a call's id behind `call_`."""

CREATED = 1_796_083_200
"""A fixed time: the same request gives the same bytes."""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One call: its name, its arguments as JSON text, its id."""

    name: str
    arguments_json: str
    id: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer to a request, before it is put on the wire."""

    request: dict[str, object]
    model: str
    reasoning: str
    text: str
    calls: tuple[PlannedCall, ...]
    finish: str
    n: int = 1
    include_usage: bool = False
    id: str = "chatcmpl-0"
    created: int = CREATED
    budget: int | None = None
    """Tokens after which the answer is cut; None for as many as it takes."""
    usage: dict[str, int] = field(default_factory=dict)


def plan_answer(request: Mapping[str, object], *, seed: int = 0) -> Plan:
    """Plan the answer to the body of a Chat Completions request."""
    body = dict(request)
    digest = hashlib.sha256(f"{seed}:{json.dumps(body, sort_keys=True, default=str)}".encode()).hexdigest()
    messages = _list_of_dicts(body.get("messages"))
    tools = _tools(body.get("tools"))
    asked = _last_text(messages)
    calls = tuple(
        PlannedCall(
            wish.tool,
            json.dumps(fill(tools[wish.tool], wish), ensure_ascii=False),
            f"call_{digest[place : place + ID]}",
        )
        for place, wish in enumerate(_calls(body, tools, messages))
    )
    thinks = _thinks(body)
    reasoning = (
        "The user wants this done; I use the tool." if thinks and calls else "Nothing to call." if thinks else ""
    )
    text = wished_words(asked) if calls else _words(messages)
    text = _stopped(text, body.get("stop"))
    budget = _limit(body)
    produced = tokens(reasoning) + tokens(text) + sum(tokens(call.arguments_json) + HEAD for call in calls)
    cut = budget is not None and produced > budget
    prompt = tokens(json.dumps([body.get("messages"), body.get("tools")], default=str))
    completion = min(produced, budget) if budget is not None else produced
    n = body.get("n")
    options = body.get("stream_options")
    return Plan(
        request=body,
        model=str(body.get("model") or "simulator"),
        reasoning=reasoning,
        text=text,
        calls=calls,
        finish="length" if cut else "tool_calls" if calls else "stop",
        n=n if isinstance(n, int) and 1 <= n <= 16 else 1,  # noqa: PLR2004 - more alternatives are nobody's test
        include_usage=isinstance(options, dict) and options.get("include_usage") is True,
        id=f"chatcmpl-{digest[:24]}",
        budget=budget if cut else None,
        usage={"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
    )


def tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


# -- from a request to a plan ------------------------------------------------------------------------------------------


def _calls(
    body: dict[str, object], tools: dict[str, dict[str, object]], messages: list[dict[str, object]]
) -> list[Wish]:
    """Return the calls to make: those that the prompt asks for, as far as the request allows and demands them."""
    choice = body.get("tool_choice", "auto")
    asked = _last_text(messages)
    if not tools or choice == "none":
        return []
    allowed, demanded = tools, choice == "required"
    if isinstance(choice, dict):
        listed = choice.get("allowed_tools", choice)
        if choice.get("type") == "allowed_tools" and isinstance(listed, dict):
            names = set(_tools(listed.get("tools")))
            allowed = {name: tool for name, tool in tools.items() if name in names}
            demanded = listed.get("mode") == "required"
        else:
            function = choice.get("function", choice.get("custom", choice))
            name = str(function.get("name")) if isinstance(function, dict) else ""
            return (wishes({name: tools[name]}, asked) or [Wish(name, asked)])[:1] if name in tools else []
    chosen = wishes(allowed, asked)
    made = _made(messages)
    if made is not None:
        # a result was the last word: go on where the prompt lists more than was done, else answer
        chosen = chosen[made:] if asks_to_go_on(asked) else []
    if not chosen and demanded and allowed:
        chosen = wishes(allowed, asked)[:1] or [Wish(next(iter(allowed)), asked)]
    one_by_one = body.get("parallel_tool_calls") is False or bool(_THEN.search(asked))
    return chosen[: 1 if one_by_one else MOST]


_THEN = re.compile(r"\b(?:and|only) then\b|\bafter that\b|\bafterwards\b|\bwait for\b", re.IGNORECASE)
"""Words that ask for calls one after the other."""


def _made(messages: list[dict[str, object]]) -> int | None:
    """Return how many calls were made since the user's last message; None where that message is the last word."""
    made = 0
    if not messages or messages[-1].get("role") != "tool":
        return None
    for message in reversed(messages):
        if message.get("role") == "user":
            break
        made += len(_list_of_dicts(message.get("tool_calls")))
    return made


def _tools(value: object) -> dict[str, dict[str, object]]:
    """Return the offered functions by name."""
    found: dict[str, dict[str, object]] = {}
    for entry in _list_of_dicts(value):
        function = entry.get("function", entry)
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            found[str(function["name"])] = function
    return found


def _list_of_dicts(value: object) -> list[dict[str, object]]:
    """Return the objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _last_text(messages: list[dict[str, object]]) -> str:
    """Return the text of the last message of the user."""
    for message in reversed(messages):
        if message.get("role") != "user":
            continue
        content = message.get("content")
        if isinstance(content, str):
            return content
        return " ".join(str(part.get("text", "")) for part in _list_of_dicts(content))
    return ""


def _words(messages: list[dict[str, object]]) -> str:
    """Return an answer in words."""
    if messages and messages[-1].get("role") == "tool":
        return f"The tool says: {str(messages[-1].get('content'))[:200]}"
    return "I can answer this without a tool: yes."


def _thinks(body: dict[str, object]) -> bool:
    """Whether the model is to think: by the switches of the chat templates and services that have one."""
    kwargs = body.get("chat_template_kwargs")
    for switch in ("enable_thinking", "thinking"):
        if isinstance(kwargs, dict) and isinstance(kwargs.get(switch), bool):
            return kwargs[switch] is True
    effort = body.get("reasoning_effort")
    return isinstance(effort, str) and effort not in ("none", "minimal")


def _limit(body: dict[str, object]) -> int | None:
    """Return the budget in tokens."""
    for key in ("max_completion_tokens", "max_tokens"):
        value = body.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None


def _stopped(text: str, stop: object) -> str:
    """End a text before the first stop string."""
    stops = (
        [stop]
        if isinstance(stop, str)
        else [one for one in stop if isinstance(one, str)]
        if isinstance(stop, list)
        else []
    )
    for one in stops:
        if one:
            text = text.split(one, maxsplit=1)[0]
    return text
