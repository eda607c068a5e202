"""Addresses in any form become one; keys come from the environment and stay out of sight."""

from __future__ import annotations

import pytest

from toolwire.errors import UsageError
from toolwire.target import (
    BYTE_LIMIT,
    BYTES_IN_FLIGHT,
    SMALLEST_LIMIT,
    Key,
    Target,
    base_url,
    byte_limit_for,
    key_from_environment,
)


@pytest.mark.parametrize(
    ("given", "normal", "root"),
    [
        ("localhost:8000", "http://localhost:8000/v1", "http://localhost:8000"),
        ("http://localhost:8000", "http://localhost:8000/v1", "http://localhost:8000"),
        (" HTTP://LocalHost:8000/ ", "http://localhost:8000/v1", "http://localhost:8000"),
        ("http://h/v1", "http://h/v1", "http://h"),
        ("http://h/v1/", "http://h/v1", "http://h"),
        ("http://h/v1/chat/completions", "http://h/v1", "http://h"),
        ("http://h/chat/completions/", "http://h/v1", "http://h"),
        ("http://127.0.0.1:9/leak-hermes", "http://127.0.0.1:9/leak-hermes/v1", "http://127.0.0.1:9/leak-hermes"),
        ("http://127.0.0.1:9/leak-hermes/v1", "http://127.0.0.1:9/leak-hermes/v1", "http://127.0.0.1:9/leak-hermes"),
        ("https://h/api/v3", "https://h/api/v3", "https://h/api"),
        ("https://h/v1beta/openai", "https://h/v1beta/openai", "https://h/v1beta/openai"),
        ("[::1]:8000", "http://[::1]:8000/v1", "http://[::1]:8000"),
    ],
)
def test_addresses_have_one_normal_form(given: str, normal: str, root: str) -> None:
    """With or without scheme, version, slash and path."""
    assert base_url(given) == normal
    assert base_url(normal) == normal
    assert Target(given).root == root


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("", "no host"),
        ("ftp://h", "scheme 'ftp'"),
        ("http://", "no host"),
        ("http://h:99999", "port out of range"),
        ("http://h:0", "no port"),
        ("http://h:/v1", "no port"),
        ("http://h:x", "port"),
        ("http://user:secret@h/v1", "credentials"),
        ("http://h/v1?api-key=secret", "query"),
        ("http://h/v1#x", "fragment"),
        ("my server", "no host"),
        ("http://[::1", "invalid"),
    ],
)
def test_what_is_no_address_is_refused(given: str, words: str) -> None:
    """Nothing is sent to a misread address, and credentials in one are not repeated."""
    with pytest.raises(UsageError, match=words) as caught:
        base_url(given)
    assert "user:secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("environ", "name", "key"),
    [
        ({}, "", Key()),
        ({"OPENAI_API_KEY": "b"}, "", Key("b", "OPENAI_API_KEY")),
        ({"OPENAI_API_KEY": "b", "TOOLWIRE_API_KEY": "a"}, "", Key("a", "TOOLWIRE_API_KEY")),
        ({"OPENAI_API_KEY": "b", "TOOLWIRE_API_KEY": " "}, "", Key("b", "OPENAI_API_KEY")),
        ({"OPENAI_API_KEY": "b", "MINE": " c\n"}, "MINE", Key("c", "MINE")),
    ],
)
def test_keys_come_from_the_environment(environ: dict[str, str], name: str, key: Key) -> None:
    """A named variable wins, then our own, then OpenAI's; white space around a key is a slip."""
    assert key_from_environment(environ, name) == key


def test_a_named_variable_must_hold_a_key() -> None:
    """Asking without a key where one was named would be a surprise."""
    with pytest.raises(UsageError, match="MINE is not set or empty"):
        key_from_environment({"OPENAI_API_KEY": "b"}, "MINE")


def test_a_key_is_never_shown() -> None:
    """Neither a target nor its headers show their secrets when printed."""
    target = Target("h", key=Key("sk-secret-value", "K"), headers={"X-Token": "another-secret"})
    assert "secret" not in repr(target)
    assert "secret" not in str(target.key)
    assert bool(target.key)
    assert not Key()


def test_secrets_are_the_key_and_what_looks_like_one() -> None:
    """Values of headers that name a secret count, with and without their scheme; others would hit honest bytes."""
    headers = {"X-Auth": "Token abcdefghijk", "Accept": "text/event-stream", "X-Key": "short"}
    target = Target("h", key=Key("sk-secret-value", "K"), headers=headers)
    assert target.secrets == ("Token abcdefghijk", "sk-secret-value", "abcdefghijk")


@pytest.mark.parametrize(
    ("key", "headers"), [(Key("a\nb"), {}), (Key("ä" * 9), {}), (Key(), {"a b": "c"}), (Key(), {"a": "b\r\nc: d"})]
)
def test_what_no_header_can_carry_is_refused(key: Key, headers: dict[str, str]) -> None:
    """A line feed in a header would write a second one."""
    with pytest.raises(UsageError):
        Target("h", key=key, headers=headers)


@pytest.mark.parametrize("concurrency", [0, 1, 4, 16, 64, 500, 10_000])
def test_bodies_under_way_fit_in_memory(concurrency: int) -> None:
    """The more streams there are, the less each may hold, down to twice a long answer."""
    limit = byte_limit_for(concurrency)
    assert SMALLEST_LIMIT <= limit <= BYTE_LIMIT
    assert limit == SMALLEST_LIMIT or limit * max(concurrency, 1) <= BYTES_IN_FLIGHT
