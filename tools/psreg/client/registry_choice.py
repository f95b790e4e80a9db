"""Which registry is used, and which first root is trusted for it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from psreg.client.config import SelectedRegistry, Settings
from psreg.client.trust_store import MAX_ROOT, ROOT, Anchor, TrustStore
from psreg.core.dataclass import replace
from psreg.core.errors import PsregError, TrustError, UnavailableError
from psreg.core.identity import PBES
from psreg.http.address import is_url, normal_location
from psreg.http.registry_source import FileSource, NotServedError, Source, TooLongError
from psreg.http.retry_budget import Limits
from psreg.system import user_folders
from psreg.system.files import is_ours

if TYPE_CHECKING:
    from psreg.client.library import Receipt
    from psreg.system.credentials import Access


def load_settings(start: Path) -> Settings:
    """Return the settings that apply in the folder `start`. Raises as `Settings.load`."""
    return Settings.load(
        start, system=user_folders.system_config_file(), user=user_folders.user_config_file()
    )


def trust_store(notify: Callable[[str], None]) -> TrustStore:
    """Return this user's pinned roots."""
    return TrustStore(user_folders.registries_dir(), notify)


def key_folder(selected: SelectedRegistry) -> Path | None:
    """Return the folder of the user's settings if they pin a registry, else None.

    What was verified of it may be remembered with a key there: who can write that can also write
    the pin. Where another file pins it, the key would be worth more than the user's settings.
    """
    file = user_folders.user_config_file() if selected.pinned_in is not None else None
    return file.parent if file is not None and file == selected.pinned_in else None


def select_registry(option: str | None, settings: Settings, start: Path) -> SelectedRegistry:
    """Return the registry to use, from the option, `PSREG_REGISTRY`, settings or checkout.

    Raises:
        UnavailableError: `NO_REGISTRY`; `NOT_PUBLISHED`.
        UsageError, TrustError: see `Settings` and `_enclosing_checkout`.
    """
    if option is not None:
        return settings.select(option, origin="--registry", start=start)
    variable = os.environ.get("PSREG_REGISTRY")
    if variable:
        return settings.select(variable, origin="PSREG_REGISTRY", start=start)
    selected = settings.default() or _enclosing_checkout(start)
    if selected is None:
        raise UnavailableError(
            "NO_REGISTRY",
            "no registry is set",
            "Add one with `psreg registry add URL`, or name one with --registry.",
        )
    return selected


def _enclosing_checkout(start: Path) -> SelectedRegistry | None:
    """Return the registry whose checkout contains `start`, or None.

    Raises:
        UnavailableError: `NOT_PUBLISHED`: the checkout has no metadata yet.
        TrustError: `TRUST_FOREIGN`: it belongs to another user of this machine.
        UsageError: its path is not UTF-8.
    """
    from psreg.registry.checkout import find_checkout  # noqa: PLC0415 - rarely needed

    root = find_checkout(start)
    if root is None:
        return None
    metadata = metadata_of(root)
    if not is_ours(metadata):
        raise TrustError(
            "TRUST_FOREIGN",
            f"the checkout {root} belongs to another user of this machine",
            f"Use `--registry {root}` if you trust that user.",
        )
    return SelectedRegistry(location=normal_location(str(root)), origin="the checkout around you")


def open_source(
    location: str, limits: Limits | None = None, *, access: Access | None = None
) -> Source:
    """Return the source behind a location as `normal_location` returns it; nothing is read yet.

    Raises:
        UnavailableError: `NETWORK_LOGIN`: see `Access.headers`.
    """
    if is_url(location):
        from psreg.http.prefetching import PrefetchingSource  # noqa: PLC0415 - slow to import
        from psreg.http.registry_source_http import HttpSource  # noqa: PLC0415 - as above

        headers = access.headers(urlsplit(location).hostname or "") if access else None
        limits = limits or Limits()
        once = replace(limits, retries=0)
        return PrefetchingSource(
            HttpSource(location, limits, headers, access),
            lambda: HttpSource(location, once, headers, access),
        )
    return FileSource(Path(location))


def first_root(source: Source, store: TrustStore) -> bytes:
    """Return the first root that a registry serves: stored already, or signed by its own keys.

    Raises:
        TrustError: `TRUST_METADATA` or `TRUST_SIGNATURE`.
        UnavailableError: `NOT_A_REGISTRY`, or it cannot be reached.
    """
    try:
        data = source.read(ROOT, MAX_ROOT)
    except NotServedError as error:
        raise UnavailableError(
            "NOT_A_REGISTRY",
            f"{source.location} is not a registry: {error.message}",
            "Name the address that contains registry/metadata/.",
        ) from error
    except TooLongError as error:
        raise TrustError("TRUST_METADATA", error.message) from error
    if store.find(store.anchor(data).sha256) is None:
        from psreg.registry.trust.metadata import root_info  # noqa: PLC0415 - only first contact needs it

        version = root_info(data).version
        if version != 1:
            raise TrustError("TRUST_METADATA", f"1.root.json is version {version} of the root")
    return data


def known_anchor(selected: SelectedRegistry, store: TrustStore) -> Anchor | None:
    """Return the first root of a registry without a network, None if this machine has none."""
    if selected.root_sha256:
        return store.find(selected.root_sha256)
    if is_url(selected.location):
        return None
    try:
        return store.anchor(first_root(open_source(selected.location), store))
    except PsregError:
        return None


def check_pin(anchor: Anchor, sha256: str | None) -> None:
    """Raise TrustError TRUST_PIN if `sha256` pins another root than `anchor`."""
    if sha256 not in (None, anchor.sha256):
        raise TrustError(
            "TRUST_PIN",
            f"the registry shows the root {anchor.sha256}; {sha256} is pinned",
            "Check the digest and the address: this may be another registry than the trusted one.",
        )


def unpinned(anchor: Anchor, selected: SelectedRegistry) -> TrustError:
    """Return the error for a registry that is not trusted; its hint is the command to trust it."""
    digest = selected.suggested_sha256 or anchor.sha256
    named = f", which {selected.origin} names," if selected.from_project else ""
    return TrustError(
        "TRUST_UNPINNED",
        f"the registry {selected.location}{named} is not trusted yet; "
        f"it shows the root {anchor.sha256}",
        "Compare the digest with the one that the maintainers published, then run: "
        f"psreg registry add {shlex.quote(selected.location)} --root-sha256 {digest}",
    )


def other_registry(receipts: Sequence[Receipt], location: str) -> TrustError:
    """Return the error for installed names that the registry at `location` would replace."""
    names = [receipt.release.name for receipt in receipts]
    installed = ", ".join(f"`{each.release.name}` from {each.registry['url']}" for each in receipts)
    return TrustError(
        "TRUST_OTHER_REGISTRY",
        f"installed from another registry than {location}: {installed}",
        f"To replace it, name the registry: "
        f"psreg install {' '.join(names)} --registry {shlex.quote(location)}",
    )


def changed_registry(receipt: Receipt, registry: Mapping[str, str]) -> str:
    """Return the sentence that an installed name changes to `registry`, `{"id", "url"}`."""
    old, new = receipt.registry["url"], registry["url"]
    if old == new:  # another registry at the same address
        old, new = (f"{old} ({each['id'][:8]})" for each in (receipt.registry, registry))
    return f"`{receipt.release.name}` changes its registry from {old} to {new}"


def metadata_of(root: Path) -> Path:
    """Return the metadata folder of the registry in `root`. Raises UnavailableError."""
    metadata = (root / ROOT).parent
    if metadata.is_dir():
        return metadata
    if (root / PBES).is_dir():
        raise UnavailableError(
            "NOT_PUBLISHED", f"the registry in {root} is not published yet", "Run `psreg publish`."
        )
    raise UnavailableError("NOT_A_REGISTRY", f"{root} is not a registry")
