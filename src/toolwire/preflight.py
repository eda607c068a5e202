"""What is asked of a server before the first trial: is it there, which models has it, which engine is it.

Knows: `/v1/models` and where engines tell their version. Must not know: the HTTP library, verdicts.
Sources: the engines' own answers (`owned_by`, `/version`, `/props`, `/api/version`, `/server_info`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from toolwire.errors import NoAnswerError
from toolwire.jsontext import read_json
from toolwire.results import TargetInfo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolwire.client import Answer, Client
    from toolwire.jsontext import Json

__all__ = ["Preflight", "choose_model", "preflight", "wait_until_ready"]

POLL = 1.0
"""Seconds between two looks at a server that is still loading: weights take minutes."""

MODELS_SHOWN = 12
"""Models that an error lists; gateways have hundreds."""

OK = 200
UNAUTHORIZED = (401, 403)
NOT_FOUND = 404
REDIRECTS = range(300, 400)
SERVER_ERROR = 500

_LOADING = frozenset({502, 503, 504})
"""What servers, and gateways before them, answer while a model is loading."""


@dataclass(frozen=True, slots=True)
class _Engine:
    """How an engine is recognised and where it tells its version."""

    name: str
    path: str
    """Where, from the root of the server."""
    key: str
    """Which field of the object that stands there."""


_BY_OWNER = {
    "vllm": _Engine("vLLM", "/version", "version"),
    "sglang": _Engine("SGLang", "/server_info", "version"),
    "llamacpp": _Engine("llama.cpp", "/props", "build_info"),
    "library": _Engine("Ollama", "/api/version", "version"),
    "organization_owner": _Engine("LM Studio", "", ""),
}
"""By the `owned_by` of the models that it lists."""


@dataclass(frozen=True, slots=True)
class Preflight:
    """What a server said of itself before the first trial."""

    target: TargetInfo
    models: tuple[str, ...]
    """Ids of the models that it lists; empty where it lists none."""
    listed: bool
    """Whether the target's model is among them."""


async def preflight(client: Client, model: str = "") -> Preflight:
    """Look at the server, choose the model where none is named, and recognise the engine.

    Raises `NoAnswerError` where no server answers, where it wants another key, and where no model can be chosen.
    A server that does not list its models is asked all the same when the model is named.
    """
    answer = await client.get(f"{client.target.url}/models")
    _refuse(answer, client)
    entries = _entries(answer)
    models = tuple(dict.fromkeys(identity for entry in entries if isinstance(identity := entry.get("id"), str)))
    if not model:
        if answer.status in REDIRECTS:
            where = answer.headers.get("location", "nowhere")[:200]
            raise NoAnswerError(
                f"{client.target.url}/models redirects to {where}", "give the address that it leads to, or a --model"
            )
        if answer.status != OK:
            raise NoAnswerError(
                f"{client.target.url}/models answered with status {answer.status}, so no model can be chosen",
                "name one with --model, and look at the base address" if answer.status == NOT_FOUND else _HINT_MODEL,
            )
        model = choose_model(models, client.target.url)
    owner = next((owner for entry in entries if isinstance(owner := entry.get("owned_by"), str)), "")
    engine = _BY_OWNER.get(owner.lower())
    info = TargetInfo(
        url=client.target.url,
        model=model,
        engine="" if engine is None else engine.name,
        engine_version="" if engine is None else await _version(client, engine),
        server=answer.headers.get("server", ""),
    )
    return Preflight(info, models, model in models)


_HINT_MODEL = "name one with --model"


def choose_model(models: Sequence[str], url: str) -> str:
    """Return the only model; where there is none or several, raise `NoAnswerError` that lists them."""
    if len(models) == 1:
        return models[0]
    if not models:
        raise NoAnswerError(f"{url}/models lists no model", _HINT_MODEL)
    shown = ", ".join(models[:MODELS_SHOWN])
    more = f" and {len(models) - MODELS_SHOWN} more" if len(models) > MODELS_SHOWN else ""
    raise NoAnswerError(f"{url} has {len(models)} models: {shown}{more}", _HINT_MODEL)


async def wait_until_ready(client: Client, seconds: float) -> None:
    """Wait until the server answers and no longer says that it is loading, at most `seconds`.

    Raises `NoAnswerError` with the last reason, at once where waiting cannot help (a wrong key).
    """
    deadline = monotonic() + seconds
    while True:
        try:
            answer = await client.get(f"{client.target.url}/models")
            _refuse(answer, client)
        except _WrongKeyError:
            raise
        except NoAnswerError as problem:
            reason = problem
        else:
            return
        if monotonic() + POLL > deadline:
            raise NoAnswerError(f"not ready after {seconds:g} s: {reason.problem}", reason.hint)
        await asyncio.sleep(POLL)


class _WrongKeyError(NoAnswerError):
    """The server is there and refuses us."""


def _refuse(answer: Answer, client: Client) -> None:
    """Raise `NoAnswerError` for an answer that makes every trial pointless."""
    target = client.target
    if answer.status in UNAUTHORIZED:
        variable = target.key.variable
        what = f"the key in {variable}" if variable else "a request without a key"
        raise _WrongKeyError(
            f"{target.url} refused {what} with status {answer.status}{_words(answer)}",
            "set TOOLWIRE_API_KEY or OPENAI_API_KEY, or name another variable with --api-key-env",
        )
    if answer.status in _LOADING:
        raise NoAnswerError(
            f"{target.url} answered with status {answer.status}{_words(answer)}",
            "it may still be loading; --wait SECONDS waits for it",
        )


def _words(answer: Answer) -> str:
    """Return what an error says, in parentheses; empty where it says nothing that can be read."""
    value = _value(answer)
    if isinstance(value, dict):
        inner = value.get("error", value)
        message = inner.get("message", inner.get("detail")) if isinstance(inner, dict) else inner
        if isinstance(message, str) and message.strip():
            return f" ({' '.join(message.split())[:200]})"
    return ""


def _value(answer: Answer) -> Json:
    """Return the body's JSON value; None where it is none."""
    reading = read_json(answer.body.decode("utf-8", "replace"))
    return reading.value if reading.ok else None


def _entries(answer: Answer) -> list[dict[str, Json]]:
    """Return the entries of a list of models; none where the answer is no such list."""
    value = _value(answer) if answer.status == OK else None
    data = value.get("data") if isinstance(value, dict) else value
    return [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []


async def _version(client: Client, engine: _Engine) -> str:
    """Ask an engine for its version; empty where it does not tell."""
    if not engine.path:
        return ""
    try:
        answer = await client.get(client.target.root + engine.path)
    except NoAnswerError:
        return ""
    value = _value(answer) if answer.status == OK else None
    version = value.get(engine.key) if isinstance(value, dict) else None
    return version[:80] if isinstance(version, str) else ""
