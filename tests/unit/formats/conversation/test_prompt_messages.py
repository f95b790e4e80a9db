"""The messages of a `.prompt`: their roles in METADATA, their texts in CONTENT."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats import dotprompt
from psreg.formats.conversation.prompt_messages import ROLES, are_messages, messages, roles_named

META = "[METADATA]\n@dotprompt_format_version 0.0.1\n"


def prompt(roles, content):
    """Return a `.prompt` that names `roles`, unless that is None."""
    line = "" if roles is None else f"@messages {roles}\n"
    return dotprompt.read(f"{META}{line}[CONTENT]\n{content}\n".encode())


def said(roles, content):
    """Return role and text of each message, with `<name>` for a variable."""
    return [
        (role, "".join(part if isinstance(part, str) else f"<{part.name}>" for part in parts))
        for role, parts in messages(prompt(roles, content))
    ]


@pytest.mark.parametrize(
    ("roles", "content", "expected"),
    [
        ("system", "user:\nHi.", [("system", "user:\nHi.")]),
        ("user", "Hi {name}.", [("user", "Hi <name>.")]),
        ("system,user", "system:\nA\n\nuser:\nB", [("system", "A"), ("user", "B")]),
        (
            " developer ,  user, assistant",
            "\n\ndeveloper:\n\n  A {a}\n \nuser:\n{b}{a}\n\nassistant:",
            [("developer", "  A <a>"), ("user", "<b><a>"), ("assistant", "")],
        ),
        (
            "user, user",
            "user:\nA\n\nB\nuser:\n\n\nuser: C",
            [("user", "A\n\nB"), ("user", "user: C")],
        ),
        ("user, user", "user:\n{a}\nuser:\nx{a}", [("user", "<a>"), ("user", "x<a>")]),
        ("user, user", "user:\nuser:\n\0", [("user", ""), ("user", "\0")]),
    ],
)
def test_messages(roles, content, expected):
    assert said(roles, content) == expected


@pytest.mark.parametrize(
    ("roles", "content"),
    [
        (None, "system:\nA\n\nuser:\nB"),
        ("", "A"),
        (",", "A"),
        ("tool", "A"),
        ("system, human", "system:\nA\nhuman:\nB"),
        ("system, user", "system:\nA"),
        ("system, user", "user:\nA\nsystem:\nB"),
        ("system, user", "system:\nA\nuser:\nB\nuser:\nC"),
        ("system, user", "First.\nsystem:\nA\nuser:\nB"),
        ("system, user", "{first}\nsystem:\nA\nuser:\nB"),
        ("system, user", "system:\nA\nUser:\nB"),
        ("system, user", "system:\nA\nuser :\nB"),
        ("system, user", "system:\nA\n{user}:\nB"),
        ("system, user", "system:\nA\nuser{x}:\nB"),
    ],
)
def test_what_is_one_message_of_the_user(roles, content):
    assert messages(prompt(roles, content)) == ()


def test_the_roles_that_are_named():
    assert roles_named(prompt(None, "A")) == ()
    assert roles_named(prompt("system,, nobody ", "A")) == ("system", "nobody")


def test_a_text_without_variables():
    assert are_messages("system:\nA\n\nuser:\nB", ("system", "user"))
    assert not are_messages("A", ())


TEXT = st.text(st.sampled_from("ab: \n"), max_size=8)


@given(pieces=st.lists(st.tuples(st.sampled_from(ROLES), TEXT), min_size=2, max_size=5))
def test_what_is_written_as_messages_is_read_as_such(pieces):
    pieces = [(role, " ".join(text.split())) for role, text in pieces]
    content = "\n\n".join(f"{role}:\n{text}" for role, text in pieces)
    assert said(", ".join(role for role, _ in pieces), content) == pieces
