"""Check a change: only what it adds to a registry, in the context of the whole registry.

Pure and bounded: what a hostile change repeats ten thousand times is reported a hundred times and
counted. There is no finding about what the base has and the change does not touch.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any, TypeVar

from psreg.core.diagnostics import Diagnostic, Document, Finding
from psreg.core.identity import PBES, EntryId, ReleaseId, is_name
from psreg.core.rule import Rule, RuleTable
from psreg.formats.tree import POLICY, Entry, Submission, Tree
from psreg.lint.content.texts import Content
from psreg.lint.entries.entry_rules import alias_not_free
from psreg.lint.entries.tree_rules import Copies, ReleaseSketch
from psreg.lint.locate import judge_at
from psreg.lint.names.all_names import Names, similar_candidates, stated_owners
from psreg.lint.names.similarity import Owners
from psreg.lint.registry_walk import Selection, Walk, by_policy
from psreg.review.change import ChangeSet, TouchedEntry

MOST = 100
"""Maximum findings reported per rule and severity, and entries and versions checked."""

_QUOTED = re.compile("`([a-z0-9_]+)`")

_ABOUT_NAMES = frozenset(
    ["REG005", "REG024", "CHG018", "CHG019"] + [f"NAME00{n}" for n in (1, 2, 3, 4, 5, 8)]
)
"""Rules whose findings can be due to a name that was merged after the change was made."""

_ABOUT_VERSIONS = ("CHG006", "CHG007")
"""Rules whose findings can be due to a version that was merged after the change was made."""

_FEW = 20
"""Maximum new names that are compared one by one; more are compared all at once."""

_Told = TypeVar("_Told", Finding, Diagnostic)


def check_change(change: ChangeSet, rules: RuleTable) -> Iterator[Diagnostic]:
    """Yield the findings of all rules about what `change` adds, modifies or removes.

    First come the rules about files, entries, names and the policy, with the findings about what is
    touched and those that the change causes elsewhere; then the rules about changes. A finding
    about a file that is gone is at its start. A finding that the policy waives carries the reason
    in `waived`; for rules about changes, that is the policy of the base. If a rule has more than
    `MOST` findings of one severity, the last one says how many more there are.
    """
    touched = change.head.part(_touched_paths(change))
    shared = (_shared(rule, change) for rule in rules)
    ordinary = Walk(RuleTable(shared, lambda: rules)).check(_selection(change, touched))
    yield from _bounded(ordinary, lambda d: (d.code, d.severity, d.waived is None))
    yield from _caused_elsewhere(change)
    few = (replace(rule, check=_few(rule)) for rule in rules.about(change))
    for diagnostic in judge_at(few, change, _Documents(change, touched)):
        yield by_policy(diagnostic, change.base.policy)


def _shared(rule: Rule[Any], change: ChangeSet) -> Rule[Any]:
    """Return the rule such that the rules about the change know what it found in a text."""
    if rule.subject != Content.__name__:
        return rule
    return replace(rule, check=partial(change.found, rule))


class _Documents(dict[PurePosixPath, Document]):
    """The documents of `touched`, read when asked for; those of a release are read only once."""

    def __init__(self, change: ChangeSet, touched: Tree) -> None:
        super().__init__()
        self._touched = touched.documents
        self._new = {
            path: release.submission.documents
            for release in change.releases[:MOST]
            for path in release.submission.paths
        }

    def __missing__(self, path: PurePosixPath) -> Document:
        return self._new.get(path, self._touched)[path]


def explained(change: ChangeSet, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the findings; those that are due to what was merged since the change say so."""
    for d in found:
        id_ = EntryId.of(PurePosixPath(d.path).parent)
        if d.code in _ABOUT_NAMES:
            yield _taken(change, d, id_.name if id_ else "")
        elif d.code in _ABOUT_VERSIONS:
            new = [one.version for one in change.landed.releases if one.entry == id_]
            said = f"; {', '.join(sorted(new))} was released in the meantime" if new else ""
            yield replace(d, message=d.message + said)
        else:
            yield d


def _taken(change: ChangeSet, d: Diagnostic, own: str) -> Diagnostic:
    """Return a finding about a name, with a free name if its name was taken in the meantime."""
    landed = [name for name in _QUOTED.findall(d.message) if name in change.landed.names]
    if not landed:
        return d
    mine = next((e.name for e in change.entries if e.is_new and e.name in (own, *landed)), own)
    taken = change.landed.taken()
    free = next((name for name in _candidates(change, mine) if _is_free(name, taken)), "")
    hint = f"Rename yours, for example to `{free}`." if free else d.hint
    return replace(d, message=f"{d.message}; `{landed[0]}` was taken in the meantime", hint=hint)


def _candidates(change: ChangeSet, name: str) -> Iterator[str]:
    """Yield names that say more than `name`: with a tag of the release, or with its class."""
    for new in change.releases[:MOST]:
        if new.id.name == name:
            tags = (tag for _, tag in new.submission.release.strings("tags"))
            yield from (f"{name}_{tag.replace('-', '_')}" for tag in tags)
            yield f"{name}_{new.id.entry_class}"


def _is_free(name: str, taken: frozenset[str]) -> bool:
    return is_name(name) and name not in taken and not similar_candidates([name], taken)


def _selection(change: ChangeSet, touched: Tree) -> Selection:
    """Return the part of the head that a change touches; only findings about it count."""
    new = {entry.path for entry in change.entries if entry.is_new}
    releases = {release.id for release in change.releases}

    def is_ours(found: Diagnostic) -> bool:
        path = PurePosixPath(found.path)
        if change.touched(path) is not None:
            return True
        missing = path not in change.head.files
        return missing and (path in new or ReleaseId.of(path) in releases)

    return Selection(
        tree=touched,
        entries=[entry.head for entry in change.entries[:MOST] if entry.head is not None],
        submissions=_submissions(change),
        names=_names(change),
        counts=is_ours,
        policy=change.base.policy,
        copies=Copies(touched, [*_sketches(change)], change.published),
    )


def _sketches(change: ChangeSet) -> Iterator[ReleaseSketch]:
    """Yield the sketches of the new releases; an owner that the change only claims has no say."""
    for release in change.releases[:MOST]:
        before = ReleaseSketch.of(release.previous).sketch if release.previous else ""
        owners = _believed(change, release.submission.entry)
        yield ReleaseSketch.of(release.submission, owners, before)


def _submissions(change: ChangeSet) -> Iterator[Submission]:
    """Yield the new releases, then the old ones with a touched file."""
    yield from (release.submission for release in change.releases[:MOST])
    yield from change.amended[:MOST]


def _touched_paths(change: ChangeSet) -> Iterator[PurePosixPath]:
    """Yield the paths of files in which findings can have positions; only these are read."""
    yield POLICY
    yield from (entry.path for entry in change.entries)
    yield from (file.path for file in change.files if file.path.parts[0] == PBES)


def _names(change: ChangeSet) -> Names | None:
    """Return the names that are new or have new owners, among the names similar to them."""
    fresh = {(str(e.path), text) for e in change.entries[:MOST] for text in _fresh(e)}
    if not fresh:
        return None
    names = change.head.names
    near = (
        similar_candidates((text for _, text in fresh), names) if len(fresh) <= _FEW else set(names)
    )
    touched = {entry.path for entry in change.entries}
    paths = [e.path for e in change.head.entries if e.name in near or _may_have_alias(e)]
    tree = change.head.part([*touched, *paths])
    return Names(
        tree,
        judged=lambda name: (name.path, name.text) in fresh,
        owners_of=lambda entry: _believed(change, entry),
    )


def _believed(change: ChangeSet, entry: Entry) -> Owners | None:
    """Return who owns a touched entry, whatever it claims: None for an entry that is not touched.

    A change can name any owner, for instance that of a similar name. Believed are the owners that
    the base knows, and of a new entry its author.
    """
    if change.touched(entry.path) is None:
        return None
    base = change.base.entry(entry.id)
    known = stated_owners(base.file) if base else frozenset()
    if base is None and change.author:
        known = frozenset({f"{change.author.forge}:{change.author.id}"})
    stated = stated_owners(entry.file)
    if base and known == stated:
        return known
    return (known & stated) or frozenset({_NOBODY})


_NOBODY = "nobody"
"""Who owns an entry that only claims to have owners."""


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
    """Tell from the bytes of entry.toml whether it may list aliases; keys can be escaped."""
    data = entry.tree.files.get(entry.path, b"")
    return b"aliases" in data or b"\\" in data


def _caused_elsewhere(change: ChangeSet) -> Iterator[Diagnostic]:
    """Yield the findings about untouched entries whose alias a new name takes."""
    new = {entry.name for entry in change.entries if entry.is_new}
    for name in sorted(new):
        for entry in change.head.with_alias(name):
            if change.touched(entry.path) is None:
                aliases = {f"/aliases/{at}": text for at, text in entry.file.strings("aliases")}
                for diagnostic in judge_at((alias_not_free,), entry, entry.documents):
                    if aliases[diagnostic.pointer] == name:
                        yield diagnostic


def _few(rule: Rule[ChangeSet]) -> Callable[[ChangeSet], Iterator[Finding]]:
    """Return the check of a rule, bounded before files are read for its findings."""
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
