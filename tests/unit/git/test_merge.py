"""A change is judged by what merging it would make, not by what its head holds."""

import os
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from psreg.authoring.missing_files import missing_files
from psreg.cli.rules import all_rules
from psreg.core.errors import FindingsError, PsregError, UnavailableError
from psreg.git.repository import open_repository
from psreg.review.git_change import read_change
from psreg.review.review import review
from psreg.review.review_report import review_document
from psreg.system.files import MAX_FILE
from support.bare import ALONE, DELETED, LINK, Bare
from support.registry_trees import RELEASE, entry, tree, version

HELLO = "pbes/prompt/hello"
CHANGES = f'{RELEASE}changes = "Other words."\n'
PATCH = {p: t.encode() for p, t in version("hello", "1.0.1", release=CHANGES).items()}
NOTES = "site/docs/notes.md"
LINES = [b"line %d\n" % n for n in range(30)]
TOP = b"".join([b"top\n", *LINES[1:]])
TAIL = b"".join([*LINES[:-1], b"tail\n"])
BOTH = b"".join([b"top\n", *LINES[1:-1], b"tail\n"])


def files():
    found = {str(p): data for p, data in tree(entry("hello"), entry("other")).items()}
    own = {f"{HELLO}/entry.toml": b"owners = []\nthreshold = 1\n", "old.md": b"# Old\n"}
    return {**found, **own, NOTES: b"".join(LINES)}


class Parted(Bare):
    """A repository whose branches `main` and `sent` left the branch `base`."""

    def __init__(self, path, main, sent):
        super().__init__(path)
        self.commit("base", files(), parent=None)
        self.commit("main", main, parent="refs/heads/base")
        self.commit("sent", sent, parent="refs/heads/base")
        self.write()

    def squash(self):
        """Point `squashed` at what Git's own merge makes, as one commit on main."""
        self.point("squashed", self.git("merge-tree", "--write-tree", "main", "sent"))


@pytest.fixture
def parted(tmp_path):
    return lambda main, sent: Parted(tmp_path / "prompts.git", main, sent)


def reviewed(path, base="main", head="sent"):
    """Return what a review says of a change, but for the names of its commits."""
    with open_repository(path) as repository:
        change = read_change(repository, base, head).change
        after = change.head.files
        files = {str(one.path): (str(one.touch), one.moved_from) for one in change.files}
        held = {path: after.get(PurePosixPath(path)) for path in files}
        return (
            files,
            held,
            review_document(review(change, all_rules(), missing_files=missing_files)),
        )


def touched(path, base="main", head="sent"):
    return {name: touch for name, (touch, _) in reviewed(path, base, head)[0].items()}


def refused(path, base="main", head="sent"):
    with open_repository(path) as repository, pytest.raises(PsregError) as caught:
        read_change(repository, base, head)
    return caught.value


def rejected(path, base="main", head="sent"):
    error = refused(path, base, head)
    assert isinstance(error, FindingsError)
    return error


def run(*command, cwd):
    environment = {**os.environ, **ALONE}
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=environment, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def commit(at, branch, start, change):
    if start:
        run("git", "switch", "-qC", branch, start, cwd=at)
    for path, data in change.items():
        place = Path(at, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    run("git", "add", "-A", cwd=at)
    run("git", "commit", "-q", "--allow-empty", "-m", "Change", cwd=at)


ADDED = dict.fromkeys(PATCH, "added")

# What is judged


def test_a_branch_that_is_behind(parted):
    bare = parted({"pbes/prompt/new/entry.toml": b"owners = []\n", NOTES: TOP}, PATCH)
    assert touched(bare.path) == ADDED


def test_lines_of_both_sides_are_merged_as_git_merges_them(parted):
    bare = parted({NOTES: TOP}, {NOTES: TAIL, **PATCH})
    names, held, _ = reviewed(bare.path)
    assert {name: touch for name, (touch, _) in names.items()} == {**ADDED, NOTES: "modified"}
    assert held[NOTES] == BOTH
    bare.squash()
    assert bare.git("show", f"squashed:{NOTES}").encode() == BOTH.rstrip()


def test_neither_the_heads_own_files_nor_its_difference_from_the_base_are_looked_at(parted):
    """All that only the head's own tree has is gone, and nobody misses it."""
    owned = b'owners = [{forge = "github", id = 7, login = "ana"}]\n'
    main = {f"{HELLO}/entry.toml": owned, "registry/policy.toml": b"[names]\n", "both": b"both\n"}
    moved = {NOTES: DELETED, "site/docs/remarks.md": TAIL}
    bare = parted(
        {**main, "old.md": DELETED}, {**PATCH, "both": b"both\n", "old.md": DELETED, **moved}
    )
    bare.squash()
    for path in (f"{HELLO}/entry.toml", "registry/policy.toml"):
        assert bare.git("rev-parse", f"sent:{path}") != bare.git("rev-parse", f"squashed:{path}")
    wanted = reviewed(bare.path, "main", "squashed")
    only = set(bare.git("ls-tree", "-r", "--format=%(objectname)", "sent").split())
    kept = set(bare.git("ls-tree", "-r", "--format=%(objectname)", "squashed").split())
    loosen(bare)
    gone = only - kept - {bare.git("rev-parse", f"main:{NOTES}")}
    assert {bare.git("rev-parse", f"sent:{path}") for path in main if path != "both"} == gone
    for oid in gone:
        (bare.path / "objects" / oid[:2] / oid[2:]).unlink()
    files, held, said = reviewed(bare.path)
    assert (files, held, said) == wanted
    assert {name: touch for name, (touch, _) in files.items()} == {
        **ADDED,
        NOTES: "deleted",
        "site/docs/remarks.md": "added",
    }
    assert files["site/docs/remarks.md"][1] == PurePosixPath(NOTES)


def loosen(bare):
    """Let every object be a file of its own."""
    packs = list((bare.path / "objects/pack").glob("*.pack"))
    held = [pack.read_bytes() for pack in packs]
    for part in (bare.path / "objects/pack").iterdir():
        part.unlink()
    for pack in held:
        subprocess.run(["git", "unpack-objects", "-q"], cwd=bare.path, input=pack, check=True)


def test_what_main_already_has_is_no_change(parted):
    bare = parted({NOTES: TOP, "x": b"x", "old.md": DELETED}, {NOTES: TOP, **PATCH})
    assert touched(bare.path) == ADDED
    assert touched(bare.path, "sent", "sent") == {}


def test_a_head_that_takes_everything_back_changes_nothing(parted):
    bare = parted({NOTES: TOP}, PATCH)
    bare.point("sent", bare.git("rev-parse", "base^{tree}"), parents=("sent",))
    assert touched(bare.path) == {}
    assert touched(bare.path, "main", "base") == {}


# What cannot be merged


@pytest.mark.parametrize(
    ("main", "sent"),
    [
        ({NOTES: TOP}, {NOTES: b"other\n" + TOP}),
        ({NOTES: TOP}, {NOTES: DELETED}),
        ({NOTES: DELETED}, {NOTES: TOP}),
        ({f"{NOTES}/x": b"x", NOTES: DELETED}, {NOTES: TOP}),
        ({NOTES: (LINK, b"a")}, {NOTES: (LINK, b"b")}),
        ({"new/x": b"x"}, {"new": b"x"}),
    ],
)
def test_both_sides_changed_a_file(parted, main, sent):
    bare = parted(main, {**PATCH, **sent})
    error = rejected(bare.path)
    assert (error.code, error.exit_code) == ("MERGE_CONFLICT", 1)
    assert repr(next(iter(sent))) in error.message
    assert error.hint.startswith("Rebase ")


def test_conflicting_names_are_told_on_one_line_and_not_all_of_them(parted):
    odd = ["a\nreject: fine", "b\udcff", "c\u202egpj", "d" * 250, "e`|<b>", "f\x1b[2J", "g"]
    bare = parted(dict.fromkeys(odd, b"x\n"), dict.fromkeys(odd, b"y\n"))
    message = rejected(bare.path).message
    assert message.isascii()
    assert message.isprintable()
    assert "and 2 more" in message
    assert len(message) < 400


@pytest.mark.parametrize("turned", [False, True])
def test_a_file_that_one_side_moves_and_the_other_changes(parted, turned):
    sides = [{NOTES: DELETED, "site/docs/remarks.md": b"".join(LINES)}, {NOTES: TOP}]
    bare = parted(*(reversed(sides) if turned else sides))
    bare.git("merge-tree", "--write-tree", "main", "sent")  # Git takes it
    error = rejected(bare.path)
    assert error.code == "MERGE_UNCERTAIN"
    assert "was moved on one side" in error.message


def moved_folder():
    old = {p: d for p, d in files().items() if p.startswith(HELLO)}
    new = {p.replace("prompt/hello", "prompt/hullo"): d for p, d in old.items()}
    return {**dict.fromkeys(old, DELETED), **new}


@pytest.mark.parametrize("turned", [False, True])
def test_a_folder_that_one_side_moves_and_the_other_adds_to(parted, turned):
    sides = [moved_folder(), {f"{HELLO}/1.0.0/evidence.md": b"# New\n"}]
    bare = parted(*(reversed(sides) if turned else sides))
    assert rejected(bare.path).code == "MERGE_CONFLICT"


@pytest.mark.parametrize("turned", [False, True])
def test_a_folder_that_one_side_moves_and_the_other_adds_a_folder_to(parted, turned):
    sides = [moved_folder(), PATCH]
    bare = parted(*(reversed(sides) if turned else sides))
    bare.squash()
    assert reviewed(bare.path) == reviewed(bare.path, head="squashed")


def test_files_that_are_too_large_to_be_merged(parted):
    big = bytes(MAX_FILE)
    bare = parted({"big": big + b"x"}, {"big": big + b"y"})
    error = rejected(bare.path)
    assert (error.code, "too large" in error.message) == ("MERGE_UNCERTAIN", True)


def test_trees_that_no_checkout_could_have_are_not_given_to_git(parted):
    bare = parted({NOTES: TOP}, PATCH)
    leaf = bare.tree([("100644", b"x", bare.loose("blob", b""))])
    bomb = leaf
    for _ in range(9):
        bomb = bare.tree([("40000", b"%d" % n, bomb) for n in range(10)])
    for code, row in (
        ("TREE_MALFORMED", ("40000", b"..", leaf)),
        ("TREE_MALFORMED", ("100644", b"entry.toml", bare.loose("blob", b""))),
        ("TOO_MANY_FILES", ("40000", b"bomb", bomb)),
    ):
        bare.graft("bad", HELLO, [row])
        bare.point("bad", bare.git("rev-parse", "bad^{tree}"), parents=("base",))
        error = rejected(bare.path, head="bad")
        assert error.code == code
        if code == "TREE_MALFORMED":
            assert error.message.endswith(f", in '{HELLO}'")


def test_modes_that_git_would_replace_are_not_guessed(parted):
    bare = parted({f"{HELLO}/1.0.0/README.md": b"# Hello\n"}, PATCH)
    bare.graft("bad", f"{HELLO}/1.0.0", [("100666", b"a.md", bare.loose("blob", b"x\n"))])
    bare.point("bad", bare.git("rev-parse", "bad^{tree}"), parents=("base",))
    assert rejected(bare.path, head="bad").code == "MERGE_UNCERTAIN"


@pytest.mark.parametrize("said", ["git version 2.37.9", "git version 1.9.1", "something else"])
def test_a_git_that_cannot_merge_without_a_work_tree(parted, tmp_path, monkeypatch, said):
    bare = parted({NOTES: TOP}, PATCH)
    real = run("sh", "-c", "command -v git", cwd=tmp_path)
    program = tmp_path / "old/git"
    program.parent.mkdir()
    program.write_text(f"""#!/bin/sh
for word; do
    case $word in version) echo '{said}'; exit ;; merge-tree) exit 129 ;; esac
done
exec {real} "$@"
""")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    for base in ("main", "base"):
        error = rejected(bare.path, base)
        assert error.code == "GIT_TOO_OLD"
        assert "2.38" in error.hint


# Where


@pytest.mark.parametrize("place", ["bare", "clone", "worktree", "shared", "relative", "odd"])
def test_nothing_is_added_to_a_repository_of_any_kind(parted, tmp_path, place):
    bare = parted({NOTES: TOP}, {NOTES: TAIL})
    at = bare.path
    if place in ("clone", "worktree"):
        at = tmp_path / "clone"
        run("git", "clone", "-q", bare.path.as_uri(), at, cwd=tmp_path)
        run(
            "git", "fetch", "-q", "origin", "+refs/heads/*:refs/heads/*", "--update-head-ok", cwd=at
        )
    if place == "worktree":
        run("git", "worktree", "add", "-q", "--detach", tmp_path / "tree", "sent", cwd=at)
        at = tmp_path / "tree"
    if place in ("shared", "relative"):
        at = tmp_path / "shared.git"
        run("git", "clone", "-q", "--mirror", "--shared", bare.path, at, cwd=tmp_path)
    if place == "relative":
        (at / "objects/info/alternates").write_text("../../prompts.git/objects\n")
    if place == "odd":
        at = bare.path.rename(tmp_path / 'a:b "c" \\n;d')
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert reviewed(at)[1] == {NOTES: BOTH}
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == before


def test_a_sha256_repository(tmp_path):
    at = tmp_path / "long"
    run("git", "init", "-q", "--object-format=sha256", "-b", "main", at, cwd=tmp_path)
    commit(at, "main", None, {"notes.md": b"".join(LINES)})
    commit(at, "sent", "main", {"notes.md": TAIL})
    commit(at, "main", "main", {"notes.md": TOP})
    assert reviewed(at)[1] == {"notes.md": BOTH}


def test_the_temporary_folder_goes(parted, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    bare = parted({NOTES: TOP}, {NOTES: TAIL})
    with open_repository(bare.path) as repository:
        read_change(repository, "main", "sent")
        (made,) = (tmp_path / "scratch").iterdir()
        assert any((made / "objects").rglob("*"))
    assert not any((tmp_path / "scratch").iterdir())


@pytest.mark.parametrize("kind", ["blob:none", "tree:0"])
def test_a_partial_clone(parted, tmp_path, kind):
    bare = parted({NOTES: TOP}, {NOTES: TAIL})
    bare.git("config", "uploadpack.allowFilter", "true")
    at = tmp_path / "partial"
    run("git", "clone", "-q", "--mirror", f"--filter={kind}", bare.path.as_uri(), at, cwd=tmp_path)
    error = refused(at)
    assert (type(error), error.code) == (UnavailableError, "OBJECT_MISSING")
    assert "git fetch" in error.hint


# Histories


def merge(at, branch, *others, tree):
    """Merge with Git, and let the result hold the files of another commit."""
    run("git", "switch", "-qC", branch, others[0], cwd=at)
    run("git", "merge", "-q", "--no-ff", "--no-commit", "-s", "ours", *others[1:], cwd=at)
    run("git", "read-tree", "-u", "--reset", tree, cwd=at)
    run("git", "commit", "-qm", "Merge", cwd=at)


@pytest.fixture
def clone(tmp_path):
    bare = Bare(tmp_path / "prompts.git")
    bare.commit("main", files(), parent=None)
    bare.commit("sent", PATCH)
    bare.write()
    run("git", "clone", "-q", bare.path, tmp_path / "clone", cwd=tmp_path)
    run("git", "switch", "-q", "sent", cwd=tmp_path / "clone")
    return tmp_path / "clone"


def test_a_head_that_merged_main_and_went_on(clone):
    commit(clone, "main", "main", {NOTES: TOP})
    run("git", "switch", "-q", "sent", cwd=clone)
    run("git", "merge", "-q", "-m", "Update", "main", cwd=clone)
    assert touched(clone) == ADDED
    commit(clone, "main", "main", {"LICENSE": b"MIT"})
    assert touched(clone) == ADDED
    commit(clone, "sent", "sent", {NOTES: BOTH})
    assert touched(clone) == {**ADDED, NOTES: "modified"}


def test_a_merge_in_the_head_that_takes_back_what_main_did_shows_it(clone):
    commit(clone, "main", "main", {NOTES: TOP})
    merge(clone, "sent", "sent", "main", tree="sent")
    assert touched(clone) == {**ADDED, NOTES: "modified"}


def test_an_octopus_in_the_head(clone):
    for name in ("a", "b", "c"):
        commit(clone, name, "main", {name: name.encode()})
    merge(clone, "sent", "a", "b", "c", "main", tree="origin/sent")
    commit(clone, "main", "main", {NOTES: TOP})
    assert touched(clone) == ADDED


@pytest.mark.parametrize("sides", [2, 3])
def test_several_merge_bases(clone, sides):
    names = [f"side{n}" for n in range(sides)]
    for name in names:
        commit(clone, name, "main", {name: b"x"})
    merge(clone, "theirs", *reversed(names), tree=names[0])
    commit(clone, "sent", "theirs", PATCH)
    merge(clone, "main", *names, tree=names[0])
    error = rejected(clone)
    assert error.code == "SEVERAL_MERGE_BASES"
    assert f"{sides} merge bases" in error.message
    assert error.hint.startswith("Rebase ")


def test_a_shallow_clone_does_not_hide_that_there_are_several(clone, tmp_path):
    commit(clone, "one", "main", {"one": b"x"})
    commit(clone, "two", "main", {"two": b"x"})
    for name in ("theirs", "ours"):
        commit(clone, f"{name}_two", "two", {name: b"x"})
        merge(clone, name, "one", f"{name}_two", tree="one")
    commit(clone, "main", "ours", {"three": b"x"})
    commit(clone, "sent", "theirs", PATCH)
    for depth in range(1, 6):
        at = tmp_path / f"shallow{depth}"
        options = ("-q", "--bare", "--no-single-branch", f"--depth={depth}")
        run("git", "clone", *options, clone.as_uri(), at, cwd=tmp_path)
        for branch in ("one", "two", "ours", "theirs", "ours_two", "theirs_two"):
            run("git", "branch", "-D", branch, cwd=at)
        error = refused(at)
        if error.code == "HISTORY_CUT":
            run(*error.hint.split(), cwd=at)
        assert rejected(at).code == "SEVERAL_MERGE_BASES", depth


def test_a_version_that_was_released_meanwhile_is_named_with_the_next_one(parted):
    place = f"{HELLO}/1.3.0/README.md"
    bare = parted({place: b"# Mine\n"}, {place: b"# Yours\n"})
    error = rejected(bare.path)
    assert error.code == "MERGE_CONFLICT"
    assert error.message.startswith("1.3.0 of `hello` was released in the meantime; ")
    assert error.hint.startswith("Release yours as 1.3.1 or higher, in a folder of its own. ")
