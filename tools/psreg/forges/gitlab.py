"""GitLab CI: pipelines of merge requests (no token) and pipelines that a webhook triggers.

A triggered pipeline is defined by the default branch and has protected variables. Only the commit
at the head and who caused the event are read from the webhook's payload; everything else comes
from the API.
"""

from __future__ import annotations

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
from psreg.forges.rest_api import Api, ForgeError, ForgeRefusedError
from psreg.http.retry_budget import Limits

_REQUEST_PAGES = 3
_OPEN_PAGES = 10
_STATUS_PAGES = 10

_STATES = {Status.PASSING: "success", Status.FAILING: "failed", Status.PENDING: "pending"}
_LONGEST_DESCRIPTION = 255
_SAME_STATE = 400
"""The status of GitLab's answer to setting the state that a status already has."""


class GitLab:
    """A job of GitLab CI; implements `forge.Forge`."""

    name = "gitlab"

    def __init__(self, environ: Mapping[str, str], limits: Limits | None = None) -> None:
        self._triggered = environ.get("CI_PIPELINE_SOURCE") == "trigger"
        self._payload = event(environ.get("TRIGGER_PAYLOAD", "")) if self._triggered else {}
        self._environ = environ
        self.token = environ.get("GITLAB_TOKEN", "")
        self.run_url = environ.get("CI_JOB_URL", "")
        self.default_branch = environ.get("CI_DEFAULT_BRANCH", "")
        headers = {"PRIVATE-TOKEN": self.token} if self.token else {}
        self._api = Api(required(environ, "CI_API_V4_URL"), headers, limits or Limits())
        self._path = f"/projects/{quote(required(environ, 'CI_PROJECT_ID'), safe='')}"
        self.head = self._named

    @property
    def base(self) -> str:
        """The merge base of the merge request; in a trusted job, the commit it runs at."""
        variable = "CI_COMMIT_SHA" if self._triggered else "CI_MERGE_REQUEST_DIFF_BASE_SHA"
        return sha(self._environ.get(variable))

    @property
    def _named(self) -> str:
        """The last commit of the source branch, not that of a test merge."""
        if self._triggered:
            return sha(at(self._payload, "object_attributes", "last_commit", "id"))
        if "CI_MERGE_REQUEST_IID" not in self._environ:
            return ""
        merged = sha(self._environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"))
        return merged or sha(self._environ.get("CI_COMMIT_SHA"))

    @cached_property
    def author(self) -> Author | None:
        """The account that opened and pushed; None for a private project without a token."""
        try:
            requests = self._requests
        except ForgeError:
            if self.token:
                raise
            return None
        accounts = [(at(one, "author", "id"), at(one, "author", "username")) for one in requests]
        return the_author(self.name, self._who_pushed() + accounts) if accounts else None

    def _who_pushed(self) -> list[tuple[Any, Any]]:
        if self.head == self._named and self._is_push:
            return event_account(at(self._payload, "user"), "username")
        return [(last_judged(self._descriptions(self.head)), "")]

    @property
    def _is_push(self) -> bool:
        """Whether the event's user pushed the head, and did not approve or reopen the request."""
        request = at(self._payload, "object_attributes")
        action = at(request, "action")
        return action in (None, "open") or (action == "update" and bool(at(request, "oldrev")))

    def _descriptions(self, head: str) -> Iterator[str]:
        """Yield the descriptions of our statuses of a commit, the newest first."""
        path = f"{self._path}/repository/commits/{head}/statuses"
        ours = [
            status
            for status in self._api.listed(path, _STATUS_PAGES, name=CHECK, all="true")
            if at(status, "name") == CHECK
        ]
        for status in sorted(ours, key=lambda one: number(at(one, "id")), reverse=True):
            yield text(at(status, "description"))

    @cached_property
    def _requests(self) -> list[Any]:
        """The open merge requests with this head, into the default branch."""
        return self._asking()

    def _asking(self) -> list[Any]:
        if not self.head:
            return []
        of_commit = self._api.listed(
            f"{self._path}/repository/commits/{self.head}/merge_requests",
            _REQUEST_PAGES,
            state="opened",
        )
        return [request for request in of_commit if self._fits(request)]

    def _fits(self, request: Any) -> bool:
        return at(request, "sha") == self.head and self._into_default(request)

    def _into_default(self, request: Any) -> bool:
        return (
            at(request, "state") == "opened"
            and str(at(request, "target_project_id")) == self._environ["CI_PROJECT_ID"]
            and at(request, "target_branch") == self.default_branch
            and number(at(request, "iid")) > 0
        )

    def login(self, account: int) -> str:
        """Return the login of an account; see `Forge.login`."""
        return login_of(self._api.get_if_there(f"/users/{account}"), account, "username")

    def post_comment(self, marker: str, body: str, *, once: bool = False) -> tuple[str, ...]:
        """Write the one note of a merge request; see `Forge.post_comment`."""
        check_comment(marker, body)
        check_posting(self, "GITLAB_TOKEN")
        urls = (
            self._api.with_retries(partial(self._note, request, marker, body, once=once))
            for request in self._requests
        )
        return tuple(url for url in urls if url)

    def _note(self, request: Any, marker: str, body: str, *, once: bool) -> str:
        notes = f"{self._path}/merge_requests/{request['iid']}/notes"
        in_order = self._api.listed(notes, COMMENT_PAGES, sort="asc", order_by="created_at")
        ours = next(
            (
                number(at(note, "id"))
                for note in in_order
                if number(at(note, "author", "id")) == self._account
                and text(at(note, "body")).startswith(marker)
            ),
            0,
        )
        if ours and once:
            return ""
        if ours:
            written = self._api.send("PUT", f"{notes}/{ours}", {"body": body})
        else:
            written = self._api.send("POST", notes, {"body": body})
        return f"{text(at(request, 'web_url'))}#note_{number(at(written, 'id'))}"

    def post_remarks(self, marker: str, remarks: Sequence[Remark]) -> int:
        """Write notes at lines of the diff; see `Forge.post_remarks`."""
        check_remarks(marker, remarks)
        check_posting(self, "GITLAB_TOKEN")
        return sum(
            self._api.with_retries(partial(self._remark, request["iid"], marker, remarks))
            for request in self._requests
        )

    def _remark(self, request: int, marker: str, remarks: Sequence[Remark]) -> int:
        path = f"{self._path}/merge_requests/{request}"
        refs = at(self._api.get(path), "diff_refs")
        if at(refs, "head_sha") != self.head:  # not computed yet, or there is a newer head
            return len(remarks)
        posted = [
            Posted(
                id=number(at(note, "id")),
                key=(first_line(text(at(note, "body"))), number(at(note, "position", "new_line"))),
            )
            for note in self._api.listed(f"{path}/notes", COMMENT_PAGES)
            if number(at(note, "author", "id")) == self._account
            and text(at(note, "body")).startswith(marker)
        ]
        commits = {name: at(refs, name) for name in ("base_sha", "start_sha", "head_sha")}

        def delete(note: int) -> None:
            self._api.send("DELETE", f"{path}/notes/{note}")

        def create(remark: Remark) -> None:
            place = {"old_path": remark.path, "new_path": remark.path, "new_line": remark.last}
            position = {"position_type": "text", **commits, **place}
            document = {"body": remark.body, "position": position}
            self._api.send("POST", f"{path}/discussions", document)

        return settle(posted, remarks, delete, create)

    @cached_property
    def _account(self) -> int:
        """The id of the token's account."""
        account = number(at(self._api.get("/user"), "id"))
        if not account:
            raise ForgeError("FORGE_ANSWER", "GitLab does not say which account the token is for")
        return account

    def post_check(self, status: Status, description: str) -> None:
        """Set the status of the head; see `Forge.post_check`."""
        check_posting(self, "GITLAB_TOKEN")
        document = {
            "state": _STATES[status],
            "name": CHECK,
            "description": description[:_LONGEST_DESCRIPTION],
            "target_url": self.run_url,
        }
        path = f"{self._path}/statuses/{self.head}"
        try:
            self._api.with_retries(partial(self._api.send, "POST", path, document))
        except ForgeRefusedError as error:
            if status is not Status.PENDING or error.status != _SAME_STATE:
                raise

    def unchanged(self, base: str) -> bool:
        """Ask whether the reviewed commits are still current; see `Forge.unchanged`."""
        check_posting(self, "GITLAB_TOKEN")
        now = _askers(self._asking())
        return bool(now) and now == _askers(self._requests) and self._tip() == base

    def _tip(self) -> str:
        path = f"{self._path}/repository/branches/{quote(self.default_branch, safe='')}"
        return sha(at(self._api.get(path), "commit", "id"))

    def outdated(self, base: str) -> Iterator[str]:
        """Yield the heads to review again; see `Forge.outdated`."""
        opened = self._api.listed(f"{self._path}/merge_requests", _OPEN_PAGES, state="opened")
        heads = (sha(at(one, "sha")) for one in opened if self._into_default(one))
        return not_judged(heads, base, self._descriptions)


def _askers(requests: Iterable[Any]) -> set[tuple[int, int]]:
    """Return the numbers of merge requests, and the ids of their authors."""
    return {(number(at(one, "iid")), number(at(one, "author", "id"))) for one in requests}
