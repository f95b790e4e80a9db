"""`psreg review` as a person and as a job of a forge run it, on real repositories."""

import json

import pytest

from psreg.forges.forge import CHECK
from psreg.review.comment import MARKER
from psreg.review.comment_code import REMARK
from support import review_cases as cases
from support.bare import EXECUTABLE, LINK, SUBMODULE, Bare
from support.clients import Client
from support.forges import BOT, TOKEN, FakeGitHub, Trouble, person, running

ANA = ("--author-id", cases.ANA)
HIDDEN = "\u200b"


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    made = Bare(tmp_path_factory.mktemp("git") / "prompts.git")
    made.commit("main", cases.base(), parent=None)
    made.commit("accepted", cases.GOOD["minor"])
    made.commit("waiting", cases.HUMAN["major"])
    hidden = cases.PROMPT + "Go on.\U000e0041\n"
    made.commit("rejected", cases.hello("1.1.1", prompt=hidden, readme=None))
    made.commit("unended", cases.hello("1.1.1", prompt=cases.worded()[:-1], readme=None))
    for branch, first in (("hundred_fixes", 0), ("eighty_fixes", 20)):
        lines = "".join(f"{n}. Go{HIDDEN * (n >= first)} on.\n" for n in range(100))
        made.commit(branch, cases.hello("1.1.1", prompt=cases.PROMPT + lines))
    made.commit("one_fix", cases.hello("1.1.1", prompt=f"{cases.PROMPT}Go{HIDDEN} on.\n"))
    ran = cases.evidence("claude")["evidence/claude.jsonl"].replace(
        '"model"', '"result": "pass", "model"'
    )
    place = f"{cases.HELLO}/1.1.0/evidence"
    made.commit("tested_later", {f"{place}/claude-2026-11-01.jsonl": ran.encode()})
    made.commit("tested_elsewhere", {f"{place}/gemini-2026-11-01.jsonl": ran.encode()})
    made.commit("stranger", {"README.md": b"# Elsewhere\n"}, parent=None)
    made.write()
    return made


@pytest.fixture
def client(tmp_path, monkeypatch):
    for name in ("GITHUB_ACTIONS", "GITLAB_CI"):  # these tests may be a job of a forge
        monkeypatch.delenv(name, raising=False)
    return Client(tmp_path)


@pytest.fixture
def review(client, bare):
    """Review a branch of the repository."""

    def run(head, *options, author=ANA, **environment):
        return client.run("review", "--head", head, *author, *options, bare.path, **environment)

    return run


def test_a_person_reads_the_verdict_last(review):
    done = review("accepted")
    assert done.code == 0
    assert done.out.splitlines()[-1].startswith("accept: nothing blocks it")
    assert "prompt/hello 1.2.0: a minor step from 1.1.0" in done.out
    done = review("waiting")
    assert done.code == 42
    assert "needs_human: a maintainer must decide" in done.out
    assert "  - a maintainer approves the major release of `hello`" in done.out
    done = review("rejected")
    assert done.code == 1
    assert "error[PS001]" in done.out
    assert "reject: it cannot be merged as it is\n" in done.out


def test_quiet_is_silent_about_what_is_fine(review):
    assert review("accepted", "--quiet").out == ""
    done = review("waiting", "--quiet")
    assert "needs_human" in done.out
    assert "score" not in done.out


@pytest.mark.parametrize(
    ("mode", "kind"),
    [(LINK, "a symbolic link"), (SUBMODULE, "a submodule"), (EXECUTABLE, "an executable file")],
)
@pytest.mark.parametrize("path", ["README.md", "tools", ".github/x", "registry/policy.toml"])
def test_what_is_not_a_plain_file_is_said_wherever_it_is(bare, review, path, mode, kind):
    bare.commit("odd", {path: (mode, "1" * 40 if mode == SUBMODULE else b"# x\n")})
    bare.write()
    done = review("odd", "--format", "json")
    assert done.code == 42
    told = [each["message"] for each in done.json["reasons"] if each["path"] == path]
    assert any(message.endswith(f"; it is {kind}") for message in told)


def test_only_what_can_be_fixed_is_said_to_be(review):
    assert "`psreg check --fix` applies" in review("unended", "--format", "markdown").out
    for head in ("rejected", "stranger"):
        done = review(head, "--format", "markdown")
        assert done.code == 1
        assert "psreg check --fix" not in done.out


def test_what_would_change_the_verdict(review):
    found = review("unended", "--format", "json").json
    (path,) = found["releases"][0]["missing"]
    assert path == f"{cases.HELLO}/1.1.1/README.md"
    assert found["would_change_verdict"] == [f"fix the error in `{path}`"]
    found = review("waiting", "--format", "json").json
    assert found["would_change_verdict"] == ["a maintainer approves the major release of `hello`"]


def test_a_release_in_json(review, bare):
    found = review("waiting", "--format", "json").json
    (release,) = found["releases"]
    names = ("class", "name", "version", "previous", "bump", "floor")
    assert [release[n] for n in names] == ["prompt", "hello", "2.0.0", "1.1.0", "major", "major"]
    assert {change["row"] for change in release["changes"]} >= {"PROMPT-VAR-REMOVED"}
    assert found["base"] == bare.git("rev-parse", "main")
    assert found["head"] == bare.git("rev-parse", "waiting")


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("github", "::error file=pbes/prompt/hello/1.1.1/README.md"),
        ("gitlab", '"check_name": "REG003"'),
        ("sarif", '"ruleId": "REG003"'),
        ("rdjson", '"value": "REG003"'),
        ("markdown", f"{MARKER}\n### psreg: Changes required"),
    ],
)
def test_the_other_formats(review, form, word):
    done = review("rejected", "--format", form)
    assert done.code == 1
    assert word in done.out


def test_the_verdict_does_not_depend_on_the_place(client, bare, tmp_path):
    clone = tmp_path / "clone"
    bare.git("clone", "-q", "--branch", "accepted", bare.path, clone)
    done = client.run("review", *ANA, "--format", "json", cwd=clone)
    assert (done.code, done.json["verdict"]) == (0, "accept")
    assert done.json["base"] == bare.git("rev-parse", "main")
    done = client.run("review", *ANA, "--base", "origin/main", clone / "pbes")
    assert done.code == 0


def test_a_repository_without_a_usual_base(client, tmp_path):
    made = Bare(tmp_path / "other.git")
    made.commit("trunk", cases.base(), parent=None)
    made.write()
    assert client.refused("review", "--head", "trunk", made.path) == (2, "NO_BASE")


def test_what_has_nothing_in_common_is_rejected_with_a_reason(review):
    found = review("stranger", "--format", "json")
    assert (found.code, found.json["verdict"]) == (1, "reject")
    assert [r["code"] for r in found.json["reasons"]] == ["NO_MERGE_BASE"]
    assert found.json["would_change_verdict"]
    assert "psreg: reject: " in review("stranger", "--format", "github").err
    assert review("stranger").err == ""


def test_a_missing_base_names_the_command_that_fetches_it(client, bare, tmp_path):
    clone = tmp_path / "clone"
    bare.git("clone", "-q", "--branch", "accepted", bare.path, clone)
    done = client.run("review", "--base", "f" * 40, cwd=clone)
    assert done.code == 4
    assert "git fetch" in done.err


class Job:
    """A trusted or untrusted job of GitHub Actions for a branch of the repository."""

    def __init__(self, bare, forge, folder):
        self.bare, self.forge, self.event = bare, forge, folder / "event.json"

    def environment(self, branch, author, *, token="", trusted=False):
        head, base = self.bare.git("rev-parse", branch), self.bare.git("rev-parse", "main")
        pull = self.forge.pull(head, author)
        pull["base"]["sha"] = base
        self.forge.tip = lambda: self.bare.git("rev-parse", "main")
        repository = {"default_branch": "main"}
        event = {"action": "opened", "pull_request": pull, "sender": person(author)}
        self.event.write_text(json.dumps({"repository": repository, **event}))
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.forge.url,
            "GITHUB_EVENT_NAME": "pull_request_target" if trusted else "pull_request",
            "GITHUB_EVENT_PATH": str(self.event),
            "GITHUB_REPOSITORY": self.forge.repository,
            "GITHUB_RUN_ID": "99",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_SHA": base,
            "GITHUB_TOKEN": token,
        }


@pytest.fixture
def job(bare, tmp_path):
    with running(FakeGitHub()) as forge:
        yield Job(bare, forge, tmp_path)


def test_base_head_and_author_come_from_the_forge(client, bare, job):
    done = client.run(
        "review", "--format=json", bare.path, **job.environment("accepted", cases.ANA)
    )
    assert (done.code, done.json["verdict"]) == (0, "accept")
    done = client.run(
        "review", "--format=json", bare.path, **job.environment("accepted", cases.BOB)
    )
    assert [reason["code"] for reason in done.json["reasons"]] == ["CHG018"]
    mine = job.environment("accepted", cases.BOB)
    assert client.run("review", *ANA, bare.path, **mine).code == 0


def test_a_trusted_job_posts_one_comment_and_the_verdict(client, bare, job):
    environment = job.environment("waiting", cases.ANA, token=TOKEN, trusted=True)
    for _ in range(2):
        done = client.run("review", "--post", bare.path, **environment)
        assert done.code == 42
        assert "psreg: wrote https://github.example/" in done.err
    (body,) = job.forge.bodies()
    assert body.startswith(f"{MARKER}\n### psreg: Needs a maintainer")
    assert "[Full report](https://github.example/keepers/prompts/actions/runs/99)" in body
    assert job.forge.comments[1][0]["user"] == BOT
    said = [(one["context"], one["state"], one["description"]) for one in job.forge.checks]
    assert said[:2] == said[2:]
    assert said[0][:2] == (CHECK, "pending")
    assert said[1][:2] == (CHECK, "success")
    base = bare.git("rev-parse", "main")
    why = "needs_human: a maintainer must decide"
    assert said[1][2] == f"{why}; onto {base[:12]}, asked by {cases.ANA}"
    assert f"Reviewed <code>{bare.git('rev-parse', 'waiting')[:12]}</code>" in body


def posted(client, bare, job, branch):
    """Post a review of a branch as the only pull request."""
    job.forge.pulls.clear()
    environment = job.environment(branch, cases.ANA, token=TOKEN, trusted=True)
    done = client.run("review", "--post", bare.path, **environment)
    assert done.code in (0, 1, 42)
    return done


def at_lines(job):
    return [(one["line"], one["body"].split("\n```suggestion\n")[1]) for one in suggested(job)]


def suggested(job):
    return job.forge.remarks.get(1, [])


def test_a_fix_stands_at_its_lines_until_it_is_taken_over(client, bare, job):
    posted(client, bare, job, "one_fix")
    (one,) = suggested(job)
    assert one["body"].startswith(REMARK)
    assert one["path"] == f"{cases.HELLO}/1.1.1/hello.prompt"
    assert at_lines(job) == [(len(cases.PROMPT.splitlines()) + 1, "Go on.\n```\n")]
    before = [*suggested(job)]
    posted(client, bare, job, "one_fix")
    assert suggested(job) == before
    posted(client, bare, job, "accepted")
    assert suggested(job) == []


def test_a_hundred_fixes_are_twenty_remarks_and_a_number(client, bare, job):
    posted(client, bare, job, "hundred_fixes")
    first = len(cases.PROMPT.splitlines()) + 1
    assert [line for line, _ in at_lines(job)] == [*range(first, first + 20)]
    (body,) = job.forge.bodies()
    assert "The first 20 are also comments on their lines" in body
    assert "80 more will" in body
    posted(client, bare, job, "eighty_fixes")
    assert [line for line, _ in at_lines(job)] == [*range(first + 20, first + 40)]
    (body,) = job.forge.bodies()
    assert "60 more will" in body
    posted(client, bare, job, "one_fix")
    (body,) = job.forge.bodies()
    assert "more will" not in body


def test_a_line_that_the_forge_does_not_show_loses_nothing_else(client, bare, job):
    first = len(cases.PROMPT.splitlines()) + 1
    lines = [line for line in range(first, first + 100) if line != first + 1]
    job.forge.shown = {(f"{cases.HELLO}/1.1.1/hello.prompt", line) for line in lines}
    done = posted(client, bare, job, "hundred_fixes")
    assert done.code == 1
    assert "psreg: github did not accept 1 of 20 suggestions" in done.err
    assert len(suggested(job)) == 19
    assert len(job.forge.bodies()) == 1
    assert job.forge.checks[-1]["state"] == "failure"


def test_what_others_remark_is_left_alone(client, bare, job):
    posted(client, bare, job, "one_fix")
    (ours,) = suggested(job)
    forged = {key: value for key, value in ours.items() if key not in ("id", "user")}
    job.forge.remarks.clear()
    job.forge.remark(forged, person(666, "mallory"))
    job.forge.remark({**forged, "body": f"{REMARK}0 -->"}, person(666, "github-actions[bot]"))
    posted(client, bare, job, "one_fix")
    assert [one["user"]["id"] for one in suggested(job)] == [666, 666, BOT["id"]]
    posted(client, bare, job, "accepted")
    assert [one["user"]["id"] for one in suggested(job)] == [666, 666]


def test_nobody_posts_without_a_forge_or_a_token(review, client, bare, job):
    assert review("accepted", "--post", "--format", "json").refusal == (2, "NO_FORGE")
    environment = job.environment("accepted", cases.ANA)
    done = client.run("review", "--post", bare.path, **environment)
    assert done.code == 2
    assert "NO_TOKEN" in done.err
    assert job.forge.bodies() == []


def test_open_heads_are_listed_for_a_job_of_a_forge(review, client, bare, job):
    assert review("accepted", "--outdated", "--format", "json").refusal == (2, "NO_FORGE")
    environment = job.environment("accepted", cases.ANA, token=TOKEN, trusted=True)
    outdated = ("review", "--outdated", "--base", "main", bare.path)
    assert client.run(*outdated, **environment).out == f"{bare.git('rev-parse', 'accepted')}\n"
    assert client.run("review", "--post", bare.path, **environment).code == 0
    assert client.run(*outdated, **environment).out == ""


@pytest.mark.parametrize(("value", "state"), [("neutral", "success"), ("failing", "failure")])
def test_the_base_says_what_becomes_of_a_decision(client, bare, job, value, state):
    policy = f'{cases.POLICY}[review]\nneeds_human = "{value}"\n'
    bare.commit(value, {"registry/policy.toml": policy.encode()})
    bare.commit(f"{value}-next", cases.HUMAN["major"], parent=f"refs/heads/{value}")
    bare.write()
    environment = job.environment(f"{value}-next", cases.ANA, token=TOKEN, trusted=True)
    job.forge.tip = lambda: bare.git("rev-parse", value)
    done = client.run("review", "--post", "--base", value, bare.path, **environment)
    assert done.code == 42, done.err
    assert [one["state"] for one in job.forge.checks] == ["pending", state]


@pytest.mark.parametrize("answered", [4, 5, 6])
def test_a_review_that_ends_halfway_is_made_again(client, bare, job, answered):
    """Whatever it wrote by then: the head is not green, and the next run lists it."""
    environment = job.environment("accepted", cases.ANA, token=TOKEN, trusted=True)
    job.forge.trouble = [None] * answered + [Trouble(401)] * 9
    assert client.run("review", "--post", bare.path, **environment).code == 4
    assert [one["state"] for one in job.forge.checks] == ["pending"]
    job.forge.trouble = []
    done = client.run("review", "--outdated", "--base", "main", bare.path, **environment)
    assert done.out == f"{bare.git('rev-parse', 'accepted')}\n"


def test_a_verdict_of_the_past_is_not_posted(client, bare, job):
    environment = job.environment("accepted", cases.ANA, token=TOKEN, trusted=True)
    job.forge.tip = lambda: "e" * 40
    done = client.run("review", "--post", bare.path, **environment)
    assert done.code == 4
    assert "SUPERSEDED" in done.err
    assert (job.forge.bodies(), job.forge.checks) == ([], [])


def test_an_account_of_the_other_forge_is_another_account(review):
    found = review("accepted", "--forge", "gitlab", "--format", "json").json
    assert [reason["code"] for reason in found["reasons"]] == ["CHG018"]


def test_a_transcript_may_be_added_to_a_released_version(review):
    done = review("tested_later")
    assert (done.code, done.out.splitlines()[-1]) == (
        0,
        "accept: nothing blocks it; it can be merged as it is",
    )
    done = review("tested_elsewhere")
    assert done.code == 1
    assert "REG035" in done.out
    assert "the run header states the platform `claude`, the file name another" in done.out
    assert review("tested_later", author=("--author-id", "99")).code == 42  # an owner decides
