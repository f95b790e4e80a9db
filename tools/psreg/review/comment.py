"""A review as a comment on a pull request: first what a maintainer needs to know, then why.

No text of a pull request has an effect on the forge: see `neutral` and `fenced`. The comment is
never longer than a forge accepts; what does not fit is counted, least important parts first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from psreg import __version__
from psreg.compatibility.diff import Diff
from psreg.compatibility.diff_report import diff_markdown
from psreg.core.diagnostics import ERROR, INFO, WARNING
from psreg.lint.reports.markdown import HEAD, code, finding_row, neutral, worst_first
from psreg.lint.reports.text import counted
from psreg.review.comment_code import (
    MOST_REMARKS,
    diff_blocks,
    missing_file_blocks,
    signature_blocks,
    suggestion_blocks,
)
from psreg.review.review_report import step_text, verdict_text
from psreg.review.verdict import Reason, Review, ReviewedRelease, Verdict

MARKER = "<!-- psreg review -->"
"""First line of the comment, by which a bot recognizes its own comment."""

_CHANGES, _TOGETHER = 7_000, 10
"""Characters reserved for the changes, and the most releases that share them."""

LIMIT = 65_000
"""The most characters in a comment; GitHub accepts 65,536."""

_HEADLINES = {
    Verdict.ACCEPT: "Ready to merge",
    Verdict.NEEDS_HUMAN: "Needs a maintainer",
    Verdict.REJECT: "Changes required",
}
_NEXT = {
    Verdict.ACCEPT: "It can be merged as it is.",
    Verdict.NEEDS_HUMAN: "A maintainer of the registry decides whether to merge it as it is.",
    Verdict.REJECT: "Push fixes to the same branch. Every push is reviewed again and updates this"
    " comment. `psreg review` prints the same review on your machine, and `psreg explain CODE`"
    " explains a finding.",
}
_AT_LINES = (
    f"\nThe first {MOST_REMARKS} are also comments on their lines, where you can apply each with"
    " one click; {} more will follow when those are fixed.\n"
)
_MERGED = " Merging signs and releases {}; a released version never changes."


def review_markdown(
    review: Review, address: str = "", unplaced: int = 0, *, keeps_messages: bool = False
) -> str:
    """Return `review` as GitHub Flavoured Markdown, at most `LIMIT` characters.

    `address` is the URL of the whole report, "" if unknown; `unplaced` is the number of
    suggestions that are not comments on their lines only because there are too many.
    `keeps_messages`: the job at `address` has an artifact with `long_messages`.
    """
    kept = _link(address, "the job").strip() if keeps_messages else ""
    parts = (*_summary(review), *_detail(review, unplaced, kept), *_end(review, address))
    return fitted(parts, LIMIT)


def withdrawn_markdown(address: str = "") -> str:
    """Return the comment that replaces a verdict about an outdated head or base."""
    then = "The earlier verdict is outdated; a new one will appear here."
    return f"{MARKER}\n### psreg: Reviewing\n\n{then}{_link(address, 'Pipeline run')}\n"


def _summary(review: Review) -> tuple[Part, ...]:
    counts = [counted(review.report.count(s), s) for s in (ERROR, WARNING, INFO)]
    found = ", ".join(text for text in counts if not text.startswith("0 "))
    head = f"{MARKER}\n### psreg: {_HEADLINES[review.verdict]}\n\n"
    head += f"**{review.verdict}**: {verdict_text(review)}."
    head += f" Found: {found}.\n" if found else "\n"
    wanted = tuple(f"- {neutral(sentence)}\n" for sentence in review.would_change_verdict)
    return (
        Part(blocks=(head,), weight=100, share=500),
        Part(
            blocks=tuple(_reason(reason, review) for reason in _rejecting_first(review.reasons)),
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


def _rejecting_first(reasons: Iterable[Reason]) -> list[Reason]:
    return sorted(reasons, key=lambda reason: reason.effect is not Verdict.REJECT)


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


def _detail(review: Review, unplaced: int, kept: str) -> tuple[Part, ...]:
    standing = worst_first(review.report.standing())
    return (
        *_compared(review),
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
            before="\n#### Safe fixes\n" + (_AT_LINES.format(unplaced) if unplaced else ""),
            more="\n…and {} more; `psreg check --fix` applies them all.\n",
        ),
        Part(
            blocks=missing_file_blocks(review),
            weight=75,
            share=5_000,
            more="\n…and {} more files.\n",
        ),
        Part(
            blocks=signature_blocks(review, kept),
            weight=85,
            share=10_000,
            before="\n#### Signatures\n\n",
            more="\n…and {} more releases to sign.\n",
        ),
        Part(
            blocks=diff_blocks(review),
            weight=50,
            share=8_000,
            more="\n…and the text of {} more releases.\n",
        ),
        _waived(review),
        _checked(review),
    )


def _compared(review: Review) -> tuple[Part, ...]:
    compared = [(release, release.diff) for release in review.releases if release.diff]
    first, others = compared[:_TOGETHER], compared[_TOGETHER:]
    return (
        *(_changed(*one, _CHANGES // len(first)) for one in first),
        Part(
            blocks=tuple("".join(_changed(*one, 0).blocks) for one in others),
            weight=30,
            share=0,
            more="\n…and what changed in {} more releases.\n",
        ),
    )


def _waived(review: Review) -> Part:
    waived = [d for d in review.report.diagnostics if d.waived is not None]
    return Part(
        blocks=tuple(finding_row(d, review.report) for d in waived),
        weight=60,
        share=3_000,
        before=f"\n<details><summary>{len(waived)} waived</summary>\n\n"
        + HEAD.format("Finding, and the reason for the waiver"),
        after="\n</details>\n",
        more="\n…and {} more waived findings.\n",
    )


_CHECKS = (
    ("The files can be read", ("JSON", "TOML")),
    ("The prompt follows its specification", ("PBE", "PROMPT")),
    ("The release is complete: metadata, README, evidence, test runs", ("REG",)),
    ("The texts hide nothing and ask for nothing dangerous", ("PS",)),
    ("The name cannot be mistaken for another", ("NAME",)),
    ("The change keeps released files, versions and owners", ("CHG",)),
    ("The transcripts follow the declared protocols", ("VPP", "PLSP", "PB2S", "PROTO")),
)
"""What a review checks, and the families of rules that check it."""


def _checked(review: Review) -> Part:
    """Return a folded list of what was checked, and what of it passed."""
    found = {d.family for d in review.report.standing() if d.severity is not INFO}
    rows = tuple(
        f"- {'passed' if found.isdisjoint(families) else '**see above**'}: {what}\n"
        for what, families in _CHECKS
    )
    return Part(
        blocks=rows if review.report.checked else (),
        weight=20,
        share=0,
        before="\n<details><summary>What was checked</summary>\n\n",
        after="\n</details>\n",
        more="\n…and what was checked.\n",
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
    compared = f"Reviewed {code(review.head[:12])} against {code(review.base[:12])} with psreg"
    then = _NEXT[review.verdict]
    if review.verdict is Verdict.REJECT and review.suggestions:
        then += " `psreg check --fix` applies the safe fixes."
    if review.verdict is not Verdict.REJECT:
        then += "".join(f"\n\n- {neutral(sentence)}" for sentence in review.effects)
    if review.releases and review.verdict is not Verdict.REJECT:
        then += _MERGED.format("it" if len(review.releases) == 1 else "them")
    link = _link(address, "Full report")
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
        Part(
            blocks=(f"\n---\n{compared} {neutral(__version__)}.{link}\n",), weight=98, share=1_000
        ),
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
    summary = f"Score of {code(release.title)}: {release.score.total} of 100"
    return f"\n<details><summary>{summary}</summary>\n\n{rows}\n</details>\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the comment: `before`, as many of the `blocks` as fit, `after`; "" without blocks.

    `more` says how many blocks are left out, with `{}` for the number. If space is short, the
    parts with the least `weight` are cut first; `share` characters are reserved for the part.
    """

    blocks: tuple[str, ...]
    weight: int
    share: int
    before: str = ""
    after: str = ""
    more: str = "\n…and {} more.\n"

    def text(self, count: int) -> str:
        """Return the part with the first `count` blocks."""
        if not self.blocks:
            return ""
        if not count:
            return self.left_out(count)
        return "".join([self.before, *self.blocks[:count], self.left_out(count), self.after])

    def left_out(self, count: int) -> str:
        """Return the line that says how many blocks follow the first `count`."""
        return self.more.format(len(self.blocks) - count) if count < len(self.blocks) else ""


def fitted(parts: Sequence[Part], limit: int) -> str:
    """Return the parts, in their order, in at most `limit` characters.

    Every part may use its share, whatever the others need; the rest of the space goes to the parts
    in order of weight. All shares and all lines about left-out blocks must fit into `limit`.
    """
    sizes = [list(accumulate(map(len, part.blocks), initial=0)) for part in parts]
    counts = [0] * len(parts)
    room = limit - sum(len(part.text(0)) for part in parts)
    ranked = sorted(range(len(parts)), key=lambda at: -parts[at].weight)
    for shared in (True, False):
        for at in ranked:
            part, used = parts[at], _size(parts[at], sizes[at], counts[at])
            while counts[at] < len(part.blocks):
                size = _size(part, sizes[at], counts[at] + 1)
                if size - used > room or (shared and size > part.share):
                    break
                room -= size - used
                used = size
                counts[at] += 1
    return "".join(part.text(count) for part, count in zip(parts, counts, strict=True))


def _size(part: Part, sizes: Sequence[int], count: int) -> int:
    """Return the length of the part with the first `count` blocks."""
    around = len(part.before) + len(part.after) if count else 0
    return around + sizes[count] + len(part.left_out(count))
