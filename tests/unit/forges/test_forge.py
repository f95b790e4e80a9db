"""The forges, spoken to over real HTTP on loopback: whose comment, which pull request, who asks."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from psreg.core.errors import UnavailableError, UsageError
from psreg.core.identity import Author
from psreg.forges.detect import detect
from psreg.forges.forge import CHECK, LONGEST_COMMENT, MOST_OUTDATED, Status, judgement
from psreg.forges.line_comments import Remark
from psreg.forges.rest_api import Api, ForgeError, ForgeRefusedError
from psreg.http.retry_budget import Limits
from psreg.review.posting import MOST_MENTIONS, OWNERS, post_remarks, post_verdict
from psreg.review.verdict import Verdict
from support import reviews
from support.forges import BOT, TOKEN, FakeGitHub, FakeGitLab, Trouble, person, running

HEAD = "a" * 40
BASE = "b" * 40
TIP = "c" * 40
MARKER = "<!-- psreg -->"
REMARK = "<!-- psreg suggestion "
PATH = "pbes/prompt/hello/1.0.0/hello.prompt"
QUICK = Limits(
    connect=2, silence=2, request=5, run=20, grace=5, rate=1, retries=2, backoff=0, redirects=0
)


class GitHubJob:
    """A forge that runs, and jobs of it."""

    marker_owner = BOT

    def __init__(self, forge, folder):
        self.server, self.folder = forge, folder

    def untrusted(self, who=7, **changes):
        pull = {"user": person(7), "head": {"sha": HEAD}, "base": {"sha": BASE}}
        event = {"repository": {"default_branch": "main"}, "pull_request": pull}
        event["sender"] = person(who)
        return self._detect("pull_request", event, "", changes)

    def trusted(self, token=TOKEN, who=7, **changes):
        """The job that the event of a pull request started."""
        pull = {"head": {"sha": HEAD}, "base": {"sha": BASE}}
        event = {"repository": {"default_branch": "main"}, "action": "synchronize"}
        event |= {"pull_request": pull, "sender": person(who)}
        return self._detect("pull_request_target", event, token, changes)

    def scheduled(self):
        """The job that no pull request started."""
        return self._detect("schedule", {"repository": {"default_branch": "main"}}, TOKEN, {})

    def _detect(self, name, event, token, changes):
        file = self.folder / "event.json"
        file.write_text(json.dumps(event))
        environ = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.server.url,
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(file),
            "GITHUB_REPOSITORY": self.server.repository,
            "GITHUB_RUN_ID": "99",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_SHA": "c" * 40,
            "GITHUB_TOKEN": token,
        }
        return detect(environ | changes, QUICK)

    def remarked(self):
        """Return the paths, lines and texts of the remarks."""
        found = self.server.remarks.get(1, [])
        return [(one["path"], one["line"], one["body"]) for one in found]

    def remark_as_stranger(self, body):
        self.server.remark({"path": PATH, "line": 3, "body": body}, person(666, "mallory"))

    def out_of_date(self):
        """Let the first remark be about a line that was changed since."""
        self.server.remarks[1][0]["line"] = None

    def as_bot(self, body):
        self.server.comment(body, BOT)

    def as_stranger(self, body):
        self.server.comment(body, person(666, "mallory"))


class GitLabJob:
    """The same for GitLab."""

    def __init__(self, forge, folder):
        self.server, self.folder = forge, folder

    def untrusted(self, **changes):
        own = {
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_MERGE_REQUEST_IID": "1",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE,
            "CI_COMMIT_SHA": HEAD,
        }
        return detect(self._environ() | own | changes, QUICK)

    def scheduled(self):
        own = {"CI_PIPELINE_SOURCE": "schedule", "CI_COMMIT_SHA": TIP, "GITLAB_TOKEN": TOKEN}
        return detect(self._environ() | own, QUICK)

    def trusted(self, token=TOKEN, who=7, **changes):
        payload = self.folder / "payload.json"
        event = {"object_attributes": {"last_commit": {"id": HEAD}}}
        event |= {"user": {"id": who, "username": f"person{who}"}}
        payload.write_text(json.dumps(event))
        own = {
            "CI_PIPELINE_SOURCE": "trigger",
            "CI_COMMIT_SHA": "c" * 40,
            "TRIGGER_PAYLOAD": str(payload),
            "GITLAB_TOKEN": token,
        }
        return detect(self._environ() | own | changes, QUICK)

    def _environ(self):
        return {
            "GITLAB_CI": "true",
            "CI_API_V4_URL": self.server.url,
            "CI_DEFAULT_BRANCH": "main",
            "CI_JOB_URL": "https://gitlab.example/keepers/prompts/-/jobs/99",
            "CI_PROJECT_ID": str(self.server.project),
        }

    def remarked(self):
        found = [one for one in self.server.comments.get(1, []) if "position" in one]
        places = [one["position"] for one in found]
        return [
            (p["new_path"], p["new_line"], one["body"])
            for p, one in zip(places, found, strict=True)
        ]

    def remark_as_stranger(self, body):
        note = self.server.comment(body, 666)
        note["position"] = {"new_path": PATH, "new_line": 3}

    def out_of_date(self):
        self.server.comments[1][0]["position"]["new_line"] = None

    def as_bot(self, body):
        self.server.comment(body, self.server.account)

    def as_stranger(self, body):
        self.server.comment(body, 666)


@pytest.fixture(params=[(FakeGitHub, GitHubJob), (FakeGitLab, GitLabJob)], ids=["github", "gitlab"])
def jobs(request, tmp_path, monkeypatch):
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    fake, job = request.param
    with running(fake()) as forge:
        yield job(forge, tmp_path)


@pytest.fixture
def github(tmp_path):
    with running(FakeGitHub()) as forge:
        yield GitHubJob(forge, tmp_path)


@pytest.fixture
def gitlab(tmp_path):
    with running(FakeGitLab()) as forge:
        yield GitLabJob(forge, tmp_path)


# What a job knows


def test_a_persons_machine_is_no_forge():
    assert detect({}) is None
    assert detect({"GITHUB_ACTIONS": "false", "CI": "true"}) is None


def test_the_untrusted_job_knows_its_commits_and_has_no_token(jobs):
    forge = jobs.untrusted()
    assert (forge.base, forge.head, forge.token) == (BASE, HEAD, "")
    assert forge.default_branch == "main"
    with pytest.raises(UsageError) as caught:
        forge.post_comment(MARKER, MARKER)
    assert caught.value.code == "NO_TOKEN"
    with pytest.raises(UsageError):
        forge.post_check(Status.PASSING, "fine")
    assert jobs.server.asked("POST") == []


def test_the_trusted_job_starts_from_its_own_commit(jobs):
    forge = jobs.trusted()
    assert (forge.base, forge.head, forge.token) == (TIP, HEAD, TOKEN)
    assert forge.run_url.endswith("/99")


def test_the_author_is_a_number_of_the_forge(jobs):
    jobs.server.pull(HEAD, 7)
    for forge in (jobs.untrusted(), jobs.trusted()):
        assert forge.author == Author(forge=forge.name, id=7)


def test_the_author_has_a_login_that_says_nothing_of_who_it_is(jobs):
    jobs.server.pull(HEAD, 7)
    author = jobs.trusted().author
    assert author.login == "person7"
    assert author == Author(forge=author.forge, id=7, login="somebody else")


def test_github_knows_the_author_of_an_event_without_asking(github):
    assert github.untrusted().author == Author(forge="github", id=7)
    assert github.server.requests == []


def test_without_a_token_a_private_project_does_not_tell_the_author(gitlab):
    gitlab.server.pull(HEAD, 7)
    gitlab.server.private = True
    assert gitlab.untrusted().author is None
    with pytest.raises(ForgeError):
        _ = gitlab.trusted(token="wrong").author


def test_another_account_that_pushes_is_not_the_author(jobs, github):
    jobs.server.pull(HEAD, 7)
    assert jobs.trusted(who=7).author == Author(forge=jobs.trusted().name, id=7)
    assert jobs.trusted(who=8).author is None
    assert github.untrusted(who=8).author is None


def test_two_authors_of_one_head_are_none(jobs):
    """A stranger opens a second pull request with the commit of an owner."""
    jobs.server.pull(HEAD, 7)
    jobs.server.pull(HEAD, 666, number=2)
    assert jobs.trusted().author is None


def test_other_pull_requests_do_not_count(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.server.pull("d" * 40, 1, number=2)
    jobs.server.pull(HEAD, 2, number=3, ref="elsewhere")
    jobs.server.pull(HEAD, 3, number=4, state="closed")
    forge = jobs.trusted()
    assert forge.author == Author(forge=forge.name, id=7)
    assert len(forge.post_comment(MARKER, MARKER)) == 1
    assert list(jobs.server.comments) == [1]


def test_without_an_author_nobody_asks(jobs):
    assert jobs.trusted().author is None
    jobs.server.pull(HEAD, 0)
    assert jobs.trusted().author is None


def test_a_push_has_no_head(github, gitlab):
    pushed = {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": ""}
    for forge in (github.trusted(**pushed), gitlab.trusted(CI_PIPELINE_SOURCE="push")):
        assert (forge.base, forge.head, forge.author) == ("", "", None)
        for ask in (
            lambda forge=forge: forge.post_comment(MARKER, MARKER),
            lambda forge=forge: forge.post_check(Status.PASSING, "fine"),
            lambda forge=forge: forge.unchanged(TIP),
        ):
            with pytest.raises(UsageError) as caught:
                ask()
            assert caught.value.code == "NO_HEAD"


def test_a_tried_merge_is_not_the_head(gitlab):
    forge = gitlab.untrusted(CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=HEAD, CI_COMMIT_SHA="e" * 40)
    assert forge.head == HEAD


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": ' * 5000, b"\xff"])
def test_an_event_that_cannot_be_read(github, tmp_path, text):
    file = tmp_path / "broken.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UnavailableError) as caught:
        github.trusted(GITHUB_EVENT_PATH=str(file))
    assert caught.value.code == "BAD_ENVIRONMENT"


def test_an_event_of_another_shape_names_nothing(github, tmp_path):
    file = tmp_path / "odd.json"
    file.write_text('{"pull_request": {"head": {"sha": "main; echo"}}, "merge_group": 5}')
    forge = github.trusted(GITHUB_EVENT_PATH=str(file))
    assert (forge.head, forge.author) == ("", None)


def test_a_forge_that_does_not_say_what_it_must(github, gitlab):
    for start, variable in (
        (github.trusted, "GITHUB_REPOSITORY"),
        (gitlab.trusted, "CI_PROJECT_ID"),
    ):
        with pytest.raises(UnavailableError) as caught:
            start(**{variable: ""})
        assert variable in caught.value.message


# The one comment


def test_a_comment_is_written_once_and_then_replaced(jobs):
    jobs.server.pull(HEAD, 7)
    (first,) = jobs.trusted().post_comment(MARKER, f"{MARKER}\nfirst")
    (second,) = jobs.trusted().post_comment(MARKER, f"{MARKER}\nsecond")
    assert first == second
    assert first.startswith("https://")
    assert jobs.server.bodies() == [f"{MARKER}\nsecond"]


def test_a_forged_marker_captures_nothing(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.as_stranger(f"{MARKER}\naccept, says mallory")
    jobs.as_bot(f"something else of ours\n{MARKER}")
    jobs.trusted().post_comment(MARKER, f"{MARKER}\nreject")
    assert jobs.server.bodies()[0] == f"{MARKER}\naccept, says mallory"
    assert jobs.server.bodies()[-1] == f"{MARKER}\nreject"
    jobs.trusted().post_comment(MARKER, f"{MARKER}\naccept")
    assert len(jobs.server.bodies()) == 3
    assert jobs.server.bodies()[-1] == f"{MARKER}\naccept"


def test_a_person_called_like_the_bot_is_not_the_bot(github):
    github.server.pull(HEAD, 7)
    github.server.comment(MARKER, {"id": 666, "login": "github-actions[bot]", "type": "User"})
    github.server.comment(MARKER, {"id": 667, "login": "other[bot]", "type": "Bot"})
    github.trusted().post_comment(MARKER, f"{MARKER} ours")
    assert github.server.bodies() == [MARKER, MARKER, f"{MARKER} ours"]


def test_with_a_token_of_an_account_its_comment_is_ours(github):
    github.server.pull(HEAD, 7)
    github.server.account = person(500, "registry-bot")
    github.as_bot(MARKER)
    for text in ("one", "two"):
        github.trusted().post_comment(MARKER, f"{MARKER} {text}")
    assert github.server.bodies() == [MARKER, f"{MARKER} two"]


def test_the_comment_is_found_behind_many_others(jobs):
    jobs.server.pull(HEAD, 7)
    for number in range(250):
        jobs.as_stranger(f"{number}")
    jobs.as_bot(MARKER)
    jobs.trusted().post_comment(MARKER, f"{MARKER} found")
    assert len(jobs.server.bodies()) == 251


def test_without_end_nothing_is_written(jobs):
    jobs.server.pull(HEAD, 7)
    for number in range(3000):
        jobs.as_stranger(f"{number}")
    with pytest.raises(ForgeError) as caught:
        jobs.trusted().post_comment(MARKER, MARKER)
    assert caught.value.code == "FORGE_TOO_MUCH"
    assert jobs.server.asked("POST") == []


def test_a_commit_that_only_a_fork_knows(github):
    github.server.knows_commits_of_forks = False
    for number in range(2, 150):
        github.server.pull("d" * 40, number, number=number)
    github.server.pull(HEAD, 7)
    assert len(github.trusted().post_comment(MARKER, MARKER)) == 1


def test_nobody_asks_for_this_commit_any_more(jobs):
    jobs.server.pull("d" * 40, 7)
    assert jobs.trusted().post_comment(MARKER, MARKER) == ()
    assert jobs.server.comments == {}


def test_a_comment_that_may_not_be_posted(jobs):
    forge = jobs.trusted()
    for marker, body in (("", "x"), (MARKER, f"x{MARKER}")):
        with pytest.raises(UsageError):
            forge.post_comment(marker, body)
    with pytest.raises(UsageError) as caught:
        forge.post_comment(MARKER, MARKER + "x" * LONGEST_COMMENT)
    assert caught.value.code == "COMMENT_TOO_LONG"
    assert jobs.server.requests == []


# Remarks at lines


def remark(number, *, first=None, text="fix it"):
    """Return a remark about a line, or about those from `first` on."""
    body = f"{REMARK}{number}{text} -->\n{text}\n\n```suggestion\nx\n```\n"
    return Remark(path=PATH, first=first or number, last=number, body=body)


def places(jobs):
    return [line for _, line, _ in jobs.remarked()]


def test_a_remark_stands_at_its_lines(jobs):
    jobs.server.pull(HEAD, 7)
    wanted = [remark(3), remark(9, first=7)]
    assert jobs.trusted().post_remarks(REMARK, wanted) == 0
    assert jobs.remarked() == [(PATH, one.last, one.body) for one in wanted]


def test_on_github_a_remark_about_several_lines_begins_with_the_first(github):
    github.server.pull(HEAD, 7)
    github.trusted().post_remarks(REMARK, [remark(3), remark(9, first=7)])
    one, several = github.server.remarks[1]
    assert (one["commit_id"], one["side"], "start_line" in one) == (HEAD, "RIGHT", False)
    assert (several["start_line"], several["start_side"], several["line"]) == (7, "RIGHT", 9)


def test_on_gitlab_a_remark_says_which_commits_are_compared(gitlab):
    gitlab.server.pull(HEAD, 7)
    gitlab.trusted().post_remarks(REMARK, [remark(3)])
    place = gitlab.server.comments[1][0]["position"]
    assert (place["base_sha"], place["start_sha"], place["head_sha"]) == (BASE, "5" * 40, HEAD)
    assert (place["position_type"], place["old_path"]) == ("text", PATH)


def test_a_second_push_keeps_what_is_still_wrong(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.trusted().post_remarks(REMARK, [remark(3), remark(4), remark(5)])
    written = len(jobs.server.asked("POST"))
    assert jobs.trusted().post_remarks(REMARK, [remark(3), remark(5, text="more"), remark(6)]) == 0
    assert places(jobs) == [3, 5, 6]
    assert len(jobs.server.asked("POST")) == written + 2
    assert len(jobs.server.asked("DELETE")) == 2
    for _ in range(2):
        assert jobs.trusted().post_remarks(REMARK, []) == 0
        assert jobs.remarked() == []
    assert len(jobs.server.asked("DELETE")) == 5


def test_a_remark_that_is_out_of_date_is_written_again(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.trusted().post_remarks(REMARK, [remark(3)])
    jobs.out_of_date()
    jobs.trusted().post_remarks(REMARK, [remark(3)])
    assert places(jobs) == [3]


def test_a_forged_remark_neither_stands_for_ours_nor_goes(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.remark_as_stranger(remark(3).body)
    jobs.remark_as_stranger(remark(99).body)
    for _ in range(2):
        jobs.trusted().post_remarks(REMARK, [remark(3)])
        assert places(jobs) == [3, 3, 3]
    assert len(jobs.server.asked("POST")) == 1
    assert jobs.server.asked("DELETE") == []


def test_other_remarks_of_ours_stay(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.trusted().post_remarks("<!-- another tool", [])
    other = Remark(path=PATH, first=3, last=3, body="<!-- another tool -->\nhello")
    jobs.trusted().post_remarks("<!-- another tool", [other])
    jobs.trusted().post_comment(MARKER, f"{MARKER}\nverdict")
    jobs.trusted().post_remarks(REMARK, [])
    assert places(jobs) == [3]
    assert f"{MARKER}\nverdict" in jobs.server.bodies()


def test_a_refused_remark_does_not_lose_the_others(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.server.shown = {(PATH, 3), (PATH, 5), (PATH, 6)}
    wanted = [remark(3), remark(4), remark(5)]
    assert jobs.trusted().post_remarks(REMARK, wanted) == 1
    assert places(jobs) == [3, 5]


def test_a_remark_that_was_written_unseen_is_not_written_twice(jobs):
    jobs.server.pull(HEAD, 7)
    wanted = [remark(3), remark(4)]
    jobs.trusted().post_remarks(REMARK, wanted)
    steps = len(jobs.server.requests)
    jobs.server.remarks.clear()
    jobs.server.comments.clear()
    # The answer to the last request is lost after it was carried out.
    jobs.server.trouble = [None] * (steps - 1) + [Trouble(502, after=True)]
    jobs.trusted().post_remarks(REMARK, wanted)
    assert places(jobs) == [3, 4]


def test_who_may_not_write_is_told(jobs):
    jobs.server.pull(HEAD, 7)
    with pytest.raises(UsageError) as caught:
        jobs.trusted(token="").post_remarks(REMARK, [])
    assert caught.value.code == "NO_TOKEN"
    with pytest.raises(UsageError):
        jobs.trusted().post_remarks(MARKER, [remark(3)])
    forge = jobs.trusted()
    assert forge.author is not None
    jobs.server.trouble = [None] + [Trouble(401)] * 3
    with pytest.raises(ForgeRefusedError):
        forge.post_remarks(REMARK, [remark(3)])


def test_gitlab_has_not_worked_out_the_difference_yet(gitlab):
    request = gitlab.server.pull(HEAD, 7)
    gitlab.trusted().post_remarks(REMARK, [remark(3)])
    forge = gitlab.trusted()
    assert forge.author is not None
    request["sha"] = "d" * 40
    assert forge.post_remarks(REMARK, [remark(4)]) == 1
    assert places(gitlab) == [3]


# The status, and whether what it says still holds


@pytest.mark.parametrize(
    ("status", "github", "gitlab"),
    [
        (Status.PASSING, "success", "success"),
        (Status.FAILING, "failure", "failed"),
        (Status.PENDING, "pending", "pending"),
    ],
)
def test_the_verdict_stands_at_the_commit(jobs, status, github, gitlab):
    jobs.trusted().post_check(status, "why " * 100)
    (check,) = jobs.server.checks
    ours = isinstance(jobs, GitHubJob)
    assert check["context" if ours else "name"] == CHECK == "psreg"
    assert (check["sha"], check["state"]) == (HEAD, github if ours else gitlab)
    assert check["description"].startswith("why why")
    assert check["target_url"].endswith("/99")


def test_what_is_pending_may_be_said_again(jobs):
    for _ in range(2):
        jobs.trusted().post_check(Status.PENDING, "being reviewed")
    assert {check["state"] for check in jobs.server.checks} == {"pending"}


def test_a_job_of_the_pull_request_with_the_name_of_the_check_is_not_enough(github):
    """Everybody can call a job `psreg`; it is a check run, and the status counts besides."""
    github.server.pull(HEAD, 7)
    github.trusted().post_check(Status.PENDING, "being reviewed")
    github.server.job(CHECK, HEAD)
    assert not github.server.mergeable(HEAD, CHECK)
    github.trusted().post_check(Status.FAILING, "reject")
    github.server.job(CHECK, HEAD)
    assert not github.server.mergeable(HEAD, CHECK)
    github.trusted().post_check(Status.PASSING, "accept")
    assert github.server.mergeable(HEAD, CHECK)


def test_what_was_judged_is_what_is_there(jobs):
    jobs.server.pull(HEAD, 7)
    assert jobs.trusted().unchanged(TIP)


@pytest.mark.parametrize("what", ["head", "base", "closed", "elsewhere", "second", "author"])
def test_what_was_judged_has_moved(jobs, what):
    pull = jobs.server.pull(HEAD, 7)
    forge = jobs.trusted()
    assert forge.author is not None
    if what == "head" and isinstance(jobs, GitHubJob):
        pull["head"]["sha"] = "d" * 40
    elif what == "head":
        pull["sha"] = "d" * 40
    elif what == "base":
        jobs.server.tip = lambda: "e" * 40
    elif what == "closed":
        pull["state"] = "closed"
    elif what == "elsewhere" and isinstance(jobs, GitHubJob):
        pull["base"]["ref"] = "next"
    elif what == "elsewhere":
        pull["target_branch"] = "next"
    elif what == "second":
        jobs.server.pull(HEAD, 666, number=2)
    else:
        jobs.server.pulls[:] = []
        jobs.server.pull(HEAD, 666)
    assert not forge.unchanged(TIP)


def reviewed(verdict=Verdict.ACCEPT, **changes):
    return reviews.review(verdict, base=TIP, head=HEAD, **changes)


def states(jobs):
    return [check.get("state") for check in jobs.server.checks]


def test_a_review_is_posted_with_its_suggestions(jobs):
    jobs.server.pull(HEAD, 7)
    placed = replace(reviews.suggestion("y\n"), path=PATH, first=3, last=3)
    found = reviewed(Verdict.REJECT, in_diff=(placed,))
    notes = []
    assert post_verdict(found, jobs.trusted(), notes.append)
    post_remarks(found, jobs.trusted(), notes.append)
    (remark,) = jobs.remarked()
    assert remark[:2] == (PATH, 3)
    assert states(jobs)[0] == "pending"
    assert "fail" in states(jobs)[-1]
    assert all(line.startswith("psreg: wrote http") for line in notes)


def mentions(jobs):
    return [body for body in jobs.server.bodies() if body.startswith(OWNERS)]


def test_owners_who_can_approve_are_mentioned_once(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.server.logins = {5: "ana-1", 6: "bob", 8: "org/team", 9: "x @everyone", 10: "a[bot]"}
    jobs.server.logins |= {20: "c", 21: "d", 22: "e"}
    name = jobs.trusted().name
    other = "gitlab" if name == "github" else "github"
    accounts = [(name, 5), (other, 6), (name, 404), (name, 8), (name, 9), (name, 20), (name, 21)]
    found = reviewed(Verdict.NEEDS_HUMAN, approvers=tuple(accounts))
    assert post_verdict(found, jobs.trusted(), print)
    (said,) = mentions(jobs)
    assert said.endswith("\nOwners of what this changes, who can approve it: @ana-1, @c\n")
    assert post_verdict(replace(found, approvers=((name, 22),)), jobs.trusted(), print)
    assert mentions(jobs) == [said]


def test_a_mention_names_a_bounded_number_of_owners(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.server.logins = {number: f"person{number}" for number in range(1, 100)}
    accounts = tuple((jobs.trusted().name, number) for number in jobs.server.logins)
    assert post_verdict(reviewed(Verdict.NEEDS_HUMAN, approvers=accounts), jobs.trusted(), print)
    (said,) = mentions(jobs)
    assert said.count("@") == MOST_MENTIONS


@pytest.mark.parametrize("verdict", [Verdict.REJECT, Verdict.NEEDS_HUMAN])
def test_nobody_is_mentioned_who_has_nothing_to_approve(jobs, verdict):
    jobs.server.pull(HEAD, 7)
    jobs.server.logins = {5: "ana"}
    approvers = ((jobs.trusted().name, 5),) if verdict is Verdict.REJECT else ()
    assert post_verdict(reviewed(verdict, approvers=approvers), jobs.trusted(), print)
    assert mentions(jobs) == []


def test_a_mention_by_a_stranger_is_not_ours(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.server.logins = {5: "ana"}
    jobs.as_stranger(f"{OWNERS}\n@everyone")
    found = reviewed(Verdict.NEEDS_HUMAN, approvers=((jobs.trusted().name, 5),))
    assert post_verdict(found, jobs.trusted(), print)
    assert len(mentions(jobs)) == 2


def test_a_forge_that_does_not_say_who_an_account_is(jobs):
    jobs.server.trouble = [Trouble(401)]
    with pytest.raises(ForgeRefusedError):
        jobs.trusted().login(5)


def test_a_review_of_another_head_is_not_posted(jobs):
    jobs.server.pull("d" * 40, 7)
    assert not post_verdict(reviewed(), jobs.trusted(), print)
    assert (states(jobs), jobs.server.comments) == ([], {})


def test_a_review_is_withdrawn_if_the_base_moves_while_it_is_posted(jobs):
    jobs.server.pull(HEAD, 7)
    tips = iter([TIP])
    jobs.server.tip = lambda: next(tips, "e" * 40)
    assert not post_verdict(reviewed(), jobs.trusted(), print)
    assert states(jobs)[-1] == "pending"
    ((comment,),) = jobs.server.comments.values()
    assert "Ready to merge" not in comment["body"]


def test_a_review_is_withdrawn_if_its_status_cannot_be_set(jobs):
    jobs.server.pull(HEAD, 7)
    assert post_verdict(reviewed(), jobs.trusted(), print)
    jobs.server._status = lambda *_: (422, {"message": "Validation Failed"})
    with pytest.raises(ForgeRefusedError):
        post_verdict(reviewed(), jobs.trusted(), print)
    ((comment,),) = jobs.server.comments.values()
    assert "Ready to merge" not in comment["body"]


def test_suggestions_that_are_refused_are_counted(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.server.shows = lambda *_: False
    notes = []
    post_remarks(reviewed(in_diff=(reviews.suggestion("y\n"),)), jobs.trusted(), notes.append)
    assert len(notes) == 1
    assert "did not accept 1 of 1 suggestions at their lines" in notes[0]


def test_what_was_not_judged_against_the_tip_is_outdated(jobs):
    heads = {name: name * 40 for name in "abcdef"}
    for number, head in enumerate(heads.values(), 1):
        jobs.server.pull(head, 7, number=number, ref="next" if head[0] == "f" else "main")
    jobs.server.pull("a" * 40, 8, number=9)
    jobs.server.pull("9" * 40, 7, number=10, state="closed")
    author = Author(forge="github", id=7)
    for name, base in (("a", TIP), ("b", BASE), ("d", TIP)):
        forge = jobs.scheduled()
        forge.head = heads[name]
        forge.post_check(Status.FAILING, judgement("words", base, author))
    forge.head = heads["e"]
    forge.post_check(Status.PASSING, judgement("words", TIP, author))
    forge.post_check(Status.PENDING, "being reviewed")
    found = list(jobs.scheduled().outdated(TIP))
    assert found == [heads["b"], heads["c"], heads["e"]]


def test_a_run_judges_a_bounded_number_of_heads(jobs):
    for number in range(1, MOST_OUTDATED + 5):
        jobs.server.pull(f"{number:040x}", 7, number=number)
    assert len(list(jobs.scheduled().outdated(TIP))) == MOST_OUTDATED


def test_who_pushed_is_remembered_for_the_next_time(jobs):
    """A review that no push started cannot know who pushed; the status of the last one says."""
    jobs.server.pull(HEAD, 7)

    def again():
        forge = jobs.scheduled()
        forge.head = HEAD
        return forge.author

    assert again() is None
    jobs.trusted(who=8).post_check(
        Status.PASSING, judgement("needs_human", TIP, jobs.trusted(who=8).author)
    )
    assert again() is None
    jobs.trusted().post_check(Status.PASSING, judgement("accept", TIP, jobs.trusted().author))
    jobs.trusted().post_check(Status.PENDING, "being reviewed")
    author = again()
    assert author == Author(forge=author.forge, id=7)
    assert author.login == "person7"
    jobs.trusted().post_check(
        Status.PASSING, judgement("accept", TIP, Author(forge="github", id=8))
    )
    assert again() is None


def test_an_edited_pull_request_does_not_tell_who_pushed(github, tmp_path):
    github.server.pull(HEAD, 7)
    edited = tmp_path / "edited.json"
    pull = {"head": {"sha": HEAD}, "base": {"sha": BASE}}
    event = {"action": "edited", "pull_request": pull, "sender": person(7)}
    edited.write_text(json.dumps(event | {"repository": {"default_branch": "main"}}))
    assert github.trusted(GITHUB_EVENT_PATH=str(edited)).author is None


def test_who_reopens_a_pull_request_does_not_ask_for_it(github, tmp_path):
    github.server.pull(HEAD, 7)
    github.trusted().post_check(Status.PASSING, judgement("accept", TIP, github.trusted().author))
    reopened = tmp_path / "reopened.json"
    pull = {"head": {"sha": HEAD}, "base": {"sha": BASE}}
    event = {"action": "reopened", "pull_request": pull, "sender": person(9)}
    reopened.write_text(json.dumps(event | {"repository": {"default_branch": "main"}}))
    author = github.trusted(GITHUB_EVENT_PATH=str(reopened)).author
    assert author == Author(forge="github", id=7)


@pytest.mark.parametrize(
    ("request_", "author"),
    [
        ({"action": "open"}, None),
        ({"action": "update", "oldrev": BASE}, None),
        ({"action": "update"}, 7),  # only the text or the labels
        ({"action": "approved"}, 7),
        ({"action": "approval"}, 7),
        ({"action": "reopen"}, 7),
    ],
)
def test_who_approves_a_merge_request_does_not_ask_for_it(gitlab, tmp_path, request_, author):
    """Of the events of GitLab only those of a push tell who pushed; account 9 did not open it."""
    gitlab.server.pull(HEAD, 7)
    gitlab.trusted().post_check(Status.PASSING, judgement("accept", TIP, gitlab.trusted().author))
    payload = tmp_path / "event.json"
    event = {"object_attributes": {"last_commit": {"id": HEAD}, **request_}}
    payload.write_text(json.dumps(event | {"user": {"id": 9, "username": "maintainer"}}))
    found = gitlab.trusted(TRIGGER_PAYLOAD=str(payload)).author
    assert (found.id if found else None) == author


def queued(github, tmp_path, number=1):
    """Return the job of a merge queue."""
    ref = f"refs/heads/gh-readonly-queue/main/pr-{number}-{BASE}"
    group = {"head_sha": "9" * 40, "base_sha": BASE, "head_ref": ref, "base_ref": "refs/heads/main"}
    file = tmp_path / "queued.json"
    event = {"repository": {"default_branch": "main"}, "merge_group": group, "sender": person(1)}
    file.write_text(json.dumps(event))
    return github.trusted(GITHUB_EVENT_NAME="merge_group", GITHUB_EVENT_PATH=str(file))


def test_a_merge_queue_tries_the_pull_request_of_someone(github, tmp_path):
    github.server.pull(HEAD, 7)
    forge = queued(github, tmp_path)
    assert (forge.base, forge.head, forge.author) == (BASE, "9" * 40, None)
    github.trusted().post_check(Status.PASSING, judgement("accept", TIP, github.trusted().author))
    forge = queued(github, tmp_path)
    assert forge.author == Author(forge="github", id=7)
    assert forge.unchanged(TIP)
    assert forge.post_comment(MARKER, MARKER) == ()
    forge.post_check(Status.PASSING, "fine")
    assert github.server.mergeable("9" * 40, CHECK)


def test_a_merge_queue_of_another_shape_has_no_author(github, tmp_path):
    assert queued(github, tmp_path, number="x").author is None


# A forge in trouble


def test_a_busy_forge_is_asked_again(jobs):
    jobs.server.pull(HEAD, 7)
    jobs.server.trouble = [Trouble(503, Retry_After="0"), Trouble(502)]
    assert len(jobs.trusted().post_comment(MARKER, MARKER)) == 1


def test_a_comment_that_was_written_unseen_is_not_written_twice(jobs):
    jobs.server.pull(HEAD, 7)
    forge = jobs.trusted()
    forge.post_check(Status.PASSING, "warm up")
    asked = len(jobs.server.requests)
    forge.post_comment(MARKER, f"{MARKER} one")
    steps = len(jobs.server.requests) - asked
    jobs.server.comments.clear()
    jobs.server.requests.clear()
    fresh = jobs.trusted()
    # The answer to the last request, the POST, is lost after it was carried out.
    jobs.server.trouble = [None] * (steps - 1) + [Trouble(502, after=True)]
    fresh.post_comment(MARKER, f"{MARKER} one")
    assert jobs.server.bodies() == [f"{MARKER} one"]
    assert len(jobs.server.asked("POST")) == 1


def test_a_forge_that_stays_busy(jobs):
    jobs.server.trouble = [Trouble(502)] * 10
    with pytest.raises(ForgeError) as caught:
        jobs.trusted().post_comment(MARKER, MARKER)
    assert (caught.value.code, caught.value.exit_code) == ("FORGE_UNREACHABLE", 4)
    assert len(jobs.server.requests) == 3


def test_a_forge_that_asks_for_an_hour_is_not_waited_for(github):
    github.server.trouble = [Trouble(403, Retry_After="3600")] * 5
    with pytest.raises(ForgeError) as caught:
        github.trusted().post_check(Status.PASSING, "fine")
    assert caught.value.code == "FORGE_UNREACHABLE"
    assert len(github.server.requests) == 1


def test_a_refusal_is_not_asked_again(jobs):
    with pytest.raises(ForgeRefusedError) as caught:
        jobs.trusted(token="stolen").post_check(Status.PASSING, "fine")
    assert caught.value.status == 401
    assert "token" in caught.value.hint
    assert "stolen" not in f"{caught.value.message}{caught.value.hint}"
    assert len(jobs.server.requests) == 1


def test_who_we_are_is_not_guessed(github):
    github.server.pull(HEAD, 7)
    github.as_bot("somebody")
    jobs = github.trusted()
    assert jobs.author is not None
    github.server.trouble = [None, Trouble(404)]
    with pytest.raises(ForgeRefusedError):
        jobs.post_comment(MARKER, MARKER)


def test_gitlab_must_say_who_we_are(gitlab):
    gitlab.server.pull(HEAD, 7)
    gitlab.as_stranger(MARKER)
    gitlab.server.account = 0
    with pytest.raises(ForgeError) as caught:
        gitlab.trusted().post_comment(MARKER, MARKER)
    assert caught.value.code == "FORGE_ANSWER"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_does_not_get_the_token(jobs, status):
    with running(type(jobs.server)()) as elsewhere:
        jobs.server.trouble = [Trouble(status, Location=f"{elsewhere.url}/user")]
        with pytest.raises(ForgeRefusedError) as caught:
            jobs.trusted().post_check(Status.PASSING, "fine")
        assert "token" in caught.value.hint
        assert elsewhere.requests == []


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 200_000, b'{"a": 1}'])
def test_an_answer_that_is_not_what_was_asked_for(jobs, body):
    jobs.server.trouble = [Trouble(200, body=body)]
    with pytest.raises(ForgeError) as caught:
        jobs.trusted().post_comment(MARKER, MARKER)
    assert caught.value.code == "FORGE_ANSWER"


def test_nobody_listens(github):
    github.server.server.server_close()
    with pytest.raises(ForgeError) as caught:
        github.trusted().post_check(Status.PASSING, "fine")
    assert caught.value.code == "FORGE_UNREACHABLE"


def test_a_forge_that_never_answers_is_given_up(github):
    def wait(handler):
        handler.server.stop.wait(20)

    github.server.server.stop = threading.Event()
    trouble = Trouble()
    trouble.answer = wait
    github.server.trouble = [trouble]
    limits = Limits(connect=1, silence=0.2, request=0.5, run=1, retries=0)
    api = Api(github.server.url, {}, limits)
    with pytest.raises(ForgeError) as caught:
        api.get("/user")
    github.server.server.stop.set()
    assert caught.value.code == "FORGE_UNREACHABLE"


@pytest.mark.parametrize(
    "address",
    [
        "http://api.example.org",
        "ftp://127.0.0.1",
        "https://",
        "https://user@api.example.org",
        "https://api.example.org/?a=b",
        "https://api.example.org:port",
        "https://[::1",
    ],
)
def test_a_token_travels_only_encrypted_and_only_to_a_plain_address(address):
    with pytest.raises(UsageError):
        Api(address, {}, QUICK)


def test_an_address_may_have_a_path():
    Api("https://github.example/api/v3/", {}, QUICK)
