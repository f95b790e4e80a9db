"""Publishing: what is released, what is refused, and what a publish that dies leaves behind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path, PurePosixPath

import pytest

from psreg.core.diagnostics import ERROR, WARNING, Diagnostic, Position, Report
from psreg.core.errors import FindingsError, PsregError, TrustError, UnavailableError
from psreg.formats.json.canonical import canonical
from psreg.git.history import FolderHistory
from psreg.registry.baseline import Intent, Ports, read_baseline
from psreg.registry.catalog_head import head_of
from psreg.registry.difference import SignedNames, compare
from psreg.registry.publish import Change, PublishResult, publish, resign
from psreg.registry.records import PackageRecord
from psreg.registry.trust.issuing import issue, issue_first
from psreg.registry.trust.metadata import MetadataSigner, signers_of
from psreg.registry.trust.reading import RegistryState, read_registry
from psreg.registry.trust.roles import KEYS, LIFETIMES, Bins, Target
from support.pipelines import git
from support.publishing import (
    CLEAN,
    FIRST,
    NOW,
    SECOND,
    Died,
    Dying,
    Tree,
    client_reads,
    entry,
    files,
    founded,
    kept,
    memory_ports,
    ports,
    put,
    release,
    renewed,
    signer_of,
    state_of,
    write,
)
from support.walks import sampled

YEAR = timedelta(days=365)
BINS = Bins(bits=4).roles
FORTNIGHT = timedelta(days=14)


def record(state: RegistryState, name: str) -> PackageRecord:
    return PackageRecord.from_json(json.loads(state.packages[name]))


def diagnostic(waived: str | None, path: str, severity: object = ERROR) -> Diagnostic:
    place = Position(1, 1)
    return Diagnostic(
        code="PS010", slug="s", severity=severity, message="m", path=path,
        start=place, end=place, waived=waived,
    )  # fmt: skip


# What is published


def test_first_publish_founds_a_registry(home: Path, registry: Path) -> None:
    result = release(home, registry, FIRST)
    state = state_of(registry)
    assert [(r.name, r.version) for r in result.released] == [("alpha", "1.0.0"), ("beta", "0.1.0")]
    assert (result.entries, result.mode, result.due) == (2, "dev", ())
    assert result.expires == NOW + FORTNIGHT
    assert result.registry_id == state.registry_id
    assert result.root_sha256 == state.root_sha256
    assert set(state.packages) == {"alpha", "beta"}
    assert set(state.catalog) == {"head"}
    assert set(state.versions) == {"root", "timestamp", "snapshot", "targets", "releases", *BINS}
    assert set(state.versions.values()) == {1}
    assert state.documents["timestamp"].expires == NOW + FORTNIGHT
    assert state.documents["targets"].expires == NOW + YEAR
    assert result.written == len(files(registry))


def test_files_have_the_names_of_the_design(home: Path, registry: Path) -> None:
    founded(home, registry)
    state = state_of(registry)
    alpha = Target.of(state.packages["alpha"]).sha256
    names = set(files(registry))
    bins = {f"metadata/1.r4-{n:x}.json" for n in range(16)}
    roles = {f"metadata/1.{r}.json" for r in ("root", "targets", "releases", "snapshot")}
    assert bins | roles | {"metadata/timestamp.json"} <= names
    assert f"targets/pkg/{alpha}.alpha.json" in names
    assert state.catalog["head"].path in names
    (segment,) = head_of(state).segments
    assert segment.path in names
    checkpoint = state.targets["log/checkpoint"].sha256
    assert f"targets/log/{checkpoint}.checkpoint" in names
    assert {"log/checkpoint", "log/tile/0/000.p/2", "log/tile/entries/000.p/2"} <= names
    assert len(names) == 16 + 5 + 4 + 4


def test_a_stock_client_reads_it(home: Path, registry: Path, tmp_path: Path) -> None:
    founded(home, registry)
    assert (
        client_reads(registry, tmp_path / "client", "alpha") == state_of(registry).packages["alpha"]
    )
    assert client_reads(registry, tmp_path / "client", "omega") is None


def test_metadata_lists_versions_only(home: Path, registry: Path) -> None:
    founded(home, registry)
    snapshot = json.loads((registry / "metadata/1.snapshot.json").read_bytes())
    timestamp = json.loads((registry / "metadata/timestamp.json").read_bytes())
    assert set(map(str, snapshot["signed"]["meta"].values())) == {"{'version': 1}"}
    assert timestamp["signed"]["meta"] == {"snapshot.json": {"version": 1}}


def test_the_delegation_of_records_is_terminating(home: Path, registry: Path) -> None:
    founded(home, registry)
    roles = state_of(registry).documents["targets"].signed.delegations.roles
    assert [(name, each.terminating) for name, each in roles.items()] == [("releases", True)]


def test_an_empty_tree_is_a_registry_too(home: Path, registry: Path) -> None:
    assert release(home, registry, {}).entries == 0
    assert state_of(registry).packages == {}


def test_nothing_new_writes_nothing(home: Path, registry: Path) -> None:
    founded(home, registry)
    before = {path: path.stat().st_mtime_ns for path in registry.rglob("*")}
    result = release(home, registry, FIRST, NOW + timedelta(days=1))
    assert (result.released, result.written, result.entries) == ((), 0, 2)
    assert {path: path.stat().st_mtime_ns for path in registry.rglob("*")} == before


def test_a_second_publish_signs_only_what_changed(home: Path, registry: Path) -> None:
    founded(home, registry)
    before = files(registry)
    later = NOW + timedelta(days=1)
    result = release(home, registry, SECOND, later)
    after = files(registry)
    assert [(r.name, r.version) for r in result.released] == [
        ("alpha", "1.1.0"),
        ("gamma", "2.0.0"),
    ]
    assert kept(before).items() <= after.items()
    new = [path for path in after if path not in before]
    assert result.written == len(new) + 2
    # alpha, gamma, the head and its segment, the checkpoint; the first two in bins, in this case in
    # different ones
    assert sum(path.count("/") == 2 for path in new if path.startswith("targets/")) == 5
    assert sum(path.startswith("log/tile/") for path in new) == 2
    assert sum(path.startswith("metadata/2.r4-") for path in new) == 2
    assert {"metadata/2.snapshot.json", "metadata/2.releases.json"} <= {*new}
    assert "targets/retired.jsonl" in new
    assert len(new) == 12


def test_dates_are_of_the_first_publication(home: Path, registry: Path) -> None:
    founded(home, registry)
    release(home, registry, SECOND, NOW + timedelta(days=1))
    alpha = record(state_of(registry), "alpha")
    dates = [row.date for row in alpha.releases]
    days = [(NOW + timedelta(days=d)).strftime("%Y-%m-%dT%H:%M:%SZ") for d in (0, 1)]
    assert dates == days
    assert alpha.serial == 2
    assert record(state_of(registry), "beta").serial == 1


def test_entry_toml_may_change(home: Path, registry: Path) -> None:
    founded(home, registry)
    result = release(home, registry, FIRST | entry("alpha", yanked='[yanked]\n"1.0.0" = "why"\n'))
    assert result.released == ()
    assert result.written > 0
    assert record(state_of(registry), "alpha").releases[0].yanked == "why"


def test_same_input_same_bytes(home: Path, tmp_path: Path) -> None:
    release(home, tmp_path / "a", FIRST)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    for name in "ab":
        release(home, tmp_path / name, SECOND)
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_waived_findings_are_recorded(home: Path, registry: Path) -> None:
    tree = entry("alpha", "1.0.0")
    folder = PurePosixPath("pbes/prompt/alpha/1.0.0")
    tree[folder / "release.toml"] = b'[waivers]\nPS010 = "a lesson about it"\n'
    report = Report(
        checked=1,
        diagnostics=(
            diagnostic("a lesson about it", str(folder / "alpha.prompt")),
            diagnostic(None, str(folder / "alpha.prompt"), WARNING),
            diagnostic("elsewhere", "README.md"),
        ),
    )
    publish(tree, report, NOW, ports(home, registry))
    (waived,) = record(state_of(registry), "alpha").releases[0].waived
    assert (waived.code, waived.reason, waived.by) == ("PS010", "a lesson about it", "release")


def test_declared_protocols_are_in_the_record(home: Path, registry: Path) -> None:
    path = PurePosixPath("pbes/prompt/alpha/1.0.0/release.toml")
    release(home, registry, FIRST | {path: FIRST[path] + b'[protocols]\nvpp = "1.4"\n'})
    alpha, beta = (record(state_of(registry), name).releases[0] for name in ("alpha", "beta"))
    (row,) = alpha.protocols or ()
    assert "vpp" in row.values()
    assert beta.protocols is None


def test_what_a_newer_psreg_wrote_is_kept(home: Path, registry: Path) -> None:
    founded(home, registry)
    value = json.loads(state_of(registry).packages["alpha"])
    value["stars"] = 5
    value["releases"].append({"v": 2, "version": "9.0.0", "shape": "unknown"})
    overwrite(home, registry, "pkg/alpha.json", canonical(value))
    release(home, registry, SECOND)
    after = json.loads(state_of(registry).packages["alpha"])
    assert after["stars"] == 5
    assert after["releases"][-1] == {"v": 2, "version": "9.0.0", "shape": "unknown"}
    assert [row["version"] for row in after["releases"]] == ["1.0.0", "1.1.0", "9.0.0"]


def overwrite(home: Path, registry: Path, target: str, data: bytes) -> None:
    """Sign `data` as `target`, as anyone with the keys can."""
    state, real = state_of(registry), ports(home, registry)
    wanted = {**state.targets, target: Target.of(data)}
    folder, _, name = target.partition("/")
    real.store.write(f"targets/{folder}/{wanted[target].sha256}.{name}", data)
    write(registry, issue(state, wanted, signer_of(home, registry)))


# Metadata that does not name its role


def make_older(home: Path, registry: Path) -> None:
    """Publish FIRST as versions of psreg did that did not yet name roles."""
    founded(home, registry)
    state, signer = state_of(registry), replace(signer_of(home, registry), registry_id=None)
    write(registry, issue_first(state.root, state.targets, signer, 2))


def unbound(registry: Path) -> set[str]:
    return {role for role, each in state_of(registry).documents.items() if not each.bound}


@pytest.mark.parametrize("tree", [FIRST, SECOND])
def test_the_next_publish_names_every_role(home: Path, registry: Path, tree: Tree) -> None:
    make_older(home, registry)
    before = state_of(registry)
    assert len(unbound(registry)) == 16 + 4
    renewed(home, registry, timedelta(days=1))
    assert len(unbound(registry)) == 16 + 4  # all at once, or none
    release(home, registry, tree, NOW + timedelta(days=1))
    assert unbound(registry) == set()
    assert state_of(registry).packages["beta"] == before.packages["beta"]
    for document in state_of(registry).documents.values():
        signed = json.loads(document.data)["signed"]["psreg"]
        assert (signed["id"], signed["role"]) == (before.registry_id, document.role)
    assert release(home, registry, tree, NOW + timedelta(days=1)).written == 0


# What is refused


def refusal(call: Callable[[], object], registry: Path, code: str, kind: type[PsregError]) -> str:
    """Return the message of a refusal that touched nothing in the registry."""
    before = files(registry)
    with pytest.raises(kind) as caught:
        call()
    assert caught.value.code == code
    assert files(registry) == before
    return str(caught.value)


def test_a_failed_check_refuses(home: Path, registry: Path) -> None:
    report = Report(checked=1, diagnostics=(diagnostic(None, "x"),))
    with pytest.raises(FindingsError, match="nothing was published"):
        publish(FIRST, report, NOW, ports(home, registry))
    assert not registry.exists()
    assert not home.exists()


def test_changed_released_bytes_are_refused(home: Path, registry: Path) -> None:
    founded(home, registry)
    paths = [PurePosixPath("pbes/prompt/alpha/1.0.0", name) for name in ("alpha.prompt", "NEW.md")]
    tree = FIRST | dict.fromkeys(paths, b"other")
    gone = PurePosixPath("pbes/interactive_engine/beta/0.1.0/release.toml")
    tree.pop(gone)
    message = refusal(
        lambda: release(home, registry, tree), registry, "RELEASE_CHANGED", FindingsError
    )
    was, now = Target.of(FIRST[paths[0]]).sha256, Target.of(b"other").sha256
    assert f"{paths[0]}: released sha256 {was}, now sha256 {now}" in message
    assert f"{paths[1]}: released absent, now sha256 {now}" in message
    assert f"{gone}: released sha256 {Target.of(FIRST[gone]).sha256}, now absent" in message


def requiring(range_: bytes, name: bytes = b"beta") -> dict[PurePosixPath, bytes]:
    path = PurePosixPath("pbes/prompt/alpha/1.0.0/release.toml")
    return FIRST | {path: FIRST[path] + b"[requires]\n" + name + b' = "' + range_ + b'"\n'}


def test_a_release_that_requires_others_is_published_if_they_can_be_installed(
    home: Path, registry: Path
) -> None:
    message = refusal(
        lambda: release(home, registry, requiring(b"^9")),
        registry,
        "REQUIRES_REFUSED",
        FindingsError,
    )
    assert "alpha 1.0.0 requires beta ^9, and this change asks for alpha =1.0.0" in message
    message = refusal(
        lambda: release(home, registry, requiring(b"*", b"gone")),
        registry,
        "REQUIRES_REFUSED",
        FindingsError,
    )
    assert "there is no entry `gone`, which alpha 1.0.0 requires" in message
    release(home, registry, requiring(b"^0.1"))


def test_entries_that_require_each_other_are_not_published(home: Path, registry: Path) -> None:
    path = PurePosixPath("pbes/interactive_engine/beta/0.1.0/release.toml")
    tree = requiring(b"^0.1")
    tree[path] += b'[requires]\nalpha = "^1"\n'
    message = refusal(
        lambda: release(home, registry, tree), registry, "REQUIRES_REFUSED", FindingsError
    )
    assert "entries require each other: alpha 1.0.0 requires beta 0.1.0 requires alpha" in message


@pytest.mark.parametrize("key", ["online", "timestamp"])
def test_a_missing_key_never_starts_over(home: Path, registry: Path, key: str) -> None:
    registry_id = release(home, registry, FIRST).registry_id
    folder = home / "keys" / registry_id
    (folder / f"{key}.pem").unlink()
    for tree in (FIRST, SECOND):
        message = refusal(
            lambda tree=tree: release(home, registry, tree), registry, "KEY_MISSING", TrustError
        )
        assert str(folder) in message
    root = json.loads((registry / "metadata/1.root.json").read_bytes())["signed"]
    role = "snapshot" if key == "online" else "timestamp"
    assert root["roles"][role]["keyids"][0] in message


def test_all_keys_missing(home: Path, registry: Path) -> None:
    founded(home, registry)
    shutil.rmtree(home / "keys")
    refusal(lambda: release(home, registry, SECOND), registry, "KEY_MISSING", TrustError)
    assert not (home / "keys").exists()


def test_the_root_key_may_be_elsewhere(home: Path, registry: Path) -> None:
    registry_id = release(home, registry, FIRST).registry_id
    (home / "keys" / registry_id / "root.pem").unlink()
    assert len(release(home, registry, SECOND).released) == 2
    renewed(home, registry, timedelta(days=300))
    refusal(lambda: renewed(home, registry, YEAR), registry, "KEY_MISSING", TrustError)


def test_an_unreadable_key_is_named_as_such(home: Path, registry: Path) -> None:
    registry_id = release(home, registry, FIRST).registry_id
    (home / "keys" / registry_id / "online.pem").write_text("not a key")
    refusal(lambda: release(home, registry, SECOND), registry, "KEY_UNREADABLE", TrustError)


def test_a_registry_without_its_root_is_not_started_over(home: Path, registry: Path) -> None:
    founded(home, registry)
    (registry / "metadata/1.root.json").unlink()
    refusal(lambda: release(home, registry, SECOND), registry, "TRUST_MIXED", TrustError)
    (registry / "metadata/timestamp.json").unlink()
    refusal(lambda: release(home, registry, SECOND), registry, "TRUST_MIXED", TrustError)


@pytest.mark.parametrize("left", [("targets",), ("policy.toml",), ("targets", "policy.toml")])
def test_a_registry_without_metadata_is_not_started_over(
    home: Path, registry: Path, left: tuple[str, ...]
) -> None:
    before = release(home, registry, FIRST)
    (registry / "policy.toml").write_text("")
    shutil.copytree(registry, registry.with_name("backup"))
    for path in {"metadata", "targets"}.difference(left):
        shutil.rmtree(registry / path)
    changed = FIRST | {PurePosixPath("pbes/prompt/alpha/1.0.0/alpha.prompt"): b"other"}
    for tree in (FIRST, changed):
        message = refusal(
            lambda tree=tree: release(home, registry, tree),
            registry,
            "METADATA_MISSING",
            TrustError,
        )
        assert ("targets/pkg" in message) == ("targets" in left)
        assert before.registry_id in message
    refusal(lambda: resign(NOW, ports(home, registry)), registry, "METADATA_MISSING", TrustError)
    shutil.copytree(registry.with_name("backup"), registry, dirs_exist_ok=True)
    assert release(home, registry, SECOND).registry_id == before.registry_id


def test_a_registry_with_a_log_is_not_started_over(home: Path, registry: Path) -> None:
    release(home, registry, FIRST)
    for path in ("metadata", "targets"):
        shutil.rmtree(registry / path)
    shutil.rmtree(home)
    message = refusal(
        lambda: release(home, registry, FIRST), registry, "METADATA_MISSING", TrustError
    )
    assert "left log" in message


def test_a_registry_in_the_history_is_not_started_over(home: Path, registry: Path) -> None:
    there = ports(home, registry)
    with_history = replace(there, history=FolderHistory(registry))
    git("init", "--quiet", cwd=registry.parent)
    before = publish(FIRST, CLEAN, NOW, with_history)
    git("add", "--all", cwd=registry.parent)
    git("commit", "--quiet", "--message=Publish", cwd=registry.parent)
    shutil.rmtree(registry)
    shutil.rmtree(home)
    message = refusal(
        lambda: publish(FIRST, CLEAN, NOW, with_history), registry, "METADATA_MISSING", TrustError
    )
    assert "has it" in message
    git("checkout", "--quiet", "HEAD", "--", ".", cwd=registry.parent)
    assert read_baseline(with_history).root_sha256 == before.root_sha256


@pytest.mark.parametrize("ignored", [False, True])
def test_a_shallow_clone_cannot_tell(
    home: Path, registry: Path, tmp_path: Path, *, ignored: bool
) -> None:
    git("init", "--quiet", "source", cwd=tmp_path)
    for number in range(2):
        git("commit", "--quiet", "--allow-empty", f"-m{number}", cwd=tmp_path / "source")
    git("clone", "--quiet", "--depth=1", f"file://{tmp_path}/source", "clone", cwd=tmp_path)
    (tmp_path / "clone/.gitignore").write_text("/registry/*/\n" if ignored else "")
    history = FolderHistory(tmp_path / "clone/registry")
    there = replace(ports(home, registry), history=history)
    if ignored:
        assert publish(FIRST, CLEAN, NOW, there).released
    else:
        refusal(lambda: publish(FIRST, CLEAN, NOW, there), registry, "METADATA_MISSING", TrustError)


def test_starting_over_on_purpose(home: Path, registry: Path) -> None:
    before = release(home, registry, FIRST)
    shutil.rmtree(registry / "metadata")
    after = publish(SECOND, CLEAN, NOW, ports(home, registry), start_over=True)
    assert after.registry_id != before.registry_id
    assert release(home, registry, SECOND).written == 0


def test_another_folder_is_another_registry(home: Path, registry: Path) -> None:
    before = release(home, registry, FIRST)
    assert release(home, registry.with_name("other"), FIRST).registry_id != before.registry_id


def test_a_registry_without_its_timestamp_is_not_started_over(home: Path, registry: Path) -> None:
    founded(home, registry)
    (registry / "metadata/timestamp.json").unlink()
    refusal(lambda: release(home, registry, FIRST), registry, "TRUST_MIXED", TrustError)
    # Not even after a publish elsewhere in time or registry was cut short here.
    for intent in (Intent(registry_id="0" * 32), Intent(registry_id=root_id(registry), after=4)):
        ports(home, registry).journal.begin(intent)
        refusal(lambda: release(home, registry, FIRST), registry, "TRUST_MIXED", TrustError)


def root_id(registry: Path) -> str:
    root = json.loads((registry / "metadata/1.root.json").read_bytes())
    found: str = root["signed"]["psreg"]["id"]
    return found


def test_rolled_back_timestamp_attack(home: Path, registry: Path) -> None:
    founded(home, registry)
    old = (registry / "metadata/timestamp.json").read_bytes()
    release(home, registry, SECOND)
    (registry / "metadata/timestamp.json").write_bytes(old)
    refusal(lambda: release(home, registry, SECOND), registry, "TRUST_ROLLBACK", TrustError)
    refusal(lambda: resign(NOW, ports(home, registry)), registry, "TRUST_ROLLBACK", TrustError)


def test_a_newer_record_is_not_understood(home: Path, registry: Path) -> None:
    founded(home, registry)
    data = canonical({"schema": "psreg.package/2"})
    overwrite(home, registry, "pkg/alpha.json", data)
    message = refusal(
        lambda: release(home, registry, SECOND), registry, "NEWER_FORMAT", UnavailableError
    )
    assert "psreg.package/2" in message


def test_a_signed_record_of_another_name(home: Path, registry: Path) -> None:
    founded(home, registry)
    overwrite(home, registry, "pkg/alpha.json", state_of(registry).packages["beta"])
    refusal(lambda: release(home, registry, SECOND), registry, "TRUST_METADATA", TrustError)


@pytest.mark.parametrize("value", [[], {}, {"schema": "psreg.package/1"}])
def test_a_signed_record_that_is_none(home: Path, registry: Path, value: object) -> None:
    founded(home, registry)
    overwrite(home, registry, "pkg/alpha.json", canonical(value))
    refusal(lambda: release(home, registry, SECOND), registry, "TRUST_METADATA", TrustError)


# Renewing signatures


def test_resign_renews_the_timestamp(home: Path, registry: Path) -> None:
    founded(home, registry)
    before = files(registry)
    result = renewed(home, registry, timedelta(days=5))
    after = files(registry)
    assert (result.written, result.released, result.entries) == (1, (), 2)
    assert {path for path in after if before.get(path) != after[path]} == {
        "metadata/timestamp.json"
    }
    state = state_of(registry)
    assert state.versions["timestamp"] == 2
    assert state.documents["timestamp"].expires == NOW + timedelta(days=5) + FORTNIGHT
    assert result.expires == NOW + FORTNIGHT


def test_resign_of_the_timestamp_needs_its_key_alone(home: Path, registry: Path) -> None:
    registry_id = release(home, registry, FIRST).registry_id
    for key in ("root", "online"):
        (home / "keys" / registry_id / f"{key}.pem").unlink()
    for days in (5, 12):
        result = renewed(home, registry, timedelta(days=days))
        assert result.written == 1
    assert [(due.role, due.expires) for due in result.due] == [("snapshot", NOW + FORTNIGHT)]
    message = refusal(
        lambda: renewed(home, registry, FORTNIGHT), registry, "KEY_MISSING", TrustError
    )
    assert "'snapshot'" in message


def test_resign_needs_the_key_of_the_timestamp(home: Path, registry: Path) -> None:
    registry_id = release(home, registry, FIRST).registry_id
    (home / "keys" / registry_id / "timestamp.pem").unlink()
    refusal(lambda: resign(NOW, ports(home, registry)), registry, "KEY_MISSING", TrustError)


def test_resign_twice_at_a_time_writes_once(home: Path, registry: Path) -> None:
    founded(home, registry)
    assert renewed(home, registry, timedelta(0)).written == 0
    assert renewed(home, registry, timedelta(days=1)).written == 1
    assert renewed(home, registry, timedelta(days=1)).written == 0


def test_resign_renews_all_that_is_due(home: Path, registry: Path) -> None:
    founded(home, registry)
    release(home, registry, SECOND, NOW + timedelta(days=200))
    before = state_of(registry)
    result = renewed(home, registry, timedelta(days=260))
    after = state_of(registry)
    raised = {role for role in BINS if after.versions[role] == before.versions[role] + 1}
    fresh = {role for role in BINS if before.versions[role] == 2}
    assert raised == set(BINS) - fresh
    assert len(fresh) == 2
    assert after.versions["root"] == after.versions["targets"] == after.versions["releases"] == 2
    assert after.versions["snapshot"] == after.versions["timestamp"] == 3
    assert after.packages == before.packages
    assert after.root_sha256 == before.root_sha256
    assert result.registry_id == before.registry_id
    assert not result.due


# What is due, and what a publish renews: days after NOW, and the roles.
DUE = [
    (9, set()),
    (10, {"snapshot", "timestamp"}),
    (300, {"root", "targets", "releases", "snapshot", "timestamp", *BINS}),
    (800, {"root", "targets", "releases", "snapshot", "timestamp", *BINS}),
]


@pytest.mark.parametrize(("days", "roles"), DUE)
def test_a_publish_renews_what_is_due(
    home: Path, registry: Path, days: int, roles: set[str]
) -> None:
    founded(home, registry)
    before, now = state_of(registry), NOW + timedelta(days=days)
    result = release(home, registry, FIRST, now)
    after = state_of(registry)
    assert {role for role, n in after.versions.items() if n != before.versions[role]} == roles
    assert result.expires == (now if roles else NOW) + FORTNIGHT
    assert (result.written, result.due) == (len(roles), ())
    assert release(home, registry, FIRST, now).written == 0


def test_a_publish_renews_the_timestamp_alone(home: Path, registry: Path) -> None:
    lifetimes = {**LIFETIMES, "timestamp": timedelta(days=1)}
    for hours, written in ((0, 29), (10, 0), (20, 1)):
        now = NOW + timedelta(hours=hours)
        result = publish(FIRST, CLEAN, now, ports(home, registry), lifetimes=lifetimes)
        assert result.written == written
    assert result.expires == now + timedelta(days=1)
    assert state_of(registry).versions["snapshot"] == 1


def test_a_clock_that_is_behind_shortens_nothing(home: Path, registry: Path) -> None:
    founded(home, registry)
    before, past = files(registry), NOW - timedelta(days=30)
    release(home, registry, FIRST, past)
    resign(past, ports(home, registry))
    assert files(registry) == before


def test_a_publish_with_news_renews_the_rest_as_well(home: Path, registry: Path) -> None:
    founded(home, registry)
    now = NOW + timedelta(days=300)
    release(home, registry, SECOND, now)
    documents = state_of(registry).documents
    assert {document.version for document in documents.values()} == {2}
    assert min(document.expires for document in documents.values()) == now + FORTNIGHT


@pytest.mark.parametrize(("key", "days"), [("root", 400), ("online", 12)])
@pytest.mark.parametrize("tree", [FIRST, SECOND])
def test_a_publish_that_cannot_renew_what_is_due_is_refused(
    home: Path, registry: Path, key: str, days: int, tree: Tree
) -> None:
    registry_id = release(home, registry, FIRST).registry_id
    (home / "keys" / registry_id / f"{key}.pem").unlink()
    now = NOW + timedelta(days=days)
    refusal(lambda: release(home, registry, tree, now), registry, "KEY_MISSING", TrustError)


def test_the_policy_says_how_long_signatures_last(home: Path, registry: Path) -> None:
    founded(home, registry)
    lifetimes = {"snapshot": timedelta(days=3), "timestamp": timedelta(days=2)}
    publish(SECOND, CLEAN, NOW, ports(home, registry), lifetimes=lifetimes)
    documents = state_of(registry).documents
    assert {role: documents[role].expires - NOW for role in lifetimes} == lifetimes
    assert documents["releases"].expires == NOW + YEAR


def test_the_newest_release_is_told(home: Path, registry: Path) -> None:
    assert release(home, registry, {}).latest == ""
    release(home, registry, FIRST)
    now = NOW - timedelta(days=1)
    assert resign(now, ports(home, registry)).latest == NOW.strftime("%Y-%m-%dT%H:%M:%SZ")


def test_resign_works_after_everything_ran_out(home: Path, registry: Path, tmp_path: Path) -> None:
    release(home, registry, FIRST, NOW - timedelta(days=800))
    resign(NOW, ports(home, registry))
    assert client_reads(registry, tmp_path / "client", "alpha")


def test_resign_renews_a_snapshot_alone(home: Path, registry: Path) -> None:
    founded(home, registry)
    shorten(home, registry, days=4)
    before = state_of(registry)
    renewed(home, registry, timedelta(days=1))
    after = state_of(registry)
    changed = {role for role in after.versions if after.versions[role] != before.versions[role]}
    assert changed == {"snapshot", "timestamp"}


def shorten(home: Path, registry: Path, days: int) -> None:
    """Sign snapshot and timestamp as if for a shorter time."""
    state, real = state_of(registry), ports(home, registry)
    lasting = dict.fromkeys(("snapshot", "timestamp"), timedelta(days=days))
    signer = signer_of(home, registry, lasting)
    snapshot = signer.next_snapshot((), state.root, state.documents["snapshot"])
    timestamp = signer.next_timestamp(snapshot, state.root, state.documents["timestamp"])
    real.store.write("metadata/2.snapshot.json", snapshot.data)
    real.store.write("metadata/timestamp.json", timestamp.data)


def test_resign_leaves_alone_what_has_its_keys_elsewhere(home: Path, registry: Path) -> None:
    make_production(home, registry)
    release(home, registry, FIRST)
    (home / "keys" / ("a" * 32) / "root.pem").unlink()
    result = renewed(home, registry, timedelta(days=300))
    state = state_of(registry)
    assert (state.mode, result.mode) == ("production", "production")
    assert (state.versions["root"], state.versions["targets"], state.versions["r4-0"]) == (1, 1, 2)
    assert [(due.role, due.expires) for due in result.due] == [
        ("root", NOW + YEAR),
        ("targets", NOW + YEAR),
    ]


def make_production(home: Path, registry: Path) -> None:
    """Found a registry whose root says it is one for production."""
    real = ports(home, registry)
    pems = {name: real.keys.create("a" * 32, name) for name in KEYS}
    signer = MetadataSigner(
        keys=signers_of(pems.values()),
        source="",
        now=NOW,
        registry_id="a" * 32,
        lifetimes=LIFETIMES,
    )
    draft = signer.first_root("a" * 32, pems).signed
    draft.unrecognized_fields["psreg"]["mode"] = "production"
    real.store.write("metadata/1.root.json", signer._sign(draft, "root", draft))
    real.journal.begin(Intent(registry_id="a" * 32))


def test_resign_needs_a_registry(home: Path, registry: Path) -> None:
    with pytest.raises(UnavailableError) as caught:
        resign(NOW, ports(home, registry))
    assert caught.value.code == "NOT_PUBLISHED"
    assert not registry.exists()


# Dying at every step


def dies(step: Callable[[Ports], PublishResult], real: Ports, last: int, *, torn: bool) -> bool:
    """Tell whether a process that dies at change number `last` does not reach its end."""
    try:
        step(Dying(real, last, torn=torn))  # type: ignore[arg-type]
    except Died:
        return True
    return False


def changes(step: Callable[[Ports], PublishResult], real: Ports) -> int:
    """Take a step to its end and return how many changes of the world it makes."""
    patient = Dying(real, 10_000)
    step(patient)  # type: ignore[arg-type]
    return 10_000 - patient._left


def publish_first(p: Ports) -> PublishResult:
    return publish(FIRST, CLEAN, NOW, p)


def publish_second(p: Ports) -> PublishResult:
    return publish(SECOND, CLEAN, NOW + timedelta(hours=1), p)


def publish_part(p: Ports) -> PublishResult:
    """Publish SECOND by difference."""
    baseline = read_baseline(p)
    found = compare(SECOND, SignedNames(baseline, p.store.read), {})
    assert found.names <= {"alpha", "gamma"}
    change = Change(names=found.names, baseline=baseline)
    return publish(found.tree, CLEAN, NOW + timedelta(hours=1), p, change=change)


def test_a_part_gives_the_same_bytes_as_the_whole(home: Path, tmp_path: Path) -> None:
    release(home, tmp_path / "a", FIRST)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    publish_part(ports(home, tmp_path / "a"))
    publish_second(ports(home, tmp_path / "b"))
    assert files(tmp_path / "a") == files(tmp_path / "b")


def renew_timestamp(p: Ports) -> PublishResult:
    return resign(NOW + timedelta(hours=1), p)


@pytest.mark.parametrize("torn", sampled([False, True], 1), ids={False: "clean", True: "torn"}.get)
@pytest.mark.parametrize("step", [publish_second, publish_part, renew_timestamp])
def test_dying_anywhere_leaves_old_or_new(
    home: Path,
    registry: Path,
    tmp_path: Path,
    step: Callable[[Ports], PublishResult],
    *,
    torn: bool,
) -> None:
    founded(home, registry)
    old, real = files(registry), ports(home, registry)
    steps = changes(step, real)
    new = files(registry)
    allowed = {old["metadata/timestamp.json"], new["metadata/timestamp.json"]}
    assert steps > 3
    for last in (0, *sampled(range(1, steps - 1), 3), steps - 1, steps):
        put(registry, old)
        died = dies(step, real, last, torn=torn)
        assert died == (last < steps)
        assert (registry / "metadata/timestamp.json").read_bytes() in allowed
        found = state_of(registry)
        seen = client_reads(registry, tmp_path / "client" / str(last), "alpha")
        assert seen == found.packages["alpha"]
        step(real)
        assert files(registry) == new, f"after dying at change {last}"
        assert real.journal.pending() is None


ALIKE = range(16, 28)
"""The changes of a first publish that write one bin each, and one bin is like the next."""


@pytest.mark.parametrize("torn", sampled([False, True], 1), ids={False: "clean", True: "torn"}.get)
def test_dying_in_the_first_publish(*, torn: bool) -> None:
    undisturbed = memory_ports()
    steps = changes(publish_first, undisturbed)
    new = undisturbed.store.files
    others = [*range(ALIKE.start), *range(ALIKE.stop, steps)]
    for last in (*sampled(others, 8), *sampled(ALIKE, 2), steps):
        real = memory_ports()
        died = dies(publish_first, real, last, torn=torn)
        assert died == (last < steps)
        state = read_registry(real.store.read)
        assert state is None or kept(real.store.files) == kept(new)
        publish_first(real)
        assert real.store.files == new, f"after dying at change {last}"
        assert real.keys.made == undisturbed.keys.made
        assert real.journal.pending() is None
    assert steps > ALIKE.stop


def test_a_first_publish_resumed_keeps_its_id_and_keys(home: Path, registry: Path) -> None:
    real = ports(home, registry)
    for last in (1, 2, 3, 4):
        assert dies(publish_first, real, last, torn=False)
    keys = files(home / "keys")
    publish_first(real)
    assert len(keys) == 4
    assert files(home / "keys") == keys


@pytest.mark.parametrize("last", sampled([0, 1, 10, 21], 2))
def test_dying_while_everything_is_renewed(home: Path, registry: Path, last: int) -> None:
    def renew_all(p: Ports) -> PublishResult:
        return resign(NOW + timedelta(days=300), p)

    release(home, registry, FIRST)
    old, real = files(registry), ports(home, registry)
    renew_all(real)
    new = files(registry)
    put(registry, old)
    assert dies(renew_all, real, last, torn=True)
    assert state_of(registry).versions["timestamp"] == 1
    renew_all(real)
    assert files(registry) == new


@pytest.mark.unmeasured
def test_a_later_rerun_leaves_nothing_of_the_one_that_died(home: Path, registry: Path) -> None:
    founded(home, registry)
    old, real = files(registry), ports(home, registry)
    later = NOW + timedelta(hours=2)
    publish(SECOND, CLEAN, later, real)
    wanted = files(registry)
    for last in sampled(range(15), 3):  # the fifteenth change puts the new state in force
        put(registry, old)
        assert dies(publish_second, real, last, torn=True)
        publish(SECOND, CLEAN, later, real)
        assert files(registry) == wanted


def test_dying_and_then_publishing_nothing_cleans_up(home: Path, registry: Path) -> None:
    founded(home, registry)
    old, real = files(registry), ports(home, registry)
    for last in range(15):  # the fifteenth change puts the new state in force
        assert dies(publish_second, real, last, torn=True)
        assert release(home, registry, FIRST).written == 0
        assert files(registry) == old
        assert real.journal.pending() is None


def test_dying_before_the_checkpoint_is_copied(home: Path, registry: Path) -> None:
    """The new state is in force; the next publish tells monitors so, even if it has nothing new."""
    founded(home, registry)
    old, real = files(registry), ports(home, registry)
    publish_second(real)
    new = files(registry)
    for last in (15, 16):
        put(registry, old)
        assert dies(publish_second, real, last, torn=True)
        assert state_of(registry).versions["timestamp"] == 2
        left = files(registry)
        assert left["log/checkpoint"] == old["log/checkpoint"] != new["log/checkpoint"]
        publish_second(real)
        assert files(registry) == new
        assert real.journal.pending() is None


def test_a_refusal_leaves_what_died_as_it_is(home: Path, registry: Path) -> None:
    founded(home, registry)
    dies(publish_second, ports(home, registry), 5, torn=True)
    tree = FIRST | {PurePosixPath("pbes/prompt/alpha/1.0.0/alpha.prompt"): b"other"}
    refusal(lambda: release(home, registry, tree), registry, "RELEASE_CHANGED", FindingsError)


def test_leftovers_of_another_machine_are_cleared(home: Path, registry: Path) -> None:
    founded(home, registry)
    before = files(registry)
    for name in ("2.r4-0.json", "1.r-00.json", "7.targets.json", "3.snapshot.json", ".psreg-x"):
        (registry / "metadata" / name).write_bytes(b"left over")
    keep = {"metadata/9.owners.json": b"not ours", "metadata/README.md": b"neither"}
    put(registry, files(registry) | keep)
    assert release(home, registry, FIRST).written == 0
    assert files(registry) == before | keep


def test_a_note_about_another_registry_is_ignored(home: Path, registry: Path) -> None:
    founded(home, registry)
    stray = "targets/pkg/x.json"
    put(registry, files(registry) | {stray: b"x"})
    real = ports(home, registry)
    real.journal.begin(Intent(registry_id="0" * 32, after=1, targets=(stray,)))
    release(home, registry, FIRST)
    assert (registry / stray).exists()
    real.journal.begin(Intent(registry_id=root_id(registry), after=1, targets=(stray, "../x")))
    release(home, registry, FIRST)
    assert not (registry / stray).exists()
