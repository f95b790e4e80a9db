"""What `psreg doctor` says about the keys and signatures of a registry."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from psreg.formats.tree import Tree as RegistryTree
from psreg.registry.baseline import Ports
from psreg.registry.ceremony import sign, signing
from psreg.registry.doctor.examine import CHECKS, examine
from psreg.registry.doctor.facts import Diagnosis, Facts, Status
from psreg.registry.keys.claiming import claim_names
from psreg.registry.keys.rotation import Wanted, announce, harden, rotate
from psreg.registry.publish import publish
from psreg.registry.trust.issuing import issue_first
from psreg.registry.trust.metadata import MetadataSigner, public_of, signers_of
from psreg.registry.trust.moved import Move
from psreg.registry.trust.reading import RegistryState, open_registry, read_registry
from psreg.registry.trust.roles import CHECKPOINT, LIFETIMES, ROOT
from psreg.registry.trust.signing_keys import public_key
from support.claims import owned
from support.publishing import CLEAN, NOW, logless, memory_ports

DAY = timedelta(days=1)
TREE = owned("1.0.0")
PEOPLE = ("ana", "ben", "cem")


def begun(*, claimed: bool = True) -> Ports:
    """Return a registry in development mode, in memory."""
    real = memory_ports()
    publish(TREE, CLEAN, NOW, real)
    if claimed:
        claim_names([RegistryTree(TREE).entries[0]], NOW, real)
    return real


def held(real: Ports, *people: str, threshold: int = 2) -> Ports:
    """Let people hold the offline roles; all keys are in one place, the former ones are gone."""
    keys = {name: public_key(real.keys.create("", name)) for name in people or PEOPLE}
    harden(keys, threshold, NOW, real)
    publish(TREE, CLEAN, NOW, real)
    lose(real, "root", "owners")
    return real


def lose(real: Ports, *names: str) -> None:
    for name in names:
        real.keys.made.pop(name)  # type: ignore[attr-defined]


def state(real: Ports) -> RegistryState:
    found = read_registry(real.store.read)
    assert found is not None
    return found


def facts(real: Ports, *without: str, production: bool = True) -> Facts:
    """Return what a machine with all keys but those of some people knows."""
    found = state(real)
    keys = {name: public_of(pem).keyid for name, pem in real.keys.load("").items()}
    return Facts(
        production=production,
        now=NOW,
        state=found,
        keys={f"{name}.pem": key for name, key in keys.items() if name not in without},
        root_files=frozenset(range(1, found.root.version + 1)),
        checkpoint_copy=real.store.read(CHECKPOINT),
        signing=signing(real.store, found),
    )


def told(known: Facts) -> dict[str, Diagnosis]:
    found = {each.id: each for each in examine(known)}
    assert tuple(found) == CHECKS
    return found


def statuses(known: Facts, *ids: str) -> list[Status]:
    found = told(known)
    return [found[id_].status for id_ in ids]


@pytest.fixture(scope="module")
def production() -> Ports:
    return held(begun())


def test_development_mode() -> None:
    real = begun(claimed=False)
    ids = ("mode", "thresholds", "offline-keys", "separate-keys", "claims")
    lenient = statuses(facts(real, production=False), *ids)
    assert lenient == [Status.WARNING] * 3 + [Status.OK, Status.WARNING]
    assert statuses(facts(real), *ids) == [Status.ERROR] * 3 + [Status.OK, Status.WARNING]


def test_a_machine_that_publishes_for_three_people(production: Ports) -> None:
    found = told(facts(production, *PEOPLE))
    states = {id_: each.status for id_, each in found.items()}
    assert [id_ for id_, status in states.items() if status is Status.WARNING] == ["claims"]
    assert Status.ERROR not in {status for id_, status in states.items() if id_ != "code-owners"}
    assert found["claims"].found.startswith("1 of 2 names are not claimed")


def test_all_names_are_claimed(production: Ports) -> None:
    known = facts(production)
    alone = RegistryTree({path: data for path, data in TREE.items() if "alpha" in path.parts})
    real = memory_ports()
    publish(dict(alone.files), CLEAN, NOW, real)
    claim_names(alone.entries, NOW, real)
    assert statuses(replace(known, state=state(real)), "claims") == [Status.OK]


def test_holders_on_one_machine(production: Ports) -> None:
    (one,) = (told(facts(production, "ben", "cem"))["offline-keys"],)
    assert (one.status, one.found) == (
        Status.WARNING,
        "this machine has ana.pem and also has keys that publish",
    )
    two = told(facts(production, "cem"))["offline-keys"]
    assert (two.status, two.found) == (
        Status.ERROR,
        "this machine has ana.pem, ben.pem and can sign the offline roles alone",
    )
    apart = facts(production, "ben", "cem", "online", "timestamp", "log")
    assert statuses(apart, "offline-keys") == [Status.OK]
    assert "offline-keys" in told(facts(production, *PEOPLE))
    assert told(facts(production, *PEOPLE))["offline-keys"].found.endswith("has none")


def test_a_holder_with_the_key_of_a_token_counts() -> None:
    real = begun()
    keys = {name: public_key(real.keys.create("", name)) for name in ("ana", "ben")}
    token = ec.generate_private_key(ec.SECP256R1()).public_key()
    cem = token.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    harden({**keys, "cem": cem}, 2, NOW, real)
    publish(TREE, CLEAN, NOW, real)
    found = told(facts(real))["thresholds"]
    assert (found.status, found.found) == (Status.OK, "2 of 3 people sign the root")


def test_too_few_holders() -> None:
    alone = told(facts(held(begun(), "ana", threshold=1)))["thresholds"]
    assert (alone.status, alone.found) == (
        Status.ERROR,
        "one key is enough to sign owners, root, targets",
    )
    brittle = told(facts(held(begun(), "ana", "ben")))["thresholds"]
    assert (brittle.status, brittle.found) == (
        Status.WARNING,
        "if one key is lost, nobody can sign owners, root, targets any more",
    )


def test_one_key_for_two_purposes() -> None:
    real = begun()
    online = public_key(real.keys.load("")["online"])
    keys = {name: public_key(real.keys.create("", name)) for name in PEOPLE}
    harden({**keys, "dan": online}, 2, NOW, real)
    publish(TREE, CLEAN, NOW, real)
    found = told(facts(real))["separate-keys"]
    assert (found.status, found.found) == (Status.ERROR, "one key is used for offline and online")


def test_keys_that_sign_nothing(production: Ports) -> None:
    known = facts(production, *PEOPLE)
    old = replace(known, keys={**known.keys, "old.pem": "0" * 64})
    found = told(old)["former-keys"]
    assert (found.status, found.found) == (
        Status.WARNING,
        "old.pem sign nothing that is in force",
    )


def test_keys_that_drafts_name() -> None:
    real = held(begun())
    pems = {name: real.keys.load("")[name] for name in PEOPLE}
    lose(real, *PEOPLE)
    rotate(Wanted(new=["online", "timestamp"]), NOW, real)
    waiting = told(facts(real))
    assert (waiting["former-keys"].status, waiting["drafts"].status) == (Status.OK, Status.WARNING)
    assert waiting["drafts"].found.endswith("have not signed: ana, ben, cem")
    real.keys.made.update(pems)  # type: ignore[attr-defined]
    sign(real)
    assert told(facts(real))["drafts"].advice == "Run `psreg publish`."


def test_keys_that_others_can_read(production: Ports) -> None:
    known = replace(facts(production, *PEOPLE), exposed="a.pem is not only yours")
    assert statuses(known, "key-permissions") == [Status.ERROR]


def test_roots(production: Ports) -> None:
    known = facts(production)
    gap, beyond = replace(known, root_files=frozenset({2})), frozenset({1, 2, 4})
    assert told(gap)["roots"].found == "metadata/1.root.json is missing"
    assert told(replace(known, root_files=beyond))["roots"].found == (
        "metadata/4.root.json does not follow root 2"
    )


def test_the_log(production: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    assert statuses(facts(production), "log") == [Status.OK]
    copied = replace(facts(production), checkpoint_copy=None)
    assert (
        told(copied)["log"].found == "registry/log/checkpoint is not the checkpoint that was signed"
    )
    logless(monkeypatch)
    found = told(facts(begun(claimed=False), production=False))["log"]
    assert (found.status, "psreg keys rotate log" in found.advice) == (Status.WARNING, True)


def test_what_expires(production: Ports) -> None:
    known = facts(production)
    good = told(known)["expiry"]
    assert good.found.startswith("nothing is due; snapshot expires first")
    due = told(replace(known, now=NOW + 13 * DAY))["expiry"]
    assert (due.status, "psreg publish --resign" in due.advice) == (Status.WARNING, True)
    over = told(replace(known, now=NOW + 15 * DAY))["expiry"]
    assert (over.status, " expired on " in over.found) == (Status.ERROR, True)
    assert ", and 1 more are due" in over.found


def test_holders_renew(production: Ports) -> None:
    known = facts(production)
    root = known.state.documents[ROOT].expires  # type: ignore[union-attr]
    found = {at for at, _, advice in _ending(known, root - 20 * DAY) if "keys renew" in advice}
    assert root in found
    assert not [a for _, _, a in _ending(known, root - 22 * DAY) if "keys renew" in a]


def _ending(known: Facts, now: object) -> list[tuple[object, str, str]]:
    from psreg.registry.doctor.signatures import _ending as ending  # noqa: PLC0415

    assert known.state is not None
    return [*ending(replace(known, now=now), known.state)]


@pytest.mark.parametrize(("role", "days"), [("timestamp", 15), ("snapshot", 30), ("root", 400)])
def test_signatures_that_last_too_long(production: Ports, role: str, days: int) -> None:
    known = facts(production)
    assert statuses(known, "lifetimes") == [Status.OK]
    long = replace(known, lifetimes={**LIFETIMES, role: days * DAY})
    found = told(long)["lifetimes"]
    assert (found.status, f"{role} lasts {days} days" in found.found) == (Status.ERROR, True)


def test_metadata_that_does_not_verify() -> None:
    real = held(begun())
    known = facts(real)
    path = max(path for path in real.store.files if "o4-" in path)  # type: ignore[attr-defined]
    real.store.write(path, (real.store.read(path) or b"").replace(b"o4-", b"o5-"))
    broken = told(replace(known, state=open_registry(real.store.read)))
    assert broken["metadata"].status is Status.ERROR
    assert broken["roots"].found == "not looked at: the metadata must be right first"
    none = told(Facts(production=False, now=NOW, problem="nothing is published yet"))
    assert (none["metadata"].found, none["metadata"].status) == (
        "nothing is published yet",
        Status.ERROR,
    )


def test_metadata_that_names_no_role() -> None:
    real = begun(claimed=False)
    found = state(real)
    signer = MetadataSigner(
        keys=signers_of(real.keys.load("").values()),
        source="",
        now=NOW,
        registry_id=None,
        lifetimes=LIFETIMES,
    )
    for document in issue_first(found.root, found.targets, signer, 2):
        prefix = "" if document.role == "timestamp" else f"{document.version}."
        real.store.write(f"metadata/{prefix}{document.role}.json", document.data)
    told_ = told(facts(real))["metadata"]
    assert (told_.status, told_.advice) == (Status.ERROR, "Run `psreg publish`.")
    assert told_.found.startswith("20 documents do not name their role")


def test_a_registry_that_has_moved() -> None:
    real = begun(claimed=False)
    assert statuses(facts(real), "moved") == [Status.OK]
    announce(Move(url="https://new.example", root_sha256="ab" * 32), NOW, real)
    known = facts(real)
    nothing = told(known)["moved"]
    assert nothing.status is Status.WARNING
    assert "moved to https://new.example (root sha256 abab" in nothing.found
    assert statuses(replace(known, moved_root="ab" * 32), "moved") == [Status.OK]
    other = told(replace(known, moved_root="cd" * 32))["moved"]
    assert other.status is Status.ERROR
    assert "no client follows" in other.found


def test_an_announced_address_that_is_not_one() -> None:
    real = begun(claimed=False)
    announce(Move(url="http://new.example", root_sha256="ab" * 32), NOW, real)
    assert statuses(facts(real), "moved") == [Status.ERROR]
