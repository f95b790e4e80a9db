"""`psreg submit` as a contributor types it in a clone: real repositories, a forge on loopback."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from support.forges import TOKEN, FakeGitLab, running
from support.pipelines import ISOLATED, git
from support.registry_trees import POLICY, entry, version
from support.submissions import SubmittedGitHub
from support.warm_psreg import run_psreg

FOLDER = "pbes/prompt/trip_packer"
FILES = ["0.1.0/README.md", "0.1.0/release.toml", "0.1.0/trip_packer.prompt", "entry.toml"]
PYTHON = [sys.executable, "-P", "-m", "psreg"]


class Contributor:
    """A clone of a fork, and the registry that it was forked from."""

    def __init__(self, root):
        self.root = root
        self.origin, self.clone = root / "prompts.git", root / "clone"
        git("init", "-q", "--bare", "-b", "main", str(self.origin), cwd=root)
        git("clone", "-q", str(self.origin), str(self.clone), cwd=root)
        self.write({**entry("hello"), "registry/policy.toml": POLICY})
        git("add", "--all", cwd=self.clone)
        git("commit", "-qm", "Start", cwd=self.clone)
        git("push", "-q", "-u", "origin", "HEAD:main", cwd=self.clone)
        git("remote", "set-head", "origin", "main", cwd=self.clone)
        git("config", "user.name", "Ana", cwd=self.clone)
        git("config", "user.email", "ana@example.org", cwd=self.clone)

    def write(self, files):
        for path, text in files.items():
            (self.clone / path).parent.mkdir(parents=True, exist_ok=True)
            (self.clone / path).write_text(text)

    def new(self, name="trip_packer", number="0.1.0"):
        self.write({**version(name, number), f"pbes/prompt/{name}/entry.toml": "owners = []\n"})

    def fix(self):
        path = self.clone / FOLDER / "0.1.0/README.md"
        path.write_text(f"{path.read_text()}\nFixed.\n")

    def psreg(self, *arguments, **environ):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI"))}
        env = {**env, "HOME": str(self.root), **ISOLATED, **environ}
        return run_psreg("submit", *arguments, cwd=self.clone, env=env, text=True)

    def say(self, *arguments, **environ):
        done = self.psreg(*arguments, "--format", "json", **environ)
        return done.returncode, json.loads(done.stdout)

    def git(self, *arguments):
        return git(*arguments, cwd=self.clone)


@pytest.fixture
def ana(tmp_path):
    return Contributor(tmp_path)


def test_one_entry_on_a_branch_of_its_own_and_nothing_else_changes(ana):
    ana.new()
    ana.write({"notes.txt": "mine", "registry/policy.toml": POLICY + "# mine\n"})
    ana.git("add", "notes.txt")
    before = ana.git("status", "--porcelain")
    done = ana.psreg()
    assert done.returncode == 0, done.stderr
    assert "submit/trip_packer: 4 files in commit" in done.stdout
    assert "expected verdict: needs_human" in done.stdout
    assert "git push -u origin submit/trip_packer" in done.stdout
    assert ana.git("status", "--porcelain") == before
    assert ana.git("branch", "--show-current") == "main"
    names = ana.git("diff", "--name-only", "main", "submit/trip_packer").splitlines()
    assert names == [f"{FOLDER}/{path}" for path in FILES]
    said = ana.git("show", "-s", "--format=%an %ae %s", "submit/trip_packer")
    assert said == "Ana ana@example.org Add trip_packer 0.1.0"


def test_the_bytes_are_those_of_the_files_whatever_filters_say(ana):
    ana.new()
    artifact = ana.clone / FOLDER / "0.1.0/trip_packer.prompt"
    artifact.chmod(0o755)
    ana.write({".gitattributes": "*.prompt filter=evil text eol=crlf\n"})
    ana.git("config", "filter.evil.clean", "tr a-z A-Z")
    ana.git("config", "core.autocrlf", "true")
    ana.git("config", "core.hooksPath", str(ana.root / "hooks"))
    hook = ana.root / "hooks/pre-commit"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {ana.root}/canary\n")
    hook.chmod(0o755)
    assert ana.psreg().returncode == 0
    row = ana.git("ls-tree", "submit/trip_packer", f"{FOLDER}/0.1.0/trip_packer.prompt")
    kept = ana.git("hash-object", "--no-filters", str(artifact))
    assert row.split()[:3] == ["100644", "blob", kept]
    assert not list(ana.root.rglob("canary"))


def test_findings_are_said_and_nothing_is_committed(ana):
    ana.new()
    ana.write({f"{FOLDER}/0.1.0/release.toml": 'summary = "Short."\n'})
    done = ana.psreg("trip_packer")
    assert done.returncode == 1
    assert "nothing was committed: the review would reject trip_packer" in done.stdout
    assert f"{FOLDER}/0.1.0/release.toml:1: " in done.stdout
    assert ana.git("branch", "--list", "submit/*") == ""
    code, document = ana.say("trip_packer")
    assert code == 1
    assert {o["code"] for o in document["objections"]} >= {"REG008"}
    assert document["branch"] == document["commit"] == ""


def test_mending_adds_a_commit_and_the_same_again_adds_none(ana):
    ana.new()
    first = ana.say()[1]["commit"]
    assert ana.say()[1]["commit"] == first
    ana.fix()
    second = ana.say()[1]["commit"]
    assert ana.git("rev-parse", f"{second}^") == first
    assert ana.git("rev-parse", "submit/trip_packer") == second


def test_the_next_version_starts_from_what_was_merged(ana):
    ana.new()
    ana.say("--push")
    squashed = ana.git("commit-tree", "submit/trip_packer^{tree}", "-p", "main", "-m", "Squash")
    ana.git("push", "-q", "origin", f"{squashed}:main")
    ana.git("stash", "push", "-q", "--include-untracked", "--", FOLDER)
    ana.git("pull", "-q", "--ff-only")
    release = (ana.clone / FOLDER / "0.1.0/release.toml").read_text()
    more = version("trip_packer", "0.1.1", release=release + 'changes = "Wording."\n')
    ana.write(more)
    code, document = ana.say("--push")
    assert code == 0
    assert ana.git("rev-parse", "submit/trip_packer^") == squashed
    assert git("rev-parse", "submit/trip_packer", cwd=ana.origin) == document["commit"]
    assert ana.git("show", "-s", "--format=%s", "submit/trip_packer") == "Add trip_packer 0.1.1"
    ana.write({f"{FOLDER}/0.1.0/README.md": "changed"})
    code, document = ana.say()
    assert code == 1
    assert [o["code"] for o in document["objections"]]


def test_what_somebody_else_pushed_is_never_overwritten(ana):
    """The branch starts again after a merge, but its remote has a commit that may be approved."""
    ana.new()
    ana.say("--push")
    squashed = ana.git("commit-tree", "submit/trip_packer^{tree}", "-p", "main", "-m", "Squash")
    ana.git("push", "-q", "origin", f"{squashed}:main")
    tip = ana.git("rev-parse", "submit/trip_packer")
    more = ana.git("commit-tree", f"{tip}^{{tree}}", "-p", tip, "-m", "Somebody's commit")
    ana.git("push", "-q", "origin", f"{more}:refs/heads/submit/trip_packer")
    ana.git("stash", "push", "-q", "--include-untracked", "--", FOLDER)
    ana.git("pull", "-q", "--ff-only")
    release = (ana.clone / FOLDER / "0.1.0/release.toml").read_text()
    ana.write(version("trip_packer", "0.1.1", release=release + 'changes = "Wording."\n'))
    code, document = ana.say("--push")
    assert (code, document["error"]["code"]) == (1, "BRANCH_MOVED")
    assert git("rev-parse", "submit/trip_packer", cwd=ana.origin) == more


def test_only_the_entry_file(ana):
    ana.write({"pbes/prompt/hello/entry.toml": 'owners = []\n[yanked]\n"1.0.0" = "Broken."\n'})
    assert ana.psreg().returncode == 0
    assert ana.git("show", "-s", "--format=%s", "submit/hello") == "Update hello"


def test_pushing(ana):
    ana.new()
    code, document = ana.say("--push")
    assert (code, document["pushed"], document["opened"]) == (0, True, False)
    assert git("rev-parse", "submit/trip_packer", cwd=ana.origin) == document["commit"]


def spoken_to(server):
    """Return the variables by which psreg speaks to a forge."""
    return {
        "GITHUB_API_URL": server.url,
        "GITHUB_REPOSITORY": server.repository,
        "GITHUB_TOKEN": TOKEN,
    }


def test_an_approved_pull_request_is_not_changed(ana):
    ana.new()
    with running(SubmittedGitHub(ana.origin)) as server:
        forge = spoken_to(server)
        _, document = ana.say("--open", **forge)
        number = server.pulls[0]["number"]
        approved = {"user": {"id": 5}, "state": "APPROVED"}
        server.reviews[number] = [approved, {"user": {"id": 6}, "state": "COMMENTED"}]
        assert ana.say("--open", **forge)[0] == 0  # nothing new is pushed
        ana.fix()
        code, refused = ana.say("--open", **forge)
        assert (code, refused["error"]["code"]) == (1, "APPROVED")
        assert git("rev-parse", "submit/trip_packer", cwd=ana.origin) == document["commit"]
        server.reviews[number].append({"user": {"id": 5}, "state": "DISMISSED"})
        assert ana.say("--open", **forge)[0] == 0
        assert git("rev-parse", "submit/trip_packer", cwd=ana.origin) != document["commit"]


def test_a_plain_push_does_not_change_an_approved_pull_request_either(ana):
    ana.new()
    with running(SubmittedGitHub(ana.origin)) as server:
        forge = spoken_to(server)
        _, document = ana.say("--open", **forge)
        server.reviews[server.pulls[0]["number"]] = [{"user": {"id": 5}, "state": "APPROVED"}]
        ana.fix()
        forge["GITHUB_TOKEN"] = ""  # anyone may ask about a public repository
        for more in ((), ("--force",)):
            code, refused = ana.say("--push", *more, **forge)
            assert (code, refused["error"]["code"]) == (1, "APPROVED")
        assert git("rev-parse", "submit/trip_packer", cwd=ana.origin) == document["commit"]
        server.private = True
        code, refused = ana.say("--push", **forge)
        assert (code, refused["error"]["code"]) == (4, "APPROVAL_UNKNOWN")
        assert "answers GET /repos/keepers/prompts/pulls with status 401" in str(refused)
        done = ana.psreg("--push", "--force", **forge)
        assert done.returncode == 0
        assert "without knowing whether it is approved" in done.stderr
        assert git("rev-parse", "submit/trip_packer", cwd=ana.origin) != document["commit"]


def behind_ssh(ana, address):
    """Let the clone push to an address whose repository is on this machine."""
    ssh = ana.root / "ssh"  # its last argument is a command: it serves the one repository
    ssh.write_text(f'#!/bin/sh\nfor last; do :; done\nexec ${{last%% *}} "{ana.origin}"\n')
    ssh.chmod(0o755)
    ana.git("remote", "set-url", "origin", address)
    return {"GIT_SSH_COMMAND": str(ssh)}


def test_a_host_that_psreg_does_not_know_is_pushed_to_once_or_with_consent(ana):
    ana.new()
    git_host = behind_ssh(ana, "git@git.example.org:keepers/prompts.git")
    assert ana.say("--push", **git_host)[0] == 0
    assert ana.say("--push", **git_host)[0] == 0  # nothing new is pushed
    ana.fix()
    code, refused = ana.say("--push", **git_host)
    assert (code, refused["error"]["code"]) == (4, "APPROVAL_UNKNOWN")
    assert "git.example.org is neither GitHub nor GitLab" in refused["error"]["message"]
    assert "--force" in refused["error"]["hint"]
    assert ana.say("--push", "--force", **git_host)[0] == 0


@pytest.mark.parametrize("option", ["--push", "--open"])
@pytest.mark.parametrize("fork", [False, True])
def test_an_approved_merge_request_is_not_changed(ana, option, fork):
    ana.new()
    git("config", "receive.advertisePushOptions", "true", cwd=ana.origin)
    with running(FakeGitLab()) as server:
        own = "ana" if fork else "keepers"
        forge = behind_ssh(ana, f"git@gitlab.com:{own}/prompts.git")
        if fork:
            ana.git("remote", "add", "upstream", "https://gitlab.com/keepers/prompts.git")
        forge |= {"CI_API_V4_URL": server.url, "GITLAB_TOKEN": TOKEN}
        _, document = ana.say(option, **forge)
        ours = server.pull(document["commit"], 5)
        source = server.fork if fork else server.project
        ours |= {"source_branch": "submit/trip_packer", "source_project_id": source}
        theirs = server.pull("a" * 40, 6, number=2)  # the same branch of another fork
        theirs |= {"source_branch": "submit/trip_packer", "source_project_id": 44}
        server.approved_by[2] = [{"user": {"id": 7}}]
        ana.fix()
        assert ana.say(option, **forge)[0] == 0
        pushed = git("rev-parse", "submit/trip_packer", cwd=ana.origin)
        server.approved_by[1] = [{"user": {"id": 7}}]
        ana.fix()
        code, refused = ana.say(option, **forge)
        assert (code, refused["error"]["code"]) == (1, "APPROVED")
        assert ours["web_url"] in refused["error"]["message"]
        server.approved_by[1] = None
        code, refused = ana.say(option, **forge)
        assert (code, refused["error"]["code"]) == (4, "APPROVAL_UNKNOWN")
        assert git("rev-parse", "submit/trip_packer", cwd=ana.origin) == pushed
        assert server.tokens == {TOKEN}


def test_a_token_is_not_sent_to_another_gitlab(ana):
    ana.new()
    with running(FakeGitLab()) as server:
        forge = behind_ssh(ana, "git@gitlab.example.org:keepers/prompts.git")
        forge |= {"GITLAB_TOKEN": TOKEN, "https_proxy": server.url, "HTTPS_PROXY": server.url}
        assert ana.say("--push", **forge)[0] == 0
        ana.fix()
        code, refused = ana.say("--push", **forge, CI_API_V4_URL=server.url)
        assert (code, refused["error"]["code"]) == (4, "APPROVAL_UNKNOWN")
        assert TOKEN not in server.tokens


def test_opening_on_github(ana):
    ana.new()
    with running(SubmittedGitHub(ana.origin)) as server:
        forge = spoken_to(server)
        code, document = ana.say("--open", **forge)
        assert code == 0, document
        (pull,) = server.pulls
        assert document["url"] == pull["html_url"]
        assert (pull["title"], pull["base"]["ref"]) == ("Add trip_packer 0.1.0", "main")
        assert ana.say("--open", **forge)[1]["url"] == pull["html_url"]
        assert len(server.pulls) == 1
        done = ana.psreg("--open", **forge)
        assert f"pull request: {pull['html_url']}" in done.stdout
        code, document = ana.say("--open", **{**forge, "GITHUB_TOKEN": ""})
        assert (code, document["error"]["code"]) == (2, "NO_TOKEN")


def test_the_page_to_open_for_a_fork(ana):
    ana.new()
    ana.git("remote", "add", "upstream", str(ana.origin))
    assert f"-- {FOLDER} && git pull upstream main\n" in ana.psreg().stdout
    ana.git("fetch", "-q", "upstream")
    ana.git("remote", "set-url", "origin", "git@github.com:ana/prompts.git")
    ana.git("remote", "set-url", "upstream", "https://github.com/keepers/prompts")
    done = ana.psreg()
    page = "https://github.com/keepers/prompts/compare/main...ana:submit/trip_packer?expand=1"
    assert f"open {page}" in done.stdout


def test_gitlab_opens_the_request_itself(ana):
    ana.new()
    git("config", "receive.advertisePushOptions", "true", cwd=ana.origin)
    hook = ana.origin / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\nenv | grep ^GIT_PUSH_OPTION_ | sort > options\necho a page\n")
    hook.chmod(0o755)
    ssh = behind_ssh(ana, "git@gitlab.com:keepers/prompts.git")
    page = "https://gitlab.com/keepers/prompts/-/merge_requests/new?merge_request"
    assert f"open {page}" in ana.psreg().stdout
    done = ana.psreg("--open", **ssh)
    assert done.returncode == 0, done.stderr
    assert "remote: a page" in done.stderr
    assert "pull request: https://gitlab.com/keepers/prompts/-/merge_requests\n" in done.stdout
    said = (ana.origin / "options").read_text()
    assert "merge_request.create" in said
    assert "merge_request.target=main" in said
    assert "merge_request.title=Add trip_packer 0.1.0" in said


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "no entry has changes to submit"),
        (("hello",), 2, "`hello` has no changes"),
        (("--remote", "nowhere"), 2, "there is no remote `nowhere`"),
        (("--base", "nowhere"), 4, "unknown revision `nowhere`"),
        (("--from-issue", "nowhere"), 4, "cannot read the event nowhere"),
    ],
)
def test_what_cannot_be_done(ana, arguments, code, said):
    done = ana.psreg(*arguments)
    assert done.returncode == code
    assert said in done.stderr


def test_more_that_cannot_be_done(ana, tmp_path):
    ana.new()
    ana.new("case_packer")
    done = ana.psreg()
    assert done.returncode == 2
    assert f"several entries have changes: pbes/prompt/case_packer, {FOLDER}" in done.stderr
    done = ana.psreg("hello")
    assert "Changed entries: case_packer, trip_packer" in done.stderr
    ana.psreg("trip_packer")
    ana.git("stash", "push", "-q", "--include-untracked", "--", FOLDER)
    ana.git("switch", "-q", "submit/trip_packer")
    ana.fix()
    done = ana.psreg("trip_packer")
    assert done.returncode == 1
    assert "the branch `submit/trip_packer` is checked out" in done.stderr
    ana.git("restore", FOLDER)
    ana.git("switch", "-q", "main")
    (ana.clone / "pbes/prompt/case_packer/0.1.0/link.md").symlink_to("/etc/passwd")
    done = ana.psreg("case_packer")
    assert done.returncode == 1
    link = "pbes/prompt/case_packer/0.1.0/link.md"
    assert f"{link}: this is not a regular file [NOT_A_FILE]" in done.stdout
    assert "submit/case_packer" not in branches(ana)


def test_without_an_identity(ana):
    ana.new()
    ana.git("config", "--unset", "user.name")
    ana.git("config", "--unset", "user.email")
    ana.git("config", "user.useConfigOnly", "true")
    done = ana.psreg()
    assert done.returncode == 2
    assert "git config user.name" in done.stderr


def test_without_a_remote_a_clone_or_a_checkout(ana, tmp_path):
    ana.new()
    ana.git("remote", "remove", "origin")
    assert ana.psreg().returncode == 0
    done = ana.psreg("--push")
    assert done.returncode == 2
    assert "this clone has no remote" in done.stderr
    ana.git("remote", "add", "origin", str(tmp_path / "away.git"))
    done = ana.psreg("--push")
    assert done.returncode == 4
    assert "git ls-remote failed" in done.stderr
    ana.git("remote", "set-url", "origin", str(ana.origin))
    done = ana.psreg("--open")
    assert done.returncode == 2
    assert "is not on GitHub or GitLab" in done.stderr
    (ana.clone / ".git").rename(tmp_path / "git")
    assert "is not the top folder of a Git clone" in ana.psreg().stderr
    (ana.clone / "pbes").rename(tmp_path / "pbes-away")
    assert "NO_CHECKOUT" in ana.psreg().stderr


def test_settings_of_a_caller_do_not_lead_elsewhere(ana, tmp_path):
    ana.new()
    other = tmp_path / "other"
    git("init", "-q", str(other), cwd=tmp_path)
    before = sorted((other / ".git").rglob("*"))
    done = ana.psreg(
        **dict.fromkeys(("GIT_DIR", "GIT_COMMON_DIR"), str(other / ".git")),
        GIT_OBJECT_DIRECTORY=str(other / ".git/objects"),
        GIT_WORK_TREE=str(other),
        GIT_INDEX_FILE=str(tmp_path / "index"),
        GIT_NAMESPACE="elsewhere",
        GIT_SHALLOW_FILE=str(tmp_path / "shallow"),
    )
    assert done.returncode == 0, done.stderr
    assert ana.git("branch", "--list", "submit/trip_packer")
    assert sorted((other / ".git").rglob("*")) == before
    assert not Path(tmp_path / "index").exists()


ALLOWS_THREE = POLICY + "[review]\nentries_per_change = 3\n"
ORIGIN = """
[origin]
address = "https://example.org/prompts"
path = "PATH"
sha256 = "DIGEST"
imported = "2026-11-01"
license = "MIT"
""".replace("DIGEST", "0" * 64)


@pytest.fixture
def team(ana):
    """A clone of a registry that allows three entries in a pull request, with new ones."""
    ana.write({"registry/policy.toml": ALLOWS_THREE})
    ana.git("commit", "-qam", "Allow more")
    ana.git("push", "-q", "origin", "HEAD:main")
    return ana


def imported(ana, name, path):
    ana.new(name)
    release = ana.clone / f"pbes/prompt/{name}/0.1.0/release.toml"
    release.write_text(release.read_text() + ORIGIN.replace("PATH", path))


def branches(ana):
    return ana.git("branch", "--list", "submit/*", "--format=%(refname:short)").split()


def test_a_batch_has_as_many_entries_in_a_branch_as_the_registry_allows(team):
    for name in ("apple", "birch", "cedar", "date_palm"):
        team.new(name)
    code, document = team.say("--batch")
    assert code == 0
    first, second = document["submissions"]
    assert (document["schema"], first["verdict"]) == ("psreg.submit-batch/1", "needs_human")
    assert first["branch"] == "submit/apple-and-others"
    assert second["branch"] == "submit/date_palm"
    assert branches(team) == ["submit/apple-and-others", "submit/date_palm"]
    commits = team.git("log", "--format=%s", f"main..{first['branch']}").splitlines()
    assert commits == ["Add cedar 0.1.0", "Add birch 0.1.0", "Add apple 0.1.0"]
    changed = team.git("diff", "--name-only", "main", first["branch"]).splitlines()
    assert changed == first["files"]
    assert {path.split("/")[2] for path in changed} == {"apple", "birch", "cedar"}
    assert team.say("--batch") == (code, document)


def test_a_batch_keeps_apart_what_is_from_other_folders_of_a_source(team):
    for name, path in (("fir", "b/fir.md"), ("ash", "b/ash.md"), ("elm", "a/x.csv#3")):
        imported(team, name, path)
    team.new("oak")
    done = team.psreg("--batch")
    assert done.returncode == 0, done.stdout
    assert branches(team) == ["submit/ash-and-others", "submit/elm", "submit/oak"]
    assert "submit/ash-and-others: 8 files in commit" in done.stdout
    folders = "pbes/prompt/ash pbes/prompt/fir"
    assert f"git stash push --include-untracked -- {folders} && git pull" in done.stdout
    assert done.stdout.endswith("entries: 4, branches: 3, not committed: 0\n")


def test_an_error_in_one_entry_stops_no_other_of_the_batch(team):
    for name in ("apple", "birch", "cedar"):
        team.new(name)
    team.write({"pbes/prompt/birch/0.1.0/release.toml": 'summary = "Short."\n'})
    team.write({"pbes/prompt/birch/entry.toml": "owners = 1\n"})
    done = team.psreg("--batch")
    assert done.returncode == 1
    assert "nothing was committed: the review would reject birch" in done.stdout
    assert done.stdout.endswith("entries: 3, branches: 1, not committed: 1\n")
    assert branches(team) == ["submit/apple-and-others"]
    names = team.git("diff", "--name-only", "main", "submit/apple-and-others").splitlines()
    assert {path.split("/")[2] for path in names} == {"apple", "cedar"}


def test_a_link_in_one_entry_stops_no_other_of_the_batch(team):
    for name in ("apple", "birch", "cedar"):
        team.new(name)
    (team.clone / "pbes/prompt/birch/0.1.0/link.md").symlink_to("/etc/passwd")
    code, document = team.say("--batch")
    assert code == 1
    others, birch = document["submissions"]
    assert (others["branch"], birch["branch"]) == ("submit/apple-and-others", "")
    assert [each["code"] for each in birch["objections"]] == ["NOT_A_FILE"]
    assert birch["objections"][0]["where"] == "pbes/prompt/birch/0.1.0/link.md"
    assert branches(team) == ["submit/apple-and-others"]
    assert team.say("birch") == (1, birch)


def test_a_batch_asks_git_once_what_changed(team, tmp_path):
    for name in ("apple", "birch"):
        team.new(name)
    trace = tmp_path / "trace"
    assert team.psreg("--batch", GIT_TRACE=str(trace)).returncode == 0
    asked = [line for line in trace.read_text().splitlines() if " diff --no-renames " in line]
    assert len(asked) == 1
    assert asked[0].endswith(" -- pbes")


def test_entries_of_a_batch_that_are_all_wrong_are_told_one_by_one(team):
    for name in ("apple", "birch"):
        team.new(name)
        team.write({f"pbes/prompt/{name}/entry.toml": "owners = 1\n"})
    done = team.psreg("--batch")
    assert done.returncode == 1
    assert "the review would reject apple\n" in done.stdout
    assert "the review would reject birch\n" in done.stdout
    assert done.stdout.endswith("entries: 2, branches: 0, not committed: 2\n")
    assert branches(team) == []


def test_a_batch_is_pushed_and_opened_a_request_for_each_group(ana):
    ana.new("apple")
    ana.new("birch")
    with running(SubmittedGitHub(ana.origin)) as server:
        code, document = ana.say("--batch", "--open", **spoken_to(server))
        assert code == 0, document
        assert [each["opened"] for each in document["submissions"]] == [True, True]
        titles = [pull["title"] for pull in server.pulls]
    assert titles == ["Add apple 0.1.0", "Add birch 0.1.0"]


def test_a_batch_needs_something_new_and_no_name(ana):
    done = ana.psreg("--batch")
    assert (done.returncode, "no entry has changes to submit" in done.stderr) == (2, True)
    done = ana.psreg("trip_packer", "--batch")
    assert (done.returncode, "Leave out NAME" in done.stderr) == (2, True)


def test_a_batch_says_of_an_entry_that_was_deleted_what_one_submission_says(ana):
    ana.new("apple")
    shutil.rmtree(ana.clone / "pbes/prompt/hello")
    code, document = ana.say("--batch")
    assert code == 1
    apple, hello = document["submissions"]
    assert (apple["branch"], apple["objections"]) == ("submit/apple", [])
    assert [each["code"] for each in hello["objections"]] == ["CHG003"]
    assert ana.say("hello") == (1, hello)
