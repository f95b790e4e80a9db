"""Blocks: what is understood, what is written, and that both agree."""

import re
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from psreg.core.diagnostics import LineIndex, Mode
from psreg.lint.locate import judge
from psreg.protocols.plsp import PLSP
from psreg.protocols.plsp.block import (
    Assignment,
    Command,
    Kind,
    Value,
    canonical,
    lexeme_of,
    parsed,
    same_value,
    state_text,
    write,
)
from psreg.protocols.plsp.grammar import tokens_of, value_of
from psreg.protocols.plsp.reader import read_block
from psreg.protocols.plsp.recovery import MAX_FAULTS, RecoveringParser
from psreg.protocols.plsp.units import answer

LETTERS = st.sampled_from(string.ascii_letters)
TEXTS = st.text(st.characters(exclude_characters='"', exclude_categories=("Cs",)), max_size=20)
NUMBERS = st.from_regex(r"[0-9]{1,20}(\.[0-9]{1,20})?", fullmatch=True)
LEXEMES = st.one_of(TEXTS.map('"{}"'.format), NUMBERS, LETTERS.map("${}".format))
VALUES = LEXEMES.map(lambda lexeme: value_of(lexeme, 0))
ASSIGNMENTS = st.builds(Assignment, LETTERS, VALUES)
LOGS = st.builds(Command, st.just(">"), st.just(""), st.lists(VALUES, min_size=1).map(tuple))
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True)
ACTIONS = st.builds(Command, st.just("!"), NAMES, st.lists(VALUES).map(tuple))
STATEMENTS = st.lists(st.one_of(ASSIGNMENTS, LOGS, ACTIONS)).map(tuple)
BLANKS = st.text(" \t\r\n", max_size=2)


def codes(text):
    return [issue.code for issue in read_block(text).issues]


@given(STATEMENTS)
def test_reading_what_was_written_gives_the_same(statements):
    text = write(statements)
    block = read_block(text)
    assert block.statements == statements
    assert {issue.code for issue in block.issues} <= {"PLSP018", "PLSP019", "PLSP020"}
    assert write(block.statements) == text


@given(STATEMENTS, st.data())
def test_blanks_between_tokens_mean_nothing(statements, data):
    def spaced(*tokens):
        return "".join(token + data.draw(BLANKS) for token in tokens)

    def listed(values):
        return [part for value in values for part in (",", value.lexeme)][1:]

    text = ""
    for each in statements:
        if isinstance(each, Assignment):
            text += spaced(f"${each.name}", ":", each.value.lexeme, ";")
        else:
            comma = [","] if each.name and each.values else []
            text += spaced(each.sign, *filter(None, [each.name]), *comma, *listed(each.values), ";")
    assert read_block(f"S{{{data.draw(BLANKS)}{text}}}S").statements == statements


@given(STATEMENTS)
def test_the_slow_way_reads_what_the_fast_one_does(statements):
    text = "".join(write([each])[2:-2] for each in statements)
    found, at, named = [], 0, set()
    while at < len(text):
        tokens = tokens_of(text, at)
        faulty = RecoveringParser(text, tokens, named)
        found += faulty.statements()
        assert faulty.issues == []
        at = tokens[-1].end
    assert tuple(found) == statements


@given(st.text('S{}$:;>!,"# \n@a1.-=`') | st.text())
@example("S{" + '$a:"x" ' * 50 + "}S")
def test_whatever_is_answered_is_read(text):
    part = answer(0, text, "/next")
    index = LineIndex(text)
    for rule in PLSP.rules:
        for finding in rule.check(part):
            assert 0 <= finding.at.start <= finding.at.end <= len(text)
            assert index.position(finding.at.start)
    assert (parsed(part.block) is None) is (canonical(part.block) is None)
    if shortest := canonical(part.block):
        again = read_block(shortest)
        assert canonical(again) == shortest
        forgiven = {"PLSP012", "PLSP013", "PLSP016"}
        assert {issue.code for issue in again.issues} <= forgiven
        texts = {k: v.text for k, v in part.block.state.items()}
        assert {k: v.text for k, v in again.state.items()} == texts


@given(st.text('$:;>!,"# \na1.-=`{', max_size=30))
@example("$b:$x9-1;$x9:2;")
@example("!a,b.c;")
@example("$a:-5-1;")
def test_no_character_of_a_readable_block_is_dropped(statements):
    block = read_block(f"S{{{statements}}}S")
    strings = re.split('("[^"]*")', statements)
    said = "".join(
        re.sub(r"[\s;]", "", part) if n % 2 == 0 else part for n, part in enumerate(strings)
    )
    if block.readable:
        values = ((each, [value.lexeme for value in each.values]) for each in block.statements)
        kept = (
            f"${each.name}:{lexemes[0]}"
            if isinstance(each, Assignment)
            else each.sign + ",".join([*filter(None, [each.name]), *lexemes])
            for each, lexemes in values
        )
        assert said == "".join(kept)


@given(st.text('S{}$:;>!,"# \n@a1.-=`'))
def test_a_fix_takes_its_finding_away(text):
    for issue in read_block(text).issues:
        if issue.fix and issue.code != "PLSP021":
            fixed = text
            for change in sorted(issue.fix, key=lambda change: change.span, reverse=True):
                span = change.span
                fixed = fixed[: span.start] + change.replacement + fixed[span.end :]
            assert codes(fixed).count(issue.code) < codes(text).count(issue.code)


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ('S{>"he said "go" now";}S', "S{>\"he said 'go' now\";}S"),
        ('S{$a:"say \\"hi\\"";$b:2;}S', "S{$a:\"say 'hi'\";$b:2;}S"),
        ("S{!fetch,src;}S", 'S{!fetch,"src";}S'),
        ("S{$a:1}S", "S{$a:1;}S"),
        ("S{$a:1;;}S", "S{$a:1;}S"),
        ("S{$a:1 $b:2;}S", "S{$a:1 ;$b:2;}S"),
        ("```\nS{$a:1;}S\n```\n", "S{$a:1;}S"),
    ],
)
def test_fixes(text, fixed):
    (issue,) = read_block(text).issues
    for change in sorted(issue.fix, key=lambda change: change.span, reverse=True):
        text = text[: change.span.start] + change.replacement + text[change.span.end :]
    assert text == fixed
    assert codes(text) == []


def test_references_are_resolved_and_numbers_kept():
    block = read_block('S{$r:$i;$i:"x";$n:007;>"Temp",$n;!page,$r,$i;}S')
    assert parsed(block) == {
        "variables": {"r": '"x"', "i": '"x"', "n": "007"},
        "commands": [[">", '"Temp"', "007"], ["!", "page", '"x"', '"x"']],
    }


def test_what_is_in_doubt_is_not_parsed_and_not_written():
    for text in ("", "S{$a:1;", "S{$a:$b;}S", "S{$a:1;}S S{}S", "S{$a:1e5;}S"):
        assert parsed(read_block(text)) is None
        assert canonical(read_block(text)) is None


def test_what_is_read_for_a_reader_is_written_rightly():
    assert (
        canonical(read_block("So: S{ $a:1; ;$a:2;!fetch,src }S done")) == 'S{$a:2;!fetch,"src";}S'
    )


def test_values_mean_the_same_or_not():
    one, other, text = value_of("1.50", 0), value_of("01.5", 0), value_of('"1.5"', 0)
    assert same_value(one, other)
    assert one != other
    assert not same_value(one, text)
    assert not same_value(text, one)
    assert same_value(value_of('"src"', 0), Value(Kind.WORD, "src"))
    assert state_text({"a": one, "b": None}) == "S{$a:1.50;$b:?;}S"
    assert lexeme_of(None) == "?"


def test_a_variable_that_leads_into_a_circle_is_not_blamed():
    issues = read_block("S{$a:$b;$b:$c;$c:$b;$d:$a;$e:$x;$f:$e;}S").issues
    assert [(i.code, i.span.start) for i in issues] == [("PLSP020", 8), ("PLSP019", 29)]


def test_many_findings_are_counted_and_a_few_listed():
    part = answer(0, "S{" + ";" * 400 + "}S", "/next")
    found = [d for d in judge(PLSP.rules, part, part, "", Mode.READ) if d.code == "PLSP007"]
    assert len(found) < 10
    assert f"and {400 - len(found)} more" in found[-1].message


def test_a_string_of_quotation_marks_is_not_fixed():
    (few,), (many,) = (read_block("S{$a:" + '"' * count + ";}S").issues for count in (6, 600))
    assert (few.code, len(few.fix)) == ("PLSP021", 4)
    assert (many.code, many.fix, many.fix_title) == ("PLSP021", (), "")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("S{!wait", ["PLSP002"]),
        ('S{$a:1;$b:"', ["PLSP022"]),
        ('S{$a:"a"b";}S', ["PLSP022"]),
        ('S{$a:"x\\"";}S', ["PLSP022"]),
        ("S{!a b c;}S", ["PLSP024", "PLSP009"]),
        (" ", ["PLSP001"]),
        ("S{$a:(;}S", ["PLSP014"]),
        ("S{$a:(1;}S", ["PLSP014"]),
        ("S{$a:( 1;}S", ["PLSP014", "PLSP009"]),
        ("S{$a b:1;}S", ["PLSP010"]),
        ("S{$ :1;}S", ["PLSP011"]),
        ("S{>$ ;}S", ["PLSP011"]),
        ("S{!}S", ["PLSP023"]),
        ('S{$a:"x" y;}S', ["PLSP009"]),
        ("S{$a:1;# x", ["PLSP002"]),
        ("S{# x}S", ["PLSP005"]),
        ("S{$a1:1;$b:$a1;}S", ["PLSP013"]),
        ("S{;} S", ["PLSP007", "PLSP024"]),
        ("S{$b:$x9-1;$x9:2;}S", ["PLSP013", "PLSP009"]),
        ('S{$a:$7"x";$7:1;}S', ["PLSP013", "PLSP009"]),
        ("S{>$abc{;$abc:1;}S", ["PLSP012", "PLSP009"]),
        ("S{$a:-5-1;}S", ["PLSP016", "PLSP009"]),
        ("S{!fetch,src.txt;}S", ["PLSP017", "PLSP009"]),
    ],
)
def test_more_that_is_wrong(text, found):
    assert codes(text) == found


@pytest.mark.parametrize("fault", [";", "x;", "$a:1 "])
@pytest.mark.parametrize(
    "times", [MAX_FAULTS + 2, pytest.param(300_000, marks=pytest.mark.unmeasured)]
)
def test_there_is_an_end_to_faults(fault, times):
    block = read_block("S{" + fault * times + "}S")
    faults = [issue.code for issue in block.issues if issue.code != "PLSP018"]
    assert len(faults) == MAX_FAULTS + 1
    assert (faults[-1], faults.count("PLSP025"), block.readable) == ("PLSP025", 1, False)
    assert "PLSP025" not in codes("S{" + ";" * MAX_FAULTS + "}S")
