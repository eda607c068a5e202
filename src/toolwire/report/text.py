"""Text of peers made fit for a person's terminal or page: no control characters, no surprises, bounded.

A server may send escape sequences, bidirectional overrides or a megabyte in one name; none of it reaches a terminal.
"""

from __future__ import annotations

import unicodedata

__all__ = ["clip", "duration", "one_line", "percent", "plain"]

_HIDDEN = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u2028\u2029")
"""Characters that change how the text around them is shown."""


def plain(text: str) -> str:
    """Replace control and reordering characters by visible escapes; line feeds and tabs stay."""
    if text.isprintable():
        return text
    return "".join(character if _shows(character) else _escape(character) for character in text)


def _shows(character: str) -> bool:
    """Whether a character is shown as it is."""
    if character in "\n\t":
        return True
    if character in _HIDDEN:
        return False
    return unicodedata.category(character) not in ("Cc", "Cs")


def _escape(character: str) -> str:
    """Return the escape of one character."""
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"  # noqa: PLR2004 - the two widths of escapes


def one_line(text: str, limit: int = 160) -> str:
    """Return text on one line, cut in the middle of nothing: the cut is shown."""
    flat = plain(text).replace("\n", "\\n").replace("\t", "\\t")
    return clip(flat, limit)


def clip(text: str, limit: int) -> str:
    """Cut text to `limit` characters, with an ellipsis where something is missing."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def percent(share: float) -> str:
    """Write a share with one decimal, and never round something to nothing or to all."""
    value = share * 100
    if 0 < value < 0.1:  # noqa: PLR2004 - below what one decimal can show
        return "<0.1 %"
    if 99.9 < value < 100:  # noqa: PLR2004 - above what one decimal can show
        return ">99.9 %"
    return f"{value:.1f} %"


def duration(seconds: float) -> str:
    """Write seconds for people: `84 ms`, `2.3 s`, `4 min 05 s`."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:  # noqa: PLR2004 - an hour
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
