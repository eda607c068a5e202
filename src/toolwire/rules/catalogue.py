"""The one list of all rules, in the order of their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

# framing
# protocol
# call
from toolwire.rules.call.index_missing import call_index_missing

# finish
# contract
from toolwire.rules.contract.call_forbidden import call_forbidden
from toolwire.rules.contract.call_missing import call_missing
from toolwire.rules.contract.expected_calls import expected_calls
from toolwire.rules.contract.generated_call_lost import generated_call_lost
from toolwire.rules.contract.named_more_than_one import named_more_than_one
from toolwire.rules.contract.parallel_forbidden import parallel_forbidden
from toolwire.rules.contract.twin_differs import twin_differs
from toolwire.rules.contract.twin_text_differs import twin_text_differs
from toolwire.rules.contract.wrong_tool import wrong_tool
# text
from toolwire.rules.text.call_debris import call_debris
from toolwire.rules.text.call_in_reasoning import call_in_reasoning
from toolwire.rules.text.call_leaked import call_leaked
from toolwire.rules.text.empty_turn import empty_turn
from toolwire.rules.text.error_text_as_content import error_text_as_content
from toolwire.rules.text.reasoning_sent_twice import reasoning_sent_twice
from toolwire.rules.text.swallowed_tokens import swallowed_tokens
from toolwire.rules.text.think_tags_in_content import think_tags_in_content
from toolwire.rules.text.turn_tokens_in_content import turn_tokens_in_content
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
    call_forbidden,
    call_missing,
    wrong_tool,
    parallel_forbidden,
    named_more_than_one,
    expected_calls,
    twin_differs,
    generated_call_lost,
    twin_text_differs,
    # text
    call_leaked,
    call_in_reasoning,
    think_tags_in_content,
    turn_tokens_in_content,
    empty_turn,
    swallowed_tokens,
    error_text_as_content,
    reasoning_sent_twice,
    call_debris,
    # timing
)
