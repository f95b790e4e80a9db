"""Front matter as people write it: what is not valid YAML, but read by the programs it is for."""

import pytest

from psreg.authoring.importing.front_matter import Scalar, divided

DESCRIPTION = 'Use it when: tests fail. <example>Context: the user says "fix it"</example>'


def front(*lines):
    return divided("\n".join(("---", *lines, "---", "Text.", "")))


@pytest.mark.parametrize(
    "value",
    [
        "*.ts,*.tsx",
        "**/*.tsx",
        "*",
        "*ts",
        DESCRIPTION,
        "@file first",
        "`make` it",
        "%d of them",
        "[file] [name]",
        "[@file]",
        "{src,lib}/**",
        '"*.ts", "*.tsx"',
        "'It' is: one",
        "> 5 files: all",
        "|x",
        "- one",
        "Which is it:",
        "It's: a",
        "ends: with \\",
    ],
)
def test_a_value_that_is_not_yaml_is_read_as_it_is_written(value):
    found = front("name: fix-tests", f"description: {value}", "model: opus")
    assert found.matter == {"name": "fix-tests", "description": value, "model": "opus"}
    assert found.as_text == ("description",)
    assert found.body == "Text.\n"


def test_values_that_yaml_reads_stay_as_they_are():
    found = front(
        "# first",
        "",
        "globs: *.ts",
        "alwaysApply: true",
        "count: 3 # of them",
        "title: 'It''s one' # quoted",
        'summary: "a: b"',
        "tags: [a, 'b: c']",
        "paths: # all",
        "  - src",
        "tools:",
        "- Read",
        "metadata:",
        "  author: me",
        "text: |",
        "  a: b",
        "",
        "  c # d",
        "folded: >- # folded",
        "  e",
        "  f",
        "long: one",
        "  two",
        "# not a part",
        '"quoted": x',
        "two words: y",
        "name: !important &part it",
        "empty:",
    )
    assert found.matter == {
        "globs": "*.ts",
        "alwaysApply": "true",
        "count": "3 # of them",
        "title": "It's one",
        "summary": "a: b",
        "tags": ["a", "b: c"],
        "paths": ["src"],
        "tools": ["Read"],
        "metadata": {"author": "me"},
        "text": "a: b\n\nc # d\n",
        "folded": "e f",
        "long": "one two",
        "quoted": "x",
        "two words": "y",
        "name": "!important &part it",
        "empty": "",
    }
    assert found.as_text == ("globs", "count", "name")
    assert isinstance(found.matter["alwaysApply"], Scalar)


def test_what_is_valid_is_read_as_before():
    found = front("title: C # and F", "on: [a]", "name: one", "  two")
    assert (found.matter, found.as_text) == ({"title": "C", "on": ["a"], "name": "one two"}, ())
    assert divided("Text.\n") == ({}, "Text.\n", ())


def test_a_list_of_texts_is_read_as_it_is_written():
    found = front(
        "globs:", "  - *.ts", "", "  - '**/*.js'", '- "a b"', "  - src/**/*.py:1  ", "a: b"
    )
    assert found.matter == {"globs": ["*.ts", "**/*.js", "a b", "src/**/*.py:1"], "a": "b"}
    assert found.as_text == ("globs",)


def test_lines_without_a_key_belong_to_the_value_before_them():
    found = front(
        "description: Use it when: tests fail.",
        "",
        "  <example>",
        "user: fix it",
        "</example>",
        "user: again",
        "color: red",
    )
    assert found.matter == {
        "description": "Use it when: tests fail. <example>",
        "user": "again",
        "color": "red",
    }
    assert found.as_text == ("description", "user")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("name:fix", "line 3, `name:fix`: a blank is needed after the colon"),
        ('title: "It', 'line 3, `title: "It`: a quote is not closed'),
        ("tags: [a", "line 3, `tags: [a`: a bracket is not closed, or a value"),
        ("list:\n  - a: *.ts", "line 4, `- a: *.ts`: a value that begins with `*`, `&` or `%`"),
        ("list:\n  - *.ts\n  - 'a", "line 4, `- *.ts`: a value that begins with `*`, `&` or `%`"),
        ("list: # of\n  - *.ts", "line 4, `- *.ts`: a value that begins with `*`, `&` or `%`"),
        ("map:\n  a: b: c", "line 4, `a: b: c`: a value with `: ` in it needs quotes"),
        ("map:\n  a: b\n c: d", "line 5, `c: d`: it does not belong to the value before it"),
        ("map:\n  a: @b", "line 4, `a: @b`: a value that begins with such a character needs"),
        ("map:\n  a: 'b'\n  c", "line 5, `c`: it is not `key: value`"),
        ('title: "a\\q', 'line 3, `title: "a\\q`: a backslash in double quotes'),
        ("map:\n  !<a", "line 4, `!<a`: it is incomplete"),
        ("text: |\nIndented", "line 4, `Indented`: it is not `key: value`"),
        ("map:\n  a: `" + "\u202e" + "x" * 80, "line 4, `a: '\\u{202e}" + "x" * 48 + "…`"),
    ],
)
def test_what_is_neither_names_its_line(line, why):
    with pytest.raises(ValueError, match="not valid YAML") as caught:
        front("globs: *.ts", line)
    assert str(caught.value).startswith(f"its front matter is not valid YAML: {why}")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ('"\\U00110000"', "an escape in double quotes does not stand for a character"),
        ('"\\UFFFFFFFF"', "an escape in double quotes does not stand for a character"),
        ("a\bb: *", "line 3: U+0008 is not allowed"),
        ("[" * 5_000, "it is nested too deeply"),
    ],
)
def test_what_no_reading_can_mean_is_refused(value, why):
    with pytest.raises(ValueError, match="not valid YAML") as caught:
        front("name: x", f"title: {value}")
    assert str(caught.value) == f"its front matter is not valid YAML: {why}"


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        (("a: &x [1]", "b: *x"), "line 3, `b: *x`"),
        (("title: a: b", "c: *x", "d: &x [1]"), "line 3, `c: *x`"),
        (("a: *x", "title: &x a: b"), "line 2, `a: *x`"),
        (("a: &x y", "b:", "  - *x"), "line 4, `- *x`"),
    ],
)
def test_an_alias_of_something_is_refused(lines, where):
    with pytest.raises(ValueError, match="alias") as caught:
        front(*lines)
    assert str(caught.value) == f"its front matter has an alias of YAML: {where}"


def test_programs_that_refuse_such_values_do_not_have_them():
    text = "---\nname: a: b\n---\n"
    with pytest.raises(ValueError, match="line 2, `name: a: b`: a value with"):
        divided(text, is_strict=True)
    assert divided(text).matter == {"name": "a: b"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("<a>: b", "`<a>: b`: it is not `key: value`"),
        ("  a: b", "`a: b`: a key has blanks before it"),
    ],
)
def test_front_matter_begins_with_a_key(line, why):
    with pytest.raises(ValueError, match=f"line 4, {why}"):
        front("# first", "", line, "c: d: e")
