"""The rules about the versions that a change adds: which number, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from semver import Version

from psreg.compatibility import differences
from psreg.compatibility.release_rows import RELEASE_ROWS
from psreg.compatibility.steps import (
    FIRST,
    demanded,
    is_legal_step,
    legal_next,
    step_between,
    stepped,
)
from psreg.core.diagnostics import ERROR, INFO, WARNING, Finding
from psreg.core.rule import rule
from psreg.core.version import Step, parse_version
from psreg.formats.json.pointer import join
from psreg.formats.toml.toml_file import MOST
from psreg.formats.tree import Submission
from psreg.review.change import ChangeSet, NewRelease

MOST_CHANGES = 20
"""Findings about the content of one release, at most."""

_IN_RELEASE = frozenset(row.id for row in RELEASE_ROWS)
_ENOUGH = 6
"""Versions that a message offers."""


def place(submission: Submission) -> tuple[str, str]:
    """Return the path and the pointer at which a release states its version."""
    if submission.artifact is None:
        return str(submission.release_path), ""
    pointer = "/metadata/version" if submission.id.format == "prompt" else "/pbe_version"
    return str(submission.artifact_path), pointer


def judged(change: ChangeSet) -> tuple[NewRelease, ...]:
    """Return the new releases that are judged; of more than a hundred CHG014 makes an error."""
    return change.releases[:MOST]


def updates(change: ChangeSet) -> Iterator[tuple[NewRelease, Submission]]:
    """Yield the new releases that are judged against a previous one, with it."""
    for release in judged(change):
        if release.previous is not None:
            yield release, release.previous


def versions(previous: Submission, release: NewRelease) -> tuple[Version, Version]:
    """Return the versions of two releases."""
    return parse_version(previous.id.version), parse_version(release.id.version)


def _followed(change: ChangeSet) -> Iterator[tuple[NewRelease, tuple[Version, ...]]]:
    """Yield each new release with the versions before it: the base's, then new ones below it."""
    entry, known = None, [Version(0)]
    for release in judged(change):  # ascending for each entry
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
    A version says what it follows. A first version that is 3.2.0 speaks of releases that this
    registry never had, and people would look for them. 0.1.0 says that the form may still
    change, 1.0.0 that one can rely on it; before either a candidate such as `1.0.0-rc.1` may
    come. What a prompt was called elsewhere belongs in its README.md.

    ## Fix
    Call the folder, and the version inside the artifact, 0.1.0 or 1.0.0.

    ```text
    before   pbes/prompt/email_reply/3.2.0/
    after    pbes/prompt/email_reply/1.0.0/
    ```
    """
    for release, known in _followed(change):
        if not _finals(known) and not is_legal_step(known, parse_version(release.id.version)):
            path, pointer = place(release.submission)
            first = " or ".join(map(str, FIRST))
            yield Finding(
                message=f"an entry begins with {first}, not with {release.id.version}",
                at=pointer,
                path=path,
                hint=_candidate(release) or f"Call it {first}.",
            )


@rule("CHG007", spec="registry/CHANGES", severity=ERROR)
def not_a_next_version(change: ChangeSet) -> Iterator[Finding]:
    """A version is not one step from a release that exists.

    ## Why
    Versions without gaps can be followed: after 1.2.0 come 1.2.1, 1.3.0 or 2.0.0, and whoever
    sees 1.3.0 knows that nothing was missed. A gap is mostly a typing error, and one that can
    never be corrected, because a released version stays. An older line can be continued: with
    1.0.0 and 1.1.0 released, 1.0.1 is a next version as well. A candidate `-rc.1`, `-rc.2` … may
    come before any of them, but not after.

    ## Fix
    Take the version that the message names. `psreg bump NAME patch` makes the folder and writes
    the version into the artifact.

    ```text
    released 1.2.0
    before   1.2.2, 1.4.0, 3.0.0
    after    1.2.1, 1.3.0, 2.0.0
    ```
    """
    for release, known in _followed(change):
        version = parse_version(release.id.version)
        if _finals(known) and not is_legal_step(known, version):
            path, pointer = place(release.submission)
            yield Finding(
                message=f"{version} does not follow what was released: {_listed(_finals(known))}",
                at=pointer,
                path=path,
                hint=_candidate(release) or f"Call it {_offered(known, version)}.",
            )


def _candidate(release: NewRelease) -> str:
    if not parse_version(release.id.version).prerelease:
        return ""
    return "A candidate is X.Y.Z-rc.N before a version that may come next, its N one higher."


def _listed(versions: list[Version]) -> str:
    shown = ", ".join(map(str, versions[-_ENOUGH:]))
    return f"…, {shown}" if len(versions) > _ENOUGH else shown


def _offered(known: tuple[Version, ...], version: Version) -> str:
    """Return the next versions nearest to `version`, ascending."""
    legal = legal_next(known)
    near = sum(other < version for other in legal)
    shown = legal[max(0, near - _ENOUGH // 2) :][:_ENOUGH]
    return " or ".join(map(str, shown))


@rule("CHG008", spec="registry/CHANGES pbe-1.0/PBE-21", severity=ERROR)
def below_the_floor(change: ChangeSet) -> Iterator[Finding]:
    """The step of the version is smaller than what changed asks for.

    ## Why
    People let their tools take patches and minor releases without looking. So a patch must not
    break what they built on: a saved game has to load, a variable has to be there, a command
    has to be understood. What changed is compared by meaning, not by text, and each kind of
    change asks for a step: what is lost or renamed for a major one, what is added for a minor
    one, better wording for a patch. Before 1.0.0 the second number takes the place of the first.
    A larger step than needed is always allowed.

    ## Fix
    Take the version that the message names, or take the change back. `psreg diff` lists what
    changed and why it asks for which step; `psreg bump NAME auto` chooses the step.

    ```sh
    psreg diff quiz_master@1.2.0 pbes/interactive_engine/quiz_master/1.2.1
    ```
    """
    for release, previous in updates(change):
        old, new = versions(previous, release)
        path, pointer = place(release.submission)
        step = step_between(old, new)
        for difference in differences(previous, release.submission):
            asked = demanded(difference.step, old)
            if asked > step:
                yield Finding(
                    message=f"{difference.message}: {difference.reason}",
                    at=pointer,
                    path=path,
                    hint=f"This asks for {stepped(old, asked)} or higher; "
                    f"{old} to {new} is a {step} step.",
                )


@rule("CHG009", spec="registry/CHANGES", severity=INFO)
def behaviour_changed(change: ChangeSet) -> Iterator[Finding]:
    """The wording changes what the assistant does: please read it.

    ## Why
    In a prompt the wording is the program. A sentence more in a termination condition is a patch
    by its form, and yet the assistant ends at another moment. No tool can tell whether that was
    meant, so it is pointed out to whoever reviews the change.

    ## Fix
    Nothing needs to be mended. Read the new wording once as the assistant would, and let
    `changes` in release.toml tell people what is different for them:

    ```toml
    changes = "The quiz now ends after the tenth question, not after the first mistake."
    ```
    """
    for release, previous in updates(change):
        found = (d for d in differences(previous, release.submission) if d.behaviour)
        for difference in islice(found, MOST_CHANGES):
            yield Finding(
                message=f"{difference.message}; this changes behaviour, please read it",
                at=difference.pointer,
                path=str(
                    release.submission.release_path
                    if difference.row in _IN_RELEASE
                    else release.submission.artifact_path
                ),
            )


@rule("CHG010", spec="registry/CHANGES", severity=INFO)
def major_release(change: ChangeSet) -> Iterator[Finding]:
    """A release says that it breaks what came before, or comes before all of it.

    ## Why
    A major release is the moment at which an entry may become something else. Everybody who
    follows it has to decide anew, so a person looks at it before it is published. Before 1.0.0 a
    step of the second number means the same. A first 0.1.0 after a candidate of 1.0.0 follows
    nothing that it could be compared with.

    ## Fix
    Nothing needs to be mended. Say in `changes` what breaks and what people have to do:

    ```toml
    changes = "The command is `next` instead of `continue`. Saves of 1.x do not load."
    ```
    """
    for release, previous in updates(change):
        old, new = versions(previous, release)
        breaking = Step.MAJOR if old.prerelease else demanded(Step.MAJOR, old)
        if step_between(old, new) >= breaking:
            path, pointer = place(release.submission)
            message = f"{old} to {new} may break what people built on it"
            yield Finding(message=message, at=pointer, path=path)
    for release in judged(change):
        if release.known and release.previous is None:
            path, pointer = place(release.submission)
            message = f"{release.id.version} comes before all others: nothing shows what changes"
            yield Finding(message=message, at=pointer, path=path)


@rule("CHG011", spec="registry/CHANGES", severity=INFO)
def new_name(change: ChangeSet) -> Iterator[Finding]:
    """An entry is new.

    ## Why
    A name is given once and for ever. Whether it is fitting, misleading or somebody's trade mark
    no program can say; whether the prompt is worth having at all neither. So a person looks at
    every new entry. The releases that follow go through by themselves, if its owners ask for
    them and all is well.

    ## Fix
    Nothing needs to be mended. A summary and an example that show at once what the prompt is
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
    """A release asks for a capability that the one before did without.

    ## Why
    People decided to use a prompt that stays within the conversation. If an update goes online,
    works on their files or runs tools, that is a new decision, however useful it may be. It is
    also what somebody would add first who has got hold of an owner's account.

    ## Fix
    If the capability is meant, say in `changes` what it is for, and a person will look at it.
    Otherwise take it out of release.toml, and what asks for it out of the text.

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
                    message=f"{previous.id.version} did without `{text}`",
                    at=join(("capabilities", index)),
                    path=str(release.submission.release_path),
                    hint="Say in `changes` what it is for.",
                )
