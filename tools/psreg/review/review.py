"""Review a change as a careful colleague would: what it releases, what is against it, a verdict.

Pure: a change in, a review out. Errors reject. What a program cannot decide, a new name or a
waiver for instance, needs a human. Everything else may be merged as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from psreg.compatibility import submission_side
from psreg.compatibility.diff import compare
from psreg.compatibility.steps import step_between
from psreg.core.diagnostics import ERROR, Diagnostic, Report
from psreg.core.errors import FindingsError
from psreg.core.identity import Author
from psreg.core.version import Step, parse_version
from psreg.formats.tree import Submission
from psreg.lint.score.score import score
from psreg.review.advice import advice
from psreg.review.change import ChangeSet, NewRelease, Touch
from psreg.review.diff_lines import in_diff
from psreg.review.judge import check_change
from psreg.review.rules import HUMAN
from psreg.review.rules.version_rules import judged
from psreg.review.similar_names import similar_names
from psreg.review.suggestions import suggestions
from psreg.review.verdict import Reason, Review, ReviewedRelease, Verdict

MissingFiles = Callable[[NewRelease, Author | None], Mapping[PurePosixPath, str]]
"""Drafts the files that a release lacks, for the author who asks: text by path."""


def review(
    change: ChangeSet, *, missing_files: MissingFiles, base: str = "", head: str = ""
) -> Review:
    """Return the review of `change`; `base` and `head` are the names of its two commits."""
    files = [one for one in change.files if one.touch is not Touch.DELETED]
    policy = change.base.policy
    report = Report.of(len(files), check_change(change), policy.site_address)
    reasons = tuple(dict.fromkeys(_reasons(report.diagnostics)))
    releases = tuple(_released(new, change, missing_files) for new in judged(change))
    mended = suggestions(report.diagnostics, change.head.files)
    return Review(
        verdict=_verdict(reasons),
        reasons=reasons,
        would_change_verdict=tuple(advice(report, reasons, releases)),
        releases=releases,
        suggestions=mended,
        in_diff=in_diff(mended, change),
        report=report,
        base=base,
        head=head,
        needs_human_fails=policy.needs_human_fails,
    )


def refusal(error: FindingsError, *, base: str, head: str) -> Review:
    """Return the review of a change that cannot be judged, and that it is to blame for it."""
    reason = Reason(code=error.code, message=error.message, effect=Verdict.REJECT, path="")
    return Review(
        verdict=Verdict.REJECT,
        reasons=(reason,),
        would_change_verdict=(error.hint,) if error.hint else (),
        releases=(),
        suggestions=(),
        in_diff=(),
        report=Report(checked=0),
        base=base,
        head=head,
    )


def _reasons(found: Iterable[Diagnostic]) -> Iterator[Reason]:
    """Yield why the change cannot simply be merged, in the order of the findings.

    NOTE: a waiver of the policy was decided by the keepers; one of the author is only a request.
    """
    for d in found:
        if d.waived is None and d.severity is ERROR:
            yield _reason(d, Verdict.REJECT)
        elif d.waived is None and d.code in HUMAN:
            yield _reason(d, Verdict.NEEDS_HUMAN)
        elif d.waived is not None and d.waived_by == "release":
            said = f"{d.message}; waived: {d.waived}"
            yield replace(_reason(d, Verdict.NEEDS_HUMAN), message=said, waived=True)


def _reason(d: Diagnostic, effect: Verdict) -> Reason:
    return Reason(code=d.code, message=d.message, effect=effect, path=d.path)


def _verdict(reasons: Iterable[Reason]) -> Verdict:
    effects = {reason.effect for reason in reasons}
    if Verdict.REJECT in effects:
        return Verdict.REJECT
    return Verdict.NEEDS_HUMAN if effects else Verdict.ACCEPT


def _released(new: NewRelease, change: ChangeSet, missing_files: MissingFiles) -> ReviewedRelease:
    submission, previous = new.submission, new.previous
    bump, diff = Step.NONE, None
    if previous:
        bump = step_between(parse_version(previous.id.version), parse_version(new.id.version))
        diff = compare(submission_side(previous), submission_side(submission))
    return ReviewedRelease(
        id=new.id,
        previous=previous.id.version if previous else None,
        new_name=new.new_name,
        bump=bump,
        floor=diff.floor if diff else Step.NONE,
        diff=diff,
        similar_names=similar_names(new.id.name, change.head.names) if new.new_name else (),
        score=score(submission),
        capabilities_added=tuple(sorted(_capabilities(submission) - _capabilities(previous))),
        missing=missing_files(new, change.author),
        before=previous.artifact if previous else None,
        after=submission.artifact,
    )


def _capabilities(submission: Submission | None) -> set[str]:
    if submission is None:
        return set()
    return {text for _, text in submission.release.strings("capabilities")}
