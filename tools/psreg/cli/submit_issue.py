"""`psreg submit --from-issue`: the bot behind the form "Submit a prompt".

It runs only code of the default branch. The text of the issue becomes the content of files; names
of folders, branches and titles come from values that follow their grammar, and the owner from the
account id in the event.
"""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import dataclass, replace
from pathlib import Path

from psreg.authoring.form_entry import Draft, Owner, draft
from psreg.authoring.issue_form import Objection, read_issue
from psreg.authoring.missing_files import missing_files
from psreg.authoring.submission import (
    MARKER,
    Submission,
    answer_markdown,
    branch_of_issue,
    errors_of,
    request_markdown,
    submission_document,
    submission_lines,
    title_of,
)
from psreg.cli.rules import registry_rules
from psreg.core.errors import UsageError
from psreg.core.identity import Author
from psreg.forges.forge import at, text
from psreg.forges.pull_requests import Requests, git_secret, issue_of
from psreg.git.branch import Clone, Person
from psreg.git.repository import open_repository
from psreg.registry.checkout import read_tree
from psreg.review.git_change import read_change
from psreg.review.posting import post_verdict
from psreg.review.review import review
from psreg.review.verdict import Verdict
from psreg.system import clock
from psreg.system.console import Console

BOT = Person(
    name="github-actions[bot]", email="41898282+github-actions[bot]@users.noreply.github.com"
)

_REMOTE = "origin"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Issue:
    """The relevant part of the event: the issue's number, author and text."""

    number: int
    author: Owner
    body: str


def run(root: Path, args: Namespace, console: Console) -> int:
    """Create the entry; `--open` pushes it and comments on the issue. Exit 1 with objections."""
    issue = _issue(args.from_issue)
    requests = Requests(os.environ) if args.open or args.push else None
    if requests:
        requests.require_token()
    clone = Clone(root, git_secret(os.environ, requests.token) if requests else {})
    made = draft(read_issue(issue.body), read_tree(root), issue.author, registry_rules())
    done = _committed(root, clone, made, issue, clone.commit_id(args.base or "HEAD"))
    if requests:
        done = _asked(clone, requests, done, issue, console)
    if console.machine:
        console.json(submission_document(done))
    else:
        for line in submission_lines(done, _REMOTE):
            console.line(line)
    return 1 if done.objections else 0


def _issue(event: str) -> _Issue:
    found = issue_of(event)
    if at(found, "state") == "closed":
        raise UsageError("ISSUE_CLOSED", "the issue is closed", "Reopen it to submit it.")
    user = found["user"]
    login = text(at(user, "login")) or "ghost"
    author = Owner(forge="github", id=user["id"], login=login)
    return _Issue(number=found["number"], author=author, body=text(at(found, "body")))


def _committed(root: Path, clone: Clone, made: Draft, issue: _Issue, base: str) -> Submission:
    """Commit the entry, unless it has to be fixed first."""
    if made.objections or made.release is None:
        name = made.release.name if made.release else f"issue {issue.number}"
        return Submission(name=name, title="", objections=made.objections)
    folder, title = made.release.entry_folder, title_of(made.release.name, made.files)
    by = f"Submitted in #{issue.number} by the {issue.author.forge} account {issue.author.id}."
    commit = clone.commit(base, folder, made.files, f"{title}\n\n{by}\n", BOT)
    author = Author(forge=issue.author.forge, id=issue.author.id)
    with open_repository(root) as repository:
        changes = read_change(repository, base, commit, author, clock.now().date())
        found = review(
            changes.change,
            registry_rules(),
            base=changes.base,
            head=changes.head,
            missing_files=missing_files,
        )
    files = tuple(sorted(made.files))
    done = Submission(name=made.release.name, title=title, files=files, review=found)
    if found.verdict is Verdict.REJECT:
        return replace(done, objections=errors_of(found))
    branch = branch_of_issue(issue.number)
    clone.set_branch(branch, commit, clone.tip(branch))
    return replace(done, branch=branch, commit=commit)


def _asked(
    clone: Clone, requests: Requests, done: Submission, issue: _Issue, console: Console
) -> Submission:
    """Push, open the pull request, comment on the issue, post the review."""
    if not done.objections:
        done = _pushed(clone, requests, done)
    if not done.objections:
        body = request_markdown(done, issue.number, issue.author)
        url = requests.open_pull_request(requests.owner, done.branch, done.title, body)
        done = replace(done, opened=True, url=url)
    requests.answer_issue(issue.number, MARKER, answer_markdown(done))
    if done.review and done.opened:
        requests.head = done.commit
        post_verdict(
            done.review, requests, console.note
        )  # if outdated, the schedule reviews it again
    return done


def _pushed(clone: Clone, requests: Requests, done: Submission) -> Submission:
    """Push the commit to the remote's branch, unless a person changed or approved the branch."""
    before = clone.remote_tip(_REMOTE, done.branch)
    if before:
        clone.fetched(_REMOTE, done.branch)
        if clone.committer(before) != BOT.email:
            return _refused(
                done,
                f"the branch `{done.branch}` was changed by hand",
                "Continue in its pull request; edits of the issue have no effect any more.",
            )
        if clone.same(before, done.commit):
            return replace(done, commit=before, pushed=True)
        if page := requests.approved(requests.owner, done.branch):
            return _refused(
                done,
                f"the pull request {page} is approved, and this would change what was approved",
                "Ask the reviewer to withdraw the approval, or wait until it is merged.",
            )
    clone.push(_REMOTE, done.commit, done.branch, lease=before or "")
    return replace(done, pushed=True)


def _refused(done: Submission, message: str, hint: str) -> Submission:
    objection = Objection(field="", message=message, hint=hint)
    return replace(done, objections=(objection,), branch="", commit="")
