"""The one list of all rules, in the order of their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolwire.rules.call.arguments_empty import arguments_empty
from toolwire.rules.call.arguments_not_json import arguments_not_json
from toolwire.rules.call.arguments_not_object import arguments_not_object
from toolwire.rules.call.arguments_not_string import arguments_not_string
from toolwire.rules.call.arguments_resent import arguments_resent
from toolwire.rules.call.arguments_schema import arguments_schema
from toolwire.rules.call.call_field_misplaced import call_field_misplaced
from toolwire.rules.call.call_fragment_stray import call_fragment_stray
from toolwire.rules.call.call_id_changes import call_id_changes
from toolwire.rules.call.call_id_duplicate import call_id_duplicate
from toolwire.rules.call.call_id_form import call_id_form
from toolwire.rules.call.call_id_missing import call_id_missing
from toolwire.rules.call.call_id_of_history import call_id_of_history
from toolwire.rules.call.call_id_repeated import call_id_repeated
from toolwire.rules.call.call_id_type import call_id_type
from toolwire.rules.call.call_index_gap import call_index_gap
from toolwire.rules.call.call_index_reused import call_index_reused
from toolwire.rules.call.call_index_start import call_index_start
from toolwire.rules.call.call_index_type import call_index_type
from toolwire.rules.call.call_name_missing import call_name_missing
from toolwire.rules.call.call_name_repeated import call_name_repeated
from toolwire.rules.call.call_name_split import call_name_split
from toolwire.rules.call.call_name_undeclared import call_name_undeclared
from toolwire.rules.call.call_repeated import call_repeated
from toolwire.rules.call.call_type import call_type
from toolwire.rules.call.calls_empty_list import calls_empty_list
from toolwire.rules.call.calls_interleaved import calls_interleaved
from toolwire.rules.call.calls_shape import calls_shape
from toolwire.rules.call.function_not_object import function_not_object
from toolwire.rules.call.index_missing import call_index_missing
from toolwire.rules.call.markup_in_arguments import markup_in_arguments
from toolwire.rules.contract.call_forbidden import call_forbidden
from toolwire.rules.contract.call_missing import call_missing
from toolwire.rules.contract.expected_calls import expected_calls
from toolwire.rules.contract.generated_call_lost import generated_call_lost
from toolwire.rules.contract.named_more_than_one import named_more_than_one
from toolwire.rules.contract.parallel_forbidden import parallel_forbidden
from toolwire.rules.contract.twin_differs import twin_differs
from toolwire.rules.contract.twin_text_differs import twin_text_differs
from toolwire.rules.contract.wrong_tool import wrong_tool
from toolwire.rules.finish.content_after_call import content_after_call
from toolwire.rules.finish.delta_after_finish import delta_after_finish
from toolwire.rules.finish.finish_contradicts_calls import finish_contradicts_calls
from toolwire.rules.finish.finish_missing import finish_missing
from toolwire.rules.finish.finish_twice import finish_twice
from toolwire.rules.finish.finish_value import finish_value
from toolwire.rules.finish.finish_with_delta import finish_with_delta
from toolwire.rules.finish.phantom_finish import phantom_finish
from toolwire.rules.finish.truncation_hidden import truncation_hidden
from toolwire.rules.framing.bare_json_error import bare_json_error
from toolwire.rules.framing.big_integer import big_integer
from toolwire.rules.framing.body_cut import body_cut
from toolwire.rules.framing.body_too_long import body_too_long
from toolwire.rules.framing.byte_order_mark import byte_order_mark
from toolwire.rules.framing.charset import charset
from toolwire.rules.framing.comment_after_id import comment_after_id
from toolwire.rules.framing.comments import comments
from toolwire.rules.framing.completion_as_body import completion_as_body
from toolwire.rules.framing.content_length_stream import content_length_stream
from toolwire.rules.framing.content_type import content_type
from toolwire.rules.framing.duplicate_key import duplicate_key
from toolwire.rules.framing.empty_event import empty_event
from toolwire.rules.framing.encoding_broken import encoding_broken
from toolwire.rules.framing.encoding_unrequested import encoding_unrequested
from toolwire.rules.framing.event_name import event_name
from toolwire.rules.framing.http_error import http_error
from toolwire.rules.framing.id_or_retry_field import id_or_retry_field
from toolwire.rules.framing.invalid_utf8 import invalid_utf8
from toolwire.rules.framing.lone_surrogate import lone_surrogate
from toolwire.rules.framing.mixed_line_endings import mixed_line_endings
from toolwire.rules.framing.no_answer import no_answer
from toolwire.rules.framing.no_event import no_event
from toolwire.rules.framing.no_space_after_colon import no_space_after_colon
from toolwire.rules.framing.payload_not_json import payload_not_json
from toolwire.rules.framing.payload_outside_data import payload_outside_data
from toolwire.rules.framing.replacement_character import replacement_character
from toolwire.rules.framing.retry_after import retry_after
from toolwire.rules.framing.several_data_lines import several_data_lines
from toolwire.rules.framing.unfinished_event import unfinished_event
from toolwire.rules.framing.unknown_field import unknown_field
from toolwire.rules.protocol.choice_index import choice_index
from toolwire.rules.protocol.choice_order import choice_order
from toolwire.rules.protocol.choice_shape import choice_shape
from toolwire.rules.protocol.choices_empty import choices_empty
from toolwire.rules.protocol.choices_not_array import choices_not_array
from toolwire.rules.protocol.chunk_fields import chunk_fields
from toolwire.rules.protocol.chunk_id_changes import chunk_id_changes
from toolwire.rules.protocol.chunk_object import chunk_object
from toolwire.rules.protocol.content_type_of_delta import content_type_of_delta
from toolwire.rules.protocol.created_changes import created_changes
from toolwire.rules.protocol.custom_call import custom_call
from toolwire.rules.protocol.details_without_index import details_without_index
from toolwire.rules.protocol.done_missing import done_missing
from toolwire.rules.protocol.done_repeated import done_repeated
from toolwire.rules.protocol.error_in_stream import error_in_stream
from toolwire.rules.protocol.error_shape import error_shape
from toolwire.rules.protocol.finish_key_missing import finish_key_missing
from toolwire.rules.protocol.foreign_event import foreign_event
from toolwire.rules.protocol.legacy_function_call import legacy_function_call
from toolwire.rules.protocol.logprobs_shape import logprobs_shape
from toolwire.rules.protocol.message_for_delta import message_for_delta
from toolwire.rules.protocol.model_changes import model_changes
from toolwire.rules.protocol.reasoning_field import reasoning_field
from toolwire.rules.protocol.reasoning_late import reasoning_late
from toolwire.rules.protocol.reasoning_twice import reasoning_twice
from toolwire.rules.protocol.refusal_type import refusal_type
from toolwire.rules.protocol.role_missing import role_missing
from toolwire.rules.protocol.role_repeated import role_repeated
from toolwire.rules.protocol.usage_missing import usage_missing
from toolwire.rules.protocol.usage_numbers import usage_numbers
from toolwire.rules.protocol.usage_place import usage_place
from toolwire.rules.protocol.usage_unasked import usage_unasked
from toolwire.rules.text.call_debris import call_debris
from toolwire.rules.text.call_in_reasoning import call_in_reasoning
from toolwire.rules.text.call_leaked import call_leaked
from toolwire.rules.text.empty_turn import empty_turn
from toolwire.rules.text.error_text_as_content import error_text_as_content
from toolwire.rules.text.reasoning_sent_twice import reasoning_sent_twice
from toolwire.rules.text.swallowed_tokens import swallowed_tokens
from toolwire.rules.text.think_tags_in_content import think_tags_in_content
from toolwire.rules.text.turn_tokens_in_content import turn_tokens_in_content
from toolwire.rules.timing.burst import burst
from toolwire.rules.timing.late_close import late_close
from toolwire.rules.timing.long_gap import long_gap
from toolwire.rules.timing.stall import stall

if TYPE_CHECKING:
    from toolwire.rule import Rule

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    # framing
    http_error,
    no_answer,
    bare_json_error,
    completion_as_body,
    no_event,
    content_type,
    charset,
    body_cut,
    content_length_stream,
    encoding_unrequested,
    encoding_broken,
    body_too_long,
    retry_after,
    invalid_utf8,
    mixed_line_endings,
    byte_order_mark,
    unfinished_event,
    payload_not_json,
    several_data_lines,
    payload_outside_data,
    no_space_after_colon,
    empty_event,
    comment_after_id,
    comments,
    id_or_retry_field,
    event_name,
    unknown_field,
    duplicate_key,
    lone_surrogate,
    replacement_character,
    big_integer,
    # protocol
    chunk_fields,
    chunk_object,
    chunk_id_changes,
    created_changes,
    model_changes,
    choices_not_array,
    choices_empty,
    choice_shape,
    finish_key_missing,
    choice_index,
    choice_order,
    role_missing,
    role_repeated,
    content_type_of_delta,
    foreign_event,
    error_in_stream,
    error_shape,
    usage_missing,
    usage_place,
    usage_numbers,
    usage_unasked,
    done_missing,
    done_repeated,
    logprobs_shape,
    refusal_type,
    legacy_function_call,
    message_for_delta,
    details_without_index,
    custom_call,
    reasoning_field,
    reasoning_twice,
    reasoning_late,
    # call
    call_index_missing,
    call_index_type,
    call_index_start,
    call_index_gap,
    call_index_reused,
    call_id_missing,
    call_id_type,
    call_id_repeated,
    call_id_changes,
    call_id_duplicate,
    call_id_form,
    call_id_of_history,
    call_type,
    call_name_missing,
    call_name_split,
    call_name_repeated,
    call_name_undeclared,
    call_field_misplaced,
    function_not_object,
    arguments_not_string,
    arguments_not_json,
    arguments_not_object,
    arguments_empty,
    arguments_schema,
    markup_in_arguments,
    arguments_resent,
    calls_interleaved,
    call_fragment_stray,
    call_repeated,
    calls_shape,
    calls_empty_list,
    # finish
    finish_missing,
    finish_contradicts_calls,
    phantom_finish,
    finish_value,
    finish_twice,
    delta_after_finish,
    finish_with_delta,
    content_after_call,
    truncation_hidden,
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
    burst,
    stall,
    late_close,
    long_gap,
)
