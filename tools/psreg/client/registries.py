"""Which registry is meant, and opening it: trust on first contact (DESIGN §3).

A folder is trusted when it is named, with one line said the first time. A registry behind a URL
is trusted only by the digest of its first root, which `psreg registry add` pins.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from psreg.client.config import Settings, Wanted
from psreg.client.resolve import never_back
from psreg.client.trust_store import MAX_ROOT, ROOT, Anchor, TrustStore, read_mode
from psreg.client.tufclient import TufClient
from psreg.core.errors import TrustError, UnavailableError
from psreg.core.identity import CLASSES, PBES
from psreg.http.address import is_url
from psreg.http.limits import Limits
from psreg.http.source import FileSource, NotServedError, Source, TooLongError
from psreg.registry.checkout import find_checkout
from psreg.registry.trust.roles import catalog_target, package_target
from psreg.system import folders
from psreg.system.files import is_ours

if TYPE_CHECKING:
    from psreg.registry.search import Shard

MAX_RECORD = 8 * 1024 * 1024
MAX_SHARD = 64 * 1024 * 1024

Say = Callable[[str], None]


class OpenRegistry:
    """A registry at hand: implements `service.install.Registry`. Nothing is read before asked."""

    def __init__(self, source: Source, anchor: Anchor, say: Say) -> None:
        self.id = anchor.id
        self.location = source.location
        self._source = source
        self._client = TufClient(source, anchor.data, anchor.folder, say)

    @cached_property
    def mode(self) -> str:
        """`dev` or `production`, as the root in force says.

        Raises:
            TrustError: the metadata is refused, or names another registry (`TRUST_PIN`).
        """
        identity, mode = read_mode(self._client.newest_root())
        if identity != self.id:
            raise TrustError("TRUST_PIN", f"the registry {self.id} now calls itself {identity}")
        return mode

    @property
    def versions(self) -> Mapping[str, int]:
        """The versions of root, timestamp, snapshot and targets in force."""
        return self._client.versions()

    def record(self, name: str) -> bytes | None:
        """Return the verified package record of `name`; None if there is none."""
        return self._client.target(
            package_target(name), MAX_RECORD, lambda before, now: never_back(name, before, now)
        )

    def shards(self) -> tuple[Shard, ...]:
        """Return the verified catalogue, one shard per class that has entries."""
        from psreg.registry.search import read_shard  # noqa: PLC0415 - not on the way of install

        files = {name: self._client.target(catalog_target(name), MAX_SHARD) for name in CLASSES}
        return tuple(read_shard(name, data) for name, data in files.items() if data is not None)

    def names(self) -> tuple[str, ...]:
        """Return all names of the catalogue."""
        return tuple(entry.name for shard in self.shards() for entry in shard.entries())

    def artifact(self, path: str, size: int) -> bytes:
        """Return the unverified file at `path`; see `service.install.Registry`."""
        try:
            return self._source.read(path, size)
        except TooLongError as error:
            raise TrustError(
                "TRUST_DIGEST",
                f"{path} is longer than the {size} bytes that were signed",
                "nothing was installed; tell the keepers of the registry",
            ) from error

    def describe(self) -> dict[str, Any]:
        """Return what receipts and JSON output say of the registry."""
        return {"id": self.id, "url": self.location}


def load_settings(start: Path) -> Settings:
    """Return the settings of somebody working in `start`. Raises as `Settings.load`."""
    return Settings.load(start, system=folders.system_config_file(), user=user_config())


def user_config() -> Path:
    """Return the user's settings file."""
    return folders.config_dir() / "config.toml"


def trust_store() -> TrustStore:
    """Return this user's pinned roots."""
    return TrustStore(folders.data_dir() / "registries")


def wanted_registry(option: str | None, settings: Settings, start: Path) -> Wanted:
    """Return the registry that is meant: option, `PSREG_REGISTRY`, settings, checkout.

    Raises:
        UnavailableError: `NO_REGISTRY`, with how to add one; `NOT_PUBLISHED`.
        UsageError, TrustError: see `Settings` and `enclosing_checkout`.
    """
    if option is not None:
        return settings.wanted(option, origin="--registry", start=start)
    variable = os.environ.get("PSREG_REGISTRY")
    if variable:
        return settings.wanted(variable, origin="PSREG_REGISTRY", start=start)
    wanted = settings.default() or enclosing_checkout(start)
    if wanted is None:
        raise UnavailableError(
            "NO_REGISTRY",
            "no registry is set",
            "add one with 'psreg registry add URL', or name one with --registry",
        )
    return wanted


def enclosing_checkout(start: Path) -> Wanted | None:
    """Return the registry whose checkout `start` lies in, or None.

    Raises:
        UnavailableError: `NOT_PUBLISHED`: the checkout has no metadata yet.
        TrustError: `TRUST_FOREIGN`: it belongs to another user of this machine.
    """
    root = find_checkout(start)
    if root is None:
        return None
    metadata = _metadata_of(root)
    if not is_ours(metadata):
        raise TrustError(
            "TRUST_FOREIGN",
            f"the checkout {root} belongs to another user of this machine",
            f"to use it all the same, say --registry {root}",
        )
    return Wanted(location=str(root), origin="the checkout around you")


def open_source(location: str, limits: Limits | None = None) -> Source:
    """Return the source behind a location as `normal_location` returns it; nothing is read yet."""
    if is_url(location):
        from psreg.http.source_http import HttpSource  # noqa: PLC0415 - slow to import

        return HttpSource(location, limits or Limits())
    return FileSource(Path(location))


@contextmanager
def open_registry(wanted: Wanted, store: TrustStore, say: Say) -> Iterator[OpenRegistry]:
    """Give the registry that is meant, if it is trusted; its connection ends with the block.

    Raises:
        TrustError: `TRUST_UNPINNED` with the exact command to trust it; `TRUST_PIN`.
        UnavailableError: nothing is published there, or it cannot be reached.
    """
    with closing(open_source(wanted.location)) as source:
        yield OpenRegistry(source, _trusted(source, wanted, store, say), say)


def _trusted(source: Source, wanted: Wanted, store: TrustStore, say: Say) -> Anchor:
    if not is_url(wanted.location):
        _metadata_of(Path(wanted.location))
        anchor = store.anchor(first_root(source, store))
        check_pin(anchor, wanted.root_sha256)
        if store.keep(anchor):
            say(f"trusting the registry in {wanted.location} (root {anchor.sha256[:16]}…)")
    elif wanted.root_sha256 is None:
        raise unpinned(store.anchor(first_root(source, store)), wanted)
    else:
        kept = store.find(wanted.root_sha256)
        anchor = kept or store.anchor(first_root(source, store))
        check_pin(anchor, wanted.root_sha256)
        if kept is None:
            store.keep(anchor)
    return anchor


def first_root(source: Source, store: TrustStore) -> bytes:
    """Return the first root a registry serves: one that `store` keeps, or signed by its own keys.

    Raises:
        TrustError: `TRUST_METADATA` or `TRUST_SIGNATURE`.
        UnavailableError: `NOT_A_REGISTRY`, or it cannot be reached.
    """
    try:
        data = source.read(ROOT, MAX_ROOT)
    except NotServedError as error:
        raise UnavailableError(
            "NOT_A_REGISTRY",
            f"{source.location} serves no registry: {error.message}",
            "the address of a registry is the one below which registry/metadata/ lies",
        ) from error
    except TooLongError as error:
        raise TrustError("TRUST_METADATA", error.message) from error
    if store.find(store.anchor(data).sha256) is None:
        from psreg.registry.trust.metadata import root_info  # noqa: PLC0415 - only a first contact needs it

        root_info(data)
    return data


def check_pin(anchor: Anchor, sha256: str | None) -> None:
    """Return if `anchor` is the root pinned, or nothing is pinned. Raises TrustError TRUST_PIN."""
    if sha256 not in (None, anchor.sha256):
        raise TrustError(
            "TRUST_PIN",
            f"the registry shows the root {anchor.sha256}, pinned is {sha256}",
            "this is another registry than the one that was trusted, or a mistyped digest",
        )


def unpinned(anchor: Anchor, wanted: Wanted) -> TrustError:
    """Return the error for a URL nobody has trusted yet; its hint is the command that does."""
    digest = wanted.suggested_sha256 or anchor.sha256
    return TrustError(
        "TRUST_UNPINNED",
        f"the registry {wanted.location} is not trusted yet; it shows the root {anchor.sha256}",
        "compare the digest with the one its keepers published, then run: "
        f"psreg registry add {wanted.location} --root-sha256 {digest}",
    )


def _metadata_of(root: Path) -> Path:
    """Return the metadata folder of a registry in a folder. Raises UnavailableError."""
    metadata = (root / ROOT).parent
    if metadata.is_dir():
        return metadata
    if (root / PBES).is_dir():
        raise UnavailableError(
            "NOT_PUBLISHED", f"the registry in {root} is not published yet", "run psreg publish"
        )
    raise UnavailableError("NOT_A_REGISTRY", f"there is no registry in {root}")
