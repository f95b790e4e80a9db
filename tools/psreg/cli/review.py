"""`psreg review`: review a pull request: accept, needs a human, or reject."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from psreg.core.errors import FindingsError, UnavailableError, UsageError
from psreg.core.identity import Author
from psreg.forges.detect import FORGES, detect
from psreg.forges.forge import Forge
from psreg.git.repository import Repository, open_repository
from psreg.lint.reports.report_formats import FORMATS
from psreg.review.entry_names import EntryNames
from psreg.system import clock
from psreg.system.console import Console, add_output_options, color_wanted

if TYPE_CHECKING:
    from psreg.review.change import NewRelease
    from psreg.review.verdict import Review

EXAMPLE = "psreg review --base origin/main --head my-branch"
EXTRA = "review"

_EXIT = {"accept": 0, "needs_human": 42, "reject": 1}

_BASES = ("origin/HEAD", "origin/main", "main")

_WHOLE = ("text", "json", "markdown")
"""The formats that contain the verdict; the others contain only the findings."""


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "path", nargs="?", default=".", metavar="PATH", help="a Git repository (default: .)"
    )
    parser.add_argument("--base", metavar="REV", help="the revision to merge the change into")
    parser.add_argument("--head", metavar="REV", help="the last commit of the change (HEAD)")
    parser.add_argument(
        "--author-id", type=int, metavar="N", help="numeric id of the author's account on the forge"
    )
    parser.add_argument(
        "--forge",
        choices=[forge.name for forge in FORGES],
        help="the forge of that account (default: the forge this job runs on, else github)",
    )
    parser.add_argument(
        "--post", action="store_true", help="post the comment and the status to the forge"
    )
    parser.add_argument(
        "--outdated",
        action="store_true",
        help="only list the heads of open pull requests not yet reviewed against the base",
    )
    parser.add_argument(
        "--messages",
        type=Path,
        metavar="DIR",
        help="write what owners sign and what is too long for the comment to files in DIR",
    )
    add_output_options(parser, FORMATS)


def run(args: Namespace, console: Console) -> int:
    """Print the review; exit 0 for accept, 42 for needs_human, 1 for reject."""
    forge = detect(os.environ)
    if (args.post or args.outdated) and forge is None:
        option = "--post" if args.post else "--outdated"
        raise UsageError(
            "NO_FORGE",
            f"`{option}` works only in a job on {' or '.join(forge.title for forge in FORGES)}",
            f"Run without `{option}`.",
        )
    with open_repository(Path(args.path)) as repository:
        base = repository.resolve(args.base or (forge and forge.base) or usual_base(repository))
        if forge and args.outdated:
            return _list(forge.outdated(base), console)
        head = repository.resolve(args.head or (forge and forge.head) or "HEAD")
        if forge and args.post:
            forge.head = head  # post about exactly the commit that is reviewed
        found = reviewed(repository, base, head, _author(args, forge))
    address = forge.run_url if forge else ""
    text = _text(found, args, address, quiet=console.quiet)
    write = console.out if args.format == "text" else console.content
    write(text)
    for reason in found.reasons:
        if not reason.path and args.format not in _WHOLE:
            console.warn(f"psreg: {found.verdict}: {reason.message} [{reason.code}]")
    if args.messages:
        _keep_messages(found, args.messages)
    if forge and args.post:
        _post(found, forge, console, keeps_messages=args.messages is not None)
    return _EXIT[found.verdict]


def _list(heads: Iterable[str], console: Console) -> int:
    for head in heads:
        console.line(head)
    return 0


def _missing_files(release: NewRelease, author: Author | None) -> Mapping[PurePosixPath, str]:
    from psreg.authoring.missing_files import missing_files

    return missing_files(release, author)


def reviewed(repository: Repository, base: str, head: str, author: Author | None) -> Review:
    """Return the review of `head`; a change that cannot be compared is rejected."""
    entries = EntryNames(repository.git, repository.objects, repository.objects.root(base))
    entries.find_aliases()  # in the background, while the rules are loaded
    from psreg.cli.rules import registry_rules
    from psreg.review.git_change import read_change
    from psreg.review.review import refusal, review

    try:
        return review(
            read_change(repository, base, head, author, clock.now().date(), entries=entries).change,
            registry_rules(),
            base=base,
            head=head,
            missing_files=_missing_files,
        )
    except FindingsError as error:
        return refusal(error, base=base, head=head)


def usual_base(repository: Repository) -> str:
    """Return the revision that a branch is most likely to be merged into.

    Raises:
        UsageError: `NO_BASE`.
    """
    for revision in _BASES:
        with suppress(UnavailableError):
            repository.resolve(revision)
            return revision
    raise UsageError(
        "NO_BASE", "the repository has no branch `main`", "Name the base with `--base REV`."
    )


def _author(args: Namespace, forge: Forge | None) -> Author | None:
    """Return the author: from the command line, else from the forge."""
    if args.author_id is not None:
        return Author(forge=args.forge or (forge.name if forge else "github"), id=args.author_id)
    return forge.author if forge else None


def _text(found: Review, args: Namespace, address: str, *, quiet: bool) -> str:
    from psreg.review.review_report import review_document, review_lines

    form = args.format
    if form == "text":
        lines = review_lines(found, color=color_wanted(), quiet=quiet)
        return "".join(f"{line}\n" for line in lines)
    if form == "json":
        return json.dumps(review_document(found), ensure_ascii=False, indent=2) + "\n"
    if form == "markdown":
        from psreg.review.comment import review_markdown

        return review_markdown(found, address, keeps_messages=args.messages is not None)
    from psreg.cli.rules import all_rules
    from psreg.lint.reports.report_formats import rendered

    return rendered(found.report, form, all_rules)


def _keep_messages(found: Review, folder: Path) -> None:
    from psreg.review.comment_code import long_messages
    from psreg.system.atomic import cannot_write, write_file

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    for name, message in long_messages(found).items():
        write_file(folder / name, message)


def _post(found: Review, forge: Forge, console: Console, *, keeps_messages: bool) -> None:
    from psreg.review.posting import post_remarks, post_verdict

    if not post_verdict(found, forge, console.note, keeps_messages=keeps_messages):
        raise UnavailableError(
            "SUPERSEDED",
            "the pull request or its base changed during the review; the verdict is withdrawn",
            "Run the review again.",
        )
    post_remarks(found, forge, console.note)
