"""The rules about who asks for a change, judged by the owners in the base: never by a Git author.

An owner is an account of a forge, named by its number. Nobody in `owners` means that the keepers
of the registry look after the name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.identity import Author
from psreg.core.rule import rule
from psreg.formats.entry import EntryFile
from psreg.review.change import ChangeSet, TouchedEntry


def is_owner(author: Author, file: EntryFile) -> bool:
    """Tell whether `author` is one of the owners."""
    return (author.forge, author.id) in file.accounts


def _called(owner: Mapping[str, Any]) -> str:
    login = owner.get("login")
    number = f"{owner.get('forge')}:{owner.get('id')}"
    return f"{login} ({number})" if isinstance(login, str) and login else number


def _known(change: ChangeSet) -> Iterator[tuple[TouchedEntry, EntryFile]]:
    """Yield the touched entries that the base has, with entry.toml as it was."""
    for entry in change.entries:
        if entry.base is not None:
            yield entry, entry.base.file


@rule("CHG017", spec="registry/CHANGES", severity=WARNING)
def author_unknown(change: ChangeSet) -> Iterator[Finding]:
    """Nobody can tell who asks for the change.

    ## Why
    A release goes through by itself if an owner of the name asks for it. Who asks is known from
    the forge, by the number of the account. The author of a commit proves nothing: everybody can
    write any name and address there. Without that number a person has to decide, and likewise
    where one account opened the pull request and another one pushed to it.

    ## Fix
    Let the review run where the forge says who asks: in the pipeline of the pull request. Where
    you know it for certain, say it:

    ```sh
    psreg review --author-id 583231
    ```
    """
    if change.author is None and change.files:
        at = change.entries[0].path if change.entries else change.files[0].path
        yield Finding(
            message="nobody can tell who asks for this change",
            path=str(at),
            hint="Name the account by its number: --author-id N",
        )


@rule("CHG018", spec="registry/CHANGES", severity=WARNING)
def author_is_no_owner(change: ChangeSet) -> Iterator[Finding]:
    """Somebody changes an entry who is none of its owners.

    ## Why
    Help from others is welcome, and many a good correction comes from a stranger. But people
    installed the entry because they trust its owners, so one of them, or the keepers of the
    registry, says yes before it is published.

    ## Fix
    Ask an owner to approve the pull request. Whoever looks after the entry regularly can become
    an owner: an owner adds the account to entry.toml.

    ```toml
    owners = [
      {forge = "github", id = 583231, login = "octocat"},
      {forge = "github", id = 9919, login = "another"},
    ]
    ```
    """
    for entry, file in _known(change):
        if change.author and file.owners and not is_owner(change.author, file):
            account = f"{change.author.forge}:{change.author.id}"
            owners = ", ".join(map(_called, file.owners))
            yield Finding(
                message=f"{account} is no owner of `{entry.name}`",
                at="/owners",
                path=str(entry.path),
                hint=f"Ask one of them to approve: {owners}",
            )


@rule("CHG019", spec="registry/CHANGES", severity=INFO)
def kept_by_the_keepers(change: ChangeSet) -> Iterator[Finding]:
    """The entry belongs to nobody in particular: the keepers of the registry decide.

    ## Why
    With `owners = []` there is no account whose word would be enough. The keepers look after
    the entry, and one of them reads the change before it is published.

    ## Fix
    Nothing needs to be mended. Whoever wants to look after the entry can ask the keepers to
    become its owner:

    ```toml
    owners = [{forge = "github", id = 583231, login = "octocat"}]
    ```
    """
    for entry, file in _known(change):
        if not file.owners:
            yield Finding(
                message=f"the keepers of the registry look after `{entry.name}`",
                at="/owners",
                path=str(entry.path),
            )


@rule("CHG020", spec="registry/CHANGES", severity=WARNING)
def owners_changed(change: ChangeSet) -> Iterator[Finding]:
    """The owners of an entry, their names or keys, or how many must sign are changed.

    ## Why
    An owner can release what everybody gets who follows the entry. Handing that over is the most
    far-reaching change there is, and the first one that a thief of an account would make. What an
    owner is called is what people go by, and everybody can write any name. So a person confirms
    it, even where an owner asks for it; only one's own name, as the forge has it, needs nobody.

    ## Fix
    Nothing needs to be mended if the change is meant; a word in the pull request from the new
    owner helps. Otherwise put the lines back:

    ```toml
    owners = [{forge = "github", id = 583231, login = "octocat"}]
    threshold = 1
    ```
    """
    yield from (finding for stranger, finding in _handed_over(change) if not stranger)


@rule("CHG021", spec="registry/CHANGES", severity=ERROR)
def owners_changed_by_a_stranger(change: ChangeSet) -> Iterator[Finding]:
    """Somebody who is no owner changes who the owners are.

    ## Why
    If a stranger could write himself into entry.toml, names would belong to whoever asked last.
    Only an owner can pass a name on or take somebody in. Who the owners are is read from the
    main branch, not from the change that is being judged.

    ## Fix
    Put `owners` and `threshold` back as they were, and ask an owner to make the change. If no
    owner can be reached any more, open a name dispute: the keepers of the registry decide.

    ```sh
    git checkout origin/main -- pbes/prompt/email_reply/entry.toml
    ```
    """
    yield from (finding for stranger, finding in _handed_over(change) if stranger)


def _handed_over(change: ChangeSet) -> Iterator[tuple[bool, Finding]]:
    """Yield each change of ownership, and whether somebody asks for it who is known to be none."""
    for entry, before in _known(change):
        if entry.head is None or not (before.tree.parsed and entry.head.file.tree.parsed):
            continue  # what is broken or gone is said by others
        stranger = bool(change.author and before.owners and not is_owner(change.author, before))
        for pointer, message in _differences(before, entry.head.file, change.author):
            hint = "Only an owner can ask for this; put it back." if stranger else ""
            yield stranger, Finding(message=message, at=pointer, path=str(entry.path), hint=hint)


def _differences(
    before: EntryFile, after: EntryFile, author: Author | None
) -> Iterator[tuple[str, str]]:
    old, new = before.accounts, after.accounts
    for account, owner in new.items():
        if account not in old:
            yield "/owners", f"{_called(owner)} becomes an owner"
        elif owner.get("keys") != old[account].get("keys"):
            yield "/owners", f"the keys of {_called(owner)} change"
        elif (called := old[account].get("login")) != owner.get("login") and (
            not author or (author.forge, author.id, author.login) != (*account, owner.get("login"))
        ):
            # NOTE: what an account is called the forge says of the one who asks, and of no other.
            yield "/owners", f"{called} is to be called {owner.get('login')}"
    for account in old.keys() - new.keys():
        yield "/owners", f"{_called(old[account])} is no owner any more"
    if before.threshold != after.threshold:
        yield "/threshold", f"{after.threshold} instead of {before.threshold} owners must sign"


@rule("CHG022", spec="registry/CHANGES", severity=WARNING)
def author_not_among_the_owners(change: ChangeSet) -> Iterator[Finding]:
    """A new entry names owners, and whoever asks for it is none of them.

    ## Why
    An owner is asked about every later release. An entry that names somebody who knows nothing
    of it speaks in their name, and the one who wrote it cannot correct it. Mostly the number is
    mistyped: it is that of the account, not of the repository.

    ## Fix
    Name your own account. Your number on GitHub is in `https://api.github.com/users/LOGIN`; on
    GitLab it is on your profile. To leave the entry to the keepers of the registry, write
    `owners = []`.

    ```toml
    owners = [{forge = "github", id = 583231, login = "octocat"}]
    ```
    """
    for entry in change.entries:
        if entry.is_new and entry.head and change.author and entry.head.file.owners:
            author = change.author
            if not is_owner(author, entry.head.file):
                yield Finding(
                    message=f"{author.forge}:{author.id} asks for `{entry.name}` "
                    "and is none of its owners",
                    at="/owners",
                    path=str(entry.path),
                    hint="Name your own account, or write `owners = []`.",
                )
