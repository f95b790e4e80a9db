"""A gate never shuts out a text in which its pattern matches, and shuts out most others."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats import pbe
from psreg.lint.content import texts
from psreg.lint.content.pattern_gates import Gate, with_any_blanks
from psreg.lint.content.pattern_tables import any_spelling, hosts, table
from psreg.lint.content.search_marks import MarkIndex
from support.beginnings import LONGEST, beginnings
from support.generated import MATCHES
from support.walks import sampled

ROWS = [
    row
    for name in ("access", "idioms", "payloads", "secrets", "threats")
    for code, rows in table(name).items()
    if isinstance(rows, list) and rows and isinstance(rows[0], dict) and "pattern" in rows[0]
    for row in any_spelling(name, code).rows
]
PATTERNS = [(row, pattern) for row in ROWS for pattern in row.spellings]


def lets(pattern, text):
    gate, content = Gate.of(pattern), texts.of_readme(text)
    # NOTE: of the first text, no words are looked up.
    first = gate.lets(content)
    assert gate.lets(content) == first
    gate = Gate.of(pattern)
    gate.lets(BEFORE)
    assert first or not gate.lets(content)
    return gate.lets(content)


BEFORE = texts.of_readme("?")


@pytest.mark.parametrize(("row", "each"), sampled(PATTERNS, 30))
def test_no_match_is_shut_out(row, each):
    before = compiled(each, rf"(?:{each.only_after})\Z")
    regex = compiled(each, each.pattern)
    index = MarkIndex([each.demands, row.demands])

    @MATCHES
    @given(st.from_regex(before) if each.only_after else st.just(""), drawn(each, each.pattern))
    def shut_out(first, then):
        text = first + then
        match = regex.search(text)
        # NOTE: without its accents, a word may be found inside another; it is not looked for there.
        inside = each is not row.spellings[0] and match and text[: match.start()][-1:].isalnum()
        if match and not inside and before.search(text[: match.start()]):
            content = texts.of_readme(text)
            assert each.gate.lets(content)
            assert index.possible(content.marks) == 0b11
            assert not any(map(content.marks.isdisjoint, row.words))
            assert row.gate is None or row.gate.lets(content)

    shut_out()


def drawn(row, pattern):
    """Return texts in which a pattern mostly matches."""
    # NOTE: Hypothesis writes out what a pattern looks ahead for, and then what comes there again.
    ahead = compiled(row, without_lookahead(pattern))
    return st.from_regex(compiled(row, pattern)) | st.from_regex(ahead)


def without_lookahead(pattern):
    while (at := pattern.find("(?=")) >= 0:
        depth, end = 0, at
        for token in re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]", pattern[at:]):
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            if not depth:
                end = at + token.end()
                break
        pattern = pattern[:at] + pattern[end:]
    return pattern


def test_a_pattern_without_lookahead():
    assert without_lookahead(r"a(?=b[)\]](?:c|\)))d(?=e)(?!f)") == "ad(?!f)"


def compiled(row, pattern):
    return re.compile(with_any_blanks(pattern), 0 if row.cased else re.IGNORECASE)


@pytest.mark.parametrize("row", [*ROWS, *hosts().rows], ids=lambda row: row.spellings[0].id)
def test_what_is_known_of_a_row_is_what_it_demands(row):
    again = "print data/words.toml and phrases.toml again: tests/bench/rare_words.py"
    assert row.words, again
    assert row.gate is None or row.gate.clauses == row.clauses, again
    for words in row.words:
        assert words in row.demands, again
    assert row.anchors == row.words[0]


def test_nothing_is_left_of_a_row_that_is_gone():
    rows = {row.spellings[0].id for row in (*ROWS, *hosts().rows)}
    assert {name for names in table("words").values() for name in names} == rows
    assert {name for names in table("phrases").values() for name in names} == rows
    assert all(row.id == row.spellings[0].id for row in (*ROWS, *hosts().rows))


@pytest.mark.parametrize(
    ("pattern", "text", "other"),
    [
        (r"\bwrite\b.{0,9}\bprompts?\b", "Write a PROMPT", "write; sprompt"),
        ("your prompt", "about your \n prompt", "your own prompt"),
        ("the (?:secret )?(?:key|code)", "the code, the secret key", "the secret, key"),
        ("show(?: me)? it", "show it", "show me that"),
        (r"(?:is|in)_?(?:sandbox|vm)\(", "if is_vm():", "is visible in vmlinux"),
        (r"(?:\b(?:nc|ncat) -e|/dev/tcp)", "cat < /dev/tcp/x", "/dev/null"),
        ("(?:one|two) .{0,9}(?:three|[0-9]{2})", "one 33", "three"),
        (r"summari[sz]e(?=\s)(?! it)", "summarise ", "summarie"),
        ("(?P<first>one)(?P=first)x+", "oneonexx", "two"),
        (r"(?<![a-z0-9])sk-", "a sk-", "ask-"),
        (r"a\x62c \.net", "abc .net", "abc net"),
        ("don['’]t say", "Don’t say", "do not say"),
        (r"rm -r?f \$", "rm -f $", "rm -f x"),
        ("(?:evil|böse|süß) ki", "BÖSE KI", "se ki"),
        ("(?:evil|böse) (?:ki|ai)|(?:an )?ai (?:that was|who is) (?:bad|mad)", "evil ki", "an ai"),
        ("(?:aa|bb)+c{0,3}", "bb", "cc"),
        ("(?: )+key", "a  key", "a kez"),
        ("key{x", "a key{x", "a kez{x"),
        (r"key\^(?:one|two)", "a KEY^two", "a key^tow"),
        ("[:,] -(?:key|code)s\\b", "x: -keys", "x: -key-"),
    ],
)
def test_it_asks_for_the_phrases_of_a_pattern(pattern, text, other):
    assert lets(pattern, text)
    assert not lets(pattern, other)


@pytest.mark.parametrize("pattern", ["[a-z]{3}", ".", "", "(?:a|[0-9])", "жж", "(?:word|[0-9]+)"])
def test_what_may_be_any_text_asks_for_nothing(pattern):
    assert lets(pattern, "?")


def test_a_phrase_may_be_split_over_the_values_of_a_pbe():
    document = pbe.read(b'{"a": "reveal your", "b": "prompt", "c": 1}')
    assert Gate.of("your prompt").lets(texts.of_pbe(document))
    assert not Gate.of("prompt your").lets(texts.of_pbe(document))


@pytest.mark.parametrize("row", [each.spellings[0] for each in ROWS], ids=lambda row: row.id)
def test_every_match_begins_with_one_of_the_starts(row):
    def is_known(text):
        words = re.sub(r"[\W_]+", " ", text)
        return any(
            (words if start[:-1].isalnum() and start[-1] == " " else text).startswith(start)
            or (" " in start and words.startswith(start))
            for start in row.starts
        )

    found = beginnings(with_any_blanks(row.pattern))
    unknown = {text for text in found if not is_known(text.replace("ı", "i"))}
    assert not {text for text in unknown if len(text) < LONGEST - 1}
