"""`psreg verify [NAME…]`: check that installed files are still what was signed.

Every file is compared with its receipt. If it came from the selected registry, and that can be
reached, the receipt is also compared with the registry's signed record, and the log and the owners'
signatures are verified; the output says what was compared. Exit 1 means drift; exit 3 that
a release was revoked, or, as everywhere, that the registry's signatures were refused.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.cli.registry_option import add_registry_option, open_selected
from psreg.client.resolve import parse_requests
from psreg.core.errors import TrustError, UnavailableError, UsageError
from psreg.registry.records import read_record
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.library import Library, Receipt
    from psreg.client.open_registry import OpenRegistry
    from psreg.registry.owners.statement import Statement
    from psreg.registry.records import PackageRecord, ReleaseRecord
    from psreg.registry.trust.ssh_signature import SshSignature

EXAMPLE = "psreg verify quiz_master"
SCHEMA = "psreg.verify/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="prompts to check (default: all installed)"
    )
    add_registry_option(parser, "compare with this registry")
    parser.add_argument(
        "--export",
        type=Path,
        metavar="DIR",
        help="write what the owners of one NAME signed, for `ssh-keygen -Y verify`",
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Compare installed files with receipts and signed records; exit 1 on any difference."""
    names = [request.name for request in parse_requests(args.names)]
    if args.export is not None and len(names) != 1:
        raise UsageError("USAGE", "`--export` requires one NAME")

    from psreg.client.library import user_library

    library = user_library()
    damaged = [name for name in library.damaged() if not names or name in names]
    receipts = _receipts(library, names, damaged)
    with ExitStack() as stack:
        registry = _registry(args.registry, console, stack) if receipts else None
        rows = [_row(receipt, library, registry) for receipt in receipts]
        if args.export is not None:
            _export(receipts, registry, args.export)
    rows += [_damaged(name, library) for name in damaged]
    rows.sort(key=lambda row: str(row["name"]))
    if console.machine:
        console.json({"schema": SCHEMA, "checked": len(rows), "results": rows})
    else:
        _print(rows, console)
    if any(row["revoked"] for row in rows):
        return TrustError.exit_code
    return int(any(row["problem"] for row in rows))


def _receipts(library: Library, names: list[str], damaged: list[str]) -> list[Receipt]:
    if not names:
        return list(library.receipts())
    found = {name: library.receipt(name) for name in names if name not in damaged}
    absent = [name for name, receipt in found.items() if receipt is None]
    if absent:
        raise UnavailableError(
            "NOT_INSTALLED",
            f"not installed: {', '.join(absent)}",
            "Run `psreg list` to see what is.",
        )
    return [receipt for receipt in found.values() if receipt is not None]


def _registry(option: str | None, console: Console, stack: ExitStack) -> OpenRegistry | None:
    """Return the registry, or None after a line that says why it is not available."""
    try:
        registry = stack.enter_context(open_selected(option, console))
        registry.mode  # noqa: B018 - reads and verifies the metadata in force
    except UnavailableError as error:
        if option is not None:
            raise
        console.note(f"psreg: compared with receipts only: {error.message}")
        return None
    return registry


def _row(receipt: Receipt, library: Library, registry: OpenRegistry | None) -> dict[str, Any]:
    compared = ["receipt"]
    problem, note = library.drift(receipt), None
    revoked = library.withdrawal(receipt)
    signed: list[dict[str, str]] = []
    if registry is not None and receipt.registry["id"] == registry.id:
        compared.append("registry")
        stated, note = _stated(receipt, registry)
        problem = problem or stated
        revoked = library.withdrawal(receipt)  # which reading the record may have brought
        by = _signed(receipt, registry)
        signed = [
            {"account": account, "key": signature.key.fingerprint}
            for account, signature in (by.signatures if by and not stated else ())
        ]
    return {
        "name": receipt.release.name,
        "version": receipt.release.version,
        "path": str(library.path(receipt)),
        "compared": compared,
        "signed": signed,
        "problem": problem or (revoked and revoked.told("it")),
        "revoked": revoked.to_json() if revoked else None,
        "note": note,
    }


def _damaged(name: str, library: Library) -> dict[str, Any]:
    """Return the row of a name of which there is something, but no usable receipt."""
    return {
        "name": name,
        "version": "",
        "path": str(library.folder / name),
        "compared": [],
        "signed": [],
        "problem": "there is no usable receipt; install it again",
        "revoked": None,
        "note": None,
    }


def _released(
    receipt: Receipt, registry: OpenRegistry
) -> tuple[PackageRecord, ReleaseRecord] | None:
    """Return the record of an installed release and its row, None if there is none."""
    data = registry.record(receipt.release.name)
    record = read_record(data, receipt.release.name) if data else None
    row = record.release(receipt.release.version) if record else None
    return (record, row) if record and row else None


def _stated(receipt: Receipt, registry: OpenRegistry) -> tuple[str | None, str | None]:
    """Return how `receipt` differs from the registry's record, and a note from the record."""
    found = _released(receipt, registry)
    if found is None:
        return f"the registry has no {receipt.release.name} {receipt.release.version}", None
    record, row = found
    if row.sha256 != receipt.sha256:
        return f"the registry's record has SHA-256 {row.sha256}", None
    if row.revoked is None:
        registry.check_release(record, row)
    return None, f"yanked: {row.yanked}" if row.yanked is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signed:
    """What owners signed about an installed release, and their signatures by account."""

    statement: Statement
    signatures: tuple[tuple[str, SshSignature], ...]


def _signed(receipt: Receipt, registry: OpenRegistry) -> _Signed | None:
    """Return what was signed about an installed release, None if the registry does not have it."""
    found = _released(receipt, registry)
    if found is None:
        return None
    from psreg.registry.owners.claim import signed_by, statement_of

    record, row = registry.with_void_keys(found[0]), found[1]
    return _Signed(
        statement=statement_of(record, row, registry.id),
        signatures=signed_by(record, row, registry.id, registry.claim(record.name)),
    )


def _export(receipts: list[Receipt], registry: OpenRegistry | None, folder: Path) -> None:
    """Write the statement, its signatures, and who has the keys, as OpenSSH reads them.

    Raises:
        UnavailableError: NOT_SIGNED; CANNOT_WRITE.
    """
    from psreg.registry.owners.statement import NAMESPACE
    from psreg.system.atomic import cannot_write, write_file

    found = [_signed(receipt, registry) for receipt in receipts] if registry else []
    one = next((each for each in found if each and each.signatures), None)
    if one is None:
        hint = "Only releases that their owners signed have something to export."
        raise UnavailableError("NOT_SIGNED", "no owner's signature is known", hint)
    files = {"statement.pae": one.statement.message, "statement.json": one.statement.payload}
    lines = []
    for number, (account, signature) in enumerate(one.signatures, start=1):
        suffix = "" if number == 1 else f".{number}"
        files[f"statement{suffix}.sig"] = signature.armoured
        lines.append(f'{account} namespaces="{NAMESPACE}" {signature.key}\n')
    files["allowed_signers"] = "".join(lines).encode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    for name, data in files.items():
        write_file(folder / name, data)


def _print(rows: list[dict[str, Any]], console: Console) -> None:
    if not rows:
        console.note("nothing is installed")
    for row in rows:
        if row["problem"] or not console.quiet:
            said = row["problem"] or f"ok ({' and '.join(row['compared'])})"
            by = ", ".join(each["account"] for each in row["signed"])
            said += f", signed by {by}" if by and not row["problem"] else ""
            more = f"; {row['note']}" if row["note"] else ""
            title = f"{row['name']} {row['version']}".rstrip()
            console.line(f"{title}: {said}{more}")
