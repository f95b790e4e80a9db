"""Keys that never leave a device or a service, such as a security token or a KMS: they sign there.

A key is named by a URI of securesystemslib, whose signers do the work; the libraries that they need
come with psreg's extras of the same names. psreg keeps the URI and the public key.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from getpass import getpass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from psreg.registry.trust import plain_signers  # noqa: F401 - comes before `securesystemslib`

# isort: split
from securesystemslib import signer
from securesystemslib.exceptions import UnsupportedLibraryError
from securesystemslib.signer import Key, Signature, Signer

from psreg.core.errors import UnavailableError, UsageError
from psreg.system.extras import extra_missing

# It logs what it raises, which would come out a second time.
logging.getLogger("securesystemslib").setLevel(logging.CRITICAL)

PIN = "PSREG_PIN"
"""The variable with the PIN of a token, for where no person can type it."""


def _hsm(uri: str) -> tuple[Any, ...]:
    """Return the arguments of `hsm:ID?label=LABEL`; each part may be left out."""
    parts = urlsplit(uri)
    label = dict(parse_qsl(parts.query)).get("label")
    return (int(parts.path) if parts.path else None, label, asked_pin)


def _azure(uri: str) -> tuple[Any, ...]:
    """Return the arguments of `azurekms://VAULT.vault.azure.net/keys/NAME`."""
    parts = urlsplit(uri)
    return (parts.netloc.partition(".")[0], parts.path.split("/")[2])


def _path(uri: str) -> tuple[Any, ...]:
    return (uri.partition(":")[2],)


_SERVICES: Mapping[str, tuple[str, Callable[[str], tuple[Any, ...]]]] = {
    "awskms": ("AWSSigner", _path),
    "azurekms": ("AzureSigner", _azure),
    "gcpkms": ("GCPSigner", _path),
    "hsm": ("HSMSigner", _hsm),
    "hv": ("VaultSigner", _path),
}
"""By the scheme of a URI: the class of the signer, and what it imports a key by."""

_EXTRAS = {"hv": "vault"}
"""The extra of psreg, where it has another name than the scheme."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceKey:
    """A key that signs elsewhere: its URI, and the public key."""

    uri: str
    key: Key

    @classmethod
    def imported(cls, uri: str) -> ServiceKey:
        """Return the key at a device or service, as that tells it.

        Raises:
            UsageError: SIGNER_URI: the address is not one.
            UnavailableError: EXTRA_MISSING; SIGNER_UNAVAILABLE: the service refuses.
        """
        service = _class_of(uri)
        with _Told(uri):
            try:
                arguments = _SERVICES[_scheme(uri)][1](uri)
            except (ValueError, IndexError) as error:
                raise _bad_uri(uri) from error
            found, key = service.import_(*arguments)
            return cls(uri=found, key=key)

    def to_bytes(self) -> bytes:
        """Return it as a file of the key store."""
        value = {"uri": self.uri, "keyid": self.key.keyid, "key": self.key.to_dict()}
        return json.dumps(value, indent=2).encode()

    @classmethod
    def read(cls, data: bytes) -> ServiceKey:
        """Return the key in a file of the key store. Raises UnavailableError SIGNER_UNAVAILABLE."""
        try:
            value = json.loads(data)
            key = Key.from_dict(value["keyid"], dict(value["key"]))
            return cls(uri=str(value["uri"]), key=key)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            told = "the file of a key at a service cannot be read"
            raise UnavailableError(
                "SIGNER_UNAVAILABLE", told, "Restore it from your backup."
            ) from error

    @property
    def signer(self) -> Signer:
        """What signs with it; a PIN is asked for when it does."""
        return _ServiceSigner(self)


class _ServiceSigner(Signer):
    """Signs at a device or service, whose errors become those of psreg."""

    def __init__(self, at: ServiceKey) -> None:
        self._at = at

    @property
    def public_key(self) -> Key:
        return self._at.key

    @classmethod
    def from_priv_key_uri(cls, priv_key_uri: str, public_key: Key, *_: Any, **__: Any) -> Signer:
        """Return what signs with the key at a URI, as securesystemslib asks for it."""
        return cls(ServiceKey(uri=priv_key_uri, key=public_key))

    def sign(self, payload: bytes) -> Signature:
        service = _class_of(self._at.uri)
        with _Told(self._at.uri):
            at = service.from_priv_key_uri(self._at.uri, self._at.key, asked_pin)
            signature: Signature = at.sign(payload)
            self._at.key.verify_signature(signature, payload)
            return signature


def asked_pin(secret: str) -> str:
    """Return a PIN, from the environment or from the person at the terminal."""
    if PIN in os.environ:
        return os.environ[PIN]
    if not sys.stdin.isatty():
        told = f"nobody can type the {secret} of the token"
        raise UnavailableError(
            "SIGNER_UNAVAILABLE", told, f"Set {PIN}, or run psreg on a terminal."
        )
    return getpass(f"Enter the {secret} of the token: ")


class _Told:
    """Turns what a library raises into an error with a code; a library raises anything."""

    def __init__(self, uri: str) -> None:
        self._uri = uri

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is None or not isinstance(error, Exception):
            return
        if isinstance(error, UsageError | UnavailableError):
            return
        scheme = _scheme(self._uri)
        told = f"{self._uri} does not sign: {error or type(error).__name__}"
        hint = "Check the address, the login and the permissions there."
        if isinstance(error, UnsupportedLibraryError):
            raise extra_missing(_EXTRAS.get(scheme, scheme)) from error
        raise UnavailableError("SIGNER_UNAVAILABLE", told, hint) from error


def _class_of(uri: str) -> Any:
    """Return the class of securesystemslib for a URI."""
    if _scheme(uri) not in _SERVICES:
        raise _bad_uri(uri)
    return getattr(signer, _SERVICES[_scheme(uri)][0])


def _scheme(uri: str) -> str:
    return uri.partition(":")[0]


def _bad_uri(uri: str) -> UsageError:
    known = ", ".join(f"{scheme}:…" for scheme in _SERVICES)
    return UsageError("SIGNER_URI", f"`{uri}` names no key at a service", f"It is one of {known}.")
