"""Three people hold the offline roles, and two of them must sign."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import pytest
from tuf.api.metadata import Metadata

from psreg.core.errors import FindingsError, PsregError, TrustError, UnavailableError
from psreg.core.ssh_key import SshKey
from psreg.formats.json.canonical import canonical
from psreg.formats.tree import Tree as RegistryTree
from psreg.registry.baseline import Ports
from psreg.registry.ceremony import Signing, begin, completed, review, sign, signing
from psreg.registry.journal import PublishJournal
from psreg.registry.keys.claiming import claim_names
from psreg.registry.keys.keystore import KeyStore
from psreg.registry.keys.rotation import harden
from psreg.registry.owners.claim import read_claim
from psreg.registry.owners.ownership import Ownership, text_of
from psreg.registry.owners.recoveries import PENDING
from psreg.registry.publish import publish
from psreg.registry.trust.drafts import Draft, relisted
from psreg.registry.trust.roles import OWNERS, ROOT, TARGETS, Bins, Target, target_path
from psreg.registry.trust.signing_keys import public_key
from support.claims import ALPHA, claim, claimed, given_to, owned, signed_by
from support.owners import ANA, BEN, entry_toml
from support.publishing import (
    CLEAN,
    NOW,
    QuickDir,
    Tree,
    client_reads,
    client_reads_with,
    dying,
    files,
    memory_ports,
    ports,
    release,
    signer_of,
    state_of,
)

DAY = timedelta(days=1)
PEOPLE = ("ana", "ben", "cem")


class People:
    """The keys of three people, each on a machine of their own, and the registry's folder."""

    def __init__(self, home: Path, registry: Path) -> None:
        self.home, self.registry = home, registry
        registry_id = state_of(registry).registry_id
        self.keys = {name: KeyStore(home / name) for name in PEOPLE}
        made = {name: store.create(registry_id, name) for name, store in self.keys.items()}
        self.public = {name: public_key(pem) for name, pem in made.items()}

    def ports(self, name: str) -> Ports:
        """Return the ports of one of them."""
        journal = PublishJournal(self.home / f"state-{name}", self.registry)
        return Ports(store=QuickDir(self.registry), keys=self.keys[name], journal=journal)

    def harden(self, threshold: int = 2) -> tuple[Signing, ...]:
        return harden(self.public, threshold, NOW, ports(self.home, self.registry))

    def sign(self, *names: str) -> tuple[Signing, ...]:
        """Let some of them sign, one after the other; return what is signed then."""
        found: tuple[Signing, ...] = ()
        for name in names:
            found = sign(self.ports(name))
        return found


@pytest.fixture
def tree(home: Path, registry: Path) -> Tree:
    """The files of a registry with a claimed name."""
    return claimed(home, registry)


@pytest.fixture
def people(home: Path, registry: Path, tree: Tree) -> People:
    assert tree
    return People(home, registry)


def drafts(registry: Path) -> set[str]:
    return {path for path in files(registry) if path.startswith("signing/")}


def missing(found: Sequence[Signing], role: str) -> list[int]:
    """Return how many signatures of each set of keys a draft lacks."""
    return next([p.missing for p in each.progress] for each in found if each.draft.role == role)


def test_a_registry_gets_three_holders(
    home: Path, registry: Path, tree: Tree, people: People, tmp_path: Path
) -> None:
    assert client_reads(registry, tmp_path / "old", "alpha")
    before = state_of(registry)
    found = people.harden()
    assert {each.draft.role for each in found} == {
        ROOT, TARGETS, OWNERS, *before.bins_below[OWNERS].roles
    }  # fmt: skip
    assert (missing(found, ROOT), missing(found, TARGETS)) == ([0, 2], [0, 2])
    assert (missing(found, OWNERS), missing(found, "o4-0")) == ([2], [2])
    found = people.sign("ana")
    assert (missing(found, ROOT), missing(found, "o4-0")) == ([0, 1], [1])
    assert found[0].progress[1].signed == ("ana",)
    assert found[0].progress[1].unsigned == ("ben", "cem")
    early = release(home, registry, tree, NOW + DAY)
    assert (early.mode, early.written) == ("dev", 0)
    assert all(each.complete for each in people.sign("ana", "cem"))
    result = release(home, registry, tree, NOW + DAY)
    assert result.mode == "production"
    after = state_of(registry)
    assert (after.registry_id, after.mode) == (before.registry_id, "production")
    assert after.root_sha256 == before.root_sha256
    assert after.owners == before.owners
    roles = after.root.signed.roles
    assert {role: (len(roles[role].keyids), roles[role].threshold) for role in roles} == {
        "root": (3, 2), "targets": (3, 2), "snapshot": (1, 1), "timestamp": (1, 1)
    }  # fmt: skip
    assert drafts(registry) == set()
    for cache in ("old", "new"):
        assert client_reads(registry, tmp_path / cache, "alpha") == after.packages["alpha"]
    assert release(home, registry, tree, NOW + DAY).written == 0


def test_the_former_key_signs_nothing_any_more(
    home: Path, registry: Path, tree: Tree, people: People
) -> None:
    people.harden()
    people.sign("ben", "cem")
    release(home, registry, tree, NOW + DAY)
    again = harden({"ana": people.public["ana"]}, 1, NOW, ports(home, registry))
    assert missing(again, ROOT) == [2, 1]


def test_a_registry_without_claims(home: Path, registry: Path) -> None:
    tree = owned("1.0.0")
    release(home, registry, tree)
    people = People(home, registry)
    assert [each.draft.role for each in people.harden()][:3] == [ROOT, TARGETS, OWNERS]
    people.sign("ana", "ben")
    assert release(home, registry, tree, NOW + DAY).mode == "production"
    assert claim(home, registry, tree)[0].pending
    people.sign("ben", "cem")
    release(home, registry, tree, NOW + DAY)
    assert set(state_of(registry).owners) == {"alpha"}


def test_drafts_of_which_one_is_missing_wait(
    home: Path, registry: Path, tree: Tree, people: People
) -> None:
    """Without it, the others would make what is in force unreadable."""
    people.harden()
    people.sign("ben", "cem")
    for name in ("2.targets", "2.owners", "2.o4-7"):
        draft = registry / f"signing/{name}.json"
        draft = draft if draft.exists() else registry / f"signing/3{name[1:]}.json"
        data = draft.read_bytes()
        draft.unlink()
        assert release(home, registry, tree, NOW + DAY).mode == "dev"
        with pytest.raises(TrustError) as caught:
            people.sign("ana")
        assert caught.value.code == "TRUST_MIXED"
        assert f"a draft of {name[2:]}, which is missing" in caught.value.message
        draft.write_bytes(data)
    assert release(home, registry, tree, NOW + DAY).mode == "production"


def test_a_claim_is_signed_by_two(home: Path, registry: Path, tree: Tree, people: People) -> None:
    people.harden()
    people.sign("ana", "ben")
    release(home, registry, tree, NOW + DAY)
    tree = tree | {PurePosixPath("pbes/prompt/beta/entry.toml"): entry_toml(BEN)}
    alpha, beta = claim(home, registry, tree, now=NOW + DAY)
    assert (alpha.pending, beta.pending, beta.changed) == (False, True, True)
    (waiting,) = signing(QuickDir(registry), state_of(registry))
    assert [one.missing for one in waiting.progress] == [2]
    assert "beta" not in state_of(registry).owners
    with pytest.raises(FindingsError) as caught:
        claim(home, registry, tree, now=NOW + DAY)
    assert caught.value.code == "SIGNING_PENDING"
    people.sign("cem", "ana")
    assert release(home, registry, tree, NOW + DAY).written > 0
    state = state_of(registry)
    assert read_claim(state.owners["beta"], "beta") == beta.claim
    assert drafts(registry) == set()


def test_a_claim_that_would_refuse_a_release_is_not_made_current(
    home: Path, registry: Path, tree: Tree, people: People
) -> None:
    people.harden()
    people.sign("ana", "ben")
    release(home, registry, tree, NOW + DAY)
    tree = owned("1.0.0", "1.1.0") | {ALPHA: entry_toml(BEN)}
    tree |= signed_by(registry, tree, "1.1.0", ANA)
    other = given_to(registry, owned("1.0.0"), BEN)
    (changed,) = claim(home, registry, other, now=NOW + DAY)
    assert changed.pending
    release(home, registry, tree, NOW + 2 * DAY)
    people.sign("ana", "ben")
    before = files(registry)
    with pytest.raises(TrustError) as caught:
        release(home, registry, tree, NOW + 3 * DAY)
    assert caught.value.code == "TRUST_STATEMENT"
    assert "the new claim of alpha" in caught.value.message
    assert files(registry) == before
    for path in drafts(registry):
        (registry / path).unlink()
    assert release(home, registry, tree, NOW + 3 * DAY).waiting == ()


def test_other_owners_whom_nobody_signed_are_not_made_current(
    home: Path, registry: Path, tree: Tree, people: People
) -> None:
    """Enough holders of offline keys sign a claim that no owner before it has signed."""
    people.harden()
    people.sign("ana", "ben")
    release(home, registry, tree, NOW + DAY)
    state = state_of(registry)
    claim = read_claim(state.owners["alpha"], "alpha")
    other = {"forge": "github", "id": BEN.number, "keys": [BEN.line]}
    data = canonical(replace(claim, owners=(other,)).to_json())
    path, target = "owners/alpha.json", Target.of(data)
    (registry / target_path(path, target.sha256)).write_bytes(data)
    bin_ = state.documents[Bins(bits=4, above=OWNERS).of(path)]
    draft = relisted(bin_, {path: target}, signer_of(home, registry))
    begin([draft], state, people.ports("ana"))
    said = review(people.ports("ben"))
    assert "alpha: the owners of alpha before did not sign who follows them" in said
    people.sign("ben")
    before = files(registry)
    with pytest.raises(TrustError) as caught:
        release(home, registry, tree, NOW + 2 * DAY)
    assert caught.value.code == "TRUST_STATEMENT"
    assert files(registry) == before


@pytest.mark.parametrize("recovery", [None, {"reason": "lost"}])
def test_a_claim_of_a_name_that_is_not_published(
    home: Path, registry: Path, tree: Tree, recovery: dict[str, str] | None
) -> None:
    state = state_of(registry)
    claim = replace(read_claim(state.owners["alpha"], "alpha"), name="later")
    told = {"date": text_of(NOW), "not_before": text_of(NOW + 7 * DAY)}
    after = Ownership.of(({"forge": "github", "id": 2, "keys": [BEN.line]},), 1)
    next_ = {**recovery, **told, "next": after.to_json()} if recovery else None
    data = canonical(replace(claim, recovery=next_).to_json())
    path, target = "owners/later.json", Target.of(data)
    (registry / target_path(path, target.sha256)).write_bytes(data)
    bin_ = state.documents[Bins(bits=4, above=OWNERS).of(path)]
    begin([relisted(bin_, {path: target}, signer_of(home, registry))], state, ports(home, registry))
    with pytest.raises(TrustError, match="later is claimed, and not published"):
        release(home, registry, tree, NOW + DAY)


def test_the_holders_see_that_a_name_is_recovered(
    home: Path, registry: Path, tree: Tree, people: People
) -> None:
    people.harden()
    people.sign("ana", "ben")
    release(home, registry, tree, NOW + DAY)
    (alpha, *_) = RegistryTree(tree | {ALPHA: entry_toml(BEN)}).entries
    (made,) = claim_names([alpha], NOW + DAY, ports(home, registry), recover="keys lost")
    said = review(people.ports("ben"))
    day = (NOW + 8 * DAY).date()
    assert any(f"alpha: it is recovered on {day}: keys lost; an owner is" in line for line in said)
    people.sign("ana", "ben")
    (logged,) = release(home, registry, tree, NOW + 2 * DAY).recoveries
    assert (logged.state, logged.due) == (PENDING, text_of(NOW + 9 * DAY))
    assert read_claim(state_of(registry).owners["alpha"], "alpha") == made.claim
    (made,) = claim_names([alpha], NOW + 9 * DAY, ports(home, registry))
    said = review(people.ports("ben"))
    assert "alpha: it is recovered: keys lost" in said
    people.sign("ana", "ben")
    with pytest.raises(TrustError, match="and not before"):
        release(home, registry, tree, NOW + 8 * DAY)
    release(home, registry, tree, NOW + 9 * DAY)
    assert read_claim(state_of(registry).owners["alpha"], "alpha") == made.claim
    assert [*made.claim.keys.values()] == ["github:2"]


@pytest.mark.unmeasured
def test_dying_while_a_root_becomes_current() -> None:
    """A client reads the registry at every moment, and the next publish finishes the work."""
    tree = owned("1.0.0")

    def begun() -> Ports:
        real = memory_ports()
        publish(tree, CLEAN, NOW, real)
        claim_names([RegistryTree(tree).entries[0]], NOW, real)
        keys = {name: real.keys.create("", name) for name in PEOPLE}
        harden({name: public_key(pem) for name, pem in keys.items()}, 2, NOW, real)
        return real

    go_on, whole, deaths = partial(publish, tree, CLEAN, NOW + DAY), begun(), 0
    go_on(whole)
    for deaths, real in enumerate(dying(begun, go_on)):
        place = real.store.files  # type: ignore[attr-defined]
        assert served(place)
        go_on(real)
        assert place == whole.store.files, deaths  # type: ignore[attr-defined]
    assert deaths > 20


def served(place: dict[str, bytes]) -> bool:
    """Return whether a client that comes now can read the registry."""
    with TemporaryDirectory() as folder:
        return client_reads_with(place.get, Path(folder), "alpha") is not None


def test_what_cannot_begin(home: Path, registry: Path) -> None:
    with pytest.raises(UnavailableError) as caught:
        harden({"ana": b"x" * 32}, 1, NOW, ports(home, registry))
    assert caught.value.code == "NOT_PUBLISHED"
    release(home, registry, owned("1.0.0"))
    people = People(home, registry)
    for threshold in (0, 4):
        with pytest.raises(ValueError, match="cannot sign"):
            people.harden(threshold)
    with pytest.raises(ValueError, match="cannot sign"):
        harden(dict.fromkeys(PEOPLE, people.public["ana"]), 2, NOW, ports(home, registry))
    same = {**people.public, "ben": people.public["ana"]}
    with pytest.raises(ValueError, match="two are the same"):
        harden(same, 2, NOW, ports(home, registry))
    assert drafts(registry) == set()
    assert sign(ports(home, registry)) == ()
    people.harden()
    with pytest.raises(FindingsError) as pending:
        people.harden()
    assert pending.value.code == "SIGNING_PENDING"


def broken(registry: Path) -> dict[str, tuple[str, bytes]]:
    """Return files that are no drafts, by why."""
    root = (registry / "signing/2.root.json").read_bytes()
    value = json.loads(root)
    other = {**value["signed"], "psreg": {**value["signed"]["psreg"], "id": "f" * 32}}
    return {
        "not JSON": ("2.root.json", b"words"),
        "not metadata": ("2.root.json", b"{}"),
        "a name twice": ("2.root.json", b'{"signed": 1, "signed": 2}'),
        "of another registry": ("2.root.json", json.dumps({**value, "signed": other}).encode()),
        "of another role": ("3.targets.json", root),
        "of another version": ("3.root.json", root),
        "not next": ("9.root.json", versioned(root, 9)),
        "of no role": ("notes.txt", b"words"),
        "of an unknown role": ("1.others.json", root),
        "of an online role": (
            "2.releases.json",
            versioned((registry / "metadata/1.releases.json").read_bytes(), 2),
        ),
    }


def versioned(data: bytes, version: int) -> bytes:
    """Return metadata with another version, which nobody has signed."""
    value = json.loads(data)
    value["signed"]["version"] = version
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    "why",
    ["not JSON", "not metadata", "a name twice", "of another registry", "of another role",
     "of another version", "not next", "of no role", "of an unknown role", "of an online role"],
)  # fmt: skip
def test_what_is_no_draft_is_refused(
    home: Path, registry: Path, tree: Tree, people: People, why: str
) -> None:
    people.harden()
    name, data = broken(registry)[why]
    for path in drafts(registry):
        (registry / path).unlink()
    (registry / "signing" / name).write_bytes(data)
    for attempt in (lambda: sign(people.ports("ana")), lambda: release(home, registry, tree)):
        with pytest.raises(PsregError) as caught:
            attempt()
        assert caught.value.exit_code == 3


def test_a_signature_by_nobody_counts_for_nothing(
    home: Path, registry: Path, tree: Tree, people: People
) -> None:
    people.harden()
    path = registry / "signing/2.root.json"
    value = json.loads(path.read_bytes())
    people.sign("ana", "ben")
    signed = json.loads(path.read_bytes())["signatures"]
    forged = [{**each, "sig": each["sig"][::-1]} for each in signed]
    path.write_bytes(json.dumps({**value, "signatures": forged}).encode())
    found = signing(QuickDir(registry), state_of(registry))
    assert missing(found, ROOT) == [1, 2]
    assert release(home, registry, tree, NOW + DAY).mode == "dev"


def test_drafts_that_are_in_force_go(
    home: Path, registry: Path, tree: Tree, people: People
) -> None:
    people.harden()
    people.sign("ana", "ben")
    old = {path: data for path, data in files(registry).items() if path in drafts(registry)}
    release(home, registry, tree, NOW + DAY)
    for path, data in old.items():
        (registry / path).parent.mkdir(exist_ok=True)
        (registry / path).write_bytes(data)
    assert signing(QuickDir(registry), state_of(registry)) == ()
    assert completed(QuickDir(registry), state_of(registry)).documents == ()
    assert release(home, registry, tree, NOW + DAY).written == 0
    assert drafts(registry) == set()


def test_drafts_of_others_wait_while_releases_go_on(
    home: Path, registry: Path, tree: Tree, people: People
) -> None:
    people.harden()
    more = owned("1.0.0", "1.1.0")
    more |= signed_by(registry, more, "1.1.0", ANA)
    assert len(release(home, registry, more, NOW + DAY).released) == 1
    assert len(drafts(registry)) == 19
    people.sign("ben", "cem")
    assert release(home, registry, more, NOW + DAY).mode == "production"
    assert tree


def test_a_person_sees_all_that_is_signed(
    home: Path, registry: Path, tree: Tree, people: People
) -> None:
    people.harden()
    said = "\n".join(review(people.ports("ana"), raw=True))
    for name in PEOPLE:
        assert people.public[name].hex() in said
        assert f'x-psreg-holder: nothing becomes "{name}"' in said
    assert 'root: psreg.mode: "dev" becomes "production"' in said
    until = f"{NOW + 365 * DAY:%Y-%m-%d}"
    assert f"o4-0 and 15 more: version 1 to 2, valid until {until} (was " in "\n".join(
        review(people.ports("ana"))
    )
    assert "root: roles.root.threshold: 1 becomes 2" in said
    assert "targets: delegations.roles.1.threshold: 1 becomes 2" in said
    people.sign("ana")
    assert review(people.ports("ana")) == ()
    assert review(ports(home, registry)) == ()
    people.sign("ben")
    release(home, registry, tree, NOW + DAY)
    changed = given_to(registry, tree, BEN)
    claim(home, registry, changed, now=NOW + DAY)
    said = "\n".join(review(people.ports("cem")))
    key = SshKey.parse(BEN.line).fingerprint
    assert f"alpha: 1 of its owners sign; one is github:2, {key}" in said
    assert ": targets.owners/alpha.json.hashes.sha256: " in said


def test_a_draft_is_read_as_often_whatever_there_is_beside_it(
    registry: Path, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each bin has a draft, and a large registry has many bins."""
    people.harden()
    state, reads, parse = state_of(registry), [], Metadata.from_bytes
    monkeypatch.setattr(
        Metadata, "from_bytes", lambda data, *rest: reads.append(data) or parse(data, *rest)
    )
    waiting = signing(QuickDir(registry), state)
    bins = [each.draft.data for each in waiting if each.draft.role.startswith("o4-")]
    assert len(bins) == 16
    assert max(map(reads.count, bins)) <= 2


def test_a_draft_is_where_its_name_says() -> None:
    assert Draft(role=ROOT, version=2, data=b"").path == "signing/2.root.json"


def test_one_event_at_a_time(home: Path, registry: Path, tree: Tree, people: People) -> None:
    people.harden()
    state = state_of(registry)
    with pytest.raises(FindingsError):
        begin([], state, people.ports("ana"))
    assert signer_of(home, registry).can_sign(state.root, TARGETS)
    assert tree
