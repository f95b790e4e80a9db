"""The rules about what a release has less of than the one before: rights, proof, warnings."""

from __future__ import annotations

from collections.abc import Iterator

from psreg.core.diagnostics import WARNING, Finding
from psreg.core.rule import rule
from psreg.formats.declared_protocols import STUB
from psreg.formats.json import json_document
from psreg.formats.tree import Submission
from psreg.registry.build import STATEMENT
from psreg.review.change import ChangeSet
from psreg.review.rules.released_rules import signatures
from psreg.review.rules.version_rules import updates


@rule("CHG023", spec="registry/CHANGES", severity=WARNING)
def license_changed(change: ChangeSet) -> Iterator[Finding]:
    """A release has another licence than the one before.

    ## Why
    People who use an entry have decided that they may. Another licence can take that away in an
    update that nobody reads, and whether all who wrote the text agreed to it no program can say.
    Earlier releases keep the licence they had.

    ## Fix
    Put the licence back, or say in `changes` that it is another one and why; a person will look
    at it.

    ```toml
    license = "MIT"
    ```
    """
    for release, previous in updates(change):
        old, new = (s.release.text("license").strip() for s in (previous, release.submission))
        if old and new and old != new:
            yield Finding(
                message=f"the licence is {new}; {previous.id.version} has {old}",
                at="/license",
                path=str(release.submission.release_path),
                hint=f"Put {old} back, or say in `changes` why it is another one.",
            )


@rule("CHG024", spec="registry/CHANGES", severity=WARNING)
def evidence_dropped(change: ChangeSet) -> Iterator[Finding]:
    """A release was run on fewer platforms than the one before.

    ## Why
    Whoever uses the entry with the assistant that is missing now learns nothing of it until it
    fails. Test runs hold for one text only, so each release has its own, even after a small
    change: small changes of wording are what breaks prompts.

    ## Fix
    Run the new artifact on the platforms the message names and add their rows, or say in
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
                message=f"{previous.id.version} was also run on {', '.join(sorted(gone))}",
                at="/tested",
                path=str(release.submission.release_path),
                hint="Run this text there and add the row, or say so in `limitations`.",
            )


def _platforms(submission: Submission) -> set[str]:
    runs = submission.release.tested
    return {run.platform for run in runs if run.result == "pass" and run.platform != STUB}


@rule("CHG025", spec="registry/CHANGES", severity=WARNING)
def limitation_dropped(change: ChangeSet) -> Iterator[Finding]:
    """A limitation that the release before named is not named any more.

    ## Why
    A limitation tells people where not to rely on a prompt. It rarely goes away by itself; it
    goes missing when release.toml is written anew. If the new version really does without it,
    that is good news which belongs in `changes`.

    ## Fix
    Put the sentence back, or say in `changes` what overcame it.

    ```toml
    limitations = ["Needs file upload to resume a save."]
    ```
    """
    for release, previous in updates(change):
        new = [text for _, text in release.submission.release.strings("limitations")]
        old = [text for _, text in previous.release.strings("limitations")]
        # NOTE: as many as before, in other words, is an edit and no loss.
        if release.submission.release.tree.parsed and len(new) < len(old):
            for text in (text for text in old if text not in new):
                yield Finding(
                    message=f"{previous.id.version} said: {text}",
                    at="/limitations",
                    path=str(release.submission.release_path),
                    hint="Put it back, or say in `changes` what overcame it.",
                )


@rule("CHG026", spec="registry/CHANGES", severity=WARNING)
def signature_dropped(change: ChangeSet) -> Iterator[Finding]:
    """A release has fewer signatures of its owners than the one before.

    ## Why
    An owner who signs shows that the release comes from whoever has the key, and not only from
    whoever has the account. If signatures are missing all at once, somebody may have the account
    alone.

    ## Fix
    Let the owners sign the release; its `statement.json` may also come later, in a change of its
    own. If a key is lost, tell the keepers of the registry.

    ```text
    pbes/prompt/email_reply/1.2.0/statement.json
    ```
    """
    for release, previous in updates(change):
        old, new = _signatures(previous), _signatures(release.submission)
        if new < old:
            yield Finding(
                message=f"{previous.id.version} has {old} signature(s), this release has {new}",
                path=str(release.submission.folder / STATEMENT),
                hint="Let the owners sign it; statement.json may also come later.",
            )


def _signatures(submission: Submission) -> int:
    data = submission.tree.files.get(submission.folder / STATEMENT)
    return len(signatures(json_document.parse(data).value)) if data else 0
