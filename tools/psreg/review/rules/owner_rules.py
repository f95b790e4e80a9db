"""The rules about who makes a change. They compare the forge account with the owners in the base.

An owner is an account on a forge, identified by its numeric id; Git authors are never used. If
`owners` is empty, the registry's maintainers are responsible for the name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.identity import Author
from psreg.core.rule import rule
from psreg.formats.entry import EntryFile
from psreg.formats.layout import review_file
from psreg.review.change import ChangeSet, Touch, TouchedEntry


def _is_owner(author: Author, file: EntryFile) -> bool:
    """Tell whether `author` is one of the owners."""
    return (author.forge, author.id) in file.accounts


def _only_reviewed(entry: TouchedEntry) -> bool:
    """Tell whether an entry gains reviews and nothing else, which anyone may add."""
    return all(f.touch is Touch.ADDED and review_file(f.path) for f in entry.files)


def _account_name(owner: Mapping[str, Any]) -> str:
    login = owner.get("login")
    number = f"{owner.get('forge')}:{owner.get('id')}"
    return f"{login} ({number})" if isinstance(login, str) and login else number


def _existing(change: ChangeSet) -> Iterator[tuple[TouchedEntry, EntryFile]]:
    """Yield the touched entries that exist in the base, with their entry.toml in the base."""
    for entry in change.entries:
        if entry.base is not None:
            yield entry, entry.base.file


@rule("CHG017", spec="registry/CHANGES", severity=WARNING)
def author_unknown(change: ChangeSet) -> Iterator[Finding]:
    """The account that asks for the change is unknown.

    ## Why
    A release can be accepted automatically if an owner of the name asks for it. The forge knows
    who asks, by the account's numeric id. The author of a commit proves nothing: anyone can write
    any name and address there. Without that id a person has to decide. The same applies if one
    account opened the pull request and another one pushed to it.

    ## Fix
    Run the review where the forge provides the account: in the pipeline of the pull request. If
    you know the account for certain, pass its id:

    ```sh
    psreg review --author-id 583231
    ```
    """
    if change.author is None and change.files:
        at = change.entries[0].path if change.entries else change.files[0].path
        yield Finding(
            message="the author's account is unknown",
            path=str(at),
            hint="Pass the account's numeric id: `--author-id N`.",
        )


@rule("CHG018", spec="registry/CHANGES", severity=WARNING)
def author_not_an_owner(change: ChangeSet) -> Iterator[Finding]:
    """The author of the change does not own the entry.

    ## Why
    Contributions from others are welcome, and many good corrections come from them. But people
    installed the entry because they trust its owners, so an owner or a maintainer of the registry
    must approve the change before it is published.

    ## Fix
    Ask an owner to approve the pull request. A regular contributor can become an owner: an owner
    adds the account to entry.toml.

    ```toml
    owners = [
      {forge = "github", id = 583231, login = "octocat"},
      {forge = "github", id = 9919, login = "another"},
    ]
    ```
    """
    for entry, file in _existing(change):
        if _only_reviewed(entry):
            continue  # CHG036 says whose reviews count
        if change.author and file.owners and not _is_owner(change.author, file):
            account = f"{change.author.forge}:{change.author.id}"
            owners = ", ".join(map(_account_name, file.owners))
            yield Finding(
                message=f"{account} does not own `{entry.name}`",
                at="/owners",
                path=str(entry.path),
                hint=f"Ask an owner to approve: {owners}.",
            )


@rule("CHG019", spec="registry/CHANGES", severity=INFO)
def entry_without_owner(change: ChangeSet) -> Iterator[Finding]:
    """The entry has no owner, so a maintainer of the registry must approve the change.

    ## Why
    With `owners = []` there is no account that could approve a change to the entry. The
    registry's maintainers are responsible for it, and one of them reads the change before it is
    published.

    ## Fix
    You do not need to fix anything. If you want to own the entry, ask the maintainers to add your
    account:

    ```toml
    owners = [{forge = "github", id = 583231, login = "octocat"}]
    ```
    """
    for entry, file in _existing(change):
        if not file.owners and not _only_reviewed(entry):
            yield Finding(
                message=f"`{entry.name}` has no owner; a maintainer of the registry must approve",
                at="/owners",
                path=str(entry.path),
            )


@rule("CHG020", spec="registry/CHANGES", severity=WARNING)
def owners_changed(change: ChangeSet) -> Iterator[Finding]:
    """The owners of an entry, their logins or keys, or the signature threshold change.

    ## Why
    An owner decides what everyone who follows the entry receives. Transferring that is the most
    far-reaching change of all, and the first one that someone with a stolen account would make.
    People recognize an owner by the login, and anyone can write any login. So a person confirms
    the change, even if an owner asks for it. The only exception is an author who updates their own
    login to the one that the forge reports.

    ## Fix
    You do not need to fix anything if the change is intended; a comment from the new owner in the
    pull request helps. Otherwise restore the lines:

    ```toml
    owners = [{forge = "github", id = 583231, login = "octocat"}]
    threshold = 1
    ```
    """
    yield from (finding for by_owner, finding in _ownership_changes(change) if by_owner)


@rule("CHG021", spec="registry/CHANGES", severity=ERROR)
def owners_changed_by_non_owner(change: ChangeSet) -> Iterator[Finding]:
    """An account that does not own the entry changes its owners.

    ## Why
    If anyone could add themselves to entry.toml, a name would belong to the last person who asked
    for it. Only an owner can transfer a name or add another owner. psreg reads the owners from
    the main branch, not from the change that it reviews.

    ## Fix
    Restore `owners` and `threshold`, and ask an owner to make the change. If no owner can be
    reached, open a name dispute: the registry's maintainers decide.

    ```sh
    git checkout origin/main -- pbes/prompt/email_reply/entry.toml
    ```
    """
    yield from (finding for by_owner, finding in _ownership_changes(change) if not by_owner)


def _ownership_changes(change: ChangeSet) -> Iterator[tuple[bool, Finding]]:
    """Yield each change of ownership; first False if its author is known not to be an owner."""
    for entry, before in _existing(change):
        if entry.head is None or not (before.tree.parsed and entry.head.file.tree.parsed):
            continue  # other rules report broken and deleted files
        author = change.author
        by_owner = not (author and before.owners) or _is_owner(author, before)
        for pointer, message in _differences(before, entry.head.file, author):
            hint = "" if by_owner else "Undo this change; only an owner can make it."
            yield by_owner, Finding(message=message, at=pointer, path=str(entry.path), hint=hint)


def _differences(
    before: EntryFile, after: EntryFile, author: Author | None
) -> Iterator[tuple[str, str]]:
    old, new = before.accounts, after.accounts
    for account, owner in new.items():
        if account not in old:
            yield "/owners", f"{_account_name(owner)} becomes an owner"
        elif owner.get("keys") != old[account].get("keys"):
            yield "/owners", f"the keys of {_account_name(owner)} change"
        elif (login := old[account].get("login")) != owner.get("login") and (
            not author or (author.forge, author.id, author.login) != (*account, owner.get("login"))
        ):
            # NOTE: the forge reports only the login of the author.
            yield "/owners", f"the login {login} changes to {owner.get('login')}"
    for account in old.keys() - new.keys():
        yield "/owners", f"{_account_name(old[account])} is removed from the owners"
    if before.threshold != after.threshold:
        yield "/threshold", f"{after.threshold} instead of {before.threshold} owners must sign"


@rule("CHG022", spec="registry/CHANGES", severity=WARNING)
def author_not_among_owners(change: ChangeSet) -> Iterator[Finding]:
    """The author of a new entry is not one of its owners.

    ## Why
    An owner must approve every later release. An entry that names someone who does not know about
    it speaks in their name, and its author cannot correct it. In most cases the id is mistyped: it
    is the id of the account, not of the repository.

    ## Fix
    Add your own account. Your GitHub id is in `https://api.github.com/users/LOGIN`; your GitLab id
    is on your profile. To leave the entry to the registry's maintainers, write `owners = []`.

    ```toml
    owners = [{forge = "github", id = 583231, login = "octocat"}]
    ```
    """
    for entry in change.entries:
        if entry.is_new and entry.head and change.author and entry.head.file.owners:
            author = change.author
            if not _is_owner(author, entry.head.file):
                yield Finding(
                    message=f"{author.forge}:{author.id}, the author, "
                    f"is not one of the owners of `{entry.name}`",
                    at="/owners",
                    path=str(entry.path),
                    hint="Add your own account, or write `owners = []`.",
                )


OWNER_RULES = (
    author_unknown,
    author_not_an_owner,
    entry_without_owner,
    owners_changed,
    owners_changed_by_non_owner,
    author_not_among_owners,
)
