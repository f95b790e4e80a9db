"""The headers that a registry behind a login needs: settings name variables, never secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from psreg.core.errors import UnavailableError

_HEADER = r"[A-Za-z0-9-]{1,64}"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_OURS = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "range",
        "te",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    }
)
"""Headers that psreg sets itself, or that change what a request is."""


def is_header_env(value: object) -> bool:
    """Return whether `value` maps names of headers to names of variables."""
    return isinstance(value, dict) and all(
        re.fullmatch(_HEADER, header)
        and header.lower() not in _OURS
        and isinstance(variable, str)
        and re.fullmatch(_VARIABLE, variable)
        for header, variable in value.items()
    )


def headers_from(header_env: Mapping[str, str]) -> dict[str, str]:
    """Return the headers whose values are in variables of the environment.

    Raises:
        UnavailableError: `NETWORK_LOGIN`: a variable is not set, or has characters that no header
            has. The message does not contain the value.
    """
    headers = {}
    for header, variable in header_env.items():
        value = os.environ.get(variable, "").strip()
        if not value or not (value.isascii() and value.isprintable()):
            why = "has characters that no header has" if value else "is not set"
            raise UnavailableError(
                "NETWORK_LOGIN",
                f"this registry asks you to log in: the variable `{variable}` for the header "
                f"`{header}` {why}",
                f"Set `{variable}` to what the registry's host expects.",
            )
        headers[header] = value
    return headers
