"""What a request demands, whatever form it says it in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwire.protocol.request import Contract, read_chat_request, texts_in

if TYPE_CHECKING:
    from toolwire.jsontext import Json

TOOLS: Json = [{"type": "function", "function": {"name": "tide"}}]


def choice(value: Json) -> tuple[Contract, set[str]]:
    """Return what a `tool_choice` demands of a request with tools."""
    request = read_chat_request({"tools": TOOLS, "tool_choice": value})
    return request.contract, set(request.chosen)


@pytest.mark.parametrize(
    ("value", "contract", "chosen"),
    [
        (None, Contract.AUTO, set()),
        ("auto", Contract.AUTO, set()),
        ("none", Contract.NONE, set()),
        ("required", Contract.REQUIRED, set()),
        ("any", Contract.REQUIRED, set()),
        ("sometimes", Contract.AUTO, set()),
        (3, Contract.AUTO, set()),
        ({"type": "function", "function": {"name": "tide"}}, Contract.NAMED, {"tide"}),
        ({"type": "function", "name": "tide"}, Contract.NAMED, {"tide"}),
        ({"type": "custom", "custom": {"name": "tide"}}, Contract.NAMED, {"tide"}),
        ({"type": "function", "function": {}}, Contract.AUTO, set()),
        ({"type": "function", "function": "tide"}, Contract.AUTO, set()),
        ({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": TOOLS}}, Contract.ALLOWED, {"tide"}),
        ({"type": "allowed_tools", "mode": "required", "tools": TOOLS}, Contract.ALLOWED_REQUIRED, {"tide"}),
    ],
)
def test_tool_choice_is_read_in_all_its_forms(value: Json, contract: Contract, chosen: set[str]) -> None:
    """Strings, the nested and the flat object, and lists of allowed tools; what is odd counts as not said."""
    assert choice(value) == (contract, chosen)


def test_without_tools_nothing_may_be_called() -> None:
    """Whatever the choice says."""
    request = read_chat_request({"tool_choice": "required"})
    assert request.contract is Contract.NONE
    assert not request.demands_call


@pytest.mark.parametrize(
    ("value", "demands"),
    [
        ("required", True),
        ({"type": "function", "function": {"name": "tide"}}, True),
        ({"type": "allowed_tools", "mode": "required", "tools": TOOLS}, True),
        ({"type": "allowed_tools", "mode": "auto", "tools": TOOLS}, False),
        ("auto", False),
    ],
)
def test_some_choices_demand_a_call(value: Json, *, demands: bool) -> None:
    """An answer without any call breaks them."""
    assert read_chat_request({"tools": TOOLS, "tool_choice": value}).demands_call is demands


def test_tools_are_read_nested_flat_and_custom() -> None:
    """The first tool of a name counts, and what is no tool is left out."""
    schema: Json = {"properties": {"port": {}, "hours": {}}, "required": ["port", 7]}
    request = read_chat_request(
        {
            "tools": [
                {"type": "function", "function": {"name": "tide", "parameters": schema, "strict": True}},
                {"type": "function", "name": "wind", "strict": True},
                {"type": "custom", "custom": {"name": "sql"}},
                {"type": "function", "function": {"name": "tide"}},
                {"type": "function", "function": {}},
                "tide",
            ]
        }
    )
    assert list(request.tools) == ["tide", "wind", "sql"]
    tide, wind, sql = request.tools.values()
    assert (tide.properties, tide.required, tide.strict, tide.custom) == (("port", "hours"), ("port",), True, False)
    assert (wind.properties, wind.required, wind.strict) == ((), (), True)
    assert sql.custom
    assert not sql.strict


@pytest.mark.parametrize(
    ("body", "attribute", "value"),
    [
        ({}, "parallel", True),
        ({"parallel_tool_calls": False}, "parallel", False),
        ({"parallel_tool_calls": None}, "parallel", True),
        ({}, "n", 1),
        ({"n": 3}, "n", 3),
        ({"n": True}, "n", 1),
        ({"max_tokens": 5}, "max_tokens", 5),
        ({"max_tokens": 5, "max_completion_tokens": 9}, "max_tokens", 9),
        ({"max_tokens": -1}, "max_tokens", None),
        ({"stream_options": {"include_usage": True}}, "include_usage", True),
        ({"stream_options": None}, "include_usage", False),
        ({"logprobs": True}, "logprobs", True),
        ({"stream": True}, "stream", True),
        ({"temperature": 0}, "streamed_twin_is_comparable", True),
        ({"temperature": 0.7, "seed": 1}, "streamed_twin_is_comparable", True),
        ({"temperature": 0.7}, "streamed_twin_is_comparable", False),
        ({}, "streamed_twin_is_comparable", False),
        ({"chat_template_kwargs": {"enable_thinking": False}}, "thinking", False),
        ({"think": True}, "thinking", True),
        ({"think": "high"}, "thinking", None),
    ],
)
def test_options_are_read(body: dict[str, Json], attribute: str, value: Json) -> None:
    """What is missing or odd counts as not said."""
    assert getattr(read_chat_request(body), attribute) == value


def test_history_and_prompt_are_collected() -> None:
    """Ids of earlier calls, and all text that the model was shown."""
    request = read_chat_request(
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "How high?"}]},
                {"role": "assistant", "tool_calls": [{"id": "call_1"}, {"id": 7}, "x"]},
                "odd",
            ],
            "tools": [{"function": {"name": "tide", "description": "Tells tides."}}],
        }
    )
    assert request.history_ids == {"call_1"}
    assert {"How high?", "Tells tides.", "odd"} <= set(request.prompt.split("\n"))


def test_texts_come_depth_first_and_keys_are_none() -> None:
    """Strings of any depth, in their order."""
    assert list(texts_in({"a": ["x", {"b": "y"}], "c": 3, "d": "z"})) == ["x", "y", "z"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = ("messages", "tools", "tool_choice", "n", "stream_options", "chat_template_kwargs", "max_tokens", "seed")


@given(st.dictionaries(st.sampled_from(KEYS), JSON | st.lists(st.dictionaries(st.just("function"), JSON), max_size=2)))
def test_any_request_can_be_read(body: dict[str, Json]) -> None:
    """A recording may hold any JSON where a request belongs."""
    assert read_chat_request(body).n >= 1
