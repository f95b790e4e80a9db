"""A registry with a claimed name, as tests of claims begin."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path, PurePosixPath

from psreg.formats.tree import Tree as RegistryTree
from psreg.registry.keys.claiming import Claimed, claim_names
from psreg.registry.owners.to_sign import owners_to_sign, to_sign
from psreg.registry.publish import PublishResult
from psreg.registry.records import PackageRecord, read_record
from support.owners import ANA, Owner, entry_toml, place_of
from support.publishing import NOW, Tree, copied, entry, ports, release, state_of

ALPHA = PurePosixPath("pbes/prompt/alpha/entry.toml")


def owned(*versions: str, by: tuple[Owner, ...] = (ANA,), threshold: int = 1) -> Tree:
    """Return the files of `alpha`, which these owners ask for, and of `beta`, which nobody does."""
    toml = {ALPHA: entry_toml(*by, threshold=threshold)}
    return entry("alpha", *versions) | entry("beta", "1.0.0") | toml


def claim(
    home: Path, registry: Path, tree: Tree, *names: str, now: datetime = NOW
) -> tuple[Claimed, ...]:
    """Claim names as their entry.toml asks, or all that have owners."""
    found = [each for each in RegistryTree(tree).entries if each.file.owners]
    chosen = [each for each in found if not names or each.name in names]
    return claim_names(chosen, now, ports(home, registry))


def record_of(registry: Path, name: str = "alpha") -> PackageRecord:
    """Return the record that is signed."""
    return read_record(state_of(registry).packages[name], name)


def signed_by(registry: Path, tree: Tree, version: str, *owners: Owner) -> Tree:
    """Return the files with which owners sign a version of `alpha` in a tree."""
    alpha = next(each for each in RegistryTree(tree).entries if each.name == "alpha")
    message = to_sign(alpha, version, state_of(registry), NOW).statement.message
    numbered = enumerate(owners, start=1)
    return {place_of("alpha", version, n): owner.sign(message) for n, owner in numbered}


def changed_by(registry: Path, tree: Tree, *owners: Owner, first: int = 1) -> Tree:
    """Return the files with which owners sign that those in entry.toml own `alpha` from now on."""
    alpha = next(each for each in RegistryTree(tree).entries if each.name == "alpha")
    found = owners_to_sign(alpha, state_of(registry))
    what = found.place.name.rpartition(".")[0].rpartition(".")[0]
    numbered = enumerate(owners, start=first)
    message = found.statement.message
    return {place_of("alpha", what, n): each.sign(message, "owners@psreg") for n, each in numbered}


def given_to(registry: Path, tree: Tree, *owners: Owner, by: tuple[Owner, ...] = (ANA,)) -> Tree:
    """Return a tree in which other owners own `alpha`, as those before have signed."""
    tree = tree | {ALPHA: entry_toml(*owners)}
    return tree | changed_by(registry, tree, *by)


def claimed(
    home: Path, registry: Path, *, by: tuple[Owner, ...] = (ANA,), threshold: int = 1
) -> Tree:
    """Publish `alpha` 1.0.0, and let its owners claim it; return the tree."""
    tree = owned("1.0.0", by=by, threshold=threshold)
    copied(_claiming(by, threshold), home, registry)
    return tree


@cache
def _claiming(by: tuple[Owner, ...], threshold: int) -> Callable[[Path, Path], PublishResult]:
    """Return what publishes and claims, the same function for the same owners."""
    tree = owned("1.0.0", by=by, threshold=threshold)

    def make(home: Path, registry: Path) -> PublishResult:
        published = release(home, registry, tree)
        claim(home, registry, tree)
        return published

    return make
