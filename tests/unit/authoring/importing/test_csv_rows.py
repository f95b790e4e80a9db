"""Rows of CSV: prompts.chat, other columns and delimiters, and what is no CSV."""

from pathlib import PurePosixPath

import pytest

from psreg.authoring.importing import csv_rows
from psreg.authoring.importing.found import MAX_FILE, STANDARD_INPUT, Refused, SourceFile


def read(text, fields=None, path="a.csv"):
    data = text if isinstance(text, bytes) else text.encode()
    return list(
        csv_rows.read(
            SourceFile(path=PurePosixPath(path), files={PurePosixPath(path): data}), fields or {}
        )
    )


def test_a_row_is_a_prompt():
    text = 'act,prompt,for_devs\nA Poet,"Write, ""please"".\nTwo lines.",TRUE\nA Chef,Cook.,\n'
    poet, chef = read(text)
    assert (poet.path, poet.title) == ("a.csv#A Poet", "A Poet")
    assert poet.text == 'Write, "please".\nTwo lines.'
    assert (poet.lost, chef.lost) == (("for_devs",), ())
    assert poet.sha256 != chef.sha256


def test_variables_of_prompts_chat():
    (found,) = read(
        "act,prompt\nX,${Kind:a tour} in ${City}; ${Kind:a walk} ${Kind} ${ : 1} ${1 2}\n"
    )
    assert found.text == "{Kind} in {City}; {Kind_2} {Kind} {value} {1_2}"
    assert found.variables == {
        "Kind": "a tour", "City": None, "Kind_2": "a walk", "value": "1", "1_2": None,
    }  # fmt: skip


def test_a_default_that_comes_later_is_that_of_the_variable():
    (found,) = read("act,prompt\nX,${A} ${A:b} ${A:b} ${A_2} ${A:c}\n")
    assert found.text == "{A} {A} {A} {A_2} {A_3}"
    assert found.variables == {"A": "b", "A_2": None, "A_3": "c"}


def test_a_name_that_is_in_braces_as_text_is_not_that_of_a_variable():
    (found,) = read("act,prompt\nX,${City} {City} {City_2} ${City:b} {{Place}} ${Place}\n")
    assert found.text == "{City_3} {City} {City_2} {City_3} {{Place}} {Place_2}"
    assert found.variables == {"City_3": "b", "Place_2": None}


def test_names_that_differ_in_other_characters_are_those_of_two_variables():
    (found,) = read("act,prompt\nX,${城市} ${国家} ${城市} ${a b} ${a-b} ${a_b} ${a b}\n")
    assert found.text == "{value} {value_2} {value} {a_b} {a-b} {a_b_2} {a_b}"


def test_a_text_that_is_too_long_has_no_variables():
    (found,) = read(f"act,prompt\nX,${{A}}{'x' * 262_144}\n")
    assert found.variables == {}


def test_other_files_have_no_such_variables():
    (found,) = read("title,prompt\nX,echo ${HOME}\n")
    assert (found.text, found.variables) == ("echo ${HOME}", {})


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_fields_are_told_by_their_names(delimiter):
    lines = [
        ["Title", "Content", "Keywords", "lang", "Licence", "Description", "More"],
        ["T", "Say it.", "a b,c" if delimiter != "," else "a b", "en", "MIT", "What it does.", "1"],
    ]
    (found,) = read("\n".join(delimiter.join(line) for line in lines))
    assert (found.title, found.text, found.license) == ("T", "Say it.", "MIT")
    assert found.tags == (("a b", "c") if delimiter != "," else ("a b",))
    assert (found.languages, found.summary, found.lost) == (("en",), "What it does.", ("More",))


def test_a_user_names_the_columns():
    text = "prompt,question,head\nno,Why?,H\n"
    (found,) = read(text, {"text": "question", "title": "head"})
    assert (found.text, found.title, found.lost) == ("Why?", "H", ("prompt",))
    (refused,) = read(text, {"text": "none"})
    assert "no column is called prompt" in refused.reason


def test_equal_titles_are_numbered_and_none_is_a_title_too():
    rows = read("title,prompt\nA,1\nA,2\n,3\n,4\nC:\\x,5\n")
    paths = ["a.csv#A", "a.csv#A (2)", "a.csv#prompt", "a.csv#prompt (2)", "a.csv#C:/x"]
    assert [row.path for row in rows] == paths


def test_one_bad_row_does_not_stop_the_others():
    rows = read('title,prompt\nA\n\nB,"b" b\nC,c,d\nD,d\n"E,e\nF,f\n')
    assert [row.path for row in rows] == [
        "a.csv#line 2", "a.csv#line 4", "a.csv#line 5", "a.csv#D", "a.csv#line 7",
    ]  # fmt: skip
    reasons = [row.reason for row in rows if isinstance(row, Refused)]
    assert reasons[0] == "it has 1 cells, and the first line 2"
    assert reasons[1].startswith("it is not valid CSV: ")
    assert reasons[2] == "it has 3 cells, and the first line 2"
    assert reasons[3] == "it is not valid CSV: unexpected end of data"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no column is called prompt"),
        (b'"a', "no column is called prompt"),
        (b"a,b\n1,2\n", "no column is called prompt"),
        (b"," * 1_000_000, "it has 1,000,001 columns; at most 1,000 are read"),
    ],
)
def test_what_is_no_table_of_prompts(data, reason):
    (refused,) = read(data)
    assert (refused.path, reason in refused.reason) == ("a.csv", True)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"act,prompt\n\xff\xfe\n", "not a text in UTF-8"),
        (b"a" * (MAX_FILE + 1), "4,194,304 bytes"),
    ],
)
def test_what_is_no_text(data, reason):
    with pytest.raises(ValueError, match=reason):
        read(data)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_and_line_ends(encoding):
    (found,) = read('act,prompt\r\nÄ,"ö\r\nü"\r\n'.encode(encoding))
    assert (found.title, found.text) == ("Ä", "ö\nü")


@pytest.mark.parametrize(
    ("path", "text", "claimed"),
    [
        ("a.CSV", "x", True),
        ("a.tsv", "x", True),
        ("a.md", "act,prompt\n", False),
        ("prompts", "act,prompt\n", False),
        (STANDARD_INPUT, "act,prompt\nA,b\n", True),
        (STANDARD_INPUT, "Say it, please.\n", False),
        (STANDARD_INPUT, "prompt\n", False),
    ],
)
def test_csv_is_told_by_name_or_content(path, text, claimed):
    file = SourceFile(path=PurePosixPath(path), files={PurePosixPath(path): text.encode()})
    assert csv_rows.claims(file, {}) is claimed
