"""The rules about what a release lost since the previous one: rights, evidence, warnings."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import WARNING, Finding
from psreg.core.rule import rule
from psreg.formats.tree import Submission
from psreg.review.change import ChangeSet
from psreg.review.rules.version_rules import updates


@rule("CHG023", spec="registry/CHANGES", severity=WARNING)
def license_changed(change: ChangeSet) -> Iterator[Finding]:
    """The licence differs from that of the previous release.

    ## Why
    People who use an entry checked that its licence allows it. A different licence can take that
    right away in an update that no one reads. A program cannot tell whether everyone who wrote the
    text agreed to it. Earlier releases keep their licence.

    ## Fix
    Restore the licence, or explain the new one in `changes`; a person reviews it.

    ```toml
    license = "MIT"
    ```
    """
    for release, previous in updates(change):
        old, new = (s.release.text("license").strip() for s in (previous, release.submission))
        if old and new and old != new:
            yield Finding(
                message=f"the licence is `{new}`; {previous.id.version} has `{old}`",
                at="/license",
                path=str(release.submission.release_path),
                hint=f"Write `{old}`, or explain the new licence in `changes`.",
            )


@rule("CHG024", spec="registry/CHANGES", severity=WARNING)
def evidence_dropped(change: ChangeSet) -> Iterator[Finding]:
    """A release was tested on fewer platforms than the previous one.

    ## Why
    People who use the entry on a missing platform do not notice until it fails. A test run is
    valid for one text only, so each release needs its own, even after a small change: small
    changes of wording are what breaks prompts.

    ## Fix
    Run the new artifact on the platforms that the message names and add their rows, or say in
    `limitations` that it no longer works there.

    ```toml
    [[tested]]
    platform = "claude"
    model = "the model's own name"
    date = 2026-11-01
    sha256 = "the output of: sha256sum quiz_master.pbe.txt"
    result = "pass"
    evidence = "evidence/claude.jsonl"
    ```
    """
    for release, previous in updates(change):
        gone = _platforms(previous) - _platforms(release.submission)
        if gone and len(_platforms(release.submission)) < len(_platforms(previous)):
            yield Finding(
                message=f"{previous.id.version} was also tested on {', '.join(sorted(gone))}",
                at="/tested",
                path=str(release.submission.release_path),
                hint="Run this text there and add the row, or name the platform in `limitations`.",
            )


def _platforms(submission: Submission) -> set[str]:
    if not submission.release.tested:
        return set()
    from psreg.lint.entries.tested_runs import judged_runs  # noqa: PLC0415 - few have any

    return {judged.platform for judged in judged_runs(submission) if judged.passed}


@rule("CHG025", spec="registry/CHANGES", severity=WARNING)
def limitation_dropped(change: ChangeSet) -> Iterator[Finding]:
    """A limitation of the previous release was dropped.

    ## Why
    A limitation tells people where not to rely on a prompt. It rarely disappears by itself; it
    gets lost when release.toml is written from scratch. If the new version really no longer has
    it, that is good news for `changes`.

    ## Fix
    Restore the sentence, or say in `changes` what removed the limitation.

    ```toml
    limitations = ["Needs file upload to resume a save."]
    ```
    """
    for release, previous in updates(change):
        new = [text for _, text in release.submission.release.strings("limitations")]
        old = [text for _, text in previous.release.strings("limitations")]
        # NOTE: the same number in other words is an edit, not a loss.
        if release.submission.release.tree.parsed and len(new) < len(old):
            for text in (text for text in old if text not in new):
                yield Finding(
                    message=f"{previous.id.version} listed this limitation: {text}",
                    at="/limitations",
                    path=str(release.submission.release_path),
                    hint="Restore it, or say in `changes` what removed it.",
                )


@rule("CHG026", spec="registry/CHANGES", severity=WARNING)
def signature_dropped(change: ChangeSet) -> Iterator[Finding]:
    """A release has fewer owners' signatures than the previous one.

    ## Why
    A signature shows that the release comes from the holder of an owner's key, not only from
    someone with access to the account. If signatures are suddenly missing, someone may have
    access to the account alone.

    ## Fix
    Ask the owners to sign the release. Signatures can also be added later, in a separate change.
    If a key is lost, tell the registry's maintainers.

    ```sh
    psreg sign email_reply
    ```
    """
    for release, previous in updates(change):
        old, new = _signatures(previous), _signatures(release.submission)
        if new < old:
            yield Finding(
                message=f"{previous.id.version} has {old} signature(s), this release has {new}",
                path=str(release.submission.release_path),
                hint="Ask the owners to run `psreg sign`; signatures can also be added later.",
            )


def _signatures(submission: Submission) -> int:
    return [release for release, _ in submission.entry.signatures.values()].count(submission.id)


REGRESSION_RULES = (license_changed, evidence_dropped, limitation_dropped, signature_dropped)
