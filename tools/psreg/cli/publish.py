"""`psreg publish`: release what is new in a checkout, sign it and make it current."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from psreg.cli.cluster_option import add_cluster_option, executor_of
from psreg.core.diagnostics import Report
from psreg.core.errors import FindingsError, UsageError
from psreg.core.identity import PBES, is_name
from psreg.formats import policy
from psreg.git.history import FolderHistory
from psreg.git.work_tree import WorkTree
from psreg.lint.reports.json import report_document
from psreg.lint.reports.text import report_lines, withdrawal_lines
from psreg.registry.baseline import Baseline, Ports, read_baseline
from psreg.registry.checkout import find_checkout, read_tree
from psreg.registry.difference import (
    Difference,
    Hint,
    SignedNames,
    compare,
    hint_of,
    inputs_of,
    names_in,
    next_seen,
    parts_of,
)
from psreg.registry.journal import PublishJournal
from psreg.registry.keystore import KeyStore
from psreg.registry.publish import Change, PublishResult, publish, resign
from psreg.registry.rules_newer_than_release import with_newer_rules_as_warnings
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.roles import HEAD, catalog_target
from psreg.system import clock
from psreg.system.console import Console, add_output_options, color_wanted
from psreg.system.files import MAX_FILE, read_file
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
    parser.add_argument(
        "--full", action="store_true", help="compare every entry, whatever Git says has changed"
    )
    add_cluster_option(parser)
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
    rules = policy.read(_policy(root))
    with journal.lock():
        if args.resign:
            result = resign(now, ports, rules.lifetimes)
        else:
            baseline = read_baseline(ports, start_over=args.start_over)
            hint = _hint(root, baseline, journal, full=args.full)
            part = _differing(root, baseline, ports, now, hint, cluster=args.cluster)
            for line in _told(part, hint):
                console.warn(line)
            if part.report.failed():
                return _say_findings(part.report, console)
            lasting, keep, found = rules.lifetimes, rules.keep, part.found
            change = Change(names=found.names, inputs=part.inputs, baseline=baseline)
            result = publish(
                found.tree, part.report, now, ports, lifetimes=lasting, keep=keep, change=change
            )
            if hint.tree:
                released = {release.name for release in result.released}
                journal.remember(next_seen(hint, found, part.signed, released, result.head))
            for line in withdrawal_lines(part.report):
                console.warn(line)
    _warn(result, now, console)
    _say(result, rules.site_url or "URL", console)
    return 0


def _policy(root: Path) -> bytes:
    place = root / _POLICY
    return read_file(place) if place.is_file() else b""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What differs from the signed state, and the report of its check."""

    found: Difference
    report: Report
    inputs: Mapping[str, str]
    signed: SignedNames


def _hint(root: Path, baseline: Baseline, journal: PublishJournal, *, full: bool) -> Hint:
    """Return where the checkout may differ from the signed state."""
    targets = baseline.state.targets if baseline.state else {}
    head = targets.get(catalog_target(HEAD))
    hint = hint_of(WorkTree(root, PBES), journal.seen(), head.sha256 if head else "")
    return replace(hint, places=None, why="") if full else hint


def _told(part: _Part, hint: Hint) -> Iterator[str]:
    """Yield what to tell about a comparison of more than what changed."""
    if part.found.again:
        names = sorted(filter(is_name, part.found.names))
        more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
        listed = f"{', '.join(names[:_LISTED])}{more}"
        yield f"note: {_AGAIN[part.found.again[0]]}; computed again: {listed}"
    elif hint.why:
        yield f"note: every entry was compared: {hint.why}"


_LISTED = 3
"""Names that a line lists before it counts the rest."""

_AGAIN = {
    "layout": "the registry was published by an older psreg",
    "policy": "registry/policy.toml changed",
    "actions": "registry/actions changed",
    "schema": "this psreg has another schema of records",
}


def _differing(
    root: Path,
    baseline: Baseline,
    ports: Ports,
    now: datetime,
    hint: Hint,
    *,
    cluster: str | None,
) -> _Part:
    """Compare the checkout with the signed state, and check what differs."""
    signed = SignedNames(baseline, ports.store.read)
    inputs = inputs_of(_policy(root), _actions(root))
    places = None if signed.changed_inputs(inputs) else hint.places
    folder = read_tree(root, parts=None if places is None else parts_of(places))
    if folder.refused:
        raise FindingsError(
            "NOT_A_FILE",
            f"{', '.join(map(str, folder.refused))}: neither a file nor a folder",
            "Replace links by copies: a registry must not contain links.",
        )
    names, irregular = None if places is None else names_in(places), folder.irregular()
    found = compare(folder, signed, inputs, names, irregular)
    if large := [str(path) for path, data in found.tree.items() if len(data) >= MAX_FILE]:
        raise FindingsError("FILE_TOO_LARGE", f"{', '.join(large)}: {MAX_FILE:,} bytes or more")
    report = Report(checked=0)
    if signed.is_new or irregular or not found.is_empty:
        # NOTE: the rules take as long to import as everything else, and often nothing changed.
        from psreg.cli.rules import registry_rules
        from psreg.registry.difference_check import check_difference

        today = now.date()
        with executor_of(cluster) as workers:
            told = check_difference(
                found, signed, registry_rules, irregular=irregular, today=today, workers=workers
            )
            judged = with_newer_rules_as_warnings(told, found.tree, ports.store.read)
        report = Report.of(len(found.tree), judged)
    return _Part(found=found, report=report, inputs=inputs, signed=signed)


def _actions(root: Path) -> dict[str, bytes]:
    """Return the files of registry/actions by name."""
    folder = RegistryFolder(root / "registry")
    return {name: folder.read(f"actions/{name}") or b"" for name in folder.names("actions")}


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
