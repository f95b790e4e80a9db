"""The folder of a project's prompts: one file for each, and a receipt of what psreg wrote.

A file is written under its name, `quiz_master.pbe.txt`, so that a new version has the same path.
`.psreg.json` lists, for each file, the digests that psreg may have written there; what has another
one was changed by hand and is not overwritten, nor deleted. It is written before the files and
after them, so that a run that is killed between leaves nothing that a later one does not know.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath

from psreg.client.install import MAX_ARTIFACT
from psreg.core.dataclass import dataclass
from psreg.core.errors import FindingsError, PsregError, UnavailableError
from psreg.registry.json_members import as_object
from psreg.registry.trust.strict_json import strict_value
from psreg.system.atomic import cannot_write, clear_unfinished, write_file
from psreg.system.files import read_own

RECEIPTS = ".psreg.json"
SCHEMA = "psreg.folder/1"
_LARGEST = 16 * 1024 * 1024
_LISTED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Names of files: those to write, to remove, and to leave because they were changed by hand.

    `receipts` are the digests that psreg may have written, by file, when that is done, and `had`
    those that it may have written before.
    """

    receipts: Mapping[str, list[str]]
    write: tuple[str, ...]
    remove: tuple[str, ...]
    left: tuple[str, ...]
    had: frozenset[str] = frozenset()


class PromptFolder:
    """The folder `place` inside of the project in `root`. One process at a time changes it."""

    def __init__(self, root: Path, place: PurePosixPath) -> None:
        self._root = root
        self.folder = root / place

    def sha256(self, name: str) -> str | None:
        """Return the digest of a file, None if there is none, "" for what is not a plain file."""
        path = self.folder / name
        if not os.path.lexists(path):
            return None
        try:
            return hashlib.sha256(read_own(path, MAX_ARTIFACT)).hexdigest()
        except UnavailableError:
            return ""

    def written(self) -> dict[str, list[str]]:
        """Return the digests that psreg may have written, by file; {} without a usable receipt."""
        try:
            value = as_object(strict_value(read_own(self.folder / RECEIPTS, _LARGEST)), RECEIPTS)
            files = as_object(value.get("files"), "files")
        except (PsregError, ValueError):
            return {}
        return {
            name: [each for each in digests if isinstance(each, str)]
            for name, digests in files.items()
            if _is_plain(name) and isinstance(digests, list)
        }

    def plan(self, wanted: Mapping[str, str], *, overwrite: bool = False) -> Plan:
        """Return what makes the folder have the `wanted` digests, by file.

        Raises:
            FindingsError: `FILE_CHANGED`: a file was changed by hand, unless to `overwrite`.
            UnavailableError: `CANNOT_WRITE`: the folder is a link, or a file.
        """
        self._check_real()
        written = self.written()
        found = {name: self.sha256(name) for name in sorted(wanted)}
        write = [name for name, digest in found.items() if digest != wanted[name]]
        changed = [
            name
            for name in write
            if found[name] is not None and found[name] not in written.get(name, ())
        ]
        if changed and not overwrite:
            raise self._changed(changed)
        remove, left = self._gone(written, wanted)
        receipts = {name: [digest] for name, digest in wanted.items()}
        had = frozenset(digest for digests in written.values() for digest in digests)
        return Plan(receipts=receipts, had=had, write=tuple(write), remove=remove, left=left)

    def removal(self, wanted: Collection[str]) -> Plan:
        """Return what removes all files but the `wanted` ones. Raises as `plan`."""
        self._check_real()
        written = self.written()
        remove, left = self._gone(written, wanted)
        receipts = {name: digests for name, digests in written.items() if name in wanted}
        return Plan(receipts=receipts, write=(), remove=remove, left=left)

    def _gone(
        self, written: Mapping[str, list[str]], wanted: Collection[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the files that are not wanted: those to remove, and those changed by hand."""
        found = {name: self.sha256(name) for name in sorted(written) if name not in wanted}
        there = {name: digest for name, digest in found.items() if digest is not None}
        remove = tuple(name for name, digest in there.items() if digest in written[name])
        return remove, tuple(name for name in there if name not in remove)

    def apply(self, plan: Plan, data: Mapping[str, bytes]) -> None:
        """Write the files of a plan, whose bytes are `data`, and remove what is not wanted.

        Raises:
            UnavailableError: `CANNOT_WRITE`; a later run completes it.
        """
        written = self.written()
        if not (plan.write or plan.remove) and written == plan.receipts:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(self.folder, error) from error
        clear_unfinished(self.folder)
        both = {name: [*written.get(name, ()), *new] for name, new in plan.receipts.items()}
        self._write_receipts({**written, **both})
        for name in plan.write:
            write_file(self.folder / name, data[name], durable=False)
        for name in plan.remove:
            try:
                (self.folder / name).unlink(missing_ok=True)
            except OSError as error:
                raise cannot_write(self.folder / name, error) from error
        self._write_receipts(plan.receipts)

    def _write_receipts(self, files: Mapping[str, list[str]]) -> None:
        listed = {name: list(dict.fromkeys(files[name])) for name in sorted(files)}
        data = json.dumps({"schema": SCHEMA, "files": listed}, indent=2).encode() + b"\n"
        place = self.folder / RECEIPTS
        try:
            if place.read_bytes() == data and not place.is_symlink():
                return
        except OSError:
            pass
        write_file(place, data)

    def _check_real(self) -> None:
        """Refuse a link in the place of the folder, or of one above it in the project."""
        for path in (self.folder, *self.folder.parents):
            if path == self._root:
                return
            if path.is_symlink() or (os.path.lexists(path) and not path.is_dir()):
                raise UnavailableError(
                    "CANNOT_WRITE", f"{path} is not a folder", "Remove it, or set another `folder`."
                )

    def _changed(self, names: Sequence[str]) -> FindingsError:
        more = len(names) - _LISTED
        return FindingsError(
            "FILE_CHANGED",
            "psreg does not overwrite what was changed by hand:",
            "Move your changes elsewhere, or run `psreg sync --overwrite`.",
            (
                *(str(self.folder / name) for name in names[:_LISTED]),
                *([f"and {more} more"] if more > 0 else []),
            ),
        )


def _is_plain(name: str) -> bool:
    """Return whether a receipt names a file of the folder, and no other place."""
    return PurePosixPath(name).name == name and not set(name) & set("\\:")
