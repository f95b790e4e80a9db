"""What an assistant needs, said for people: room, a conversation, saves, and what it may use."""

from dataclasses import replace

import pytest

from psreg.catalogue.pages.entry.needs_view import needs
from support.catalogue import SCRIPT, opened, tree

ENTRIES = opened(tree())


def asking(capabilities, name="greeter", artifact=None):
    """Return what a release needs that asks for `capabilities`."""
    latest = ENTRIES[name].latest
    record = replace(latest.record, release={**latest.record.release, "capabilities": capabilities})
    files = {**latest.files, latest.record.path: artifact or latest.artifact}
    return needs(replace(latest, record=record, files=files))


def test_a_conversation_needs_to_be_remembered_and_its_saves_to_be_kept():
    said = asking([], "listener")
    assert "A conversation of many messages" in said
    assert "it writes a save as text" in said
    assert "neither the web nor files" in said
    unsaved = asking([], "listener", b'{"pbe_class": "interactive_engine"}')
    assert "A conversation of many messages" in unsaved
    assert "a save" not in unsaved


@pytest.mark.parametrize("name", ["greeter", "river_letter"])
def test_a_task_and_a_template_need_one_answer(name):
    said = asking([], name)
    assert "One answer" in said
    assert "a save" not in said


@pytest.mark.parametrize(
    ("capability", "words"),
    [
        ("network", "Access to the web"),
        ("files", "Files: it is asked"),
        ("tools", "Tools: it is asked"),
        ("memory", "A memory: it is asked"),
        (SCRIPT, "&lt;script&gt;"),
    ],
)
def test_a_capability_is_explained(capability, words):
    said = asking([capability, 3])
    assert words in said
    assert SCRIPT not in said
    assert "Nothing else" not in said
    assert said.count("<li>") == 3


def test_capabilities_of_another_type_are_none():
    assert "Nothing else" in asking("files")


@pytest.mark.parametrize(
    ("words", "said"), [(1, "has 1 word,"), (99, "has 99 words"), (2_345, "has about 2,300 words")]
)
def test_the_length_of_the_prompt_is_rounded(words, said):
    assert said in asking([], artifact=b"word " * words)


def test_what_is_not_for_use_needs_nothing():
    assert needs(ENTRIES["watcher"].latest) == ""
