"""Post a review to a forge: the status, the comment, and suggestions at their lines."""

from __future__ import annotations

from collections.abc import Callable

from psreg.core.errors import UnavailableError
from psreg.forges.forge import Forge, Status, judgement
from psreg.forges.line_comments import Remark
from psreg.review.comment import MARKER, review_markdown, withdrawn_markdown
from psreg.review.comment_code import MOST_REMARKS, REMARK, remarks
from psreg.review.review_report import verdict_text
from psreg.review.verdict import Review, Verdict

OWNERS = "<!-- psreg owners -->"
"""First line of the comment that mentions owners."""

MOST_MENTIONS = 5
"""The most owners that are mentioned; each of them is notified."""

_CAN_APPROVE = "Owners of what this changes, who can approve it:"


def post_verdict(
    found: Review, forge: Forge, note: Callable[[str], None], *, keeps_messages: bool = False
) -> bool:
    """Post status and comment; return whether they are still valid, otherwise withdraw both.

    A verdict is about a head, a base and an author. All three are checked again before anything
    is posted, so that an older review does not overwrite a newer one, and afterwards, because
    they may have changed in between. `note` is told what was written; `keeps_messages` is that of
    `review_markdown`.
    """
    if not forge.unchanged(found.base):
        return False
    words = f"{found.verdict}: {verdict_text(found)}"
    unplaced = max(0, len(remarks(found.in_diff, forge.name)) - MOST_REMARKS)
    # NOTE: if this is interrupted, the status stays pending, and the head is reviewed again.
    try:
        forge.post_check(Status.PENDING, "being reviewed")
    except UnavailableError:
        # NOTE: GitHub takes a thousand statuses of a commit; the last one stays, maybe a green one.
        forge.post_comment(MARKER, withdrawn_markdown(forge.run_url))
        raise
    text = review_markdown(found, forge.run_url, unplaced, keeps_messages=keeps_messages)
    for url in forge.post_comment(MARKER, text):
        note(f"psreg: wrote {url}")
    status = Status.PASSING if found.passes else Status.FAILING
    forge.post_check(status, judgement(words, found.base, forge.author))
    if forge.unchanged(found.base):
        _mention(found, forge, note)
        return True
    forge.post_check(Status.PENDING, "the pull request or its base changed; reviewing again")
    forge.post_comment(MARKER, withdrawn_markdown(forge.run_url))
    return False


def _mention(found: Review, forge: Forge, note: Callable[[str], None]) -> None:
    """Mention the owners who can approve, once in the life of a pull request.

    NOTE: it is a comment of its own that is never edited, because forges notify people again when
    a mention comes back into a comment. Logins come from the forge, because that in entry.toml can
    be anybody's by now.
    """
    known = [account for name, account in found.approvers if name == forge.name]
    logins = list(filter(None, map(forge.login, known[:MOST_MENTIONS])))
    if logins and found.verdict is not Verdict.REJECT:
        people = ", ".join(f"@{login}" for login in logins)
        for url in forge.post_comment(OWNERS, f"{OWNERS}\n{_CAN_APPROVE} {people}\n", once=True):
            note(f"psreg: wrote {url}")


def post_remarks(found: Review, forge: Forge, note: Callable[[str], None]) -> None:
    """Post the suggestions at their lines: last, because the verdict is complete without them."""
    placed = [
        Remark(path=one.path, first=one.first, last=one.last, body=body)
        for one, body in remarks(found.in_diff, forge.name)[:MOST_REMARKS]
    ]
    if refused := forge.post_remarks(REMARK, placed):
        of = f"{refused} of {len(placed)} suggestions"
        note(f"psreg: {forge.name} did not accept {of} at their lines; see the comment")
