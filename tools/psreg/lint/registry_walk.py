"""The walk over the subjects of a registry: its tree, entries, releases and names.

A `Selection` is the part of a tree that is checked. The walk is the same for a whole tree, for one
entry, for the share of a process, and for the files that a change touches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import NamedTuple
from zlib import crc32

from psreg.core.diagnostics import Diagnostic, Mode
from psreg.core.identity import EntryId, ReleaseId
from psreg.core.rule import RuleTable
from psreg.formats.layout import KNOWN_FILES, Irregular
from psreg.formats.policy import Policy
from psreg.formats.tree import POLICY, Entry, Submission, Tree
from psreg.formats.waivers import waiver_for
from psreg.lint.engine import Engine
from psreg.lint.entries.submission_rules import MAX_FILE, MAX_FILES
from psreg.lint.entries.tree_rules import Copies, ReleaseSketch, newest
from psreg.lint.entries.waiver_rules import RegistryPolicy, ReleaseWaivers
from psreg.lint.names.all_names import Names

WHOLE = PurePosixPath()
"""The root folder, which contains everything."""


def _any(_: Diagnostic) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The part of a tree that is checked: itself and its policy, some entries, releases and names.

    If `tree` is None, only the others are checked. Only findings for which `counts` is true count.
    `policy` is the one whose waivers apply, if it is not that of the tree. `copies` are the
    releases that are compared with those of other names.
    """

    tree: Tree | None
    entries: Iterable[Entry]
    submissions: Iterable[Submission]
    names: Names | None
    counts: Callable[[Diagnostic], bool] = _any
    policy: Policy | None = None
    copies: Copies | None = None


class Walk:
    """Checks a selection of a registry by the rules of a table."""

    def __init__(self, rules: RuleTable) -> None:
        self._rules = rules
        self._engine = Engine(rules)

    def check(self, selected: Selection) -> Iterator[Diagnostic]:
        """Yield the findings about the selection; waived ones carry the reason."""
        return filter(selected.counts, self._walk(selected))

    def _walk(self, selected: Selection) -> Iterator[Diagnostic]:
        if tree := selected.tree:
            yield from self._engine.about(tree, tree.documents)
            yield from self._engine.about(RegistryPolicy(tree, self._rules), tree.documents)
            yield from self._engine.toml_at(POLICY, tree.documents)
        for entry in selected.entries:
            yield from self._engine.toml_at(entry.path, entry.documents)
            yield from self._engine.about(entry, entry.documents)
        for submission in selected.submissions:
            for found in self._submission(submission):
                waiver = waiver_for(found.code, submission, selected.policy)
                if waiver:
                    found = replace(found, waived=waiver.reason, waived_by=waiver.by)  # noqa: PLW2901
                origin = submission.release.origin.get("address", "")
                yield _unapplied(found, submission.tree.policy, origin)
        subjects: Iterable[Names | Copies] = filter(None, (selected.names, selected.copies))
        for subject in subjects:
            for found in self._engine.about(subject, subject.tree.documents):
                found = by_policy(found, selected.policy or subject.tree.policy)  # noqa: PLW2901
                yield _unapplied(found, subject.tree.policy)

    def _submission(self, submission: Submission) -> Iterator[Diagnostic]:
        documents, path = submission.documents, str(submission.artifact_path)
        capabilities = tuple(text for _, text in submission.release.strings("capabilities"))
        if submission.pbe is not None:
            yield from self._engine.pbe(submission.pbe, path, Mode.STRICT, capabilities)
        if submission.prompt is not None:
            yield from self._engine.prompt(submission.prompt, path, Mode.STRICT, capabilities)
        yield from self._engine.toml_at(submission.release_path, documents)
        yield from self._engine.readme_at(submission.readme_path, documents)
        for extra in extra_files(submission):
            yield from self._engine.extra_file_at(extra, documents)
        yield from self._engine.about(submission, documents)
        yield from self._engine.about(ReleaseWaivers(submission, self._rules), documents)
        if submission.release.protocols:
            # NOTE: few releases declare one, and the rules of all protocols take long to import.
            from psreg.lint.release_transcripts import judge_evidence  # noqa: PLC0415

            yield from judge_evidence(submission)


def extra_files(submission: Submission) -> Iterator[PurePosixPath]:
    """Yield the files that content rules read besides artifact, release.toml and README.md.

    Other rules report files that are too large or too many.
    """
    known = (submission.id.filename, *KNOWN_FILES)
    for path in submission.paths[:MAX_FILES]:
        if submission.places[path] not in known and len(submission.tree.files[path]) <= MAX_FILE:
            yield path


def _unapplied(found: Diagnostic, policy: Policy, origin: str = "") -> Diagnostic:
    """Return `found`; if only `policy`, whose waivers do not apply, waives it, it says so."""
    if found.waived is not None or by_policy(found, policy, origin).waived is None:
        return found
    message = f"{found.message}; the waiver in {POLICY} is not applied to the change it comes with"
    return replace(found, message=message)


def by_policy(found: Diagnostic, policy: Policy, origin: str = "") -> Diagnostic:
    """Return `found`, with the reason if `policy` waives it for the entry or the origin."""
    entry = EntryId.of(PurePosixPath(found.path).parent)
    reason = policy.waiver(found.code, entry.name if entry else "", origin)
    return replace(found, waived=reason, waived_by="policy") if reason else found


def check_tree(
    files: Mapping[PurePosixPath, bytes],
    rules: RuleTable,
    *,
    irregular: Mapping[PurePosixPath, Irregular] = MappingProxyType({}),
    within: PurePosixPath = WHOLE,
    today: date | None = None,
) -> Iterator[Diagnostic]:
    """Yield the findings of all rules about a tree: artifacts, TOML files, folders, names.

    `irregular` has the files that are not plain ones; `today` is the day of the check. A finding
    that a person waived carries the reason in `waived`. For `within` see `check_share`.
    """
    tree = Tree(files, irregular, today=today)
    done = check_share(tree, rules, share=0, shares=1, within=within)
    yield from done.found
    yield from check_copies(tree, rules, done.sketches)


class CheckedShare(NamedTuple):
    """The findings about a share of a tree, and the sketch of the newest release of each entry."""

    found: list[Diagnostic]
    sketches: list[ReleaseSketch]
    digest: str = ""
    """Of the files that a share read by itself."""


def check_share(
    tree: Tree, rules: RuleTable, *, share: int, shares: int, within: PurePosixPath = WHOLE
) -> CheckedShare:
    """Check one of the shares of a tree, so that processes can divide it.

    Each entry belongs to the share of its name; checks that are not about a single entry belong to
    share 0. All findings about files in the folder `within` are found, except those of
    `check_copies`; others may be missing. In a folder of one entry nothing is compared with others.
    """
    own = [entry for entry in tree.entries if share_of(entry.name, shares) == share]
    entries = [entry for entry in own if _meet(entry.id.folder, within)]
    first, in_version = share == 0, ReleaseId.of(within) is not None
    done = CheckedShare([], [])
    submissions: Iterable[Submission] = (each for one in entries for each in one.submissions())
    if EntryId.of(within) is None:
        submissions = _sketched(submissions, done.sketches)
        inside = {entry.id for entry in entries}
        others = (each for one in own if one.id not in inside for each in one.submissions())
        done.sketches.extend(ReleaseSketch.of(each) for each in others if _is_newest(each))
    selected = Selection(
        tree=tree if first else None,
        entries=entries,
        submissions=submissions,
        names=Names(tree) if first and not in_version else None,  # they come from entry.toml
    )
    done.found.extend(Walk(rules).check(selected))
    return done


def check_copies(
    tree: Tree, rules: RuleTable, sketches: Sequence[ReleaseSketch]
) -> Iterator[Diagnostic]:
    """Yield the findings about the releases of a tree that are nearly copies of each other."""
    copies = Copies(tree, sketches)
    return Walk(rules).check(
        Selection(tree=None, entries=(), submissions=(), names=None, copies=copies)
    )


def _sketched(
    submissions: Iterable[Submission], sketches: list[ReleaseSketch]
) -> Iterator[Submission]:
    """Yield releases, and add the sketch of each that is the newest of its entry.

    A sketch is made after the release was checked, when its files have been parsed.
    """
    for submission in submissions:
        yield submission
        if _is_newest(submission):
            sketches.append(ReleaseSketch.of(submission))


def _is_newest(submission: Submission) -> bool:
    return submission.id.version == newest(submission.entry)


def share_of(name: str, shares: int) -> int:
    """Return the share to which the entry called `name` belongs."""
    return crc32(name.encode()) % shares


def _meet(one: PurePosixPath, other: PurePosixPath) -> bool:
    """Tell whether one of two folders is in the other."""
    return one.is_relative_to(other) or other.is_relative_to(one)
