"""What was merged after a change was made: the review says so, and what is free instead."""

import json

import pytest

from psreg.authoring.missing_files import missing_files
from psreg.cli.rules import all_rules
from psreg.core.identity import Author
from psreg.git.repository import open_repository
from psreg.review.git_change import read_change
from psreg.review.review import review
from support.pipelines import git
from support.registry_trees import OWNED, POLICY, RELEASE, entry, version
from support.warm_psreg import run_psreg


class Branches:
    """A registry with a branch `topic`, while `main` goes on."""

    def __init__(self, root):
        self.root = root
        git("init", "-q", "-b", "main", cwd=root)
        self.commit({**entry("hello", toml=OWNED), "registry/policy.toml": POLICY})
        git("branch", "topic", cwd=root)

    def commit(self, files, branch="main"):
        if git("branch", "--list", branch, cwd=self.root):
            git("checkout", "-q", branch, cwd=self.root)
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        git("add", "--all", cwd=self.root)
        git("commit", "-qm", "Change", cwd=self.root)

    def review(self):
        """Return code, message and hint of what the review of `topic` finds."""
        with open_repository(self.root) as repository:
            changes = read_change(repository, "main", "topic", Author(forge="github", id=7))
            found = review(changes.change, all_rules(), missing_files=missing_files)
        return found.verdict, {d.code: d for d in found.report.diagnostics}


@pytest.fixture
def branches(tmp_path):
    return Branches(tmp_path)


MINE = 'owners = [{forge = "github", id = 7, login = "ana"}]\n'
THEIRS = 'owners = [{forge = "github", id = 8, login = "bob"}]\n'


@pytest.mark.parametrize(
    ("landed", "code"),
    [
        ({"pbes/prompt/hello/entry.toml": OWNED + 'aliases = ["salute"]\n'}, "REG024"),
        (entry("saluto", toml=THEIRS), "NAME003"),
        (entry("sa_lute", toml=THEIRS), "NAME001"),
        ({"pbes/interactive_engine/salute/entry.toml": THEIRS}, "REG005"),
    ],
)
def test_a_name_that_was_taken_meanwhile_is_said_with_a_free_one(branches, landed, code):
    new = entry("salute", toml=MINE)
    release = "pbes/prompt/salute/1.0.0/release.toml"
    new[release] = new[release].replace('["greeting"]', '["to-friends", "greeting"]')
    branches.commit(new, "topic")
    _, before = branches.review()
    assert code not in before
    branches.commit(landed)
    branches.commit(entry("salute_to_friends", toml=THEIRS))
    verdict, found = branches.review()
    assert verdict == "reject"
    assert "was taken in the meantime" in found[code].message
    assert found[code].hint == "Rename yours, for example to `salute_greeting`."


def test_a_name_that_was_there_before_was_not_taken_meanwhile(branches):
    branches.commit(entry("hello_world", toml=THEIRS))
    git("branch", "-f", "topic", "main", cwd=branches.root)
    branches.commit(entry("hello_worlds", toml=MINE), "topic")
    branches.commit(entry("other", toml=THEIRS))
    _, found = branches.review()
    assert "meantime" not in found["NAME003"].message
    assert "waiver" in found["NAME003"].hint


def test_a_new_entry_that_somebody_else_added_meanwhile(branches):
    branches.commit(entry("salute", "1.0.0", toml="owners = []\n"), "topic")
    branches.commit(entry("salute", "0.1.0", toml="owners = []\n"))
    _, found = branches.review()
    assert "`salute` was taken in the meantime" in found["CHG019"].message


def test_a_version_that_was_released_meanwhile_is_said(branches):
    candidate = version("hello", "1.1.0-rc.1", release=RELEASE + 'changes = "More."\n')
    branches.commit(candidate, "topic")
    branches.commit(version("hello", "1.1.0", release=RELEASE + 'changes = "More."\n'))
    _, found = branches.review()
    assert found["CHG007"].message.endswith("; 1.1.0 was released in the meantime")
    assert found["CHG007"].hint.startswith("Write")


def test_what_git_lacks_of_the_past_changes_no_finding(branches):
    """A partial clone may lack the file that an alias was added to."""
    branches.commit(entry("farewell", toml=MINE) | entry("salute", toml=MINE), "topic")
    path = "pbes/prompt/hello/entry.toml"
    branches.commit({path: OWNED + 'aliases = ["salute"]\n'})
    _, known = branches.review()
    assert "`salute` was taken in the meantime" in known["REG024"].message
    blob = git("rev-parse", f"topic:{path}", cwd=branches.root)
    (branches.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    verdict, found = branches.review()
    assert (verdict, found.keys()) == ("reject", known.keys())
    assert "meantime" not in found["REG024"].message


def test_a_person_reads_it_in_the_review(branches):
    branches.commit(entry("salute", toml=MINE), "topic")
    branches.commit(entry("saluto", toml=THEIRS))
    said = run_psreg("review", "--base", "main", "--head", "topic", cwd=branches.root, text=True)
    assert "`saluto` was taken in the meantime" in said.stdout
    assert "Rename yours, for example to `salute_greeting`." in said.stdout


@pytest.mark.parametrize(
    ("taken", "hint"),
    [
        (["salute_greeting"], "Rename yours, for example to `salute_prompt`."),
        (["salute_greeting", "salute_prompt"], "Choose another name"),
    ],
)
def test_only_a_free_name_is_proposed(branches, taken, hint):
    branches.commit(entry("salute", toml=MINE), "topic")
    for name in ("saluto", *taken):
        branches.commit(entry(name, toml=THEIRS))
    _, found = branches.review()
    assert found["NAME003"].hint.startswith(hint)


@pytest.mark.parametrize("number", ["0.1.0", "1.0.0"])
def test_a_name_that_both_sides_added_is_not_a_version_to_follow(branches, number):
    branches.commit(entry("salute", toml=MINE), "topic")
    branches.commit(entry("salute", number, toml=THEIRS))
    arguments = ("review", "--base", "main", "--head", "topic", "--format", "json")
    done = run_psreg(*arguments, cwd=branches.root, text=True)
    found = json.loads(done.stdout)
    (reason,) = found["reasons"]
    assert reason["message"].startswith("the name `salute` was taken in the meantime; ")
    (advice,) = found["would_change_verdict"]
    assert advice.startswith("Rename your entry")
    assert "Release yours as" not in advice


def test_a_version_that_both_sides_added_names_the_next_one(branches):
    changes = (RELEASE + f'changes = "{text}"\n' for text in ("Mine.", "Theirs."))
    for branch, release in zip(("topic", "main"), changes, strict=True):
        branches.commit(version("hello", "1.0.1", release=release), branch)
    done = run_psreg("review", "--base", "main", "--head", "topic", cwd=branches.root, text=True)
    assert "1.0.1 of `hello` was released in the meantime" in done.stdout + done.stderr
    assert "Release yours as 1.0.2 or higher" in done.stdout + done.stderr
