"""A review as the one comment below a pull request: first what a maintainer needs, then why.

Nothing that a pull request says can act: see `neutral` and `fenced`. The comment is never longer
than a forge takes; what does not fit is counted, the least important first.
"""

from __future__ import annotations

import re

from psreg import __version__
from psreg.compatibility.diff import Diff
from psreg.compatibility.diff_report import diff_markdown
from psreg.core.diagnostics import ERROR, INFO, WARNING
from psreg.lint.reports.markdown import HEAD, code, finding_row, neutral, worst_first
from psreg.lint.reports.text import counted
from psreg.review.budget import Part, fitted
from psreg.review.comment_code import (
    MOST_REMARKS,
    diff_blocks,
    missing_file_blocks,
    suggestion_blocks,
)
from psreg.review.review_report import VERDICT, beside_findings, step_text
from psreg.review.verdict import Reason, Review, ReviewedRelease, Verdict

MARKER = "<!-- psreg review -->"
"""First line of the comment, by which a bot finds its own one again."""

_CHANGES, _TOGETHER = 7_000, 10
"""Characters that belong to what changed, and the releases that have a share of them."""

LIMIT = 65_000
"""Characters of the comment; GitHub takes 65,536."""

_HEADLINES = {
    Verdict.ACCEPT: "Ready to merge",
    Verdict.NEEDS_HUMAN: "Please look at this",
    Verdict.REJECT: "Not yet",
}
_NEXT = {
    Verdict.ACCEPT: "It can be merged as it is.",
    Verdict.NEEDS_HUMAN: "A keeper of the registry who agrees merges it as it is.",
    Verdict.REJECT: "Mend it on the same branch; every push is judged anew, and this comment is"
    " rewritten. `psreg review` says the same on your machine, and `psreg check --fix` mends what a"
    " machine may mend. `psreg explain CODE` explains a finding.",
}
_AT_LINES = (
    f"\nThe first {MOST_REMARKS} stand at their lines as well, where one click takes each over;"
    " {} more will when those are mended.\n"
)
_MERGED = " Merging releases {}: signed, and from then on no byte of it changes."


def review_markdown(review: Review, address: str = "", unplaced: int = 0) -> str:
    """Return `review` as GitHub Flavoured Markdown, at most `LIMIT` characters.

    `address` is where the whole report is, "" if that is not known; `unplaced` how many of the
    suggestions would stand at their lines if there were not too many.
    """
    parts = (*_judgement(review), *_detail(review, unplaced), *_end(review, address))
    return fitted(parts, LIMIT)


def withdrawn_markdown(address: str = "") -> str:
    """Return what stands in place of a verdict that is about a head or a base of the past."""
    then = "What was said of an earlier commit no longer holds; the verdict follows here."
    return f"{MARKER}\n### psreg: Reviewing\n\n{then}{_link(address, 'The run')}\n"


def _judgement(review: Review) -> tuple[Part, ...]:
    counts = [counted(review.report.count(s), s) for s in (ERROR, WARNING, INFO)]
    found = ", ".join(text for text in counts if not text.startswith("0 "))
    head = f"{MARKER}\n### psreg: {_HEADLINES[review.verdict]}\n\n"
    head += f"**{review.verdict}**: {VERDICT[review.verdict]}."
    head += f" Found: {found}.\n" if found else "\n"
    wanted = tuple(f"- {neutral(sentence)}\n" for sentence in review.would_change_verdict)
    return (
        Part(blocks=(head,), weight=100, share=500),
        Part(
            blocks=tuple(_reason(reason, review) for reason in beside_findings(review)),
            weight=94,
            share=5_000,
            before="\n**Why**\n\n",
        ),
        Part(
            blocks=wanted,
            weight=95,
            share=5_000,
            before="\n**What would change this**\n\n",
        ),
        Part(
            blocks=tuple(_release_row(release) for release in review.releases),
            weight=90,
            share=4_000,
            before="\n| Release | Step | Score |\n| --- | --- | --- |\n",
        ),
    )


def _reason(reason: Reason, review: Review) -> str:
    page = review.report.address(f"rules/{reason.code}/") if reason.path else ""
    rule = f"[{reason.code}]({page})" if page else neutral(reason.code)
    place = f" ({code(reason.path)})" if reason.path else ""
    return f"- {rule} {neutral(reason.message)}{place}\n"


def _release_row(release: ReviewedRelease) -> str:
    what = f"{code(release.title)} ({neutral(release.id.entry_class)})"
    if release.similar_names:
        what += f"<br>similar: {neutral(', '.join(release.similar_names))}"
    if release.capabilities_added:
        what += f"<br>asks for: {neutral(', '.join(release.capabilities_added))}"
    return f"| {what} | {neutral(step_text(release))} | {release.score.total} of 100 |\n"


def _detail(review: Review, unplaced: int) -> tuple[Part, ...]:
    standing = worst_first(review.report.standing())
    compared = [(release, release.diff) for release in review.releases if release.diff]
    return (
        *(_changed(*one, _CHANGES // len(compared[:_TOGETHER])) for one in compared[:_TOGETHER]),
        Part(
            blocks=tuple("".join(_changed(*one, 0).blocks) for one in compared[_TOGETHER:]),
            weight=30,
            share=0,
            more="\n…and what changed in {} more releases.\n",
        ),
        Part(
            blocks=tuple(finding_row(d, review.report) for d in standing),
            weight=80,
            share=12_000,
            before="\n#### Findings\n\n" + HEAD.format("Finding"),
            more="\n…and {} more findings.\n",
        ),
        Part(
            blocks=suggestion_blocks(review.suggestions),
            weight=70,
            share=8_000,
            before="\n#### What a machine may mend\n"
            + (_AT_LINES.format(unplaced) if unplaced else ""),
            more="\n…and {} more; `psreg check --fix` mends them all.\n",
        ),
        Part(
            blocks=missing_file_blocks(review),
            weight=75,
            share=5_000,
            more="\n…and {} more files.\n",
        ),
        Part(
            blocks=diff_blocks(review),
            weight=50,
            share=8_000,
            more="\n…and the text of {} more releases.\n",
        ),
        _waived(review),
    )


def _waived(review: Review) -> Part:
    waived = [d for d in review.report.diagnostics if d.waived is not None]
    return Part(
        blocks=tuple(finding_row(d, review.report) for d in waived),
        weight=60,
        share=3_000,
        before=f"\n<details><summary>{len(waived)} waived</summary>\n\n"
        + HEAD.format("Finding, and why it was waived"),
        after="\n</details>\n",
        more="\n…and {} more waived findings.\n",
    )


def _changed(release: ReviewedRelease, diff: Diff, share: int) -> Part:
    title = f"\n#### What changed in {code(release.title)}\n\n"
    head, rule, rows = diff_markdown(diff).partition("| --- | --- | --- |\n")
    return Part(
        blocks=(title + head + rule, *rows.splitlines(keepends=True)),
        weight=85,
        share=share,
        more="\n…and {} more changes.\n",
    )


def _end(review: Review, address: str) -> tuple[Part, ...]:
    judged = f"Judged {code(review.head[:12])} against {code(review.base[:12])} by psreg"
    then = _NEXT[review.verdict]
    if review.releases and review.verdict is not Verdict.REJECT:
        then += _MERGED.format("it" if len(review.releases) == 1 else "them")
    link = _link(address, "The whole report")
    return (
        Part(
            blocks=tuple(_score(release) for release in review.releases),
            weight=40,
            share=1_500,
            more="\n…and the scores of {} more releases.\n",
        ),
        Part(
            blocks=(f"\n**What happens next**\n\n{then}\n",),
            weight=99,
            share=1_000,
        ),
        Part(blocks=(f"\n---\n{judged} {neutral(__version__)}.{link}\n",), weight=98, share=1_000),
    )


def _link(address: str, title: str) -> str:
    known = re.fullmatch(r"https?://[\w.~:/%?=-]+", address, re.ASCII)
    return f" [{title}]({address})." if known else ""


def _score(release: ReviewedRelease) -> str:
    rows = "".join(
        f"- {neutral(part.title)}: {part.points} of {part.of}"
        + (f". {neutral(part.how)}" if part.how else "")
        + "\n"
        for part in release.score.parts
    )
    named = code(release.title)
    summary = f"Score of {named}: {release.score.total} of 100"
    return f"\n<details><summary>{summary}</summary>\n\n{rows}\n</details>\n"
