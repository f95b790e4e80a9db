"""Files of a commit that other machines fetch from a remote."""

import os
import subprocess

import pytest

from psreg.core.errors import UnavailableError
from psreg.git.remote_commit import RemoteCommit, remote_commit
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
    found = remote_commit(checkout, (tmp_path / "remote.git").as_uri())
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
    assert (remote_commit(checkout, "file:///x") is not None) == clean


def test_without_a_commit_there_is_none(tmp_path):
    assert remote_commit(tmp_path, "file:///x") is None
    git(tmp_path, "init", "-q")
    assert remote_commit(tmp_path, "file:///x") is None


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
