"""Where a registry has moved, as its root announces it.

`"moved_to": {"url": "https://…", "root_sha256": "<64 hexadecimal digits>"}` in the member `psreg`
of a root, which only the keys of the root sign. The digest is of the first root at the new address:
that of another registry, or of this one. Clients tell it; none follows by itself.
"""

from __future__ import annotations

import re
from typing import Any

from psreg.core.dataclass import dataclass
from psreg.core.errors import TrustError, UsageError
from psreg.http.address import is_url, normal_location
from psreg.registry.trust.roles import MOVED

_SHA256 = r"[0-9a-f]{64}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The address of a registry, and the SHA-256 of the first root that it must show there."""

    url: str
    root_sha256: str

    def to_json(self) -> dict[str, str]:
        """Return what a root has of it."""
        return {"url": self.url, "root_sha256": self.root_sha256}


def moved_to(binding: Any) -> Move | None:
    """Return where a registry has moved, as `binding`, the `psreg` of its root, says; None if not.

    Raises:
        TrustError: `TRUST_METADATA`: it is not an address with a digest; `TRUST_INSECURE`: the
            address is plain http to another machine.
    """
    said = binding.get(MOVED) if isinstance(binding, dict) else None
    if said is None:
        return None
    url, digest = (said.get(key) if isinstance(said, dict) else None for key in _MEMBERS)
    try:
        if isinstance(url, str) and isinstance(digest, str) and re.fullmatch(_SHA256, digest):
            return Move(url=normal_url(url), root_sha256=digest)
    except UsageError as error:
        raise TrustError("TRUST_METADATA", f"{_BAD}: {error.message}") from error
    raise TrustError("TRUST_METADATA", _BAD)


_MEMBERS = ("url", "root_sha256")
_BAD = "the root announces a new address of the registry that is not one"


def normal_url(text: str) -> str:
    """Return the usual spelling of the URL of a registry.

    Raises:
        UsageError: it is not the https address of a registry.
        TrustError: `TRUST_INSECURE`: it is plain http to another machine.
    """
    if not is_url(text) or text.startswith("file:"):
        raise UsageError("USAGE", f"`{text}` is not an https address")
    return normal_location(text)
