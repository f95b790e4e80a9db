"""Files of a commit that other machines fetch from a remote."""

import os
import subprocess
import sys

import pytest

from psreg.core.errors import UnavailableError
from psreg.git.remote_commit import RemoteCommit, remote_commit
from psreg.git.work_tree import WorkTree
from support.bare import ALONE

FILES = {
    "registry/policy.toml": b"[names]\n",
    "pbes/prompt/hello/entry.toml": b"owners = []\n",
    "pbes/prompt/hello/1.0.0/hello.prompt": b"Say hello.\n",
    "pbes/prompt/other/entry.toml": b"",
}


def git(folder, *arguments):
    command = ["git", *map(str, arguments)]
    subprocess.run(command, cwd=folder, env={**os.environ, **ALONE}, check=True)


@pytest.fixture(params=["", "prompts"], ids=["root", "below"])
def checkout(request, tmp_path):
    """Return a registry in a clone, at its root or below."""
    folder = tmp_path / "clone" / request.param
    for path, data in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    (tmp_path / "clone/.gitignore").write_text("*.log\n/registry/metadata/\n")
    git(tmp_path / "clone", "init", "-q", "-b", "main")
    git(tmp_path / "clone", "add", "-A")
    git(tmp_path / "clone", "commit", "-qm", "Begin")
    return folder


def test_some_files_are_read_from_the_remote(checkout, tmp_path, monkeypatch):
    git(tmp_path, "clone", "-q", "--bare", "clone", "remote.git")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    found = remote_commit(WorkTree(checkout, "."), (tmp_path / "remote.git").as_uri())
    assert found is not None
    git(tmp_path / "clone", "checkout", "-q", "--orphan", "elsewhere")
    paths = ["registry/policy.toml", "pbes/prompt/hello", "pbes/prompt/none"]
    expected = {path: data for path, data in FILES.items() if "other" not in path}
    assert found.read(paths) == expected
    (tmp_path / "remote.git").rename(tmp_path / "gone.git")
    assert found.read(["pbes/prompt/other"]) == {"pbes/prompt/other/entry.toml": b""}


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        ("registry/policy.toml", False),
        ("pbes/prompt/hello/entry.toml", False),
        ("pbes/prompt/hello/1.0.0/more.txt", False),
        ("pbes/prompt/hello/1.0.0/ignored.log", False),
        ("registry/metadata/timestamp.json", True),
        ("README.md", True),
    ],
)
def test_a_checkout_whose_entries_or_policy_differ_is_no_commit(checkout, path, clean):
    (checkout / path).parent.mkdir(parents=True, exist_ok=True)
    (checkout / path).write_bytes(b"# It differs.\n")
    assert (remote_commit(WorkTree(checkout, "."), "file:///x") is not None) == clean


def test_without_a_commit_there_is_none(tmp_path):
    assert remote_commit(WorkTree(tmp_path, "."), "file:///x") is None
    git(tmp_path, "init", "-q")
    assert remote_commit(WorkTree(tmp_path, "."), "file:///x") is None


@pytest.mark.parametrize("url", ["file:///nowhere", "ext::touch run", "--upload-pack=touch run"])
def test_what_cannot_be_fetched_leaves_nothing(tmp_path, monkeypatch, url):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnavailableError) as caught:
        RemoteCommit(url=url, commit="0" * 40, inside=".").read(["pbes"])
    assert caught.value.code == "REMOTE"
    assert [*tmp_path.iterdir()] == []


def test_without_git_nothing_is_fetched(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError) as caught:
        RemoteCommit(url="file:///x", commit="1" * 40, inside=".").read(["pbes"])
    assert caught.value.code == "NO_GIT"


FETCH = """
import sys
from psreg.git.remote_commit import RemoteCommit
RemoteCommit(url=sys.argv[1], commit=sys.argv[2], inside=".").read(["pbes"])
print("read", flush=True)
sys.stdin.read()
"""


def test_what_a_killed_worker_leaves_is_removed_by_the_next(checkout, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", "clone", "remote.git")
    url = (tmp_path / "remote.git").as_uri()
    commit = remote_commit(WorkTree(checkout, "."), url).commit
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (temporary / "psreg-commit-link").symlink_to(checkout)

    def folders():
        return {path for path in temporary.iterdir() if not path.is_symlink()}

    def worker():
        process = subprocess.Popen(
            [sys.executable, "-c", FETCH, url, commit],
            env={**os.environ, "TMPDIR": str(temporary)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdout.readline() == b"read\n"
        return process

    with worker() as killed:
        first = folders()
        killed.kill()
    with worker() as lives:
        second = folders()
        assert len(second) == 1
        assert second.isdisjoint(first)
        with worker() as third:
            assert len(folders()) == 2, "one in use was removed"
            third.communicate()
        lives.communicate()
    assert folders() == set()
    assert any(checkout.iterdir())


@pytest.mark.parametrize(
    "url", ["https://ana:s3cret@127.0.0.1:9/x", "https://ana:s3cret/@host:9/x"]
)
def test_no_error_contains_credentials(url):
    with pytest.raises(UnavailableError) as caught:
        RemoteCommit(url=url, commit="0" * 40, inside=".").read(["pbes"])
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_commit_with_longer_ids_is_fetched(tmp_path):
    folder = tmp_path / "clone"
    (folder / "pbes").mkdir(parents=True)
    (folder / "pbes/a.txt").write_text("a")
    git(folder, "init", "-q", "--object-format=sha256")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Begin")
    found = remote_commit(WorkTree(folder, "."), folder.as_uri())
    assert found.read(["pbes"]) == {"pbes/a.txt": b"a"}
