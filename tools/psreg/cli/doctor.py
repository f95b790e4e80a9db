"""`psreg doctor`: whether a registry is set up so that its promises hold, and what to do if not.

The keys on this machine, the signed state, and the pipelines of a checkout; the forge, if there is
a token for it, and the host of the site. Nothing is changed.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from psreg.core.errors import PsregError, TrustError
from psreg.registry.checkout import read_tree, required_checkout
from psreg.system import clock
from psreg.system.console import Console, add_output_options
from psreg.system.files import MAX_FILE, read_file

if TYPE_CHECKING:
    from psreg.formats.policy import Policy
    from psreg.registry.doctor.facts import Diagnosis, Facts, ForgeSettings, Served
    from psreg.registry.trust.reading import RegistryState

EXAMPLE = "psreg doctor --production"
SCHEMA = "psreg.doctor/1"


def configure(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "checkout", nargs="?", default=".", metavar="CHECKOUT", help="checkout of the registry (.)"
    )
    parser.add_argument(
        "--registry-dir", metavar="DIR", help="the published registry (registry/ of the checkout)"
    )
    parser.add_argument(
        "--production",
        action="store_true",
        help="fail on what only a registry in development mode may have",
    )
    add_output_options(parser)


def run(args: Namespace, console: Console) -> int:
    """Print what each check found; exit 1 if one found an error."""
    from psreg.registry.doctor.examine import examine
    from psreg.registry.doctor.facts import Status

    facts = _facts(required_checkout(args.checkout), args.registry_dir, args.production)
    found = examine(facts)
    state = facts.state
    if console.machine:
        document = {
            "schema": SCHEMA,
            "registry": state.registry_id if state else None,
            "mode": state.mode if state else None,
            "production": facts.production,
            "checks": [_row(each) for each in found],
        }
        console.json(document)
    else:
        _print(found, console)
    return int(any(each.status is Status.ERROR for each in found))


def _row(each: Diagnosis) -> dict[str, Any]:
    return {"id": each.id, "status": each.status, "found": each.found, "advice": each.advice}


def _print(found: tuple[Diagnosis, ...], console: Console) -> None:
    from psreg.registry.doctor.facts import Status

    width = max(len(each.id) for each in found)
    for each in found:
        nothing_to_do = each.status is Status.UNSEEN and not each.advice
        if nothing_to_do or (console.quiet and each.status in (Status.OK, Status.UNSEEN)):
            continue
        console.line(f"{each.status:<7}  {each.id:<{width}}  {each.found}")
        if each.advice:
            console.line(f"{'':<7}  {'':<{width}}  {each.advice}")
    counts = {status: sum(each.status is status for each in found) for status in Status}
    unseen = f"{counts[Status.UNSEEN]} that you must look at"
    console.note(
        f"{len(found)} checks: {counts[Status.OK]} ok, {counts[Status.ERROR]} with errors, "
        f"{counts[Status.WARNING]} with warnings, {unseen}"
    )


def _facts(root: Path, registry_dir: str | None, production: bool) -> Facts:
    """Return what this machine, the forge and the site know about a registry."""
    from psreg.formats.tree import Tree
    from psreg.registry.doctor.facts import Facts

    policy = Tree(read_tree(root, parts=())).policy
    forge, settings = _forge(root, policy)
    facts = Facts(
        production=production,
        now=clock.now(),
        lifetimes=policy.lifetimes,
        files=dict(_files(root)),
        forge=forge,
        settings=settings,
        site=policy.site_url,
        served=_served(policy.site_url),
    )
    return _with_registry(facts, root, registry_dir)


def _with_registry(facts: Facts, root: Path, registry_dir: str | None) -> Facts:
    """Return facts with the signed state, as far as it can be trusted, and the keys."""
    from psreg.cli.signing_ports import signing_ports
    from psreg.registry.ceremony import published, signing
    from psreg.registry.trust.metadata import public_of
    from psreg.registry.trust.roles import CHECKPOINT, METADATA_FOLDER, ROOT, role_and_version

    try:
        ports, _ = signing_ports(root, registry_dir)
    except TrustError as error:  # the keys are in the tree
        return replace(facts, exposed=error.message, problem="its keys are not safe")
    named = map(role_and_version, ports.store.names(METADATA_FOLDER))
    roots = frozenset(each[1] for each in named if each and each[0] == ROOT)
    facts = replace(facts, root_files=roots, checkpoint_copy=ports.store.read(CHECKPOINT))
    try:
        state = published(ports)
    except PsregError as error:
        return replace(facts, problem=error.message, remedy=error.hint)
    facts = replace(facts, state=state, moved_root=_moved_root(state))
    try:
        facts = replace(facts, signing=signing(ports.store, state))
    except PsregError as error:
        facts = replace(facts, state=None, problem=error.message, remedy=error.hint)
    try:
        pems, services = ports.keys.load(state.registry_id), ports.keys.services(state.registry_id)
        here = {f"{name}.pem": public_of(pem).keyid for name, pem in pems.items()}
    except PsregError as error:
        return replace(facts, exposed=error.message)
    elsewhere = {f"{name}.json": each.public_key.keyid for name, each in services.items()}
    return replace(facts, keys={**here, **elsewhere})


def _moved_root(state: RegistryState) -> str:
    """Return the SHA-256 of the first root where the registry has moved, "" if there is none."""
    from psreg.client.registry_choice import open_source
    from psreg.client.trust_store import MAX_ROOT, ROOT
    from psreg.registry.trust.moved import moved_to
    from psreg.registry.trust.roles import BINDING

    try:
        found = moved_to(state.root.signed.unrecognized_fields[BINDING])
        if found is None:
            return ""
        with closing(open_source(found.url)) as source:
            return sha256(source.read(ROOT, MAX_ROOT)).hexdigest()
    except PsregError:
        return ""


_PIPELINE_FOLDER = ".github/workflows"
_PACKAGES = ("registry/psreg.txt", "registry/requirements.txt")


def _files(root: Path) -> Iterator[tuple[str, str]]:
    """Yield path and text of pipelines, of what they install, and of who owns code."""
    from psreg.registry.doctor.pipelines import CODEOWNERS, GITLAB_CI

    folder = root / _PIPELINE_FOLDER
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    workflows = [f"{_PIPELINE_FOLDER}/{each.name}" for each in found]
    for path in (*workflows, GITLAB_CI, *CODEOWNERS, *_PACKAGES):
        place = root / PurePosixPath(path)
        if place.is_file() and not place.is_symlink():
            yield path, read_file(place, MAX_FILE).decode(errors="replace")


def _forge(root: Path, policy: Policy) -> tuple[str, ForgeSettings]:
    """Return the forge of the repository, and its settings as far as it tells them."""
    from psreg.forges.remotes import hosted
    from psreg.forges.settings import settings
    from psreg.git.branch import Clone
    from psreg.registry.doctor.facts import ForgeSettings

    try:
        address = policy.site_repository or Clone(root).remotes().get("origin", "")
    except PsregError:  # it is not a clone
        address = ""
    repository = hosted(address, os.environ)
    if repository is None:
        return "", ForgeSettings()
    try:
        return repository.forge, settings(repository, os.environ)
    except PsregError:
        return repository.forge, ForgeSettings()


def _served(site: str) -> dict[str, Served]:
    """Return what the host of the site answers, {} if it does not."""
    from psreg.http.site_probe import probed
    from psreg.registry.doctor.facts import Served
    from psreg.registry.doctor.hosting import PROBED

    try:
        found = list(probed(site, PROBED)) if site else []
    except ValueError:
        return {}
    return {path: Served(status=status, caching=caching) for path, status, caching in found}
