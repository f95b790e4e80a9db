"""The calls that only `psreg submit` makes: about issues, new pull requests and their approval.

Both look before they write, so that a job that runs again updates what it wrote, and adds nothing.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit

from psreg.core.errors import UsageError
from psreg.forges.forge import at, check_comment, event, number, text
from psreg.forges.github import GitHub
from psreg.forges.remotes import RemoteRepository
from psreg.forges.rest_api import Api, ForgeError
from psreg.http.retry_budget import Limits

_PAGES = 3


class Requests(GitHub):
    """A repository on GitHub in which issues are answered and pull requests opened.

    Set `head` to the pushed commit: the comment and the status of `GitHub` are about it.
    """

    def __init__(self, environ: Mapping[str, str], limits: Limits | None = None) -> None:
        super().__init__(environ, limits or Limits())
        self.head = ""

    @property
    def owner(self) -> str:
        """The account that the repository belongs to."""
        return self._repository.partition("/")[0]

    def require_token(self) -> None:
        """Return if there is a token. Raises UsageError NO_TOKEN."""
        if not self.token:
            hint = "Set GITHUB_TOKEN, or run without `--open` and open the printed page."
            raise UsageError("NO_TOKEN", "cannot open a pull request without GITHUB_TOKEN", hint)

    def answer_issue(self, issue: int, marker: str, body: str) -> str:
        """Write the comment that begins with `marker` on an issue; return its address.

        Raises:
            ForgeError: the forge refused, or did not answer.
            UsageError: NO_TOKEN; COMMENT_TOO_LONG.
        """
        check_comment(marker, body)
        self.require_token()
        return self._api.with_retries(partial(self._comment, issue, marker, body))

    def approved(self, owner: str, branch: str) -> str:
        """Return the page of an approved, open pull request for a branch; "" if there is none.

        Raises:
            ForgeError: the forge refused, or did not answer.
        """
        for pull in self._opened(owner, branch):
            reviews = f"{self._path}/pulls/{number(at(pull, 'number'))}/reviews"
            latest = {
                number(at(review, "user", "id")): text(at(review, "state"))
                for review in self._api.listed(reviews, _PAGES)
                if at(review, "state") in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")
            }
            if "APPROVED" in latest.values():
                return text(at(pull, "html_url"))
        return ""

    def _opened(self, owner: str, branch: str) -> list[Any]:
        """Return the open pull requests for a branch; a fork can have one of the same name."""
        head = f"{owner}:{branch}"
        asked = self._api.listed(f"{self._path}/pulls", _PAGES, state="open", head=head)
        return [one for one in asked if text(at(one, "head", "label")).lower() == head.lower()]

    def open_pull_request(self, owner: str, branch: str, title: str, body: str) -> str:
        """Open a pull request for `branch` of the account `owner`; return its page.

        If there is one already, its page is returned, and nothing is written.

        Raises:
            ForgeError: the forge refused, or did not answer.
            UsageError: NO_TOKEN.
        """
        self.require_token()
        return self._api.with_retries(partial(self._request, owner, branch, title, body))

    def _request(self, owner: str, branch: str, title: str, body: str) -> str:
        for pull in self._opened(owner, branch):
            return text(at(pull, "html_url"))
        head = f"{owner}:{branch}"
        document = {"title": title, "body": body, "head": head, "base": self.default_branch}
        made = self._api.send("POST", f"{self._path}/pulls", document)
        if not number(at(made, "number")):
            raise ForgeError("FORGE_ANSWER", "GitHub does not say which pull request it opened")
        return text(at(made, "html_url"))


class MergeRequests:
    """The merge requests of a project on GitLab, read with GITLAB_TOKEN or as anyone may.

    The token is only sent to gitlab.com, or to the host that a job of GitLab names.
    """

    def __init__(
        self, into: RemoteRepository, environ: Mapping[str, str], limits: Limits | None = None
    ) -> None:
        known = into.host == environ.get("CI_SERVER_HOST", "gitlab.com")
        token = environ.get("GITLAB_TOKEN", "") if known else ""
        base = environ.get("CI_API_V4_URL", "") if known else ""
        headers = {"PRIVATE-TOKEN": token} if token else {}
        self._api = Api(base or f"https://{into.host}/api/v4", headers, limits or Limits())
        self._into = into.path

    def approved(self, own: str, branch: str) -> str:
        """Return the page of an approved, open merge request for a branch of `own`; "" if none.

        Raises:
            ForgeError: the forge refused, or did not answer.
        """
        path = _project(self._into)
        source = number(at(self._api.get(_project(own)), "id"))
        opened = self._api.listed(
            f"{path}/merge_requests", _PAGES, state="opened", source_branch=branch
        )
        for request in opened:
            if (
                at(request, "source_branch") == branch
                and at(request, "source_project_id") == source
            ):
                what = f"{path}/merge_requests/{number(at(request, 'iid'))}/approvals"
                approvers = at(self._api.get(what), "approved_by")
                if not isinstance(approvers, list):
                    raise ForgeError("FORGE_ANSWER", "GitLab does not say who approved")
                if approvers:
                    return text(at(request, "web_url"))
        return ""


def _project(path: str) -> str:
    return f"/projects/{quote(path, safe='')}"


def git_secret(environ: Mapping[str, str], token: str) -> dict[str, str]:
    """Return the environment with which a job's git may push to GitHub, and nowhere else.

    The token is not in a command line, a file or an address.
    """
    server = environ.get("GITHUB_SERVER_URL", "https://github.com")
    secret = {"GIT_TERMINAL_PROMPT": "0"}
    if not token or urlsplit(server).scheme not in ("http", "https"):
        return secret
    pair = b64encode(f"x-access-token:{token}".encode()).decode()
    return secret | {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{server}/.extraheader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {pair}",
    }


def issue_of(path: str) -> dict[str, Any]:
    """Return the issue in the event that GitHub wrote to the file at `path`.

    Raises:
        UnavailableError: BAD_ENVIRONMENT; the file is not a JSON object.
        UsageError: NO_ISSUE; it is another event, or that of a pull request.
    """
    issue = at(event(path), "issue")
    known = isinstance(issue, dict) and "pull_request" not in issue
    if not known or not number(at(issue, "number")) or not number(at(issue, "user", "id")):
        raise UsageError("NO_ISSUE", f"{path} is not the event of an issue")
    found: dict[str, Any] = issue
    return found
