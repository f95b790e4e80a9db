"""The forge in whose job a review runs, and to which it reports.

All input comes from the forge itself: its environment, the event it wrote, its REST API. No output
of another job is read. A pull request is found by the commit at its head, and only if it is open
and its target is the default branch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from psreg.core.errors import UnavailableError, UsageError
from psreg.core.identity import Author
from psreg.system.files import read_named

if TYPE_CHECKING:  # most reviews run without a forge, and need no HTTP
    from psreg.forges.line_comments import Remark

LONGEST_COMMENT = 65_000
"""Characters; GitHub accepts 65,536."""

COMMENT_PAGES = 30
"""Maximum pages of 100 comments in which ours is searched."""

CHECK = "psreg"
"""The name of the commit status; no job of a workflow has this name.

NOTE: it is a commit status and not a check run, because a workflow in a pull request can create a
check run of any name with a job of that name, and the newest one counts. A status needs a token
with write access, which jobs of a fork do not get; if both have the same name, both must pass.
"""

MOST_OUTDATED = 100
"""Maximum heads that one run reviews again; the next run continues with the others."""

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_JUDGED = re.compile(r"; onto ([0-9a-f]{12}), asked by ([0-9]{1,18})", re.ASCII)
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,98}[A-Za-z0-9_-])?")
_EVENT_LIMIT = 32 * 1024 * 1024


class Status(Enum):
    """The state of a commit's required status; only a passing one can be merged."""

    PENDING = auto()
    PASSING = auto()
    FAILING = auto()


class Forge(Protocol):
    """The forge that started this process. `base` and `head` are commits, "" if unknown.

    `token` is "" if the job has none: then nothing can be posted. `run_url` is the page of the
    running job, `default_branch` the target of pull requests.
    """

    @property
    def name(self) -> str:
        """Its name in `FORGES` of `forges.detect`, as in the owners of an entry."""

    @property
    def base(self) -> str:
        """The trusted commit that the change is compared to."""

    head: str
    """The commit to review; it can be set before anything is requested or posted."""

    @property
    def token(self) -> str:
        """The secret for posting comments."""

    @property
    def run_url(self) -> str:
        """The address of the running job's page."""

    @property
    def default_branch(self) -> str:
        """The branch that releases are published from."""

    @property
    def author(self) -> Author | None:
        """The author of the change; None if unknown, or if there are several.

        Raises:
            ForgeError: the forge refused, or did not answer.
        """

    def login(self, account: int) -> str:
        """Return the login that an account has now, "" if there is no such account.

        Raises:
            ForgeError: the forge refused for another reason, or did not answer.
        """

    def post_comment(self, marker: str, body: str, *, once: bool = False) -> tuple[str, ...]:
        """Write the comment that starts with `marker` on each pull request; return the URLs.

        Only a comment by the same account is replaced, and none if it is only written `once`. ()
        if no open pull request has this head.

        Raises:
            ForgeError: the forge refused, or did not answer.
            UsageError: NO_TOKEN; NO_HEAD; COMMENT_TOO_LONG; `body` does not begin with `marker`.
        """

    def post_remarks(self, marker: str, remarks: Sequence[Remark]) -> int:
        """Replace our remarks that start with `marker` by these; return how many were refused.

        Existing ones are kept, outdated ones deleted. The forge refuses a remark about lines that
        its diff does not show; the others are still written.

        Raises:
            ForgeError: the forge refused for another reason, or did not answer.
            UsageError: NO_TOKEN; NO_HEAD; COMMENT_TOO_LONG; a body does not begin with `marker`.
        """

    def post_check(self, status: Status, description: str) -> None:
        """Set the required check of the head.

        Raises:
            ForgeError: the forge refused, or did not answer.
            UsageError: NO_TOKEN; NO_HEAD.
        """

    def unchanged(self, base: str) -> bool:
        """Ask again whether the same pull requests have this head, and their target this tip.

        A commit of a merge queue has a fixed base, so nothing can change.

        Raises:
            ForgeError: the forge refused, or did not answer.
            UsageError: NO_TOKEN; NO_HEAD.
        """

    def outdated(self, base: str) -> Iterator[str]:
        """Yield the heads of open pull requests that were not reviewed against `base`.

        Raises:
            ForgeError: the forge refused, or did not answer.
        """


def required(environ: Mapping[str, str], name: str) -> str:
    """Return a variable that the forge always sets. Raises UnavailableError BAD_ENVIRONMENT."""
    value = environ.get(name, "")
    if not value:
        raise UnavailableError("BAD_ENVIRONMENT", f"{name} is not set, but the forge sets it")
    return value


def event(path: str) -> dict[str, Any]:
    """Return the event that the forge wrote to a file, {} where there is none.

    Raises:
        UnavailableError: BAD_ENVIRONMENT; the file is not a JSON object.
    """
    if not path:
        return {}
    try:
        value = json.loads(read_named(Path(path), _EVENT_LIMIT))
    except (UnavailableError, ValueError, RecursionError) as error:
        raise UnavailableError("BAD_ENVIRONMENT", f"cannot read the event {path}") from error
    if not isinstance(value, dict):
        raise UnavailableError("BAD_ENVIRONMENT", f"the event {path} is not a JSON object")
    return value


def at(value: Any, *keys: str) -> Any:
    """Return the value at `keys` in nested objects, None if it does not exist."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def sha(value: Any) -> str:
    """Return `value` if it is the full id of a commit, else ""."""
    return value if isinstance(value, str) and _SHA.fullmatch(value) else ""


def number(value: Any) -> int:
    """Return `value` if it is a positive integer, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def text(value: Any) -> str:
    """Return `value` if it is text, else ""."""
    return value if isinstance(value, str) else ""


def event_account(account: Any, login: str) -> list[tuple[Any, Any]]:
    """Return id and login of the account that caused an event, [] if unknown.

    `login` is the key of the login.
    """
    return [(at(account, "id"), at(account, login))] if number(at(account, "id")) else []


def the_author(forge: str, accounts: Iterable[tuple[Any, Any]]) -> Author | None:
    """Return the one author of all pull requests with a head, None if there are several.

    `accounts` are ids and logins, including that of the account that pushed. Anyone can open a
    second pull request with another person's commit at its head, or push to their branch.
    """
    found = {number(account): text(login) for account, login in accounts}
    if len(found) != 1 or 0 in found:
        return None
    ((account, login),) = found.items()
    return Author(forge=forge, id=account, login=login)


def judgement(words: str, base: str, author: Author | None) -> str:
    """Return the description of a head's status: the verdict, the base and the author."""
    return f"{words}; onto {base[:12]}, asked by {author.id if author else 0}"


def _judged(description: str) -> tuple[str, int]:
    """Return base and author of a `judgement`: twelve digits and a number, or "" and 0."""
    found = _JUDGED.search(description)
    return (found[1], int(found[2])) if found else ("", 0)


def last_judged(descriptions: Iterable[str]) -> int:
    """Return the author of a head in its last review, 0 if unknown.

    `descriptions` are those of its statuses, the newest first. Only an event says who pushed; a
    review that was not started by an event of a pull request takes it from the review before.
    """
    return next((who for base, who in map(_judged, descriptions) if base), 0)


def not_judged(
    heads: Iterable[str], base: str, descriptions: Callable[[str], Iterator[str]]
) -> Iterator[str]:
    """Yield those of `heads` whose newest status is not about `base`, at most `MOST_OUTDATED`.

    `descriptions` returns those of the statuses of a head, the newest first.
    """
    missed = (
        head
        for head in dict.fromkeys(heads)
        if head and _judged(next(descriptions(head), ""))[0] != base[:12]
    )
    return islice(missed, MOST_OUTDATED)


def login_of(answer: Any, account: int, key: str) -> str:
    """Return the login in what a forge answers about an account, "" if it cannot be mentioned."""
    login = text(at(answer, key)) if number(at(answer, "id")) == account else ""
    return login if _LOGIN.fullmatch(login) else ""


def check_comment(marker: str, body: str) -> None:
    """Return if `body` may be posted. Raises UsageError."""
    if not marker or not body.startswith(marker):
        raise UsageError("USAGE", "the comment does not start with its marker")
    if len(body) > LONGEST_COMMENT:
        raise UsageError(
            "COMMENT_TOO_LONG",
            f"the comment has {len(body):,} characters; the limit is {LONGEST_COMMENT:,}",
        )


def check_remarks(marker: str, remarks: Iterable[Remark]) -> None:
    """Return if all of them may be posted. Raises UsageError."""
    for remark in remarks:
        check_comment(marker, remark.body)


def check_posting(forge: Forge, variable: str) -> None:
    """Return if a job may post, with the token in `variable`. Raises UsageError."""
    if not forge.token:
        raise UsageError(
            "NO_TOKEN",
            f"cannot post to {forge.name} without {variable}",
            "Post only from the trusted job, which has the token; see the guide “Run a registry”.",
        )
    if not forge.head:
        raise UsageError("NO_HEAD", f"{forge.name} does not say which commit to review")
