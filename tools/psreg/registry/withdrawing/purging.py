"""What is left of purged releases in a registry: former records and segments that describe them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from psreg.registry.baseline import Store
from psreg.registry.catalog_head import Head
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import SEGMENT_FOLDER, Target, package_target, target_path

_PACKAGES = "targets/pkg"


def leftovers(
    names: Collection[str],
    head: Head,
    signed: Mapping[str, bytes],
    state: RegistryState | None,
    store: Store,
) -> Iterator[str]:
    """Yield the paths of files that may describe a purged version of one of `names`.

    They are former records of these names, and segments of the catalogue that are not in force
    after a publish over `state`, which made `head` and the targets `signed` current.
    """
    if not names or state is None:
        return
    targets = {path: state.targets.get(path) for path in map(package_target, names)}
    targets |= {path: Target.of(data) for path, data in signed.items()}
    live = {target_path(path, target.sha256) for path, target in targets.items() if target}
    live |= {segment.path for segment in head.segments}
    packages = (file for file in store.names(_PACKAGES) if file.split(".")[1] in names)
    found = [f"{_PACKAGES}/{file}" for file in packages]
    found += [f"{SEGMENT_FOLDER}/{file}" for file in store.names(SEGMENT_FOLDER)]
    yield from (path for path in sorted(found) if path not in live)
