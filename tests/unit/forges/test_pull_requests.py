"""Answering an issue and opening a pull request on GitHub, also when an answer gets lost."""

import base64
import json

import pytest

from psreg.core.errors import UnavailableError, UsageError
from psreg.forges.pull_requests import Requests, git_secret, issue_of
from psreg.forges.rest_api import ForgeError
from psreg.http.retry_budget import Limits
from support.forges import BOT, TOKEN, Trouble, person, running
from support.pipelines import git
from support.submissions import SubmittedGitHub

MARKER = "<!-- psreg submission -->"
LIMITS = Limits(retries=2, backoff=0.0)


@pytest.fixture
def server(tmp_path):
    git("init", "-q", "-b", "submit/x", str(tmp_path / "r"), cwd=tmp_path)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=tmp_path / "r")
    with running(SubmittedGitHub(tmp_path / "r")) as server:
        yield server


def requests(server, token=TOKEN):
    environ = {"GITHUB_REPOSITORY": server.repository, "GITHUB_API_URL": server.url}
    return Requests({**environ, "GITHUB_TOKEN": token}, LIMITS)


def test_a_pull_request_is_opened_once(server):
    forge = requests(server)
    page = forge.open_pull_request("keepers", "submit/x", "Add x", "Body")
    assert page == forge.open_pull_request("keepers", "submit/x", "Add x", "Body")
    (pull,) = server.pulls
    assert (pull["title"], pull["body"], pull["base"]["ref"]) == ("Add x", "Body", "main")
    assert pull["user"]["id"] == BOT["id"]


def test_a_branch_of_a_fork_with_the_same_name_is_another_one(server):
    theirs = server.pull("a" * 40, 666)
    theirs["head"] |= {"ref": "submit/x", "label": "mallory:submit/x"}
    theirs["html_url"] = "https://github.example/theirs"
    page = requests(server).open_pull_request("Keepers", "submit/x", "Add x", "Body")
    assert page != theirs["html_url"]
    assert len(server.pulls) == 2


@pytest.mark.parametrize("after", [False, True])
def test_an_answer_that_was_lost_opens_no_second_one(server, after):
    server.trouble = [None, None, Trouble(after=after)]  # at the third request, which opens it
    page = requests(server).open_pull_request("keepers", "submit/x", "Add x", "Body")
    assert [pull["html_url"] for pull in server.pulls] == [page]
    assert server.asked("POST").count(f"/repos/{server.repository}/pulls") == (1 if after else 2)


def test_an_issue_has_one_answer_and_others_keep_theirs(server):
    server.comment(f"{MARKER} mine", person(5), 7)
    forge = requests(server)
    for text in ("first", "second"):
        forge.answer_issue(7, MARKER, f"{MARKER}\n{text}")
    assert server.bodies(7) == [f"{MARKER} mine", f"{MARKER}\nsecond"]


def test_what_cannot_be_asked(server):
    with pytest.raises(UsageError, match="without GITHUB_TOKEN"):
        requests(server, token="").open_pull_request("keepers", "submit/x", "Add x", "Body")
    with pytest.raises(UsageError, match="without GITHUB_TOKEN"):
        requests(server, token="").answer_issue(7, MARKER, MARKER)
    with pytest.raises(UsageError, match="does not start"):
        requests(server).answer_issue(7, MARKER, "x")
    body = json.dumps({"message": "odd"}).encode()
    server.trouble = [Trouble(200, body=b"[]"), Trouble(200, body=b"{}"), Trouble(201, body=body)]
    with pytest.raises(ForgeError, match="which pull request"):
        requests(server).open_pull_request("keepers", "submit/x", "Add x", "Body")


def test_the_secret_of_a_push_is_for_the_forge_alone():
    secret = git_secret({"GITHUB_SERVER_URL": "https://hub.example"}, "abc")
    assert secret["GIT_CONFIG_KEY_0"] == "http.https://hub.example/.extraheader"
    said = secret["GIT_CONFIG_VALUE_0"].removeprefix("Authorization: Basic ")
    assert base64.b64decode(said) == b"x-access-token:abc"
    assert secret["GIT_TERMINAL_PROMPT"] == "0"
    assert set(git_secret({}, "")) == {"GIT_TERMINAL_PROMPT"}
    assert set(git_secret({"GITHUB_SERVER_URL": "file:///x"}, "abc")) == {"GIT_TERMINAL_PROMPT"}


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"issue": []},
        {"issue": {"number": 1}},
        {"issue": {"number": True, "user": {"id": 1}}},
        {"issue": {"number": 1, "user": {"id": "1"}}},
        {"issue": {"number": -1, "user": {"id": 1}}},
        {"issue": {"number": 1, "user": {"id": 1}, "pull_request": {}}},
    ],
)
def test_other_events_are_no_issues(tmp_path, event):
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event))
    with pytest.raises(UsageError, match="not the event of an issue"):
        issue_of(str(path))


def test_an_event_that_is_no_json(tmp_path):
    path = tmp_path / "event.json"
    path.write_text("{")
    with pytest.raises(UnavailableError):
        issue_of(str(path))
    path.write_text(json.dumps({"issue": {"number": 7, "user": {"id": 5}}}))
    assert issue_of(str(path))["number"] == 7
