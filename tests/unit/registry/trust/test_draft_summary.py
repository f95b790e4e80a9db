"""A summary of drafts hides nothing that changes, also in drafts of an attacker."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from psreg.registry.trust.draft_summary import digest_of, fingerprint, summary
from psreg.registry.trust.drafts import Draft, public_key_of

# isort: split
from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import Metadata, Root

from psreg.registry.trust.metadata import Document
from psreg.registry.trust.signing_keys import generate_key, public_key

KEYS = {name: public_key_of(name, public_key(generate_key())) for name in ("ana", "ben")}
ANA, BEN = KEYS["ana"], KEYS["ben"]


def root() -> Any:
    """Return the signed part of a root that ana signs."""
    made = Root(version=1, expires=datetime(2027, 1, 2, tzinfo=UTC))
    for role in made.roles:
        made.add_key(ANA, role)
    made.unrecognized_fields["psreg"] = {"id": "1" * 32, "mode": "dev", "role": "root"}
    return made


def said(change: Callable[[Any], object]) -> list[str]:
    """Return what is told about a draft that follows, with a change."""
    before, after = root(), root()
    after.version = 2
    change(after)
    document = Document(role="root", data=Metadata(before).to_bytes(), signed=before)
    return [*summary([(Draft.of("root", after), document)])]


LAST = "root: version 1 to 2, valid until 2027-01-02 (was 2027-01-02)"


def line(name: str) -> str:
    return f"{name}, ed25519, {fingerprint(KEYS[name].keyval['public'])}"


def test_what_changes_is_told_in_words() -> None:
    assert said(lambda _: None) == [LAST]

    def replaced(after: Any) -> None:
        after.add_key(BEN, "root")
        after.revoke_key(ANA.keyid, "root")

    assert said(replaced) == [
        f"root: key added:   {line('ben')}",
        "root: who signs root: 1 of ben (was 1 of ana)",
        LAST,
    ]

    def shared(after: Any) -> None:
        for role in after.roles:
            after.add_key(BEN, role)
            after.roles[role].threshold = 2

    assert said(shared) == [
        f"root: key added:   {line('ben')}",
        "root: who signs root, snapshot, targets, timestamp: 2 of ana, ben (was 1 of ana)",
        LAST,
    ]


def with_member(key: Any, name: str, value: Any) -> Any:
    """Return a copy of a key with another member."""
    changed = copy.deepcopy(key)
    changed.unrecognized_fields[name] = value
    return changed


def renamed(after: Any) -> None:
    after.keys[ANA.keyid] = with_member(ANA, "x-psreg-holder", "ben")


def pretended(after: Any) -> None:
    after.add_key(with_member(BEN, "x-psreg-holder", "cem, ed25519, 0000"), "root")


def unnamed(after: Any) -> None:
    after.add_key(with_member(BEN, "x-psreg-holder", ""), "root")


def extended(after: Any) -> None:
    after.add_key(with_member(BEN, "note", {"a": ["b"]}), "root")


def later(after: Any) -> None:
    after.expires = datetime(2099, 1, 2, tzinfo=UTC)


def of_a_role(after: Any) -> None:
    after.roles["root"].unrecognized_fields["note"] = True


def production(after: Any) -> None:
    after.unrecognized_fields["psreg"]["mode"] = "production"


HIDDEN = {
    renamed: f"root: key changed: {line('ana')} becomes ben,",
    pretended: 'root: key added:   "cem, ed25519, 0000", ed25519,',
    unnamed: f"root: key added:   {BEN.keyid[:12]}, ed25519,",
    extended: f'root: key added:   {line("ben")}, note.a.0 "b"',
    later: "root: version 1 to 2, valid until 2099-01-02 (was 2027-01-02)",
    of_a_role: "root: roles.root.note: nothing becomes true",
    production: 'root: psreg.mode: "dev" becomes "production"',
}


@pytest.mark.parametrize("change", HIDDEN, ids=lambda change: change.__name__)
def test_nothing_that_changes_is_left_out(change: Callable[[Any], object]) -> None:
    lines = said(change)
    assert any(each.startswith(HIDDEN[change]) for each in lines), lines


def test_a_digest_is_of_all_drafts_and_not_of_their_signatures() -> None:
    first, second = root(), root()
    second.version = 2
    drafts = [Draft.of("root", first), Draft.of("root", second)]
    assert digest_of(drafts) == digest_of(reversed(drafts))
    assert len({digest_of(drafts), digest_of(drafts[:1]), digest_of(drafts[1:])}) == 3
    signed = Metadata[Any].from_bytes(drafts[0].data)
    signed.sign(CryptoSigner.generate_ed25519())
    other = Draft(role="root", version=1, data=signed.to_bytes())
    assert digest_of([other]) == digest_of(drafts[:1])
