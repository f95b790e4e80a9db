"""The registry of a checkout, its keys on this machine, and the journal, for commands that sign."""

from __future__ import annotations

from pathlib import Path

from psreg.git.history import FolderHistory
from psreg.registry.baseline import Ports
from psreg.registry.journal import PublishJournal
from psreg.registry.keys.keystore import KeyStore
from psreg.registry.store_folder import RegistryFolder
from psreg.system.user_folders import journal_dir, keys_dir


def signing_ports(root: Path, registry_dir: str | None) -> tuple[Ports, PublishJournal]:
    """Return what signs the registry of the checkout `root`, and its journal.

    The registry is in `registry_dir`, or in the folder registry/ of the checkout.

    Raises:
        TrustError: KEYS_IN_TREE.
    """
    registry = Path(registry_dir) if registry_dir else root / "registry"
    keys = KeyStore(keys_dir())
    for folder in (root, registry):
        keys.keep_out_of(folder)
    history = FolderHistory(registry)
    journal = PublishJournal(journal_dir(), registry, history)
    ports = Ports(store=RegistryFolder(registry), keys=keys, journal=journal, history=history)
    return ports, journal
