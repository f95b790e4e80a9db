"""`psreg submit`: commit entries to branches and open pull requests."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from psreg.authoring.issue_form import Objection
from psreg.authoring.missing_files import missing_files
from psreg.authoring.submission import (
    Submission,
    branch_of,
    entries_in,
    errors_of,
    groups,
    submission_document,
    submission_lines,
    title_of,
    wrong_ones,
)
from psreg.cli import submit_issue
from psreg.cli.rules import registry_rules
from psreg.core.errors import FindingsError, UnavailableError, UsageError
from psreg.core.identity import PBES, Author
from psreg.forges.pull_requests import MergeRequests, Requests
from psreg.forges.remotes import RemoteRepository, hosted, page_to_open
from psreg.forges.rest_api import ForgeError
from psreg.formats.layout import Irregular
from psreg.formats.toml_document import MOST
from psreg.formats.tree import Tree
from psreg.git.branch import Clone
from psreg.git.repository import open_repository
from psreg.registry.checkout import FileTree, read_tree, required_checkout
from psreg.review.git_change import read_change
from psreg.review.review import review
from psreg.review.verdict import Review, Verdict
from psreg.system import clock
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg submit trip_packer --push"
EXTRA = "review"
SCHEMA_OF_BATCH = "psreg.submit-batch/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="an entry (default: the one that changed)"
    )
    parser.add_argument(
        "--batch",
        action="store_true",
        help="every entry that changed, in pull requests of as many as the registry allows",
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
    changed = _by_entry(clone.touched(route.base, PBES))
    submitter = _Submitter(args, root, clone, route, console, changed)
    if args.batch:
        return _batch(submitter)
    done = submitter.submit([_entry(args.name, [*changed])])
    if console.machine:
        console.json(submission_document(done))
    else:
        submitter.print(done)
    return 1 if done.objections else 0


def _by_entry(paths: Iterable[PurePosixPath]) -> dict[PurePosixPath, list[PurePosixPath]]:
    """Return paths by the folders of the entries that contain them, in order."""
    found: dict[PurePosixPath, list[PurePosixPath]] = {}
    for path in sorted(paths):
        for folder in entries_in([path]):
            found.setdefault(folder, []).append(path)
    return found


def _batch(submitter: _Submitter) -> int:
    """Submit every entry that changed, in groups; exit 1 if one would be rejected."""
    args, console = submitter.args, submitter.console
    if args.name:
        raise UsageError("USAGE", "`--batch` submits every entry that changed", "Leave out NAME.")
    if not submitter.changed:
        raise _nothing_new()
    left, done, rejected = submitter.groups(), list[Submission](), 0
    while left:
        folders = left.pop(0)
        one = submitter.submit(folders)
        if len(folders) > 1 and (wrong := wrong_ones(one, folders)):
            # NOTE: an error in one entry does not stop the others.
            right = [each for each in folders if each not in wrong]
            left[:0] = filter(None, (right, *([each] for each in wrong)))
            continue
        done.append(one)
        rejected += len(folders) if one.objections else 0
        if not console.machine:
            submitter.print(one)
            console.line("")
    if console.machine:
        submissions = [submission_document(each) for each in done]
        console.json({"schema": SCHEMA_OF_BATCH, "submissions": submissions})
    else:
        entries = len(submitter.changed)
        branches = sum(not each.objections for each in done)
        console.line(f"entries: {entries:,}, branches: {branches:,}, not committed: {rejected:,}")
    return int(rejected > 0)


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


def _nothing_new() -> UsageError:
    hint = "Run `psreg new CLASS NAME` to start an entry."
    return UsageError("NOTHING_NEW", "no entry has changes to submit", hint)


def _entry(name: str | None, changed: Sequence[PurePosixPath]) -> PurePosixPath:
    """Return the folder of the entry to submit, of those that changed."""
    found = [folder for folder in changed if name in (None, folder.name)]
    if len(found) == 1:
        return found[0]
    if name and not found:
        names = ", ".join(folder.name for folder in changed)
        hint = f"Changed entries: {names}." if changed else ""
        raise UsageError("NOTHING_NEW", f"`{name}` has no changes to submit", hint)
    if not found:
        raise _nothing_new()
    names = ", ".join(map(str, found))
    hint = "Name one of them, or submit all with `--batch`."
    raise UsageError("SEVERAL", f"several entries have changes: {names}", hint)


@dataclass(frozen=True, slots=True)
class _Submitter:
    """Submits entries of a clone along a route; `changed` are their files that did, by folder."""

    args: Namespace
    root: Path
    clone: Clone
    route: _Route
    console: Console
    changed: Mapping[PurePosixPath, Sequence[PurePosixPath]]

    def groups(self) -> list[list[PurePosixPath]]:
        """Return the entries that changed, as many together as a pull request may have."""
        with open_repository(self.root) as repository:
            allowed = Tree(repository.tree(self.route.base)).policy.entries_per_change
        tree = Tree(read_tree(self.root))
        return groups(tree, self.changed, max(1, min(allowed, MOST)))

    def submit(self, folders: list[PurePosixPath]) -> Submission:
        """Commit the entries, and push them and open the pull request if requested."""
        args, route = self.args, self.route
        done = self._committed(folders)
        if not done.objections and (args.push or args.open):
            done = _sent(args, self.clone, route, done, self.console)
        if not done.objections and not done.opened:
            page = page_to_open(route.into, route.own, route.target, done.branch)
            done = replace(done, url=page)
        return done

    def print(self, done: Submission) -> None:
        """Tell a person what was done, and what is next."""
        for line in submission_lines(done, self.route.remote or "REMOTE", self.route.pull):
            self.console.line(line)

    def _committed(self, folders: list[PurePosixPath]) -> Submission:
        """Commit each entry to the branch of all, unless the review would reject them."""
        clone, base, args = self.clone, self.route.base, self.args
        tree = read_tree(self.root, parts=folders)
        name, others = folders[0].name, len(folders) - 1
        if links := tuple(_links(tree, folders)):
            return Submission(name=name, title=f"Submit {name}", objections=links)
        files = {
            folder: {path: tree[path] for path in tree if folder in path.parents}
            for folder in folders
        }
        branch = branch_of(name, others)
        before = clone.tip(branch)
        again = before and not all(clone.merged(before, base, str(each)) for each in folders)
        commit, title = before if before and again else base, ""
        for folder in folders:
            title = title_of(folder.name, self.changed[folder])
            commit = clone.commit(commit, folder, files[folder], f"{title}\n")
        author = Author(forge="github", id=args.author_id) if args.author_id else None
        found = _reviewed(self.root, base, commit, author)
        done = Submission(
            name=name,
            title=f"Submit {name} and {others} more" if others else title,
            files=tuple(sorted(path for each in files.values() for path in each)),
            review=found,
        )
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
            blocks_pull=any(clone.untracked(str(folder)) for folder in folders),
        )


def _links(tree: FileTree, folders: Iterable[PurePosixPath]) -> Iterator[Objection]:
    """Yield an objection to each path of entries that is not a regular file."""
    odd = tree.irregular()
    for folder in folders:
        for path in sorted(path for path in odd if folder in path.parents):
            if odd[path] is not Irregular.EXECUTABLE:
                message, hint = "this is not a regular file", f"Run `psreg check {folder}`."
                yield Objection(field=str(path), message=message, hint=hint, code="NOT_A_FILE")


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
