"""Tells users, once a day, what people must renew of a registry before it can no longer be used.

The timestamp and the snapshot are renewed by a machine, every few hours. Root, targets and `owners`
are signed by people: if they forget it, all clients refuse the registry on the same day.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from psreg.client.metadata_cache import signed_in
from psreg.core.errors import UnavailableError
from psreg.registry.trust.roles import METADATA_FOLDER, OWNERS, ROOT, TARGETS, WARNING
from psreg.system.atomic import exclusive_once, write_own
from psreg.system.files import read_own

if TYPE_CHECKING:
    from pathlib import Path

TOLD = "told-expiring"
"""The file in the state folder of a registry that has the day on which this was asked last."""


def expiring_today(folder: Path, now: datetime) -> str:
    """Return what expires within three weeks of the registry whose state is in `folder`.

    That is `root on 2026-12-01, targets on 2026-12-03`; "" if nothing does, or if this was asked
    today.
    """
    day = f"{now:%Y-%m-%d}"
    with suppress(UnavailableError):
        if read_own(folder / TOLD, len(day)) == day.encode():
            return ""
    with suppress(UnavailableError), exclusive_once(folder / "lock"):  # else it is asked again
        write_own(folder / TOLD, day.encode(), folder, durable=False)
    found = sorted((at, role) for role, at in _expiry(folder / METADATA_FOLDER))
    soon = [(at, role) for at, role in found if now < at <= now + WARNING]
    return ", ".join(f"{role} on {at:%Y-%m-%d}" for at, role in soon)


def _expiry(metadata: Path) -> Iterator[tuple[str, datetime]]:
    """Yield the roles that people renew, each with when its cached file expires."""
    for role in (ROOT, TARGETS, OWNERS):
        signed = signed_in(metadata / f"{role}.json")
        with suppress(ValueError, KeyError, TypeError):
            at = datetime.fromisoformat(signed["expires"])
            if at.tzinfo is not None:
                yield role, at
