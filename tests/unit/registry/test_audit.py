"""The audit of a registry: what it lists, and that nothing can disagree without being said."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from psreg.core.errors import TrustError, UnavailableError
from psreg.formats.tree import POLICY
from psreg.formats.tree import Tree as RegistryTree
from psreg.registry.audit import Audit, AuditedRelease, audit
from psreg.registry.keys.claiming import claim_names
from psreg.registry.log.checkpoint import Checkpoint, signed
from psreg.registry.log.growth import grow_log, tiles_of
from psreg.registry.logged_releases import checkpoint_of
from psreg.registry.owners.review import review_of
from psreg.registry.trust.issuing import issue
from psreg.registry.trust.roles import Target
from support.claims import ALPHA as ALPHA_TOML
from support.claims import claimed, owned, record_of, signed_by
from support.owners import ANA, BEN, entry_toml
from support.publishing import (
    FIRST,
    NOW,
    SECOND,
    Tree,
    change_record,
    entry,
    founded,
    logless,
    ports,
    release,
    signer_of,
    state_of,
    write,
)

ALPHA = "pbes/prompt/alpha/1.0.0/alpha.prompt"


@pytest.fixture
def published(home: Path, registry: Path) -> Path:
    """A registry with four releases, in two publishes."""
    founded(home, registry)
    release(home, registry, SECOND, NOW + timedelta(days=1))
    return registry


def audited(home: Path, registry: Path, tree: Tree = SECOND) -> tuple[AuditedRelease, ...]:
    read = ports(home, registry).store.read
    return audit(state_of(registry), read, lambda path: tree.get(PurePosixPath(path))).releases


def problems(home: Path, registry: Path, tree: Tree = SECOND) -> dict[str, tuple[str, ...]]:
    releases = audited(home, registry, tree)
    return {f"{each.name} {each.version}": each.problems for each in releases if each.problems}


def test_every_release_in_the_order_of_the_log(home: Path, published: Path) -> None:
    releases = audited(home, published)
    assert [each.index for each in releases] == [0, 1, 2, 3]
    assert {(each.name, each.version) for each in releases[:2]} == {
        ("alpha", "1.0.0"),
        ("beta", "0.1.0"),
    }
    for each in releases:
        assert each.record is not None
        assert each.row is not None
        assert (each.record.name, each.row.version, each.problems) == (each.name, each.version, ())


def test_who_signed_a_release(home: Path, registry: Path) -> None:
    claimed(home, registry, by=(ANA, BEN))
    tree = owned("1.0.0", "1.1.0", by=(ANA, BEN))
    tree |= signed_by(registry, tree, "1.1.0", BEN)
    release(home, registry, tree)
    found = {f"{each.name} {each.version}": each for each in audited(home, registry, tree)}
    assert {name: (each.signed, each.problems) for name, each in found.items()} == {
        "alpha 1.0.0": ((), ()),
        "beta 1.0.0": ((), ()),
        "alpha 1.1.0": (("github:2",), ()),
    }

    def unsigned(releases: Any) -> None:
        releases[1]["statement"] = None

    change_record(home, registry, unsigned)
    ((name, (problem,)),) = problems(home, registry, tree).items()
    assert (name, problem) == ("alpha 1.1.0", "alpha 1.1.0 is not signed by its owners")


def test_a_yank_that_no_owner_signed(home: Path, registry: Path) -> None:
    tree = claimed(home, registry)
    change_record(home, registry, lambda rows: rows[0].update(yanked="Because."))
    told = "alpha 1.0.0 is yanked, and its owners did not sign that"
    assert problems(home, registry, tree) == {"alpha 1.0.0": (told,)}


def test_a_review_that_is_not_in_the_tree(home: Path, registry: Path) -> None:
    tree = owned("1.0.0") | {POLICY: f'[[reviewer]]\nname="Ben"\nkeys=["{BEN.line}"]\n'.encode()}
    release(home, registry, tree)
    state, record = state_of(registry), record_of(registry)
    review = review_of(record, record.releases[0], state.registry_id)
    for number in (1, 64):
        here = tree | {
            PurePosixPath(f"pbes/prompt/alpha/reviews/1.0.0.{number}.txt"): BEN.sign(
                review.message, "review@psreg"
            )
        }
        release(home, registry, here, NOW + timedelta(days=number))
        assert problems(home, registry, here) == {}
    (problem,) = problems(home, registry, tree)["alpha 1.0.0"]
    assert problem.startswith("the review by Ben with SHA256:")
    assert problem.endswith(" is not in pbes/prompt/alpha/reviews")


def test_files_that_are_not_those_that_were_released(home: Path, published: Path) -> None:
    for path in SECOND:
        if path.name == "entry.toml":
            continue
        _, _, name, version, _ = path.parts
        altered = problems(home, published, SECOND | {path: b"altered"})
        assert altered == {f"{name} {version}": (f"{path} is not the file that was released",)}
        less = {other: data for other, data in SECOND.items() if other != path}
        assert problems(home, published, less) == {f"{name} {version}": (f"{path} is missing",)}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda rows: rows[0].pop("log"), {"alpha 1.0.0": "the log does not have it"}),
        (lambda rows: rows[0]["log"].update(index=3), {"alpha 1.0.0": "entry 3 of the log says"}),
        (lambda rows: rows[0]["log"].update(index=99), {"alpha 1.0.0": "entry 99 of the log says"}),
        (lambda rows: rows[0].update(sha256="0" * 64), {"alpha 1.0.0": "of the log says"}),
        (lambda rows: rows[0]["log"].update(owners="0" * 64), {"alpha 1.0.0": "of the log says"}),
        (lambda rows: rows[0]["log"].update(proof=[]), {"alpha 1.0.0": "its proof is not one"}),
        (lambda rows: rows[0]["log"].update(checkpoint="x"), {"alpha 1.0.0": "its proof is not"}),
        (lambda rows: rows.pop(0), {"alpha 1.0.0": "only the log has it"}),
        (lambda rows: rows[0].update(v=2), {"alpha 1.0.0": "only the log has it"}),
    ],
)
def test_a_record_that_says_something_else(
    home: Path, published: Path, change: Callable[[Any], object], told: dict[str, str]
) -> None:
    change_record(home, published, change)
    found = problems(home, published)
    assert told.keys() <= found.keys()
    for release_, words in told.items():
        assert any(words in problem for problem in found[release_])


def test_the_side_log_of_one_release(home: Path, published: Path) -> None:
    """Its place and its proof are right, but for a checkpoint that nobody else has seen."""
    state = state_of(published)
    (pem,) = (path.read_bytes() for path in home.glob("keys/*/log.pem"))
    newest = checkpoint_of(state)
    assert newest is not None
    own = Checkpoint(origin=newest.origin, size=0, root=hashlib.sha256().digest())

    def side(rows: Any) -> None:
        said = next(each for each in audited(home, published) if each.name == "alpha")
        assert said.record is not None
        assert said.row is not None
        assert said.index is not None
        real = said.record.log_entry(said.row)
        entries = [*([_Entry(b"{}")] * said.index), real, _Entry(b"{}")]
        grown = grow_log(own, entries, pem, tiles_of({}.get))  # type: ignore[arg-type]
        rows[0]["log"] = grown.records[said.index].to_json()

    change_record(home, published, side)
    (found,) = problems(home, published).values()
    assert len(found) == 1
    assert found[0].startswith("its proof is not one")


@pytest.mark.parametrize("data", [b"{}", b"[]", b"not JSON", b'{"name":"x","name":"y"}'])
def test_an_entry_that_no_record_has(home: Path, registry: Path, data: bytes) -> None:
    founded(home, registry)
    state, store = state_of(registry), ports(home, registry).store
    (pem,) = (path.read_bytes() for path in home.glob("keys/*/log.pem"))
    before = checkpoint_of(state)
    assert before is not None
    grown = grow_log(before, [_Entry(data)], pem, tiles_of(store.read))  # type: ignore[list-item]
    note = grown.note
    for path, content in grown.files.items():
        store.write(path, content)
    digest = hashlib.sha256(note).hexdigest()
    store.write(f"targets/log/{digest}.checkpoint", note)
    targets = {"log/checkpoint": Target.of(note)}
    write(registry, issue(state, targets, signer_of(home, registry), 2))
    (found,) = (each for each in audited(home, registry, FIRST) if each.problems)
    assert (found.name, found.version, found.index) == ("?", "?", 2)
    assert (found.record, found.row) == (None, None)


class _Entry:
    """An entry with other bytes than psreg would write."""

    owners = "0" * 64
    statement = None

    def __init__(self, data: bytes) -> None:
        self.data = data


def test_a_log_with_many_tiles(home: Path, registry: Path) -> None:
    many = entry("alpha", *(f"1.{minor}.0" for minor in range(300)))
    release(home, registry, many)
    assert [each.index for each in audited(home, registry, many)] == [*range(300)]
    assert problems(home, registry, many) == {}


def test_damaged_files_of_the_log_are_refused(home: Path, published: Path) -> None:
    for path in published.glob("log/tile/*/*/4"):
        data = path.read_bytes()
        path.write_bytes(data[::-1])
        with pytest.raises(TrustError) as caught:
            audited(home, published)
        assert caught.value.code == "TRUST_LOG"
        path.write_bytes(data)
    assert problems(home, published) == {}


def test_a_checkpoint_of_nobody(home: Path, published: Path) -> None:
    state = state_of(published)
    (pem,) = (path.read_bytes() for path in home.glob("keys/*/online.pem"))
    newest = checkpoint_of(state)
    assert newest is not None
    note = signed(newest, pem)
    digest = hashlib.sha256(note).hexdigest()
    ports(home, published).store.write(f"targets/log/{digest}.checkpoint", note)
    targets = {"log/checkpoint": Target.of(note)}
    write(published, issue(state, targets, signer_of(home, published), 3))
    with pytest.raises(TrustError) as caught:
        audited(home, published)
    assert caught.value.code == "TRUST_LOG"


def test_a_registry_without_a_log(
    home: Path, registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logless(monkeypatch)
    release(home, registry, FIRST)
    with pytest.raises(UnavailableError) as caught:
        audited(home, registry, FIRST)
    assert caught.value.code == "NO_LOG"


RECOVERY: dict[str, tuple[Callable[[list[Any]], object], list[list[str]]]] = {
    "nothing": (lambda _: None, [[]]),
    "the reason": (
        lambda rows: rows[0]["statement"]["predicate"].update(reason="stolen"),
        [["entry 2 of the log says something else", "its proof is not one"]],
    ),
    "who follows": (
        lambda rows: rows[0]["log"].update(owners="0" * 64),
        [["entry 2 of the log says something else", "its proof is not one"]],
    ),
    "the proof": (lambda rows: rows[0]["log"].update(proof=[]), [["its proof is not one"]]),
    "all of it": (lambda rows: rows.clear(), [["the log does not have it"]]),
}


@pytest.mark.parametrize(("spoil", "told"), RECOVERY.values(), ids=RECOVERY)
def test_a_recovery_is_compared_with_the_log(
    home: Path, registry: Path, spoil: Callable[[list[Any]], object], told: list[list[str]]
) -> None:
    tree = claimed(home, registry) | {ALPHA_TOML: entry_toml(BEN)}
    (alpha,) = (each for each in RegistryTree(tree).entries if each.name == "alpha")
    real = ports(home, registry)
    claim_names([alpha], NOW, real, recover="lost")
    release(home, registry, tree, NOW)

    def found() -> Audit:
        return audit(state_of(registry), real.store.read, lambda p: tree.get(PurePosixPath(p)))

    assert [(each.index, each.problems) for each in found().recoveries] == [(2, ())]
    change_record(home, registry, spoil, "recoveries")
    problems = [each.problems for each in found().recoveries]
    assert [[p.partition(":")[0] for p in each] for each in problems] == told
