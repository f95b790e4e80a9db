"""Who answers for a release, in plain words: its owners, its reviewers, and the log.

Only what is verified is shown. A name is claimed if the role `owners` says who owns it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from psreg.catalogue.pages.frame import Site, address
from psreg.catalogue.pages.html import link, terms, text
from psreg.core.errors import TrustError
from psreg.core.ssh_key import SshKey
from psreg.registry.owners.claim import signed_by
from psreg.registry.owners.recoveries import standing
from psreg.registry.owners.review import reviews_of
from psreg.registry.published import Entry, Release

NEW_NAME = "new name, not yet countersigned"


def summary(entry: Entry, release: Release, site: Site, where: str) -> str:
    """Return what is `told` as a link to the details at the address `where`."""
    line = told(entry, release, site)
    return f'<p class="ps-trust">{link(where, text(line))}</p>' if line else ""


def told(entry: Entry, release: Release, site: Site) -> str:
    """Return one line of plain text: who signed and reviewed a release; "" for a draft.

    Nothing is said of a revoked release: its banner says what matters.
    """
    if release.draft or release.record.revoked:
        return ""
    names = dict.fromkeys(name for name, _ in _signers(entry, release, site))
    word = "owner" if len(names) == 1 else "owners"
    said = [f"signed by its {word} {', '.join(names)}"] if names else []
    reviewers = reviews_of(entry.record, release.record, site.registry_id).names
    said += [f"reviewed by {', '.join(reviewers)}"] if reviewers else []
    said += [] if entry.claim else [NEW_NAME]
    line = " · ".join(said)
    return line[:1].upper() + line[1:]


def details(entry: Entry, release: Release, site: Site) -> str:
    """Return who owns the name, and who signed and reviewed a release, with their keys."""
    record, row = entry.record, release.record
    signers = [f"{text(name)} {_key(key)}" for name, key in _signers(entry, release, site)]
    reviews = reviews_of(record, row, site.registry_id).by
    log = row.log
    rows = [
        ("Name", _claimed(entry)),
        ("Recovery", "<br>".join(_recoveries(entry, site))),
        ("Signed by", "<br>".join(signers) or "no owner; the keys of the registry alone"),
        ("Reviewed by", "<br>".join(f"{text(name)} {_key(key)}" for key, name in reviews.items())),
        ("Log", f"entry {log.index}, {text(row.date[:10])}" if log else ""),
        ("Statement", _statement(entry, release) if signers else ""),
    ]
    return terms(((term, value) for term, value in rows if value), "ps-facts ps-facts--trust")


def chain(entry: Entry, release: Release, site: Site) -> str:
    """Return who vouches for the bytes, one after the other, as sentences."""
    row, name = release.record, text(entry.record.name)
    signers = dict.fromkeys(who for who, _ in _signers(entry, release, site))
    reviewers = reviews_of(entry.record, row, site.registry_id).names
    steps = [
        f"{_names(signers)} signed what this version consists of: as an owner of {name}."
        if signers
        else f"No owner of {name} signed it. The registry alone vouches for it."
    ]
    steps += [f"{_names(reviewers)} read it and signed a review."] if reviewers else []
    steps.append(
        "The registry wrote the SHA-256 of its bytes into a record, and signed the record."
    )
    if row.log:
        steps.append(
            f"A log that only grows has the release as entry {row.log.index}, so that nobody can "
            "replace it unnoticed."
        )
    steps.append(
        "psreg checks all this (The Update Framework) and the SHA-256 before it writes a byte. "
        "This page was built from the same record."
    )
    return f'<ol class="ps-chain">{"".join(f"<li>{step}</li>" for step in steps)}</ol>'


def _claimed(entry: Entry) -> str:
    if entry.claim is None:
        return f"{NEW_NAME}: until an owner claims it, the keys of the registry can release it"
    names = dict.fromkeys(_accounts(entry).get(who, who) for who in entry.claim.keys.values())
    most = entry.claim.threshold
    many = "one of them must sign" if most == 1 else f"{most} of them must sign"
    return f"claimed by {_names(names)}; {many} each release"


def _recoveries(entry: Entry, site: Site) -> Iterator[str]:
    """Yield what became of recoveries of the name, because its owners lost their keys."""
    with suppress(TrustError):
        for each in standing(entry.record, entry.claim, site.registry_id):
            yield text(f"{each.words}: {each.told.get('reason', '?')}")


def _statement(entry: Entry, release: Release) -> str:
    """Return the digest of what the owners signed, which is in the record."""
    log = release.record.log
    digest = f" <code>{text(log.statement)}</code>" if log and log.statement else ""
    where = address(f"api/v1/packages/{entry.record.name}.json")
    return f"{link(where, 'in the signed record')}{digest}"


def _signers(entry: Entry, release: Release, site: Site) -> list[tuple[str, SshKey]]:
    """Return the owners whose signatures are valid, each by name and key."""
    if release.record.statement is None:
        return []
    names = _accounts(entry)
    with suppress(TrustError):
        found = signed_by(entry.record, release.record, site.registry_id, entry.claim)
        return [(names.get(account, account), signature.key) for account, signature in found]
    return []


def _accounts(entry: Entry) -> dict[str, str]:
    """Return the login of each owner by account, as far as they say one."""
    owners: tuple[Mapping[str, Any], ...] = entry.claim.owners if entry.claim else ()
    return {
        f"{owner.get('forge')}:{owner.get('id')}": str(owner["login"])
        for owner in (*entry.record.owners, *owners)
        if owner.get("login")
    }


def _names(names: Iterable[str]) -> str:
    return text(", ".join(names))


def _key(key: SshKey) -> str:
    return f'<code class="ps-digest">{text(key.fingerprint)}</code>'
