"""Imports the updater of python-tuf without its HTTP library: psreg fetches through a `Source`.

That library takes a tenth of the time of an installation to import. To be imported before
`tuf.ngclient`.
"""

from __future__ import annotations

from psreg.registry.trust.plain_signers import standing_in


class Urllib3Fetcher:
    """Takes the place of python-tuf's own fetcher; an `Updater` that is given one makes none."""


with standing_in({"tuf.ngclient.urllib3_fetcher": {"Urllib3Fetcher": Urllib3Fetcher}}):
    import tuf.ngclient  # noqa: F401 - the import is the purpose
