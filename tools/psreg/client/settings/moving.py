"""A registry that has moved: what its root announces, and what to do about it.

Only the root says so, and only as the chain of roots from the pinned one on says it: neither the
keys that publish nor a host can announce an address. Nothing here is done without being asked for.
"""

from __future__ import annotations

from contextlib import suppress
from shlex import quote

from psreg.client.trust_store import MAX_ROOT, Anchor
from psreg.core.errors import TrustError, UnavailableError
from psreg.http.address import is_url
from psreg.registry.trust.metadata import verified_root
from psreg.registry.trust.moved import Move, moved_to
from psreg.registry.trust.roles import BINDING, METADATA_FOLDER, ROOT
from psreg.system.files import read_own


def announced(anchor: Anchor) -> Move | None:
    """Return where a registry has moved, as the newest root says that this machine has seen.

    Each root is verified again, from the pinned one on. None if it says nothing.

    Raises:
        TrustError: as `moved_to`.
    """
    root = verified_root(anchor.data, None)
    history = anchor.folder / METADATA_FOLDER / "root_history"
    with suppress(UnavailableError, TrustError):  # there is no further one, or it is damaged
        while True:
            data = read_own(history / f"{root.version + 1}.{ROOT}.json", MAX_ROOT)
            root = verified_root(data, root)
    return moved_to(root.signed.unrecognized_fields[BINDING])


def notice(anchor: Anchor, location: str) -> str:
    """Return what to tell of the move of the registry at `location`, "" if there is none."""
    try:
        move = announced(anchor)
    except TrustError as error:
        return f"the registry {location} announces a move that is refused: {error.message}"
    if move is None or move.url == location:
        return ""
    told = f"the registry {location} has moved to {move.url} (root sha256 {move.root_sha256})"
    if is_url(location):
        return f"{told}; run `psreg registry move {quote(location)}`"
    added = f"psreg registry add {quote(move.url)} --root-sha256 {move.root_sha256}"
    return f"{told}; run `{added}`"
