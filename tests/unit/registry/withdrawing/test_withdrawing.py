"""Releases and keys are withdrawn, published and given back, in memory of real folders."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path, PurePosixPath

import pytest
from jsonschema import Draft202012Validator

from psreg.catalogue.pages.json_api import advisory_files
from psreg.catalogue.texts.feed_items import action_advisories
from psreg.core.errors import FindingsError, TrustError, UnavailableError, UsageError
from psreg.core.ssh_key import SshKey
from psreg.formats.tree import Tree as RegistryTree
from psreg.registry.actions.action import (
    LIFT,
    PURGE,
    QUARANTINE,
    REVOKE,
    REVOKE_KEY,
    Action,
    Subject,
)
from psreg.registry.actions.chain import Published, read_actions
from psreg.registry.audit import audit
from psreg.registry.baseline import read_baseline
from psreg.registry.catalog_head import head_of
from psreg.registry.difference import SignedNames, inputs_of
from psreg.registry.keys.claiming import claim_names
from psreg.registry.logged_releases import checkpoint_of
from psreg.registry.owners.review import review_of
from psreg.registry.publish import Change, PublishResult
from psreg.registry.records import PackageRecord, UnknownRow
from psreg.registry.withdrawing.advisories import advisories
from psreg.registry.withdrawing.effects import Effects, fault_of
from psreg.registry.withdrawing.taking import (
    Taken,
    key_subject,
    release_subject,
    sign_lifts,
    summary,
    take,
    waiting_lifts,
)
from support.claims import claimed, owned, record_of, signed_by
from support.owners import ANA, BEN, entry_toml
from support.paths import ROOT
from support.publishing import (
    FIRST,
    NOW,
    SECOND,
    Tree,
    entry,
    files,
    founded,
    logless,
    ports,
    release,
    state_of,
)

OURS = json.loads((ROOT / "tools/psreg/formats/schemas/advisory.schema.json").read_bytes())
OSV = json.loads((ROOT / "tests/data/osv-schema.json").read_bytes())
WHY = "It sends the answers to a stranger."
LATER = timedelta(hours=1)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def registry(tmp_path: Path, home: Path) -> Path:
    """A registry with `alpha` 1.0.0 and 1.1.0, `beta` and `gamma`."""
    founded(home, tmp_path / "registry")
    release(home, tmp_path / "registry", SECOND)
    return tmp_path / "registry"


def actions_of(registry: Path) -> tuple[Action, ...]:
    folder = registry / "actions"
    return read_actions({path.name: path.read_bytes() for path in folder.glob("*")})


def publish(home: Path, registry: Path, tree: Tree = SECOND, **members: object) -> PublishResult:
    change = Change(actions=actions_of(registry), **members)  # type: ignore[arg-type]
    return release(home, registry, tree, NOW + LATER, change=change)


def taken(home: Path, registry: Path, kind: str, version: str = "1.1.0", why: str = WHY) -> Taken:
    subject = release_subject("alpha", version, ports(home, registry))
    return take(kind, subject, why, NOW, ports(home, registry))


def revoked(record: PackageRecord) -> dict[str, str]:
    return {row.version: row.revoked.kind for row in record.releases if row.revoked}


def without(tree: Tree, version: str) -> Tree:
    folder = PurePosixPath("pbes/prompt/alpha", version)
    return {path: data for path, data in tree.items() if folder not in path.parents}


@pytest.mark.parametrize("kind", [REVOKE, QUARANTINE])
def test_a_release_is_withdrawn_and_given_back(home: Path, registry: Path, kind: str) -> None:
    before = record_of(registry)
    made = taken(home, registry, kind)
    assert summary([made]) == [f"{kind} alpha 1.1.0: {WHY}", f"  registry/actions/0001-{kind}.json"]
    publish(home, registry)
    record = record_of(registry)
    assert revoked(record) == {"1.1.0": kind}
    assert record.serial == before.serial + 1
    assert record.latest
    assert record.latest.version == "1.0.0"
    assert PackageRecord.from_json(record.to_json()) == record
    once = files(registry)
    publish(home, registry)
    assert files(registry) == once
    taken(home, registry, LIFT)
    publish(home, registry)
    record = record_of(registry)
    assert revoked(record) == {}
    assert [lift["kind"] for lift in record.lifts] == ["lift"]
    assert PackageRecord.from_json(record.to_json()) == record


def test_actions_are_in_the_log_and_in_the_head(home: Path, registry: Path) -> None:
    taken(home, registry, REVOKE)
    publish(home, registry)
    state = state_of(registry)
    checkpoint, head = checkpoint_of(state), head_of(state)
    assert checkpoint
    assert checkpoint.size == 5
    assert head
    assert head.actions == Published(count=1, last=actions_of(registry)[0].digest)
    read = ports(home, registry).store.read
    found = audit(state, read, lambda path: SECOND.get(PurePosixPath(path)))
    assert [each.index for each in found.actions] == [4]
    assert [each.problems for each in (*found.releases, *found.actions)] == [()] * 5


def test_an_action_that_the_log_lacks_is_told(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logless(monkeypatch)
    registry = tmp_path / "logless"
    release(home, registry, FIRST)
    taken(home, registry, REVOKE, "1.0.0")
    publish(home, registry, FIRST)
    assert revoked(record_of(registry)) == {"1.0.0": REVOKE}
    with pytest.raises(UnavailableError, match="only used in a registry with a log"):
        key_subject("SHA256:x", None, ports(home, registry))


def test_a_release_is_purged(home: Path, registry: Path) -> None:
    taken(home, registry, PURGE)
    with pytest.raises(FindingsError, match="never changes"):
        publish(home, registry, without(SECOND, "1.0.0"))
    left = without(SECOND, "1.1.0")
    publish(home, registry, left)
    record = record_of(registry)
    (purged,) = [row for row in record.releases if row.is_purged]
    assert (purged.version, purged.files, purged.release) == ("1.1.0", (), {})
    assert [*registry.glob("targets/pkg/*.alpha.json")] == [
        registry / f"targets/pkg/{state_of(registry).targets['pkg/alpha.json'].sha256}.alpha.json"
    ]
    once = files(registry)
    publish(home, registry, left)
    assert files(registry) == once
    with pytest.raises(FindingsError, match="never changes") as refused:
        publish(home, registry, SECOND)
    folder = "pbes/prompt/alpha/1.1.0"
    assert refused.value.hint == f"Delete {folder}: a purged version does not come back."
    with pytest.raises(FindingsError, match="never changes") as refused:
        publish(home, registry, without(SECOND, "1.0.0"))
    assert refused.value.hint.startswith("Restore the files as they were released")
    assert refused.value.hint.endswith(f"Delete {folder}: a purged version does not come back.")
    for kind in (LIFT, REVOKE, PURGE):
        with pytest.raises(UsageError, match="was purged"):
            taken(home, registry, kind)


def test_a_whole_entry_is_purged(home: Path, registry: Path) -> None:
    for version in ("1.0.0", "1.1.0"):
        taken(home, registry, PURGE, version)
    publish(home, registry, without(without(SECOND, "1.0.0"), "1.1.0"))
    assert record_of(registry).latest is None
    gone = {path: data for path, data in SECOND.items() if "alpha" not in path.parts}
    publish(home, registry, gone)
    assert set(revoked(record_of(registry))) == {"1.0.0", "1.1.0"}


def test_a_revoked_release_is_purged_later(home: Path, registry: Path) -> None:
    taken(home, registry, REVOKE)
    taken(home, registry, PURGE)
    publish(home, registry, without(SECOND, "1.1.0"))
    assert revoked(record_of(registry)) == {"1.1.0": PURGE}


def test_only_the_names_of_actions_are_published_again(home: Path, registry: Path) -> None:
    taken(home, registry, REVOKE)
    effects = Effects.after(read_baseline(ports(home, registry)), actions_of(registry))
    assert effects.names == {"alpha"}
    baseline = read_baseline(ports(home, registry))
    signed = SignedNames(baseline, ports(home, registry).store.read)
    inputs = inputs_of(b"", effects.all, effects.void)
    assert signed.changed_actions(inputs)
    publish(home, registry, SECOND, names={"alpha"}, inputs=inputs)
    signed = SignedNames(read_baseline(ports(home, registry)), ports(home, registry).store.read)
    assert not signed.changed_actions(inputs)
    assert revoked(record_of(registry)) == {"1.1.0": REVOKE}


def test_rows_of_a_later_schema_stay_as_they_are(home: Path, registry: Path) -> None:
    taken(home, registry, REVOKE)
    effects = Effects.after(read_baseline(ports(home, registry)), actions_of(registry))
    record = record_of(registry)
    unknown = UnknownRow(data={"v": 9, "version": "1.1.0"})
    after = effects(replace(record, rows=(record.rows[0], unknown)))
    assert after.rows[1] is unknown


def test_an_action_about_other_bytes_is_refused(home: Path, registry: Path) -> None:
    subject = Subject(name="alpha", version="1.1.0", sha256="0" * 64)
    take(REVOKE, subject, WHY, NOW, ports(home, registry))
    with pytest.raises(FindingsError, match="other bytes than were released"):
        publish(home, registry)


def test_what_cannot_be_withdrawn(home: Path, registry: Path, tmp_path: Path) -> None:
    place = ports(home, registry)
    with pytest.raises(UnavailableError, match="has not released alpha 9"):
        release_subject("alpha", "9.0.0", place)
    with pytest.raises(UnavailableError, match="has not released nothing"):
        release_subject("nothing", "1.0.0", place)
    with pytest.raises(UnavailableError, match="nothing is published"):
        release_subject("alpha", "1.0.0", ports(home, tmp_path / "empty"))
    with pytest.raises(UsageError, match="is not revoked"):
        taken(home, registry, LIFT)
    for why in ("", "a\nb", "x" * 501):
        with pytest.raises(UsageError, match="one line"):
            taken(home, registry, REVOKE, why=why)
    taken(home, registry, REVOKE)
    with pytest.raises(UsageError, match="says so already"):
        taken(home, registry, REVOKE)
    taken(home, registry, QUARANTINE)


def test_keys_that_may_not_take_an_action(home: Path, registry: Path) -> None:
    (key,) = home.rglob("online.pem")
    key.rename(key.with_suffix(".away"))
    with pytest.raises(TrustError, match="the key that signs releases"):
        taken(home, registry, REVOKE)
    key.with_suffix(".away").rename(key)
    made = taken(home, registry, REVOKE)
    forged = replace(made.action, signatures={})
    state = state_of(registry)
    assert fault_of(made.action, state) == ""
    assert fault_of(forged, state) == "it is not signed by the keys of the registry"
    assert fault_of(replace(forged, kind=LIFT), state) == ""
    assert "about the registry" in fault_of(replace(forged, registry_id="f" * 32), state)
    (registry / made.path).write_bytes(forged.data)
    with pytest.raises(TrustError, match="not signed by the keys of the registry"):
        publish(home, registry)
    with pytest.raises(FindingsError, match="about another registry"):
        Effects([made.action], None, Published())


def test_a_lift_waits_until_it_is_signed(home: Path, registry: Path) -> None:
    taken(home, registry, REVOKE)
    (key,) = home.rglob("root.pem")
    key.rename(key.with_suffix(".away"))
    made = taken(home, registry, LIFT)
    assert made.missing == 1
    assert "1 more person must sign it" in summary([made])[-1]
    assert "2 more people must" in summary([replace(made, missing=2)])[-1]
    publish(home, registry)
    assert revoked(record_of(registry)) == {"1.1.0": REVOKE}
    assert sign_lifts(ports(home, registry)) == ()
    key.with_suffix(".away").rename(key)
    assert [each.missing for each in waiting_lifts(ports(home, registry))] == [1]
    assert [each.missing for each in sign_lifts(ports(home, registry))] == [0]
    assert waiting_lifts(ports(home, registry)) == ()
    publish(home, registry)
    assert revoked(record_of(registry)) == {}


def fingerprint() -> str:
    return SshKey.parse(ANA.line).fingerprint


def signed(home: Path, registry: Path, tree: Tree, version: str) -> Tree:
    """Release a version of `alpha` that ANA signed; return the tree."""
    tree = tree | {p: d for p, d in entry("alpha", version).items() if version in p.parts}
    tree |= signed_by(registry, tree, version, ANA)
    publish(home, registry, tree)
    return tree


def void_of(registry: Path) -> Sequence[tuple[str, int]]:
    return [(each.key, each.after) for each in record_of(registry).void]


def test_a_key_is_void_after_an_entry(home: Path, tmp_path: Path) -> None:
    registry = tmp_path / "claimed"
    tree = claimed(home, registry, by=(ANA, BEN))
    for version in ("1.1.0", "1.2.0"):
        tree = signed(home, registry, tree, version)
    place = ports(home, registry)
    for after in (-2, 4):
        with pytest.raises(UsageError, match="the entries 0 to 3"):
            key_subject(fingerprint(), after, place)
    take(REVOKE_KEY, key_subject(fingerprint(), None, place), WHY, NOW, place)
    with pytest.raises(UsageError, match="says so already"):
        take(REVOKE_KEY, key_subject(fingerprint(), 3, place), WHY, NOW, place)
    take(REVOKE_KEY, key_subject(fingerprint(), 2, place), WHY, NOW, place)
    publish(home, registry, tree)
    assert void_of(registry) == [(fingerprint(), 2)]
    state = state_of(registry)
    found = audit(state, place.store.read, lambda path: tree.get(PurePosixPath(path)))
    wrong = {each.version for each in found.releases if each.problems}
    assert wrong == {"1.2.0"}
    tree |= {p: d for p, d in entry("alpha", "1.3.0").items() if "1.3.0" in p.parts}
    tree |= signed_by(registry, tree, "1.3.0", ANA)
    (waiting,) = publish(home, registry, tree).waiting
    assert (waiting.version, waiting.signed) == ("1.3.0", 0)
    take(LIFT, key_subject(fingerprint(), None, place, lift=True), "It was found.", NOW, place)
    publish(home, registry, tree)
    assert void_of(registry) == []
    assert len(record_of(registry).lifts) == 1
    assert publish(home, registry, tree).waiting == ()
    assert record_of(registry).release("1.3.0") is not None


def test_the_key_of_a_reviewer_is_void(home: Path, tmp_path: Path) -> None:
    registry = tmp_path / "reviewed"
    policy = f'[[reviewer]]\nname = "Ben"\nkeys = ["{BEN.line}"]\n'.encode()
    tree = owned("1.0.0") | {PurePosixPath("registry/policy.toml"): policy}
    publish(home, registry, tree)
    record, registry_id = record_of(registry), state_of(registry).registry_id
    signed = review_of(record, record.releases[0], registry_id).message
    tree[PurePosixPath("pbes/prompt/alpha/reviews/1.0.0.1.txt")] = BEN.sign(signed, "review@psreg")
    publish(home, registry, tree)
    assert len(record_of(registry).releases[0].reviews) == 1
    place, key = ports(home, registry), SshKey.parse(BEN.line).fingerprint
    take(REVOKE_KEY, key_subject(key, None, place), WHY, NOW, place)
    publish(home, registry, tree)
    assert record_of(registry).releases[0].reviews == ()
    publish(home, registry, tree)
    assert record_of(registry).releases[0].reviews == ()
    take(LIFT, key_subject(key, None, place, lift=True), "It was found.", NOW, place)
    publish(home, registry, tree)
    assert len(record_of(registry).releases[0].reviews) == 1


def test_a_release_of_a_claimed_name_is_purged(home: Path, tmp_path: Path) -> None:
    registry = tmp_path / "claimed"
    tree = signed(home, registry, claimed(home, registry, by=(ANA, BEN)), "1.1.0")
    taken(home, registry, PURGE)
    tree = without(tree, "1.1.0")
    publish(home, registry, tree)
    tree = signed(home, registry, tree, "1.2.0")
    record = record_of(registry)
    assert revoked(record) == {"1.1.0": PURGE}
    last = record.release("1.2.0")
    assert last
    assert last.log
    place = ports(home, registry)
    found = audit(state_of(registry), place.store.read, lambda path: tree.get(PurePosixPath(path)))
    assert [each.version for each in found.releases if each.problems] == []
    toml = entry_toml(ANA)
    asked = RegistryTree(tree | {PurePosixPath("pbes/prompt/alpha/entry.toml"): toml}).entries
    alpha = [each for each in asked if each.name == "alpha"]
    claim_names(alpha, NOW, ports(home, registry), recover="Both lost their keys.")


def test_advisories_are_those_of_osv(home: Path, registry: Path) -> None:
    taken(home, registry, REVOKE)
    taken(home, registry, LIFT)
    taken(home, registry, PURGE)
    place = ports(home, registry)
    take(REVOKE_KEY, key_subject(fingerprint(), None, place), WHY, NOW, place)
    effects = Effects.after(read_baseline(place), actions_of(registry))
    found = [*advisories(effects)]
    for each in found:
        Draft202012Validator(OURS).validate(each)
        Draft202012Validator(OSV).validate(each)
    assert [each["id"][-4:] for each in found] == ["0001", "0003", "0004"]
    assert all(each["id"].startswith("x_PSREG-") for each in found)  # OSV 1.8: not its own
    assert ["withdrawn" in each for each in found] == [True, False, False]
    assert [each["affected"] == [] for each in found] == [False, False, True]
    assert found[0]["summary"] == "alpha 1.1.0 was revoked"
    assert found[0]["affected"][0]["database_specific"]["name"] == "alpha"
    assert found[2]["database_specific"]["key"] == fingerprint()
    files = dict(advisory_files(effects))
    assert [json.loads(files[f"advisories/{each['id']}.json"]) for each in found] == found
    listed = json.loads(files["api/v1/advisories.json"])["advisories"]
    assert [each["id"] for each in listed] == [each["id"] for each in found]
    items = [*action_advisories(effects)]
    assert [item.path for item in items] == [each["path"] for each in listed]
    assert items[0].title == "alpha 1.1.0 was revoked (lifted)"
    assert items[1].text == found[1]["details"]


def test_a_void_key_of_nobody_is_in_no_record(home: Path, registry: Path) -> None:
    place = ports(home, registry)
    take(REVOKE_KEY, key_subject(fingerprint(), None, place), WHY, NOW, place)
    publish(home, registry)
    assert void_of(registry) == []
    head = head_of(state_of(registry))
    assert head
    assert head.actions.count == 1


@pytest.mark.parametrize("why", ["", "two\nlines", ".", "TODO"])
def test_a_reason_says_why(home: Path, registry: Path, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        taken(home, registry, REVOKE, why=why)
    assert caught.value.code == "BAD_REASON"
