"""Golden cases: what a file says, and what it refuses to work out."""

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
