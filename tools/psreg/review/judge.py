"""Judge a change: what it adds to a registry, in the context of all of it, and nothing else.

Pure, and bounded: what a hostile change repeats ten thousand times is told a hundred times and
counted. What stands in the base, untouched, has no finding, whatever it looks like.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TypeVar

from psreg.core.diagnostics import Diagnostic, Finding
from psreg.core.identity import PBES, ReleaseId
from psreg.core.rule import Rule
from psreg.formats.documents import Documents
from psreg.formats.entry import EntryFile
from psreg.formats.irregular import Irregular
from psreg.formats.policy import Policy
from psreg.formats.tree import POLICY, Entry, Submission, Tree
from psreg.lint.engine import by_policy, judge_names, judge_submission, toml_at
from psreg.lint.entries.entry_rules import ENTRY_RULES, alias_not_free
from psreg.lint.entries.tree_rules import TREE_RULES
from psreg.lint.locate import judge_at
from psreg.lint.names.all_names import Names
from psreg.lint.names.near_names import nearby
from psreg.review.change import ChangeSet, TouchedEntry
from psreg.review.rules import CHANGE_RULES

MOST = 100
"""Findings of one rule and level that are told, and entries and versions that are judged."""

_FEW = 20
"""New names that are compared with all others one by one; more are compared all at once."""

_IN_ENTRY = 3
"""Parts of `pbes/<class>/<name>`."""

_Told = TypeVar("_Told", Finding, Diagnostic)


def check_change(change: ChangeSet) -> Iterator[Diagnostic]:
    """Yield what all rules say of what `change` adds, modifies or takes away.

    Of the rules about files, entries, names and the policy these are the findings about what is
    touched, and those that the change causes elsewhere; then come the rules about changes. A
    finding about a file that is gone stands at its beginning. What the policy waives, of the
    rules about changes only the policy of the base, carries the reason in `waived`. Of more than
    `MOST` findings of one rule and level the last one tells how many there are.
    """
    is_ours = _ours(change)
    ordinary = (d for d in _ordinary(change) if is_ours(PurePosixPath(d.path)))
    yield from _bounded(ordinary, lambda d: (d.code, d.severity, d.waived is None))
    yield from _caused_elsewhere(change)
    yield from _of_the_change(change)


def _ours(change: ChangeSet) -> Callable[[PurePosixPath], bool]:
    """Return what tells a file that is touched, or missing in a new folder, from all others."""
    entries = {entry.path for entry in change.entries if entry.is_new}
    releases = {release.id for release in change.releases}

    def is_ours(path: PurePosixPath) -> bool:
        if change.touched(path) is not None:
            return True
        missing = path not in change.head.files
        return missing and (path in entries or ReleaseId.of(path) in releases)

    return is_ours


def _ordinary(change: ChangeSet) -> Iterator[Diagnostic]:
    part = _Part(change.head, _touched_paths(change), _touched_irregular(change))
    yield from judge_at(TREE_RULES, part, part.documents)
    yield from toml_at(part.documents, POLICY)
    for touched in change.entries[:MOST]:
        if touched.head is not None:
            yield from toml_at(touched.head.documents, touched.path)
            yield from judge_at(ENTRY_RULES, touched.head, touched.head.documents)
    for submission in _submissions(change):
        yield from judge_submission(submission)
    yield from _names(change)


def _submissions(change: ChangeSet) -> Iterator[Submission]:
    """Yield the new releases, then the old ones of which a file is touched."""
    new = {release.id for release in change.releases}
    yield from (release.submission for release in change.releases[:MOST])
    touched = {ReleaseId.of(change.path) for change in change.files} - new
    left = MOST
    for entry in change.entries:
        for submission in entry.head.submissions() if entry.head else ():
            if submission.id in touched and left > 0:
                left -= 1
                yield submission


class _Selected(Mapping[PurePosixPath, bytes]):
    """Some of the files of a tree, each read when it is asked for."""

    def __init__(
        self, files: Mapping[PurePosixPath, bytes], paths: Iterable[PurePosixPath]
    ) -> None:
        self._files = files
        self._paths = dict.fromkeys(path for path in paths if path in files)

    def __getitem__(self, path: PurePosixPath) -> bytes:
        if path not in self._paths:
            raise KeyError(path)
        return self._files[path]

    def __iter__(self) -> Iterator[PurePosixPath]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class _Part(Tree):
    """Some files of a tree, with the names and the policy of all of it."""

    def __init__(
        self,
        whole: Tree,
        paths: Iterable[PurePosixPath],
        irregular: Mapping[PurePosixPath, Irregular] = MappingProxyType({}),
    ) -> None:
        super().__init__(_Selected(whole.files, paths), irregular)
        self._whole = whole

    @cached_property
    def policy(self) -> Policy:
        """The policy of the whole tree."""
        return self._whole.policy

    @cached_property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """The class folders in which each name of the whole tree occurs."""
        return self._whole.names


def _touched_paths(change: ChangeSet) -> Iterator[PurePosixPath]:
    """Yield the paths in which findings can point at places: no others are read for them."""
    yield POLICY
    yield from (entry.path for entry in change.entries)
    yield from (file.path for file in change.files if file.path.parts[0] == PBES)


def _touched_irregular(change: ChangeSet) -> dict[PurePosixPath, Irregular]:
    return {
        path: kind
        for path, kind in change.head.irregular.items()
        if path.parts[0] == PBES and change.touched(path)
    }


def _names(change: ChangeSet) -> Iterator[Diagnostic]:
    """Yield what is to be said of names that are new, or have other owners than before."""
    fresh = {(str(e.path), text) for e in change.entries[:MOST] for text in _fresh(e)}
    if not fresh:
        return
    names = change.head.names
    near = nearby((text for _, text in fresh), names) if len(fresh) <= _FEW else set(names)
    touched = {entry.path for entry in change.entries}
    paths = [e.path for e in change.head.entries if e.name in near or _may_have_alias(e)]
    tree = _Part(change.head, [*touched, *paths])
    for diagnostic in judge_names(Names(tree), tree.policy):
        path, pointer = PurePosixPath(diagnostic.path), diagnostic.pointer
        if (diagnostic.path, _name_at(tree, path, pointer)) in fresh:
            yield diagnostic


def _name_at(tree: Tree, path: PurePosixPath, pointer: str) -> str:
    """Return the name that a finding about entry.toml speaks of: an alias or the entry's own."""
    if not pointer:
        return path.parent.name
    file = EntryFile(tree.documents.toml(path))
    return dict(file.strings("aliases"))[int(pointer.rpartition("/")[2])]


def _fresh(entry: TouchedEntry) -> Iterator[str]:
    if entry.head is None:
        return
    before = _accounts(entry.base) if entry.base else None
    if before != _accounts(entry.head):
        yield entry.name
        yield from entry.head.file.aliases
    else:
        known = entry.base.file.aliases if entry.base else ()
        yield from (alias for alias in entry.head.file.aliases if alias not in known)


def _accounts(entry: Entry) -> set[tuple[str, int]]:
    return set(entry.file.accounts)


def _may_have_alias(entry: Entry) -> bool:
    """Tell by a look at the bytes whether entry.toml may list aliases; keys can be escaped."""
    data = entry.tree.files.get(entry.path, b"")
    return b"aliases" in data or b"\\" in data


def _caused_elsewhere(change: ChangeSet) -> Iterator[Diagnostic]:
    """Yield what is wrong with an untouched entry because of a new name: its alias is taken."""
    new = {entry.name for entry in change.entries if entry.is_new}
    for name in sorted(new):
        for entry in change.head.with_alias(name):
            if change.touched(entry.path) is None:
                for diagnostic in judge_at((alias_not_free,), entry, entry.documents):
                    if _name_at(change.head, entry.path, diagnostic.pointer) == name:
                        yield diagnostic


def _of_the_change(change: ChangeSet) -> Iterator[Diagnostic]:
    documents = Documents(_Selected(change.head.files, _touched_paths(change)))
    rules = (replace(rule, check=_few(rule)) for rule in CHANGE_RULES)
    for diagnostic in judge_at(rules, change, documents):
        parts = PurePosixPath(diagnostic.path).parts
        name = parts[2] if len(parts) > _IN_ENTRY and parts[0] == PBES else ""
        yield by_policy(diagnostic, change.base.policy, name)


def _few(rule: Rule[ChangeSet]) -> Callable[[ChangeSet], Iterator[Finding]]:
    """Return the check of a rule, bounded before anything is read for its findings."""
    return lambda change: _bounded(rule.check(change), lambda f: f.severity or rule.severity)


def _bounded(found: Iterable[_Told], key: Callable[[_Told], Hashable]) -> Iterator[_Told]:
    counts: Counter[Hashable] = Counter()
    last: dict[Hashable, _Told] = {}
    for each in found:
        counts[key(each)] += 1
        if counts[key(each)] < MOST:
            yield each
        else:
            last[key(each)] = each
    for kind, each in last.items():
        more = counts[kind] - MOST
        yield replace(each, message=f"{each.message}; and {more:,} more like it") if more else each
