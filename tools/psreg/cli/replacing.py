"""What `psreg install` shows before it replaces an installed version, and when it asks."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from psreg.core.errors import FindingsError, UnavailableError
from psreg.system.console import Console
from psreg.system.files import read_own

if TYPE_CHECKING:
    from psreg.client.install import FetchedRelease
    from psreg.client.library import Library, Receipt
    from psreg.client.project.updating import Replacement
    from psreg.client.selection.opened import AnyRegistry


def replacements(
    fetched: Iterable[tuple[FetchedRelease, AnyRegistry]], library: Library
) -> Iterator[Replacement]:
    """Yield what is replaced by another version of it, in order.

    Raises:
        PsregError: as `required_record`.
    """
    for release, registry in fetched:
        new = release.choice.release
        before = library.receipt(new.name)
        if before is None or before.release.version == new.version:
            continue
        from psreg.client.install import required_record
        from psreg.client.project.updating import replacement

        old = _intact(before, library)
        record = required_record(new.name, registry)
        yield replacement(new, release.data, before.release, old, record)


def _intact(receipt: Receipt, library: Library) -> bytes | None:
    """Return the installed file, None if it is not the one that was installed."""
    from psreg.client.install import MAX_ARTIFACT, matches_digest

    try:
        data = read_own(library.path(receipt), MAX_ARTIFACT)
    except UnavailableError:
        return None
    return data if matches_digest(data, receipt.sha256) else None


def agree(
    found: Sequence[Replacement], console: Console, agreed: Container[str], *, yes: bool
) -> None:
    """Show what is replaced; on a terminal, ask before a major step unless the user said `yes`.

    `agreed` are names that the user was asked about already. Where nobody can be asked, the command
    is the answer: the range says what may be installed.

    Raises:
        FindingsError: `NOT_CONFIRMED`.
    """
    if not (console.machine or console.quiet):
        for replaced in found:
            _show(replaced, console)
    major = [replaced for replaced in found if replaced.is_major and replaced.name not in agreed]
    if not major or yes or not console.can_ask():
        return
    told = ", ".join(f"{each.name} {each.before} by {each.after}" for each in major)
    if not console.typed_yes(f"This may not work as before. Type yes to replace {told}:"):
        kept = " ".join(f"{each.name}@^{each.before}" for each in major)
        raise FindingsError(
            "NOT_CONFIRMED",
            "nothing was installed",
            f"To stay compatible: psreg install {kept}. To replace without a question: `--yes`.",
        )


def _show(replaced: Replacement, console: Console) -> None:
    from psreg.compatibility.diff_report import diff_text

    console.line(f"{replaced.name} {replaced.before} -> {replaced.after}")
    for version, text in replaced.notes:
        console.line(f"  {version}: {text}")
    for line in diff_text(replaced.diff).splitlines() if replaced.diff else ():
        console.line(f"  {line}" if line else "")
