"""Opening repositories of any kind, and reading what a branch changes in them."""

import os
import shlex
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from psreg.core.errors import FindingsError, PsregError, TrustError, UnavailableError
from psreg.core.identity import Author, EntryId
from psreg.formats.layout import Irregular
from psreg.git.repository import open_repository
from psreg.review.change import Touch
from psreg.review.git_change import read_change
from psreg.system.files import MAX_FILE
from support.bare import ALONE, DELETED, EXECUTABLE, LINK, SUBMODULE, Bare
from support.registry_trees import entry, tree, version
from support.warm_psreg import run_psreg

HELLO = "pbes/prompt/hello"
ONE = "1" * 40


def encoded(*parts):
    return {str(path): data for path, data in tree(*parts).items()}


PATCH = {p: t.encode() for p, t in version("hello", "1.0.1").items()}


@pytest.fixture
def bare(tmp_path):
    """A bare repository with an entry; `next` adds a release to it."""
    made = Bare(tmp_path / "prompts.git")
    made.commit("main", encoded(entry("hello"), entry("other")), parent=None)
    made.commit("next", PATCH)
    made.write()
    return made


@pytest.fixture
def opened(bare):
    with open_repository(bare.path) as repository:
        yield repository


def git(*arguments, cwd):
    environment = {**os.environ, **ALONE}
    done = subprocess.run(
        ["git", *map(str, arguments)], cwd=cwd, env=environment, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def clone(bare, path, *options):
    git("clone", "-q", *options, f"file://{bare.path}", path, cwd=bare.path)
    return path


def touched(found):
    return {str(one.path): str(one.touch) for one in found.change.files}


def changes_in(path, base="main", head="next"):
    with open_repository(path) as repository:
        return touched(read_change(repository, base, head))


def error_of(call):
    with pytest.raises(PsregError) as caught:
        call()
    return caught.value


ADDED = dict.fromkeys(PATCH, "added")

# Opening


def test_a_bare_repository(bare):
    assert changes_in(bare.path) == ADDED


def test_a_clone_a_folder_in_it_and_its_git_folder(bare, tmp_path):
    at = clone(bare, tmp_path / "clone")
    for place in (at, at / HELLO / "1.0.0", at / ".git"):
        assert changes_in(place, "origin/main", "origin/next") == ADDED


def test_a_worktree(bare, tmp_path):
    at = clone(bare, tmp_path / "clone")
    git("worktree", "add", "-q", tmp_path / "tree", "origin/next", cwd=at)
    assert changes_in(tmp_path / "tree", "origin/main", "HEAD") == ADDED


def test_a_relative_path(bare, monkeypatch):
    monkeypatch.chdir(bare.path)
    assert changes_in(Path()) == ADDED


def test_a_path_that_a_shell_would_expand(bare, tmp_path):
    odd = tmp_path / "$HOME ~ x;y"
    bare.path.rename(odd)
    assert changes_in(odd) == ADDED


def test_a_sha256_repository(tmp_path):
    made = tmp_path / "long"
    git("init", "-q", "--object-format=sha256", "-b", "main", made, cwd=tmp_path)
    for path, data in encoded(entry("hello")).items():
        place = made / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    git("add", "-A", cwd=made)
    git("commit", "-qm", "Begin", cwd=made)
    git("switch", "-qc", "next", cwd=made)
    (made / HELLO / "entry.toml").write_text("owners = []\nthreshold = 1\n")
    git("commit", "-qam", "Change", cwd=made)
    assert changes_in(made) == {f"{HELLO}/entry.toml": "modified"}


def test_variables_of_the_caller_lead_nowhere_else(bare, tmp_path, monkeypatch):
    other = Bare(tmp_path / "other.git")
    monkeypatch.setenv("GIT_DIR", str(other.path))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / "objects"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert changes_in(bare.path) == ADDED


def test_no_repository(tmp_path):
    for place in (tmp_path, tmp_path / "absent"):
        error = error_of(lambda at=place: open_repository(at))
        assert (type(error), error.code) == (UnavailableError, "NO_REPOSITORY")


def test_settings_that_cannot_be_read_are_no_traceback(bare):
    (bare.path / "config").write_bytes(b"\xff[core\nbare = perhaps\n")
    error = error_of(lambda: changes_in(bare.path))
    assert isinstance(error, UnavailableError)


@pytest.mark.parametrize("command", [("review", "--base", "main", "--head", "next"), ("submit",)])
def test_a_repository_that_git_cannot_read_is_not_one_without_revisions(bare, tmp_path, command):
    path = clone(bare, tmp_path / "clone")
    (path / "pbes").mkdir(exist_ok=True)
    with (path / ".git/config").open("a") as config:
        config.write("[core\n")
    done = run_psreg(*command, cwd=path, text=True)
    assert done.stderr.startswith("psreg: error[GIT]: Git cannot read the repository ")
    assert "bad config line" in done.stderr
    assert done.returncode == 4


def test_without_the_program_git(bare, monkeypatch):
    with open_repository(bare.path) as repository:
        monkeypatch.setenv("PATH", str(bare.path))
        assert error_of(lambda: repository.resolve("main")).code == "NO_GIT"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_user_is_refused_until_it_is_declared_safe(
    bare, tmp_path, monkeypatch
):
    at = clone(bare, tmp_path / "clone")
    os.chown(at, 12345, 12345)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    monkeypatch.delenv("SUDO_UID", raising=False)
    error = error_of(lambda: open_repository(at))
    assert (type(error), error.code) == (TrustError, "TRUST_FOREIGN")
    assert error.exit_code == 3
    command = shlex.split(error.hint.split("`")[1])
    subprocess.run(command, env=os.environ, check=True)
    assert changes_in(at, "origin/main", "origin/next") == ADDED


# Revisions


def test_revisions_in_any_notation(bare, opened):
    next_ = bare.git("rev-parse", "next")
    for rev in ("next", "refs/heads/next", next_, next_[:12], "next~0", "next^{/Change}"):
        assert opened.resolve(rev) == next_
    assert opened.resolve("HEAD") == opened.resolve("next~") == bare.git("rev-parse", "main")


@pytest.mark.parametrize(
    "rev",
    ["absent", "", "-x", "--output=x", "a b", "a\nmain", "main\0", "main:pbes", "main^{tree}", ONE],
)
def test_what_names_no_commit_is_unknown(opened, rev):
    error = error_of(lambda: opened.resolve(rev))
    assert (type(error), error.code, error.exit_code) == (UnavailableError, "REVISION_UNKNOWN", 4)
    assert error.hint


def test_where_two_branches_parted(bare, opened):
    assert opened.merge_base("main", "next") == bare.git("rev-parse", "main")
    assert opened.merge_base("next", "next") == bare.git("rev-parse", "next")


# Changes


def test_the_three_commits_of_a_change_and_who_asks(bare, opened):
    author = Author(forge="github", id=7)
    found = read_change(opened, "main", "next", author)
    main = bare.git("rev-parse", "main")
    assert (found.base, found.tip, found.head) == (main, main, bare.git("rev-parse", "next"))
    assert found.change.author is author
    assert [str(new.id.folder) for new in found.change.releases] == [f"{HELLO}/1.0.1"]


def test_files_added_modified_deleted_and_of_another_mode(bare):
    readme, release = f"{HELLO}/1.0.0/README.md", f"{HELLO}/1.0.0/release.toml"
    executable = (EXECUTABLE, encoded(entry("hello"))[release])
    made = {f"{HELLO}/entry.toml": b"x", readme: DELETED, release: executable, "LICENSE": b"MIT"}
    bare.commit("several", made)
    bare.write()
    with open_repository(bare.path) as repository:
        found = read_change(repository, "main", "several")
        assert touched(found) == {
            "LICENSE": "added",
            f"{HELLO}/entry.toml": "modified",
            readme: "deleted",
            release: "modified",
        }
        head = found.change.head
        assert head.irregular == {PurePosixPath(release): Irregular.EXECUTABLE}
        assert head.files[PurePosixPath("LICENSE")] == b"MIT"
        assert PurePosixPath(readme) not in head.files
        assert found.change.base.files[PurePosixPath(readme)]
        assert [str(one.path) for one in found.change.outside] == ["LICENSE"]


def test_links_and_submodules_are_no_files(bare, opened):
    made = {f"{HELLO}/1.0.0/a": (LINK, b"/etc/passwd"), f"{HELLO}/1.0.0/b": (SUBMODULE, ONE)}
    bare.commit("odd", {**made, "link": (LINK, b"x")})
    bare.write()
    found = read_change(opened, "main", "odd")
    assert touched(found) == {
        f"{HELLO}/1.0.0/a": "added",
        f"{HELLO}/1.0.0/b": "added",
        "link": "added",
    }
    assert {p.name: kind for p, kind in found.change.head.irregular.items()} == {
        "a": Irregular.LINK,
        "b": Irregular.SUBMODULE,
        "link": Irregular.LINK,
    }
    assert not {PurePosixPath(p) for p in touched(found)} & set(found.change.head.files)


def test_a_folder_in_place_of_a_file_and_the_reverse(bare, opened):
    made = {f"{HELLO}/entry.toml": DELETED, f"{HELLO}/entry.toml/x": b"", "registry": b"flat"}
    bare.commit("swapped", {**made, "registry/policy.toml": DELETED})
    bare.write()
    assert touched(read_change(opened, "main", "swapped")) == {
        f"{HELLO}/entry.toml": "deleted",
        f"{HELLO}/entry.toml/x": "added",
        "registry": "added",
        "registry/policy.toml": "deleted",
    }


def test_renamed_files_say_where_they_were(bare, opened):
    files = encoded(entry("hello"))
    moved = {p.replace("hello", "hullo"): data for p, data in files.items() if "hello" in p}
    moved["pbes/prompt/hullo/1.0.0/README.md"] += b"\nOne more line.\n"
    bare.commit("renamed", {**moved, **dict.fromkeys((p for p in files if "hello" in p), DELETED)})
    bare.write()
    found = read_change(opened, "main", "renamed").change
    sources = {str(one.path): one.moved_from for one in found.files if one.touch is Touch.ADDED}
    assert sources == {path: PurePosixPath(path.replace("hullo", "hello")) for path in moved}
    assert all(one.moved_from is None for one in found.files if one.touch is Touch.DELETED)


def test_a_change_that_waited_is_seen_in_the_registry_it_would_be_merged_into(bare, opened):
    owners = b'owners = [{forge = "github", id = 1, login = "x"}]\n'
    bare.commit("late", {**PATCH, "A": b"a"})
    bare.commit("late", {"B": b"b", "README.md": b"r"}, parent=None)  # upon the first
    parted = bare.git("rev-parse", "main")
    bare.write()
    bare.commit("main", {f"{HELLO}/entry.toml": owners, "A": b"a"}, parent=parted)
    bare.write()
    found = read_change(opened, "main", "late")
    assert (found.base, found.tip) == (parted, bare.git("rev-parse", "main"))
    assert touched(found) == {
        **ADDED,
        "B": "added",  # A has the same bytes there already
        "README.md": "added",
    }
    for side in (found.change.base, found.change.head):
        assert side.entry(EntryId("prompt", "hello")).file.owners[0]["id"] == 1
    assert found.change.head.entry(EntryId("prompt", "hello")).versions == ("1.0.0", "1.0.1")


def test_what_was_deleted_there_as_well_is_no_change_any_more(bare, opened):
    bare.commit("both", {"registry/policy.toml": DELETED, **PATCH})
    bare.commit("main", {"registry/policy.toml": DELETED}, parent=bare.git("rev-parse", "main"))
    bare.write()
    assert touched(read_change(opened, "main", "both")) == ADDED


def test_nothing_changed(opened):
    found = read_change(opened, "next", "next").change
    assert found.files == found.releases == ()
    assert touched(read_change(opened, "next", "main")) == {}  # main is where next began


def test_a_registry_that_begins(tmp_path):
    bare = Bare(tmp_path / "empty.git")
    bare.commit("main", {"README.md": b""}, parent=None)
    bare.commit("first", encoded(entry("hello")))
    bare.write()
    with open_repository(bare.path) as repository:
        found = read_change(repository, "main", "first").change
        assert not found.base.entries
        assert [new.new_name for new in found.releases] == [True]


def test_detached_heads(bare, tmp_path):
    at = clone(bare, tmp_path / "clone")
    git("checkout", "-q", "--detach", "origin/next", cwd=at)
    assert changes_in(at, "origin/main", "HEAD") == ADDED


def test_a_merge_commit_as_forges_make_it(bare, opened):
    bare.commit("main", {"README.md": b"later"}, parent=bare.git("rev-parse", "main"))
    bare.commit("same", PATCH)
    bare.write()
    bare.point("merge", bare.git("rev-parse", "same^{tree}"), parents=("main", "next"))
    found = read_change(opened, "main", "merge")
    assert touched(found) == ADDED
    assert found.base == found.tip


def test_no_commit_in_common(bare, opened):
    bare.commit("stranger", {"README.md": b"# Elsewhere\n"}, parent=None)
    bare.write()
    error = error_of(lambda: read_change(opened, "main", "stranger"))
    assert (type(error), error.code, error.exit_code) == (FindingsError, "NO_MERGE_BASE", 1)


def test_a_whole_revision(bare, opened):
    found = opened.tree("next")
    assert {str(p): data for p, data in found.contents()} == {
        **encoded(entry("hello"), entry("other")),
        **PATCH,
    }
    assert found.size(PurePosixPath(f"{HELLO}/entry.toml")) == len(b"owners = []\n")


def test_a_whole_revision_of_nothing_and_of_odd_things(bare, opened):
    big, odd = bytes(MAX_FILE + 1), "odd\t../\udcff\n.md"
    made = {"big": big, odd: b"odd", "link": (LINK, b"x"), "sub": (SUBMODULE, ONE), "empty": b""}
    bare.commit("odd", made, parent=None)
    bare.write()
    bare.point("nothing", bare.tree([]))
    found = opened.tree("odd")
    assert {str(path): data for path, data in found.contents()} == {
        "big": big[:MAX_FILE],
        odd: b"odd",
        "empty": b"",
    }
    assert {path.name: kind for path, kind in found.irregular.items()} == {
        "link": Irregular.LINK,
        "sub": Irregular.SUBMODULE,
    }
    assert dict(opened.tree("nothing").contents()) == {}


@pytest.mark.parametrize("name", [b"..", b".", b".git", b"a//b", b"README.md"])
def test_a_whole_revision_that_cannot_be(bare, opened, name):
    blob = bare.loose("blob", b"x")
    rows = [("100644", name, blob), *(("100644", b"README.md", blob) for _ in range(2))]
    bare.point("bad", bare.tree(rows))
    error = error_of(lambda: opened.tree("bad"))
    assert (type(error), error.code) == (FindingsError, "TREE_MALFORMED")


# What a clone lacks


@pytest.mark.parametrize("wanted", ["origin/main", "refs/remotes/origin/main", "main", "id"])
def test_the_command_that_fetches_a_missing_base_does(bare, tmp_path, wanted):
    at = clone(bare, tmp_path / "clone", "--depth=1", "--branch=next")
    base = bare.git("rev-parse", "main") if wanted == "id" else wanted
    bare.git("config", "uploadpack.allowAnySHA1InWant", "true")
    error = error_of(lambda: changes_in(at, base, "HEAD"))
    assert (error.code, error.exit_code) == ("REVISION_UNKNOWN", 4)
    git(*shlex.split(error.hint)[1:], cwd=at)
    assert changes_in(at, base, "HEAD") == ADDED


def test_the_command_that_fetches_cut_history_does(bare, tmp_path):
    at = clone(bare, tmp_path / "clone", "--depth=1", "--no-single-branch")
    error = error_of(lambda: changes_in(at, "origin/main", "origin/next"))
    assert (type(error), error.code) == (UnavailableError, "HISTORY_CUT")
    assert error.hint == "git fetch --unshallow origin"
    git(*shlex.split(error.hint)[1:], cwd=at)
    assert changes_in(at, "origin/main", "origin/next") == ADDED


def test_a_shallow_clone_that_reaches_back_far_enough(bare, tmp_path):
    at = clone(bare, tmp_path / "clone", "--depth=2", "--no-single-branch")
    assert changes_in(at, "origin/main", "origin/next") == ADDED


@pytest.mark.parametrize(
    ("rev", "hint"),
    [
        ("upstream/x", "git fetch upstream +refs/heads/x:refs/remotes/upstream/x"),
        ("a/b", "git fetch upstream +refs/heads/a/b:refs/heads/a/b"),
        ("refs/pull/7/head", "git fetch upstream +refs/pull/7/head:refs/pull/7/head"),
        (ONE, f"git fetch upstream {ONE}"),
        ("$(id)`x`;y", "git fetch upstream '+refs/heads/$(id)`x`;y:refs/heads/$(id)`x`;y'"),
        ("main~9", "Name a commit of this repository, such as HEAD or a branch."),
        ("-x", "Name a commit of this repository, such as HEAD or a branch."),
        ("FETCH_HEAD", "Name a commit of this repository, such as HEAD or a branch."),
    ],
)
def test_the_command_names_exactly_what_is_missing(bare, opened, rev, hint):
    bare.git("remote", "add", "upstream", "../elsewhere.git")
    assert error_of(lambda: opened.resolve(rev)).hint == hint


def test_without_a_remote_there_is_nothing_to_type(opened):
    assert "git remote add" in error_of(lambda: opened.resolve("absent")).hint


def test_a_shallow_clone_is_completed_whatever_is_missing(bare, tmp_path):
    at = clone(bare, tmp_path / "clone", "--depth=1")
    with open_repository(at) as repository:
        assert error_of(lambda: repository.resolve("HEAD~1")).hint == "git fetch --unshallow origin"
