"""`psreg audit`: every release in the order of the log, and where anything disagrees.

It compares the log, the signed records and the files of a checkout in full. Exit 1 means that they
disagree; exit 3, as everywhere, that signatures, or the log itself, were refused.
"""

from __future__ import annotations

import csv
import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.core.errors import UnavailableError
from psreg.core.terminal import one_line
from psreg.registry.checkout import required_checkout
from psreg.system.console import Console, add_output_options
from psreg.system.files import MAX_FILE, read_file

if TYPE_CHECKING:
    from psreg.git.history import Addition
    from psreg.registry.audit import AuditedAction, AuditedRecovery, AuditedRelease

EXAMPLE = "psreg audit --since 2026-11-01 --format csv"
SCHEMA = "psreg.audit/1"

_FORMULA = re.compile(r"((?:^|;)\s*)(?=[=+@\uff0b\uff0d\uff1d\uff20-])")
"""What begins a formula; where numbers have commas, a semicolon begins a cell."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "checkout",
        nargs="?",
        default=".",
        metavar="CHECKOUT",
        help="checkout of the registry, or a folder in it (.)",
    )
    parser.add_argument(
        "--registry-dir", metavar="DIR", help="the published registry (registry/ of the checkout)"
    )
    parser.add_argument(
        "--since",
        type=_date,
        metavar="DATE",
        help="list what is of this day or later, such as 2026-11-01; all is compared",
    )
    add_output_options(parser, ("text", "json", "csv"))


def _date(text: str) -> str:
    try:
        return str(date.fromisoformat(text if _DATE.fullmatch(text) else ""))
    except ValueError as error:
        raise ArgumentTypeError(f"`{text}` is not a day such as 2026-11-01") from error


def run(args: Namespace, console: Console) -> int:
    """Print the list; exit 1 if anything disagrees."""
    from psreg.git.history import FolderHistory
    from psreg.registry.audit import audit
    from psreg.registry.store_folder import RegistryFolder
    from psreg.registry.trust.reading import open_registry

    root = required_checkout(args.checkout)
    store = RegistryFolder(Path(args.registry_dir) if args.registry_dir else root / "registry")
    state = open_registry(store.read)
    if state is None:
        raise UnavailableError(
            "NOT_PUBLISHED", "nothing is published there yet", "Run `psreg publish` first."
        )
    with console.working("comparing every release"):
        found = audit(state, store.read, lambda path: _content(root / path))
    releases = found.releases
    added = FolderHistory(root).additions("pbes")
    rows = [_row(release, added) for release in releases]
    actions = [_action_row(each) for each in found.actions]
    since = args.since or ""
    recovered = [each for each in found.recoveries if each.problems or _day(each) >= since]
    recoveries = [_recovery_row(each) for each in recovered]
    failed = any(row["problems"] for row in (*rows, *actions, *recoveries))
    rows, actions = (
        [row for row in kind if row["problems"] or str(row["date"]) >= since]
        for kind in (rows, actions)
    )
    if args.format == "json":
        document = {"schema": SCHEMA, "checked": len(releases), "releases": rows}
        console.json({**document, "actions": actions, "recoveries": recoveries})
    elif args.format == "csv":
        console.out(_table(rows))
    else:
        _print(rows, len(releases), console)
        _print_actions(actions, console)
        _print_recoveries(recovered, console)
    return int(failed)


def _content(place: Path) -> bytes | None:
    # A link is not what was released, even if the file behind it is.
    return None if place.is_symlink() or not place.is_file() else read_file(place, MAX_FILE)


def _row(release: AuditedRelease, added: dict[str, Addition]) -> dict[str, Any]:
    """Return a release as JSON data, with what Git says about its files."""
    row, record = release.row, release.record
    commit = added.get(str(row.path)) if row else None
    return {
        "index": release.index,
        "name": release.name,
        "version": release.version,
        "date": row.date if row else "",
        "sha256": row.sha256 if row else None,
        "psreg": row.psreg if row else None,
        "owners": [_owner(owner) for owner in record.owners] if record else [],
        "keys": [*_keys(record.owners)] if record else [],
        "signed": [*release.signed],
        "waived": [{"code": w.code, "by": w.who, "reason": w.reason} for w in row.waived]
        if row
        else [],
        "yanked": row.yanked if row else None,
        "revoked": row.revoked.to_json() if row and row.revoked else None,
        "commit": commit.commit if commit else None,
        "merged": commit.date if commit else None,
        "reviewers": [*release.reviewers],
        "approved_by": [*commit.approved_by] if commit else [],
        "problems": [*release.problems],
    }


def _keys(owners: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for owner in owners:
        keys = owner.get("keys")
        yield from map(str, keys if isinstance(keys, list) else [])


def _owner(owner: Any) -> str:
    return f"{owner.get('forge', '?')}:{owner.get('login') or owner.get('id', '?')}"


class _Lines(list[str]):
    """Lines of text, to which `csv` writes."""

    def write(self, line: str) -> None:
        self.append(line)


_COLUMNS = (
    "index", "name", "version", "date", "sha256", "psreg", "owners", "keys", "signed", "waived",
    "yanked", "revoked", "commit", "merged", "reviewers",
    "approved_by", "problems",
)  # fmt: skip


def _table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as CSV (RFC 4180)."""
    lines = _Lines()
    writer = csv.writer(lines)
    writer.writerow(_COLUMNS)
    writer.writerows([_cell(row[column]) for column in _COLUMNS] for row in rows)
    return "".join(lines)


def _cell(value: Any) -> str:
    """Return a value as the text of a cell, which a spreadsheet does not take for a formula."""
    if isinstance(value, list):
        value = "; ".join(each["code"] if isinstance(each, dict) else str(each) for each in value)
    if isinstance(value, dict):
        value = f"{value['kind']}: {value['reason']}"
    text = "" if value is None else one_line(str(value))
    return _FORMULA.sub(r"\1'", text)


def _action_row(each: AuditedAction) -> dict[str, Any]:
    action = each.action
    return {
        "action": action.number,
        "index": each.index,
        "kind": action.kind,
        **action.subject.to_json(),
        "reason": action.reason,
        "date": action.date,
        "keys": sorted(action.signatures),
        "problems": [*each.problems],
    }


def _print_actions(actions: list[dict[str, Any]], console: Console) -> None:
    for row in actions:
        index = "-" if row["index"] is None else row["index"]
        what = row.get("key") or f"{row['name']} {row['version']}"
        console.line(f"{index:>6}  {row['date'][:10]}  {row['kind']} {what}: {row['reason']}")
        for problem in row["problems"]:
            console.line(f"        problem: {problem}")


def _recovery_row(each: AuditedRecovery) -> dict[str, Any]:
    """Return a recovery of a name as JSON data."""
    found = each.standing.found
    return {
        **each.standing.to_json(),
        "index": each.index,
        "logged": found.date if found else None,
        "problems": [*each.problems],
    }


def _day(each: AuditedRecovery) -> str:
    return str(each.standing.told.get("date", ""))[:10]


def _print_recoveries(recoveries: Iterable[AuditedRecovery], console: Console) -> None:
    for each in recoveries:
        index = "-" if each.index is None else each.index
        console.line(f"{index:>6}  {_day(each)}  {each.standing.line}")
        for problem in each.problems:
            console.line(f"        problem: {problem}")


def _print(rows: list[dict[str, Any]], checked: int, console: Console) -> None:
    width = max((len(f"{row['name']} {row['version']}") for row in rows), default=0)
    for row in rows:
        index = "-" if row["index"] is None else row["index"]
        what = f"{row['name']} {row['version']}"
        commit = (row["commit"] or "")[:12]
        waived = ", ".join(each["code"] for each in row["waived"])
        parts = [row["date"][:10], f"{what:<{width}}", (row["sha256"] or "")[:12], commit]
        parts += [f"waived {waived}"] if waived else []
        parts += [f"signed by {', '.join(row['signed'])}"] if row["signed"] else []
        parts += [f"reviewed by {', '.join(row['reviewers'])}"] if row["reviewers"] else []
        approved = ", ".join(row["approved_by"])
        parts += [f"approved by (commit trailer) {approved}"] if approved else []
        console.line(f"{index:>6}  " + "  ".join(parts).rstrip())
        if revoked := row["revoked"]:
            console.line(f"        {revoked['kind']}: {revoked['reason']}")
        for problem in row["problems"]:
            console.line(f"        problem: {problem}")
    wrong = sum(bool(row["problems"]) for row in rows)
    what = "release" if checked == 1 else "releases"
    console.note(f"{checked} {what} compared, {wrong} with problems")
