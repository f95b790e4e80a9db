"""The files of a commit that an added path would be mixed up with where letter case is ignored.

Only folders on the way to the added paths are looked into, and no file is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache

from psreg.core.identity import PBES
from psreg.git.objects import Objects
from psreg.git.tree_object import Row
from psreg.review.rules.file_rules import folded

_MOST = 1_000
"""Files and folders of one name that are looked through for one that stays."""


def twins(
    objects: Objects, root: str, added: Iterable[str], touched: Collection[str]
) -> Mapping[str, Row]:
    """Return the files, by path; of a folder there is one that is not `touched`.

    `root` is the folder of the commit; what lies in `pbes/` is left out.

    Raises:
        FindingsError: `TREE_MALFORMED`, `TOO_MANY_FILES`.
        UnavailableError: `OBJECT_MISSING`.
    """

    @cache
    def alike(oid: str) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in objects.folder(oid).names():
            found.setdefault(folded(name), []).append(name)
        return found

    def on_the_way(path: str) -> Iterator[tuple[str, Row]]:
        oid, before = root, ""
        for part in path.split("/"):
            folder = objects.folder(oid)
            for name in alike(oid).get(folded(part), ()):
                row = folder.get(name)
                if row and f"{before}{name}" not in (f"{before}{part}", PBES):
                    yield f"{before}{name}", row
            row = folder.get(part)
            if row is None or not row.is_folder:
                return
            oid, before = row.id, f"{before}{part}/"

    standing = dict(pair for path in added for pair in on_the_way(path))
    found = (_first_file(objects, *pair, touched) for pair in standing.items())
    return dict(one for one in found if one)


def _first_file(
    objects: Objects, path: str, row: Row, touched: Collection[str]
) -> tuple[str, Row] | None:
    """Return the first file at or below `path` that is not touched, or None."""
    waiting = [(path, row)]
    for _ in range(_MOST):
        if not waiting:
            break
        path, row = waiting.pop()
        if row.is_file and path not in touched:
            return path, row
        if row.is_folder:
            folder = objects.folder(row.id)
            rows = [(f"{path}/{name}", folder.get(name)) for name in folder.names()]
            waiting += reversed([(below, one) for below, one in rows if one])
    return None
