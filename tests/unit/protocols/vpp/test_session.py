"""A conversation while it is held: what is expected, what is written, how it recovers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.core.diagnostics import Mode
from psreg.protocols.protocol import Options
from psreg.protocols.vpp.session import Session
from psreg.protocols.vpp.system_prompt import system_prompt
from psreg.protocols.vpp.vocabulary import ASSISTANT_TAGS, FLAGS, USER_TAGS
from support.vpp import FOOTER, answer


def begin(mode=Mode.STRICT, declared=""):
    return Session.beginning(Options(version="1.4", declared=declared, mode=mode))


def codes(session):
    return [remark.code for remark in session.remarks]


def exchange(session, command, reply=None):
    """The session after a command, answered by `reply` or as the session itself would answer."""
    session = session.user_turn(command)
    return session.assistant_turn(reply if reply is not None else session.reply("body"))


def test_it_follows_the_pipeline():
    session, lines, footers = begin(), [], []
    assert (session.next_tag, session.expected_tag, session.recovery) == ("g", "", None)
    for _ in range(6):
        lines.append(session.command_line())
        session = session.user_turn(lines[-1])
        footers.append(session.footer())
        session = session.assistant_turn(session.reply("body"))
        assert session.remarks == ()
    assert lines == ["!<g>", "!<q>", "!<o>", "!<c>", "!<o_f>", "!<g>"]
    assert [f.split(" | ")[1] for f in footers] == [
        "Tag=g_1", "Tag=q_1", "Tag=o_1", "Tag=c_1", "Tag=o_f_1", "Tag=g_2"
    ]  # fmt: skip
    assert [f.split(" | ")[4] for f in footers] == [f"Cycle={n}/3" for n in (1, 2, 3, 1, 2, 3)]
    assert [f.split(" | ")[5] for f in footers] == [
        f"Locus={x}]" for x in ("research", "research", "draft", "eval", "delivery", "research")
    ]


def test_it_knows_what_is_expected_now():
    session = exchange(begin(), "!<o>").user_turn('!<o> --assumptions=2 --locus="my part" --<q>')
    assert (session.expected_tag, session.tag_index, session.cycle) == ("o", 2, 2)
    assert session.locus == "my part"
    assert session.footer(sources="notes") == (
        "[Version=v1.4 | Tag=o_2 | Sources=notes | Assumptions=2 | Cycle=2/3 | Locus=my part]"
    )
    after = session.assistant_turn(session.reply("body"))
    assert (after.next_tag, after.expected_tag) == ("q", "")
    assert after.command_line(modifiers=["minor"]) == "!<q> --minor"


def test_it_goes_on_with_the_cycle_that_was_written():
    session = exchange(begin(), "!<q>", answer(Cycle="3/3"))
    assert session.cycle == 1
    assert exchange(begin(), "!<q>", "<q>\nno footer").cycle == 2


@pytest.mark.parametrize("locus", ["a|b", "a]b", " "])
def test_a_locus_that_no_footer_can_hold_is_left_out(locus):
    assert begin().user_turn(f'!<o> --locus="{locus}"').locus == "draft"


def test_an_error_has_the_locus_of_the_assistant():
    assert begin().user_turn("!<e>").footer().endswith("Locus=assistant]")


def test_every_turn_is_judged_when_it_comes():
    session = begin().user_turn("!<q> --nonsense")
    assert codes(session) == ["VPP004"]
    assert session.broken
    assert not begin(Mode.READ).user_turn("!<q> --nonsense").broken
    session = exchange(begin(), "!<q>", f"!<q>\nbody\n{FOOTER}")
    assert [(r.code, r.severity, r.finding.fix_title) for r in session.remarks] == [
        ("VPP012", "error", "Remove the exclamation mark")
    ]
    assert session.turns == 2


def test_after_a_violation_the_user_returns_to_gathering_or_a_question():
    for asked, line in (
        ("g", "!<g> --incorrect"),
        ("q", "!<q> --incorrect"),
        ("o", "!<q> --incorrect"),
    ):
        session = exchange(begin(), f"!<{asked}>", "Sure!\nHere.")
        assert session.command_line() == line
    session = exchange(begin(), "!<q>", "Sure!\nHere.")
    assert session.recovery.command_line == session.command_line() == "!<q> --incorrect"
    assert "the first line is not a tag; the last line is not a footer" in session.recovery.reason
    session = exchange(session, session.command_line())
    assert (session.remarks, session.recovery, session.next_tag) == ((), None, "o")


def test_a_wrong_footer_is_taken_up_by_a_critique():
    session = exchange(begin(), "!<o>", "<o>\nbody")
    assert session.command_line() == "!<c> --incorrect"
    assert exchange(session, session.command_line()).remarks == ()
    session = exchange(begin(), "!<o>", "<e>\nWhat is meant?")
    assert session.command_line() == "!<q> --incorrect"


def test_after_an_answer_to_nothing_the_user_asks_a_question():
    session = exchange(exchange(begin(), "!<q>"), "Go on.", "Sure!")
    assert session.recovery.command_line == "!<q> --incorrect"
    session = session.user_turn("!<e>")
    assert session.expected_tag == "e"
    session = session.assistant_turn(session.reply("The last answer had no tag."))
    assert (session.remarks, session.command_line()) == ((), "!<q> --incorrect")


def test_after_an_invalid_command_the_operator_says_so():
    session = begin().user_turn("!<c> --minor --major")
    assert session.expected_tag == "e"
    assert session.recovery.command_line == "!<e_o>"
    session = session.assistant_turn(session.reply("The modifiers contradict each other."))
    assert codes(session) == ["VPP016"]
    assert session.command_line() == "!<e_o>"
    session = exchange(session, "!<e_o>")
    assert (session.remarks, session.command_line()) == ((), "!<q> --incorrect")
    session = session.user_turn(session.command_line())
    assert (session.remarks, session.recovery) == ((), None)


def test_a_beginning_without_a_command_is_begun_again():
    session = begin().user_turn("Hello")
    assert session.recovery.command_line == "!<g>"
    with pytest.raises(ValueError, match="no command is waiting"):
        session.footer()


def test_what_would_not_be_clean_is_not_written():
    session = begin().user_turn("!<q>")
    with pytest.raises(ValueError, match="contains a footer"):
        session.reply(f"See:\n{FOOTER}")
    with pytest.raises(ValueError, match="Sources"):
        session.reply("body", sources="")
    with pytest.raises(ValueError, match="describe the error"):
        begin().user_turn("!<e>").reply(" ")
    with pytest.raises(ValueError, match="contradict"):
        session.command_line("q", ["minor", "major"])


def test_the_declared_version_is_written():
    assert begin(declared="1.5").user_turn("!<g>").footer().startswith("[Version=v1.5 |")


MODIFIERS = st.lists(
    st.sampled_from(
        [*FLAGS, *(f"<{tag}>" for tag in ASSISTANT_TAGS), "assumptions=2", "locus=a b"]
    ),
    max_size=3,
)
TURNS = st.lists(
    st.tuples(st.sampled_from(["", *USER_TAGS]), MODIFIERS, st.text(), st.text()), max_size=8
)


@given(TURNS)
def test_a_conversation_that_a_session_writes_is_clean(turns):
    session = begin()
    for tag, modifiers, said, body in turns:
        try:
            line = session.command_line(tag, modifiers)
        except ValueError:
            continue
        session = session.user_turn(f"{line}\n{said}")
        assert {remark.code for remark in session.remarks} <= {"VPP010"}
        try:
            reply = session.reply(body)
        except ValueError:
            reply = session.reply("body")
        session = session.assistant_turn(reply)
        assert session.remarks == ()


def test_the_instruction_shows_a_footer_that_is_clean():
    text = system_prompt("1.4")
    line = next(line for line in text.split("\n") if line.startswith("[Version"))
    assert exchange(begin(), "!<g>", f"<g>\nbody\n{line}").remarks == ()
    assert all(f"- {tag}: " in text for tag in USER_TAGS)
