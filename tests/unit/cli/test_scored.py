"""The score of a release where its author looks: after `psreg check` and `psreg new`."""

import json

import pytest

from psreg.cli.scored import score_documents, score_lines
from psreg.lint.score import HOW
from support.authoring import checkout, psreg
from support.registry_trees import RELEASE, entry

NEXT = f"  to raise it: {HOW['introduction']}"


@pytest.fixture
def root(tmp_path):
    root = checkout(tmp_path / "registry")
    release = RELEASE + 'limitations = ["It knows only one language."]\n'
    for path, text in {
        **entry("hello", "1.0.0", "1.1.0"),
        "pbes/prompt/hello/1.1.0/release.toml": release + 'changes = "It says more."\n',
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_the_score_of_a_folder_is_that_of_its_version_or_its_last_one(root):
    def of(folder):
        return [*score_lines(root / folder)]

    first, then = of("pbes/prompt/hello/1.0.0")
    assert first.startswith("score of hello 1.0.0: ")
    assert "of 100: documentation 10/20, evidence 0/20, examples " in first
    assert then == NEXT
    last, _ = of("pbes/prompt/hello")
    assert last.startswith("score of hello 1.1.0: ")
    assert "documentation 15/20" in last
    assert of("pbes/prompt/hello/1.1.0")[0] == last
    (root / "pbes/prompt/empty").mkdir()
    for other in ("", "pbes", "pbes/prompt", "pbes/prompt/empty", "pbes/prompt/hello/9.9.9"):
        assert of(other) == []


def test_what_is_in_no_registry_has_no_score(tmp_path):
    assert [*score_lines(tmp_path)] == []


def test_there_is_nothing_to_raise_if_all_is_there(root, monkeypatch):
    monkeypatch.setattr("psreg.lint.score.QUESTIONS", ())
    assert [*score_lines(root / "pbes/prompt/hello")] == ["score of hello 1.1.0: 0 of 100: "]


def test_check_and_new_say_the_score(root):
    folder = "pbes/prompt/hello/1.0.0"
    said = psreg(root, "check", folder).stdout
    assert said.splitlines()[-2:] == [*score_lines(root / folder)]
    assert "score" not in psreg(root, "check", folder, "--quiet").stdout
    assert "score" not in psreg(root, "check", "pbes").stdout
    made = psreg(root, "new", "prompt", "trip_packer").stdout
    assert made.splitlines()[-2:] == [*score_lines(root / "pbes/prompt/trip_packer")]
    assert "score" not in psreg(root, "new", "prompt", "trip_list", "--quiet").stdout


def test_programs_get_the_same(root):
    folders = ["pbes/prompt/hello/1.0.0", "pbes/prompt/hello"]
    documents = score_documents(root / folder for folder in folders)
    assert [(each["name"], each["version"]) for each in documents] == [
        ("hello", "1.0.0"),
        ("hello", "1.1.0"),
    ]
    said = [next(score_lines(root / folder)).split()[4] for folder in folders]
    assert [str(each["score"]["total"]) for each in documents] == said

    def of(*arguments):
        return json.loads(psreg(root, *arguments, "--format", "json").stdout)

    assert of("check", *folders)["scores"] == documents
    assert of("check", "--fix", "--diff", folders[0])["scores"] == documents[:1]
    for other in ("pbes", f"{folders[0]}/hello.prompt"):
        assert "scores" not in of("check", other)
    made = of("new", "prompt", "trip_packer")
    (scored,) = score_documents([root / "pbes/prompt/trip_packer"])
    assert made["score"] == scored["score"]
