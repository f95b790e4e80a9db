"""Findings of rules that psreg gained after a release was signed.

A released version never changes, so such a finding cannot be fixed. It is a warning and no error:
otherwise the check of a registry would fail forever after an update of psreg.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from psreg.core.diagnostics import ERROR, HARM, WARNING, Diagnostic
from psreg.core.errors import TrustError, UnavailableError
from psreg.core.identity import ReleaseId
from psreg.core.version import FIRST_PSREG, parse_version

Read = Callable[[str], bytes | None]
"""Returns the bytes of a file by its path in the registry ("metadata/timestamp.json"), or None."""


def with_newer_rules_as_warnings(
    found: Iterable[Diagnostic], tree: Container[PurePosixPath], read: Read
) -> list[Diagnostic]:
    """Return the findings; an error of a rule that is newer than a signed file is a warning.

    `tree` contains the paths of all files that were checked; `read` reads the registry that was
    published from it, and is not called if all rules are old. A registry that cannot be verified
    proves nothing about the age of a release, so that all errors remain.
    """
    diagnostics = list(found)
    suspects = [d for d in diagnostics if _is_error(d) and d.since != FIRST_PSREG]
    names = {release.name for d in suspects if (release := _release(d))}
    if not names:
        return diagnostics
    try:
        published = _published_by(names, read)
    except (TrustError, UnavailableError):
        return diagnostics
    return [_judged(d, tree, published) if _is_error(d) else d for d in diagnostics]


def _is_error(d: Diagnostic) -> bool:
    return d.severity is ERROR and d.waived is None


def _release(d: Diagnostic) -> ReleaseId | None:
    return ReleaseId.of(PurePosixPath(d.path))


def _published_by(names: Iterable[str], read: Read) -> Mapping[PurePosixPath, str]:
    """Return the version of psreg that published each version folder and each signed file in it."""
    from psreg.registry.records import read_record  # noqa: PLC0415 - few checks need the records
    from psreg.registry.trust.reading import open_registry  # noqa: PLC0415

    state = open_registry(read)
    found: dict[PurePosixPath, str] = {}
    for name in names:
        if state and name in state.packages:
            for row in read_record(state.packages[name], name).releases:
                found[PurePosixPath(row.path).parent] = row.psreg
                found |= {PurePosixPath(file.path): row.psreg for file in row.files}
                found |= {PurePosixPath(file.path): file.psreg for file in row.added}
    return found


def _judged(
    d: Diagnostic, tree: Container[PurePosixPath], published: Mapping[PurePosixPath, str]
) -> Diagnostic:
    """Return `d`, as a warning if its rule is newer than the file, or the folder that lacks it."""
    release, path = _release(d), PurePosixPath(d.path)
    if release is None:
        return d
    psreg = published.get(path if path in tree else release.folder)
    if psreg is None or parse_version(psreg) >= parse_version(d.since):
        return d
    hint = "A released version never changes; follow the rule in the next one."
    if d.family == HARM:
        hint = f"Yank or revoke {release.name} {release.version} if this is dangerous."
    message = f"{d.message}; {d.code} is newer than this release"
    return replace(d, severity=WARNING, message=message, hint=hint, fix=None, newer=True)
