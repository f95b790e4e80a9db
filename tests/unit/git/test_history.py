"""What Git says about when files were added."""

from __future__ import annotations

import pytest

from psreg.git.history import FolderHistory
from support.pipelines import git


@pytest.fixture
def repository(tmp_path):
    git("init", "--quiet", "--initial-branch=main", cwd=tmp_path)
    return tmp_path


def commit(repository, path, message="Add it", data="x"):
    (repository / path).parent.mkdir(parents=True, exist_ok=True)
    (repository / path).write_text(data)
    git("add", "--all", cwd=repository)
    git("commit", "--quiet", "--message", message, cwd=repository)
    return git("rev-parse", "HEAD", cwd=repository)


def commits(repository, name="pbes"):
    added = FolderHistory(repository).additions(name)
    return {path: each.commit for path, each in added.items()}


def test_the_commit_that_added_a_file_first(repository):
    first = commit(repository, "pbes/a.txt")
    commit(repository, "pbes/a.txt", data="changed")
    commit(repository, "elsewhere/b.txt")
    git("rm", "-q", "pbes/a.txt", cwd=repository)
    commit(repository, "pbes/c.txt")
    again = commit(repository, "pbes/a.txt", data="x")
    assert commits(repository)["pbes/a.txt"] == first != again
    assert commits(repository).keys() == {"pbes/a.txt", "pbes/c.txt"}


def test_a_merge_is_the_commit_that_added_it(repository):
    commit(repository, "README.md")
    git("checkout", "-q", "-b", "topic", cwd=repository)
    topic = commit(repository, "pbes/a.txt")
    git("checkout", "-q", "main", cwd=repository)
    git("merge", "-q", "--no-ff", "--message", "Merge", "topic", cwd=repository)
    merged = git("rev-parse", "HEAD", cwd=repository)
    assert commits(repository) == {"pbes/a.txt": merged}
    assert merged != topic


def test_approvals_are_in_the_trailers_of_the_commit(repository):
    text = "Add it\n\nReviewed-by: Ana <ana@example.org>\nApproved-by: Bo\nSigned-off-by: Cy\n"
    commit(repository, "pbes/a.txt", text)
    commit(repository, "pbes/b.txt", "Add another\n\nNot a trailer: Reviewed-by: nobody")
    added = FolderHistory(repository).additions("pbes")
    assert added["pbes/a.txt"].approved_by == ("Ana <ana@example.org>", "Bo")
    assert added["pbes/b.txt"].approved_by == ()
    assert added["pbes/a.txt"].date[:2] == "20"


@pytest.mark.parametrize("name", ["ü.txt", "a b.txt", '"q".txt', "line\nbreak.txt", "-x.txt"])
def test_names_of_all_kinds(repository, name):
    made = commit(repository, f"pbes/{name}")
    assert commits(repository) == {f"pbes/{name}": made}


def test_a_subject_that_looks_like_our_separators(repository):
    made = commit(repository, "pbes/a.txt", "Add \x01\x02\x03\x04\n\nReviewed-by: A\x01\x02B\x03C")
    assert commits(repository) == {"pbes/a.txt": made}


def test_a_folder_below_the_top_of_the_repository(repository):
    made = commit(repository, "inside/pbes/a.txt")
    commit(repository, "pbes/b.txt")
    assert commits(repository / "inside") == {"pbes/a.txt": made}


def test_no_repository(tmp_path):
    assert commits(tmp_path) == {}
