"""The server under test as the user names it: address, key, headers, patience.

Knows: how a base address is written, where keys come from, which values are secrets.
Must not know: sockets, the HTTP library.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from toolwire.errors import UsageError
from toolwire.exchange import SECRET_HEADERS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KEY_VARIABLES", "Key", "Target", "Timeouts", "base_url", "byte_limit_for", "key_from_environment"]

KEY_VARIABLES = ("TOOLWIRE_API_KEY", "OPENAI_API_KEY")
"""Environment variables that are looked at, in this order, where none is named."""

BYTE_LIMIT = 64 * 1024 * 1024
"""Bytes of one body that are read: 30 times the longest answer that engines allow at 300 bytes an event."""

BYTES_IN_FLIGHT = 1024 * 1024 * 1024
"""Bytes that all bodies under way may hold together, so that a flood on every connection still fits in memory."""

SMALLEST_LIMIT = 4 * 1024 * 1024
"""Never read less than this of one body: twice a long answer."""

SECRET_LENGTH = 8
"""Shorter keys (`EMPTY`, `none`) are placeholders; replacing them wherever they occur would damage evidence."""

_VERSION = re.compile(r"v\d+[a-z0-9]*")
_SECRET_NAME = re.compile(r"auth|key|secret|token|cookie")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long we wait, in seconds."""

    connect: float = 10.0
    """For a connection, TLS included."""
    total: float = 300.0
    """For a whole answer."""
    stall: float = 60.0
    """Between two reads of one body; before the first byte only `total` counts, since a model may think."""


@dataclass(frozen=True, slots=True)
class Key:
    """An API key and the name of the variable that held it; the key is never shown."""

    value: str = field(default="", repr=False)
    variable: str = ""

    def __bool__(self) -> bool:
        """Whether there is one."""
        return bool(self.value)


@dataclass(frozen=True, slots=True)
class Target:
    """One server: `url` may be given in any form that `base_url` reads, and is kept in its normal one."""

    url: str
    key: Key = field(default_factory=Key)
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    """Headers to be sent beside ours; their values are taken for secrets."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    byte_limit: int = BYTE_LIMIT

    def __post_init__(self) -> None:
        """Normalise and check. Raises `UsageError`."""
        object.__setattr__(self, "url", base_url(self.url))
        for name, value in self.headers.items():
            if not _HEADER_NAME.fullmatch(name) or any(ord(character) < ord(" ") for character in value):
                raise UsageError(f"{name!r} is no header", "write it as 'Name: value'")
        if any(ord(character) <= ord(" ") or ord(character) > ord("~") for character in self.key.value):
            raise UsageError(
                f"the key in {self.key.variable or 'the environment'} has characters that no header can carry",
                "look for a line feed or a space at its end",
            )

    @property
    def root(self) -> str:
        """The address without its `/v1`, where servers keep what is not OpenAI's."""
        parts = urlsplit(self.url)
        head, _, last = parts.path.rpartition("/")
        return parts._replace(path=head if _VERSION.fullmatch(last) else parts.path).geturl()

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values that must not reach a file, longest first."""
        found = {self.key.value}
        for name, value in self.headers.items():
            if name.lower() in SECRET_HEADERS or _SECRET_NAME.search(name.lower()):
                found |= {value, value.partition(" ")[2]}
        return tuple(sorted((one for one in found if len(one) >= SECRET_LENGTH), key=len, reverse=True))


def base_url(text: str) -> str:
    """Return the address up to and without `/chat/completions`: with a scheme, and `/v1` where no version is named.

    `localhost:8000`, `http://localhost:8000/v1/` and `http://localhost:8000/v1/chat/completions` are the same.
    Raises `UsageError` for what is no HTTP address, and for one with credentials, a query or a fragment.
    """
    given = text.strip()
    try:
        parts = urlsplit(given if "://" in given else f"http://{given}")
        problem = _address_problem(parts)
    except ValueError as error:
        parts, problem = SplitResult("", "", "", "", ""), str(error).lower()
    if problem:
        shown = re.sub(r"//[^/@]*@", "//[redacted]@", given)
        raise UsageError(f"{shown!r} is no base address: {problem}", "write it like http://localhost:8000/v1")
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    if not any(_VERSION.fullmatch(segment) for segment in path.split("/")):
        path += "/v1"
    return parts._replace(scheme=parts.scheme.lower(), netloc=parts.netloc.lower(), path=path).geturl()


def _address_problem(parts: SplitResult) -> str:
    """Say what is wrong with an address; empty where nothing is. Raises `ValueError` for an impossible port."""
    if parts.scheme.lower() not in ("http", "https"):
        return f"scheme {parts.scheme!r} is not http or https"
    if parts.username is not None or parts.password is not None:
        return "it holds credentials, which come from the environment only"
    if not parts.hostname or any(character.isspace() for character in parts.netloc):
        return "it names no host"
    if parts.query or parts.fragment:
        return "it has a query or a fragment"
    if parts.port == 0 or parts.netloc.endswith(":"):
        return "it names no port after the colon"
    return ""


def key_from_environment(environ: Mapping[str, str], name: str = "") -> Key:
    """Return the API key from variable `name`, else from the first of `KEY_VARIABLES` that is set; it may be empty.

    Raises `UsageError` where `name` is given and the variable is not set or empty.
    """
    if name:
        value = environ.get(name, "").strip()
        if not value:
            raise UsageError(f"the environment variable {name} is not set or empty", "set it, or leave its name out")
        return Key(value, name)
    for variable in KEY_VARIABLES:
        value = environ.get(variable, "").strip()
        if value:
            return Key(value, variable)
    return Key()


def byte_limit_for(concurrency: int) -> int:
    """Return how much of one body may be read when `concurrency` of them are under way."""
    return max(SMALLEST_LIMIT, min(BYTE_LIMIT, BYTES_IN_FLIGHT // max(concurrency, 1)))
