"""`psreg submit`: put an entry on a branch, judge it as the review will, ask for a merge."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from psreg.authoring.missing_files import missing_files
from psreg.authoring.submission import Submission, branch_of, entries_in, errors_of, title_of
from psreg.authoring.submission_report import submission_document, submission_lines
from psreg.cli import submit_issue
from psreg.cli.rules import registry_rules
from psreg.core.errors import FindingsError, UsageError
from psreg.core.identity import PBES, Author
from psreg.forges.pull_requests import Requests
from psreg.forges.remotes import Place, hosted, page_to_open
from psreg.formats.tree import Irregular
from psreg.git.branch import Clone
from psreg.git.repository import open_repository
from psreg.registry.checkout import find_checkout, read_tree
from psreg.review.git_change import read_change
from psreg.review.review import review
from psreg.review.verdict import Verdict
from psreg.system.console import Console, add_output_options

EXAMPLE = "psreg submit trip_packer --push"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="an entry (the one that changed)")
    parser.add_argument("--push", action="store_true", help="send the branch to the remote")
    parser.add_argument(
        "--open", action="store_true", help="send it and open the pull request (GITHUB_TOKEN)"
    )
    parser.add_argument("--remote", metavar="NAME", help="where to send it (origin)")
    parser.add_argument("--base", metavar="REV", help="what it is to be merged into")
    parser.add_argument("--author-id", type=int, metavar="N", help="your account's number")
    parser.add_argument(
        "--from-issue", metavar="EVENT", help="make the entry of a form: GitHub's event file"
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Commit the entry, and say or do what is left; exit 1 if it would be rejected."""
    root = find_checkout(Path.cwd())
    if root is None:
        raise UsageError("NO_CHECKOUT", "no folder at or above this one holds pbes/")
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
    """From where to where: the remote to send to, the branch and commit to be merged into."""

    remote: str
    own: Place | None
    into: Place | None
    target: str
    base: str
    pull: str


def _route(args: Namespace, clone: Clone) -> _Route:
    remotes = clone.remotes()
    remote = args.remote or ("origin" if "origin" in remotes else next(iter(remotes), ""))
    if remote and remote not in remotes:
        raise UsageError("NO_REMOTE", f"there is no remote {remote} here", "git remote -v")
    upstream = "upstream" if "upstream" in remotes else remote
    tracked, target = None, ""
    for name in filter(None, (upstream, remote)):  # the fork tells, too, until upstream is fetched
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
        hint = f"these have: {', '.join(folder.name for folder in changed)}" if changed else ""
        raise UsageError("NOTHING_NEW", f"nothing of {name} differs from what is merged", hint)
    if not found:
        raise UsageError("NOTHING_NEW", "no entry differs", "psreg new CLASS NAME begins one")
    names = ", ".join(map(str, found))
    raise UsageError("SEVERAL", f"several entries differ: {names}", "name one of them")


def _committed(
    args: Namespace, root: Path, clone: Clone, route: _Route, folder: PurePosixPath
) -> Submission:
    """Return the entry on its branch, unless the review would reject it."""
    tree = read_tree(root)
    odd = tree.irregular()
    links = [p for p in odd if folder in p.parents and odd[p] is not Irregular.EXECUTABLE]
    if links:
        raise FindingsError("NOT_A_FILE", f"{links[0]} is no plain file", f"psreg check {folder}")
    files = {path: tree[path] for path in tree if folder in path.parents}
    touched = clone.touched(route.base, str(folder))
    branch = branch_of(folder.name)
    before = clone.tip(branch)
    again = before is not None and not clone.merged(before, route.base, str(folder))
    parent = before if before and again else route.base
    title = title_of(folder.name, touched)
    commit = clone.commit(parent, folder, files, f"{title}\n")
    author = Author(forge="github", id=args.author_id) if args.author_id else None
    with open_repository(root) as repository:
        changes = read_change(repository, route.base, commit, author)
        found = review(
            changes.change,
            registry_rules(),
            base=changes.base,
            head=changes.head,
            missing_files=missing_files,
        )
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
        in_the_way=bool(clone.untracked(str(folder))),
    )


def _sent(
    args: Namespace, clone: Clone, route: _Route, done: Submission, console: Console
) -> Submission:
    """Send the branch, and open the pull request if that is wanted."""
    if not route.remote:
        raise UsageError("NO_REMOTE", "this clone has no remote", "git remote add origin URL")
    options: list[str] = []
    forge = route.into.forge if route.into else ""
    if args.open and forge == "gitlab":
        options = ["merge_request.create", f"merge_request.title={done.title}"]
        options += [f"merge_request.target={route.target}"] * bool(route.target)
    requests = _requests(route) if args.open and forge != "gitlab" else None
    tip = clone.remote_tip(route.remote, done.branch) if done.restarted else None
    lease = (tip or "") if done.restarted else None
    console.note(clone.push(route.remote, done.commit, done.branch, options, lease).rstrip())
    done = replace(done, pushed=True)
    if route.into and options:
        page = f"https://{route.into.host}/{route.into.path}/-/merge_requests"
        return replace(done, opened=True, url=page)
    if requests is None:
        return done
    owner = route.own.owner if route.own else requests.owner
    url = requests.open_pull_request(owner, done.branch, done.title, _description(done))
    return replace(done, opened=True, url=url)


def _requests(route: _Route) -> Requests:
    """Return the forge on which the pull request is opened, before anything is sent."""
    environ = dict(os.environ)
    if route.into and route.into.forge == "github":
        environ.setdefault("GITHUB_REPOSITORY", route.into.path)
        if route.into.host != "github.com":
            environ.setdefault("GITHUB_API_URL", f"https://{route.into.host}/api/v3")
    if "GITHUB_REPOSITORY" not in environ:
        raise UsageError(
            "NO_FORGE", "the remote is on no forge that psreg knows", "leave out --open"
        )
    requests = Requests(environ)
    requests.require_token()
    return requests


def _description(done: Submission) -> str:
    files = "\n".join(f"- `{path}`" for path in done.files)
    return f"Submitted with `psreg submit`.\n\n{files}\n"
