"""Where things belong in a registry and what they may be called there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from enum import StrEnum
from pathlib import PurePosixPath

from psreg.core.identity import EntryId, ReleaseId, is_name
from psreg.core.regex import lazy
from psreg.core.version import is_version

KNOWN_FILES = ("release.toml", "README.md")
"""The files of a version folder beside the artifact."""

EVIDENCE = "evidence"
"""The folder of a version folder that holds transcripts and golden renders."""

SUFFIXES = (".prompt", ".toml", ".md", ".jsonl", ".json", ".txt")
"""Suffixes a file in a version folder may have."""


class Irregular(StrEnum):
    """The kinds of paths other than plain files, in words that complete "this is …"."""

    LINK = "a symbolic link"
    SUBMODULE = "a submodule"
    SPECIAL = "neither a file nor a folder"
    EXECUTABLE = "an executable file"


_NUMBERS = lazy(r"[0-9]{1,9}")
_SIGNATURE = lazy(r"(.+)\.([1-9][0-9]?)\.txt")
_OWNERS_SIGNATURE = lazy(r"owners\.([1-9][0-9]{0,3})\.([1-9][0-9]?)\.txt")
_YANK_SIGNATURE = lazy(r"yank\.(.+)\.([1-9][0-9]{0,3})\.([1-9][0-9]?)\.txt")
_VERSION_PARTS = 3


_LATER = lazy(r"(?P<platform>[a-z0-9]+(?:-[a-z0-9]+)*)-(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})\.jsonl")


def later_evidence(path: PurePosixPath) -> tuple[str, str] | None:
    """Return platform and day of a transcript that may be added to a released version, or None.

    It is `evidence/<platform>-<date>.jsonl` of a version folder.
    """
    release = ReleaseId.of(path)
    if release is None or path.parent != release.folder / EVIDENCE:
        return None
    match = _LATER.fullmatch(path.name)
    return (match["platform"], match["day"]) if match else None


SIGNATURES = "signatures"
"""The folder of an entry that holds the signatures of its owners."""

REVIEWS = "reviews"
"""The folder of an entry that holds the signatures of reviewers."""

MOST_SIGNATURES = 64
"""How many signatures, or reviews, a release or a change of owners can have."""


def signature_file(path: PurePosixPath) -> tuple[ReleaseId, int] | None:
    """Return the release and the number of an owner's signature, or None.

    It is `<version>.<number>.txt` in the folder `signatures` of an entry, from number 1 on.
    """
    return _signed_in(SIGNATURES, path)


def review_file(path: PurePosixPath) -> tuple[ReleaseId, int] | None:
    """Return the release and the number of a reviewer's signature, or None.

    It is `<version>.<number>.txt` in the folder `reviews` of an entry, from number 1 on.
    """
    return _signed_in(REVIEWS, path)


def _signed_in(folder: str, path: PurePosixPath) -> tuple[ReleaseId, int] | None:
    entry = EntryId.of(path.parent.parent)
    match = _SIGNATURE.fullmatch(path.name)
    if entry is None or match is None or path.parent != entry.folder / folder:
        return None
    version, number = match[1], int(match[2])
    if not (entry.is_valid and is_version(version) and number <= MOST_SIGNATURES):
        return None
    return ReleaseId(entry_class=entry.entry_class, name=entry.name, version=version), number


def owners_signature_file(path: PurePosixPath) -> tuple[EntryId, int, int] | None:
    """Return the entry, the number of a change of its owners and that of a signature, or None.

    It is `owners.<change>.<number>.txt` in the folder `signatures` of an entry, from 1 on.
    """
    entry = EntryId.of(path.parent.parent)
    match = _OWNERS_SIGNATURE.fullmatch(path.name)
    if entry is None or match is None or path.parent != entry.folder / SIGNATURES:
        return None
    change, number = int(match[1]), int(match[2])
    return (entry, change, number) if entry.is_valid and number <= MOST_SIGNATURES else None


def yank_signature_file(path: PurePosixPath) -> tuple[ReleaseId, int, int] | None:
    """Return the release, the number of its yank and that of a signature, or None.

    It is `yank.<version>.<yank>.<number>.txt` in the folder `signatures` of an entry, from 1 on.
    """
    entry = EntryId.of(path.parent.parent)
    match = _YANK_SIGNATURE.fullmatch(path.name)
    if entry is None or match is None or path.parent != entry.folder / SIGNATURES:
        return None
    version, yank, number = match[1], int(match[2]), int(match[3])
    if not (entry.is_valid and is_version(version) and number <= MOST_SIGNATURES):
        return None
    release = ReleaseId(entry_class=entry.entry_class, name=entry.name, version=version)
    return release, yank, number


def is_signature(path: PurePosixPath) -> bool:
    """Tell whether a path is that of a signature, of an owner or of a reviewer."""
    kinds = (signature_file, review_file, owners_signature_file, yank_signature_file)
    return any(kind(path) is not None for kind in kinds)


def name_like(text: str) -> str:
    """Return an entry name made of the letters and digits of `text`, or "" if there is none."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text).lower())
    name = "_".join(words).lstrip("0123456789_")
    return name if is_name(name) else ""


def version_like(text: str) -> str:
    """Return the SemVer version that `text` seems to mean: `v1.2` means `1.2.0`."""
    numbers = [str(int(digits)) for digits in _NUMBERS.findall(text)][:_VERSION_PARTS]
    if not numbers:
        return "1.0.0"
    return ".".join(numbers + ["0"] * (_VERSION_PARTS - len(numbers)))


def stated_version(text: str | None) -> str:
    """Return the version that an artifact states, or a first version."""
    if text is None or not _NUMBERS.search(text):
        return "0.1.0"
    return text if is_version(text) else version_like(text)


def files_by_entry(paths: Iterable[PurePosixPath]) -> dict[PurePosixPath, list[PurePosixPath]]:
    """Return the files below the folder of each entry; what is below none is left out."""
    found: dict[PurePosixPath, list[PurePosixPath]] = {}
    for path in paths:
        if len(path.parts) > ENTRY_DEPTH:
            found.setdefault(PurePosixPath(*path.parts[:ENTRY_DEPTH]), []).append(path)
    return found


ENTRY_DEPTH = 3
"""The parts of the path of an entry's folder, `pbes/<class>/<name>`."""


def folder_digest(files: Iterable[tuple[PurePosixPath, bytes]]) -> str:
    """Return the digest of a folder: SHA-256 over path, mode, size and SHA-256 of each file.

    All files are plain ones: the check refuses others.
    """
    lines = sorted(
        f"{path} 100644 {len(data)} {hashlib.sha256(data).hexdigest()}\n" for path, data in files
    )
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
