"""`psreg publish`: release what is new in a checkout, sign it and make it current."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from pathlib import Path, PurePosixPath

from psreg.cli.rules import registry_rules
from psreg.core.diagnostics import Report
from psreg.core.errors import FindingsError, UsageError
from psreg.formats import policy
from psreg.git.history import FolderHistory
from psreg.lint.registry_walk import check_tree
from psreg.lint.reports.json import report_document
from psreg.lint.reports.text import report_lines, withdrawal_lines
from psreg.registry.baseline import Ports
from psreg.registry.checkout import FileTree, find_checkout, read_tree
from psreg.registry.journal import PublishJournal
from psreg.registry.keystore import KeyStore
from psreg.registry.newer_rules import with_newer_rules_as_warnings
from psreg.registry.publish import PublishResult, publish, resign
from psreg.registry.store_folder import RegistryFolder
from psreg.system import clock
from psreg.system.console import Console, add_output_options, color_wanted
from psreg.system.files import MAX_FILE
from psreg.system.user_folders import journal_dir, keys_dir

EXAMPLE = "psreg publish"
SCHEMA = "psreg.publish/1"

_POLICY = PurePosixPath("registry/policy.toml")


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
        "--registry-dir", metavar="DIR", help="folder to publish to (registry/ of the checkout)"
    )
    parser.add_argument(
        "--resign", action="store_true", help="renew signatures without releasing anything"
    )
    parser.add_argument(
        "--start-over",
        action="store_true",
        help="create another registry where the metadata of one is gone",
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Publish and print what was released; exit 1 if the check fails."""
    start = Path(args.checkout)
    root = find_checkout(start) if start.is_dir() else None
    if root is None:
        raise UsageError(
            "NO_CHECKOUT", f"there is no pbes/ in `{args.checkout}` or above it", "Name a checkout."
        )
    registry = Path(args.registry_dir) if args.registry_dir else root / "registry"
    keys = KeyStore(keys_dir())
    for place in (root, registry):
        keys.keep_out_of(place)
    now = clock.now()
    history = FolderHistory(registry)
    journal = PublishJournal(journal_dir(), registry, history)
    ports = Ports(store=RegistryFolder(registry), keys=keys, journal=journal, history=history)
    folder = read_tree(root)
    rules = policy.read(folder.get(_POLICY, b""))
    tree = {} if args.resign else _whole(folder)
    irregular = {} if args.resign else folder.irregular()
    found = check_tree(tree, registry_rules(), irregular=irregular, today=now.date())
    judged = with_newer_rules_as_warnings(found, tree, ports.store.read)
    report = Report.of(len(tree), judged)
    if report.failed():
        return _say_findings(report, console)
    with journal.lock():
        if args.resign:
            result = resign(now, ports, rules.lifetimes)
        else:
            lasting, keep, over = rules.lifetimes, rules.keep, args.start_over
            result = publish(
                tree, report, now, ports, start_over=over, lifetimes=lasting, keep=keep
            )
    for line in withdrawal_lines(report):
        console.warn(line)
    _warn(result, now, console)
    _say(result, rules.site_url or "URL", console)
    return 0


def _whole(folder: FileTree) -> dict[PurePosixPath, bytes]:
    """Return the files of the tree, read once, so that what is checked is what is published."""
    if folder.refused:
        raise FindingsError(
            "NOT_A_FILE",
            f"{', '.join(map(str, folder.refused))}: neither a file nor a folder",
            "Replace links by copies: a registry must not contain links.",
        )
    tree = dict(folder)
    large = [str(path) for path, data in tree.items() if len(data) >= MAX_FILE]
    if large:
        raise FindingsError("FILE_TOO_LARGE", f"{', '.join(large)}: {MAX_FILE:,} bytes or more")
    return tree


def _say_findings(report: Report, console: Console) -> int:
    if console.machine:
        console.json(report_document(report))
    else:
        lines = report_lines(report, color=color_wanted(), infos=False)
        console.out("".join(f"{line}\n" for line in lines))
        console.warn("nothing was published")
    return 1


def _warn(result: PublishResult, now: datetime, console: Console) -> None:
    for due in result.due:
        console.warn(
            f"warning: the signature of {due.role} expires on {due.expires.date()}, and its key is "
            "not here; run `psreg publish` where it is"
        )
    if clock.is_future(result.latest, now):
        console.warn(
            f"warning: a release is dated {result.latest}, but the clock of this machine says "
            f"{now:%Y-%m-%dT%H:%M:%SZ}; check the clock"
        )


def _say(result: PublishResult, site: str, console: Console) -> None:
    if console.machine:
        console.json(_document(result))
        return
    if console.quiet:
        return
    for release in result.released:
        console.line(f"released {release.name} {release.version}")
    console.line(
        f"published {_count(result.entries, 'entry', 'entries')}, "
        f"{_count(len(result.released), 'release', 'releases')} new, "
        f"{_count(result.written, 'file', 'files')} written"
    )
    console.line(f"registry id {result.registry_id}, mode {result.mode}")
    console.line(f"psreg registry add {site} --root-sha256 {result.root_sha256}")


def _document(result: PublishResult) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "registry_id": result.registry_id,
        "root_sha256": result.root_sha256,
        "mode": result.mode,
        "released": [{"name": r.name, "version": r.version} for r in result.released],
        "entries": result.entries,
        "written": result.written,
        "expires": result.expires.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
