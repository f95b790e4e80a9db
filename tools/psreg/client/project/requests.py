"""What is installed together with requested prompts that require others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from psreg.client.project.manifest import Manifest
from psreg.client.project.registries import Names, Opener, ProjectRegistry, Published
from psreg.client.resolve import Request
from psreg.core.version import Range
from psreg.registry.requirements.resolution import Requirement, resolve


def with_required(
    requests: Iterable[Request],
    opened: Opener,
    installed: Mapping[str, str],
    names: Names | None = None,
) -> tuple[tuple[Request, ProjectRegistry], ...]:
    """Return the requests and those for what they require, each for one version, of a registry.

    `opened` and `names` say of which registry they are, as for `Published`. The `installed`
    versions of names that are only required are preferred. What was requested comes first.

    Raises:
        FindingsError: `REQUIREMENTS_CONFLICT`, `REQUIRES_CYCLE`.
        PsregError: see `Published`.
    """
    wanted = {request.name: request for request in requests}
    roots = [
        Requirement(name=name, range=request.range, origin="`psreg install`")
        for name, request in wanted.items()
    ]
    kept = {name: version for name, version in installed.items() if name not in wanted}
    published = Published(Manifest(prompts={}), opened, names)
    chosen = resolve(roots, published, kept)
    all_names = [*wanted, *(name for name in chosen if name not in wanted)]
    return tuple(
        (Request(name=name, range=Range.parse(f"={chosen[name]}")), published.registry(name))
        for name in all_names
    )
