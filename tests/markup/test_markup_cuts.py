"""Leaks of every family, cut at every place, in content and beside prose; and the same texts shown as code."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolwire.markup import families, scan
from toolwire.markup.lexicon import lexicon
from toolwire.markup.model import Strength

TOOLS = {"get_weather": ("city", "days"), "get_time": ("tz",)}
BARE = {
    "llama3_json": '{"name": "get_weather"',
    "xlam": '[{"name": "get_weather"',
    "pythonic": "[get_weather(",
    "functionary_v32": "get_weather\n{",
}
"""What counts as the first marker in families whose calls have none."""


class Raw(NamedTuple):
    """Raw output of a family, and where its first marker ends."""

    family: str
    text: str
    first: int


def _first_marker(family: str, text: str) -> int:
    if family in BARE:
        return len(BARE[family])
    for match in lexicon().pattern.finditer(text):
        if family in lexicon().marker(match).families:
            return match.end()
    raise AssertionError(family)


RAW = [
    Raw(family.id, example.text, _first_marker(family.id, example.text))
    for family in families()
    for example in family.examples
    if example.calls
]
EXPLANATIONS = [
    ("Here is the format:\n\n```\n", "\n```\nEach call gets its own block."),
    ("The format is:\n```xml\n", "\n```"),
    ("1. An example:\n   ````text\n", "\n   ````\n2. That is all."),
    ("~~~\n", "\n~~~\nThis is what the model writes."),
]


@pytest.mark.parametrize("raw", RAW, ids=lambda raw: raw.family)
def test_every_cut_behind_the_first_marker_is_a_leak_of_its_family(raw: Raw) -> None:
    """Wherever the text ends behind the first complete marker, the leak is seen and its dialect is named."""
    for end in range(raw.first, len(raw.text) + 1):
        found = scan(raw.text[:end], tools=TOOLS, prompt="What is the weather in Paris?")
        assert found.leaked, raw.text[:end]
        assert raw.family in found.dialects, raw.text[:end]


@pytest.mark.parametrize("raw", [raw for raw in RAW if raw.family not in BARE], ids=lambda raw: raw.family)
def test_a_leak_behind_a_sentence_is_a_leak(raw: Raw) -> None:
    """Ordinary words before the markup change nothing, once a marker of a call stands there."""
    known = lexicon()
    first = next(
        match.end()
        for match in known.pattern.finditer(raw.text)
        if known.marker(match).strength is Strength.STRONG or raw.family in {"minicpm5", "cwm_tool_tag"}
    )
    for before in ("I'll check that for you. ", "The user wants the weather.\n", "I will use the tool "):
        for end in range(max(first, raw.first), len(raw.text) + 1, 3):
            found = scan(before + raw.text[:end], tools=TOOLS, prompt="What is the weather?")
            if raw.family == "cwm_tool_tag" and "get_weather" not in raw.text[:end]:
                continue
            assert found.leaked, before + raw.text[:end]
            assert raw.family in found.dialects


@given(raw=st.sampled_from([raw for raw in RAW if raw.family not in BARE]), data=st.data())
@settings(max_examples=300, deadline=None)
def test_any_piece_with_a_strong_marker_is_a_leak(raw: Raw, data: st.DataObject) -> None:
    """Where a parser swallowed the beginning, the rest that reached the client is a leak still."""
    start = data.draw(st.integers(0, len(raw.text)))
    end = data.draw(st.integers(start, len(raw.text)))
    piece = raw.text[start:end]
    strong = [
        match for match in lexicon().pattern.finditer(piece) if lexicon().marker(match).strength is Strength.STRONG
    ]
    found = scan(piece, tools=TOOLS)
    if strong:
        assert found.leaked


@pytest.mark.parametrize("raw", RAW, ids=lambda raw: raw.family)
def test_the_same_text_inside_a_fence_of_an_explanation_is_no_leak(raw: Raw) -> None:
    """An answer that shows the format in code is an answer, whole and at every cut, asked for or not."""
    for before, after in EXPLANATIONS:
        text = before + raw.text + after
        for prompt in ("Explain this format.", "Hello."):
            if before.startswith("~~~") and prompt == "Hello.":
                continue
            assert not scan(text, tools=TOOLS, prompt=prompt).leaked, text
        for end in range(len(before) + 1, len(text), 7):
            assert not scan(text[:end], tools=TOOLS, prompt="Explain this format.").leaked, text[:end]


@pytest.mark.parametrize("raw", RAW, ids=lambda raw: raw.family)
def test_a_fence_alone_is_no_leak_where_the_prompt_asked(raw: Raw) -> None:
    """A whole answer that is one fence is what an explanation may be."""
    text = f"```\n{raw.text}\n```"
    assert not scan(text, tools=TOOLS, prompt="Please explain this format.").leaked
    assert not scan(text, tools=TOOLS, requested=True).leaked


@pytest.mark.parametrize("raw", RAW, ids=lambda raw: raw.family)
def test_without_tools_nothing_leaks(raw: Raw) -> None:
    """Markup in an answer to a request without tools is the model's own text."""
    assert not scan(raw.text, tools={}).leaked
