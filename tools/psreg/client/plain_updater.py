"""Imports the updater of python-tuf without its HTTP library: psreg fetches through a `Source`.

That library takes a tenth of the time of an installation to import. To be imported before
`tuf.ngclient`.
"""

from __future__ import annotations

import sys
from types import ModuleType

_UNUSED = "tuf.ngclient.urllib3_fetcher"


class Urllib3Fetcher:
    """Takes the place of python-tuf's own fetcher; an `Updater` that is given one makes none."""


if _UNUSED not in sys.modules:
    sys.modules[_UNUSED] = ModuleType(_UNUSED)
    vars(sys.modules[_UNUSED])["Urllib3Fetcher"] = Urllib3Fetcher
    try:
        import tuf.ngclient  # noqa: F401 - the import is the purpose
    finally:
        del sys.modules[_UNUSED]
