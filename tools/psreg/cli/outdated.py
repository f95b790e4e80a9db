"""`psreg outdated`: show which locked or installed releases have newer ones, and what changes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from psreg.cli.project_option import ask_project, open_library, open_session, show_changes
from psreg.cli.registry_option import add_offline_option, add_registry_option
from psreg.core.dataclass import dataclass
from psreg.core.errors import UnavailableError
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.project.installed import InstalledSession
    from psreg.client.project.lockfile import Lock
    from psreg.client.project.manifest import Manifest
    from psreg.client.project.session import Session
    from psreg.client.project.updating import Change

EXAMPLE = "psreg outdated"
SCHEMA = "psreg.outdated/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--exit-code", action="store_true", help="exit 1 if something is outdated")
    add_registry_option(parser, "the usual registry; outside of a project, look only there")
    add_offline_option(parser)
    add_output_options(parser)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    checked: int
    rows: list[dict[str, str | None]]
    changes: list[Change]


def run(args: Namespace, console: Console) -> int:
    """Print current, wanted and latest version of what is outdated; nothing is written."""
    found = _of_project(args, console) if _is_in_project() else _of_library(args, console)
    if console.machine:
        from psreg.client.project.updating import to_json

        changes = [to_json(change) for change in found.changes]
        document = {"schema": SCHEMA, "checked": found.checked, "outdated": found.rows}
        console.json({**document, "changes": changes})
    elif found.rows:
        _show_table(found.rows, console)
        if found.changes and not console.quiet:
            console.line("")
        show_changes(found.changes, console)
    elif not console.quiet:
        console.line("everything is up to date" if found.checked else "nothing is installed")
    return 1 if found.rows and args.exit_code else 0


def _is_in_project() -> bool:
    from psreg.client.project.workspace import Workspace

    try:
        Workspace.find(Path.cwd())
    except UnavailableError as error:
        if error.code != "NO_PROJECT":
            raise
        return False
    return True


def _of_project(args: Namespace, console: Console) -> _Found:
    def ask(session: Session) -> _Found:
        lock, _ = session.workspace.required_lock()
        return _found(session, session.workspace.manifest(), lock, console)

    return ask_project(
        args,
        console,
        partial(open_session, args, console, registry=args.registry),
        ask,
    )


def _of_library(args: Namespace, console: Console) -> _Found:
    """Return what is outdated in the library; what is of a registry that is not known is named."""
    from psreg.client.library import user_library
    from psreg.client.project.installed import as_project

    def ask(session: InstalledSession) -> _Found:
        receipts = user_library(console.warn).readable_receipts()
        if args.registry is not None:
            place, known = session.selected(None).location, session.opened(None).id
            found = [(each, place) for each in receipts if each.registry["id"] == known]
            return _found(session, *as_project(found), console)
        found = []
        for receipt, location in session.registries(receipts):
            if location is not None:
                found.append((receipt, location))
                continue
            told = f"{receipt.release.name} is from {receipt.registry['url']}"
            console.warn(f"psreg: warning: {told}, which is not one of your registries")
        return _found(session, *as_project(found), console)

    return ask_project(args, console, partial(open_library, args, console), ask)


def _found(session: Session, manifest: Manifest, lock: Lock, console: Console) -> _Found:
    from psreg.client.project.updating import newer_changes, outdated

    published = session.published(manifest)
    rows = [*outdated(manifest, lock, published)]
    changes: list[Change] = []
    if console.machine or not console.quiet:
        changes = [*newer_changes(rows, lock, published, session.content(published))]
    return _Found(checked=len(lock.prompts), rows=rows, changes=changes)


def _show_table(rows: list[dict[str, str | None]], console: Console) -> None:
    heads = ("name", "current", "wanted", "latest")
    table = [heads, *(tuple(row[key] or "-" for key in heads) for row in rows)]
    widths = [max(len(line[at]) for line in table) for at in range(len(heads))]
    for line in table:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        console.line("  ".join(cells).rstrip())
