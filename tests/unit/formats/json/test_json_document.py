import json
import math
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psreg.core.diagnostics import Span
from psreg.formats.json import json_document
from psreg.formats.json.json_document import MAX_BYTES, MAX_DEPTH, parse
from psreg.formats.json.pointer import join

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
INDENTS = st.sampled_from([None, 0, 2, "\t"])
SYNTAX = {"JSON002", "JSON005", "JSON007"}


def codes(data):
    return [issue.code for issue in parse(data).issues]


def only_issue(text):
    tree = parse(text.encode())
    assert not tree.parsed
    assert tree.value is None
    (issue,) = tree.issues
    return issue


def places(value, path=()):
    yield path, value
    children = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, child in children:
        yield from places(child, (*path, key))


# --- laws ---------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.binary())
def test_parse_never_raises(data):
    tree = parse(data)
    assert tree.parsed or len(tree.issues) == 1
    assert tree.span("/a/0") <= Span(len(tree.text), len(tree.text))


@settings(deadline=None)
@given(st.text(alphabet='{}[]:,"\\u0123dDcCeE+-.truefalsn \t\n\ufeff', max_size=30))
def test_parse_never_raises_for_text_that_is_nearly_json(text):
    tree = parse(text.encode())
    assert tree.parsed or len(tree.issues) == 1


@settings(deadline=None)
@given(VALUES, INDENTS, st.booleans())
def test_value_is_what_python_reads(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    tree = parse(text.encode("utf-8", "replace"))
    assert tree.parsed
    assert tree.value == json.loads(tree.text)


@settings(deadline=None)
@given(VALUES, INDENTS)
def test_the_text_of_every_span_is_the_value(value, indent):
    tree = parse(json.dumps(value, indent=indent).encode())
    for path, expected in places(tree.value):
        place = tree.span(join(path))
        assert json.loads(tree.text[place.start : place.end]) == expected
        if path and isinstance(path[-1], str):
            name = tree.key_span(join(path))
            assert json.loads(tree.text[name.start : name.end]) == path[-1]
        else:
            assert tree.key_span(join(path)) == place


@settings(deadline=None, max_examples=300)
@given(VALUES, INDENTS, st.data())
def test_scanner_and_python_agree_on_what_is_json(value, indent, data):
    text = json.dumps(value, indent=indent, ensure_ascii=data.draw(st.booleans()))
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 2))
    put = data.draw(st.text(alphabet='{}[]:,"\\/u0aE+-.tN \n\t\x00\u00a0', max_size=2))
    mutated = text[:at] + put + text[at + cut :]
    try:
        json.loads(mutated, parse_constant=int)
        valid = True
    except ValueError:
        valid = False
    found = json_document.scan(mutated)
    assert (found.root is not None) == valid or found.issues[0].code == "JSON010"
    if found.root is None:
        assert found.issues[0].code in SYNTAX | {"JSON010"}


# --- values and spans ---------------------------------------------------------------------------


def test_sound_file():
    tree = parse(b'{"a": [1, {"b/c~d": "x"}], "\xc3\xa9": null}')
    assert tree.parsed
    assert tree.issues == ()
    assert tree.value == {"a": [1, {"b/c~d": "x"}], "é": None}
    assert tree.text[slice(*_ends(tree.span("/a/1/b~1c~0d")))] == '"x"'
    assert tree.text[slice(*_ends(tree.key_span("/a/1/b~1c~0d")))] == '"b/c~d"'
    assert tree.text[slice(*_ends(tree.span("/a")))] == '[1, {"b/c~d": "x"}]'
    assert tree.text[slice(*_ends(tree.span("/é")))] == "null"
    assert tree.span("") == Span(0, len(tree.text))
    assert tree.key_span("") == tree.span("")
    assert tree.key_span("/a/0") == tree.span("/a/0")


def _ends(span):
    return span.start, span.end


@pytest.mark.parametrize("pointer", ["/a/1", "/a/01", "/a/-1", "/a/0/deeper", "/a/x"])
def test_pointer_to_nothing_is_its_nearest_ancestor(pointer):
    tree = parse(b'{"a": [1]}')
    ancestor = "/a/0" if pointer == "/a/0/deeper" else "/a"
    assert tree.span(pointer) == tree.span(ancestor)
    assert tree.key_span("/b") == tree.span("")


def test_places_in_a_file_that_is_no_json_are_its_start():
    tree = parse(b"{")
    assert tree.span("/a") == Span(0, 0)
    assert tree.key_span("/a") == Span(0, 0)


def test_places_count_the_byte_order_mark():
    tree = parse(b'\xef\xbb\xbf{"a": 1}')
    assert tree.parsed
    assert codes(b'\xef\xbb\xbf{"a": 1}') == ["JSON004"]
    assert tree.text[slice(*_ends(tree.span("/a")))] == "1"


def test_escaped_names_are_found():
    tree = parse(rb'{"\u0061\"": 1}')
    assert tree.value == {'a"': 1}
    assert tree.text[slice(*_ends(tree.key_span('/a"')))] == r'"\u0061\""'


# --- issues that let the file be read -----------------------------------------------------------


def test_last_of_two_duplicates_counts_and_both_places_are_named():
    tree = parse(b'{"a": 1,\n "b": 2,\n "a": 3}')
    assert tree.parsed
    assert tree.value == {"a": 3, "b": 2}
    (issue,) = tree.issues
    assert issue.code == "JSON003"
    assert "1:2" in issue.message
    assert tree.text[issue.span.start :].startswith('"a": 3')
    assert tree.text[slice(*_ends(tree.span("/a")))] == "3"


def test_names_that_differ_only_in_spelling_are_duplicates():
    assert codes(rb'{"a": 1, "\u0061": 2}') == ["JSON003"]


def test_same_name_in_another_object_is_no_duplicate():
    assert codes(b'{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}') == []


def test_all_that_is_not_fatal_is_reported_together():
    text = b'\xef\xbb\xbf{"a": "\\ud800", "a": "\\uDFFF", "\\ud83dx": 1}'
    assert codes(text) == ["JSON004", "JSON006", "JSON003", "JSON006", "JSON006"]
    assert parse(text).value == {"a": "\udfff", "\ud83dx": 1}


def test_after_something_fatal_only_that_is_reported():
    assert codes(b'\xef\xbb\xbf{"a": 1, "a": 2') == ["JSON002"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (r'"\ud83d\ude00"', 0),
        (r'"\\ud83d"', 0),
        (r'"\n\u0041"', 0),
        (r'"\ud83d"', 1),
        (r'"\ude00\ud83d"', 1),
        (r'"\ud83d\ud83d\ude00"', 1),
        (r'["\uDBFF", "\uDC00"]', 2),
    ],
)
def test_lone_surrogates(text, count):
    assert codes(text.encode()) == ["JSON006"] * count


def test_a_flood_of_duplicates_is_cut_off():
    data = b"{" + b'"a":1,' * 15_000 + b'"a":1}'
    assert len(parse(data).issues) == json_document.MAX_ISSUES


# --- issues that end the reading ----------------------------------------------------------------


def test_brackets_without_end_are_one_issue():
    issue = only_issue("[" * 100_000)
    assert (issue.code, issue.span) == ("JSON008", Span(MAX_DEPTH, MAX_DEPTH + 1))


@pytest.mark.parametrize(("left", "right"), [("[", "]"), ('{"a":', "}")])
def test_depth_limit(left, right):
    inner = "1" if left != "[" else ""
    assert codes((left * MAX_DEPTH + inner + right * MAX_DEPTH).encode()) == []
    assert codes((left * (MAX_DEPTH + 1) + inner + right * (MAX_DEPTH + 1)).encode()) == ["JSON008"]
    assert codes(("[" + "[1]," * 200 + "2]").encode()) == []


def test_depth_near_the_end_of_the_stack():
    def deeper(levels):
        return deeper(levels - 1) if levels else codes(b"[" * 900 + b"]" * 900)

    assert deeper(100) == ["JSON008"]


def test_size_limit():
    assert codes(b'"' + b"x" * (MAX_BYTES - 2) + b'"') == []
    tree = parse(b'"' + b"x" * (MAX_BYTES - 1) + b'"')
    assert [issue.code for issue in tree.issues] == ["JSON009"]
    assert tree.span("") == Span(0, 0)


@pytest.mark.parametrize(
    ("data", "start"),
    [(b'"caf\xe9"', 4), (b'"\xc3\xa9\xff"', 2), (b'"\xe2\x82', 1), (b"\xed\xa0\x80", 0)],
)
def test_not_utf8(data, start):
    tree = parse(data)
    (issue,) = tree.issues
    assert (issue.code, issue.span) == ("JSON001", Span(start, start + 1))
    assert tree.text[start] == "\ufffd"
    assert not tree.parsed


def test_utf16_is_named():
    (issue,) = parse('{"a": 1}'.encode("utf-16")).issues
    assert "UTF-16" in issue.hint


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_words_that_are_no_numbers(word):
    issue = only_issue(f'{{"a": {word}}}')
    assert (issue.code, issue.span) == ("JSON005", Span(6, 6 + len(word)))


@pytest.mark.parametrize(
    "literal", ["9" * 641, "-" + "9" * 5_000, "0." + "3" * 10_000, "1e400", "-1e999"]
)
def test_numbers_no_computer_holds(literal):
    issue = only_issue(f"[{literal}]")
    assert (issue.code, issue.span) == ("JSON010", Span(1, 1 + len(literal)))


def test_numbers_that_fit():
    assert parse(b"[" + b"9" * 640 + b", 1.7e308, 1e-999]").value == [int("9" * 640), 1.7e308, 0.0]


def test_python_may_convert_all_digits_a_number_may_have():
    assert sys.int_info.str_digits_check_threshold >= json_document.MAX_NUMBER
    assert math.isfinite(1.7e308)


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("", 0, "empty"),
        (" \n", 0, "empty"),
        ("{", 1, "found the end of the file"),
        ('{"a"\n', 4, "':'"),
        ('{"a":', 5, "found the end of the file"),
        ('{\n"a": [1', 9, "']' for the '[' on line 2"),
        ('{"a": 1,}', 7, "before '}'"),
        ("[1, ]", 2, "before ']'"),
        ("[1 2]", 3, "comma is missing"),
        ('{"a": 1 "b": 2}', 8, "comma is missing"),
        ('{"a" 1}', 5, 'found "1"'),
        ("[1 and 2]", 3, 'found "a"'),
        ('{"a" "b"}', 5, "':'"),
        ('{"a": 1; "b": 2}', 7, 'found ";"'),
        ('{"a": 1]', 7, 'found "]"'),
        ("{'a': 1}", 1, "double quotes"),
        ("{a: 1}", 1, "double quotes"),
        ("{“a”: 1}", 1, "typographic"),
        ("[1, // one\n2]", 4, "comments"),
        ("/* all */ {}", 0, "comments"),
        ("[1 # one\n]", 3, "comments"),
        ("```json\n{}\n```", 0, "fence"),
        ("[True]", 1, "lower case"),
        ("[undefined]", 1, "lower case"),
        ("[1.0.0]", 1, "number"),
        ("[01]", 1, "number"),
        ("[.5]", 1, "number"),
        ("[5.]", 1, "number"),
        ("[+5]", 1, "number"),
        ("[-]", 1, "number"),
        ("[0x1F]", 1, "number"),
        ('{"a":\u00a01}', 5, "invisible"),
        ("\ufeff\ufeff{}", 1, "invisible"),
        ('["say "hi" now"]', 7, "quote"),
        ('["line\nbreak"]', 6, "line break"),
        ('["tab\there"]', 5, "tab"),
        ('["nul\x00"]', 5, "control"),
        ('["\\d"]', 2, r"\d"),
        ('["\\\x01"]', 2, "escape"),
        ('["\\u12"]', 2, r"\u"),
        ('["open]', 1, "closing quote"),
        ('["\\', 2, "escape"),
        ("[,]", 1, 'found ","'),
        ("[1,,2]", 3, 'found ","'),
        ("Here it is: {}", 0, "double quotes"),
    ],
)  # fmt: skip
def test_message_says_what_was_expected_and_what_is_there(text, at, words):
    issue = only_issue(text)
    assert (issue.code, issue.span.start) == ("JSON002", at)
    assert words in issue.message


@pytest.mark.parametrize("rest", ["{}", "}", "x", "```", "\u00a0", ",", "//"])
def test_trailing_data(rest):
    issue = only_issue('{"a": 1} \n' + rest + " \n")
    assert (issue.code, issue.span) == ("JSON007", Span(10, 10 + len(rest)))


def test_long_remains_are_shortened_in_the_message():
    assert len(only_issue("{} " + "x" * 10_000).message) < 100
