"""`psreg verify [NAME…]`: verify what is locked or installed, from the file to the root, offline.

Prints the chain of each prompt: its file, its record, the metadata that signs it, the roots up to
the pinned one, what its owners signed, and the log. With `--registry`, each is first compared with
what that registry says now. Exit 3 if a link fails.

In a project that is what its lock has. A NAME that this lacks is looked for in what is installed.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.cli.registry_option import (
    add_offline_option,
    add_registry_option,
    check_policy,
    open_selected,
)
from psreg.client.resolve import parse_requests
from psreg.core.errors import TrustError, UnavailableError, UsageError
from psreg.core.terminal import one_line
from psreg.registry.records import read_record
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.chain import Chain, Signed
    from psreg.client.config import Settings
    from psreg.client.library import Library, Receipt
    from psreg.client.open_registry import OpenRegistry
    from psreg.client.project.proving import LockedPrompts
    from psreg.client.trust_store import TrustStore

EXAMPLE = "psreg verify quiz_master"
SCHEMA = "psreg.verify/1"

Row = dict[str, Any]


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="prompts to verify (default: all locked or installed)",
    )
    add_registry_option(parser, "first compare with what this registry says now", "no registry")
    parser.add_argument(
        "--export",
        type=Path,
        metavar="DIR",
        help="write what the owners of one NAME signed, for `ssh-keygen -Y verify`",
    )
    add_offline_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Verify installed prompts; exit 3 if a link of a chain fails."""
    names = [request.name for request in parse_requests(args.names)]
    if args.export is not None and len(names) != 1:
        raise UsageError("USAGE", "`--export` requires one NAME")
    if args.offline and args.registry is not None:
        raise UsageError("USAGE", "`--registry` asks a registry, and `--offline` asks none")

    from psreg.client.chain import Chain, Pins
    from psreg.client.library import user_library
    from psreg.client.project.proving import LockedPrompts
    from psreg.client.registry_choice import load_settings, trust_store

    library, store = user_library(console.warn), trust_store(console.warn)
    settings = load_settings(Path.cwd())
    shelves, damaged = _shelves(library, names, settings, store)
    pins = Pins(store, settings.registries())
    rows: list[Row] = []
    with ExitStack() as stack:
        registry = None
        if args.registry is not None and any(receipts for _, receipts in shelves):
            registry = stack.enter_context(open_selected(args, console))
            registry.mode  # noqa: B018 - reads and verifies the metadata in force
        for files, receipts in shelves:
            for receipt in receipts:
                answer = _answer(receipt, registry)
                chain = Chain(receipt, files, pins)
                refused = files.refusal(chain) if isinstance(files, LockedPrompts) else None
                refused = refused or _refusal(chain, settings, console)
                rows.append(_row(chain, files, answer, refused))
                if args.export is not None:
                    _export(chain.signed, args.export)
    rows += [_damaged(name, library) for name in damaged]
    _report(sorted(rows, key=lambda row: str(row["name"])), console)
    return TrustError.exit_code if any(row["problem"] for row in rows) else 0


def _shelves(
    library: Library, names: list[str], settings: Settings, store: TrustStore
) -> tuple[list[tuple[LockedPrompts | Library, list[Receipt]]], list[str]]:
    """Return what to verify by where it is, and the names of what is damaged in the library."""
    from psreg.client.project.proving import LockedPrompts

    project = LockedPrompts.around(Path.cwd(), settings, store, names)
    locked = project.receipts(names) if project else []
    if project and locked:
        names = [name for name in names if name not in {each.release.name for each in locked}]
        if not names:
            return [(project, locked)], []
    damaged = [name for name in library.damaged() if not names or name in names]
    installed = (library, _receipts(library, names, damaged))
    return [(project, locked), installed] if project and locked else [installed], damaged


def _receipts(library: Library, names: list[str], damaged: list[str]) -> list[Receipt]:
    if not names:
        return list(library.receipts())
    found = {name: library.receipt(name) for name in names if name not in damaged}
    absent = [name for name, receipt in found.items() if receipt is None]
    if absent:
        from psreg.client.library import not_installed

        raise not_installed(absent, library)
    return [receipt for receipt in found.values() if receipt is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What a registry says about an installed release: why it refuses it, or what to add."""

    error: TrustError | None = None
    note: str | None = None
    reviewers: tuple[str, ...] = ()


def _answer(receipt: Receipt, registry: OpenRegistry | None) -> _Answer | None:
    """Return what a registry says now; None if none is asked, or not that of the release.

    If it accepts it, the proof that is kept is that of the state in force.
    """
    if registry is None or registry.id != receipt.registry["id"]:
        return None
    name, version = receipt.release.name, receipt.release.version
    try:
        data = registry.record(name)
        record = read_record(data, name) if data else None
        row = record.release(version) if record else None
        if record is None or row is None or row.sha256 != receipt.sha256:
            found = f"has {row.sha256}" if row else f"does not have {name} {version}"
            return _Answer(error=TrustError("TRUST_DIGEST", f"the registry's record {found}"))
        if row.revoked is None:
            registry.check_release(record, row)
    except TrustError as error:
        return _Answer(error=error)
    from psreg.registry.owners.review import reviews_of

    reviewed = reviews_of(registry.with_void_keys(record), row, registry.id)
    notes = [f"yanked: {row.yanked}"] if row.yanked is not None else []
    notes += reviewed.ignored
    return _Answer(note="; ".join(notes) or None, reviewers=reviewed.names)


def _refusal(chain: Chain, settings: Settings, console: Console) -> TrustError | None:
    """Return why `[policy]` does not allow an installed release, None if it does."""
    if chain.row is None:
        return None
    receipt = chain.receipt
    try:
        rows = [(receipt.release, chain.row, chain.claimed)]
        check_policy(settings, receipt.registry["id"], rows, console)
    except TrustError as error:
        return TrustError(error.code, str(error), error.hint)
    return None


def _row(
    chain: Chain,
    files: LockedPrompts | Library,
    answer: _Answer | None,
    refusal: TrustError | None,
) -> Row:
    receipt, signed = chain.receipt, chain.signed
    error = (answer and answer.error) or chain.error or refusal
    revoked = files.withdrawal(receipt)
    return {
        "name": receipt.release.name,
        "version": receipt.release.version,
        "path": str(files.path(receipt)),
        "compared": [files.compared, "proof", *(["registry"] if answer else [])],
        "signed": [
            {"account": account, "key": signature.key.fingerprint}
            for account, signature in (signed.signatures if signed else ())
        ],
        "problem": error.message if error else None,
        "code": error.code if error else None,
        "hint": error.hint if error else None,
        "revoked": revoked.to_json() if revoked else None,
        "note": answer.note if answer else None,
        "reviewers": [*answer.reviewers] if answer else [],
        "chain": [link.to_json() for link in chain.links],
    }


def _damaged(name: str, library: Library) -> Row:
    """Return the row of a name of which there is something, but no usable receipt."""
    return {
        "name": name,
        "version": "",
        "path": str(library.folder / name),
        "compared": [],
        "signed": [],
        "problem": "there is no usable receipt",
        "code": "TRUST_UNPROVEN",
        "hint": f"Run `psreg install {name}`.",
        "revoked": None,
        "note": None,
        "reviewers": [],
        "chain": [],
    }


def _export(signed: Signed | None, folder: Path) -> None:
    """Write the statement, its signatures, and who has the keys, as OpenSSH reads them.

    Raises:
        UnavailableError: NOT_SIGNED; CANNOT_WRITE.
    """
    if signed is None or not signed.signatures:
        hint = "Only releases that their owners signed have something to export."
        raise UnavailableError("NOT_SIGNED", "no owner's signature is known", hint)
    from psreg.registry.owners.statement import NAMESPACE
    from psreg.system.atomic import cannot_write, write_file

    files = {"statement.pae": signed.statement.message, "statement.json": signed.statement.payload}
    lines = []
    for number, (account, signature) in enumerate(signed.signatures, start=1):
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


def _report(rows: list[Row], console: Console) -> None:
    if console.machine:
        failed = next((row for row in rows if row["problem"]), None)
        names = {"code": "code", "message": "problem", "hint": "hint"}
        error = failed and {key: failed[name] for key, name in names.items()}
        console.json({"schema": SCHEMA, "error": error, "checked": len(rows), "results": rows})
        return
    if not rows:
        console.note("nothing is installed")
    for row in rows:
        if row["problem"] or not console.quiet:
            _print(row, console)


def _print(row: Row, console: Console) -> None:
    said = f"error[{row['code']}]: {row['problem']}" if row["problem"] else "verified"
    by = ", ".join(map(one_line, row["reviewers"]))
    said += f"; reviewed by {by}" if by and not row["problem"] else ""
    more = f"; {row['note']}" if row["note"] else ""
    console.line(f"{row['name']} {row['version']}".rstrip() + f": {said}{more}")
    for link in row["chain"]:
        failed = f"error[{link['code']}]: " if link["code"] else ""
        console.line(f"  {link['link']:<12} {failed}{link['text']}")
    if row["hint"]:
        console.line(f"  hint: {row['hint']}")
