"""GitHub Actions: `pull_request` (no secrets), and the events of a trusted job, which has a token.

A trusted job is started by `pull_request_target`, by a merge queue, or by an event that is not
about a pull request (a push to the default branch, a schedule). It takes commits and who pushed
from the event; pull requests and their authors come from the API.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any
from urllib.parse import quote

from psreg.core.identity import Author
from psreg.forges.forge import (
    CHECK,
    COMMENT_PAGES,
    Status,
    at,
    check_comment,
    check_posting,
    check_remarks,
    event,
    event_account,
    last_judged,
    login_of,
    not_judged,
    number,
    required,
    sha,
    text,
    the_author,
)
from psreg.forges.line_comments import Posted, Remark, first_line, settle
from psreg.forges.rest_api import Api, ForgeRefusedError
from psreg.http.retry_budget import Limits

_BOT = "github-actions[bot]"
"""The login of a workflow's own token; the login of a person cannot have brackets."""

_COMMIT_PAGES = 3
_OPEN_PAGES = 10

_STATUS_PAGES = 10
"""GitHub accepts a thousand statuses per commit and context."""

_STATES = {Status.PASSING: "success", Status.FAILING: "failure", Status.PENDING: "pending"}
_LONGEST_DESCRIPTION = 140

_QUEUED = re.compile(r"refs/heads/gh-readonly-queue/.+/pr-([0-9]+)-[0-9a-f]+", re.ASCII)
"""The branch of a merge queue for one pull request, and its number."""

_PUSHES = ("opened", "synchronize")
"""Actions of events whose sender pushed the head; anyone with the right to can edit or reopen."""


class GitHub:
    """A job of GitHub Actions; implements `forge.Forge`."""

    name = "github"

    def __init__(self, environ: Mapping[str, str], limits: Limits | None = None) -> None:
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
        self._api = Api(
            environ.get("GITHUB_API_URL") or "https://api.github.com", headers, limits or Limits()
        )
        self._path = f"/repos/{quote(self._repository)}"
        # In `pull_request` another commit is checked out: the result of a test merge.
        self.head = self._pushed or sha(at(self._event, "merge_group", "head_sha"))

    @cached_property
    def default_branch(self) -> str:
        """The repository's default branch, from the event or else from the API."""
        said = text(at(self._event, "repository", "default_branch"))
        return said or text(at(self._api.get(self._path), "default_branch"))

    @property
    def base(self) -> str:
        """The tip of the base branch; in a trusted job, the commit it was started at."""
        if self._event_name == "pull_request_target":
            return self._commit
        queued = sha(at(self._event, "merge_group", "base_sha"))
        return queued or sha(at(self._event, "pull_request", "base", "sha"))

    @property
    def _pushed(self) -> str:
        return sha(at(self._event, "pull_request", "head", "sha"))

    @cached_property
    def author(self) -> Author | None:
        """The account that opened the pull request and pushed its head."""
        if self._event_name == "pull_request":
            pulls = [self._event["pull_request"]] if "pull_request" in self._event else []
        else:
            pulls = self._queued if "merge_group" in self._event else self._pulls
        accounts = [(at(pull, "user", "id"), at(pull, "user", "login")) for pull in pulls]
        return the_author(self.name, self._who_pushed(pulls) + accounts) if accounts else None

    def _who_pushed(self, pulls: Iterable[Any]) -> list[tuple[Any, Any]]:
        told = self._pushed == self.head and at(self._event, "action") in (None, *_PUSHES)
        if told:
            return event_account(at(self._event, "sender"), "login")
        heads = {sha(at(pull, "head", "sha")) for pull in pulls}
        return [(last_judged(self._descriptions(head)), "") for head in heads]

    def _descriptions(self, head: str) -> Iterator[str]:
        """Yield the descriptions of our statuses of a commit, the newest first."""
        statuses = f"{self._path}/commits/{head}/statuses"
        for status in self._api.listed(statuses, _STATUS_PAGES):
            if at(status, "context") == CHECK:
                yield text(at(status, "description"))

    @property
    def _queued(self) -> list[Any]:
        """The pull request in a merge queue: one, because a group adds one to its base."""
        found = _QUEUED.fullmatch(text(at(self._event, "merge_group", "head_ref")))
        return [self._api.get(f"{self._path}/pulls/{found[1]}")] if found else []

    @cached_property
    def _pulls(self) -> list[Any]:
        """The open pull requests with this head, into the default branch."""
        return self._asking()

    def _asking(self) -> list[Any]:
        if not self.head or "merge_group" in self._event:
            return []
        of_commit = self._api.listed(f"{self._path}/commits/{self.head}/pulls", _COMMIT_PAGES)
        found = [pull for pull in of_commit if self._fits(pull)]
        # A commit that only a fork has may be unknown there: search all open pull requests.
        return found or [pull for pull in self._open() if self._fits(pull)]

    def _open(self) -> Iterator[Any]:
        return self._api.listed(
            f"{self._path}/pulls", _OPEN_PAGES, state="open", sort="updated", direction="desc"
        )

    def _fits(self, pull: Any) -> bool:
        return at(pull, "head", "sha") == self.head and self._into_default(pull)

    def _into_default(self, pull: Any) -> bool:
        return (
            at(pull, "state") == "open"
            and text(at(pull, "base", "repo", "full_name")).lower() == self._repository.lower()
            and at(pull, "base", "ref") == self.default_branch
            and number(at(pull, "number")) > 0
        )

    def login(self, account: int) -> str:
        """Return the login of an account; see `Forge.login`."""
        return login_of(self._api.get_if_there(f"/user/{account}"), account, "login")

    def post_comment(self, marker: str, body: str, *, once: bool = False) -> tuple[str, ...]:
        """Write the one comment of a pull request; see `Forge.post_comment`."""
        check_comment(marker, body)
        check_posting(self, "GITHUB_TOKEN")
        urls = (
            self._api.with_retries(partial(self._comment, pull["number"], marker, body, once=once))
            for pull in self._pulls
        )
        return tuple(url for url in urls if url)

    def _comment(self, pull: int, marker: str, body: str, *, once: bool = False) -> str:
        comments = f"{self._path}/issues/{pull}/comments"
        ours = next(
            (
                number(at(comment, "id"))
                for comment in self._api.listed(comments, COMMENT_PAGES)
                if self._is_ours(comment) and text(at(comment, "body")).startswith(marker)
            ),
            0,
        )
        if ours and once:
            return ""
        if ours:
            path = f"{self._path}/issues/comments/{ours}"
            return text(at(self._api.send("PATCH", path, {"body": body}), "html_url"))
        return text(at(self._api.send("POST", comments, {"body": body}), "html_url"))

    def post_remarks(self, marker: str, remarks: Sequence[Remark]) -> int:
        """Write review comments; see `Forge.post_remarks`."""
        check_remarks(marker, remarks)
        check_posting(self, "GITHUB_TOKEN")
        return sum(
            self._api.with_retries(partial(self._remark, pull["number"], marker, remarks))
            for pull in self._pulls
        )

    def _remark(self, pull: int, marker: str, remarks: Sequence[Remark]) -> int:
        path = f"{self._path}/pulls/{pull}/comments"
        posted = [
            # NOTE: it has no `line` if the line has changed since.
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
        """Tell whether we wrote a comment: anyone can write our marker."""
        user = at(comment, "user")
        if self._account:
            return number(at(user, "id")) == self._account
        return text(at(user, "type")) == "Bot" and text(at(user, "login")) == _BOT

    @cached_property
    def _account(self) -> int:
        """The id of the token's account; 0 for a workflow's own token."""
        try:
            return number(at(self._api.get("/user"), "id"))
        except ForgeRefusedError as error:
            if error.status == 403:  # noqa: PLR2004 - "Resource not accessible by integration"
                return 0
            raise

    def post_check(self, status: Status, description: str) -> None:
        """Set the status of the head; see `Forge.post_check`."""
        check_posting(self, "GITHUB_TOKEN")
        document = {
            "context": CHECK,
            "state": _STATES[status],
            "description": description[:_LONGEST_DESCRIPTION],
            "target_url": self.run_url,
        }
        path = f"{self._path}/statuses/{self.head}"
        self._api.with_retries(partial(self._api.send, "POST", path, document))

    def unchanged(self, base: str) -> bool:
        """Ask whether the reviewed commits are still current; see `Forge.unchanged`."""
        check_posting(self, "GITHUB_TOKEN")
        if "merge_group" in self._event:
            return True
        now = _askers(self._asking())
        return bool(now) and now == _askers(self._pulls) and self._tip() == base

    def _tip(self) -> str:
        branch = quote(self.default_branch)
        return sha(at(self._api.get(f"{self._path}/git/ref/heads/{branch}"), "object", "sha"))

    def outdated(self, base: str) -> Iterator[str]:
        """Yield the heads to review again; see `Forge.outdated`."""
        opened = (pull for pull in self._open() if self._into_default(pull))
        heads = (sha(at(pull, "head", "sha")) for pull in opened)
        return not_judged(heads, base, self._descriptions)


def _askers(pulls: Iterable[Any]) -> set[tuple[int, int]]:
    """Return the numbers of pull requests, and the ids of their authors."""
    return {(number(at(pull, "number")), number(at(pull, "user", "id"))) for pull in pulls}
