"""Branches of remotes, as a clone asks for them."""

from pathlib import PurePosixPath

import git
import pytest

from psreg.core.errors import UnavailableError, UsageError
from psreg.git.branch import Clone, Person
from support.bare import Bare

PLACE = PurePosixPath("pbes/prompt/hello")
BOT = Person(name="Añа Bot", email="bot@example.org")
FILES = {PLACE / "entry.toml": b"owners = []\r\n", PLACE / "1.0.0/größe.txt": b"\0\xff"}


@pytest.fixture
def clone(tmp_path):
    """A clone of a registry with an entry, settings that would change a commit, and a hook."""
    remote = Bare(tmp_path / "prompts.git")
    remote.commit("main", {"README.md": b"x", f"{PLACE}/old.txt": b"y"}, parent=None)
    remote.write()
    at = tmp_path / "clone"
    remote.git("clone", "-q", remote.path.as_uri(), at)
    for name, value in [("core.autocrlf", "true"), ("commit.gpgSign", "true")]:
        remote.git("config", name, value, cwd=at)
    remote.git("config", "filter.evil.clean", f"touch {tmp_path}/canary", cwd=at)
    (at / ".gitattributes").write_text("* text filter=evil\n")
    return at


def test_gitpython_reads_what_was_committed(clone, tmp_path):
    """GitPython has a reader of its own for refs, commits and trees: it agrees with what we write."""
    ours = Clone(clone)
    base = ours.commit_id("HEAD")
    made = ours.commit(base, PLACE, FILES, "Add größe\n", BOT)
    ours.set_branch("submit/hello", made, None)
    ours.push("origin", made, "submit/hello", lease="")
    with git.Repo(clone) as theirs:
        commit = theirs.heads["submit/hello"].commit
        assert (commit.hexsha, [one.hexsha for one in commit.parents]) == (made, [base])
        assert (commit.message, commit.gpgsig or None) == ("Add größe\n", None)
        for actor in (commit.author, commit.committer):
            assert (actor.name, actor.email) == (BOT.name, BOT.email)
        blobs = {
            b.path: (b.mode, b.data_stream.read())
            for b in (commit.tree / str(PLACE)).traverse()
            if b.type == "blob"
        }
        assert blobs == {str(path): (0o100644, data) for path, data in FILES.items()}
        assert commit.tree["README.md"] == theirs.head.commit.tree["README.md"]
        assert theirs.active_branch.commit.hexsha == base
        assert {remote.name: next(remote.urls) for remote in theirs.remotes} == ours.remotes()
        assert str(theirs.remotes.origin.refs.HEAD.reference) == ours.remote_default("origin")
        assert theirs.heads["submit/hello"].commit.hexsha == ours.tip("submit/hello")
        assert commit.committer.email == ours.committer(made)
    with git.Repo(tmp_path / "prompts.git") as remote:
        assert remote.heads["submit/hello"].commit.hexsha == made
    assert not (tmp_path / "canary").exists()


def test_a_commit_in_a_repository_of_sha256(tmp_path):
    bare = Bare(tmp_path / "unused.git")
    at = tmp_path / "clone"
    bare.git("init", "-q", "--object-format=sha256", "-b", "main", at)
    bare.git("commit", "-q", "--allow-empty", "-m", "Begin", cwd=at)
    clone = Clone(at)
    made = clone.commit(clone.commit_id("HEAD"), PLACE, FILES, "Add\n", BOT)
    clone.set_branch("submit/hello", made, None)
    assert clone.tip("submit/hello") == made
    assert len(made) == 64


def test_a_work_tree_elsewhere_is_not_the_top_of_this_clone(clone, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    with git.Repo(clone) as theirs, theirs.config_writer() as settings:
        settings.set_value("core", "worktree", str(tmp_path / "elsewhere"))
    with pytest.raises(UsageError) as caught:
        Clone(clone)
    assert caught.value.code == "NO_CLONE"


def test_a_branch_of_the_remote_is_not_mistaken_for_one_that_ends_like_it(tmp_path):
    remote = Bare(tmp_path / "prompts.git")
    remote.commit("main", {"README.md": b"x"}, parent=None)
    remote.commit("a/refs/heads/submit/hello", {"README.md": b"y"})
    remote.write()
    at = tmp_path / "clone"
    remote.git("clone", "-q", remote.path.as_uri(), at)
    clone = Clone(at)
    assert clone.remote_tip("origin", "submit/hello") is None
    remote.git("branch", "submit/hello", "main")
    assert clone.remote_tip("origin", "submit/hello") == remote.git("rev-parse", "main")


def test_no_error_contains_the_password_of_a_remote(clone):
    """Git repeats the address if it cannot read it, such as one with a slash in the password."""
    with git.Repo(clone) as theirs:
        theirs.create_remote("elsewhere", "https://ana:s3/cret@127.0.0.1:9/x")
    ours = Clone(clone)
    head = ours.commit_id("HEAD")
    for ask in (
        lambda: ours.push("elsewhere", head, "main"),
        lambda: ours.fetched("elsewhere", "main"),
    ):
        with pytest.raises(UnavailableError) as caught:
            ask()
        assert caught.value.code == "REMOTE"
        assert "cret" not in str(caught.value)
