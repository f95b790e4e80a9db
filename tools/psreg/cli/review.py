"""`psreg review`: judge what a change adds, and say what becomes of it."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from psreg.authoring.missing_files import missing_files
from psreg.core.errors import FindingsError, UnavailableError, UsageError
from psreg.core.identity import Author
from psreg.forges.detect import detect
from psreg.forges.forge import Forge, Status, judgement
from psreg.git.repository import Repository, open_repository
from psreg.lint.reports.report_formats import FORMATS, rendered
from psreg.review.comment import MARKER, review_markdown, withdrawn_markdown
from psreg.review.comment_code import MOST_REMARKS, REMARK, remarks
from psreg.review.git_change import read_change
from psreg.review.review import refusal, review
from psreg.review.review_report import VERDICT, review_document, review_lines
from psreg.review.verdict import Review, Verdict
from psreg.system.console import Console, add_output_options, color_wanted

EXAMPLE = "psreg review --base origin/main --head my-branch"

_EXIT = {Verdict.ACCEPT: 0, Verdict.NEEDS_HUMAN: 42, Verdict.REJECT: 1}

_BASES = ("origin/HEAD", "origin/main", "main")

_WHOLE = ("text", "json", "markdown")
"""The formats that hold the verdict; the others hold the findings."""

_FORGES = ("github", "gitlab")


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("path", nargs="?", default=".", metavar="PATH", help="a repository (.)")
    parser.add_argument("--base", metavar="REV", help="what the change is to be merged into")
    parser.add_argument("--head", metavar="REV", help="the change (HEAD)")
    parser.add_argument(
        "--author-id", type=int, metavar="N", help="who asks: the account's number on the forge"
    )
    parser.add_argument(
        "--forge", choices=_FORGES, help="whose number it is (github, or where this runs)"
    )
    parser.add_argument(
        "--post", action="store_true", help="write the comment and the verdict to the forge"
    )
    parser.add_argument(
        "--outdated",
        action="store_true",
        help="only list the heads of open pull requests not yet judged against the base",
    )
    add_output_options(parser, FORMATS)


def run(args: Namespace, console: Console) -> int:
    """Print the review; exit 0 to accept, 42 where a person decides, 1 to reject (DESIGN §4)."""
    forge = detect(os.environ)
    if (args.post or args.outdated) and forge is None:
        option = "--post" if args.post else "--outdated"
        raise UsageError("NO_FORGE", f"{option} is for a job of a forge", "leave it out elsewhere")
    with open_repository(Path(args.path)) as repository:
        base = repository.resolve(args.base or (forge and forge.base) or _usual_base(repository))
        if forge and args.outdated:
            return _list(forge.outdated(base), console)
        head = repository.resolve(args.head or (forge and forge.head) or "HEAD")
        if forge and args.post:
            forge.head = head  # what is posted is about the commit that is judged, and no other
        found = _reviewed(repository, base, head, _author(args, forge))
    address = forge.run_url if forge else ""
    console.out(_text(found, args.format, address, quiet=console.quiet))
    for reason in found.reasons:
        if not reason.path and args.format not in _WHOLE:
            console.warn(f"psreg: {found.verdict}: {reason.message} [{reason.code}]")
    if forge and args.post:
        if not post_verdict(found, forge, console):
            raise UnavailableError(
                "SUPERSEDED",
                "the pull request or its base moved while it was judged; the verdict is withdrawn",
                "judge it again",
            )
        _post_remarks(found, forge, console)
    return _EXIT[found.verdict]


def _list(heads: Iterable[str], console: Console) -> int:
    for head in heads:
        console.line(head)
    return 0


def _reviewed(repository: Repository, base: str, head: str, author: Author | None) -> Review:
    """Return the review of `head`; one that cannot even be compared is rejected."""
    try:
        return review(
            read_change(repository, base, head, author).change,
            base=base,
            head=head,
            missing_files=missing_files,
        )
    except FindingsError as error:
        return refusal(error, base=base, head=head)


def _usual_base(repository: Repository) -> str:
    """Return what a branch here is most likely to be merged into."""
    for revision in _BASES:
        with suppress(UnavailableError):
            repository.resolve(revision)
            return revision
    raise UsageError("NO_BASE", "there is no branch main here", "name the base: --base REV")


def _author(args: Namespace, forge: Forge | None) -> Author | None:
    """Return who asks: as the command line says, else as the forge does."""
    if args.author_id is not None:
        return Author(forge=args.forge or (forge.name if forge else _FORGES[0]), id=args.author_id)
    return forge.author if forge else None


def _text(found: Review, form: str, address: str, *, quiet: bool) -> str:
    if form == "text":
        lines = review_lines(found, color=color_wanted(), quiet=quiet)
        return "".join(f"{line}\n" for line in lines)
    if form == "json":
        return json.dumps(review_document(found), ensure_ascii=False, indent=2) + "\n"
    if form == "markdown":
        return review_markdown(found, address)
    return rendered(found.report, form)


def post_verdict(found: Review, forge: Forge, console: Console) -> bool:
    """Write status and comment; tell whether they still hold, otherwise neither stays.

    A verdict is about a head, a base and whoever asks. All three are looked at again before
    anything is written, so that an older review does not overwrite a newer one, and afterwards,
    because they may have moved in between.
    """
    if not forge.unchanged(found.base):
        return False
    words = f"{found.verdict}: {VERDICT[found.verdict]}"
    unplaced = max(0, len(remarks(found.in_diff, forge.name)) - MOST_REMARKS)
    # NOTE: whatever ends this halfway leaves a pending status, and the head is judged again.
    forge.post_check(Status.PENDING, "being reviewed")
    for url in forge.post_comment(MARKER, review_markdown(found, forge.run_url, unplaced)):
        console.note(f"psreg: wrote {url}")
    status = Status.PASSING if found.passes else Status.FAILING
    forge.post_check(status, judgement(words, found.base, forge.author))
    if forge.unchanged(found.base):
        return True
    forge.post_check(Status.PENDING, "what was judged has moved; it is judged again")
    forge.post_comment(MARKER, withdrawn_markdown(forge.run_url))
    return False


def _post_remarks(found: Review, forge: Forge, console: Console) -> None:
    """Write what is to be mended at its lines: last, because the verdict is there without it."""
    from psreg.forges.line_comments import Remark

    offered = remarks(found.in_diff, forge.name)
    placed = [
        Remark(path=one.path, first=one.first, last=one.last, body=body)
        for one, body in offered[:MOST_REMARKS]
    ]
    if refused := forge.post_remarks(REMARK, placed):
        of = f"{refused} of {len(placed)} suggestions"
        console.note(f"psreg: {forge.name} took no line for {of}; the comment has them")
