"""Imports securesystemslib without the libraries of clouds and devices that psreg does not use.

It imports boto3 and others wherever they are installed, which takes longer than all of psreg. To be
imported before `tuf`.
"""

from __future__ import annotations

import sys

_UNUSED = ("boto3", "azure", "google.cloud.kms", "pkcs11", "hvac")

_absent = [name for name in _UNUSED if name not in sys.modules]
sys.modules.update(dict.fromkeys(_absent))  # type: ignore[arg-type]  # None: cannot be imported
try:
    import securesystemslib.signer  # noqa: F401 - the import is the purpose
finally:
    for name in _absent:
        del sys.modules[name]
