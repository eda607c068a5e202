"""The one list of all rules, in the order of their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

# framing
# protocol
# call
from toolwire.rules.call.index_missing import call_index_missing

# finish
# contract
# text
# timing

if TYPE_CHECKING:
    from toolwire.rule import Rule

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    # framing
    # protocol
    # call
    call_index_missing,
    # finish
    # contract
    # text
    # timing
)
