"""`psreg publish`: release what is new in a checkout, sign it and make it current."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from psreg.cli.cluster_option import (
    add_cluster_option,
    add_source_option,
    check_source_option,
    executor_of,
    source_of,
)
from psreg.cli.signing_ports import signing_ports
from psreg.core.classes import CLASSES
from psreg.core.diagnostics import Report
from psreg.core.errors import FindingsError, UnavailableError
from psreg.core.identity import PBES, EntryId, is_name
from psreg.formats import policy
from psreg.formats.layout import Irregular
from psreg.git.work_tree import WorkTree
from psreg.lint.reports.json import report_document
from psreg.lint.reports.text import report_lines, withdrawal_lines
from psreg.registry.actions.chain import read_actions
from psreg.registry.baseline import Baseline, Ports, read_baseline
from psreg.registry.check.newer_rules import with_newer_rules_as_warnings
from psreg.registry.checkout import find_checkout, read_tree, required_checkout
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
from psreg.registry.journal import PublishJournal, Seen
from psreg.registry.keys.cosigning import cosign
from psreg.registry.publish import Change, PublishResult, publish, resign
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.roles import HEAD, PRODUCTION, WARNING, catalog_target, is_offline
from psreg.registry.withdrawing.effects import Effects
from psreg.system import clock
from psreg.system.console import Console, add_output_options, color_wanted
from psreg.system.files import MAX_FILE, read_file, read_named

if TYPE_CHECKING:
    from psreg.git.commit import Commit
    from psreg.lint.cluster_shares import Source
    from psreg.registry.actions.action import Action
    from psreg.registry.owners.signed_releases import Waiting

EXAMPLE = "psreg publish"
SCHEMA = "psreg.publish/1"

_POLICY = PurePosixPath("registry/policy.toml")
_ACTIONS = PurePosixPath("registry/actions")
_WHOLE = (PurePosixPath(PBES),)
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


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
    _add_cosign_option(parser)
    parser.add_argument(
        "--start-over",
        action="store_true",
        help="create another registry where the metadata of one is gone",
    )
    parser.add_argument(
        "--full", action="store_true", help="compare every entry, whatever Git says has changed"
    )
    parser.add_argument(
        "--rev",
        metavar="REV",
        help="publish the files of a commit of Git, whatever is in the work tree",
    )
    parser.add_argument(
        "--since",
        type=_commit_id,
        default="",
        metavar="ID",
        help="compare only what differs from this commit, the one that was published last",
    )
    add_cluster_option(parser)
    add_source_option(parser)
    add_output_options(parser)


def _add_cosign_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--cosign",
        type=Path,
        metavar="FILE",
        help="add cosignatures of witnesses to the log, without releasing anything",
    )


def _commit_id(value: str) -> str:
    if value and not _ID.fullmatch(value):
        raise ArgumentTypeError(f"{value!r} is not the full id of a commit")
    return value


def run(args: Namespace, console: Console) -> int:
    """Publish and print what was released; exit 1 if the check fails."""
    check_source_option(args)
    root = _root(args)
    ports, journal = signing_ports(root, args.registry_dir)
    now = clock.now()
    with journal.lock(), _source(root, args.rev) as source:
        rules = policy.read(source.policy())
        if args.resign:
            result = resign(now, ports, rules.lifetimes)
        elif args.cosign is not None:
            result = cosign(read_named(args.cosign), now, ports, rules.lifetimes)
        else:
            baseline = read_baseline(ports, start_over=args.start_over)
            hint = _hint(source, baseline, journal, since=args.since, full=args.full)
            remote = source_of(args, source.git, console)
            elsewhere = _Elsewhere(cluster=args.cluster, remote=remote)
            with console.working("checking what is new"):
                part = _differing(source, baseline, ports, now, hint, elsewhere=elsewhere)
            for line in _told(part, hint):
                console.warn(line)
            if part.report.failed():
                return _say_findings(part.report, console)
            lasting, keep, found = rules.lifetimes, rules.keep, part.found
            change = part.change(baseline, rules.synonyms)
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


def _root(args: Namespace) -> Path:
    """Return the folder of the registry; that of a commit need not have its folders."""
    start = Path(args.checkout)
    if args.rev and start.is_dir():
        return find_checkout(start) or start.absolute()
    return required_checkout(args.checkout)


class _Source:
    """What is published: the files of the work tree, or of the commit `rev`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def policy(self) -> bytes:
        """Return the policy."""
        place = self._root / _POLICY
        return read_file(place) if place.is_file() else b""

    def actions(self) -> dict[str, bytes]:
        """Return the files of registry/actions by name."""
        folder = RegistryFolder(self._root / "registry")
        return {name: folder.read(f"actions/{name}") or b"" for name in folder.names("actions")}

    def git(self, below: str = ".") -> WorkTree:
        """Return what Git knows about the files in a folder."""
        return WorkTree(self._root, below)

    def files(
        self, places: Iterable[PurePosixPath]
    ) -> tuple[Mapping[PurePosixPath, bytes], Mapping[PurePosixPath, Irregular]]:
        """Return the policy and the files at or below `places`, and what is not a plain file."""
        found = read_tree(self._root, parts=places)
        return found, found.irregular()


class _CommitSource(_Source):
    """The same of a commit."""

    def __init__(self, root: Path, commit: Commit) -> None:
        super().__init__(root)
        self._commit = commit

    def policy(self) -> bytes:
        """Return the policy."""
        return self._commit.files([_POLICY]).get(_POLICY, b"")

    def actions(self) -> dict[str, bytes]:
        """Return the files of registry/actions by name.

        Raises:
            FindingsError: `NOT_A_FILE`.
            UnavailableError: `CANNOT_READ`: there is a folder among them.
        """
        found = self._commit.files([_ACTIONS])
        _check_regular(found.irregular)
        if nested := [path for path in found if path.parent != _ACTIONS]:
            raise UnavailableError("CANNOT_READ", f"cannot read {nested[0]}: it is in a folder")
        return {path.name: data for path, data in found.items()}

    def git(self, below: str = ".") -> WorkTree:  # noqa: ARG002 - it has no other files
        """Return what Git knows about the files in a folder."""
        return self._commit

    def files(
        self, places: Iterable[PurePosixPath]
    ) -> tuple[Mapping[PurePosixPath, bytes], Mapping[PurePosixPath, Irregular]]:
        """Return the policy and the files at or below `places`, and what is not a plain file."""
        found = self._commit.files({*places, _POLICY})
        return found, found.irregular


@contextmanager
def _source(root: Path, rev: str | None) -> Iterator[_Source]:
    """Return what is published: the files of the work tree, or of the commit `rev`."""
    if rev is None:
        yield _Source(root)
        return
    from psreg.git.commit import open_commit  # what a work tree does not need

    with open_commit(root, PBES, rev) as commit:
        yield _CommitSource(root, commit)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What differs from the signed state, and the report of its check."""

    found: Difference
    report: Report
    inputs: Mapping[str, str]
    signed: SignedNames
    actions: Sequence[Action]

    def change(self, baseline: Baseline, synonyms: tuple[str, ...]) -> Change:
        """Return what a publish is about, after `baseline`, under a policy with these synonyms."""
        return Change(
            names=self.found.names,
            inputs=self.inputs,
            baseline=baseline,
            actions=self.actions,
            synonyms=synonyms,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Elsewhere:
    """The address of the cluster that shares the work, and from where its workers read files."""

    cluster: str | None
    remote: Source | None


def _hint(
    source: _Source, baseline: Baseline, journal: PublishJournal, *, since: str, full: bool
) -> Hint:
    """Return where the files may differ from the signed state."""
    targets = baseline.state.targets if baseline.state else {}
    target = targets.get(catalog_target(HEAD))
    head = target.sha256 if target else ""
    seen = Seen(head=head, tree=since) if since else journal.seen()
    hint = hint_of(source.git(PBES), seen, head)
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
    "keys": "keys of owners were revoked",
    "schema": "this psreg has another schema of records",
}


def _differing(
    source: _Source,
    baseline: Baseline,
    ports: Ports,
    now: datetime,
    hint: Hint,
    *,
    elsewhere: _Elsewhere,
) -> _Part:
    """Compare the files with the signed state, and check what differs."""
    signed = SignedNames(baseline, ports.store.read)
    actions = read_actions(source.actions())
    effects = Effects.after(baseline, actions)
    inputs = inputs_of(source.policy(), actions, effects.void)
    acted = effects.names if signed.changed_actions(inputs) else ()
    places = None if signed.changed_inputs(inputs) else hint.places
    if places is not None:
        places |= {EntryId(one, name).folder for name in acted for one in CLASSES}
    files, irregular = source.files(_WHOLE if places is None else parts_of(places))
    _check_regular(irregular)
    names = None if places is None else names_in(places)
    found = compare(files, signed, inputs, names, irregular, acted=acted)
    if large := [str(path) for path, data in found.tree.items() if len(data) >= MAX_FILE]:
        raise FindingsError("FILE_TOO_LARGE", f"{', '.join(large)}: {MAX_FILE:,} bytes or more")
    report = Report(checked=0)
    if signed.is_new or irregular or not found.is_empty:
        # NOTE: the rules take as long to import as everything else, and often nothing changed.
        from psreg.cli.rules import registry_rules
        from psreg.registry.check.difference import check_difference

        today = now.date()
        with executor_of(elsewhere.cluster) as workers:
            check = partial(check_difference, irregular=irregular, today=today)
            told = check(found, signed, registry_rules, workers=workers, source=elsewhere.remote)
            judged = with_newer_rules_as_warnings(told, found.tree, ports.store.read)
        report = Report.of(len(found.tree), judged)
    return _Part(found=found, report=report, inputs=inputs, signed=signed, actions=actions)


def _check_regular(irregular: Mapping[PurePosixPath, Irregular]) -> None:
    """Refuse links and other things that are not files."""
    refused = [path for path, kind in irregular.items() if kind is not Irregular.EXECUTABLE]
    if refused:
        raise FindingsError(
            "NOT_A_FILE",
            f"{', '.join(map(str, refused))}: neither a file nor a folder",
            "Replace links by copies: a registry must not contain links.",
        )


def _say_findings(report: Report, console: Console) -> int:
    if console.machine:
        console.json(report_document(report))
    else:
        lines = report_lines(report, color=color_wanted(), infos=False)
        console.out("".join(f"{line}\n" for line in lines))
        console.warn("nothing was published")
    return 1


def _warn(result: PublishResult, now: datetime, console: Console) -> None:
    for line in _due_lines(result, now):
        console.warn(f"warning: {line}")
    for line in result.ignored:
        console.warn(f"warning: {line}")
    for each in result.completable:
        since = f"warning: {each.name} can get other owners since {each.due[:10]}"
        console.warn(f"{since}; run `psreg keys owners {each.name}`")
    if clock.is_future(result.latest, now):
        console.warn(
            f"warning: a release is dated {result.latest}, but the clock of this machine says "
            f"{now:%Y-%m-%dT%H:%M:%SZ}; check the clock"
        )


def _due_lines(result: PublishResult, now: datetime) -> Iterator[str]:
    """Yield what expires within three weeks and has its key elsewhere, by its date."""
    at: dict[tuple[bool, str], list[str]] = {}
    for due in result.due:
        if due.expires - now <= WARNING:
            held = is_offline(due.role) and result.mode == PRODUCTION
            at.setdefault((held, str(due.expires.date())), []).append(due.role)
    for (held, day), roles in at.items():
        more = f" and {len(roles) - _LISTED:,} more" if len(roles) > _LISTED else ""
        listed = f"{', '.join(roles[:_LISTED])}{more}"
        many = len(roles) > 1
        expire = f"the signature{'s' * many} of {listed} expire{'' if many else 's'} on {day}"
        if held:
            yield f"{expire}; run `psreg keys renew`, and let the holders sign"
        else:
            where = "their keys are" if many else "its key is"
            yield f"{expire}, and {where} not here; run `psreg publish` where it is"


def _say(result: PublishResult, site: str, console: Console) -> None:
    if console.machine:
        console.json(_document(result))
        return
    if console.quiet:
        return
    for release in result.released:
        console.line(f"released {release.name} {release.version}")
    for each in result.waiting:
        title = f"{each.name} {each.version or '(other owners)'}{' (yank)' if each.yank else ''}"
        console.line(f"waiting {title}: {each.signed} of {each.threshold} owners signed it")
    for recovery in result.recoveries:
        console.line(recovery.line)
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
        "waiting": [
            {**_waiting(each), "version": each.version}
            for each in result.waiting
            if each.version and not each.yank
        ],
        "waiting_yanks": [
            {**_waiting(each), "version": each.version} for each in result.waiting if each.yank
        ],
        "waiting_owners": [_waiting(each) for each in result.waiting if not each.version],
        "recoveries": [each.to_json() for each in result.recoveries],
        "entries": result.entries,
        "written": result.written,
        "expires": result.expires.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def _waiting(waiting: Waiting) -> dict[str, object]:
    return {"name": waiting.name, "signed": waiting.signed, "threshold": waiting.threshold}


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
