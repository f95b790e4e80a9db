"""Which addresses psreg speaks to: https, and on this machine plain http."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

_LOOPBACK = r"127(\.[0-9]{1,3}){3}|::1|localhost"


def is_loopback(host: str) -> bool:
    """Tell whether `host` names this machine: 127.0.0.0/8, ::1 or localhost."""
    return re.fullmatch(_LOOPBACK, host) is not None


def secure_parts(address: str) -> SplitResult:
    """Return the parts of an https address, or of an http one of this machine.

    Raises:
        ValueError: it is another kind of address, or carries a user or a fragment; the text says
            which, without the address.
    """
    if not (address.isascii() and address.isprintable()) or " " in address:
        raise ValueError("it has characters that a URL must write as escapes")
    url = urlsplit(address)
    host, _ = url.hostname or "", url.port
    if url.username is not None or url.password is not None:
        raise ValueError("it has a user or a password")
    if url.scheme == "http" and host and not is_loopback(host):
        raise ValueError("it would travel unencrypted")
    if url.scheme not in ("http", "https") or not host or url.fragment:
        raise ValueError("it is not a plain https address")
    return url
