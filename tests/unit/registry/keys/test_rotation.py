"""Keys that are lost, stolen or old are replaced, and clients of any time go on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import pytest
from tuf.api.exceptions import RepositoryError
from tuf.api.metadata import Metadata

from psreg.core.errors import FindingsError, PsregError, TrustError, UsageError
from psreg.formats.tree import Tree as RegistryTree
from psreg.registry.baseline import Ports
from psreg.registry.ceremony import sign, signing
from psreg.registry.keys.claiming import claim_names
from psreg.registry.keys.rotation import (
    Wanted,
    announce,
    harden,
    make_signed_current,
    renew,
    rotate,
)
from psreg.registry.log.checkpoint import NoteKey, verified
from psreg.registry.publish import publish, resign
from psreg.registry.records import read_record
from psreg.registry.trust.metadata import MetadataSigner, info_of, public_of, signers_of
from psreg.registry.trust.moved import Move, moved_to
from psreg.registry.trust.reading import RegistryState, read_registry
from psreg.registry.trust.roles import BINDING, LIFETIMES, OWNERS, ROOT
from psreg.registry.trust.signing_keys import generate_key, public_key
from support.claims import owned
from support.publishing import (
    CLEAN,
    NOW,
    Died,
    Dying,
    client_reads_with,
    entry,
    files,
    logless,
    memory_ports,
    ports,
    release,
    state_of,
)
from support.walks import sampled

DAY = timedelta(days=1)
TREE = owned("1.0.0")
PEOPLE = ("ana", "ben", "cem")
ALL = ("online", "timestamp", "log", "owners", "root")


def begun() -> Ports:
    """Return a registry in development mode, in memory: a copy of one that began once."""
    return deepcopy(_begun())


@cache
def _begun() -> Ports:
    real = unclaimed()
    claim_names([RegistryTree(TREE).entries[0]], NOW, real)
    return real


def unclaimed() -> Ports:
    real = memory_ports()
    publish(TREE, CLEAN, NOW, real)
    return real


def held(real: Ports, threshold: int = 2) -> Ports:
    """Let three people hold the offline roles; all keys are in one place."""
    keys = {name: public_key(real.keys.create("", name)) for name in PEOPLE}
    harden(keys, threshold, NOW, real)
    publish(TREE, CLEAN, NOW, real)
    for name in ("root", "owners"):
        lose(real, name)
    return real


def lose(real: Ports, *names: str) -> None:
    for name in names:
        real.keys.made.pop(name, None)  # type: ignore[attr-defined]


def state(real: Ports) -> RegistryState:
    found = read_registry(real.store.read)
    assert found is not None
    return found


def keyids(real: Ports) -> dict[str, set[str]]:
    """Return the ids of the keys of each role."""
    found = state(real)
    below = found.documents["targets"].signed.delegations.roles
    tops = {role: set(each.keyids) for role, each in found.root.signed.roles.items()}
    return {**tops, **{role: set(each.keyids) for role, each in below.items()}}


class Clients:
    """Stock clients of python-tuf, each with what it has seen so far."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, real: Ports, name: str) -> bool:
        """Return whether a client accepts the registry as it is now, with its own memory."""
        try:
            return client_reads_with(real.store.read, self.root / name, "alpha") is not None
        except RepositoryError:
            return False

    def copy(self, name: str, to: str) -> None:
        copytree(self.root / name, self.root / to, symlinks=True)


@pytest.fixture
def clients() -> Iterator[Clients]:
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        yield Clients(Path(folder))


@pytest.mark.parametrize("names", [(each,) for each in ALL] + [ALL], ids=" ".join)
def test_one_command_replaces_keys_in_development(names: tuple[str, ...], clients: Clients) -> None:
    real = begun()
    assert clients.read(real, "old")
    before, were = state(real), keyids(real)
    assert rotate(Wanted(new=names), NOW + DAY, real) == ()
    after, are = state(real), keyids(real)
    assert (after.mode, after.root_sha256) == ("dev", before.root_sha256)
    assert after.packages["alpha"] == before.packages["alpha"]
    roles = {
        "online": {"snapshot", "releases"},
        "timestamp": {"timestamp"},
        "log": set(),
        "owners": {"owners"},
        "root": {"root", "targets"},
    }
    changed = set().union(*(roles[name] for name in names))
    assert {role for role in are if are[role] != were[role]} == changed
    assert not any(are[role] & were[role] for role in changed)
    assert len(info_of(after.root).log) == 1 + ("log" in names)
    assert not any(real.store.names("signing"))
    lose(real, *names)
    tree = TREE | entry("gamma", "1.0.0")
    assert len(publish(tree, CLEAN, NOW + DAY, real).released) == 1
    assert resign(NOW + 10 * DAY, real).written
    assert clients.read(real, "old")
    assert clients.read(real, "new")


def test_the_former_keys_sign_nothing_afterwards() -> None:
    real = begun()
    former = {public_of(pem).keyid for pem in real.keys.made.values()}  # type: ignore[attr-defined]
    rotate(Wanted(new=ALL), NOW + DAY, real)
    publish(TREE | entry("gamma", "1.0.0"), CLEAN, NOW + DAY, real)
    for role in ("timestamp", "snapshot", "releases", "owners", "o4-0", "r4-0"):
        assert former.isdisjoint(signatures(state(real), role)), role


def signatures(found: RegistryState, role: str) -> set[str]:
    return {each["keyid"] for each in json.loads(found.documents[role].data)["signatures"]}


def test_clients_with_either_root_read_what_both_keys_signed() -> None:
    """The former key signs the timestamp once more, with the new one."""
    real = begun()
    rotate(Wanted(new=["online", "timestamp"]), NOW + DAY, real)
    assert {len(signatures(state(real), role)) for role in ("timestamp", "snapshot")} == {2}
    resign(NOW + 10 * DAY, real)
    assert len(signatures(state(real), "timestamp")) == 1


CASES = {
    "all keys are here": lambda _real: None,
    "timestamp is lost": lambda real: lose(real, "timestamp"),
    "online is lost": lambda real: lose(real, "online"),
}


KEYS = Wanted(new=["online", "timestamp", "log"])


@pytest.mark.unmeasured
@pytest.mark.parametrize("why", CASES)
def test_killed_at_any_write_while_keys_are_replaced(why: str, clients: Clients) -> None:
    """Only between the root and the timestamp, if a key is lost, a client is refused for a while."""
    steps, refused = steps_of(CASES[why], KEYS), 0
    assert steps > 30
    for last in (*sampled(range(steps - 12), 8), *range(steps - 12, steps + 1)):
        real = begun()
        assert clients.read(real, f"old-{last}")
        CASES[why](real)
        assert dies(real, last, KEYS) == (last < steps)
        for name in (f"old-{last}", f"new-{last}"):
            refused += not clients.read(real, name)
        finish(real, KEYS)
        assert len(info_of(state(real).root).log) == 2
        assert publish(TREE | entry("gamma", "1.0.0"), CLEAN, NOW + DAY, real).released
        for name in (f"old-{last}", f"new-{last}", f"newest-{last}"):
            assert clients.read(real, name), (name, last)
    assert (refused > 0) == (why != "all keys are here")
    assert refused <= 6


def steps_of(prepare: Callable[[Ports], None], wanted: Wanted) -> int:
    """Return how often a rotation changes the world."""
    real = begun()
    prepare(real)
    dying = Dying(real, 10_000)
    rotate(wanted, NOW + DAY, dying)  # type: ignore[arg-type]
    return 10_000 - dying._left


def test_a_publish_finishes_what_ended_between_root_and_timestamp(clients: Clients) -> None:
    real = begun()
    assert clients.read(real, "old")
    lose(real, "timestamp")
    wanted = Wanted(new=["timestamp"])
    steps = iter(range(10_000))
    while clients.read(real, "old"):
        real = begun()
        lose(real, "timestamp")
        assert dies(real, next(steps), wanted)
    root = real.store.read("metadata/2.root.json")
    assert root is not None
    publish(TREE, CLEAN, NOW + 2 * DAY, real)
    assert real.store.read("metadata/2.root.json") == root
    assert not any(real.store.names("signing"))
    assert clients.read(real, "old")
    real.store.remove("metadata/timestamp.json")
    real.store.write("metadata/timestamp.json", b"{}")
    with pytest.raises(TrustError):
        publish(TREE, CLEAN, NOW + 2 * DAY, real)


def dies(real: Ports, last: int, wanted: Wanted) -> bool:
    """Rotate keys in a process that dies at its `last` change of the world, if it has so many."""
    try:
        rotate(wanted, NOW + DAY, Dying(real, last))  # type: ignore[arg-type]
    except Died:
        return True
    return False


def finish(real: Ports, wanted: Wanted) -> None:
    """Do what a person does after a crash: publish; if that was not all, begin again."""
    with suppress(TrustError):  # KEY_MISSING, if the drafts are not complete
        make_signed_current(NOW + DAY, real)
    for name in list(real.store.names("signing")):
        real.store.remove(f"signing/{name}")
    if len(info_of(state(real).root).log) < 2 and state(real).root.version == 1:
        rotate(wanted, NOW + DAY, real)


def test_a_lost_key_of_the_log_is_replaced_while_something_is_released(clients: Clients) -> None:
    real = held(begun())
    assert clients.read(real, "old")
    lose(real, "log")
    found = rotate(Wanted(new=["log"]), NOW + DAY, real)
    assert all(each.complete for each in found)
    tree = TREE | entry("gamma", "1.0.0")
    assert publish(tree, CLEAN, NOW + DAY, real).released
    former, newest = map(NoteKey.parse, info_of(state(real).root).log)
    note = state(real).checkpoint or b""
    assert verified(note, newest).size == 3
    with pytest.raises(TrustError):
        verified(note, former)
    assert clients.read(real, "old")
    assert clients.read(real, "new")


def test_holders_replace_the_keys_that_publish(clients: Clients) -> None:
    real = held(begun())
    assert clients.read(real, "old")
    were = keyids(real)
    found = rotate(Wanted(new=["online", "timestamp"]), NOW + DAY, real)
    assert {each.draft.role for each in found} == {"root", "targets"}
    assert keyids(real) == were
    assert clients.read(real, "old")
    publish(TREE, CLEAN, NOW + DAY, real)
    are = keyids(real)
    assert {role for role in are if are[role] != were[role]} == {
        "snapshot", "timestamp", "releases"
    }  # fmt: skip
    assert state(real).mode == "production"
    assert clients.read(real, "old")


def test_versions_that_a_thief_made_huge_are_forgotten(clients: Clients) -> None:
    """TUF's recovery of a fast-forward attack: other keys of snapshot and timestamp."""
    real = begun()
    stolen = memory_ports()
    stolen.store.files.update(real.store.files)  # type: ignore[attr-defined]
    assert clients.read(real, "victim")
    clients.copy("victim", "other")
    forward(stolen, 2**52)
    assert clients.read(stolen, "victim")
    publish(TREE | entry("gamma", "1.0.0"), CLEAN, NOW + DAY, real)
    assert not clients.read(real, "victim")
    rotate(Wanted(new=["online", "timestamp"]), NOW + DAY, real)
    for name in ("victim", "other", "new"):
        assert clients.read(real, name), name


def forward(real: Ports, version: int) -> None:
    """Sign all that the stolen keys sign with a huge version."""
    found = state(real)
    pems = [memory_ports().keys.create("", name) for name in ("online", "timestamp")]
    signer = MetadataSigner(
        keys=signers_of(pems), source="", now=NOW, registry_id=found.registry_id,
        lifetimes=LIFETIMES,
    )  # fmt: skip

    def huge(role: str):
        document = found.documents[role]
        document.signed.version = version
        return replace(document, data=_bytes(document.signed))

    above, targets = huge("releases"), found.documents["targets"]
    below = [signer.renewed(huge(role), above) for role in found.bins.roles]
    releases = signer.renewed(above, targets)
    snapshot = signer.next_snapshot([*below, releases], found.root, huge("snapshot"))
    timestamp = signer.next_timestamp(snapshot, found.root, huge("timestamp"))
    for document in (*below, releases, snapshot):
        real.store.write(f"metadata/{document.version}.{document.role}.json", document.data)
    real.store.write("metadata/timestamp.json", timestamp.data)


def _bytes(signed: object) -> bytes:
    return Metadata(signed).to_bytes()  # type: ignore[type-var]


def test_holders_come_and_go(clients: Clients) -> None:
    real = held(begun())
    assert clients.read(real, "old")
    new = {"dan": public_key(real.keys.create("", "dan"))}
    rotate(Wanted(added=new, threshold=3), NOW, real)
    publish(TREE, CLEAN, NOW, real)
    role = state(real).root.signed.roles[ROOT]
    assert (len(role.keyids), role.threshold) == (4, 3)
    again = {"dan": public_key(real.keys.create("", "dan-2"))}
    rotate(Wanted(replaced=again), NOW, real)
    publish(TREE, CLEAN, NOW, real)
    lose(real, "dan")
    rotate(Wanted(removed=["cem"], threshold=2), NOW, real)
    publish(TREE, CLEAN, NOW, real)
    found = state(real)
    owners = found.documents["targets"].signed.delegations.roles[OWNERS]
    for role in (found.root.signed.roles[ROOT], owners):
        assert (len(role.keyids), role.threshold) == (3, 2)
    assert clients.read(real, "old")


def test_two_of_three_replace_a_key_that_was_lost(clients: Clients) -> None:
    real = held(begun())
    assert clients.read(real, "old")
    lose(real, "ana")
    new = {"ana": public_key(real.keys.create("", "ana-2"))}
    found = rotate(Wanted(replaced=new), NOW, real)
    assert all(each.complete for each in found)
    publish(TREE, CLEAN, NOW, real)
    lose(real, "ben")
    assert all(each.complete for each in rotate(Wanted(removed=["ben"]), NOW, real))
    assert clients.read(real, "old")


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (Wanted(removed=["dan"]), "dan holds no key; ana, ben, cem do"),
        (Wanted(replaced={"dan": b"x" * 32}), "dan holds no key"),
        (Wanted(added={"ana": b"x" * 32}), "ana holds a key already"),
        (Wanted(removed=["ana", "ben"]), "2 of cem cannot sign"),
        (Wanted(threshold=4), "4 of ana, ben, cem cannot sign"),
        (Wanted(new=["root"]), "people hold the key of `root`"),
        (Wanted(new=["owners"]), "people hold the key of `owners`"),
    ],
)
def test_what_cannot_be_changed_in_production(wanted: Wanted, told: str) -> None:
    real = held(begun())
    before = dict(real.store.files)  # type: ignore[attr-defined]
    with pytest.raises(UsageError) as caught:
        rotate(wanted, NOW, real)
    assert (caught.value.code, caught.value.message.startswith(told)) == ("CANNOT_ROTATE", True)
    assert real.store.files == before  # type: ignore[attr-defined]


def test_two_people_cannot_share_a_key() -> None:
    real = held(begun())
    same = {"dan": public_key(real.keys.made["ana"])}  # type: ignore[attr-defined]
    with pytest.raises(UsageError):
        rotate(Wanted(added=same), NOW, real)


def test_what_cannot_be_changed_in_development() -> None:
    real = unclaimed()
    for wanted in (Wanted(new=["owners"]), Wanted(removed=["ana"])):
        with pytest.raises(UsageError):
            rotate(wanted, NOW, real)


def test_without_the_root_key_drafts_wait() -> None:
    real = begun()
    pem = real.keys.made["root"]  # type: ignore[attr-defined]
    lose(real, "root")
    (root,) = rotate(Wanted(new=["timestamp"]), NOW, real)
    assert (root.draft.role, root.complete) == ("root", False)
    with pytest.raises(FindingsError) as caught:
        rotate(Wanted(new=["timestamp"]), NOW, real)
    assert caught.value.code == "SIGNING_PENDING"
    real.keys.made["root"] = pem  # type: ignore[attr-defined]
    assert all(each.complete for each in sign(real))
    assert publish(TREE, CLEAN, NOW, real).mode == "dev"
    assert signing(real.store, state(real)) == ()


def test_an_interrupted_run_leaves_a_key_that_the_next_one_takes() -> None:
    real = begun()
    made = real.keys.create("", "online-2")
    rotate(Wanted(new=["online"]), NOW, real)
    assert keyids(real)["snapshot"] == {public_of(made).keyid}
    rotate(Wanted(new=["online"]), NOW, real)
    assert "online-3" in real.keys.load("")
    lose(real, "online", "online-2", "online-3")
    rotate(Wanted(new=["online"]), NOW, real)
    assert keyids(real)["snapshot"] == {public_of(real.keys.load("")["online-2"]).keyid}


def test_without_the_new_keys_nothing_is_published(home: Path, registry: Path) -> None:
    release(home, registry, TREE)
    here = ports(home, registry)
    registry_id = state_of(registry).registry_id
    public = {name: public_key(here.keys.create(registry_id, name)) for name in PEOPLE}
    harden(public, 2, NOW, here)
    release(home, registry, TREE)
    assert rotate(Wanted(new=["timestamp"]), NOW, here)
    (new,) = home.glob("keys/*/timestamp-2.pem")
    new.rename(home / "elsewhere")
    before = files(registry)
    with pytest.raises(PsregError) as caught:
        release(home, registry, TREE, NOW + DAY)
    assert caught.value.code == "KEY_MISSING"
    assert files(registry) == before


def test_a_log_begins_in_a_registry_that_had_none(
    monkeypatch: pytest.MonkeyPatch, clients: Clients
) -> None:
    """All that was released is in it, in the same order wherever it begins."""
    with monkeypatch.context() as patched:
        logless(patched)
        real = memory_ports()
        tree = TREE | entry("gamma", "1.0.0", "1.1.0")
        publish(tree, CLEAN, NOW, real)
    assert state(real).checkpoint is None
    assert clients.read(real, "old")
    assert rotate(Wanted(new=["log"]), NOW + DAY, real) == ()
    found = state(real)
    (key,) = map(NoteKey.parse, info_of(found.root).log)
    assert verified(found.checkpoint or b"", key).size == 4
    rows = [
        (row.log.index, name, row.version)
        for name in sorted(found.packages)
        for row in read_record(found.packages[name], name).releases
        if row.log is not None
    ]
    assert rows == [
        (0, "alpha", "1.0.0"), (1, "beta", "1.0.0"), (2, "gamma", "1.0.0"), (3, "gamma", "1.1.0")
    ]  # fmt: skip
    assert clients.read(real, "old")
    more = tree | entry("delta", "1.0.0")
    assert publish(more, CLEAN, NOW + DAY, real).released
    assert claim_names([RegistryTree(tree).entries[0]], NOW, real)


@pytest.mark.unmeasured
def test_killed_at_any_write_while_a_log_begins(
    monkeypatch: pytest.MonkeyPatch, clients: Clients
) -> None:
    logless(monkeypatch)
    wanted = Wanted(new=["log"])
    first = unclaimed()
    real = deepcopy(first)
    dying = Dying(real, 10_000)
    rotate(wanted, NOW + DAY, dying)  # type: ignore[arg-type]
    steps = 10_000 - dying._left
    assert steps > 15
    for last in (*sampled(range(steps - 8), 5), *range(steps - 8, steps + 1)):
        real = deepcopy(first)
        assert clients.read(real, f"old-{last}")
        assert dies(real, last, wanted) == (last < steps)
        assert clients.read(real, f"old-{last}")
        finish(real, wanted)
        assert all(
            row.log
            for name, data in state(real).packages.items()
            for row in read_record(data, name).releases
        )
        assert clients.read(real, f"old-{last}")


def test_holders_renew_what_is_due(clients: Clients) -> None:
    real = held(begun())
    assert renew(NOW, real) is None
    assert clients.read(real, "old")
    later = NOW + 300 * DAY
    theirs = {name: real.keys.made[name] for name in PEOPLE[1:]}  # type: ignore[attr-defined]
    lose(real, *PEOPLE)
    told = publish(TREE, CLEAN, later, real)
    assert {due.role for due in told.due} >= {"root", "targets", "owners", "o4-0"}
    real.keys.made.update(theirs)  # type: ignore[attr-defined]
    found = renew(later, real)
    assert found is not None
    assert {each.draft.role for each in found} == {
        "root", "targets", "owners", *state(real).bins_below[OWNERS].roles
    }  # fmt: skip
    assert all(each.complete for each in found)
    assert publish(TREE, CLEAN, later, real).due == ()
    assert state(real).root.expires == later + 365 * DAY
    assert clients.read(real, "old")


def test_only_what_is_due_is_renewed() -> None:
    real = begun()
    lasting = {**LIFETIMES, "owners": 100 * DAY}
    rotate(Wanted(new=["owners"]), NOW, real, lasting)
    expires = state(real).root.expires
    assert renew(NOW + 80 * DAY, real, lasting) == ()
    found = state(real)
    assert found.root.expires == expires
    for role in ("owners", "o4-0"):
        assert found.documents[role].expires == NOW + 180 * DAY
    assert renew(NOW + 80 * DAY, real, lasting) is None


class AtService:
    """The key of a service, as `key_services.ServiceKey`."""

    def __init__(self) -> None:
        self.uri, self.pem = "kms:alias/psreg", generate_key()
        self.key = public_of(self.pem)

    def to_bytes(self) -> bytes:
        return self.pem


def elsewhere(found: AtService, name: str = "timestamp") -> Wanted:
    return Wanted(new=[name], services={name: found})  # type: ignore[dict-item]


def test_a_service_has_the_next_key() -> None:
    real, found = begun(), AtService()
    rotate(elsewhere(found), NOW, real)
    assert keyids(real)["timestamp"] == {found.key.keyid}
    assert real.keys.services("").keys() == {"timestamp-2"}
    with pytest.raises(UsageError, match="kms:alias/psreg is a key that the registry uses"):
        rotate(elsewhere(found), NOW, real)
    rotate(Wanted(new=["timestamp"]), NOW, real)
    assert "timestamp-3" in real.keys.load("")


def test_an_interrupted_run_has_enlisted_it() -> None:
    found, other = AtService(), AtService()
    for wanted, names in ((found, {"timestamp-2"}), (other, {"timestamp-2", "timestamp-3"})):
        real = begun()
        real.keys.enlist("", "timestamp-2", found.to_bytes())
        rotate(elsewhere(wanted), NOW, real)
        assert real.keys.services("").keys() == names
        assert keyids(real)["timestamp"] == {wanted.key.keyid}


def test_publishing_leaves_the_keys_of_people_at_services_alone() -> None:
    real, dan = begun(), AtService()
    real.keys.enlist("", "dan", dan.to_bytes())
    harden({"dan": public_key(dan.pem)}, 1, NOW, real)
    publish(TREE, CLEAN, NOW, real)
    lose(real, "root", "owners")
    before = state(real).root.version
    resign(NOW + 300 * DAY, real)
    assert state(real).root.version == before
    assert renew(NOW + 300 * DAY, real)


# Another address

MOVE = Move(url="https://new.example", root_sha256="ab" * 32)


def where(real: Ports) -> Move | None:
    """Return where the root in force says that the registry has moved."""
    return moved_to(state(real).root.signed.unrecognized_fields[BINDING])


def test_a_move_is_announced_and_withdrawn() -> None:
    real = begun()
    with pytest.raises(UsageError, match="announces no move"):
        announce(None, NOW, real)
    assert announce(MOVE, NOW, real) == ()
    assert where(real) == MOVE
    with pytest.raises(UsageError, match="announces this move already"):
        announce(MOVE, NOW, real)
    rotate(Wanted(new=["online", "timestamp"]), NOW, real)
    assert where(real) == MOVE
    other = replace(MOVE, url="https://other.example")
    announce(other, NOW, real)
    assert where(real) == other
    announce(None, NOW, real)
    assert where(real) is None


def test_the_holders_of_the_root_sign_a_move() -> None:
    real = held(begun())
    for name in PEOPLE[1:]:
        lose(real, name)
    (one,) = announce(MOVE, NOW, real)
    assert (one.draft.role, one.complete) == (ROOT, False)
    publish(TREE, CLEAN, NOW, real)
    assert where(real) is None
