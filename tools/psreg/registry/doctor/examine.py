"""All checks of `psreg doctor`, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Callable

from psreg.registry.doctor import hosting, keys, pipelines, signatures
from psreg.registry.doctor.facts import Diagnosis, Facts, Status
from psreg.registry.trust.reading import RegistryState

_SIGNED: dict[str, Callable[[Facts, RegistryState], Diagnosis]] = {
    "roots": signatures.roots,
    "mode": keys.mode,
    "thresholds": keys.thresholds,
    "separate-keys": keys.separate_keys,
    "offline-keys": keys.offline_keys,
    "former-keys": keys.former_keys,
    "moved": signatures.moved,
    "log": signatures.log,
    "claims": signatures.claims,
    "recoveries": signatures.recoveries,
    "expiry": signatures.expiry,
    "lifetimes": signatures.lifetimes,
}
"""Checks of what is signed, by id; they need a registry that verifies."""

_OTHERS: dict[str, Callable[[Facts], Diagnosis]] = {
    "drafts": signatures.drafts,
    "key-permissions": keys.key_permissions,
    "pinned": pipelines.pinned,
    "publish-key": pipelines.publish_key,
    "resign-scheduled": pipelines.resign_scheduled,
    "code-owners": pipelines.code_owners,
    "merging": hosting.merging,
    "stale-approvals": hosting.stale_approvals,
    "required-check": hosting.required_check,
    "missing-files": hosting.missing_files,
    "cache-headers": hosting.cache_headers,
}

CHECKS: tuple[str, ...] = ("metadata", *_SIGNED, *_OTHERS)
"""The ids of all checks."""


def examine(facts: Facts) -> tuple[Diagnosis, ...]:
    """Return what each check says."""
    first = signatures.metadata(facts)
    others = tuple(check(facts) for check in _OTHERS.values())
    state = facts.state
    if state is None or first.status is Status.ERROR:
        told = "not looked at: the metadata must be right first"
        signed = tuple(Diagnosis(id=id_, status=Status.UNSEEN, found=told) for id_ in _SIGNED)
    else:
        signed = tuple(check(facts, state) for check in _SIGNED.values())
    return (first, *signed, *others)
