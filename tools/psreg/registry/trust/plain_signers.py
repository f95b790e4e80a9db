"""Imports securesystemslib without the libraries that psreg does not use.

It imports boto3 and others wherever they are installed, which takes longer than all of psreg, and
computes the tables of an Ed25519 that it needs only without `cryptography`, which psreg requires.
To be imported before `tuf`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType


@contextmanager
def standing_in(names: Mapping[str, Mapping[str, object] | None]) -> Iterator[None]:
    """Let the block import modules with these members instead of their own; None: they are absent.

    What is already loaded stays. If the block cannot do with that, it ends, and nothing stands in.
    """
    new = {name: members for name, members in names.items() if name not in sys.modules}
    for name, members in new.items():
        if members is None:
            sys.modules[name] = None  # type: ignore[assignment]  # cannot be imported
        else:
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


_UNUSED = ("boto3", "azure", "google.cloud.kms", "pkcs11", "hvac")
_SLOW = "securesystemslib._vendor.ed25519.ed25519"

with standing_in(
    {
        **dict.fromkeys(_UNUSED),
        _SLOW: {"SignatureMismatch": _InvalidError, "checkvalid": _check},
    }
):
    import securesystemslib.signer  # noqa: F401 - the import is the purpose
