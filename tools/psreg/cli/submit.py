"""`psreg submit`: commit an entry to a branch and open a pull request."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from psreg.authoring.missing_files import missing_files
from psreg.authoring.submission import (
    Submission,
    branch_of,
    entries_in,
    errors_of,
    submission_document,
    submission_lines,
    title_of,
)
from psreg.cli import submit_issue
from psreg.cli.rules import registry_rules
from psreg.core.errors import FindingsError, UnavailableError, UsageError
from psreg.core.identity import PBES, Author
from psreg.forges.pull_requests import MergeRequests, Requests
from psreg.forges.remotes import RemoteRepository, hosted, page_to_open
from psreg.forges.rest_api import ForgeError
from psreg.formats.layout import Irregular
from psreg.git.branch import Clone
from psreg.git.repository import open_repository
from psreg.registry.checkout import read_tree, required_checkout
from psreg.review.git_change import read_change
from psreg.review.review import review
from psreg.review.verdict import Review, Verdict
from psreg.system import clock
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg submit trip_packer --push"
EXTRA = "review"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="an entry (default: the one that changed)"
    )
    parser.add_argument("--push", action="store_true", help="push the branch to the remote")
    parser.add_argument(
        "--open", action="store_true", help="push it and open the pull request (needs GITHUB_TOKEN)"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="push although psreg cannot tell whether the pull request is approved",
    )
    parser.add_argument("--remote", metavar="NAME", help="the remote to push to (origin)")
    parser.add_argument("--base", metavar="REV", help="the revision to merge it into")
    parser.add_argument(
        "--author-id", type=int, metavar="N", help="numeric id of your account on the forge"
    )
    parser.add_argument(
        "--from-issue", metavar="EVENT", help="create the entry from an issue: GitHub's event file"
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Commit the entry, and print or do the next steps; exit 1 if it would be rejected."""
    root = required_checkout(".")
    if args.from_issue:
        return submit_issue.run(root, args, console)
    clone = Clone(root)
    route = _route(args, clone)
    folder = _entry(args.name, clone.touched(route.base, PBES))
    done = _committed(args, root, clone, route, folder)
    if not done.objections and (args.push or args.open):
        done = _sent(args, clone, route, done, console)
    if not done.objections and not done.opened:
        page = page_to_open(route.into, route.own, route.target, done.branch)
        done = replace(done, url=page)
    if console.machine:
        console.json(submission_document(done))
    else:
        for line in submission_lines(done, route.remote or "REMOTE", route.pull):
            console.line(line)
    return 1 if done.objections else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Route:
    """The remote to push to, and the branch and commit to merge into."""

    remote: str
    own: RemoteRepository | None
    into: RemoteRepository | None
    target: str
    base: str
    pull: str


def _route(args: Namespace, clone: Clone) -> _Route:
    remotes = clone.remotes()
    remote = args.remote or ("origin" if "origin" in remotes else next(iter(remotes), ""))
    if remote and remote not in remotes:
        raise UsageError(
            "NO_REMOTE",
            f"there is no remote `{remote}`",
            "Run `git remote -v` to list the remotes.",
        )
    upstream = "upstream" if "upstream" in remotes else remote
    tracked, target = None, ""
    for name in filter(None, (upstream, remote)):  # the fork also knows, until upstream is fetched
        if tracked := clone.remote_default(name):
            target = tracked.removeprefix(f"{name}/")
            break
    return _Route(
        remote=remote,
        own=hosted(remotes.get(remote, ""), os.environ),
        into=hosted(remotes.get(upstream, ""), os.environ),
        target=target,
        base=clone.commit_id(args.base or tracked or "HEAD"),
        pull="git pull" if upstream == remote else f"git pull {upstream} {target}".rstrip(),
    )


def _entry(name: str | None, touched: set[PurePosixPath]) -> PurePosixPath:
    """Return the folder of the entry to submit."""
    changed = entries_in(touched)
    found = [folder for folder in changed if name in (None, folder.name)]
    if len(found) == 1:
        return found[0]
    if name and not found:
        names = ", ".join(folder.name for folder in changed)
        hint = f"Changed entries: {names}." if changed else ""
        raise UsageError("NOTHING_NEW", f"`{name}` has no changes to submit", hint)
    if not found:
        hint = "Run `psreg new CLASS NAME` to start an entry."
        raise UsageError("NOTHING_NEW", "no entry has changes to submit", hint)
    names = ", ".join(map(str, found))
    raise UsageError("SEVERAL", f"several entries have changes: {names}", "Name one of them.")


def _committed(
    args: Namespace, root: Path, clone: Clone, route: _Route, folder: PurePosixPath
) -> Submission:
    """Commit the entry to its branch, unless the review would reject it."""
    tree = read_tree(root)
    odd = tree.irregular()
    links = [p for p in odd if folder in p.parents and odd[p] is not Irregular.EXECUTABLE]
    if links:
        raise FindingsError(
            "NOT_A_FILE", f"`{links[0]}` is not a regular file", f"Run `psreg check {folder}`."
        )
    files = {path: tree[path] for path in tree if folder in path.parents}
    touched = clone.touched(route.base, str(folder))
    branch = branch_of(folder.name)
    before = clone.tip(branch)
    again = before is not None and not clone.merged(before, route.base, str(folder))
    parent = before if before and again else route.base
    title = title_of(folder.name, touched)
    commit = clone.commit(parent, folder, files, f"{title}\n")
    author = Author(forge="github", id=args.author_id) if args.author_id else None
    found = _reviewed(root, route.base, commit, author)
    done = Submission(name=folder.name, title=title, files=tuple(sorted(files)), review=found)
    if found.verdict is Verdict.REJECT:
        return replace(done, objections=errors_of(found))
    if commit != before:
        clone.set_branch(branch, commit, before)
    return replace(
        done,
        branch=branch,
        commit=commit,
        restarted=before is not None and not again,
        merged=before if before and not again else "",
        blocks_pull=bool(clone.untracked(str(folder))),
    )


def _reviewed(root: Path, base: str, head: str, author: Author | None) -> Review:
    with open_repository(root) as repository:
        changes = read_change(repository, base, head, author, clock.now().date())
        return review(
            changes.change,
            registry_rules(),
            base=changes.base,
            head=changes.head,
            missing_files=missing_files,
        )


def _sent(
    args: Namespace, clone: Clone, route: _Route, done: Submission, console: Console
) -> Submission:
    """Push the branch, and open the pull request if requested."""
    if not route.remote:
        raise UsageError(
            "NO_REMOTE", "this clone has no remote", "Run `git remote add origin URL`."
        )
    options: list[str] = []
    gitlab = route.into is not None and route.into.forge == "gitlab"
    if args.open and gitlab:
        options = ["merge_request.create", f"merge_request.title={done.title}"]
        options += [f"merge_request.target={route.target}"] * bool(route.target)
    requests = _requests(route) if args.open and not gitlab else None
    if clone.remote_tip(route.remote, done.branch) not in (None, done.commit):
        _keep_approval(route, done.branch, console, force=args.force)
    lease = _lease(clone, route.remote, done) if done.restarted else None
    said = clone.push(route.remote, done.commit, done.branch, options, lease)
    for line in said.splitlines():
        console.note(line)
    done = replace(done, pushed=True)
    if route.into and options:
        page = f"https://{route.into.host}/{route.into.path}/-/merge_requests"
        return replace(done, opened=True, url=page)
    if requests is None:
        return done
    owner = route.own.owner if route.own else requests.owner
    url = requests.open_pull_request(owner, done.branch, done.title, _description(done))
    return replace(done, opened=True, url=url)


def _keep_approval(route: _Route, branch: str, console: Console, *, force: bool) -> None:
    """Return if the pull request of `branch` is not approved.

    Raises:
        FindingsError: `APPROVED`.
        UnavailableError: `APPROVAL_UNKNOWN`: psreg cannot tell, and `force` is not set.
    """
    page, unknown = _approved_page(route, branch)
    if unknown and not force:
        raise UnavailableError(
            "APPROVAL_UNKNOWN",
            f"cannot tell whether the pull request of `{branch}` is approved: {unknown}",
            "Look at its page; if nobody has approved it, run the command again with --force.",
        )
    if unknown:
        console.note(f"psreg: pushing without knowing whether it is approved: {unknown}")
    if page:
        raise FindingsError(
            "APPROVED",
            f"the pull request {page} is approved, and this would change what was approved",
            "Ask the reviewer to withdraw the approval, or wait until it is merged.",
        )


def _approved_page(route: _Route, branch: str) -> tuple[str, str]:
    """Return the page of the approved pull request of a branch, and why that is unknown.

    Both are "" if there is none; nobody approves anything in a folder.
    """
    try:
        if route.into and route.own and route.into.forge == "gitlab":
            requests = MergeRequests(route.into, os.environ)
            return requests.approved(route.own.path, branch), ""
        if environ := _github(route):
            github = Requests(environ)
            owner = route.own.owner if route.own else github.owner
            return github.approved(owner, branch), ""
    except ForgeError as error:
        return "", error.message
    where = route.into or route.own
    return "", f"{where.host} is neither GitHub nor GitLab" if where else ""


def _lease(clone: Clone, remote: str, done: Submission) -> str:
    """Return the commit that the push may replace: the merged one that this clone knows, or none.

    A person who pushed more to the branch may have had it approved; nothing of that is overwritten.
    """
    tip = clone.remote_tip(remote, done.branch)
    if tip in (None, done.merged):
        return tip or ""
    raise FindingsError(
        "BRANCH_MOVED",
        f"the branch `{done.branch}` of {remote} has commits that this clone did not submit",
        "Close or merge its pull request, delete the branch there, and submit again.",
    )


def _requests(route: _Route) -> Requests:
    """Return the forge on which to open the pull request, before anything is pushed."""
    environ = _github(route)
    if not environ:
        raise UsageError(
            "NO_FORGE", "the remote is not on GitHub or GitLab", "Run without `--open`."
        )
    requests = Requests(environ)
    requests.require_token()
    return requests


def _github(route: _Route) -> dict[str, str]:
    """Return the variables of GitHub for the repository to merge into; {} if it is not there."""
    environ = dict(os.environ)
    if route.into and route.into.forge == "github":
        environ.setdefault("GITHUB_REPOSITORY", route.into.path)
        if route.into.host != "github.com":
            environ.setdefault("GITHUB_API_URL", f"https://{route.into.host}/api/v3")
    return environ if "GITHUB_REPOSITORY" in environ else {}


def _description(done: Submission) -> str:
    files = "\n".join(f"- `{path}`" for path in done.files)
    return f"Submitted with `psreg submit`.\n\n{files}\n"
