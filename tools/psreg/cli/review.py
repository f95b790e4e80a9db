"""`psreg review`: judge what a change adds, and say what becomes of it."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from pathlib import Path

from psreg.adapters.forge import Forge, detect
from psreg.adapters.gitrepo import Repository, open_repository
from psreg.cli.console import Console, add_output_options, color_wanted
from psreg.errors import FindingsError, UnavailableError, UsageError
from psreg.index.changes import Author
from psreg.render.review import VERDICT, review_document, review_lines
from psreg.render.review_code import MOST_REMARKS, REMARK, remarks
from psreg.render.review_markdown import MARKER, review_markdown
from psreg.render.table import FORMATS, rendered
from psreg.service.review import refusal, review
from psreg.service.verdict import Review, Verdict

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
    add_output_options(parser, FORMATS)


def run(args: Namespace, console: Console) -> int:
    """Print the review; exit 0 to accept, 42 where a person decides, 1 to reject (DESIGN §4)."""
    forge = detect(os.environ)
    if args.post and forge is None:
        raise UsageError("NO_FORGE", "--post is for a job of a forge", "leave it out elsewhere")
    with open_repository(Path(args.path)) as repository:
        base = repository.resolve(args.base or (forge and forge.base) or _usual_base(repository))
        head = repository.resolve(args.head or (forge and forge.head) or "HEAD")
        found = _reviewed(repository, base, head, _author(args, forge))
    address = forge.run_url if forge else ""
    console.out(_text(found, args.format, address, quiet=console.quiet))
    for reason in found.reasons:
        if not reason.path and args.format not in _WHOLE:
            console.warn(f"psreg: {found.verdict}: {reason.message} [{reason.code}]")
    if forge and args.post:
        _post(found, forge, address, console)
    return _EXIT[found.verdict]


def _reviewed(repository: Repository, base: str, head: str, author: Author | None) -> Review:
    """Return the review of `head`; one that cannot even be compared is rejected."""
    try:
        return review(repository.changes(base, head, author).change, base=base, head=head)
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


def _post(found: Review, forge: Forge, address: str, console: Console) -> None:
    """Write the one comment, the verdict at the commit, and what is to be mended at its lines."""
    from psreg.adapters.forge_remarks import Remark

    offered = remarks(found.in_diff, forge.name)
    unplaced = max(0, len(offered) - MOST_REMARKS)
    for url in forge.post_comment(MARKER, review_markdown(found, address, unplaced)):
        console.note(f"psreg: wrote {url}")
    forge.post_check(found.verdict, VERDICT[found.verdict])
    # NOTE: last, because whatever is wrong with these, the verdict is there.
    placed = [
        Remark(path=one.path, first=one.first, last=one.last, body=body)
        for one, body in offered[:MOST_REMARKS]
    ]
    if refused := forge.post_remarks(REMARK, placed):
        of = f"{refused} of {len(placed)} suggestions"
        console.note(f"psreg: {forge.name} took no line for {of}; the comment has them")
