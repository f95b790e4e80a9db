"""What a command asks when its registry cannot be reached: the state that was verified last.

Only a registry that does not answer (`UNREACHED`) is replaced so, and no other one with it. What
answers with something else than the registry is never: a page to log in at, a certificate that this
machine does not trust, a file that is not the signed one. Who blocks the network gains no more than
who shows the last state again: until it expires, and what is told of it says of which day it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from psreg.client.kept import newest_kept
from psreg.client.offline.kept_registry import KeptRegistry
from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.trust.reading import open_registry
from psreg.registry.trust.roles import Target, package_target
from psreg.system.clock import exact_time

if TYPE_CHECKING:
    from psreg.registry.catalog_segments import Catalogue
    from psreg.registry.owners.claim import Claim
    from psreg.registry.records import PackageRecord, ReleaseRecord
    from psreg.registry.trust.reading import RegistryState

_LACKS = ("NOT_KEPT", "NO_MATCHING_VERSION", "NETWORK")
"""The codes of what a state that is kept answers where the registry may know better."""


class OutdatedStateError(UnavailableError):
    """What is kept has expired, or is not the newest that was seen (code `NOT_KEPT`)."""


class LastState(KeptRegistry):
    """A registry as it was verified last; nothing that has expired is used."""

    def record(self, name: str) -> bytes:
        """Return the verified record of `name`.

        Raises:
            UnavailableError: NOT_KEPT; OutdatedStateError.
            TrustError: what is kept is not what was signed.
        """
        found = super().record(name)
        self._check_in_force()
        return found

    def claim(self, record: PackageRecord) -> Claim | None:
        """Return who owns the name of a record, None if it is not claimed. Raises as `record`."""
        found = super().claim(record)
        self._check_in_force()
        return found

    def catalogue(self) -> Catalogue:
        """Return the catalogue that was read last. Raises as `record`."""
        found = super().catalogue()
        self._check_in_force()
        return found

    def check_release(self, record: PackageRecord, row: ReleaseRecord) -> None:
        """Verify a release up to the root. Raises as `record`, and as `KeptRegistry`."""
        super().check_release(record, row)
        self._check_in_force()

    @staticmethod
    def never_read(location: str) -> UnavailableError:
        """Return the error for a registry that this machine has never read."""
        return UnavailableError("NETWORK", f"nothing of {location} is kept on this machine")

    def _check_newest(self, record: PackageRecord) -> None:
        """Check that the newest state that this machine has seen still lists the same record.

        Raises:
            UnavailableError: NOT_KEPT: it lists another one, or that is not known.
            TrustError: as `record`.
        """
        path, kept = package_target(record.name), super().record(record.name)
        with suppress(TrustError):  # the role that says so is not kept
            state = open_registry(newest_kept(self._folder))
            if state is not None and state.targets.get(path) == Target.of(kept):
                return
        raise OutdatedStateError(
            "NOT_KEPT",
            f"this machine has seen a newer state of the registry, but not what that has of "
            f"`{record.name}`",
            "`--offline` uses the older one all the same.",
        )

    def _tell_move(self) -> None:
        """Say nothing: who tried to reach the registry was told."""

    def _tell_age(self, state: RegistryState, day: str) -> None:
        """Say nothing yet: `answered` says it once, for all that was asked."""

    def _check_in_force(self) -> None:
        if self.expires is not None and self.expires <= exact_time():
            raise OutdatedStateError(
                "NOT_KEPT",
                f"what was verified last, on {self.as_of}, expired on {self.expires:%Y-%m-%d}",
                "`--offline` uses it all the same.",
            )


def unknown(registry: object, error: UnavailableError) -> UnavailableError:
    """Return the error for a name that is not kept of a registry.

    It may be there all the same, if the registry was not left out on purpose, but by who blocks it.
    """
    if not isinstance(registry, LastState) or error.code != "NOT_KEPT":
        return error
    return UnavailableError("NETWORK", error.message)


def lacking(errors: Sequence[UnavailableError], lack: UnavailableError) -> UnavailableError | None:
    """Return the error for what is not kept of registries; None if `lack` says something else.

    `errors` are why they cannot be asked.
    """
    if lack.code not in _LACKS:
        return None
    told = isinstance(lack, OutdatedStateError) or lack.code == "NETWORK"
    hints = [errors[0].hint]
    if told and lack.hint not in errors[0].hint:  # the others say: without `--offline`
        hints.append(lack.hint)
    messages = dict.fromkeys([*(each.message for each in errors), lack.message])
    return UnavailableError(errors[0].code, "; ".join(messages), " ".join(hints))


def told_of(state: KeptRegistry, error: UnavailableError) -> str:
    """Return of which day the answers of a state are, "" if it was not asked.

    `error` is why its registry cannot be asked.
    """
    if not (state.as_of and state.expires):
        return ""
    until = f"which is valid until {state.expires:%Y-%m-%d}"
    return f"{error.message}; answered as of {state.as_of}, {until}"
