"""GitHub Actions: events `pull_request` (no secrets) and `workflow_run` (trusted, has the token).

In a `workflow_run` the commit at the head, and who pushed it, is what GitHub says of the finished
run; the pull request and its author are asked for through the API.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any
from urllib.parse import quote

from psreg.adapters.forge import (
    CHECK,
    COMMENT_PAGES,
    at,
    check_comment,
    check_posting,
    check_remarks,
    doer,
    event,
    number,
    required,
    sha,
    text,
    the_author,
)
from psreg.adapters.forge_api import Api, ForgeRefusedError
from psreg.adapters.forge_remarks import Posted, Remark, first_line, settle
from psreg.adapters.transport import Limits
from psreg.index.changes import Author

_BOT = "github-actions[bot]"
"""Whose name a workflow's own token writes under; no person's name can have brackets."""

_COMMIT_PAGES = 3
_OPEN_PAGES = 10

_CONCLUSIONS = {"accept": "success", "needs_human": "neutral", "reject": "failure"}
_TITLES = {
    "accept": "psreg: accept",
    "needs_human": "psreg: a person decides",
    "reject": "psreg: reject",
}


class GitHub:
    """A job of GitHub Actions; implements `forge.Forge`."""

    name = "github"

    def __init__(self, environ: Mapping[str, str], limits: Limits) -> None:
        self._event = event(environ.get("GITHUB_EVENT_PATH", ""))
        self._event_name = environ.get("GITHUB_EVENT_NAME", "")
        self._repository = required(environ, "GITHUB_REPOSITORY")
        self._commit = sha(environ.get("GITHUB_SHA"))
        self.token = environ.get("GITHUB_TOKEN", "")
        server = environ.get("GITHUB_SERVER_URL", "https://github.com")
        self.run_url = (
            f"{server}/{self._repository}/actions/runs/{environ.get('GITHUB_RUN_ID', '')}"
        )
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        self._api = Api(environ.get("GITHUB_API_URL") or "https://api.github.com", headers, limits)
        self._path = f"/repos/{quote(self._repository)}"

    @property
    def default_branch(self) -> str:
        """The repository's default branch, as the event says."""
        return text(at(self._event, "repository", "default_branch"))

    @property
    def base(self) -> str:
        """The tip of the base branch, in a trusted job the commit it was started with."""
        if self._event_name == "workflow_run":
            return self._commit
        return sha(at(self._event, "pull_request", "base", "sha"))

    @property
    def head(self) -> str:
        """The commit at the head, which in `pull_request` is not the one that is checked out."""
        if self._event_name == "workflow_run":
            return sha(at(self._event, "workflow_run", "head_sha"))
        return sha(at(self._event, "pull_request", "head", "sha"))

    @cached_property
    def author(self) -> Author | None:
        """Who opened the pull request and pushed its head, by the number of the account."""
        if self._event_name == "workflow_run":
            pulls, who = self._pulls, at(self._event, "workflow_run", "actor")
        else:
            pulls = [self._event["pull_request"]] if "pull_request" in self._event else []
            who = at(self._event, "sender") if pulls else None
        accounts = [(at(pull, "user", "id"), at(pull, "user", "login")) for pull in pulls]
        return the_author(self.name, accounts + doer(who, "login")) if accounts else None

    @cached_property
    def _pulls(self) -> list[Any]:
        """The open pull requests with this head, into the default branch, by number."""
        if not self.head:
            return []
        of_commit = self._api.listed(f"{self._path}/commits/{self.head}/pulls", _COMMIT_PAGES)
        found = [pull for pull in of_commit if self._fits(pull)]
        # A commit that only a fork has may be unknown there: look through what is open.
        return found or [pull for pull in self._open() if self._fits(pull)]

    def _open(self) -> Iterator[Any]:
        return self._api.listed(
            f"{self._path}/pulls", _OPEN_PAGES, state="open", sort="updated", direction="desc"
        )

    def _fits(self, pull: Any) -> bool:
        return (
            at(pull, "state") == "open"
            and at(pull, "head", "sha") == self.head
            and text(at(pull, "base", "repo", "full_name")).lower() == self._repository.lower()
            and at(pull, "base", "ref") == self.default_branch
            and number(at(pull, "number")) > 0
        )

    def post_comment(self, marker: str, body: str) -> tuple[str, ...]:
        """Write the one comment of a pull request; see `Forge.post_comment`."""
        check_comment(marker, body)
        check_posting(self, "GITHUB_TOKEN")
        return tuple(
            self._api.settled(partial(self._comment, pull["number"], marker, body))
            for pull in self._pulls
        )

    def _comment(self, pull: int, marker: str, body: str) -> str:
        comments = f"{self._path}/issues/{pull}/comments"
        ours = next(
            (
                number(at(comment, "id"))
                for comment in self._api.listed(comments, COMMENT_PAGES)
                if self._is_ours(comment) and text(at(comment, "body")).startswith(marker)
            ),
            0,
        )
        if ours:
            path = f"{self._path}/issues/comments/{ours}"
            return text(at(self._api.send("PATCH", path, {"body": body}), "html_url"))
        return text(at(self._api.send("POST", comments, {"body": body}), "html_url"))

    def post_remarks(self, marker: str, remarks: Sequence[Remark]) -> int:
        """Write review comments; see `Forge.post_remarks`."""
        check_remarks(marker, remarks)
        check_posting(self, "GITHUB_TOKEN")
        return sum(
            self._api.settled(partial(self._remark, pull["number"], marker, remarks))
            for pull in self._pulls
        )

    def _remark(self, pull: int, marker: str, remarks: Sequence[Remark]) -> int:
        path = f"{self._path}/pulls/{pull}/comments"
        posted = [
            # It has no line any more when that was changed since.
            Posted(
                id=number(at(comment, "id")),
                key=(first_line(text(at(comment, "body"))), number(at(comment, "line"))),
            )
            for comment in self._api.listed(path, COMMENT_PAGES)
            if self._is_ours(comment) and text(at(comment, "body")).startswith(marker)
        ]

        def delete(comment: int) -> None:
            self._api.send("DELETE", f"{self._path}/pulls/comments/{comment}")

        def create(remark: Remark) -> None:
            place = {"path": remark.path, "line": remark.last, "side": "RIGHT"}
            if remark.first < remark.last:
                place |= {"start_line": remark.first, "start_side": "RIGHT"}
            self._api.send("POST", path, {"body": remark.body, "commit_id": self.head, **place})

        return settle(posted, remarks, delete, create)

    def _is_ours(self, comment: Any) -> bool:
        """Tell whether we wrote it: everybody can write our marker."""
        user = at(comment, "user")
        if self._account:
            return number(at(user, "id")) == self._account
        return text(at(user, "type")) == "Bot" and text(at(user, "login")) == _BOT

    @cached_property
    def _account(self) -> int:
        """The number of the account that the token is of; 0 for a workflow's own token."""
        try:
            return number(at(self._api.get("/user"), "id"))
        except ForgeRefusedError as error:
            if error.status == 403:  # noqa: PLR2004 - "Resource not accessible by integration"
                return 0
            raise

    def post_check(self, verdict: str, summary: str) -> None:
        """Publish a check run at the head; it is neutral where a person decides."""
        check_posting(self, "GITHUB_TOKEN")
        run = {
            "name": CHECK,
            "head_sha": self.head,
            "status": "completed",
            "conclusion": _CONCLUSIONS[verdict],
            "details_url": self.run_url,
            "output": {"title": _TITLES[verdict], "summary": summary},
        }
        self._api.settled(partial(self._api.send, "POST", f"{self._path}/check-runs", run))
