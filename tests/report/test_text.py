"""Text of peers is made harmless before a person sees it."""

from __future__ import annotations

import shlex

import pytest

from toolwire.report.curl import curl
from toolwire.report.text import clip, duration, one_line, percent, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words", "plain words"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("bell\a back\b", "bell\\x07 back\\x08"),
        ("lines\nand\ttabs", "lines\nand\ttabs"),
        ("right \u202eto left", "right \\u202eto left"),
        ("c1 \x9b31m", "c1 \\x9b31m"),
        ("emoji 👩‍🚀 读む", "emoji 👩‍🚀 读む"),
        ("lone \ud83d half", "lone \\ud83d half"),
    ],
)
def test_control_characters_become_visible(text: str, shown: str) -> None:
    """No escape sequence of a server reaches the terminal; ordinary text of any script stays."""
    assert plain(text) == shown


def test_one_line_is_one_line() -> None:
    """Line feeds and tabs are shown, and the cut is shown too."""
    assert one_line("a\nb\tc") == "a\\nb\\tc"
    assert one_line("x" * 10, 5) == "xxxx…"
    assert clip("short", 5) == "short"


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "0.0 %"), (1.0, "100.0 %"), (0.095, "9.5 %"), (0.0004, "<0.1 %"), (0.99995, ">99.9 %"), (0.5, "50.0 %")],
)
def test_a_share_never_rounds_to_nothing_or_all(share: float, shown: str) -> None:
    """A small share is not nothing, and nearly all is not all."""
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.0841, "84 ms"), (2.34, "2.3 s"), (245, "4 min 05 s"), (7260, "2 h 01 min")]
)
def test_durations_are_for_people(seconds: float, shown: str) -> None:
    """The unit fits the size."""
    assert duration(seconds) == shown


def test_curl_repeats_the_request_without_the_key() -> None:
    """The line is one shell command; the key is the name of a variable, also for a header that was redacted."""
    line = curl(
        "http://127.0.0.1:1/v1/chat/completions",
        {"model": "it's", "stream": True},
        headers={"authorization": "[redacted]", "x-team": "[redacted]", "x-plain": "a b"},
        key=True,
    )
    words = shlex.split(line)
    assert words[:3] == ["curl", "-N", "http://127.0.0.1:1/v1/chat/completions"]
    assert "Authorization: Bearer $OPENAI_API_KEY" in words
    assert "x-team: $X_TEAM" in words
    assert "x-plain: a b" in words
    assert words[-1] == '{"model":"it\'s","stream":true}'
