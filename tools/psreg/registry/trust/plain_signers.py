"""Imports securesystemslib without what psreg does not use, or only where something is signed.

It imports boto3 and others wherever they are installed, which takes longer than all of psreg, and
computes the tables of an Ed25519 that it needs only without `cryptography`, which psreg requires.
Its signers are loaded when they are first asked for. To be imported before `tuf`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


@contextmanager
def standing_in(names: Mapping[str, Mapping[str, object]]) -> Iterator[None]:
    """Let the block import modules with these members instead of their own.

    What is already loaded stays. If the block cannot do with that, it ends, and nothing stands in.
    """
    new = {name: members for name, members in names.items() if name not in sys.modules}
    for name, members in new.items():
        sys.modules[name] = ModuleType(name)
        vars(sys.modules[name]).update(members)
    try:
        yield
    except (ImportError, AttributeError):
        return
    finally:
        for name in new:
            del sys.modules[name]


class _InvalidError(Exception):
    """What the Ed25519 that stands in raises for every signature."""


def _check(*_: object) -> None:
    raise _InvalidError


_SLOW = "securesystemslib._vendor.ed25519.ed25519"
_PACKAGE = "securesystemslib.signer"
_SIGNERS = {
    "AWSSigner": "_aws_signer",
    "AzureSigner": "_azure_signer",
    "CryptoSigner": "_crypto_signer",
    "GCPSigner": "_gcp_signer",
    "GPGKey": "_gpg_signer",
    "GPGSigner": "_gpg_signer",
    "HSMSigner": "_hsm_signer",
    "SigstoreKey": "_sigstore_signer",
    "SigstoreSigner": "_sigstore_signer",
    "TKeySigner": "_tkey_signer",
    "VaultSigner": "_vault_signer",
}
"""The names in the package that are loaded when they are asked for, and their modules."""


def _late(name: str) -> Any:
    """Return what the package has by a name; its `__getattr__`."""
    if name not in _SIGNERS:
        raise AttributeError(f"module {_PACKAGE!r} has no attribute {name!r}")
    found = getattr(import_module(f"{_PACKAGE}.{_SIGNERS[name]}"), name)
    setattr(sys.modules[_PACKAGE], name, found)
    return found


def _stand_in(name: str) -> type:
    """Return a class that the package can list; as a kind of key, it is the one it stands for."""

    def from_dict(keyid: str, value: dict[str, Any]) -> Any:
        return _late(name).from_dict(keyid, value)

    return type(name, (), {"SCHEME": name, "from_dict": staticmethod(from_dict)})


_CLASSES = {name: _stand_in(name) for name in _SIGNERS}

with standing_in(
    {
        _SLOW: {"SignatureMismatch": _InvalidError, "checkvalid": _check},
        **{
            f"{_PACKAGE}.{module}": {n: _CLASSES[n] for n, its in _SIGNERS.items() if its == module}
            for module in _SIGNERS.values()
        },
    }
):
    import securesystemslib.signer as _signer

    for _name in _SIGNERS:
        vars(_signer).pop(_name, None)
        _signer.SIGNER_FOR_URI_SCHEME.pop(_name, None)
    _signer.__getattr__ = _late  # type: ignore[method-assign]
