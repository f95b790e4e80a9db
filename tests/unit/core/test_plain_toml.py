"""Plain TOML is what Python's reader of TOML says; the rest is left to that."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.plain_toml import plain_toml

PLAIN = """\
# the registries of the team: ä
registry = "prompts.example.org"

[policy]
"licence of it" = "MIT"

[registries."prompts.example.org"]
url = "https://prompts.example.org/a?b=c#d"
root_sha256 = ""

[registries.other-1]
url = "one = two, [three]"
"""

LINES = st.sampled_from(
    [
        *(
            "",
            "#",
            "# a",
            "#\t",
            "[a]",
            "[b]",
            "[a.b]",
            '["a"]',
            '[a."b"]',
            "[a.b.c]",
            "[[a]]",
            "[",
        ),
        *(
            'a = "b"',
            'b = "c"',
            '"a" = "é"',
            '"a.b" = ""',
            'a = "b" # c',
            "a = 'b'",
            'a="b"',
            "a = 1",
        ),
        *(
            'a.b = "c"',
            'a = "b\\n"',
            'a = """"""',
            'a = "b\tc"',
            'a = ["b"]',
            "a",
            ' a = "b"',
            "[]",
        ),
        *('a = "b"\r', 'é = "a"', '[a.b] # "]', '[a."b.c"]', '["a.b"]', '- = "a"', '[a"b]', "[a.]"),
        *('a = "b"c"', 'a = "\u200b"', 'a = "\x7f"', "[ a ]", 'a = "', '= "a"', '"" = "a"', '[""]'),
    ]
)


def test_tables_of_texts_are_plain():
    assert plain_toml(PLAIN) == tomllib.loads(PLAIN)
    assert plain_toml("") == {}


@given(st.lists(LINES, max_size=5).map("\n".join) | st.text('ab[]".=\n \\#', max_size=20))
def test_law_what_is_plain_is_read_as_by_python(text):
    if (found := plain_toml(text)) is not None:
        assert found == tomllib.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        *('a = "b"\na = "c"', "[a]\n[a]", '[a]\nb = "c"\n[a.b]', 'a = "b"\n[a.b]', "[a.b]\n[a.b]"),
        *("a = 1", "[a.b.c]", 'a = "\\""', 'a = "b" # c', "# \0", "[a", "[]", '[a]\r\nb = "c"'),
    ],
)
def test_what_may_be_wrong_or_more_is_left_to_python(text):
    assert plain_toml(text) is None
