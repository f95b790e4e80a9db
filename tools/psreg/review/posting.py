"""Post a review to a forge: the status, the comment, and suggestions at their lines."""

from __future__ import annotations

from collections.abc import Callable

from psreg.forges.forge import Forge, Status, judgement
from psreg.forges.line_comments import Remark
from psreg.review.comment import MARKER, review_markdown, withdrawn_markdown
from psreg.review.comment_code import MOST_REMARKS, REMARK, remarks
from psreg.review.review_report import verdict_text
from psreg.review.verdict import Review


def post_verdict(found: Review, forge: Forge, note: Callable[[str], None]) -> bool:
    """Post status and comment; return whether they are still valid, otherwise withdraw both.

    A verdict is about a head, a base and an author. All three are checked again before anything
    is posted, so that an older review does not overwrite a newer one, and afterwards, because
    they may have changed in between. `note` is told what was written.
    """
    if not forge.unchanged(found.base):
        return False
    words = f"{found.verdict}: {verdict_text(found)}"
    unplaced = max(0, len(remarks(found.in_diff, forge.name)) - MOST_REMARKS)
    # NOTE: if this is interrupted, the status stays pending, and the head is reviewed again.
    forge.post_check(Status.PENDING, "being reviewed")
    for url in forge.post_comment(MARKER, review_markdown(found, forge.run_url, unplaced)):
        note(f"psreg: wrote {url}")
    status = Status.PASSING if found.passes else Status.FAILING
    forge.post_check(status, judgement(words, found.base, forge.author))
    if forge.unchanged(found.base):
        return True
    forge.post_check(Status.PENDING, "the pull request or its base changed; reviewing again")
    forge.post_comment(MARKER, withdrawn_markdown(forge.run_url))
    return False


def post_remarks(found: Review, forge: Forge, note: Callable[[str], None]) -> None:
    """Post the suggestions at their lines: last, because the verdict is complete without them."""
    placed = [
        Remark(path=one.path, first=one.first, last=one.last, body=body)
        for one, body in remarks(found.in_diff, forge.name)[:MOST_REMARKS]
    ]
    if refused := forge.post_remarks(REMARK, placed):
        of = f"{refused} of {len(placed)} suggestions"
        note(f"psreg: {forge.name} did not accept {of} at their lines; see the comment")
