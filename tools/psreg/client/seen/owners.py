"""The owners that this machine has seen: others must have their signatures to follow them.

That is how SSH treats the key of a host. The last record that was accepted, and the last claim, say
who owned a name; the claim is signed offline, so no key that publishes can take it back. Those who
sign it can say that owners lost their keys, but only in public, and a week in advance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from psreg.core.errors import PsregError, TrustError
from psreg.registry.owners.claim import Claim, read_claim
from psreg.registry.owners.ownership import (
    Owned,
    Ownership,
    Recovery,
    check_succession,
    ownership_of,
)
from psreg.registry.records import PackageRecord, read_record


def seen_claim(name: str, data: bytes) -> Claim | None:
    """Return a stored claim; None if there is none, or it is damaged and protects nothing."""
    with suppress(PsregError):
        return read_claim(data, name)
    return None


def seen_record(name: str, data: bytes) -> PackageRecord | None:
    """Return a stored record; None as above."""
    with suppress(PsregError):
        return read_record(data, name)
    return None


def check_owners(
    before: Owned,
    now: Owned,
    record: PackageRecord,
    registry_id: str,
    seen: str,
    *,
    accepted: bool,
    recovered: Callable[[Recovery], object] | None = None,
) -> Iterator[str]:
    """Check that the owners of a name follow those `before`; yield what to say about it.

    `seen` is the day on which this machine saw those. If the change is `accepted`, it needs no
    signature. Signatures of keys that `record` calls void do not count. Only a claim can be
    `recovered`, which raises TrustError to refuse that.

    Raises:
        TrustError: TRUST_OWNER_CHANGED.
    """
    old, new = ownership_of(before), ownership_of(now)
    try:
        check_succession(before, now, registry_id, _void(record), recovered=recovered)
    except TrustError as error:
        if not accepted:
            raise _changed(now.name, old, new, seen, error.message) from error
        yield f"the owners of {now.name} changed, and you accept it: {_said(new)}"
        return
    if old != new:
        yield f"the owners of {now.name} changed: {_said(new)}"
    elif _accounts(before) != _accounts(now):
        told = ", ".join(_accounts(now)) or "none"
        yield f"the owners of {now.name} changed: {told}"


def check_unclaimed(before: bytes, name: str, seen: str, *, accepted: bool) -> Iterator[str]:
    """Check that a name was not claimed by the stored claim `before`, now that it is not.

    Raises:
        TrustError: TRUST_OWNER_CHANGED.
    """
    claim = seen_claim(name, before)
    if claim is None:
        return
    if not accepted:
        old, none = ownership_of(claim), Ownership(keys={}, threshold=0)
        why = "it was claimed, and a claim is not taken back"
        raise _changed(name, old, none, seen, why)
    yield f"{name} is not claimed any more, and you accept it"


def _void(record: PackageRecord) -> frozenset[str]:
    """Return the fingerprints of keys that sign nothing new."""
    return frozenset(each.key for each in record.void)


def _changed(name: str, old: Ownership, new: Ownership, seen: str, why: str) -> TrustError:
    return TrustError(
        "TRUST_OWNER_CHANGED",
        f"the owners of {name} are not those that this machine saw on {seen}: {why}",
        "Somebody may be using stolen keys of the registry. Ask the owners or the maintainers, in "
        "another way than this registry, which keys are right; if those now are, run: "
        f"psreg install {name} --accept-owners",
        (*(f"then: {line}" for line in old.lines), *(f"now: {line}" for line in _rows(new))),
    )


def _rows(ownership: Ownership) -> tuple[str, ...]:
    return ownership.lines or ("nobody has a key",)


def _said(ownership: Ownership) -> str:
    return "; ".join(_rows(ownership))


def _accounts(owned: Owned) -> list[str]:
    return sorted({f"{owner.get('forge')}:{owner.get('id')}" for owner in owned.owners})


def unclaimed(name: str) -> TrustError:
    """Return the error for a name that is not claimed where only claimed ones are accepted."""
    return TrustError(
        "TRUST_UNCLAIMED",
        f"{name} is not claimed, so only the keys that publish say who released it",
        "Ask the maintainers of the registry to claim it for its owners.",
    )
