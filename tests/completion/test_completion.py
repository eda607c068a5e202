"""What a client holds at the end, and which event carried what."""

from __future__ import annotations

from toolwire.completion import Call, Choice, Completion, Finish, Said, TextTrack, Usage


def track(*parts: str) -> TextTrack:
    """Return a text whose fragments came in events 10, 11, 12 and so on."""
    found = TextTrack()
    for number, part in enumerate(parts):
        found.add(part, 10 + number)
    return found


def test_a_text_knows_which_event_carried_what() -> None:
    """By offset, clamped to the text; empty fragments carry nothing."""
    text = track("", "ab", "", "cde")
    assert text.text == "abcde"
    assert [text.event_at(offset) for offset in (-1, 0, 1, 2, 4, 99)] == [11, 11, 11, 13, 13, 13]
    assert text.first_event() == 11
    assert text
    assert not track("", "")
    assert track("").first_event() is None


def test_a_text_grows() -> None:
    """What was joined before is joined anew."""
    text = track("a")
    assert text.text == "a"
    assert text.event_at(0) == 10
    text.add("b", 20)
    assert text.text == "ab"
    assert text.event_at(1) == 20


def test_pairs_that_were_split_are_joined_and_lone_halves_stay() -> None:
    """A surrogate pair over two fragments is one character."""
    assert track("x\ud83d", "\ude00y").text == "x😀y"
    assert track("x\ud83d", "y").text == "x\ud83dy"
    assert track("é", "读").text == "é读"


def test_a_call_has_its_first_id_and_its_joined_name() -> None:
    """As accumulating clients hold it."""
    call = Call(0, 0, 0, 1, 2, ids=[Said("a", 1), Said("b", 2)], names=[Said("get_", 1), Said("x", 2)])
    assert call.id == "a"
    assert call.name == "get_x"
    assert Call(0, 0, 0, 1, 2).id is None
    assert Call(0, 0, 0, 1, 2).name == ""
    assert Call(0, 0, 0, 1, 2, names=[Said("one", 1)]).name == "one"


def test_a_choice_ends_with_its_first_reason() -> None:
    """Values that are no words, and empty ones, are none."""
    choice = Choice(0, 0, 0)
    assert choice.finish is None
    for value in ("", 7, "stop", "length"):
        choice.finishes.append(Finish(value, 1, empty_delta=True))
    assert choice.finish == "stop"


def test_an_answer_has_all_calls_and_the_last_usage() -> None:
    """Over all choices."""
    completion = Completion()
    assert completion.usage is None
    completion.choices[0] = Choice(0, 0, 0, calls=[Call(0, 0, 0, 1, 1)])
    completion.choices[1] = Choice(1, 0, 0, calls=[Call(1, 0, 0, 2, 2)])
    completion.usages += [Usage({"total_tokens": 1}, 1), Usage({"total_tokens": True, "prompt_tokens": 2}, 2)]
    assert [call.choice for call in completion.calls] == [0, 1]
    assert completion.usage is not None
    assert completion.usage.number("prompt_tokens") == 2
    assert completion.usage.number("total_tokens") is None
