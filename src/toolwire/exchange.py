"""The evidence of one trial, and its form as one JSON object on a line.

An exchange holds one request, the head of its response, the timed reads of the body and how the body ended.
All judging runs on this and on nothing else, so what was seen live can be judged again from the file.

Knows: the exchange's fields, their JSON form, which headers and fields are secrets.
Must not know: protocols, framing, files.
"""

from __future__ import annotations

import base64
import binascii
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from toolwire.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "SECRET_HEADERS",
    "End",
    "Exchange",
    "Expectation",
    "ExpectedCall",
    "Read",
    "ResponseHead",
    "decode_exchange",
    "encode_exchange",
    "redact_headers",
]

SECRET_HEADERS = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "api-key",
        "x-api-key",
        "x-goog-api-key",
        "x-auth-token",
        "x-amz-security-token",
    }
)
"""Names (lower case) of headers whose values never reach a file."""

REDACTED = "[redacted]"


class End(StrEnum):
    """How the body ended."""

    EOF = "eof"
    """The transport's own end: the last chunk of a chunked body, or the promised length."""
    RESET = "reset"
    """The connection broke, or the transport's framing was left unfinished."""
    TIMEOUT = "timeout"
    """We gave up waiting."""
    REFUSED = "refused"
    """No connection came about."""
    ABORTED = "aborted"
    """We stopped reading: cancelled, or a limit was reached."""


class Read(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The bytes of one transport call; its boundaries mean nothing.

    `at` is seconds since the request was sent, on a monotonic clock. Exactly one of `text` and `base64` is set:
    `text` where the bytes of this read are UTF-8 by themselves.
    """

    at: float
    text: str | None = None
    base64: str | None = None

    @classmethod
    def of(cls, at: float, data: bytes) -> Read:
        """Hold `data` in the form that people can read, if there is one."""
        try:
            return cls(at, text=data.decode("utf-8"))
        except UnicodeDecodeError:
            return cls(at, base64=base64.b64encode(data).decode("ascii"))

    @property
    def data(self) -> bytes:
        """Return the bytes as they came."""
        if self.text is not None:
            return self.text.encode("utf-8", "surrogatepass")
        return base64.b64decode(self.base64 or "")


class ResponseHead(msgspec.Struct, frozen=True):
    """Status and headers; header names are lower case, a repeated header is joined with `, `."""

    status: int
    headers: dict[str, str] = msgspec.field(default_factory=dict)


class ExpectedCall(msgspec.Struct, frozen=True):
    """A call that the case's author expects; `arguments` null means that any will do."""

    name: str
    arguments: dict[str, object] | None = None


class Expectation(msgspec.Struct, frozen=True):
    """What the author of a case knows that must come."""

    calls: list[ExpectedCall]
    order_matters: bool = False


class Exchange(msgspec.Struct, frozen=True):
    """One request and all that came back (design, section 5).

    `twin` is the body of the same request's non-streamed answer, `generated` the raw text that the model produced,
    where either is known. `note` and unknown fields of a foreign file are not kept.
    """

    id: str
    protocol: str
    request: dict[str, object]
    response: ResponseHead | None = None
    reads: list[Read] = msgspec.field(default_factory=list)
    end: End = End.EOF
    expect: Expectation | None = None
    twin: dict[str, object] | None = None
    generated: str | None = None
    sent_headers: dict[str, str] | None = None
    """Headers of the request, redacted; null where they were not kept."""
    error: str | None = None
    """Our own words on why there is no (further) answer, for people; never judged."""


_decoder = msgspec.json.Decoder(Exchange)
_encoder = msgspec.json.Encoder()


def encode_exchange(exchange: Exchange) -> bytes:
    """Return one line of JSON, without its line feed."""
    return _encoder.encode(exchange)


def decode_exchange(line: bytes, *, file: str, number: int = 0) -> Exchange:
    """Read one line; unknown keys are ignored, so that files with answers beside the evidence can be read.

    Raises `RecordingError` with file and line.
    """
    try:
        exchange = _decoder.decode(line)
        for read in exchange.reads:
            if (read.text is None) == (read.base64 is None):
                raise RecordingError("a read needs either `text` or `base64`", file=file, line=number)
            if read.base64 is not None:
                base64.b64decode(read.base64, validate=True)
    except (msgspec.DecodeError, binascii.Error, UnicodeError, RecursionError) as problem:
        raise RecordingError(f"not an exchange ({problem})", file=file, line=number) from problem
    return _lower(exchange)


def _lower(exchange: Exchange) -> Exchange:
    """Return the exchange with lower-case names of headers: recordings of others keep them as they were sent."""
    head, sent = exchange.response, exchange.sent_headers
    if not any(name != name.lower() for name in [*(head.headers if head else ()), *(sent or ())]):
        return exchange
    if head is not None:
        head = msgspec.structs.replace(head, headers={name.lower(): value for name, value in head.headers.items()})
    if sent is not None:
        sent = {name.lower(): value for name, value in sent.items()}
    return msgspec.structs.replace(exchange, response=head, sent_headers=sent)


def redact_headers(headers: Mapping[str, str], *, also: Iterable[str] = ()) -> dict[str, str]:
    """Return `headers` with lower-case names and the values of secret ones replaced.

    `also` names further headers whose values are secret (those that the user added by hand).
    """
    secret = SECRET_HEADERS | {name.lower() for name in also}
    return {name.lower(): (REDACTED if name.lower() in secret else value) for name, value in headers.items()}
