"""The check of a registry as tasks for other machines: each contains all that it needs.

A task contains the files of its share, or says from where to read them; then its result has their
digest, which must be that of the files here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import PurePosixPath
from typing import NamedTuple, Protocol

from psreg.core.errors import UnavailableError
from psreg.core.rule import RuleTable
from psreg.formats import entry as entry_file
from psreg.formats import release
from psreg.formats.tree import POLICY, Outline, Tree
from psreg.lint.registry_walk import (
    WHOLE,
    CheckedShare,
    Selection,
    Walk,
    check_share,
    share_of,
)

WORTH_A_TASK = 50
"""The number of releases below which a task costs more than it saves."""

MOST_TASKS = 64
"""Each task also contains all names, so that more tasks are more work."""


def number_of_shares(releases: int) -> int:
    """Return the number of shares into which to divide the check of so many releases."""
    return min(max(1, releases // WORTH_A_TASK), MOST_TASKS)


class Source(Protocol):
    """Where workers can read the files of a registry."""

    def read(self, paths: Iterable[str], /) -> Mapping[str, bytes]:
        """Return the files at or below some paths."""


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return a digest of paths and content."""
    lines = (f"{sha256(data).hexdigest()} {path}\n" for path, data in sorted(files.items()))
    return sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


class Share(NamedTuple):
    """One share of a registry: the files that are needed to check it, and what else is known.

    If there is a `source`, the files are read from there, at or below `paths`, and `digest` is that
    of the files here.

    `names` are the classes and versions of each name in the registry. `judged` are the folders of
    versions, if only these are checked; otherwise everything within the folder `within` is.
    """

    files: Mapping[str, bytes]
    names: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    rules: Callable[[], RuleTable]
    share: int
    shares: int
    today: date | None
    within: str
    judged: Collection[str] | None
    source: Source | None = None
    paths: Collection[str] = ()
    digest: str = ""

    def check(self) -> CheckedShare:
        """Return the findings about the share, and its sketches."""
        if self.source:
            read = self.source.read(self.paths)
            done = self._replace(files=read, source=None).check()
            return done._replace(digest=digest_of(read))
        files = {PurePosixPath(path): data for path, data in self.files.items()}
        whole = Outline({path: files[path] for path in (POLICY,) if path in files}, self.names)
        tree = Tree(files, whole=whole, today=self.today)
        if self.judged is None:
            within = PurePosixPath(self.within)
            place = {"share": self.share, "shares": self.shares}
            return check_share(tree, self.rules(), within=within, **place)
        judged = (each for each in tree.submissions if str(each.folder) in self.judged)
        selected = Selection(tree=None, entries=(), submissions=judged, names=None)
        return CheckedShare(list(Walk(self.rules()).check(selected)), [])


def shares_elsewhere(
    tree: Tree,
    rules: Callable[[], RuleTable],
    shares: int,
    *,
    within: PurePosixPath = WHOLE,
    judged: Collection[PurePosixPath] | None = None,
    source: Source | None = None,
) -> Iterator[Share]:
    """Yield all shares of a tree but share 0, which needs the whole tree; see `Share`."""
    if shares == 1:
        return
    names = {name: (classes, tree.versions(name)) for name, classes in tree.names.items()}
    folders: list[list[str]] = [[] for _ in range(shares)]
    for folder in judged or ():
        folders[share_of(folder.parent.name, shares)].append(str(folder))
    for number, files in enumerate(_divided(tree, shares), start=1):
        yield Share(
            files={} if source else files,
            names=names,
            rules=rules,
            share=number,
            shares=shares,
            today=tree.today,
            within=str(within),
            judged=None if judged is None else frozenset(folders[number]),
            source=source,
            paths=tuple(files) if source else (),
            digest=digest_of(files) if source else "",
        )


def check_digests(shares: Iterable[Share], done: Iterable[CheckedShare]) -> None:
    """Check that workers have read the files that are here.

    Raises:
        UnavailableError: `SOURCE_DIFFERS`.
    """
    if any(share.digest != part.digest for share, part in zip(shares, done, strict=True)):
        raise UnavailableError(
            "SOURCE_DIFFERS",
            "the workers read other files of the commit than those here",
            "Check out the commit without converting line ends, or leave out `--cluster-source`.",
        )


def may_require(data: bytes) -> bool:
    """Return whether a release.toml may list what it requires; it is not parsed."""
    return b"requires" in data or b"\\" in data  # an escape may stand for any letter of a key


def _requires(data: bytes) -> bool:
    return may_require(data) and bool(release.read(data).requires)


def _divided(tree: Tree, shares: int) -> list[dict[str, bytes]]:
    """Return the files of each share but 0: its entries, the policy, aliases, requirements."""
    common = {str(path): tree.files[path] for path in (POLICY,) if path in tree.files}
    own: list[dict[str, bytes]] = [{} for _ in range(shares)]
    has_aliases = cache(lambda data: bool(entry_file.read(data).aliases))  # most say the same

    for entry in tree.entries:
        stated = tree.files.get(entry.path)
        if stated and has_aliases(stated):
            common[str(entry.path)] = stated
        paths = [path for folder in entry.folders.values() for path in folder]
        requiring = (path for path in paths if path.name == "release.toml")
        common |= {str(path): tree.files[path] for path in requiring if _requires(tree.files[path])}
        if share := share_of(entry.name, shares):
            own[share] |= {str(path): tree.files[path] for path in paths}
            own[share] |= {} if stated is None else {str(entry.path): stated}
    return [common | each for each in own[1:]]
