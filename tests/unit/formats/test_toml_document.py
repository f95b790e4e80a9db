"""TOML documents: their values, their places, and what is said of what cannot be read."""

import tomllib
from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.diagnostics import Span
from psreg.formats.toml_document import MAX_BYTES, MAX_DEPTH, json_value, locate, parse

DOCUMENT = """\
# a comment
title = "Hi # there"   # another
"quoted key" = 'literal'
'a/b~c'.d = 1
"esc\\u0061ped" = true

[table]
when = 1979-05-27 07:32:00Z
many = [
  1, [2.5, "x"],  # inner
  {deep = {deeper = 'y'}, plain = 1979-05-27},
]
long = \"\"\"
one "two" ""three""\"\"\"
raw = '''it''s'''

[[row]]
name = "first"
[row.inner]
x = 0x10
[[row]]
name = "second"
[[row.sub]]
y = 07:32:00
[other.nested]
z = ""
"""


def part(tree, span):
    return tree.text[span.start : span.end]


@pytest.fixture(scope="module")
def tree():
    return parse(DOCUMENT.encode())


@pytest.mark.parametrize(
    ("pointer", "key", "value"),
    [
        ("/title", "title", '"Hi # there"'),
        ("/quoted key", '"quoted key"', "'literal'"),
        ("/a~1b~0c/d", "d", "1"),
        ("/a~1b~0c", "'a/b~c'", "1"),
        ("/escaped", '"esc\\u0061ped"', "true"),
        ("/table", "table", "[table]"),
        ("/table/when", "when", "1979-05-27 07:32:00Z"),
        ("/table/many/0", "1", "1"),
        ("/table/many/1", '[2.5, "x"]', '[2.5, "x"]'),
        ("/table/many/1/0", "2.5", "2.5"),
        ("/table/many/2/deep/deeper", "deeper", "'y'"),
        ("/table/many/2/plain", "plain", "1979-05-27"),
        ("/table/long", "long", '"""\none "two" ""three"""""'),
        ("/table/raw", "raw", "'''it''s'''"),
        ("/row", "row", "[[row]]"),
        ("/row/0/inner/x", "x", "0x10"),
        ("/row/0/inner", "inner", "[row.inner]"),
        ("/row/1/name", "name", '"second"'),
        ("/row/1/sub/0/y", "y", "07:32:00"),
        ("/other", "other", "[other.nested]"),
        ("/other/nested/z", "z", '""'),
    ],
)
def test_every_value_has_its_place(tree, pointer, key, value):
    assert part(tree, tree.key_span(pointer)) == key
    assert part(tree, tree.span(pointer)) == value


def test_a_header_of_a_later_row_is_its_own_place(tree):
    assert tree.span("/row/1").start > tree.span("/row/0").start
    assert tree.span("/row") == tree.span("/row/0")


@pytest.mark.parametrize(
    ("pointer", "ancestor"),
    [("/table/absent", "/table"), ("/row/9/name", "/row"), ("/table/many/7/x", "/table/many")],
)
def test_a_pointer_to_nothing_resolves_to_its_nearest_ancestor(tree, pointer, ancestor):
    assert tree.span(pointer) == tree.span(ancestor)
    assert tree.key_span(pointer) == tree.span(ancestor)


def test_the_root_is_the_start(tree):
    assert tree.span("") == tree.key_span("") == tree.span("/absent") == Span(0, 0)


def test_values_are_as_tomllib_makes_them_floats_as_decimals(tree):
    assert tree.value == tomllib.loads(DOCUMENT, parse_float=Decimal)
    assert tree.value["table"]["many"][1][0] == Decimal("2.5")


def test_json_value_writes_dates_and_fractions_as_text():
    value = {
        "day": date(2026, 11, 1),
        "moment": datetime(2026, 11, 1, 5, 0, tzinfo=UTC),
        "clock": time(5, 30),
        "rows": [Decimal("0.20"), 1, True, "x"],
    }
    assert json_value(value) == {
        "day": "2026-11-01",
        "moment": "2026-11-01T05:00:00+00:00",
        "clock": "05:30:00",
        "rows": ["0.20", 1, True, "x"],
    }


def only_issue(data):
    tree = parse(data)
    assert not tree.parsed
    assert tree.value is None
    assert tree.span("/anything") == Span(0, 0)
    (issue,) = tree.issues
    return issue, tree


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a = 1\nb = = 2\n", 2, 5, "invalid value"),
        ("a = 1\r\nb = = 2\r\n", 2, 5, "invalid value"),
        ("é = 1\n", 1, 1, "invalid statement"),
        ("a = 'é' b\n", 1, 9, "expected newline"),
        ("a = [1,\n", 2, 1, "invalid value"),
        ('a = "x', 1, 7, "unterminated string"),
        ("a = 1\na = 2\n", 2, 6, "cannot overwrite a value"),
        ('a = "\\ud800"', 1, 12, "not a unicode scalar value"),
        ('"\\x" = 1', 1, 4, "unescaped '\\' in a string"),
        ("[a", 1, 3, "expected ']'"),
        ("a = [1 2]", 1, 8, "unclosed array"),
    ],
)
def test_a_syntax_error_is_one_issue_where_tomllib_stops(text, line, column, words):
    issue, tree = only_issue(text.encode())
    before = tree.text[: issue.span.start]
    assert issue.code == "TOML002"
    assert (before.count("\n") + 1, len(before) - before.rfind("\n")) == (line, column)
    assert words in issue.message.lower()
    assert "(at " not in issue.message


def test_text_that_is_not_utf8_is_pointed_at():
    issue, tree = only_issue("a = 'é'\nb = '".encode() + b"\xff'")
    assert issue.code == "TOML001"
    assert "0xff" in issue.message
    assert tree.text[issue.span.start] == "\ufffd"


def test_a_file_that_is_too_large_is_not_read():
    issue, tree = only_issue(b"#" * (MAX_BYTES + 1))
    assert (issue.code, tree.text) == ("TOML003", "")
    assert parse(b"#" * MAX_BYTES).parsed


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 100_000,
        "a = " + "{b = " * 50_000,
        "a." * 100_000 + "b = 1",
        "[" + "a." * 100_000 + "b]",
        "[[" + "a." * 100_000 + "b]]",
        "".join(f"[[{'a.' * n}a]]\n" for n in range(40)),
    ],
)
def test_deep_nesting_is_refused_before_anything_is_built(text):
    issue, _ = only_issue(text.encode())
    assert issue.code == "TOML004"


def test_what_is_deep_but_not_too_deep_is_read():
    nested = "a = " + "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert parse(nested.encode()).parsed
    assert parse(("x" + ".x" * (MAX_DEPTH - 1) + " = 1").encode()).parsed
    assert not parse(("x" + ".x" * MAX_DEPTH + " = 1").encode()).parsed


@pytest.mark.parametrize("number", ["9" * 5000, "1e" + "9" * 30])
def test_a_number_beyond_what_can_be_read_is_an_issue(number):
    issue, _ = only_issue(f"a = {number}".encode())
    assert issue.code == "TOML002"
    assert "digits" in issue.message


@pytest.mark.parametrize("number", [str(2**63), "0x" + "f" * 5000])
def test_an_integer_beyond_64_bits_is_pointed_at(number):
    issue, tree = only_issue(f"a = [{2**63 - 1}, {-(2**63)}, {{b = {number}}}]".encode())
    assert issue.code == "TOML002"
    assert "64 bits" in issue.message
    assert part(tree, issue.span) == number


def test_a_byte_order_mark_is_an_issue_and_the_rest_is_read():
    tree = parse(b"\xef\xbb\xbfa = 1\n")
    assert tree.parsed
    assert [issue.code for issue in tree.issues] == ["TOML005"]
    assert part(tree, tree.key_span("/a")) == "a"


def test_a_byte_order_mark_does_not_move_a_syntax_error():
    tree = parse(b"\xef\xbb\xbfa = \n")
    assert [issue.code for issue in tree.issues] == ["TOML005", "TOML002"]
    assert tree.issues[1].span.start == 5


KEYS = st.text(min_size=1, max_size=8)
LEAVES = (
    st.integers(-(2**53), 2**53)
    | st.booleans()
    | st.text(max_size=20)
    | st.dates()
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def leaves(value, pointer=""):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, f"{pointer}/{index}")
    else:
        yield pointer, value


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_law_the_text_at_a_place_spells_the_value(document):
    text = tomlkit.dumps(document)
    tree = parse(text.encode())
    assert tree.parsed, tree.issues
    for pointer, value in leaves(tree.value):
        spelled = tomllib.loads(f"v = {part(tree, tree.span(pointer))}", parse_float=Decimal)
        assert spelled["v"] == value


@given(st.binary(max_size=200) | st.text("[]{}=,.'\"#\\\n\r ab1-:", max_size=60).map(str.encode))
def test_law_nothing_makes_it_raise(data):
    tree = parse(data)
    assert tree.parsed == (tree.value is not None)
    assert tree.parsed or tree.issues
    for issue in tree.issues:
        assert 0 <= issue.span.start <= issue.span.end <= len(tree.text)
    tree.span("/a/0/b")


@pytest.mark.parametrize(
    "text", ["a = [1 2]", "a b", '"\\x" = 1', "[a\n", "[[a]\n", "a = {b = 1; c"]
)
def test_the_scan_stops_where_the_text_is_no_toml(text):
    places = locate(text)
    assert places.too_deep is None
    assert all(place.value.end <= len(text) for place in places.by_path.values())


@given(st.text("[]{}=,.'\"#\\\n ab1", max_size=40))
def test_law_the_scan_reaches_the_end_of_what_tomllib_accepts(text):
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    places = locate(text).by_path
    for pointer, _ in leaves(value):
        assert tuple(pointer.split("/")[1:]) in places
