"""The footer of an answer: its place, its form, its fields."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.diagnostics import Mode, Span
from psreg.protocols.vpp import VPP
from psreg.protocols.vpp.footer import read_footer, write_footer
from support.vpp import FIELDS, FOOTER, answer, fixed, footer, judged, units


def of(last, body="body"):
    return [(c, level, place) for _, c, level, place in judged("!<q>", f"<q>\n{body}\n{last}")]


@pytest.mark.parametrize(
    "last",
    [
        FOOTER,
        f"{FOOTER}\n\n  \n",
        f"{FOOTER}  ",
        f"{FOOTER}\r\n",
        footer(Sources="<none>"),
        footer(Locus=""),
        footer(Locus="any words, even = and [these"),
        footer(Assumptions="12", Cycle="3/3"),
    ],
)
def test_a_sound_footer_is_clean(last):
    assert of(last) == []


@pytest.mark.parametrize(
    ("last", "code", "place"),
    [
        ("the end", "VPP020", "the end"),
        ("Sources: none. Assumptions: none.", "VPP020", "Sources: none. Assumptions: none."),
        (f"{FOOTER}\nBye.\n\nBye!", "VPP021", "Bye.\n\nBye!"),
        (FOOTER[1:], "VPP023", FOOTER[1:]),
        (f"**{FOOTER}**", "VPP023", f"**{FOOTER}**"),
        ("[Version=v1.4]", "VPP023", "[Version=v1.4]"),
        (footer(Sources="a|b"), "VPP023", footer(Sources="a|b")),
        (footer(Sources="a]b"), "VPP023", footer(Sources="a]b")),
        (footer(Extra="1"), "VPP023", footer(Extra="1")),
        (f"{FOOTER[:-1]} | Locus=b]", "VPP023", f"{FOOTER[:-1]} | Locus=b]"),
        (footer(Version="1.4"), "VPP025", "1.4"),
        (footer(Version="v1.4.0"), "VPP025", "v1.4.0"),
        (footer(Tag="x_1"), "VPP025", "x_1"),
        (footer(Tag="<q"), "VPP025", "<q"),
        (footer(Tag=""), "VPP025", ""),
        (footer(Sources=""), "VPP025", ""),
        (footer(Assumptions="few"), "VPP025", "few"),
        (footer(Assumptions="<1>"), "VPP025", "<1>"),
        (footer(Assumptions="٣"), "VPP025", "٣"),
        (footer(Cycle="0/3"), "VPP025", "0/3"),
        (footer(Cycle="4/3"), "VPP025", "4/3"),
        (footer(Cycle="1/4"), "VPP025", "1/4"),
        (footer(Cycle="1"), "VPP025", "1"),
        (footer(Version="vX.Y"), "VPP025", "vX.Y"),
        (footer(Cycle="1 / 4"), "VPP025", "1 / 4"),
        (FOOTER.replace(" | ", "; "), "VPP023", FOOTER.replace(" | ", "; ")),
        (footer(Version="v1.5"), "VPP026", "v1.5"),
        (footer(Tag="o_1"), "VPP028", "o_1"),
    ],
)
def test_one_mistake_is_one_error(last, code, place):
    assert of(last) == [(code, "error", place)]


@pytest.mark.parametrize(
    ("last", "code", "level", "place"),
    [
        (footer(Tag="q"), "VPP027", "warning", "q"),
        (footer(Tag="<q>"), "VPP027", "warning", "<q>"),
        (footer(Tag="<q_1>"), "VPP027", "warning", "<q_1>"),
        (footer(Tag="q_7"), "VPP029", "info", "q_7"),
        (footer(Locus="<draft>"), "VPP031", "info", "<draft>"),
    ],
)
def test_some_things_are_only_mentioned(last, code, level, place):
    assert of(last) == [(code, level, place)]


def test_each_second_footer_is_a_warning():
    assert of(FOOTER, body=f"{FOOTER}\n`{FOOTER}`\n{FOOTER}") == [("VPP022", "warning", FOOTER)] * 2
    codes = [code for code, _, _ in of(f"{FOOTER}\nBye.", body=FOOTER)]
    assert codes == ["VPP021", "VPP022"]


def test_bad_values_are_all_told_at_once():
    found = of(footer(Version="v1", Assumptions="-1", Cycle="9/9"))
    assert [place for _, _, place in found] == ["v1", "-1", "9/9"]


def test_faults_of_the_form_are_one_finding_and_values_are_told_beside_it():
    found = of("[Version=v1.4 | Tag=q_1 | Tag=q_1 | Assumptions=? | a | b | c | d | e | f]")
    assert [code for code, _, _ in found] == ["VPP023", "VPP025"]


@pytest.mark.parametrize(
    ("last", "right"),
    [
        (FOOTER.replace(" | ", "|"), FOOTER),
        (FOOTER.lower().replace("none", "None"), FOOTER.replace("none", "None")),
        (f"  {FOOTER}", FOOTER),
        (FOOTER.replace("=", " = "), FOOTER),
        (FOOTER.replace("1/3", "1 / 3").replace("v1.4", "V1.4").replace("q_1", "Q_1"), FOOTER),
        (
            "[Tag=q_1 | Version=v1.4 | Sources=none | Assumptions=0 | Cycle=1/3 | Locus=research]",
            FOOTER,
        ),
    ],
)
def test_spelling_is_an_error_a_warning_when_reading_and_fixed(last, right):
    assert of(last) == [("VPP024", "error", last)]
    reply = f"<q>\nbody\n{last}"
    ((_, code, level, _),) = judged("!<q>", reply, mode=Mode.READ)
    assert (code, level) == ("VPP024", "warning")
    assert fixed("!<q>", reply) == f"<q>\nbody\n{right}"


@pytest.mark.parametrize(
    ("command", "number", "codes"),
    [
        ("!<q> --assumptions=2", "2", []),
        ("!<q> --assumptions=2", "02", []),
        ("!<q> --assumptions=2", "3", ["VPP030"]),
        ("!<q>", "3", []),
    ],
)
def test_the_footer_counts_what_was_expected(command, number, codes):
    found = judged(command, answer(Assumptions=number))
    assert [code for _, code, _, _ in found] == codes


def test_the_declared_version_is_the_one_to_name():
    assert judged("!<q>", answer(Version="v1.5"), declared="1.5") == []
    assert [c for _, c, _, _ in judged("!<q>", answer(), declared="1.5")] == ["VPP026"]


def test_tags_are_counted_one_by_one():
    texts = ["!<q>", answer(), "!<o>", answer("o"), "!<q>", answer(Tag="q_2")]
    assert judged(*texts) == []


@given(st.fixed_dictionaries({name: st.text(max_size=8) for name in FIELDS}))
def test_what_can_be_written_reads_back_clean(values):
    values = {**FIELDS, **values}
    for name in FIELDS:  # each field on its own, since six random ones are hardly ever right
        mixed = {**FIELDS, name: values[name]}
        try:
            line = write_footer(mixed)
        except ValueError:
            continue
        closing = read_footer(line, Span(0, len(line)))
        assert (closing.issues, dict(closing.footer.values)) == ((), mixed)


@given(st.text(max_size=60))
def test_any_last_line_is_read_and_fixes_help(last):
    reply = f"<q>\nbody\n{last}"
    judged("!<q>", reply)
    better = fixed("!<q>", reply)
    assert "VPP024" not in [code for _, code, _, _ in judged("!<q>", better)]


@pytest.mark.parametrize("locus", ["a|b", "a]b", "a\nb", " a"])
def test_a_footer_that_cannot_be_read_is_not_written(locus):
    with pytest.raises(ValueError):
        write_footer({**FIELDS, "Locus": locus})


WORDS = ["!", "<", ">", "q", "o_f", "e", "--", "minor", "<q>", "=", "Tag=", "Cycle=1/3", FOOTER]
MARKS = ['"', " ", "\n", "\r\n", "\ufeff", "[", "]", "|", " | ", "Version=v1.4", "٣", "\u2028"]
PIECES = st.sampled_from(WORDS + MARKS)


@given(st.lists(st.lists(PIECES, max_size=12).map("".join), max_size=5))
def test_whatever_is_said_every_place_lies_in_its_message(texts):
    for unit in units(*texts):
        for rule in VPP.rules:
            for finding in rule.check(unit):
                assert 0 <= finding.at.start <= finding.at.end <= len(unit.text)
                changes = sorted(change.span for change in finding.fix)
                assert all(a.end <= b.start for a, b in pairwise(changes))
        parsed = VPP.parsed(unit)
        assert parsed is None or set(parsed) == {"tag", "modifiers", "footer"}


def test_a_message_is_never_as_long_as_what_it_is_about():
    long = "x" * 5000
    texts = ["!<q>", f"<{long}>\n[{long}]", f"!<{long}>", f"<q>\n{footer(Locus=f'<{long}>')}"]
    texts += [f"!<q> --{long}", f"<q>\nbody\n{footer(Tag=long).lower()}"]
    for unit in units(*texts):
        for rule in VPP.rules:
            assert all(len(f.message) + len(f.hint) <= 600 for f in rule.check(unit))
