"""Forges on loopback: as much of the REST APIs of GitHub and GitLab as a review touches.

Both keep pull requests, comments and checks in memory and answer as the real ones do: pages of
what was asked for, 401 for a wrong token, 403 where a workflow's own token may not ask who it is.
`trouble` holds answers that are given, in order, before anything is done or after it.
"""

from __future__ import annotations

import json
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from support.loopback import answer

BOT = {"id": 41898282, "login": "github-actions[bot]", "type": "Bot"}
TOKEN = "the-token-of-the-trusted-job"

F = TypeVar("F", bound="FakeForge")


def person(number: int, login: str = "") -> dict[str, Any]:
    """Return an account of a forge."""
    return {"id": number, "login": login or f"person{number}", "type": "User"}


class FakeForge(ABC):
    """What both forges share: a server, routes, a log of requests."""

    base_path = ""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        self.tokens: set[str] = set()
        self.pulls: list[dict[str, Any]] = []
        self.comments: dict[int, list[dict[str, Any]]] = {}
        self.remarks: dict[int, list[dict[str, Any]]] = {}
        self.logins: dict[int, str] = {}
        self.shown: set[tuple[str, int]] | None = None
        self.checks: list[dict[str, Any]] = []
        self.tip: Callable[[], str] = lambda: "c" * 40
        self.trouble: list[Trouble] = []
        self.private = False
        self._next = 1000
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                with suppress(OSError):
                    owner._handle(self)

            do_POST = do_PATCH = do_PUT = do_DELETE = do_GET  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}{self.base_path}"

    def number(self) -> int:
        """Return an id that nothing has yet."""
        self._next += 1
        return self._next

    def asked(self, method: str) -> list[str]:
        """Return the paths asked for with a method."""
        return [path for verb, path in self.requests if verb == method]

    def bodies(self, pull: int = 1) -> list[str]:
        """Return what the comments of a pull request say."""
        return [comment["body"] for comment in self.comments.get(pull, [])]

    def shows(self, path: str, *lines: int) -> bool:
        """Tell whether the diff has the lines of a file; it has all if `shown` does not say."""
        return self.shown is None or all((path, line) in self.shown for line in lines)

    def _login(self, key: str, number: str) -> tuple[int, Any]:
        known = self.logins.get(int(number))
        return (200, {"id": int(number), key: known}) if known else (404, {"message": "Not Found"})

    def _delete(self, number: str) -> tuple[int, Any]:
        for remarks in (*self.remarks.values(), *self.comments.values()):
            for remark in remarks:
                if remark["id"] == int(number):
                    remarks.remove(remark)
                    return 204, None
        return 404, {"message": "Not Found"}

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        document = json.loads(handler.rfile.read(length)) if length else {}
        url = urlsplit(handler.path)
        path = url.path.removeprefix(self.base_path)
        self.requests.append((handler.command, path))
        token = self._token(handler)
        self.tokens.add(token)
        trouble = self.trouble.pop(0) if self.trouble else None
        if trouble and not trouble.after:
            trouble.answer(handler)
            return
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        status, value = self._route(handler.command, path, query, document, token)
        if trouble:
            trouble.answer(handler)
            return
        body = b"" if status == 204 else json.dumps(value).encode()
        answer(handler, status, body, Content_Type="application/json")

    def _route(
        self, method: str, path: str, query: dict[str, str], document: Any, token: str
    ) -> tuple[int, Any]:
        if token not in ("", TOKEN) or (not token and (self.private or method != "GET")):
            return 401, {"message": "Bad credentials"}
        for verb, pattern, do in self._routes():
            match = re.fullmatch(pattern, path)
            if match and verb == method:
                sent = () if method in ("GET", "DELETE") else (document,)
                status, value = do(*match.groups(), *sent)
                return status, _page(value, query) if isinstance(value, list) else value
        return 404, {"message": "Not Found"}

    @abstractmethod
    def _token(self, handler: BaseHTTPRequestHandler) -> str:
        """Return the token that a request bears, "" if it bears none."""

    @abstractmethod
    def _routes(self) -> tuple[tuple[str, str, Callable[..., tuple[int, Any]]], ...]:
        """Return what is answered: method, pattern of the path, and by what."""


class Trouble:
    """One answer that goes wrong, before anything is done or `after` it."""

    def __init__(
        self, status: int = 502, *, after: bool = False, body: bytes = b"", **headers: str
    ):
        self.status, self.after, self.body, self.headers = status, after, body, headers

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        answer(handler, self.status, self.body, **self.headers)


def _page(items: list[Any], query: dict[str, str]) -> list[Any]:
    size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
    return items[(page - 1) * size : page * size]


class FakeGitHub(FakeForge):
    """One repository on GitHub. `bot` is whose token it is; None for a workflow's own."""

    repository = "keepers/prompts"

    def __init__(self) -> None:
        super().__init__()
        self.account: dict[str, Any] | None = None
        self.knows_commits_of_forks = True
        self.jobs: list[dict[str, Any]] = []

    def pull(
        self, head: str, author: int, *, number: int = 1, state: str = "open", ref: str = "main"
    ) -> dict[str, Any]:
        """Open a pull request."""
        pull = {
            "number": number,
            "state": state,
            "user": person(author),
            "head": {"sha": head},
            "base": {"ref": ref, "sha": "b" * 40, "repo": {"full_name": self.repository}},
        }
        self.pulls.append(pull)
        return pull

    def comment(self, body: str, user: dict[str, Any], pull: int = 1) -> dict[str, Any]:
        """Write a comment as some account."""
        number = self.number()
        page = f"https://github.example/{self.repository}/pull/{pull}#issuecomment-{number}"
        comment = {"id": number, "user": user, "body": body, "html_url": page}
        self.comments.setdefault(pull, []).append(comment)
        return comment

    def _token(self, handler: BaseHTTPRequestHandler) -> str:
        return handler.headers.get("Authorization", "").removeprefix("Bearer ")

    def _routes(self) -> tuple[tuple[str, str, Callable[..., tuple[int, Any]]], ...]:
        repo = f"/repos/{self.repository}"
        return (
            ("GET", "/user", self._user),
            ("GET", r"/user/(\d+)", partial(self._login, "login")),
            ("GET", rf"{repo}/commits/([0-9a-f]+)/pulls", self._of_commit),
            ("GET", rf"{repo}/pulls", lambda: (200, self.pulls)),
            ("GET", rf"{repo}/issues/(\d+)/comments", self._comments),
            ("POST", rf"{repo}/issues/(\d+)/comments", self._create),
            ("PATCH", rf"{repo}/issues/comments/(\d+)", self._update),
            ("GET", rf"{repo}/pulls/(\d+)/comments", lambda n: (200, self.remarks.get(int(n), []))),
            ("POST", rf"{repo}/pulls/(\d+)/comments", self._remark),
            ("DELETE", rf"{repo}/pulls/comments/(\d+)", self._delete),
            ("GET", rf"{repo}/pulls/(\d+)", self._pull),
            ("GET", rf"{repo}/git/ref/heads/main", self._main),
            ("GET", rf"{repo}/commits/([0-9a-f]+)/statuses", self._statuses),
            ("POST", rf"{repo}/statuses/([0-9a-f]+)", self._status),
        )

    def _user(self) -> tuple[int, Any]:
        if self.account is None:
            return 403, {"message": "Resource not accessible by integration"}
        return 200, self.account

    def _of_commit(self, sha: str) -> tuple[int, Any]:
        known = self.pulls if self.knows_commits_of_forks else []
        return 200, [pull for pull in known if pull["head"]["sha"] == sha]

    def _comments(self, pull: str) -> tuple[int, Any]:
        return 200, self.comments.get(int(pull), [])

    def _create(self, pull: str, document: Any) -> tuple[int, Any]:
        return 201, self.comment(document["body"], self.account or BOT, int(pull))

    def _update(self, number: str, document: Any) -> tuple[int, Any]:
        for comment in (c for comments in self.comments.values() for c in comments):
            if comment["id"] == int(number):
                comment["body"] = document["body"]
                return 200, comment
        return 404, {"message": "Not Found"}

    def remark(self, document: Any, user: dict[str, Any], pull: int = 1) -> dict[str, Any]:
        """Write a review comment as some account."""
        remark = {"id": self.number(), "user": user, **document}
        self.remarks.setdefault(pull, []).append(remark)
        return remark

    def _remark(self, pull: str, document: Any) -> tuple[int, Any]:
        first, last = document.get("start_line", document["line"]), document["line"]
        heads = [p["head"]["sha"] for p in self.pulls if p["number"] == int(pull)]
        known = document["commit_id"] in heads and document["side"] == "RIGHT"
        if (
            not known
            or not self.shows(document["path"], first, last)
            or ("start_line" in document and first >= last)
        ):
            return 422, {"message": "Validation Failed"}
        return 201, self.remark(document, self.account or BOT, int(pull))

    def _pull(self, number: str) -> tuple[int, Any]:
        found = [pull for pull in self.pulls if pull["number"] == int(number)]
        return (200, found[0]) if found else (404, {"message": "Not Found"})

    def _main(self) -> tuple[int, Any]:
        return 200, {"ref": "refs/heads/main", "object": {"type": "commit", "sha": self.tip()}}

    def _statuses(self, sha: str) -> tuple[int, Any]:
        return 200, [check for check in reversed(self.checks) if check["sha"] == sha]

    def _status(self, sha: str, document: Any) -> tuple[int, Any]:
        known = document["state"] in ("error", "failure", "pending", "success")
        of_commit = [c for c in self._statuses(sha)[1] if c["context"] == document["context"]]
        if not known or len(document["description"]) > 140 or len(of_commit) >= 1000:
            return 422, {"message": "Validation Failed"}
        self.checks.append({"sha": sha, "id": self.number(), **document})
        return 201, document

    def job(self, name: str, sha: str, conclusion: str = "success") -> None:
        """Let a job of that name end that a workflow of the commit itself defines."""
        self.jobs.append({"name": name, "head_sha": sha, "conclusion": conclusion})

    def mergeable(self, sha: str, required: str) -> bool:
        """Tell whether a branch that requires a check takes a commit.

        Where a check run and a status have the name, both count: the newest of each.
        """
        statuses = [
            check["state"]
            for check in self.checks
            if (check["sha"], check["context"]) == (sha, required)
        ]
        runs = [
            job["conclusion"]
            for job in self.jobs
            if (job["head_sha"], job["name"]) == (sha, required)
        ]
        newest = [kind[-1] for kind in (statuses, runs) if kind]
        return bool(newest) and all(one in ("success", "neutral", "skipped") for one in newest)


class FakeGitLab(FakeForge):
    """One project on GitLab; the token is of the account 77."""

    base_path = "/api/v4"
    project = 42
    fork = 43
    account = 77

    def __init__(self) -> None:
        super().__init__()
        self.approved_by: dict[int, Any] = {}

    def pull(
        self, head: str, author: int, *, number: int = 1, state: str = "opened", ref: str = "main"
    ) -> dict[str, Any]:
        """Open a merge request."""
        request = {
            "iid": number,
            "state": state,
            "author": {"id": author, "username": f"person{author}"},
            "sha": head,
            "target_branch": ref,
            "target_project_id": self.project,
            "source_project_id": self.project,
            "source_branch": "topic",
            "web_url": f"https://gitlab.example/keepers/prompts/-/merge_requests/{number}",
        }
        self.pulls.append(request)
        return request

    def _approvals(self, number: str) -> tuple[int, Any]:
        return 200, {"approved": True, "approved_by": self.approved_by.get(int(number), [])}

    def _project(self, path: str) -> tuple[int, Any]:
        number = {"keepers/prompts": self.project, "ana/prompts": self.fork}.get(unquote(path))
        return (200, {"id": number}) if number else (404, {"message": "404 Project Not Found"})

    def comment(self, body: str, author: int, pull: int = 1) -> dict[str, Any]:
        """Write a note as some account."""
        note = {"id": self.number(), "author": {"id": author}, "body": body}
        self.comments.setdefault(pull, []).append(note)
        return note

    def _token(self, handler: BaseHTTPRequestHandler) -> str:
        return handler.headers.get("PRIVATE-TOKEN", "")

    def _routes(self) -> tuple[tuple[str, str, Callable[..., tuple[int, Any]]], ...]:
        project = rf"/projects/(?:{self.project}|keepers%2Fprompts)"
        notes = rf"{project}/merge_requests/(\d+)/notes"
        return (
            ("GET", "/user", lambda: (200, {"id": self.account})),
            ("GET", r"/users/(\d+)", partial(self._login, "username")),
            ("GET", r"/projects/([^/]+)", self._project),
            ("GET", rf"{project}/merge_requests/(\d+)/approvals", self._approvals),
            ("GET", rf"{project}/repository/commits/([0-9a-f]+)/merge_requests", self._of_commit),
            ("GET", notes, lambda number: (200, self.comments.get(int(number), []))),
            ("POST", notes, self._create),
            ("PUT", rf"{notes}/(\d+)", self._update),
            ("DELETE", rf"{project}/merge_requests/\d+/notes/(\d+)", self._delete),
            ("GET", rf"{project}/merge_requests/(\d+)", self._request),
            ("POST", rf"{project}/merge_requests/(\d+)/discussions", self._discuss),
            ("GET", rf"{project}/merge_requests", lambda: (200, self.pulls)),
            ("GET", rf"{project}/repository/branches/main", self._main),
            ("GET", rf"{project}/repository/commits/([0-9a-f]+)/statuses", self._statuses),
            ("POST", rf"{project}/statuses/([0-9a-f]+)", self._status),
        )

    def _of_commit(self, sha: str) -> tuple[int, Any]:
        return 200, [request for request in self.pulls if request["sha"] == sha]

    def _create(self, number: str, document: Any) -> tuple[int, Any]:
        return 201, self.comment(document["body"], self.account, int(number))

    def _update(self, number: str, note: str, document: Any) -> tuple[int, Any]:
        for known in self.comments.get(int(number), []):
            if known["id"] == int(note):
                known["body"] = document["body"]
                return 200, known
        return 404, {"message": "404 Not found"}

    def _request(self, number: str) -> tuple[int, Any]:
        (request,) = (one for one in self.pulls if one["iid"] == int(number))
        refs = {"base_sha": "b" * 40, "start_sha": "5" * 40, "head_sha": request["sha"]}
        return 200, {**request, "diff_refs": refs}

    def _discuss(self, number: str, document: Any) -> tuple[int, Any]:
        place, refs = document["position"], self._request(number)[1]["diff_refs"]
        offset = re.search(r"^`{3,}suggestion:-(\d+)\+0$", document["body"], re.MULTILINE)
        above = int(offset[1]) if offset else 0
        lines = range(place["new_line"] - above, place["new_line"] + 1)
        known = all(place[name] == sha for name, sha in refs.items())
        if not known or not self.shows(place["new_path"], *lines):
            return 400, {"message": "400 Bad request - Note {:line_code=>[can't be blank]}"}
        note = self.comment(document["body"], self.account, int(number))
        note.update(type="DiffNote", position=place)
        return 201, {"id": str(note["id"]), "notes": [note]}

    def _main(self) -> tuple[int, Any]:
        return 200, {"name": "main", "commit": {"id": self.tip()}}

    def _statuses(self, sha: str) -> tuple[int, Any]:
        return 200, [check for check in self.checks if check["sha"] == sha]

    def _status(self, sha: str, document: Any) -> tuple[int, Any]:
        newest = [check["state"] for check in self._statuses(sha)[1]][-1:]
        if document["state"] == "pending" and newest == ["pending"]:
            why = "Cannot transition status via :enqueue from :pending"
            return 400, {"message": why}
        self.checks.append({"sha": sha, "id": self.number(), **document})
        return 201, document


@contextmanager
def running(forge: F) -> Iterator[F]:
    """Serve a forge while the block runs."""
    thread = threading.Thread(target=forge.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield forge
    finally:
        forge.server.shutdown()
        forge.server.server_close()
        thread.join()
