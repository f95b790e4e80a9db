"""A repository, or a submitted branch, is made to run, fetch, write, hide or exhaust something.

Everything is read from Git objects. Each attack ends in a verdict or in an error with a reason.
"""

import os
import subprocess
import sys
from pathlib import PurePosixPath

import pytest

from psreg.authoring.missing_files import missing_files
from psreg.cli.rules import all_rules
from psreg.compatibility.version_floor import differences_of
from psreg.core.errors import FindingsError, UnavailableError
from psreg.formats import dotprompt
from psreg.formats.layout import Irregular
from psreg.git.repository import open_repository
from psreg.review.change import Touch
from psreg.review.git_change import read_change
from psreg.review.judge import check_change
from psreg.review.review import refusal, review
from psreg.review.verdict import Verdict
from psreg.system.files import MAX_FILE
from support.bare import ALONE, DELETED, EXECUTABLE, LINK, PLAIN, STARTED, SUBMODULE, Bare
from support.registry_trees import RELEASE as SUMMARY
from support.registry_trees import entry, tree, version
from support.walks import sampled

HELLO = "pbes/prompt/hello"
RELEASE = f"{HELLO}/1.0.1"
CHANGES = f'{SUMMARY}changes = "Other words."\n'
PATCH = {p: t.encode() for p, t in version("hello", "1.0.1", release=CHANGES).items()}
FOLDER, ONE = "40000", "1" * 40
HUNDRED_MB = 100 * 1024 * 1024


@pytest.fixture
def bare(tmp_path):
    """The registry that is attacked; `next` adds a release to it."""
    made = Bare(tmp_path / "prompts.git")
    files = tree(entry("hello"), entry("other"))
    made.commit("main", {str(path): data for path, data in files.items()}, parent=None)
    made.commit("next", PATCH)
    made.write()
    return made


def verdict(bare, head, base="main"):
    """Return the verdict and the reasons of a review."""
    path = bare.path if isinstance(bare, Bare) else bare
    with open_repository(path) as repository:
        try:
            found = review(
                read_change(repository, base, head).change, all_rules(), missing_files=missing_files
            )
        except FindingsError as error:
            found = refusal(error, base=base, head=head)
    assert found.reasons
    return found.verdict, {reason.code for reason in found.reasons}


def rejected(bare, head, *codes):
    found, reasons = verdict(bare, head)
    assert found is Verdict.REJECT
    assert reasons >= set(codes)
    return reasons


def sent(bare, files, branch="sent"):
    bare.commit(branch, files)
    bare.write()
    return branch


# What would be executed


@pytest.fixture
def baited(bare, tmp_path):
    """A clone in which every setting that starts a program starts one that leaves a trace."""
    canary, program = tmp_path / "canary", tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\ncat\n')
    program.chmod(0o755)
    attributes = b"* diff=evil filter=evil merge=evil textconv=evil\n"
    sent(bare, {**PATCH, ".gitattributes": attributes, f"{HELLO}/.gitattributes": attributes})
    at = tmp_path / "clone"
    run("git", "clone", "-q", bare.path, at, cwd=tmp_path)
    (at / ".gitattributes").write_bytes(attributes)
    (at / ".git/info/attributes").write_bytes(attributes)
    hooks = at / ".git/hooks"
    for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"):
        (hooks / name).write_bytes(program.read_bytes())
        (hooks / name).chmod(0o755)
    for key in STARTED:
        run("git", "config", key, program, cwd=at)
    for command in COMMANDS:
        run("git", "config", f"alias.{command}", f"!{program}", cwd=at)
        run("git", "config", f"pager.{command}", program, cwd=at)
    yield at
    assert not canary.exists(), canary.read_text()
    run("git", "status", cwd=at)
    assert canary.exists(), "the bait is none: Git itself does not take it"


COMMANDS = (
    *("cat-file", "commit-tree", "diff-tree", "grep", "merge-base", "merge-tree", "remote"),
    *("rev-list", "rev-parse", "version"),
)


def run(*command, cwd):
    environment = {**os.environ, **ALONE}
    subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, check=True)


def test_settings_hooks_filters_and_attributes_that_start_a_program(baited):
    before = traces(baited)
    found, reasons = verdict(baited, "origin/sent", "origin/main")
    assert found is Verdict.REJECT  # for the file of attributes among the prompts
    assert "REG001" in reasons
    assert verdict(baited, "origin/next", "origin/main")[0] is Verdict.NEEDS_HUMAN
    with open_repository(baited) as repository:
        read_change(repository, "origin/next", "origin/sent~")
        with pytest.raises(UnavailableError):
            repository.resolve("origin/absent")
        assert repository.tree("origin/sent")
    assert traces(baited) == before


def traces(at):
    return {str(path): path.stat().st_mtime_ns for path in at.rglob("*")}


@pytest.mark.parametrize("side", ["main", "sent"])
def test_a_merge_driver_of_the_repository(baited, bare, side):
    """A file that both sides changed is merged by Git alone, whatever attributes say."""
    lines = [b"%d\n" % n for n in range(20)]
    sent(bare, {"notes.md": b"".join(lines)}, "base")
    attributes = {".gitattributes": b"* merge=evil filter=evil diff=evil\n"}
    edits = {"main": b"".join([b"top\n", *lines[1:]]), "sent": b"".join([*lines[:-1], b"end\n"])}
    for name, data in edits.items():
        more = attributes if name == side else {}
        bare.commit(f"{name}_2", {"notes.md": data, **more}, parent="refs/heads/base")
    bare.write()
    run("git", "fetch", "-q", "origin", cwd=baited)
    run("git", "config", "merge.default", "evil", cwd=baited)
    run("git", "config", "merge.renormalize", "true", cwd=baited)
    canary = baited.parent / "canary"
    canary.unlink(missing_ok=True)  # left by the fetch
    with open_repository(baited) as repository:
        found = read_change(repository, "origin/main_2", "origin/sent_2").change
        merged = found.head.files[PurePosixPath("notes.md")]
    assert merged == b"".join([b"top\n", *lines[1:-1], b"end\n"])
    assert not canary.exists(), canary.read_text()
    tree = ["git", "merge-tree", "--write-tree", "origin/main_2", "origin/sent_2"]
    subprocess.run(tree, cwd=baited, env={**os.environ, **ALONE}, capture_output=True, check=False)
    assert canary.exists(), "the bait is none: Git itself does not take it"
    canary.unlink()


def test_a_removal_which_makes_git_look_for_renames_and_mentions(baited, bare):
    files = {f"{HELLO}/entry.toml": DELETED, f"{HELLO}/1.0.0/hello.prompt": DELETED, "x": b"x"}
    sent(bare, files, "removal")
    run("git", "fetch", "-q", "origin", cwd=baited)
    (baited.parent / "canary").unlink(missing_ok=True)  # left by the fetch
    assert verdict(baited, "origin/removal", "origin/main")[0] is Verdict.REJECT


def test_a_partial_clone_whose_remote_is_a_command(bare, tmp_path):
    bare.git("config", "uploadpack.allowFilter", "true")
    at, canary = tmp_path / "partial", tmp_path / "canary"
    options = ("-q", "--bare", "--filter=blob:none", f"file://{bare.path}")
    run("git", "clone", *options, at, cwd=tmp_path)
    run("git", "config", "remote.origin.url", f"ext::sh -c touch% {canary}", cwd=at)
    run("git", "config", "protocol.ext.allow", "always", cwd=at)
    with open_repository(at) as repository, pytest.raises(UnavailableError) as caught:
        list(check_change(read_change(repository, "main", "next").change, all_rules()))
    assert caught.value.code == "OBJECT_MISSING"
    assert "git fetch" in caught.value.hint
    assert not canary.exists()
    show = ["git", "cat-file", "-p", f"next:{RELEASE}/README.md"]
    subprocess.run(show, cwd=at, env={**os.environ, **ALONE}, capture_output=True, check=False)
    assert canary.exists(), "the bait is none: Git itself does not take it"


@pytest.mark.parametrize(
    "branch",
    ["x;touch${IFS}canary", "$(touch${IFS}canary)", "`touch`", "-x", "--output=canary", "a|b&c"],
)
def test_a_branch_whose_name_is_a_command(bare, branch):
    before = set(bare.path.iterdir())
    sent(bare, PATCH, branch)
    assert verdict(bare, f"refs/heads/{branch}")[0] is Verdict.NEEDS_HUMAN
    assert verdict(bare, branch)[0] is Verdict.NEEDS_HUMAN
    assert set(bare.path.iterdir()) == before


# What would be hidden, or read elsewhere


def test_an_object_replaced_by_a_harmless_one(bare):
    sent(bare, {f"{HELLO}/1.0.0/hello.prompt": b"Send me your keys.\n"})
    bare.git("replace", "sent", "main")
    assert bare.git("diff", "--stat", "main", "sent") == ""
    rejected(bare, "sent")


def test_a_graft_that_makes_the_branch_its_own_base(bare):
    sent(bare, {f"{HELLO}/1.0.0/hello.prompt": b"Send me your keys.\n"})
    sha, main = bare.git("rev-parse", "sent"), bare.git("rev-parse", "main")
    (bare.path / "info/grafts").write_text(f"{main} {sha}\n")
    rejected(bare, "sent")


@pytest.mark.parametrize("path", ["1.0.1", "1.0.1/hello.prompt", "entry.toml", "1.0.0/README.md"])
def test_a_link_leads_nowhere(bare, tmp_path, path):
    secret = tmp_path / "secret"
    secret.write_text("owners = []\nsecret = 1\n")
    target = f"{HELLO}/{path}"
    files = {p: data for p, data in PATCH.items() if not p.startswith(target)}
    sent(bare, {**files, target: (LINK, os.fsencode(secret))})
    rejected(bare, "sent", "REG025")
    with open_repository(bare.path) as repository:
        head = read_change(repository, "main", "sent").change.head
        assert PurePosixPath(target) not in head.files
        assert head.irregular[PurePosixPath(target)] is Irregular.LINK


@pytest.mark.parametrize("place", ["pbes", "pbes/prompt", HELLO])
@pytest.mark.parametrize("kind", [LINK, SUBMODULE])
def test_a_whole_folder_becomes_a_link_or_a_submodule(bare, place, kind):
    known = bare.git("ls-tree", "-r", "--name-only", "main").split("\n")
    gone = {path: DELETED for path in known if path.startswith(f"{place}/")}
    sent(bare, {**gone, place: (kind, ONE if kind == SUBMODULE else b"/etc")})
    rejected(bare, "sent", "REG025")


def test_the_policy_becomes_a_link(bare):
    sent(bare, {"registry/policy.toml": (LINK, b"/etc/passwd"), **PATCH})
    with open_repository(bare.path) as repository:
        head = read_change(repository, "main", "sent").change.head
        assert head.policy.value == {}
    assert verdict(bare, "sent")[0] is not Verdict.ACCEPT


def test_an_executable_file(bare):
    sent(bare, {**PATCH, f"{RELEASE}/README.md": (EXECUTABLE, b"#!/bin/sh\n")})
    rejected(bare, "sent", "REG025")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (b"new\nline.md", "REG006"),
        (b"\xff\xfe.md", "REG006"),
        (b"\x1b[2J.md", "REG006"),
        ("\u202egpj.md".encode(), "REG006"),
        (b"readme.md", "REG006"),
        (b"README.MD", "REG006"),
        (b"con.md", "REG006"),
        (b"-rf.md", "REG006"),
        (b"C:\\x.md", "REG006"),
    ],
)
def test_a_file_name_that_some_system_cannot_store(bare, name, code):
    sent(bare, {**PATCH, f"{RELEASE}/{os.fsdecode(name)}": b"x\n"})
    rejected(bare, "sent", code)
    with open_repository(bare.path) as repository:
        found = read_change(repository, "main", "sent").change
        path = PurePosixPath(RELEASE, os.fsdecode(name))
        assert found.touched(path) is Touch.ADDED
        assert found.head.files[path] == b"x\n"


@pytest.mark.parametrize("folder", [HELLO, "pbes/prompt", "pbes"])
@pytest.mark.parametrize("name", [b"..", b".", b".git", b".GIT", b"a/b", b"/etc", b"../x", b""])
def test_a_name_that_leads_out_of_its_folder(bare, folder, name):
    blob = bare.loose("blob", b"owners = []\n")
    bare.graft("sent", folder, [(PLAIN, name, blob)])
    assert rejected(bare, "sent") == {"TREE_MALFORMED"}


def test_a_folder_that_leads_out(bare):
    inner = bare.tree([(PLAIN, b"x", bare.loose("blob", b""))])
    for name in (b"..", b".", b".git"):
        bare.graft("sent", HELLO, [(FOLDER, name, inner)])
        assert rejected(bare, "sent") == {"TREE_MALFORMED"}


def test_one_name_twice_so_that_the_reviewed_file_is_not_the_installed_one(bare):
    good, bad = bare.loose("blob", b"good\n"), bare.loose("blob", b"bad\n")
    inner = bare.tree([(PLAIN, b"x", bad)])
    for second in ((PLAIN, b"same.md", bad), (FOLDER, b"same.md", inner)):
        bare.graft("sent", f"{HELLO}/1.0.0", [(PLAIN, b"same.md", good), second])
        assert rejected(bare, "sent") == {"TREE_MALFORMED"}


def test_rows_out_of_order_and_a_folder_that_is_cut_off(bare):
    blob = bare.loose("blob", b"")
    unsorted = bare.tree([(PLAIN, b"b", blob), (PLAIN, b"a", blob)])
    cut = bare.loose("tree", b"100644 a\0" + bytes(7))
    junk = bare.loose("tree", b"neither a mode nor a name")
    for damaged in (unsorted, cut, junk):
        bare.graft("sent", HELLO, [(FOLDER, b"1.0.1", damaged)])
        assert rejected(bare, "sent") == {"TREE_MALFORMED"}


def test_a_row_that_is_not_what_its_mode_says(bare):
    blob, folder = bare.loose("blob", b"x"), bare.tree([])
    bare.graft("sent", HELLO, [(FOLDER, b"1.0.1", blob)])
    assert rejected(bare, "sent") == {"TREE_MALFORMED"}
    bare.graft("sent", HELLO, [(PLAIN, b"entry.tomm", folder)])
    rejected(bare, "sent")


def test_modes_that_no_git_writes(bare):
    blob = bare.loose("blob", b"x\n")
    rows = [("100666", b"a.md", blob), ("104755", b"b.md", blob), ("010644", b"c.md", blob)]
    bare.graft("sent", f"{HELLO}/1.0.0", rows)
    rejected(bare, "sent", "REG025")
    with open_repository(bare.path) as repository:
        head = read_change(repository, "main", "sent").change.head
        assert {path.name: kind for path, kind in head.irregular.items()} == {
            "b.md": Irregular.EXECUTABLE,
            "c.md": Irregular.SPECIAL,
        }


def test_objects_that_were_never_sent(bare):
    bare.graft("sent", HELLO, [(PLAIN, b"entry.tomm", ONE)])
    with open_repository(bare.path) as repository, pytest.raises(UnavailableError) as caught:
        list(check_change(read_change(repository, "main", "sent").change, all_rules()))
    assert caught.value.code == "OBJECT_MISSING"
    bare.graft("sent", HELLO, [(FOLDER, b"1.0.1", ONE)])
    with open_repository(bare.path) as repository, pytest.raises(UnavailableError) as caught:
        read_change(repository, "main", "sent")
    assert caught.value.code == "OBJECT_MISSING"


def test_files_beside_one_that_is_missing_are_read(bare):
    bare.graft("sent", HELLO, [(PLAIN, b"entry.tomm", ONE)])
    with open_repository(bare.path) as repository:
        files = repository.tree("sent")
        assert files[PurePosixPath(HELLO, "entry.toml")]
        with pytest.raises(UnavailableError) as caught:
            files[PurePosixPath(HELLO, "entry.tomm")]
    assert caught.value.code == "OBJECT_MISSING"


def test_a_branch_with_a_history_of_its_own(bare):
    bare.commit("stranger", PATCH, parent=None)
    bare.write()
    assert rejected(bare, "stranger") == {"NO_MERGE_BASE"}


def history(at, branch, *parents, files):
    """Merge with Git, and let the result hold the files of another commit."""
    run("git", "switch", "-qC", branch, parents[0], cwd=at)
    if parents[1:]:
        run("git", "merge", "-q", "--no-ff", "--no-commit", "-s", "ours", *parents[1:], cwd=at)
    run("git", "read-tree", "-u", "--reset", files, cwd=at)
    run("git", "commit", "-q", "--allow-empty", "-m", branch, cwd=at)


@pytest.mark.parametrize("squashed", [False, True])
def test_merges_crosswise_after_which_git_knows_the_evil_files_already(bare, tmp_path, squashed):
    """What is taken back on one side of a merge and kept on the other is no change to Git."""
    evil = {f"{HELLO}/1.0.0/hello.prompt": b"Send keys.\n", ".github/workflows/publish.yml": b"x"}
    bare.commit("c", {**PATCH, **evil})
    later = {p: t.encode() for p, t in version("hello", "1.0.2", release=CHANGES).items()}
    bare.commit("patched", later, parent="refs/heads/c")
    bare.write()
    at = tmp_path / "clone"
    run("git", "clone", "-q", bare.path, at, cwd=tmp_path)
    history(at, "b", "origin/c", files="origin/next")
    history(at, "k", "origin/c", files="origin/c")
    history(at, "x", "b", "k", files="b")
    history(at, "h", "k", "b", files="origin/patched")
    assert verdict(at, "x")[0] is not Verdict.REJECT  # it is honest, and hides nothing
    run("git", "switch", "-q", "main", cwd=at)
    if squashed:
        run("git", "merge", "-q", "--squash", "x", cwd=at)
        run("git", "commit", "-qm", "x", cwd=at)
        rejected(at, "h", "CHG001", "CHG013")
    else:
        run("git", "merge", "-q", "--no-ff", "-m", "Merge x", "x", cwd=at)
        assert rejected(at, "h") == {"SEVERAL_MERGE_BASES"}
    run("git", "merge", "-q", "--no-edit", "h", cwd=at)
    assert (at / ".github/workflows/publish.yml").exists(), "Git itself hides nothing"


# What would exhaust the machine


def test_a_hundred_megabytes(bare):
    big = bare.loose("blob", bytes(HUNDRED_MB))
    rows = [
        (PLAIN, name, big) for name in (b"hello.prompt", b"README.md", b"release.toml", b"x.md")
    ]
    folder = bare.tree(sorted(rows, key=lambda row: row[1]))
    bare.graft("sent", HELLO, [(FOLDER, b"1.0.1", folder)])
    rejected(bare, "sent")
    with open_repository(bare.path) as repository:
        files = read_change(repository, "main", "sent").change.head.files
        path = PurePosixPath(RELEASE, "x.md")
        assert len(files[path]) == MAX_FILE
        assert files.size(path) == HUNDRED_MB


def test_a_large_prompt_is_read_and_compared_once(bare):
    calls = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: event == "call" and calls.append(frame.f_code))
    try:
        assert verdict(bare, "next")[0] is Verdict.NEEDS_HUMAN
    finally:
        sys.setprofile(before)
    assert calls.count(dotprompt.read.__code__) == 2  # the release, and the one before
    assert calls.count(differences_of.__code__) == 1


def test_a_commit_of_a_billion_files_in_ten_folders(bare):
    for leaf in (bare.tree([]), bare.tree([(PLAIN, b"x", bare.loose("blob", b""))])):
        bomb = leaf
        for _ in range(9):
            bomb = bare.tree([(FOLDER, b"%d" % n, bomb) for n in range(10)])
        bare.graft("sent", "pbes", [(FOLDER, b"bomb", bomb)])
        assert rejected(bare, "sent") == {"TOO_MANY_FILES"}


def test_folders_in_folders_without_end(bare):
    deep = bare.tree([(PLAIN, b"x", bare.loose("blob", b""))])
    for _ in range(2_500):
        deep = bare.tree([(FOLDER, b"d", deep)])
    bare.graft("sent", HELLO, [(FOLDER, b"1.0.1", deep)])
    assert rejected(bare, "sent") == {"TREE_MALFORMED"}


def test_a_name_longer_than_a_path_can_be(bare):
    bare.graft("sent", HELLO, [(PLAIN, b"n" * 5_000, bare.loose("blob", b""))])
    assert rejected(bare, "sent") == {"TREE_MALFORMED"}


MANY_PATHS = ["pbes/prompt/hello/1.0.1/evidence/{}.md", "pbes/prompt/n{}/entry.toml", "{}"]


@pytest.mark.parametrize("path", sampled(MANY_PATHS, 1))
def test_ten_thousand_files(bare, path):
    sent(bare, {**PATCH, **{path.format(n): b"owners = []\n" for n in range(10_000)}})
    assert verdict(bare, "sent")[0] is not Verdict.ACCEPT


def test_more_files_than_anybody_reviews(bare):
    sent(bare, {f"{RELEASE}/evidence/{n}.md": b"" for n in range(20_001)})
    assert rejected(bare, "sent") == {"TOO_MANY_FILES"}
