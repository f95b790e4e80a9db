"""The command line of a user's turn: what is read of it, and what is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.diagnostics import Mode
from psreg.protocols.vpp.command import MAX_MODIFIERS, read_command, write_command
from psreg.protocols.vpp.units import parsed
from psreg.protocols.vpp.vocabulary import ASSISTANT_TAGS, CANONICAL, FLAGS, USER_TAGS
from support.vpp import judged, units

ERROR = "error"


@pytest.mark.parametrize(
    ("line", "tag", "modifiers"),
    [
        ("!<g>", "g", []),
        ("!<o_f>", "o_f", []),
        ("!<g>  \t", "g", []),
        ("!<q> --minor", "q", ["minor"]),
        ("!<q>\t--minor \t --correct ", "q", ["minor", "correct"]),
        ("!<o> --correct --<q>", "o", ["correct", "<q>"]),
        ("!<q> --assumptions=2", "q", ["assumptions=2"]),
        ('!<q> --assumptions="2"', "q", ["assumptions=2"]),
        ("!<q> --locus=draft-2", "q", ["locus=draft-2"]),
        ('!<q> --locus="the draft"', "q", ["locus=the draft"]),
        ("!<e> --<g>", "e", ["<g>"]),
        ("!<e_o>", "e_o", []),
        ("!<g>\nand !<q> --nonsense below", "g", []),
        ("!<g>\r\ntext", "g", []),
    ],
)
def test_a_sound_command_is_read_and_nothing_is_said(line, tag, modifiers):
    assert judged(line) == []
    assert parsed(units(line)[0]) == {"tag": tag, "modifiers": modifiers, "footer": None}


@pytest.mark.parametrize(
    ("line", "code", "place"),
    [
        ("", "VPP001", ""),
        ("  ", "VPP001", "  ".strip()),
        ("hello\nthere", "VPP001", "hello"),
        ("<g>", "VPP001", "<g>"),
        ("!g", "VPP001", "!g"),
        ("! <g>", "VPP001", "! <g>"),
        ("!<1>", "VPP001", "!<1>"),
        ("!<g", "VPP001", "!<g"),
        ("!<x>", "VPP002", "<x>"),
        ("!<G>", "VPP002", "<G>"),
        ("!<g> text on same line", "VPP003", "text on same line"),
        ("!<g>--minor", "VPP003", "--minor"),
        ("!<g> --minor--correct", "VPP003", "--minor--correct"),
        ("!<q> --assumptions=", "VPP003", "--assumptions="),
        ("!<q> -- minor", "VPP003", "-- minor"),
        ('!<q> --locus="open', "VPP003", '--locus="open'),
        ("!<q> --CORRECT", "VPP004", "--CORRECT"),
        ("!<q> --q", "VPP004", "--q"),
        ("!<q> --nonsense=1", "VPP004", "--nonsense=1"),
        ("!<q> --minor --major", "VPP005", "--major"),
        ("!<q> --correct --minor --incorrect", "VPP005", "--incorrect"),
        ("!<q> --<g> --<o>", "VPP005", "--<o>"),
        ("!<q> --assumptions=1 --assumptions=2", "VPP005", "--assumptions=2"),
        ("!<q> --assumptions=two", "VPP006", "--assumptions=two"),
        ("!<q> --assumptions", "VPP006", "--assumptions"),
        ("!<q> --locus", "VPP006", "--locus"),
        ('!<q> --locus=""', "VPP006", '--locus=""'),
        ("!<q> --minor=1", "VPP006", "--minor=1"),
        ("!<q> --<e>", "VPP007", "--<e>"),
        ("!<o> --correct --<wrong>", "VPP007", "--<wrong>"),
        ("!<q>\xa0", "VPP003", "\xa0"),
        ("!<q> --minor\u2028", "VPP003", "--minor\u2028"),
        ("\n!<g>", "VPP009", "\n"),
        ("\ufeff!<g>", "VPP009", "\ufeff"),
        (" \r\n !<g>", "VPP009", " \r\n "),
    ],
)
def test_one_mistake_is_one_error(line, code, place):
    assert judged(line) == [(0, code, ERROR, place)]


def test_a_repeated_modifier_is_a_warning():
    assert judged("!<q> --minor --minor") == [(0, "VPP008", "warning", "--minor")]
    assert judged("!<q> --<g> --<g>") == [(0, "VPP008", "warning", "--<g>")]


@pytest.mark.parametrize("line", ["!<q> --nonsense", "\n!<q>"])
def test_reading_is_more_patient(line):
    ((_, _, level, _),) = judged(line, mode=Mode.READ)
    assert level == "warning"


def test_hints_say_what_was_meant():
    def hint(line):
        return read_command(line).issues[0].hint

    assert "`--<q>`" in hint("!<o> --q")
    assert "`--correct`" in hint("!<o> --CORRECT")
    assert "`--incorrect`" in hint("!<o> --false")


@pytest.mark.parametrize("line", ["hello", "!<x> text", "!<g> text"])
def test_what_is_no_command_to_its_end_is_not_parsed(line):
    assert parsed(units(line)[0]) is None


def test_a_thousand_modifiers_are_a_few_findings():
    found = judged("!<q>" + " --minor --major" * 2000)
    assert len(found) == 41


MODIFIERS = st.one_of(
    st.sampled_from(FLAGS),
    st.sampled_from(ASSISTANT_TAGS).map("<{}>".format),
    st.integers(0, 999).map("assumptions={}".format),
    st.text(min_size=1).map("locus={}".format),
)


@given(st.sampled_from(USER_TAGS), st.lists(MODIFIERS, max_size=4))
def test_a_line_that_can_be_written_is_clean_and_reads_back(tag, modifiers):
    try:
        line = write_command(tag, modifiers)
    except ValueError:
        return
    assert judged(line) == []
    command = read_command(line).command
    assert (command.tag, [m.text for m in command.modifiers]) == (tag, modifiers)


@pytest.mark.parametrize(
    ("tag", "modifiers"),
    [
        ("x", []),
        ("q", ["minor", "major"]),
        ("q", ["minor --correct"]),
        ("q", ["minor\nhello"]),
        ("q", ["locus=a\nb"]),
        ("q", ['locus=a"b']),
        ("q>\n<", []),
        ("", []),
    ],
)
def test_a_line_that_breaks_a_rule_is_not_written(tag, modifiers):
    with pytest.raises(ValueError):
        write_command(tag, modifiers)


def test_the_pipeline_leads_from_tag_to_tag():
    assert [step.tag for step in CANONICAL.steps] == ["g", "q", "o", "c", "o_f"]
    assert [CANONICAL.after(tag) for tag in ("g", "c", "o_f", "e")] == ["q", "o_f", "g", "g"]
    assert (CANONICAL.locus("o"), CANONICAL.locus("e")) == ("draft", "")


def test_only_so_many_modifiers_are_read():
    whole = read_command("!<g>" + " --<q>" * MAX_MODIFIERS)
    assert whole.command.whole
    line = read_command("!<g>" + " --<q>" * (MAX_MODIFIERS + 1))
    assert len(line.command.modifiers) == MAX_MODIFIERS
    assert not line.command.whole
    many = f"there are more than {MAX_MODIFIERS} modifiers"
    assert [issue.message for issue in line.issues if issue.code == "VPP003"] == [many]
