"""`psreg install NAME[@RANGE]…`: fetch, verify and install prompts.

All are verified before any is written.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.cli.registry_option import (
    add_offline_option,
    add_registry_option,
    ask_registries,
    check_policy,
    described,
)
from psreg.cli.replacing import agree, replacements
from psreg.client.resolve import parse_requests
from psreg.core.classes import RESERVED_CLASSES
from psreg.core.errors import UsageError
from psreg.system.console import Console, add_output_options

if TYPE_CHECKING:
    from psreg.client.config import Settings
    from psreg.client.install import FetchedRelease
    from psreg.client.library import Library, Receipt
    from psreg.client.project.updating import Replacement
    from psreg.client.resolve import Request
    from psreg.client.selection.opened import AnyRegistry, OpenedRegistries

    Fetched = tuple[FetchedRelease, AnyRegistry]

EXAMPLE = "psreg install quiz_master@^1.2"
SCHEMA = "psreg.install/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME[@RANGE]", help="what to install: quiz_master@^1.2"
    )
    parser.add_argument(
        "--frozen",
        action="store_true",
        help="install exactly what psreg.lock of the project has, from the cache if it is there",
    )
    add_registry_option(parser, "install from this registry")
    parser.add_argument(
        "--to", metavar="DIR", type=Path, help="only write the files to DIR, do not install them"
    )
    parser.add_argument(
        "--require-claimed",
        action="store_true",
        help="refuse names that are not claimed: only the registry says who released them",
    )
    parser.add_argument(
        "--accept-owners",
        action="store_true",
        help="let the owners of these prompts be others than this machine has seen",
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="do not ask before a version is replaced by one that may not work as it did",
    )
    add_offline_option(parser)
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Install the prompts; exit 3 if trust was refused, 4 if something is not available."""
    if args.frozen or not args.names:
        return _frozen(args, console)
    requests = parse_requests(args.names)  # before any request is sent

    from psreg.client.library import user_library
    from psreg.client.registry_choice import load_settings

    library, settings = user_library(console.warn), load_settings(Path.cwd())
    if args.offline:
        from psreg.client.offline.kept_registry import of_installed

        requests = of_installed(requests, library)
    fetched, results = ask_registries(
        args,
        console,
        lambda: _targets(requests, library),
        partial(_installed, args, console, requests, library, settings),
        settings,
    )
    for release, _ in fetched:
        for warning in release.choice.warnings:
            console.warn(f"psreg: warning: {warning}")
    _report(results, fetched[0][1], console)
    return 0


def _installed(  # noqa: PLR0917 - what is installed, into what, and from where
    args: Namespace,
    console: Console,
    requests: Sequence[Request],
    library: Library,
    settings: Settings,
    opened: OpenedRegistries,
) -> tuple[Sequence[Fetched], list[dict[str, Any]]]:
    """Install what is requested from registries, and return that; nothing if an error is raised."""

    def prepare(registry: AnyRegistry) -> None:
        registry.require_claimed |= args.require_claimed
        if args.accept_owners:
            registry.accept_owners(request.name for request in requests)

    opened.prepare = prepare
    fetched = _fetched(requests, opened, library, console, keep=args.to is None)
    agreed: set[str] = set()
    for registry, releases in _by_registry(fetched):
        _check_policy(releases, registry, settings, console)
        if args.to is None:
            named = args.registry is not None
            agreed |= _check_source(releases, library, registry, console, named=named)
    replaced = [*replacements(fetched, library)] if args.to is None else []
    unmet = [*library.unmet({each.name: each.after for each in replaced})]
    for _, warning in unmet:
        console.warn(f"psreg: warning: {warning}")
    agree(replaced, console, agreed, yes=args.yes)
    changes = {each.name: _changes(each) for each in replaced}
    results = [_placed(release, registry, library, args.to) for release, registry in fetched]
    for each in results:
        each["warnings"] += [warning for name, warning in unmet if name == each["name"]]
        each["changes"] = changes.get(each["name"])
    return fetched, results


def _changes(replaced: Replacement) -> dict[str, Any]:
    from psreg.client.project.updating import described

    return described(replaced)


def _placed(
    release: FetchedRelease, registry: AnyRegistry, library: Library, folder: Path | None
) -> dict[str, Any]:
    """Write a release to a folder, or install it; return what JSON output says."""
    result = _write(release, folder) if folder else _install(release, library, registry)
    name = result["name"]
    return {**result, "claimed": registry.is_claimed(name), "registry": registry.describe()}


def _by_registry(fetched: Iterable[Fetched]) -> Iterator[tuple[AnyRegistry, list[FetchedRelease]]]:
    """Yield each registry with what it has, in order of the first."""
    groups: dict[str, tuple[AnyRegistry, list[FetchedRelease]]] = {}
    for release, registry in fetched:
        groups.setdefault(registry.location, (registry, []))[1].append(release)
    yield from groups.values()


def _fetched(
    requests: Sequence[Request],
    opened: OpenedRegistries,
    library: Library,
    console: Console,
    *,
    keep: bool,
) -> tuple[Fetched, ...]:
    """Return what is requested, and what that requires; `keep` is for the library."""
    from psreg.client.artifacts import user_artifacts
    from psreg.client.install import fetch_all

    cache = user_artifacts()
    lacks = partial(library.lacks, cached=cache.has) if cache else library.lacks
    known = (library.has_intact, library.locks) if keep else ()
    groups: dict[str, tuple[AnyRegistry, list[Request]]] = {}
    for request in requests:
        registry = opened.names.named(request.name)
        groups.setdefault(registry.location, (registry, []))[1].append(request)
    found: dict[str, Fetched] = {}
    for registry, group in groups.values():
        registry.expect(group, lacks)
        if registry.mode == "dev" and not console.quiet and registry.first_time("development"):
            console.warn(f"psreg: the registry {registry.location} is in development mode")
        for each in fetch_all(group, registry, *known, cache=cache):
            found[each.choice.release.name] = each, registry
    if not any(each.choice.row.release.get("requires") for each, _ in found.values()):
        return tuple(found[request.name] for request in requests)
    from psreg.client.project.requests import with_required

    receipts = library.receipts() if keep else ()
    installed = {each.release.name: each.release.version for each in receipts}
    exact = with_required(requests, lambda _: opened.usual(), installed, opened.names)
    for request, where in exact:
        registry = opened.at(where.location)
        before = found.get(request.name)
        if before is None or before[0].choice.row.version != str(request.range.exact):
            (each,) = fetch_all([request], registry, *known, cache=cache)
            found[request.name] = each, registry
    return tuple(found[request.name] for request, _ in exact)


def _check_policy(
    fetched: Iterable[FetchedRelease], registry: AnyRegistry, settings: Settings, console: Console
) -> None:
    choices = [each.choice for each in fetched]
    rows = [(each.release, each.row, registry.is_claimed(each.release.name)) for each in choices]
    check_policy(settings, registry.id, rows, console)


def _frozen(args: Namespace, console: Console) -> int:
    """Install what the lock of a project has; exit 1 if it is not what psreg.toml asks for.

    Raises:
        UsageError: names, or no option, were given.
    """
    if args.names or args.to is not None:
        raise UsageError("USAGE", "`--frozen` installs what psreg.lock has, and takes no NAME")
    if not args.frozen:
        hint = "In a project, run `psreg sync`, or `psreg install --frozen` in CI."
        raise UsageError("USAGE", "there is no NAME to install", hint)

    from psreg.cli.project_option import open_session, report
    from psreg.client.project.drift import check_current

    with open_session(args, console, registry=args.registry) as session:
        manifest = session.workspace.manifest()
        lock, data = session.workspace.required_lock()
        ids = session.ids(manifest, lock), session.required_ids(lock)
        check_current(manifest, lock, data, *ids)
        published = session.published(manifest)
        prepared = session.prepared(manifest, lock, published, fresh=False, offline=args.offline)
        prepared.apply()
        report(console, session, [], prepared)
    return 0


def _targets(requests: Iterable[Request], library: Library) -> Iterator[str]:
    """Yield the record of each requested name, or "" if it is not installed."""
    from psreg.registry.trust.roles import package_target

    for request in requests:
        yield package_target(request.name) if library.receipt(request.name) else ""


def _install(release: FetchedRelease, library: Library, registry: AnyRegistry) -> dict[str, Any]:
    before = library.receipt(release.choice.release.name)
    receipt = _receipt(release, registry)
    if release.already_installed:
        library.tidy(receipt.release.name)
        return _result(release, library.path(receipt), "unchanged")
    path = library.install(receipt, release.data)
    return _result(release, path, "installed", before)


def _check_source(
    fetched: Sequence[FetchedRelease],
    library: Library,
    registry: AnyRegistry,
    console: Console,
    *,
    named: bool,
) -> set[str]:
    """Let a name of another registry be replaced only if a person agrees, and say that it is.

    Returns the names. Where nobody can be asked, it is enough that the registry was `named` with an
    option.

    Raises:
        TrustError: `TRUST_OTHER_REGISTRY`.
    """
    from psreg.client.registry_choice import changed_registry, other_registry

    new = [each.choice.release.name for each in fetched if not each.already_installed]
    receipts = library.from_elsewhere(new, registry.id)
    if not receipts:
        return set()
    names = {each.release.name for each in receipts}
    refusal = other_registry(receipts, registry.location)
    changes = [changed_registry(each, registry.describe()) for each in receipts]
    if named and not console.can_ask():
        for change in changes:
            console.warn(f"psreg: warning: {change}")
        return names
    told = ". ".join(changes) if named else refusal.message
    question = f"{told}. Type yes to replace {'it' if len(receipts) == 1 else 'them'}:"
    if not (console.can_ask() and console.typed_yes(question)):
        raise refusal
    return names


def _receipt(release: FetchedRelease, registry: AnyRegistry) -> Receipt:
    from psreg.client.library import Receipt
    from psreg.system.clock import now

    choice, requires = release.choice, dict[str, str]()
    if choice.row.release.get("requires"):  # few do
        from psreg.registry.requirements.installable import requires_of

        requires = requires_of(choice.release.name, choice.row)
    return Receipt(
        release=choice.release,
        sha256=choice.row.sha256,
        size=choice.row.size,
        registry=registry.describe(),
        metadata=registry.versions,
        installed=now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        requires=requires,
    )


def _write(release: FetchedRelease, folder: Path) -> dict[str, Any]:
    from psreg.system.atomic import AN_HOUR, cannot_write, clear_unfinished, write_file

    path = folder.absolute() / release.choice.release.filename
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    clear_unfinished(path.parent, age=AN_HOUR)  # there is no lock in a folder of the user
    write_file(path, release.data)
    return _result(release, path, "written")


def _result(
    release: FetchedRelease, path: Path, status: str, replaced: Receipt | None = None
) -> dict[str, Any]:
    choice = release.choice
    return {
        "name": choice.release.name,
        "class": choice.release.entry_class,
        "version": choice.release.version,
        "status": status,
        "replaced": replaced.release.version if replaced else None,
        "replaced_registry": dict(replaced.registry) if replaced else None,
        "path": str(path),
        "sha256": choice.row.sha256,
        "size": choice.row.size,
        "warnings": list(choice.warnings),
    }


def _report(results: list[dict[str, Any]], registry: AnyRegistry, console: Console) -> None:
    if console.machine:
        about = {**described(registry), "mode": registry.mode}
        console.json({"schema": SCHEMA, "registry": about, "installed": results})
        return
    if console.quiet:
        return
    for result in results:
        of = result["registry"]
        name, version = result["name"], result["version"]
        status = "already installed" if result["status"] == "unchanged" else result["status"]
        former = result["replaced_registry"] or {}
        elsewhere = f" from {former['url']}" if former.get("id", of["id"]) != of["id"] else ""
        instead = f" (was {result['replaced']}{elsewhere})" if result["replaced"] else ""
        console.line(f"{status} {name} {version}{instead}")
        console.line(f"  {result['path']}")
        new = result["status"] != "unchanged" and not result["replaced"]
        if new and not result["claimed"] and registry.mode != "dev":
            console.line("  not claimed: only the registry's keys say who released it")
        console.line(f"  next: {_next_step(result)}")


def _next_step(result: dict[str, Any]) -> str:
    """Return what to do with a prompt that somebody else wrote: read it, then use it."""
    what = result["path"] if result["status"] == "written" else result["name"]
    read = f"read it first: psreg show {what}"
    if result["class"] in RESERVED_CLASSES:
        return f"{read}; nothing executes this class today"
    return f"{read}, then: psreg copy {what}"
