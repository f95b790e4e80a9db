"""What a project has locked, as `client.chain` verifies it up to the pinned roots."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path

from psreg.client.chain import Chain
from psreg.client.config import Settings
from psreg.client.install import MAX_ARTIFACT
from psreg.client.library import Receipt
from psreg.client.project.lockfile import NAME, Lock, no_lock
from psreg.client.project.verified import VerifiedRelease
from psreg.client.project.workspace import Workspace
from psreg.client.trust_store import TrustStore
from psreg.client.withdrawals import withdrawal_of
from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.actions.withdrawal import Withdrawal
from psreg.system.files import read_own


class LockedPrompts:
    """The locked prompts of a project: their files, and what the lock says about them."""

    source, compared = NAME, "lock"
    restore, replace = "psreg sync --overwrite", "psreg update {}"

    def __init__(
        self, workspace: Workspace, lock: Lock, settings: Settings, store: TrustStore
    ) -> None:
        self._lock, self._settings, self._store = lock, settings, store
        self._folder = workspace.folder(workspace.manifest()).folder

    @classmethod
    def around(
        cls, start: Path, settings: Settings, store: TrustStore, names: Collection[str] = ()
    ) -> LockedPrompts | None:
        """Return those of the project around `start`, None if there is no project.

        Raises:
            FindingsError: `NO_LOCK`: no `names` are given, and it uses prompts without a lock;
                `LOCK_INVALID`.
            PsregError: as `Workspace.manifest`.
        """
        try:
            workspace = Workspace.find(start)
        except UnavailableError:
            return None
        lock = workspace.lock()
        if not names and workspace.manifest().prompts and workspace.lock_bytes() is None:
            raise no_lock()
        return cls(workspace, lock, settings, store)

    def receipts(self, names: Collection[str] = ()) -> list[Receipt]:
        """Return what the lock says about its prompts, or about those with some `names`."""
        return [
            Receipt(
                release=each.release,
                sha256=each.sha256,
                size=each.size,
                registry={"id": each.registry, "url": self._address(each.registry)},
                installed="",
            )
            for name, each in sorted(self._lock.prompts.items())
            if not names or name in names
        ]

    def _address(self, identity: str) -> str:
        """Return the address of a registry in the settings, "" if they do not pin it."""
        for each in self._settings.registries():
            anchor = self._store.find(each.root_sha256) if each.root_sha256 else None
            if anchor is not None and anchor.id == identity:
                return each.location
        return ""

    def path(self, receipt: Receipt) -> Path:
        """Return the path of a file in the folder of the project."""
        return self._folder / receipt.release.filename

    def drift(self, receipt: Receipt) -> str | None:
        """Return how a file differs from what the lock says, or None."""
        try:
            data = read_own(self.path(receipt), MAX_ARTIFACT)
        except UnavailableError as error:
            return error.message
        digest = hashlib.sha256(data).hexdigest()
        if digest == receipt.sha256:
            return None
        return f"SHA-256 is {digest}; {NAME} says {receipt.sha256}"

    def withdrawal(self, receipt: Receipt) -> Withdrawal | None:
        """Return why this machine knows a release as revoked, None if it does not."""
        anchor = self._store.with_id(receipt.registry["id"])
        key = receipt.release.name, receipt.release.version, receipt.sha256
        return withdrawal_of(anchor.folder, key) if anchor else None

    def refusal(self, chain: Chain) -> TrustError | None:
        """Return why the lock is not what was signed, None if it is or if `chain` fails."""
        receipt, signed = chain.receipt, chain.signed
        if chain.error or chain.row is None:
            return None
        keys = [signature.key for _, signature in signed.signatures] if signed else []
        try:
            VerifiedRelease(
                registry=receipt.registry["id"],
                release=receipt.release,
                row=chain.row,
                claimed=chain.claimed,
                owners=tuple(sorted({key.fingerprint for key in keys})),
            ).check(self._lock.prompts[receipt.release.name])
        except TrustError as error:
            return error
        return None
