"""Suites are read strictly: whatever is wrong is named by file, case and key."""

from __future__ import annotations

import msgspec
import pytest

from toolwire.errors import SuiteError, UnknownNameError
from toolwire.suite import Suite, builtin_suite, builtin_suite_text, builtin_suites, parse, select_cases

HEAD = 'format = 1\nname = "mine"\n'
TOOL = '[[tools]]\nname = "add"\nparameters = { type = "object", properties = { a = { type = "number" } } }\n'
CASE = '[[cases]]\nname = "one"\nprompt = "Add 1 and 2."\n'


def test_a_small_suite_is_read() -> None:
    """What is not said has its default."""
    suite = parse(HEAD + TOOL + CASE, file="mine.toml")
    assert (suite.name, suite.tool_names, suite.repeat, suite.tool_choices) == ("mine", ("add",), 3, ("required",))
    (case,) = suite.cases
    assert case.messages == [{"role": "user", "content": "Add 1 and 2."}]
    assert (case.tools, case.tool_choices, case.thinking, case.expect) == (None, (), None, None)


def test_a_full_suite_is_read() -> None:
    """Everything that a case may say, with null where only JSON can say it."""
    text = (
        'name = "mine"\ndescription = "d"\ntool_choice = "auto"\nrepeat = 2\nbeyond_openai = ["top_k"]\n'
        "parameters_json = '{\"stop\": null}'\n[thinking]\non = { think = true }\noff = { think = false }\n"
        '[[tools]]\nname = "add"\ndescription = "adds"\nstrict = true\nparameters_json = \'{"enum": [null]}\'\n'
        '[[tools]]\nname = "none"\n'
        '[[cases]]\nname = "one"\ndescription = "c"\ntools = ["add"]\ntool_choice = ["add", "none"]\n'
        'thinking = false\nmessages_json = \'[{"role": "user", "content": null}]\'\nparameters = { n = 2 }\n'
        '[cases.expect]\norder_matters = true\n[[cases.expect.calls]]\nname = "add"\narguments_json = \'{"a": null}\'\n'
        '[[cases.expect.calls]]\nname = "add"\n'
    )
    suite = parse(text, file="mine.toml")
    assert suite.parameters == {"stop": None}
    assert (suite.thinking_on, suite.thinking_off) == ({"think": True}, {"think": False})
    assert suite.tools[0] == {
        "type": "function",
        "function": {"name": "add", "description": "adds", "parameters": {"enum": [None]}, "strict": True},
    }
    assert suite.tools[1] == {"type": "function", "function": {"name": "none"}}
    (case,) = suite.cases
    assert (case.tools, case.tool_choices, case.thinking, case.parameters) == (
        ("add",),
        ("add", "none"),
        False,
        {"n": 2},
    )
    assert case.messages == [{"role": "user", "content": None}]
    calls = [{"name": "add", "arguments": {"a": None}}, {"name": "add", "arguments": None}]
    assert case.expect == {"calls": calls, "order_matters": True}
    assert msgspec.json.decode(msgspec.json.encode(suite), type=Suite) == suite


def test_calls_without_content_get_the_null_that_clients_send() -> None:
    """TOML has no null; a content that is given stays."""
    text = (
        HEAD
        + TOOL
        + '[[cases]]\nname = "one"\nmessages = [{ role = "assistant", tool_calls = [] },'
        + ' { role = "assistant", content = "x", tool_calls = [] }, { role = "user", content = "y" }]\n'
    )
    messages = parse(text, file="f").cases[0].messages
    assert [list(message.items()) for message in messages] == [
        [("role", "assistant"), ("content", None), ("tool_calls", [])],
        [("role", "assistant"), ("content", "x"), ("tool_calls", [])],
        [("role", "user"), ("content", "y")],
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = 1\nname = @", "mine.toml: not TOML .*line 2"),
        ("a = " + "[" * 10_000, "not TOML"),
        ('format = 2\nname = "x"', "key 'format': only format 1 is known, not 2"),
        ("format = 1", "key 'name': this key is missing"),
        ('name = "a/b"', "key 'name': 'a/b' is no name"),
        ('name = "x"\ntypo = 1' + "\n" + CASE, "key 'typo': no key of a suite matches 'typo'"),
        ('name = "x"\nrepeats = 1\n' + CASE, "did you mean repeat"),
        ('name = "x"\nrepeat = "3"\n' + CASE, "key 'repeat': expected a whole number, not str '3'"),
        ('name = "x"\nrepeat = true\n' + CASE, "key 'repeat': expected a whole number"),
        ('name = "x"\nrepeat = 0\n' + CASE, "at least 1 repeat is needed, not 0"),
        ('name = "x"\ntool_choice = [1]\n' + CASE, "key 'tool_choice': expected a list of strings"),
        ('name = "x"\ntool_choice = []\n' + CASE, "at least one choice"),
        ('name = "x"\ntool_choice = "requird"\n' + CASE, "did you mean required"),
        ('name = "x"\nparameters = { model = "m" }\n' + CASE, "key 'parameters.model': this field has its own place"),
        ('name = "x"\n[thinking]\non = { stream = false }\n' + CASE, "key 'thinking.on.stream'"),
        ('name = "x"\n[thinking]\nfull = {}\n' + CASE, "key 'thinking.full'"),
        ('name = "x"\n', "key 'cases': a suite needs at least one case"),
        ('name = "x"\ncases = [1]\n', "key 'cases': expected an array of tables"),
        ('name = "x"\n[[tools]]\ndescription = "d"\n', r"key 'tools\[0\].name': this key is missing"),
        (HEAD + TOOL + TOOL + CASE, "two tools are called 'add'"),
        (HEAD + "[[tools]]\nname = 'a'\nparameters_json = '{'\n" + CASE, r"key 'tools\[0\].parameters_json': not JSON"),
        (HEAD + "[[tools]]\nname = 'a'\nparameters_json = '[]'\n" + CASE, "expected a table, not '\\[\\]'"),
        (HEAD + "[[tools]]\nname = 'a'\nparameters = {}\nparameters_json = '{}'\n" + CASE, "give either this or"),
        (HEAD + CASE + CASE, "case 'one', key 'name': two cases have this name"),
        (HEAD + '[[cases]]\nname = "one"\n', r"case 'one', key 'cases\[0\].messages': a case needs either"),
        (HEAD + CASE + 'messages = [{ role = "user" }]\n', "a case needs either"),
        (HEAD + '[[cases]]\nname = "one"\nmessages = []\n', "at least one message"),
        (HEAD + '[[cases]]\nname = "one"\nmessages = [{ content = "x" }]\n', "each message is a table with a role"),
        (HEAD + TOOL + CASE + 'tools = ["ad"]\n', "no tool matches 'ad'; did you mean add"),
        (HEAD + TOOL + CASE + 'tools = []\ntool_choice = "add"\n', "no choice or tool matches 'add'"),
        (HEAD + CASE + 'thinking = "on"\n', "expected true or false"),
        (HEAD + CASE + "[cases.expect]\norder = true\n", r"key 'cases\[0\].expect.order'"),
        (HEAD + CASE + "[[cases.expect.calls]]\narguments = {}\n", r"key 'cases\[0\].expect.calls\[0\].name'"),
    ],
)
def test_what_is_wrong_is_named(text: str, words: str) -> None:
    """One error with the file, the case as far as known, the key, and what is wrong with it."""
    with pytest.raises(SuiteError, match=words) as caught:
        parse(text, file="mine.toml")
    assert caught.value.file == "mine.toml"


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ([], ["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "M1", "M2"]),
        (["M*"], ["M1", "M2"]),
        (["M2", "S[12]"], ["S1", "S2", "M2"]),
        (["S?", "S1"], ["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8"]),
    ],
)
def test_cases_are_chosen_by_pattern(patterns: list[str], names: list[str]) -> None:
    """In the order of the suite, each once."""
    assert [case.name for case in select_cases(builtin_suite("seed"), patterns).cases] == names


def test_a_pattern_that_matches_nothing_is_an_error() -> None:
    """Also where another pattern matches; the nearest names are told."""
    with pytest.raises(UnknownNameError, match="no case matches 'M11'; did you mean M1") as caught:
        select_cases(builtin_suite("seed"), ["S*", "M11"])
    assert "M1" in caught.value.nearest


def test_every_suite_of_the_package_can_be_read() -> None:
    """Its file is named as it is, and it says what it is for."""
    assert "seed" in builtin_suites()
    for name in builtin_suites():
        suite = builtin_suite(name)
        assert suite.name == name
        assert suite.description
        assert parse(builtin_suite_text(name), file=name) == suite


def test_an_unknown_suite_names_the_nearest() -> None:
    """A slip of the keyboard is told what was meant."""
    with pytest.raises(UnknownNameError, match="no suite matches 'sead'; did you mean seed"):
        builtin_suite("sead")
