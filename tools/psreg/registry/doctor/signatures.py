"""Checks of what is signed: whether all of it verifies, how long it lasts, and what waits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from psreg.core.errors import TrustError
from psreg.registry.doctor.facts import Diagnosis, Facts, Status
from psreg.registry.owners.ownership import text_of
from psreg.registry.owners.recoveries import pending
from psreg.registry.trust.metadata import info_of
from psreg.registry.trust.moved import moved_to
from psreg.registry.trust.reading import RegistryState
from psreg.registry.trust.roles import (
    BINDING,
    CHECKPOINT,
    LIFETIME,
    OWNERS,
    RELEASES,
    ROOT,
    SNAPSHOT,
    TARGETS,
    TIMESTAMP,
    WARNING,
    Bins,
    is_due,
    is_offline,
)

RECOMMENDED = {
    ROOT: 365,
    TARGETS: 365,
    OWNERS: 365,
    RELEASES: 365,
    SNAPSHOT: 14,
    TIMESTAMP: 14,
}
"""Days that a signature lasts, at most: as long as a mirror can hide what is newer."""

_RESTORE = "Restore registry/metadata and registry/targets from Git, or from a mirror."


def metadata(facts: Facts) -> Diagnosis:
    """Whether every document in force is signed as it must be, and names its role."""
    state = facts.state
    if state is None:
        status = Status.ERROR
        advice = facts.remedy or _RESTORE
        return Diagnosis(id="metadata", status=status, found=facts.problem, advice=advice)
    try:
        unbound = [role for role in state.documents if not state.documents[role].bound]
    except TrustError as error:
        advice = error.hint or _RESTORE
        return Diagnosis(id="metadata", status=Status.ERROR, found=error.message, advice=advice)
    if unbound:
        found = f"{len(unbound)} documents do not name their role, such as {unbound[0]}"
        return Diagnosis(
            id="metadata", status=facts.grave, found=found, advice="Run `psreg publish`."
        )
    found = f"all {len(state.documents)} documents in force are signed, and name their roles"
    return Diagnosis(id="metadata", status=Status.OK, found=found)


def roots(facts: Facts, state: RegistryState) -> Diagnosis:
    """Whether a client with any former root can follow to the newest one."""
    newest = state.root.version
    missing = sorted({*range(1, newest + 1)} - facts.root_files)
    beyond = sorted(facts.root_files - {*range(1, newest + 1)})
    if missing or beyond:
        which = missing or beyond
        why = "is missing" if missing else f"does not follow root {newest}"
        return Diagnosis(
            id="roots",
            status=Status.ERROR,
            found=f"metadata/{which[0]}.root.json {why}",
            advice="Restore all roots from Git: clients follow them one by one.",
        )
    return Diagnosis(id="roots", status=Status.OK, found=f"roots 1 to {newest} are there")


def log(facts: Facts, state: RegistryState) -> Diagnosis:
    """Whether the registry has a log, and monitors see its checkpoint."""
    if not info_of(state.root).log or state.checkpoint is None:
        found = "the registry has no log: nobody can see what was released when"
        advice = "Begin one with `psreg keys rotate log`."
        return Diagnosis(id="log", status=facts.grave, found=found, advice=advice)
    if facts.checkpoint_copy != state.checkpoint:
        found = f"registry/{CHECKPOINT} is not the checkpoint that was signed"
        advice = "Restore registry/log from the same commit as registry/metadata."
        return Diagnosis(id="log", status=Status.ERROR, found=found, advice=advice)
    return Diagnosis(id="log", status=Status.OK, found="the log has a signed checkpoint")


def moved(facts: Facts, state: RegistryState) -> Diagnosis:
    """Whether the registry is where clients look for it, or what it announces is there."""
    try:
        found = moved_to(state.root.signed.unrecognized_fields[BINDING])
    except TrustError as error:
        return Diagnosis(id="moved", status=Status.ERROR, found=error.message, advice=_WITHDRAW)
    if found is None:
        told = "the root announces no other address"
        return Diagnosis(id="moved", status=Status.OK, found=told)
    told = f"clients are told that it has moved to {found.url} (root sha256 {found.root_sha256})"
    if not facts.moved_root:
        told = f"{told}, where no root can be read"
        advice = "Publish it there, so that clients can follow."
        return Diagnosis(id="moved", status=Status.WARNING, found=told, advice=advice)
    if facts.moved_root != found.root_sha256:
        told = f"{told}, which shows the root {facts.moved_root}: no client follows"
        return Diagnosis(id="moved", status=Status.ERROR, found=told, advice=_WITHDRAW)
    return Diagnosis(id="moved", status=Status.OK, found=told)


_WITHDRAW = "Announce the true one with `psreg keys move URL --root-sha256 HEX`, or `--withdraw`."


def claims(_: Facts, state: RegistryState) -> Diagnosis:
    """Whether owners sign the releases of all names."""
    names = {path for path in state.targets if path.startswith("pkg/")}
    claimed = [path for path in state.targets if path.startswith(f"{OWNERS}/")]
    open_ = len(names) - len(claimed)
    if open_ > 0:
        return Diagnosis(
            id="claims",
            status=Status.WARNING,
            found=f"{open_} of {len(names)} names are not claimed: the keys that publish can "
            "release under them",
            advice="Ask their owners for SSH keys, and run `psreg keys owners NAME`.",
        )
    return Diagnosis(id="claims", status=Status.OK, found="owners sign the releases of all names")


def recoveries(facts: Facts, state: RegistryState) -> Diagnosis:
    """Whether no name waits to get other owners."""
    waiting = sorted((each.due, each.name) for each in pending(state))
    if not waiting:
        return Diagnosis(id="recoveries", status=Status.OK, found="no recovery is pending")
    at, name = waiting[0]
    more = f", and {len(waiting) - 1} more are pending" if len(waiting) > 1 else ""
    if at > text_of(facts.now):
        found, advice = (
            f"{name} can get other owners on {at[:10]}",
            "Until then its owners can object.",
        )
    else:
        found = f"{name} can get other owners since {at[:10]}"
        advice = f"Run `psreg keys owners {name}`."
    return Diagnosis(id="recoveries", status=Status.WARNING, found=found + more, advice=advice)


def expiry(facts: Facts, state: RegistryState) -> Diagnosis:
    """Whether nothing has expired, or will before people notice."""
    problems = sorted(_ending(facts, state))
    if problems:
        status = Status.ERROR if problems[0][0] <= facts.now else Status.WARNING
        at, role, advice = problems[0]
        ends = "expired" if at <= facts.now else "expires"
        others = f", and {len(problems) - 1} more are due" if len(problems) > 1 else ""
        found = (
            f"{state.versions.get(role, 1)}.{role}.json {ends} on {at:%Y-%m-%d %H:%M} UTC{others}"
        )
        return Diagnosis(id="expiry", status=status, found=found, advice=advice)
    first = min((each.expires, role) for role, each in state.documents.items())
    found = f"nothing is due; {first[1]} expires first, on {first[0]:%Y-%m-%d}"
    return Diagnosis(id="expiry", status=Status.OK, found=found)


def _ending(facts: Facts, state: RegistryState) -> Iterator[tuple[datetime, str, str]]:
    """Yield what expires too soon: when, the role, and who must do what."""
    for role, document in state.documents.items():
        at = document.expires
        if is_offline(role):
            if at - facts.now < WARNING:
                yield at, role, "A holder runs `psreg keys renew`, the others `psreg keys sign`."
        elif at <= facts.now or is_due(at, facts.now, _lifetime(facts, role) / 2):
            yield at, role, "Run `psreg publish --resign`, and see why no schedule does."


def _lifetime(facts: Facts, role: str) -> timedelta:
    return facts.lifetimes.get(_above(role), LIFETIME)


def _above(role: str) -> str:
    bins = Bins.with_role(role)
    return bins.above if bins else role


def lifetimes(facts: Facts, state: RegistryState) -> Diagnosis:
    """Whether no signature lasts longer than it should, by the policy or in force."""
    longest: dict[str, timedelta] = {}
    for role, document in state.documents.items():
        above = _above(role)
        lasts = max(document.expires - facts.now, _lifetime(facts, role))
        longest[above] = max(lasts, longest.get(above, timedelta()))
    over = [
        role for role, days in RECOMMENDED.items() if longest.get(role, timedelta()).days > days
    ]
    if over:
        told = (
            f"{role} lasts {longest[role].days} days, more than {RECOMMENDED[role]}"
            for role in over
        )
        found = f"signatures hide changes for too long: {'; '.join(told)}"
        advice = "Shorten them under [signatures] in registry/policy.toml, and publish."
        return Diagnosis(id="lifetimes", status=facts.grave, found=found, advice=advice)
    hidden = longest[TIMESTAMP].days
    found = f"a mirror can hide what is new for {hidden} days at most"
    return Diagnosis(id="lifetimes", status=Status.OK, found=found)


def drafts(facts: Facts) -> Diagnosis:
    """Whether nothing waits for signatures."""
    waiting = {
        holder
        for each in facts.signing
        for one in each.progress
        if one.missing
        for holder in one.unsigned
    }
    if not facts.signing:
        return Diagnosis(id="drafts", status=Status.OK, found="nothing waits for signatures")
    roles = ", ".join(dict.fromkeys(each.draft.role for each in facts.signing[:3]))
    who = f"have not signed: {', '.join(sorted(waiting))}" if waiting else "all have signed"
    return Diagnosis(
        id="drafts",
        status=Status.WARNING,
        found=f"drafts wait in registry/signing ({roles}); {who}",
        advice="Let them run `psreg keys sign`." if waiting else "Run `psreg publish`.",
    )
