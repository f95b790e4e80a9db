"""The check of what differs between a tree and the signed state, as if the whole were checked.

Rules that compare entries read the entries that do not differ from the signed catalogue.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property, partial
from pathlib import PurePosixPath

from psreg.core.diagnostics import Diagnostic
from psreg.core.identity import EntryId, ReleaseId
from psreg.core.rule import RuleTable
from psreg.formats import release
from psreg.formats.layout import Irregular
from psreg.formats.tree import Entry, Submission, Tree
from psreg.lint.cluster_shares import (
    Source,
    check_digests,
    may_require,
    number_of_shares,
    shares_elsewhere,
)
from psreg.lint.content.blocking import blocking_findings
from psreg.lint.entries.entry_rules import alias_not_free
from psreg.lint.locate import judge_at
from psreg.lint.names.all_names import Names, similar_candidates, stated_owners
from psreg.lint.registry_walk import Selection, Walk, share_of
from psreg.registry.build import is_as_released
from psreg.registry.catalog_segments import Row, account
from psreg.registry.difference import Difference, SignedNames
from psreg.system.processes import Workers, in_parallel

_FEW = 20
"""The most new names that are compared with similar ones only; more are compared with all."""


def check_difference(
    found: Difference,
    signed: SignedNames,
    rules: Callable[[], RuleTable],
    *,
    irregular: Mapping[PurePosixPath, Irregular],
    today: date,
    workers: Workers = None,
    source: Source | None = None,
) -> Iterator[Diagnostic]:
    """Yield the findings about what differs, and those that it causes elsewhere.

    Released versions that did not change are not judged again, unless all are to be computed again.
    `workers` judge a part of the releases, and read them from the `source` if there is one. What
    would block a release is judged here in any case.

    Raises:
        UnavailableError: `SOURCE_DIFFERS`.
    """
    whole = _Whole(found.tree, irregular, today, signed, found.names)
    fresh = {text for entry in whole.entries for text in _fresh(entry, signed)}
    rows = _near(
        fresh, {n: row for n, row in signed.rows.items() if n not in found.names} if fresh else {}
    )
    outlines = {_entry_file(row): _outline(row) for row in rows.values()}
    known = Tree({**found.tree, **outlines}, irregular, whole, today)
    required = _required(found, signed)
    tree = Tree({**known.files, **required}, irregular, whole, today) if required else known
    others = {*outlines, *(path.parent.parent / "entry.toml" for path in required)}
    entries = [entry for entry in tree.entries if entry.path not in others]
    owners = {_entry_file(row): frozenset[object](row["owners"]) for row in rows.values()}
    judged = _to_judge(entries, found, signed)
    selected = Selection(
        tree=known,
        entries=entries,
        submissions=judged,
        names=Names(known, owners_of=lambda entry: owners.get(entry.path)),
    )
    if workers:
        # NOTE: outlines are in no commit.
        source = None if outlines or required else source
        yield from _shared(selected, tree, list(judged), rules, workers=workers, source=source)
    else:
        yield from Walk(rules()).check(selected)
    for entry in tree.entries:
        if entry.path in outlines and not found.names.isdisjoint(entry.file.aliases):
            yield from judge_at((alias_not_free,), entry, entry.documents)


def _shared(
    selected: Selection,
    tree: Tree,
    judged: Sequence[Submission],
    rules: Callable[[], RuleTable],
    *,
    workers: Workers,
    source: Source | None,
) -> Iterator[Diagnostic]:
    """Yield the findings about a selection, of whose releases `workers` judge all but a share."""
    shares = number_of_shares(len(judged))
    folders = [each.folder for each in judged]
    elsewhere = list(shares_elsewhere(tree, rules, shares, judged=folders, source=source))
    own = [each for each in judged if share_of(each.id.name, shares) == 0]
    here = partial(_checked, replace(selected, submissions=own), rules)
    first, rest = in_parallel(here, [share.check for share in elsewhere], workers)
    check_digests(elsewhere, rest)
    told = [d for part in rest for d in part.found]
    yield from first
    yield from told
    known = {(d.path, d.code) for d in told}
    for each in judged:
        if each not in own and each.artifact is not None:
            capabilities = tuple(text for _, text in each.release.strings("capabilities"))
            path = str(each.artifact_path)
            blocking = blocking_findings(each.artifact, path, capabilities)
            yield from (d for d in blocking if (d.path, d.code) not in known)


def _checked(selected: Selection, rules: Callable[[], RuleTable]) -> list[Diagnostic]:
    return list(Walk(rules()).check(selected))


def _to_judge(
    entries: Iterable[Entry], found: Difference, signed: SignedNames
) -> Iterator[Submission]:
    """Yield the releases that are new, or whose files changed, or all."""
    for entry in entries:
        record = signed.record(entry.name)
        for submission in entry.submissions():
            row = record.release(submission.id.version) if record else None
            if found.again or row is None or not is_as_released(row, submission):
                yield submission


class _Whole(Tree):
    """The tree of the names that differ, which also knows names and versions of the others."""

    def __init__(
        self,
        files: Mapping[PurePosixPath, bytes],
        irregular: Mapping[PurePosixPath, Irregular],
        today: date,
        signed: SignedNames,
        differing: Collection[str],
    ) -> None:
        super().__init__(files, irregular, today=today)
        self._signed = signed
        self._differing = differing

    @cached_property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """The class folders in which each name occurs, here or in the signed state."""
        return _Classes(super().names, self._signed, self._differing)

    def versions(self, name: str) -> tuple[str, ...]:
        """Return the versions of the entry called `name`, ascending; () if there is none."""
        record = None if name in self._differing else self._signed.record(name)
        return tuple(row.version for row in record.rows) if record else super().versions(name)


class _Classes(Mapping[str, tuple[str, ...]]):
    """The classes of each name: of those that differ, as `here`; of others, as they were signed."""

    def __init__(
        self,
        here: Mapping[str, tuple[str, ...]],
        signed: SignedNames,
        differing: Collection[str],
    ) -> None:
        self._here, self._signed, self._differing = here, signed, differing

    def __getitem__(self, name: str) -> tuple[str, ...]:
        if name in self._here:
            return self._here[name]
        found = None if name in self._differing else self._signed.entry_class(name)
        if found is None:
            raise KeyError(name)
        return (found,)

    def __iter__(self) -> Iterator[str]:
        return iter(
            {*self._here, *self._signed} - {n for n in self._differing if n not in self._here}
        )

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _fresh(entry: Entry, signed: SignedNames) -> Iterator[str]:
    """Yield name and aliases of an entry as far as they are new, or have new owners."""
    record = signed.record(entry.name)
    known = {account(owner) for owner in record.owners} if record else set()
    if record is None or known != stated_owners(entry.file):
        yield entry.name
        yield from entry.file.aliases
    else:
        yield from (alias for alias in entry.file.aliases if alias not in record.aliases)


def _near(fresh: Collection[str], rows: Mapping[str, Row]) -> Mapping[str, Row]:
    """Return the rows with a name or an alias that is like a fresh one; all if many are fresh."""
    if not fresh or len(fresh) > _FEW:
        return rows if fresh else {}
    by_alias: dict[str, list[str]] = {}
    for name, row in rows.items():
        for alias in row["aliases"]:
            by_alias.setdefault(alias, []).append(name)
    near = similar_candidates(fresh, rows)
    near |= {name for alias in similar_candidates(fresh, by_alias) for name in by_alias[alias]}
    return {name: rows[name] for name in near}


def _entry_file(row: Row) -> PurePosixPath:
    return EntryId(row["class"], row["name"]).file


def _required(found: Difference, signed: SignedNames) -> dict[PurePosixPath, bytes]:
    """Return a release.toml for each release of what differing entries require, as it is signed.

    What these require in turn is there as well: it may lead back to an entry that differs.
    """
    files = (path for path in found.tree if path.name == "release.toml")
    texts = (data for path in files if may_require(data := found.tree[path]))
    waiting = [name for data in texts for name in release.read(data).requires]
    seen, outlines = {*found.names}, dict[PurePosixPath, bytes]()
    while waiting:
        name = waiting.pop()
        record = None if name in seen else signed.record(name)
        seen.add(name)
        if record is None:
            continue
        for row in record.releases:
            requires = row.release.get("requires") or {}
            lines = [
                f"{json.dumps(each)} = {json.dumps(text)}\n" for each, text in requires.items()
            ]
            id_ = ReleaseId(entry_class=record.entry_class, name=name, version=row.version)
            outlines[id_.folder / "release.toml"] = f"[requires]\n{''.join(lines)}".encode()
            waiting += requires
    return outlines


def _outline(row: Row) -> bytes:
    """Return an entry.toml with what is signed about the aliases of a name."""
    return f"aliases = {json.dumps(list(row['aliases']))}\n".encode()
