"""A review as JSON and as text for a terminal.

As JSON it is the report of a check (`psreg.report/1`) with additional members.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from psreg.compatibility.floor_row import READ
from psreg.core.diagnostics import ERROR, WARNING
from psreg.core.terminal import one_line
from psreg.core.version import Step
from psreg.lint.reports.text import counted, report_lines
from psreg.review.verdict import Reason, Review, ReviewedRelease, Verdict

if TYPE_CHECKING:
    from psreg.registry.owners.to_sign import Signable

VERDICT = {
    Verdict.ACCEPT: "nothing blocks it; it can be merged as it is",
    Verdict.NEEDS_HUMAN: "a maintainer must decide",
    Verdict.REJECT: "it cannot be merged as it is",
}
"""What each verdict means, in one line."""


def verdict_text(review: Review) -> str:
    """Return what the verdict means; nothing is called harmless beside a warning."""
    warnings = review.report.count(WARNING)
    if review.verdict is Verdict.ACCEPT and warnings:
        return f"no errors, and {counted(warnings, WARNING)} to read; it can be merged as it is"
    return VERDICT[review.verdict]


def review_document(review: Review) -> dict[str, Any]:
    """Return `review` as the JSON object that `psreg review --format json` prints."""
    from psreg.lint.reports.json import report_document  # noqa: PLC0415 - only for JSON

    return {
        **report_document(review.report),
        "verdict": str(review.verdict),
        "reasons": [
            {"code": r.code, "message": r.message, "effect": str(r.effect), "path": r.path}
            for r in review.reasons
        ],
        "would_change_verdict": list(review.would_change_verdict),
        "effects": list(review.effects),
        "releases": [_release(release) for release in review.releases],
        "owner_changes": [
            {"name": each.name, **_signatures(each)} for each in review.owner_changes
        ],
        "yanks": [
            {"name": each.name, "version": each.version, **_signatures(each)}
            for each in review.yanks
        ],
        "recoveries": [
            {"name": each.name, **recovery.told, **_signatures(each)}
            for each in review.objections
            if (recovery := each.recovery)
        ],
        "base": review.base,
        "head": review.head,
    }


def _release(release: ReviewedRelease) -> dict[str, Any]:
    from psreg.compatibility.diff_report import diff_document  # noqa: PLC0415 - only for JSON

    return {
        "class": release.id.entry_class,
        "name": release.id.name,
        "version": release.id.version,
        "previous": release.previous,
        "bump": str(release.bump),
        "floor": str(release.floor),
        "changes": diff_document(release.diff)["changes"] if release.diff else [],
        "similar_names": list(release.similar_names),
        "score": release.score.to_json(),
        "capabilities_added": list(release.capabilities_added),
        "missing": {str(path): text for path, text in sorted(release.missing.items())},
        "signatures": _signatures(release.signable) if release.signable else None,
    }


def _signatures(signable: Signable) -> dict[str, Any]:
    return {
        "owners": sorted(signable.signed_by),
        "threshold": signable.threshold,
        "message": b64encode(signable.statement.message).decode(),
        "path": str(signable.place),
    }


def review_lines(review: Review, *, color: bool = False, quiet: bool = False) -> Iterator[str]:
    """Yield the lines of `review`: findings, releases, the verdict and what would change it.

    `quiet` leaves out the releases, and prints nothing if the verdict is `accept`.
    """
    if quiet and review.verdict is Verdict.ACCEPT:
        return
    yield from report_lines(review.report, color=color, infos=False)
    for release in () if quiet else review.releases:
        yield ""
        yield from _release_lines(release)
    yield ""
    yield f"{review.verdict}: {verdict_text(review)}"
    for reason in _beside_findings(review):
        place = f" ({one_line(reason.path)})" if reason.path else ""
        yield f"  {reason.code}: {one_line(reason.message)}{place}"
    if errors := review.report.count(ERROR):
        yield f"  {counted(errors, ERROR)}, see above"
    yield from (f"  {one_line(sentence)}" for sentence in review.effects)
    if review.would_change_verdict:
        yield "what would change it:"
    for sentence in review.would_change_verdict:
        yield f"  - {one_line(sentence)}"


def _beside_findings(review: Review) -> Iterator[Reason]:
    """Yield the reasons that the list of findings does not show as errors."""
    for reason in review.reasons:
        if reason.effect is Verdict.NEEDS_HUMAN or not reason.path:
            yield reason


def _release_lines(release: ReviewedRelease) -> Iterator[str]:
    yield f"{release.id.entry_class}/{release.title}: {step_text(release)}"
    for difference in release.diff.differences if release.diff else ():
        mark = f" ({READ})" if difference.behaviour else ""
        yield f"  {difference.step}: {one_line(difference.message)}{mark}"
    yield f"  score {release.score.total} of 100"


def step_text(release: ReviewedRelease) -> str:
    """Return which step a release makes, and the lowest version that its changes require."""
    if release.new_name:
        return "the first release of this name"
    if release.previous is None:
        return "lower than all releases of this name"
    least = f"; its changes require {release.least} or higher" if release.least else ""
    if release.bump is Step.NONE:
        return f"follows {release.previous}{least}"
    return f"a {release.bump} step from {release.previous}{least}"
