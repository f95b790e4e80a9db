"""Which language a text seems to be in, with CLD3 and without it."""

import sys
from types import SimpleNamespace

import pytest

from psreg.authoring import text_language
from psreg.authoring.text_language import is_in, language_of

GERMAN = (
    "Schreibe einen kurzen Brief an die Hausverwaltung und bitte sie um eine Antwort bis Freitag."
)


@pytest.fixture(autouse=True)
def _anew():
    """Look again for the extra, before and after a test."""
    text_language._detector.cache_clear()
    yield
    text_language._detector.cache_clear()


@pytest.fixture
def says(monkeypatch):
    """Let a detector say what a test wants, and return the texts that it was asked about."""

    def say(language, *, is_reliable=True, probability=0.99):
        found = SimpleNamespace(language=language, is_reliable=is_reliable, probability=probability)
        asked = []
        detector = SimpleNamespace(FindLanguage=lambda text: asked.append(text) or found)
        made = SimpleNamespace(NNetLanguageIdentifier=lambda **_: detector)
        monkeypatch.setitem(sys.modules, "gcld3", made)
        return asked

    return say


def test_without_the_extra_nothing_is_clear(monkeypatch):
    monkeypatch.setitem(sys.modules, "gcld3", None)
    assert language_of(GERMAN) == ""


@pytest.mark.parametrize(
    ("said", "tag"), [("de", "de"), ("iw", "he"), ("zh-Latn", ""), ("fil", "fil")]
)
def test_a_language_has_the_tag_of_today(says, said, tag):
    asked = says(said)
    assert language_of(GERMAN) == tag
    assert asked == [GERMAN]


@pytest.mark.parametrize("doubt", [{"is_reliable": False}, {"probability": 0.9}])
def test_what_is_doubtful_is_not_said(says, doubt):
    says("de", **doubt)
    assert language_of(GERMAN) == ""


@pytest.mark.parametrize("text", ["", "Say it.", "{{ 1 }} " * 50, "\u8bf7" * 19, "\ud83d" * 99])
def test_of_few_letters_nothing_is_said(says, text):
    asked = says("de")
    assert (language_of(text), asked) == ("", [])


def test_only_the_beginning_is_read_and_only_characters(says):
    asked = says("de")
    assert language_of("\ud83d" + "a" * 9_000) == "de"
    assert asked == ["a" * 3_999]


@pytest.mark.parametrize(
    ("language", "tag", "is_same"),
    [
        ("de", "de", True),
        ("pt", "pt-BR", True),
        ("zh", "ZH-Hant", True),
        ("no", "nb", True),
        ("no", "nn-NO", True),
        ("fil", "tl", True),
        ("de", "en", False),
        ("no", "da", False),
    ],
)
def test_a_language_is_that_of_a_tag(language, tag, is_same):
    assert is_in(language, tag) is is_same


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        (GERMAN, "de"),
        (
            "I want you to act as a linux terminal. I will type commands, and you reply to them.",
            "en",
        ),
        (
            "\u8bf7\u5199\u4e00\u4efd\u6bcf\u5468\u62a5\u544a\uff0c\u4ecb\u7ecd\u9879\u76ee\u7684\u8fdb\u5c55\u548c\u4e0b\u4e00\u5468\u7684\u8ba1\u5212\u3002",
            "zh",
        ),
        ("\0" * 99 + "x" * 99, ""),
    ],
)
def test_cld3_knows_languages(text, tag):
    pytest.importorskip("gcld3", reason="psreg[import] is not installed whole")
    assert language_of(text) == tag
