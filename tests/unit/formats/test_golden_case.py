"""Golden cases: what a file says, what is written, and what it refuses to work out."""

import tomllib

import pytest

from psreg.formats import dotprompt, golden_case

PROMPT = dotprompt.read(
    b"[METADATA]\n@dotprompt_format_version 0.0.1\n[DEFAULTS]\n@a x\n[CONTENT]\n{a} {b} {b}\n"
)


@pytest.mark.parametrize(
    ("text", "sound", "expected", "values"),
    [
        ("text = 'x y y'\n[values]\nb = 'y'\n", True, "x y y", {"b": "y"}),
        ("text = '''\nx\n\n'''\n", True, "x\n\n", {}),
        ("", False, "", {}),
        ("text = 1\n", False, "", {}),
        ("text = 'x'\nvalues = 'y'\n", False, "x", {}),
        ("text = 'x'\n[values]\nb = 1\na = 'z'\n", False, "x", {"a": "z"}),
        ("text = 'x", False, "", {}),
    ],
)
def test_what_a_file_says(text, sound, expected, values):
    case = golden_case.read(text.encode())
    assert (case.sound, case.expected, case.values) == (sound, expected, values)


def test_values_win_over_defaults_and_are_texts():
    case = golden_case.read(b"text = ''\n[values]\na = '{b}'\nb = '(% y %)'\nc = ''\n")
    assert case.rendered(PROMPT) == "{b} (% y %) (% y %)"


def test_what_would_be_longer_than_a_case_is_not_worked_out():
    content = "{a}" * 19_000
    large = dotprompt.read(
        f"[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\n{content}\n".encode()
    )
    case = golden_case.read(f"text = ''\n[values]\na = '{'x' * 200_000}'\n".encode())
    assert case.rendered(large) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ana",
        "it's",
        'C:\\new "folder"',
        'two\nlines with \\n and "quotes"',
        "\nan empty line first, and last\n",
        "'''\nthree apostrophes",
        "ends with an\napostrophe'",
        "Windows\r\nline",
        "controls \x00\x1b\x7f\nand a tab\t",
        "é 🙂 \x85 \u2028 \ufeff\n{braces} {{doubled}}",
    ],
)
def test_what_is_written_is_read_back_exactly(text):
    data = golden_case.written({"a": text, "b-c_1": "x"}, text)
    assert tomllib.loads(data.decode()) == {"text": text, "values": {"a": text, "b-c_1": "x"}}
    case = golden_case.read(data)
    assert (case.sound, case.expected, case.values) == (True, text, {"a": text, "b-c_1": "x"})
    assert data.endswith(b"\n")
    assert not data.endswith(b"\n\n")


def test_several_lines_are_written_as_people_read_them():
    data = golden_case.written({"a": "one\ntwo"}, "\\d {x}\nend").decode()
    assert data == "text = '''\\d {x}\nend'''\n\n[values]\na = '''one\ntwo'''\n"


def test_a_case_without_values():
    assert golden_case.read(golden_case.written({}, "x")).values == {}
