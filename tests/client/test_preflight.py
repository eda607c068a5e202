"""Before the first trial: is the server there, which model, which engine, and one clear word where not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import toolwire.preflight
from loopback import Loopback, Received, answer, plain_answer
from toolwire.client import Client
from toolwire.errors import NoAnswerError
from toolwire.preflight import preflight, wait_until_ready
from toolwire.target import Key, Target

if TYPE_CHECKING:
    import asyncio

    from loopback import Handler


def serves(**pages: bytes) -> Handler:
    """Return a handler that answers paths, written with `_` for `/`."""

    async def handle(request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(pages.get(request.path.strip("/").replace("/", "_"), plain_answer("404 Not Found", b"nothing")))

    return handle


def listing(*models: str, owner: str = "someone") -> bytes:
    """Return a list of models."""
    data = [{"id": model, "object": "model", "owned_by": owner} for model in models]
    return answer("200 OK", {"object": "list", "data": data}, Server="uvicorn")


@pytest.mark.parametrize(
    ("owner", "path", "page", "engine", "version"),
    [
        ("vllm", "version", {"version": "0.32.0"}, "vLLM", "0.32.0"),
        ("sglang", "server_info", {"version": "0.5.23", "tp_size": 1}, "SGLang", "0.5.23"),
        ("llamacpp", "props", {"build_info": "b6920-abc"}, "llama.cpp", "b6920-abc"),
        ("library", "api_version", {"version": "0.14.0"}, "Ollama", "0.14.0"),
        ("organization_owner", "none", {}, "LM Studio", ""),
        ("vllm", "version", {"version": 3}, "vLLM", ""),
        ("vllm", "other", {}, "vLLM", ""),
        ("somebody", "version", {"version": "1"}, "", ""),
    ],
)
async def test_engines_are_recognised(
    owner: str, path: str, page: dict[str, object], engine: str, version: str
) -> None:
    """By the owner of their models; the version where they tell it; nothing is guessed."""
    handler = serves(v1_models=listing("m", owner=owner), **{path: answer("200 OK", page)})
    async with Loopback(handler) as server, Client(Target(server.url)) as client:
        found = await preflight(client)
    assert (found.target.engine, found.target.engine_version) == (engine, version)
    assert (found.target.model, found.models, found.listed) == ("m", ("m",), True)
    assert found.target.server == "uvicorn"
    assert found.target.url.endswith("/v1")


async def problem_with(handler: Handler, model: str = "", key: Key | None = None) -> NoAnswerError:
    """Return the error of a preflight."""
    async with Loopback(handler) as server, Client(Target(server.url, key=key or Key())) as client:
        with pytest.raises(NoAnswerError) as caught:
            await preflight(client, model)
    return caught.value


DENIED = {"error": {"message": "Incorrect API key provided: ***", "code": "invalid_api_key"}}


@pytest.mark.parametrize(
    ("page", "model", "words"),
    [
        (listing("b", "a"), "", "has 2 models: b, a; name one with --model"),
        (listing(*map(str, range(20))), "", "has 20 models: 0, .*, 11 and 8 more"),
        (listing(), "", "lists no model"),
        (answer("200 OK", {"hello": 1}), "", "lists no model"),
        (plain_answer("200 OK", b"<html>", kind="text/html"), "", "lists no model"),
        (plain_answer("404 Not Found", b"nope"), "", "status 404, so no model can be chosen; .* base address"),
        (plain_answer("500 Oops", b""), "", "status 500, so no model can be chosen"),
        (answer("401 Unauthorized", DENIED), "", "refused a request without a key with status 401 .Incorrect API key"),
        (answer("403 Forbidden", {"detail": "no"}), "m", "status 403 .no.*--api-key-env"),
        (answer("503 Busy", {"error": {"message": "Loading model"}}), "m", "503 .Loading model.*--wait"),
        (plain_answer("502 Bad Gateway", b"<html>"), "m", "status 502; it may still be loading"),
        (b"SSH-2.0-x\r\n", "m", "not HTTP.*OpenAI-compatible"),
        (b"", "m", "closed the connection without an answer"),
    ],
)
async def test_each_obstacle_has_its_words(page: bytes, model: str, words: str) -> None:
    """One error with a hint for everything that makes trials pointless."""
    error = await problem_with(serves(v1_models=page), model)
    assert re.search(words, str(error)), str(error)
    assert error.hint


async def test_a_refused_key_is_named_by_its_variable() -> None:
    """The name of the variable is told, never the key."""
    key = Key("sk-123456789", "MY_KEY")
    error = await problem_with(serves(v1_models=answer("401 Unauthorized", {})), key=key)
    assert "the key in MY_KEY" in str(error)
    assert key.value not in str(error)


@pytest.mark.parametrize("page", [plain_answer("404 Not Found", b""), plain_answer("500 Oops", b""), listing("other")])
async def test_a_named_model_needs_no_list(page: bytes) -> None:
    """Servers without a list, and aliases that are not listed, are asked all the same."""
    async with Loopback(serves(v1_models=page)) as server, Client(Target(server.url)) as client:
        found = await preflight(client, "mine")
    assert (found.target.model, found.listed) == ("mine", False)


async def test_a_server_that_loads_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """503 and refused connections are looked at again; the wait ends with the first real answer."""
    monkeypatch.setattr(toolwire.preflight, "POLL", 0.01)
    pages = [plain_answer("503 Busy", b"{}")] * 3 + [listing("m")]

    async def handle(_: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(pages.pop(0))

    async with Loopback(handle) as server, Client(Target(server.url)) as client:
        await wait_until_ready(client, 20)
        assert len(server.received) == 4


async def test_waiting_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last reason is told when the time is over; a wrong key ends the wait at once."""
    monkeypatch.setattr(toolwire.preflight, "POLL", 0.01)
    loading = serves(v1_models=plain_answer("503 Busy", b"{}"))
    async with Loopback(loading) as server, Client(Target(server.url)) as client:
        with pytest.raises(NoAnswerError, match=r"not ready after 0\.1 s: .*503"):
            await wait_until_ready(client, 0.1)
    async with Client(Target(server.url)) as client:
        with pytest.raises(NoAnswerError, match=r"not ready after 0\.1 s: cannot connect"):
            await wait_until_ready(client, 0.1)
    async with Loopback(serves(v1_models=plain_answer("401 No", b"{}"))) as server:
        async with Client(Target(server.url)) as client:
            with pytest.raises(NoAnswerError, match="status 401"):
                await wait_until_ready(client, 1000)
        assert len(server.received) == 1


async def test_the_key_stays_on_its_host() -> None:
    """A document on another host is not fetched."""
    async with Loopback(serves()) as server, Client(Target("http://127.0.0.1:1")) as client:
        with pytest.raises(NoAnswerError, match="another host"):
            await client.get(f"{server.url}/version")
        assert server.received == []


async def test_a_flood_is_no_list_of_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small document that does not end is left."""
    monkeypatch.setattr("toolwire.client.SMALL_BODY", 1000)
    error = await problem_with(serves(v1_models=plain_answer("200 OK", b"x" * 100_000)))
    assert "more than 1000 bytes" in str(error)
