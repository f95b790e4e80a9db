"""The rules about the versions that a change adds: their numbers, and what these promise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from psreg.compatibility.floor_row import Difference
from psreg.compatibility.release_rows import RELEASE_ROWS
from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding, Span
from psreg.core.excerpt import common_start
from psreg.core.rule import rule
from psreg.core.version import (
    FIRST,
    Step,
    Version,
    demanded,
    is_legal_step,
    legal_next,
    parse_version,
    step_between,
    stepped,
)
from psreg.formats.json.pointer import join
from psreg.formats.toml_document import MOST
from psreg.formats.tree import Submission
from psreg.review.change import ChangeSet, NewRelease

MOST_CHANGES = 20
"""The most findings about the content of one release."""

_IN_RELEASE = frozenset(row.id for row in RELEASE_ROWS)
_ENOUGH = 6
"""The most versions that a message lists."""


def version_location(submission: Submission) -> tuple[str, str]:
    """Return the path and the pointer at which a release states its version."""
    if submission.artifact is None:
        return str(submission.release_path), ""
    pointer = "/metadata/version" if submission.id.format == "prompt" else "/pbe_version"
    return str(submission.artifact_path), pointer


def checked_releases(change: ChangeSet) -> tuple[NewRelease, ...]:
    """Return the new releases that are checked, at most a hundred; CHG014 rejects more."""
    return change.releases[:MOST]


def updates(change: ChangeSet) -> Iterator[tuple[NewRelease, Submission]]:
    """Yield each new release that has a previous one, with the previous one."""
    for release in checked_releases(change):
        if release.previous is not None:
            yield release, release.previous


def versions(previous: Submission, release: NewRelease) -> tuple[Version, Version]:
    """Return the versions of two releases."""
    return parse_version(previous.id.version), parse_version(release.id.version)


def _differences(change: ChangeSet, release: NewRelease) -> tuple[Difference, ...]:
    diff = change.diff(release)
    return diff.differences if diff else ()


def _with_earlier(change: ChangeSet) -> Iterator[tuple[NewRelease, tuple[Version, ...]]]:
    """Yield each new release with the versions before it: the base's, then new ones below it."""
    entry, known = None, [Version(0)]
    for release in checked_releases(change):  # ascending for each entry
        if release.submission.entry is not entry:
            entry, known = release.submission.entry, [parse_version(text) for text in release.known]
        yield release, tuple(known)
        known.append(parse_version(release.id.version))


def _finals(versions: tuple[Version, ...]) -> list[Version]:
    return [version for version in versions if not version.prerelease]


@rule("CHG006", spec="registry/CHANGES", severity=ERROR)
def first_version_unusual(change: ChangeSet) -> Iterator[Finding]:
    """The first version of an entry is neither 0.1.0 nor 1.0.0.

    ## Why
    A version implies what came before it. A first version 3.2.0 implies releases that this
    registry never had, and people would look for them. 0.1.0 says that the prompt may still
    change, 1.0.0 says that people can rely on it. A release candidate such as `1.0.0-rc.1` may
    come before either. Put the version that a prompt had elsewhere in its README.md.

    ## Fix
    Change the name of the folder, and the version inside the artifact, to 0.1.0 or 1.0.0.

    ```text
    before   pbes/prompt/email_reply/3.2.0/
    after    pbes/prompt/email_reply/1.0.0/
    ```
    """
    for release, known in _with_earlier(change):
        if not _finals(known) and not is_legal_step(known, parse_version(release.id.version)):
            path, pointer = version_location(release.submission)
            first = " or ".join(map(str, FIRST))
            yield Finding(
                message=f"the first version must be {first}, not {release.id.version}",
                at=pointer,
                path=path,
                hint=_candidate_hint(release) or f"Write {first}.",
            )


@rule("CHG007", spec="registry/CHANGES", severity=ERROR)
def not_a_next_version(change: ChangeSet) -> Iterator[Finding]:
    """A version does not directly follow an existing release.

    ## Why
    Versions without gaps are easy to follow: after 1.2.0 comes 1.2.1, 1.3.0 or 2.0.0, and people
    who see 1.3.0 know that they missed nothing. A gap is usually a typing error, and one that can
    never be corrected, because a released version never changes. You can continue an older line:
    if 1.0.0 and 1.1.0 are released, 1.0.1 is also a valid next version. A release candidate
    `-rc.1`, `-rc.2` … may come before any of them, but not after.

    ## Fix
    Use a version that the message suggests. `psreg bump NAME patch` creates the folder and writes
    the version into the artifact.

    ```text
    released 1.2.0
    before   1.2.2, 1.4.0, 3.0.0
    after    1.2.1, 1.3.0, 2.0.0
    ```
    """
    for release, known in _with_earlier(change):
        version = parse_version(release.id.version)
        if _finals(known) and not is_legal_step(known, version):
            path, pointer = version_location(release.submission)
            yield Finding(
                message=f"{version} does not follow the released versions: "
                f"{_listed(_finals(known))}",
                at=pointer,
                path=path,
                hint=_candidate_hint(release) or f"Write {_suggested(known, version)}.",
            )


def _candidate_hint(release: NewRelease) -> str:
    if not parse_version(release.id.version).prerelease:
        return ""
    return "Write X.Y.Z-rc.N, where X.Y.Z is a valid next version and N is the next number."


def _listed(versions: list[Version]) -> str:
    shown = ", ".join(map(str, versions[-_ENOUGH:]))
    return f"…, {shown}" if len(versions) > _ENOUGH else shown


def _suggested(known: tuple[Version, ...], version: Version) -> str:
    """Return the next versions nearest to `version`, ascending."""
    legal = legal_next(known)
    near = sum(other < version for other in legal)
    shown = legal[max(0, near - _ENOUGH // 2) :][:_ENOUGH]
    return " or ".join(map(str, shown))


@rule("CHG008", spec="registry/CHANGES pbe-1.0/PBE-21 pbe-1.0/PBE-A13e", severity=ERROR)
def below_the_floor(change: ChangeSet) -> Iterator[Finding]:
    """The version step is smaller than the changes require.

    ## Why
    People let their tools install patches and minor releases without looking. So a patch must not
    break what they rely on: a saved game must load, a variable must exist, a command must be
    understood. psreg compares the releases by meaning, not by text, and each kind of change
    requires a step: something removed or renamed requires a major step, something added a minor
    step, better wording a patch. Before 1.0.0 the second number takes the role of the first. A
    larger step than required is always allowed.

    ## Fix
    Use the version that the message suggests, or undo the change. `psreg diff` lists the changes
    and the step that each requires; `psreg bump NAME auto` chooses the step.

    ```sh
    psreg diff quiz_master@1.2.0 pbes/interactive_engine/quiz_master/1.2.1
    ```
    """
    for release, previous in updates(change):
        old, new = versions(previous, release)
        path, pointer = version_location(release.submission)
        step = step_between(old, new)
        hints = {
            asked: f"Release it as {stepped(old, asked)} or higher; "
            f"{old} to {new} is a {step} step."
            for asked in Step
            if asked > step
        }
        for difference in _differences(change, release):
            hint = hints.get(demanded(difference.step, old))
            if hint:
                yield Finding(
                    message=f"{difference.message}: {difference.reason}",
                    at=pointer,
                    path=path,
                    hint=hint,
                )


@rule("CHG009", spec="registry/CHANGES", severity=INFO)
def behaviour_changed(change: ChangeSet) -> Iterator[Finding]:
    """The new wording changes what the assistant does.

    ## Why
    In a prompt the wording is the program. One more sentence in a termination condition is
    formally a patch, and yet the assistant stops at a different moment. No tool can tell whether
    that is intended, so psreg points it out to the reviewer.

    ## Fix
    You do not need to fix anything. Read the new wording once as the assistant would, and tell
    people in `changes` in release.toml what is different for them:

    ```toml
    changes = "The quiz now ends after the tenth question, not after the first mistake."
    ```
    """
    for release, previous in updates(change):
        found = (d for d in _differences(change, release) if d.behaviour)
        for difference in islice(found, MOST_CHANGES):
            yield Finding(
                message=f"{difference.message}; this changes behaviour, please read it",
                at=_place(difference, previous, release.submission),
                path=str(
                    release.submission.release_path
                    if difference.row in _IN_RELEASE
                    else release.submission.artifact_path
                ),
            )


def _place(difference: Difference, before: Submission, after: Submission) -> str | Span:
    """Return where a release differs: in the artifact, from the first other character on."""
    if difference.row in _IN_RELEASE:
        return difference.pointer
    old, new = (each.documents[each.artifact_path] for each in (before, after))
    if difference.pointer:
        spans = (old.span(difference.pointer), new.span(difference.pointer))
    else:  # the text of a `.prompt`
        spans = (_content(old.text), _content(new.text))
    was, now = (
        each.text[span.start : span.end] for each, span in zip((old, new), spans, strict=True)
    )
    start = spans[1].start + common_start(was, now)
    end = new.text.find("\n", start, spans[1].end)
    return Span(start, end if end > start else spans[1].end)


def _content(text: str) -> Span:
    """Return the part of a `.prompt` below the header [CONTENT]."""
    return Span(text.find("\n[CONTENT]") + 1, len(text))


@rule("CHG010", spec="registry/CHANGES", severity=INFO)
def major_release(change: ChangeSet) -> Iterator[Finding]:
    """A release is a major step, or its version is lower than every existing one.

    ## Why
    A major release is the moment at which an entry may become something else. Everyone who uses it
    has to decide again, so a person looks at it before it is published. Before 1.0.0 a step of the
    second number means the same. If 0.1.0 is released after a candidate of 1.0.0, there is no
    earlier release to compare it with.

    ## Fix
    You do not need to fix anything. Say in `changes` what breaks and what people have to do:

    ```toml
    changes = "The command is `next` instead of `continue`. Saves of 1.x do not load."
    ```
    """
    for release, previous in updates(change):
        old, new = versions(previous, release)
        breaking = Step.MAJOR if old.prerelease else demanded(Step.MAJOR, old)
        if step_between(old, new) >= breaking:
            path, pointer = version_location(release.submission)
            message = f"{old} to {new} is a major step, which may break what people built on it"
            yield Finding(message=message, at=pointer, path=path)
    for release in checked_releases(change):
        if release.known and release.previous is None:
            path, pointer = version_location(release.submission)
            message = f"{release.id.version} is lower than every other version, so no changes show"
            yield Finding(message=message, at=pointer, path=path)


@rule("CHG011", spec="registry/CHANGES", severity=INFO)
def new_name(change: ChangeSet) -> Iterator[Finding]:
    """An entry is new.

    ## Why
    A name is assigned once and forever. No program can tell whether it is appropriate, misleading
    or someone's trademark, or whether the prompt is useful at all. So a person looks at every new
    entry. Later releases are accepted automatically if an owner asks for them and there are no
    errors.

    ## Fix
    You do not need to fix anything. A summary and an example that show at once what the prompt is
    for make the decision easy.

    ```toml
    summary = "Turns a rough note into a polite e-mail in the reader's language."
    ```
    """
    for entry in change.entries:
        if entry.is_new:
            yield Finding(message=f"`{entry.name}` is a new name", path=str(entry.path))


@rule("CHG012", spec="registry/CHANGES", severity=WARNING)
def capability_added(change: ChangeSet) -> Iterator[Finding]:
    """A release declares a capability that the previous one did not.

    ## Why
    People decided to use a prompt that stays within the conversation. If an update goes online,
    works on their files or runs tools, that is a new decision, however useful it may be. It is
    also the first thing that someone with a stolen owner's account would add.

    ## Fix
    If you need the capability, say in `changes` what it is for, and a person reviews it.
    Otherwise remove it from release.toml, and remove the text that asks for it.

    ```toml
    capabilities = ["network"]
    changes = "Looks up the current exchange rate instead of asking for it."
    ```
    """
    for release, previous in updates(change):
        known = {text for _, text in previous.release.strings("capabilities")}
        for index, text in release.submission.release.strings("capabilities"):
            if text not in known:
                yield Finding(
                    message=f"the capability `{text}` is new since {previous.id.version}",
                    at=join(("capabilities", index)),
                    path=str(release.submission.release_path),
                    hint="Say in `changes` what it is for.",
                )


VERSION_RULES = (
    first_version_unusual,
    not_a_next_version,
    below_the_floor,
    behaviour_changed,
    major_release,
    new_name,
    capability_added,
)
