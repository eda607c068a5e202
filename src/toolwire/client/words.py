"""What an error of the HTTP library means, in words for people.

Knows: the library's errors. Must not know: exchanges, requests.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

import aiohttp

from toolwire.exchange import End

__all__ = ["HINT_LATE", "Words", "clean", "explain", "one_line"]

_HINT_DOWN = "is the server running, and is this its address? --wait SECONDS waits for one that is still loading"
HINT_LATE = "is the server overloaded? --wait SECONDS waits for one that is still loading"
_HINT_HTTP = "is this the port of an OpenAI-compatible HTTP server?"


@dataclass(frozen=True, slots=True)
class Words:
    """What went wrong, and what to do about it."""

    end: End
    problem: str
    hint: str


def explain(problem: Exception, url: str) -> Words:
    """Say what an error of the HTTP library means."""
    host = urlsplit(url).netloc
    match problem:
        case aiohttp.ClientConnectorDNSError():
            return Words(End.REFUSED, f"the name of {host} cannot be resolved", "is the host's name right?")
        case aiohttp.ClientConnectorCertificateError():
            reason = problem.certificate_error
            return Words(
                End.REFUSED,
                f"the certificate of {host} cannot be trusted ({getattr(reason, 'verify_message', '') or reason})",
                "name the issuing authority with the environment variable SSL_CERT_FILE",
            )
        case aiohttp.ClientSSLError():
            return Words(
                End.REFUSED,
                f"no TLS with {host} ({getattr(problem.os_error, 'reason', '') or problem.os_error})",
                "does the server speak plain HTTP? then write http:// instead of https://",
            )
        case aiohttp.ServerTimeoutError():
            return Words(End.REFUSED, f"no connection to {host} in time", _HINT_DOWN)
        case aiohttp.ClientConnectorError():
            # event loops word this in their own ways
            number = problem.os_error.errno
            words = os.strerror(number) if number else str(problem.os_error)
            return Words(End.REFUSED, f"cannot connect to {host} ({words.lower()})", _HINT_DOWN)
        case aiohttp.ServerDisconnectedError():
            return Words(End.RESET, f"{host} closed the connection without an answer", _HINT_HTTP)
        case aiohttp.ClientPayloadError():
            return Words(End.RESET, f"the body broke off ({_cause(problem)})", "")
        case aiohttp.ClientResponseError():
            return Words(
                End.RESET, f"{host} answered something that is not HTTP ({one_line(problem.message)})", _HINT_HTTP
            )
        case _:
            return Words(End.RESET, f"the connection to {host} broke ({one_line(str(problem))})", _HINT_HTTP)


def _cause(problem: BaseException) -> str:
    """Return the innermost reason."""
    while problem.__cause__ is not None:
        problem = problem.__cause__
    return one_line(getattr(problem, "message", "") or str(problem) or type(problem).__name__)


def one_line(text: str) -> str:
    """Return the first line, short enough for a message."""
    return (clean(text).strip().splitlines() or [""])[0][:200]


def clean(text: str) -> str:
    """Replace what was no UTF-8 (the library keeps such bytes as lone surrogates, which no file can hold)."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
