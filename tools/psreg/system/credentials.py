"""What a registry behind a login needs: settings say where secrets are, and have none.

Only the user's and the system's settings have this: a project comes with a clone, which would
choose what is run and what is sent. Secrets go to the host of the registry, and into no message.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from psreg.core.dataclass import dataclass
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


_SECONDS = 60.0
"""How long a command for credentials may take; it may ask a person."""

_LOGINS = ("token_env", "netrc", "credential_command")
_FILES = ("ca_bundle", "client_certificate", "client_key")
KEYS = ("header_env", *_LOGINS, *_FILES)
"""The keys of a registry's table that say how it is reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How a registry is reached.

    `header_env` maps headers to the variables with their values; `token_env` is the variable of a
    bearer token; `netrc` is whether the user's netrc file has a name and a password for its host;
    `credential_command` prints a token, or all of the value, such as `Basic …`. `ca_bundle` are
    the authorities that count instead of those of the system, `client_certificate` and
    `client_key` what this machine shows; "" for none.
    """

    header_env: Mapping[str, str]
    token_env: str = ""
    netrc: bool = False
    credential_command: tuple[str, ...] = ()
    ca_bundle: str = ""
    client_certificate: str = ""
    client_key: str = ""

    @classmethod
    def of(cls, table: Mapping[str, Any], folder: Path) -> Access | None:
        """Return what a table says, None if nothing; files are relative to `folder`.

        Raises:
            ValueError: a value is not valid; the message does not contain it.
        """
        found = {key: table[key] for key in KEYS if table.get(key)}
        if not found:
            return None
        for key, value in found.items():
            valid = _VALID.get(key, is_header_env)
            if not valid(value):
                raise ValueError(f"an invalid `{key}`: write {_FORMS[key]}")
        headers = found.get("header_env", {})
        named = [key for key in _LOGINS if key in found]
        if len(named) + any(header.lower() == "authorization" for header in headers) > 1:
            raise ValueError(f"`{named[0]}` and another way to log in")
        if "client_key" in found and "client_certificate" not in found:
            raise ValueError("a `client_key` without `client_certificate`")
        files = {key: str(folder / Path(found[key]).expanduser()) for key in _FILES if key in found}
        return cls(
            header_env=dict(headers),
            token_env=found.get("token_env", ""),
            netrc="netrc" in found,
            credential_command=tuple(found.get("credential_command", ())),
            **files,
        )

    def to_table(self) -> dict[str, Any]:
        """Return what a table says."""
        table = {key: getattr(self, key) for key in KEYS}
        table["header_env"] = {**self.header_env}
        table["credential_command"] = [*self.credential_command]
        return {key: value for key, value in table.items() if value}

    def headers(self, host: str) -> dict[str, str]:
        """Return the headers that log in at `host`.

        Raises:
            UnavailableError: `NETWORK_LOGIN`: a secret is not there, or cannot be sent.
        """
        headers = headers_from(self.header_env)
        if self.token_env:
            token = headers_from({"Authorization": self.token_env})["Authorization"]
            headers["Authorization"] = _bearer(token)
        elif self.netrc:
            headers["Authorization"] = _from_netrc(host)
        elif self.credential_command:
            headers["Authorization"] = _bearer(_printed(self.credential_command))
        return headers


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable()


def _is_command(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) and each for each in value)


_VALID: Mapping[str, Callable[[Any], bool]] = {
    "token_env": lambda value: is_header_env({"Authorization": value}),
    "netrc": lambda value: value is True,
    "credential_command": _is_command,
    **dict.fromkeys(_FILES, _is_text),
}
_FORMS = {
    "header_env": '`{Authorization = "VARIABLE"}`',
    "token_env": "the name of a variable",
    "netrc": "true or false",
    "credential_command": '`["program", "argument"]`',
    **dict.fromkeys(_FILES, "the path of a file"),
}


def _bearer(token: str) -> str:
    """Return the value of the header: one with a scheme, such as `Basic …`, is all of it."""
    return token if " " in token else f"Bearer {token}"


def _from_netrc(host: str) -> str:
    from netrc import NetrcParseError, netrc  # noqa: PLC0415 - few registries need it

    file = Path(os.environ.get("NETRC") or Path.home() / ".netrc")
    try:
        found = netrc(str(file)).hosts.get(host)  # never `default`, which is for any host
    except (OSError, NetrcParseError, UnicodeDecodeError) as error:
        raise _no_login(f"{file} cannot be read", f"Check {file}.") from error
    if found is None:
        raise _no_login(f"{file} does not have {host}", f"Add {host} to {file}.")
    name, _, password = found
    return f"Basic {b64encode(f'{name}:{password}'.encode()).decode()}"


def _printed(command: tuple[str, ...]) -> str:
    """Return what a command prints; what it says on standard error is for the user."""
    import subprocess  # noqa: PLC0415 - few registries need it

    program = command[0]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _command_failed(program, f"did not end within {_SECONDS:.0f} seconds") from None
    except (OSError, ValueError):
        raise _command_failed(program, "cannot be run") from None
    if done.returncode:
        raise _command_failed(program, f"ended with status {done.returncode}")
    text = done.stdout[:_LONGEST].decode("ascii", "replace").strip()
    if not text or not (text.isascii() and text.isprintable()) or len(done.stdout) > _LONGEST:
        raise _command_failed(program, "did not print one line of a token")
    return text


_LONGEST = 16 * 1024


def _command_failed(program: str, why: str) -> UnavailableError:
    told = f"the command `{program}` for its credentials {why}"
    return _no_login(told, "Run `credential_command` of your settings yourself to see why.")


def _no_login(why: str, hint: str) -> UnavailableError:
    return UnavailableError("NETWORK_LOGIN", f"this registry asks you to log in: {why}", hint)


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
