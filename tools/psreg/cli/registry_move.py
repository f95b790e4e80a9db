"""`psreg registry move NAME`: follow a registry to the address that its root announces.

Nothing is sent to the new address but the request for its first root, unless the person says that
what logs in at the former one may be sent there as well.
"""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from psreg.core.errors import PsregError, TrustError, UnavailableError
from psreg.system import user_folders
from psreg.system.console import Console

if TYPE_CHECKING:
    from psreg.client.config import NamedRegistry, Settings
    from psreg.client.trust_store import Anchor, TrustStore
    from psreg.registry.trust.moved import Move
    from psreg.system.credentials import Access


def move(args: Namespace, console: Console) -> dict[str, Any]:
    """Give a registry in the user's settings the address that its root announces; say which.

    Raises:
        UnavailableError: `UNKNOWN_REGISTRY`; `NOT_MOVED`; the new address cannot be read.
        TrustError: `POLICY_LOCKED`; `TRUST_PIN`: another root is at the new address; the
            announcement, or what the registry shows, is refused.
    """
    from psreg.client.registry_choice import load_settings, trust_store
    from psreg.client.settings.editing import move_registry

    settings = load_settings(Path.cwd())
    settings.check_lock("registries", by="psreg registry move")
    registry = _ours(args.what, settings)
    store = trust_store(lambda text: console.warn(f"psreg: {text}"))
    found = _announced(registry, settings, store, console)
    access = _access(registry, found, args, console)
    anchor = _anchor(found, access, store)
    usual = settings.default()
    move_registry(
        registry.file,
        registry.name,
        location=found.url,
        root_sha256=found.root_sha256,
        keep_access=access is not None,
    )
    own = {str(each.file) for each in settings.registries()}
    if usual and usual.location == registry.location and usual.origin not in own:
        console.warn(f"psreg: warning: {usual.origin} names {registry.location}; change it, too")
    return {
        "name": registry.name,
        "from": registry.location,
        "url": found.url,
        "root_sha256": found.root_sha256,
        "id": anchor.id,
        "same": found.root_sha256 == registry.root_sha256,
    }


def _ours(what: str, settings: Settings) -> NamedRegistry:
    """Return the registry with a name or an address in the user's own settings."""
    named = [each for each in settings.registries() if what in (each.name, each.location)]
    mine = [each for each in named if each.file == user_folders.user_config_file()]
    if mine:
        return mine[0]
    where = f"; {named[0].file} sets it" if named else ""
    told = f"your settings have no registry named `{what}`{where}"
    raise UnavailableError("UNKNOWN_REGISTRY", told, "List yours with `psreg registry list`.")


def _announced(
    registry: NamedRegistry, settings: Settings, store: TrustStore, console: Console
) -> Move:
    """Return where a registry has moved, as it says now, or said last if it cannot be reached."""
    from psreg.client.open_registry import open_registry
    from psreg.client.settings.moving import announced

    selected = settings.find(registry.name, origin="psreg registry move", start=Path.cwd())
    try:
        with open_registry(selected, store, lambda _: None) as opened:
            opened.versions  # noqa: B018 - reads the newest root
    except PsregError as error:
        # NOTE: who moves leaves an old state behind, which expires, or a host that is gone.
        known = registry.root_sha256 and store.find(registry.root_sha256)
        if not known or not (isinstance(error, UnavailableError) or error.code == "TRUST_FROZEN"):
            raise
        console.warn(f"psreg: {error.message}; what it announced before counts")
    anchor = store.find(registry.root_sha256) if registry.root_sha256 else None
    found = announced(anchor) if anchor else None
    if found is None or found.url == registry.location:
        told = f"`{registry.name}` ({registry.location}) does not announce another address"
        hint = "If its maintainers tell one, compare its digest and run `psreg registry add URL`."
        raise UnavailableError("NOT_MOVED", told, hint)
    return found


def _access(
    registry: NamedRegistry, found: Move, args: Namespace, console: Console
) -> Access | None:
    """Return what is sent to the new address to log in: nothing, unless the person agrees."""
    if registry.access is None:
        return None
    if _origin(found.url) == _origin(registry.location) or args.keep_login:
        return registry.access
    question = f"Type yes to log in at {found.url} as at {registry.location}:"
    if console.can_ask() and console.typed_yes(question):
        return registry.access
    console.warn(
        f"psreg: warning: what logs in at {registry.location} is not sent to {found.url}, and is "
        "removed; run it with `--keep-login` to keep it"
    )
    return None


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def _anchor(found: Move, access: Access | None, store: TrustStore) -> Anchor:
    """Return the first root at the new address, which then is trusted.

    Raises:
        TrustError: `TRUST_PIN`.
    """
    from psreg.client.registry_choice import first_root, open_source

    with closing(open_source(found.url, access=access)) as source:
        anchor = store.anchor(first_root(source, store))
    if anchor.sha256 != found.root_sha256:
        raise TrustError(
            "TRUST_PIN",
            f"{found.url} shows the root {anchor.sha256}, and {found.root_sha256} is announced",
            "Ask the maintainers of the registry; your settings are as they were.",
        )
    store.add(anchor)
    return anchor
