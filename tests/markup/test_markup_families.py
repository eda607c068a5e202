"""The family files: complete, consistent, and read back from their own examples."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from toolwire.markup import Example, Family, families, scan
from toolwire.markup.families import family_markers

TOOLS = {"get_weather": ("city", "days"), "get_time": ("tz",)}
FAMILIES = families()
WITH_CALLS = [(family, example) for family in FAMILIES for example in family.examples if example.calls]
READERS = {"json_calls", "named_json", "tagged_parameters", "python_calls", "brace_values", "namespaced_elements"}
NOT_READ = {
    "pythonic": "no marker: read as a text that is nothing but calls",
    "xlam": "no marker: read as a bare list",
    "gemma3_none": "no format of its own",
    "hf_response_template": "the markers are the checkpoint's own",
}
"""Families without a reader, and why."""


def test_there_are_sixty_families_each_named_as_its_file() -> None:
    """Every file is one family, and its id is the file's name."""
    names = sorted(
        entry.name.removesuffix(".toml")
        for entry in (files("toolwire.markup") / "families").iterdir()
        if entry.name.endswith(".toml")
    )
    assert [family.id for family in FAMILIES] == names
    assert len(names) == 60


def test_the_scanner_reads_the_same_markers_without_the_documentation() -> None:
    """What the scanner reads of a file's head is what the whole file says."""
    assert family_markers() == tuple(family.markers for family in FAMILIES)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.id)
def test_a_family_says_what_it_is(family: Family) -> None:
    """Title, models, encoding, confidence and sources are there; one without a reader is listed with its reason."""
    assert family.title
    assert family.models
    assert family.argument_encoding
    assert family.confidence
    assert family.sources or family.status == "no-native-format"
    assert family.status in {"current", "legacy", "pull-request/fork", "no-native-format"}
    reader = family.markers.reader
    if reader is None:
        assert family.id in NOT_READ
    else:
        assert family.id not in NOT_READ
        assert reader.kind in READERS
        for pattern in (reader.open, reader.close, reader.parameter):
            re.compile(pattern)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.id)
def test_markers_of_a_family_are_in_one_class_each(family: Family) -> None:
    """No literal is both strong and weak in one family, and answers begin behind frame tokens only."""
    markers = family.markers
    classes = [markers.strong, markers.closing, markers.contextual, markers.weak, markers.frame]
    literals = [literal for group in classes for literal in group]
    assert len(literals) == len(set(literals))
    assert set(markers.body) <= set(markers.frame)
    for pattern in markers.patterns:
        # an alternative that begins with a literal character lets the scanner skip other text
        assert re.match(r"\\?[<\[]", pattern), pattern
        re.compile(pattern)


def test_reasoning_markers_are_listed() -> None:
    """The reasoning tags of a family are its openers and closers."""
    by_id = {family.id: family for family in FAMILIES}
    assert by_id["hermes_json"].reasoning == ("<think>", "</think>")
    assert by_id["pythonic"].reasoning == ()


@pytest.mark.parametrize(("family", "example"), WITH_CALLS, ids=lambda part: getattr(part, "id", "example"))
def test_an_example_is_read_whole(family: Family, example: Example) -> None:
    """The example of a family is a leak of that family, and its calls are read with names and arguments."""
    found = scan(example.text, tools=TOOLS)
    assert found.leaked
    assert found.certain
    assert found.proven
    assert family.id in found.dialects
    assert [(call.name, call.arguments) for call in found.calls] == [
        (call.name, call.arguments) for call in example.calls
    ]
    assert all(call.complete and call.declared for call in found.calls)
    for call in found.calls:
        assert 0 <= call.start < call.end <= len(example.text)


def test_a_family_without_format_is_no_leak() -> None:
    """Gemma 3's fence is kept as a weak mark, but proves nothing."""
    example = next(family for family in FAMILIES if family.id == "gemma3_none").examples[0]
    found = scan(example.text, tools=TOOLS)
    assert not found.leaked
    assert [mark.families for mark in found.excused] == [("gemma3_none",)]
