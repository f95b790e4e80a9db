"""Installed prompts: `<library>/<name>/<version>/` contains the artifact and its receipt.

A version folder is written elsewhere and renamed, so that a crash leaves all of it or nothing. One
version of a name is active. After a crash the newest receipt wins, and the next installation
removes what it replaced. Nothing is written or read through a link.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from psreg.client.install import MAX_ARTIFACT, matches_digest
from psreg.client.resolve import Choice, Request, parse_request, pick, similar
from psreg.client.withdrawals import withdrawal_of
from psreg.core.classes import CLASSES
from psreg.core.dataclass import dataclass, field
from psreg.core.errors import TrustError, UnavailableError
from psreg.core.identity import ReleaseId, is_name
from psreg.core.version import Range, is_version, parse_version
from psreg.registry.actions.withdrawal import Withdrawal
from psreg.registry.json_members import is_later_schema, newer_format
from psreg.registry.records import read_record
from psreg.registry.trust.roles import is_registry_id
from psreg.system import user_folders
from psreg.system.atomic import (
    DAMAGED,
    TEMPORARY,
    cannot_write,
    delete,
    exclusive,
    is_left,
    real_folder,
    set_aside,
    write_file,
)
from psreg.system.files import read_own

SCHEMA = "psreg.receipt/1"
RECEIPT = "receipt.json"
_MAX_RECEIPT = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was installed, from where, and from which state of the registry.

    `registry` is `{"id", "url"}`, `metadata` maps roles to versions, `installed` is UTC as
    `2026-11-21T05:00:00Z`. `requires` maps names to ranges, None if an older psreg wrote it.
    """

    release: ReleaseId
    sha256: str
    size: int
    registry: Mapping[str, str]
    metadata: Mapping[str, int] = field(default_factory=dict)
    installed: str
    requires: Mapping[str, str] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the receipt as JSON data."""
        release = self.release
        file = {"path": release.filename, "sha256": self.sha256, "size": self.size}
        return {
            "schema": SCHEMA,
            "registry": dict(self.registry),
            "name": release.name,
            "class": release.entry_class,
            "version": release.version,
            "sha256": self.sha256,
            "size": self.size,
            "metadata": dict(self.metadata),
            "files": [file],
            "installed": self.installed,
            "requires": None if self.requires is None else dict(self.requires),
        }

    @classmethod
    def from_json(cls, value: Any) -> Receipt:
        """Read a receipt. Raises ValueError, KeyError or TypeError on another shape.

        Raises:
            UnavailableError: `NEWER_FORMAT`.
        """
        name, entry_class, version = value["name"], value["class"], value["version"]
        known = is_name(name) and entry_class in CLASSES and is_version(version)
        schema = value["schema"]
        if is_later_schema(schema, SCHEMA):
            raise newer_format(f"the receipt of {name} has the format {schema}")
        if schema != SCHEMA or not known:
            raise ValueError("not a receipt of this version of psreg")
        requires = value.get("requires")
        if requires is not None:
            requires = {str(other): Range.parse(text).text for other, text in requires.items()}
        return cls(
            release=ReleaseId(entry_class=entry_class, name=name, version=version),
            sha256=str(value["sha256"]),
            size=int(value["size"]),
            registry={key: str(value["registry"][key]) for key in ("id", "url")},
            metadata={str(key): int(number) for key, number in value["metadata"].items()},
            installed=str(value["installed"]),
            requires=requires,
        )


class Library:
    """The folder of installed prompts."""

    source, compared = "the receipt", "receipt"
    restore = replace = "psreg install {}"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def receipts(self) -> tuple[Receipt, ...]:
        """Return the active receipt of every installed name, by name.

        Raises:
            UnavailableError: `NEWER_FORMAT`.
        """
        found = (self.receipt(name) for name in self._names())
        return tuple(receipt for receipt in found if receipt is not None)

    def readable_receipts(self) -> tuple[Receipt, ...]:
        """Return `receipts`, without those that a newer psreg wrote."""
        found = []
        for name in self._names():
            with suppress(UnavailableError):
                found.append(self.receipt(name))
        return tuple(receipt for receipt in found if receipt is not None)

    def _names(self) -> list[str]:
        return sorted(path.name for path in _listed(self.folder) if is_name(path.name))

    def receipt(self, name: str) -> Receipt | None:
        """Return the active receipt of `name`, or None if it is not installed."""
        found = []
        for folder in _folders(self.folder / name):
            receipt = _read_receipt(folder)
            if receipt is not None and receipt.release.name == name:
                found.append((receipt.installed, _written(folder), receipt))
        return max(found, key=lambda item: item[:2], default=(None, None, None))[2]

    def damaged(self) -> tuple[str, ...]:
        """Return the names of which there is something, but no usable receipt of any psreg."""
        found = []
        for name in self._names():
            with suppress(UnavailableError):  # that of a newer psreg
                if self.receipt(name) is None:
                    found.append(name)
        return tuple(found)

    def path(self, receipt: Receipt) -> Path:
        """Return the path of the artifact of `receipt`."""
        release = receipt.release
        return self.folder / release.name / release.version / release.filename

    def has(self, name: str) -> bool:
        """Return whether the library has anything of `name`, even a broken installation."""
        target = self.folder / name
        return target.is_symlink() or target.is_dir()

    def has_intact(self, choice: Choice) -> bool:
        """Return whether the release of `choice` is active and its file is unchanged."""
        receipt = self.receipt(choice.release.name)
        return receipt is not None and self.locks(choice) and self.drift(receipt) is None

    def locks(self, choice: Choice) -> bool:
        """Return whether exactly the bytes of `choice` were installed, intact today or not."""
        receipt = self.receipt(choice.release.name)
        return receipt is not None and (receipt.release, receipt.sha256) == (
            choice.release,
            choice.row.sha256,
        )

    def lacks(
        self, request: Request, record: bytes, *, cached: Callable[[str], bool] = lambda _: False
    ) -> Iterator[tuple[str, int]]:
        """Yield path and size of what a request selects from a record, unless that was installed.

        What is `cached`, by its SHA-256, is not lacking either.

        Raises:
            PsregError: it selects nothing.
        """
        row = pick(read_record(record, request.name), request)
        receipt = self.receipt(request.name)
        if (receipt is None or receipt.sha256 != row.sha256) and not cached(row.sha256):
            yield row.path, row.size

    def unmet(self, versions: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield names whose new `versions` do not fit an installed prompt, each with a sentence.

        The version of a name that is removed is "".
        """
        for receipt in self.readable_receipts() if versions else ():
            if receipt.release.name in versions:
                continue
            title = f"{receipt.release.name} {receipt.release.version}"
            for name, text in (receipt.requires or {}).items():
                version = versions.get(name)
                if version == "":
                    yield name, f"{title} requires {name} {text}, which is not installed any more"
                elif version and not Range.parse(text).matches(parse_version(version)):
                    yield name, f"{title} requires {name} {text}, and {version} replaces it"

    def withdrawal(self, receipt: Receipt) -> Withdrawal | None:
        """Return why this machine knows an installed release as revoked, None if it does not."""
        registry_id = receipt.registry["id"]
        if not is_registry_id(registry_id):
            return None
        release = receipt.release
        return withdrawal_of(
            user_folders.registries_dir() / registry_id,
            (release.name, release.version, receipt.sha256),
        )

    def from_elsewhere(self, names: Iterable[str], registry_id: str) -> tuple[Receipt, ...]:
        """Return the receipts of those of `names` that were installed from another registry."""
        found = (self.receipt(name) for name in names)
        return tuple(
            receipt for receipt in found if receipt and receipt.registry["id"] != registry_id
        )

    def drift(self, receipt: Receipt) -> str | None:
        """Return how the installed file differs from its receipt, or None."""
        try:
            data = read_own(self.path(receipt), MAX_ARTIFACT)
        except UnavailableError as error:
            return error.message
        if not matches_digest(data, receipt.sha256):
            digest = hashlib.sha256(data).hexdigest()
            return f"SHA-256 is {digest}; {receipt.sha256} was installed"
        return None

    def install(self, receipt: Receipt, data: bytes) -> Path:
        """Install `data` under `receipt` in place of any other version; return its path.

        Raises:
            UnavailableError: the library cannot be written; what was installed is unchanged.
        """
        self._make()
        release = receipt.release
        with exclusive(self.folder / ".lock"):
            self._sweep()
            staged = self._unfinished(release.name)
            document = json.dumps(receipt.to_json(), indent=2, ensure_ascii=False) + "\n"
            folder = real_folder(staged / release.version)
            write_file(folder / release.filename, data)
            write_file(folder / RECEIPT, document.encode())
            try:
                self._replace(self.folder / release.name, staged, release.version)
            except OSError as error:
                raise cannot_write(self.path(receipt), error) from error
            self._sweep(receipt)
        return self.path(receipt)

    def tidy(self, name: str) -> None:
        """Remove what a crash left of the library and of `name`, if there is any and it can be."""
        receipt = self.receipt(name)
        if receipt is None or not [*self._left(receipt)]:
            return
        with suppress(UnavailableError), exclusive(self.folder / ".lock"):
            receipt = self.receipt(name)
            if receipt is not None:
                self._sweep(receipt)

    def remove(self, name: str) -> None:
        """Remove every version of `name`.

        Raises:
            UnavailableError: the library cannot be written.
        """
        target = self.folder / name
        with exclusive(self.folder / ".lock"):
            self._sweep()
            try:
                # Renamed first: killed later, it is not installed, and not half of it is.
                delete(target.rename(self._unfinished(name)))
            except OSError as error:
                raise cannot_write(target, error) from error

    def _make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(self.folder, error) from error

    def _unfinished(self, name: str, what: str = "") -> Path:
        """Return the path at which something of `name` is not visible; the caller has the lock."""
        return self.folder / f"{TEMPORARY}{name}{what}"

    def _replace(self, target: Path, staged: Path, version: str) -> None:
        """Let a version that is whole take the place of any other. Raises OSError."""
        replaced = self._unfinished(target.name, ".replaced")
        is_real = target.is_dir() and not target.is_symlink()
        if is_real and not os.path.lexists(target / version):
            (staged / version).rename(target / version)  # the newest receipt wins
            return
        if os.path.lexists(target):
            target.rename(replaced)
        try:
            staged.rename(target)
        except OSError:
            with suppress(OSError):
                replaced.rename(target)
            raise

    def _left(self, active: Receipt | None) -> Iterator[Path]:
        """Yield what a crash left unfinished, and the other versions of the name of `active`."""
        yield from (path for path in _listed(self.folder) if is_left(path))
        if active is not None:
            folder = self.folder / active.release.name
            yield from (path for path in _listed(folder) if path.name != active.release.version)

    def _sweep(self, active: Receipt | None = None) -> None:
        """Remove that; failures are ignored."""
        for path in self._left(active):
            with suppress(OSError):
                delete(path)


def user_library(notify: Callable[[str], None] | None = None) -> Library:
    """Return this user's library: `PSREG_LIBRARY`, else the usual folder.

    What else is in the place of the usual folder is set aside, and the user is told with `notify`.
    """
    if chosen := os.environ.get("PSREG_LIBRARY"):
        return Library(Path(chosen).absolute())
    folder = user_folders.library_dir()
    if notify and (folder.is_symlink() or (folder.exists() and not folder.is_dir())):
        with suppress(OSError):
            set_aside(folder)
            notify(f"{folder} was damaged; it is now {folder.name}{DAMAGED}")
    return Library(folder)


def not_installed(names: Sequence[str], library: Library) -> UnavailableError:
    """Return the error for names that are not installed, with a hint for a misspelt one."""
    installed = [receipt.release.name for receipt in library.readable_receipts()]
    near = next(iter(similar(names[0], installed)), None)
    hint = f"Did you mean `{near}`?" if near else "Run `psreg list` to see what is."
    return UnavailableError("NOT_INSTALLED", f"not installed: {', '.join(names)}", hint)


def installed_artifact(text: str) -> tuple[Path, bytes]:
    """Return path and bytes of the installed artifact that `NAME[@RANGE]` selects.

    Raises:
        PsregError: as `installed_prompt`.
    """
    path, data, _ = installed_prompt(text)
    return path, data


def installed_prompt(text: str) -> tuple[Path, bytes, Receipt]:
    """Return path, bytes and receipt of the installed artifact that `NAME[@RANGE]` selects.

    Raises:
        UsageError: `text` is not `NAME[@RANGE]`.
        UnavailableError: `NOT_INSTALLED`: it is not installed, or only in another version.
        TrustError: `TRUST_DIGEST`: it is not the file that was installed, or cannot be read;
            `TRUST_REVOKED`.
    """
    request = parse_request(text)
    library = user_library()
    receipt = library.receipt(request.name)
    if receipt is None:
        installed = [each.release.name for each in library.readable_receipts()]
        near = next(iter(similar(request.name, installed)), None)
        guess = f"Did you mean `{near}`? Otherwise run" if near else "Run"
        raise UnavailableError(
            "NOT_INSTALLED",
            f"`{request.name}` is not installed",
            f"{guess} `psreg install {text}`.",
        )
    version = parse_version(receipt.release.version)
    if "@" in text and not request.range.matches(version):
        raise UnavailableError(
            "NOT_INSTALLED",
            f"`{request.name}` is installed in version {version}, not {request.range.text}",
            f"Run `psreg install {text}`.",
        )
    path = library.path(receipt)
    if withdrawal := library.withdrawal(receipt):
        raise TrustError(
            "TRUST_REVOKED",
            withdrawal.told(f"{request.name} {version}"),
            f"Run `psreg install {request.name}` for another version. To look at it all the same, "
            f"name its file: {path}",
        )
    problem = f"{path} is not the file that was installed"
    try:
        data = read_own(path, MAX_ARTIFACT)
        if matches_digest(data, receipt.sha256):
            return path, data, receipt
    except UnavailableError as error:
        problem = error.message
    raise TrustError(
        "TRUST_DIGEST",
        problem,
        f"Run `psreg install {request.name}` to restore it. To use a changed file, name its path.",
    )


def _folders(folder: Path) -> Iterator[Path]:
    """Yield the folders in `folder`, by name; nothing of a link."""
    if not folder.is_symlink():
        yield from (each for each in _listed(folder) if not each.is_symlink() and each.is_dir())


def _listed(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(folder.iterdir())
    except OSError:
        return


def _read_receipt(folder: Path) -> Receipt | None:
    try:
        value = json.loads(read_own(folder / RECEIPT, _MAX_RECEIPT))
    except (UnavailableError, ValueError, RecursionError):
        return None
    try:
        receipt = Receipt.from_json(value)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return receipt if receipt.release.version == folder.name else None


def _written(folder: Path) -> int:
    return (folder / RECEIPT).stat().st_mtime_ns
