"""Review a change: what it releases, what is wrong with it, and a verdict.

Pure: a change in, a review out. Errors reject. What a program cannot decide, for example a new
name or a waiver, needs a human. Everything else can be merged as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING

from psreg.core.diagnostics import ERROR, Diagnostic, Report
from psreg.core.errors import FindingsError
from psreg.core.identity import Author, EntryId
from psreg.core.rule import RuleTable
from psreg.core.version import Step, parse_version, step_between
from psreg.formats.policy import BY_ORIGIN
from psreg.formats.tree import Submission
from psreg.lint.names.all_names import ENOUGH, similar_candidates
from psreg.lint.names.similarity import bare, distance
from psreg.review.change import ChangeSet, NewRelease, Touch
from psreg.review.judge import check_change, explained
from psreg.review.rules import HUMAN
from psreg.review.rules.version_rules import below_the_floor, checked_releases
from psreg.review.suggestions import in_diff, suggestions
from psreg.review.verdict import Reason, Review, ReviewedRelease, Verdict

if TYPE_CHECKING:
    from psreg.registry.owners.to_sign import Signable

MissingFiles = Callable[[NewRelease, Author | None], Mapping[PurePosixPath, str]]
"""Drafts the files that a release lacks, for the author of the change: text by path."""


_LISTED = 3
"""Files with errors that are named; if there are more, they are only counted."""

APPROVALS: Mapping[str, str] = {
    "CHG002": "a maintainer approves the purge of `{path}`",
    "CHG010": "a maintainer approves the major release of `{name}`",
    "CHG011": "a maintainer approves the new name `{name}`",
    "CHG012": "a maintainer approves the new capabilities of `{name}`",
    "CHG013": "a maintainer approves the files outside pbes/",
    "CHG014": "submit each entry in its own pull request, or a maintainer approves them together",
    "CHG017": "run the review where the forge identifies the author, or pass `--author-id`",
    "CHG018": "an owner of `{name}` approves the change",
    "CHG019": "a maintainer approves the change, because `{name}` has no owner",
    "CHG020": "a maintainer approves the new owners of `{name}`",
    "CHG023": "a maintainer approves the new licence of `{name}`",
    "CHG024": "test `{name}` on the missing platforms, or a maintainer approves without it",
    "CHG026": "an owner signs `{name}`, or a maintainer approves without a signature",
    "CHG027": "a maintainer approves that a yanked version of `{name}` returns",
    "CHG028": "a maintainer approves the deprecation of `{name}`",
    "CHG029": "a maintainer approves that a retired name can be used again",
    "CHG030": "a maintainer approves the aliases of `{name}`",
    "CHG031": "fix the entries that require it first, or a maintainer approves",
    "CHG035": "submit each version of `{name}` separately, or a maintainer approves them together",
    "NAME004": "a maintainer confirms that `{name}` differs enough from similar names",
    "NAME005": "a maintainer confirms that `{name}` does not imitate another entry",
    "NAME008": "a maintainer confirms that `{name}` does not imitate another entry",
    "REG037": "say who wrote the text of `{name}`; then a maintainer approves both entries",
    "PS081": "a maintainer approves what is new in `{name}`",
}
"""What would resolve a finding that needs a person, by its code."""

_BY_OWNERS = ("CHG018", "CHG026")
"""The findings that an owner can resolve."""


def review(
    change: ChangeSet,
    rules: RuleTable,
    *,
    missing_files: MissingFiles,
    base: str = "",
    head: str = "",
) -> Review:
    """Return the review of `change`; `base` and `head` are the ids of its two commits."""
    files = [one for one in change.files if one.touch is not Touch.DELETED]
    policy = change.base.policy
    found = explained(change, check_change(change, rules))
    report = Report.of(len(files), found, policy.site_address)
    reasons = tuple(dict.fromkeys(_reasons(report.diagnostics, _stated_origins(change))))
    verdict = _verdict(reasons)
    rejected = verdict is Verdict.REJECT
    releases = tuple(
        _released(new, change, missing_files, rejected=rejected) for new in checked_releases(change)
    )
    fixes = suggestions(report.diagnostics, change.head.files)
    return Review(
        verdict=verdict,
        reasons=reasons,
        would_change_verdict=tuple(advice(report, reasons, releases, _owners(change))),
        releases=releases,
        effects=tuple(_effects(change)),
        approvers=tuple(dict.fromkeys(_approvers(change, reasons))),
        suggestions=fixes,
        in_diff=in_diff(fixes, change),
        report=report,
        base=base,
        head=head,
        needs_human_fails=policy.needs_human_fails,
        owner_changes=() if rejected else tuple(_owner_changes(change)),
        yanks=() if rejected else tuple(_yanks(change)),
        objections=tuple(_objections(change)),
    )


def _owners(change: ChangeSet) -> Mapping[str, tuple[str, ...]]:
    """Return the logins of the owners in the base, by the name of each touched entry."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in change.entries:
        rows = entry.base.file.owners if entry.base else ()
        logins = (row.get("login") for row in rows)
        found[entry.name] = tuple(login for login in logins if isinstance(login, str) and login)
    return found


def _approvers(change: ChangeSet, reasons: Iterable[Reason]) -> Iterator[tuple[str, int]]:
    """Yield the owners in the base whose approval resolves a reason, without the author."""
    paths = [PurePosixPath(reason.path) for reason in reasons if reason.code in _BY_OWNERS]
    author = (change.author.forge, change.author.id) if change.author else None
    for entry in change.entries:
        if entry.base and any(path.is_relative_to(entry.path.parent) for path in paths):
            yield from (account for account in entry.base.file.accounts if account != author)


def _effects(change: ChangeSet) -> Iterator[str]:
    """Yield what merging would do to versions and names that people already have."""
    for entry in change.entries:
        if entry.base is None or entry.head is None or change.touched(entry.path) is None:
            continue
        before, after, name = entry.base.file, entry.head.file, entry.name
        for version in sorted(after.yanked.keys() - before.yanked.keys()):
            yield (
                f"`{name}` {version} is yanked: ranges no longer choose it, and who pinned it can"
                f" still install it, with the warning: {after.yanked[version]}"
            )
        if after.deprecated is not None and before.deprecated is None:
            yield (
                f"`{name}` is deprecated: it can still be installed, and everyone who does is told:"
                f" {after.deprecated.get('reason', '')}"
            )


def refusal(error: FindingsError, *, base: str, head: str) -> Review:
    """Return the review that rejects a change because it cannot be reviewed."""
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


def _stated_origins(change: ChangeSet) -> Mapping[tuple[str, str], str]:
    """Return the origins that only the author of the change states and that waive a finding.

    They are listed by code and path of the finding. An origin that the previous release stated was
    confirmed when that was merged.
    """
    return {
        (code, str(new.submission.release_path)): address
        for new in checked_releases(change)
        if (address := new.submission.release.origin.get("address"))
        and not (new.previous and new.previous.release.origin.get("address") == address)
        for code in BY_ORIGIN
        if not change.base.policy.waiver(code, new.id.name)
    }


def _reasons(
    found: Iterable[Diagnostic], origins: Mapping[tuple[str, str], str]
) -> Iterator[Reason]:
    """Yield why the change cannot simply be merged, in the order of the findings.

    NOTE: the maintainers decided on a waiver in the policy; a waiver by the author is a request,
    and so is one for an origin that the author states.
    """
    for d in found:
        if d.waived is None and d.severity is ERROR:
            yield _reason(d, Verdict.REJECT)
        elif d.waived is None and d.code in HUMAN:
            yield _reason(d, Verdict.NEEDS_HUMAN)
        elif d.waived is not None and d.waived_by == "release":
            said = f"{d.message}; waived: {d.waived}"
            yield replace(_reason(d, Verdict.NEEDS_HUMAN), message=said, waived=True)
        elif d.waived is not None and (origin := origins.get((d.code, d.path))):
            said = f"{d.message}; waived for {origin}, where it is from as its author states"
            yield replace(_reason(d, Verdict.NEEDS_HUMAN), message=said, waived=True)


def _reason(d: Diagnostic, effect: Verdict) -> Reason:
    return Reason(code=d.code, message=d.message, effect=effect, path=d.path)


def _verdict(reasons: Iterable[Reason]) -> Verdict:
    effects = {reason.effect for reason in reasons}
    if Verdict.REJECT in effects:
        return Verdict.REJECT
    return Verdict.NEEDS_HUMAN if effects else Verdict.ACCEPT


def _released(
    new: NewRelease, change: ChangeSet, missing_files: MissingFiles, *, rejected: bool
) -> ReviewedRelease:
    from psreg.lint.score import score  # noqa: PLC0415 - only a release has one

    submission, previous = new.submission, new.previous
    bump, diff = Step.NONE, change.diff(new)
    if previous:
        bump = step_between(parse_version(previous.id.version), parse_version(new.id.version))
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
        signable=None if rejected else _signable(new, change),
    )


def _signable(new: NewRelease, change: ChangeSet) -> Signable | None:
    """Return what the owners of a new release sign, None if none of them lists a key."""
    entry = new.submission.entry
    if next(entry.file.keys, None) is None:
        return None
    return change.to_sign(entry, new.id.version)


def _owner_changes(change: ChangeSet) -> Iterator[Signable]:
    """Yield the changes of owners that those before have to sign."""
    for entry in change.entries:
        old, new = entry.base and entry.base.file, entry.head and entry.head.file
        if (
            entry.head
            and old
            and new
            and (old.owners, old.threshold) != (new.owners, new.threshold)
        ):
            signable = change.to_sign(entry.head, None)
            if signable is not None:
                yield signable


def _objections(change: ChangeSet) -> Iterator[Signable]:
    """Yield what an owner of a touched entry signs against its recovery."""
    for entry in change.entries:
        sides = [each for each in (entry.base, entry.head) if each]
        if entry.head and any(next(each.file.keys, None) for each in sides):
            signable = change.to_object(entry.head)
            if signable is not None:
                yield signable


def _yanks(change: ChangeSet) -> Iterator[Signable]:
    """Yield the yanks of claimed names, and the ends of yanks, that an owner has to sign."""
    for entry in change.entries:
        if entry.base is None or entry.head is None:
            continue
        old, new = entry.base.file.yanked, entry.head.file.yanked
        for version in sorted(old.keys() | new.keys()):
            if old.get(version) == new.get(version):
                continue
            if (signable := change.to_yank(entry.head, version)) is not None:
                yield signable


def _capabilities(submission: Submission | None) -> set[str]:
    if submission is None:
        return set()
    return {text for _, text in submission.release.strings("capabilities")}


def similar_names(name: str, others: Iterable[str]) -> tuple[str, ...]:
    """Return those of `others` that are similar to `name`, the most similar first, at most ten."""
    similar = similar_candidates([name], others) - {name}
    ranked = sorted(similar, key=lambda other: (distance(bare(name), bare(other)), other))
    return tuple(ranked[:ENOUGH])


def advice(
    report: Report,
    reasons: Iterable[Reason],
    releases: Iterable[ReviewedRelease],
    owners: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Iterator[str]:
    """Yield what would change the verdict: first what to fix, then who has to approve.

    `owners` are the logins of the owners by the name of the entry.
    """
    for release in releases:
        if release.least:
            yield f"release `{release.id.name}` as {release.least}"
    step = below_the_floor.code  # the line above covers it
    errors = [d for d in report.standing() if d.severity is ERROR and d.code != step]
    if errors:
        yield from _fix(errors)
    human = (reason for reason in reasons if reason.effect is Verdict.NEEDS_HUMAN)
    yield from dict.fromkeys(_approve(reason, owners) for reason in human)


def _fix(errors: Sequence[Diagnostic]) -> Iterator[str]:
    paths = list(dict.fromkeys(error.path for error in errors))
    count = "the error" if len(errors) == 1 else f"the {len(errors)} errors"
    where = f"{len(paths)} files"
    if len(paths) <= _LISTED:
        where = ", ".join(f"`{path}`" for path in paths)
    yield f"fix {count} in {where}"
    if any(error.fix for error in errors):  # one fix may resolve several errors
        yield f"`psreg check --fix` fixes {'it' if len(errors) == 1 else 'some or all of them'}"


def _approve(reason: Reason, owners: Mapping[str, tuple[str, ...]]) -> str:
    entry = EntryId.of(PurePosixPath(reason.path).parent)
    name = entry.name if entry else reason.path
    sentence = APPROVALS.get(reason.code)
    if sentence is None or reason.waived:
        return f"a maintainer approves the waiver of {reason.code} in `{name}`"
    named = owners.get(name, ())[:_LISTED] if reason.code in _BY_OWNERS else ()
    return sentence.format(name=name, path=reason.path) + (
        f" ({', '.join(named)})" if named else ""
    )
