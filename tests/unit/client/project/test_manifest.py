"""`psreg.toml`: strict, with the line of each fault and what was probably meant."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.client.project.manifest import Manifest
from psreg.core.errors import UsageError


def read(text):
    return Manifest.read(text.encode() if isinstance(text, str) else text)


def test_an_empty_file_asks_for_nothing():
    assert read("") == Manifest(prompts={})
    assert str(read("").folder) == "prompts"


def test_prompts_with_ranges_and_registries():
    manifest = read(
        'folder = "ai/prompts"\n\n[prompts]\nquiz = " ^1.2 "\nbook = {version = "~2.0.1", registry = "work"}\n'
    )
    assert str(manifest.folder) == "ai/prompts"
    assert [*manifest.prompts] == ["book", "quiz"]
    quiz, book = manifest.prompts["quiz"], manifest.prompts["book"]
    assert (quiz.range.text, quiz.registry, quiz.origin) == ("^1.2", None, "psreg.toml:4")
    assert (book.range.text, book.registry, book.origin) == ("~2.0.1", "work", "psreg.toml:5")


def test_settings_and_a_policy_are_not_for_this_reader():
    assert read("registry = 1\nregistries = 2\nrequire_claimed = 3\npolicy = 4\n").prompts == {}


@pytest.mark.parametrize(
    ("text", "told", "hint"),
    [
        ("a = [", "psreg.toml:1: ", ""),
        (b"\xff", "psreg.toml:1: ", ""),
        ("\n[prompt]\n", "psreg.toml:2: `prompt` is unknown", "Did you mean `prompts`?"),
        ("prompts = 1", "psreg.toml:1: `prompts` must be a table", ""),
        ('[prompts]\nQuiz-Master = "*"', "psreg.toml:2: `prompts.Quiz-Master` is not a valid", "Write `quiz_master`."),
        ('[prompts]\n"a b/" = "*"', "psreg.toml:2: `prompts.a b/` is not a valid name", ""),
        ("[prompts]\nquiz = 1", "psreg.toml:2: `prompts.quiz` must be a range", ""),
        ("[prompts]\nquiz = {}", "psreg.toml:2: `prompts.quiz` needs `version`", ""),
        ('[prompts]\nquiz = "latest"', "psreg.toml:2: `prompts.quiz` has no valid range", ""),
        ('[prompts.quiz]\nversion = "*"\nregistri = "x"', "psreg.toml:3: `prompts.quiz.registri` is unknown", "Did you mean `registry`?"),
        ('[prompts]\nquiz = {version = "*", registry = ""}', "must be a name, a URL or a path", ""),
        ('[prompts]\nquiz = {version = "*", registry = 1}', "must be a name, a URL or a path", ""),
        ("folder = 1", "psreg.toml:1: `folder` must be a folder inside", ""),
        *((f"folder = {folder!r}", "psreg.toml:1: `folder` must be a folder inside", "")
          for folder in ("", ".", "/tmp", "../x", "a/../b", "C:/x", "a\\b", "con", "a/nul.d", ".git/hooks", "x.", "a\x7f")),
    ],
)  # fmt: skip
def test_faults_have_their_line(text, told, hint):
    if isinstance(text, str):
        text = text.replace("'", '"') if "folder = '" in text and "\\" not in text else text
    with pytest.raises(UsageError) as caught:
        read(text)
    assert caught.value.code == "CONFIG_INVALID"
    assert told in caught.value.message
    assert caught.value.hint == hint


def test_too_many_prompts():
    lines = "".join(f'p{n} = "*"\n' for n in range(10_001))
    with pytest.raises(UsageError, match="lists 10,001 prompts; the limit is 10,000"):
        read(f"[prompts]\n{lines}")


@given(st.text(alphabet="[]{}=\"'.,#\nabprom ts=^1*-_0", max_size=60))
def test_a_text_is_read_or_refused(text):
    with suppress(UsageError):
        read(text)


def test_targets():
    manifest = read(
        '[prompts]\nquiz = "*"\n[[targets]]\ntarget = "claude-command"\n'
        '[[targets]]\ntarget = "agents-md"\nfolder = "docs"\nprompts = ["quiz"]\n'
        '[[targets]]\ntarget = "agents-md"\nfolder = "."\n'
    )
    found = [(each.target, str(each.folder), each.prompts) for each in manifest.targets]
    assert found == [
        ("claude-command", ".claude/commands", ()),
        ("agents-md", "docs", ("quiz",)),
        ("agents-md", ".", ()),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("targets = 1", "`targets` must be tables"),
        ("targets = [1]", "`targets` must be tables"),
        ('[[targets]]\ntarget = "nothing"', "`targets.0.target` must be a target"),
        ('[[targets]]\ntarget = "text"\nprompts = [{}]', "`targets.0.prompts` must be a list"),
        ('[[targets]]\ntarget = "text"\nprompts = 1', "`targets.0.prompts` must be a list"),
        ('[[targets]]\ntarget = "text"\nfolder = "/x"', "`targets.0.folder` must be a folder"),
    ],
)
def test_bad_targets(text, told):
    with pytest.raises(UsageError, match=r"psreg\.toml:") as caught:
        read(text)
    assert told in caught.value.message
