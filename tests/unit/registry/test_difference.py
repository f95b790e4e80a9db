"""Publishing by difference: only what differs is judged, and the result is that of the whole."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

import pytest

from psreg.cli.rules import registry_rules
from psreg.core.classes import CLASSES
from psreg.core.diagnostics import Diagnostic, Report
from psreg.core.errors import FindingsError
from psreg.core.identity import is_name
from psreg.formats.json.canonical import canonical
from psreg.registry.actions.action import REVOKE
from psreg.registry.actions.withdrawal import VoidKey
from psreg.registry.baseline import Ports, read_baseline
from psreg.registry.catalog_head import segment_data
from psreg.registry.catalog_segments import folded_rows, read_segment
from psreg.registry.check.difference import _Whole, check_difference
from psreg.registry.difference import (
    Difference,
    Hint,
    SignedNames,
    compare,
    hint_of,
    inputs_of,
    names_in,
    next_seen,
    parts_of,
)
from psreg.registry.journal import Seen
from psreg.registry.publish import Change, publish
from psreg.registry.trust.issuing import issue
from psreg.registry.trust.metadata import MetadataSigner, signers_of
from psreg.registry.trust.reading import read_registry
from psreg.registry.trust.roles import LIFETIMES, Bins, Target, target_path
from support.actions import action_of
from support.histories import KINDS, WORDS, History, Tree
from support.publishing import memory_ports, unlogged
from support.registry_trees import POLICY, PROMPT, RELEASE, entry, tree, version
from support.walks import sampled

NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)
POLICY_FILE = PurePosixPath("registry/policy.toml")
NO_GIT = Hint()


class Commits:
    """A work tree in memory: the trees that were committed, and the files of today."""

    def __init__(self) -> None:
        self.trees: dict[str, Tree] = {}
        self.head = ""
        self.files: Tree = {}

    def commit(self) -> None:
        self.head = f"{len(self.trees):040x}"
        self.trees[self.head] = dict(self.files)

    def tree(self) -> str:
        return self.head

    def committed(self, since: str, tree: str) -> Collection[str] | None:
        return _apart(self.trees[since], self.trees[tree]) if since in self.trees else None

    def dirty(self, tree: str) -> Collection[str] | None:
        return _apart(self.trees[tree], self.files)


def _apart(one: Tree, other: Tree) -> set[str]:
    return {
        str(path)
        for path in {*one, *other}
        if one.get(path) != other.get(path) and path.parts[0] == "pbes"
    }


class Publisher:
    """Publishes trees one after the other, as the command line does; remembers what was done."""

    def __init__(self) -> None:
        self.ports: Ports = memory_ports()
        self.commits = Commits()
        self.seen: Seen | None = None
        self.found = Difference(names=frozenset(), tree={})
        self.told: list[Diagnostic] = []

    def publish(self, files: Mapping[PurePosixPath, bytes], *, commit: bool = True) -> None:
        """Publish `files`; raises FindingsError if the check fails."""
        self.commits.files = dict(files)
        if commit:
            self.commits.commit()
        baseline = read_baseline(self.ports)
        signed = SignedNames(baseline, self.ports.store.read)
        inputs = inputs_of(files.get(POLICY_FILE, b""), {})
        hint = hint_of(self.commits, self.seen, self._head()) if self.commits.head else NO_GIT
        places = None if signed.changed_inputs(inputs) else hint.places
        source = files if places is None else below(files, parts_of(places))
        self.found = compare(source, signed, inputs, None if places is None else names_in(places))
        told = check_difference(self.found, signed, registry_rules, irregular={}, today=NOW.date())
        self.told = list(told)
        change = Change(names=self.found.names, inputs=inputs, baseline=baseline)
        report = Report.of(1, self.told)
        done = publish(self.found.tree, report, NOW, self.ports, change=change)
        released = {release.name for release in done.released}
        self.seen = next_seen(hint, self.found, signed, released, done.head)

    def _head(self) -> str:
        state = read_registry(self.ports.store.read)
        target = state.targets.get("catalog/head.json") if state else None
        return target.sha256 if target else ""

    def records(self) -> dict[str, object]:
        """Return the records as JSON data, without their serial."""
        state = read_registry(self.ports.store.read)
        assert state is not None
        return {name: unlogged(data) | {"serial": None} for name, data in state.packages.items()}

    def rows(self) -> dict[str, object]:
        head = read_baseline(self.ports).head
        assert head is not None
        read = self.ports.store.read
        rows = folded_rows(read_segment(segment_data(each, read)) for each in head.segments)
        assert len(rows) == head.count
        return dict(rows)

    def codes(self, name: str = "") -> set[str]:
        """Return the codes of the errors, about one entry or all."""
        return {
            d.code
            for d in self.told
            if d.severity.value == "error" and d.waived is None and f"/{name}" in d.path
        }


def below(files: Mapping[PurePosixPath, bytes], parts: Collection[PurePosixPath]) -> Tree:
    inside = {
        path: data
        for path, data in files.items()
        if any(path.is_relative_to(part) for part in parts)
    }
    return inside | {POLICY_FILE: files[POLICY_FILE]}


def owned(name: str, number: int, *versions: str, more: str = "") -> dict[str, str]:
    owner = f'owners = [{{forge = "github", id = {number}, login = "o{number}"}}]\n'
    return entry(name, *versions, toml=owner + more)


# What differs


def test_only_what_differs_is_judged_and_written() -> None:
    publisher = Publisher()
    first = tree(entry("apple_pie"), entry("garden_plan"))
    publisher.publish(first)
    assert publisher.found.names == {"apple_pie", "garden_plan"}
    before = dict(publisher.ports.store.files)
    publisher.publish(first)
    assert publisher.found.is_empty
    assert publisher.ports.store.files == before
    broken = RELEASE.replace("MIT", "no licence") + 'changes = "Worse."\n'
    publisher.publish(tree(entry("apple_pie", "1.0.0", "1.1.0"), entry("garden_plan")))
    assert publisher.found.names == {"apple_pie"}
    with pytest.raises(FindingsError, match="nothing was published"):
        publisher.publish(
            tree(
                entry("apple_pie", "1.0.0", "1.1.0"),
                entry("garden_plan"),
                version("garden_plan", "1.1.0", release=broken),
            )
        )
    assert {d.path for d in publisher.told if d.severity.value == "error"} == {
        "pbes/prompt/garden_plan/1.1.0/release.toml"
    }


def test_a_released_version_is_not_judged_again_unless_it_changed() -> None:
    publisher = Publisher()
    publisher.publish(tree(entry("apple_pie")))
    publisher.publish(tree(entry("apple_pie", "1.0.0", "1.1.0")))
    assert {d.path.split("/")[3] for d in publisher.told} == {"1.1.0"}
    changed = tree(entry("apple_pie", "1.0.0", "1.1.0"))
    changed[PurePosixPath("pbes/prompt/apple_pie/1.0.0/README.md")] += b"\nMore.\n"
    with pytest.raises(FindingsError, match=r"1\.0\.0/README\.md"):
        publisher.publish(changed)
    for gone in ("pbes/prompt/apple_pie", "pbes/prompt/apple_pie/1.1.0"):
        left = {p: d for p, d in changed.items() if not p.is_relative_to(PurePosixPath(gone))}
        with pytest.raises(FindingsError, match="now absent"):
            publisher.publish(left)


@pytest.mark.parametrize("way", ["committed", "dirty", "without Git"])
def test_a_change_is_found_however_it_is_looked_for(way: str) -> None:
    publisher = Publisher()
    publisher.publish(tree(entry("apple_pie"), entry("garden_plan")), commit=way != "without Git")
    changed = tree(
        entry("apple_pie", toml="owners = []\naliases = ['pie']\n"), entry("garden_plan")
    )
    publisher.publish(changed, commit=way == "committed")
    assert publisher.found.names == {"apple_pie"}
    assert publisher.records()["apple_pie"]["aliases"] == ["pie"]
    back = tree(entry("apple_pie"), entry("garden_plan"))
    publisher.publish(back, commit=way == "committed")
    assert publisher.records()["apple_pie"]["aliases"] == []


def test_a_name_without_a_release_is_looked_at_again() -> None:
    publisher = Publisher()
    claimed = {"pbes/prompt/night_owl/entry.toml": "owners = []\n"}
    publisher.publish(tree(entry("apple_pie"), claimed))
    assert publisher.seen is not None
    assert publisher.seen.places == ("pbes/prompt/night_owl",)
    other = {"pbes/stateless_executor/night_owl/entry.toml": "owners = []\n"}
    with pytest.raises(FindingsError, match="nothing was published"):
        publisher.publish(tree(entry("apple_pie"), claimed, other))
    assert publisher.codes() == {"REG005"}


def test_what_is_in_no_entry_is_found() -> None:
    publisher = Publisher()
    publisher.publish(tree(entry("apple_pie")))
    for path, code in (("pbes/notes.txt", "REG001"), ("pbes/prompt/Apple/1.0.0/x.md", "REG002")):
        with pytest.raises(FindingsError, match="nothing was published"):
            publisher.publish(tree(entry("apple_pie"), {path: "x\n"}))
        assert code in publisher.codes()


# Rules across entries


ACROSS = {
    "the name of another class": (
        {"pbes/stateless_executor/apple_pie/entry.toml": "owners = []\n"},
        "REG005",
    ),
    "an alias that is a name": (
        entry("night_owl", toml="owners = []\naliases = ['apple_pie']\n"),
        "REG024",
    ),
    "an alias of another": (entry("night_owl", toml="owners = []\naliases = ['tart']\n"), "REG024"),
    "a name that is an alias": (entry("tart"), "REG024"),
    "a name like another": (owned("applepie", 2), "NAME001"),
    "a name one key away": (owned("apple_pia", 2), "NAME003"),
    "a name like an alias": (owned("torte", 2), "NAME003"),
    "an unknown replacement": (
        entry("night_owl", toml='owners = []\n[deprecated]\nreason = "r"\nreplacement = "pies"\n'),
        "REG019",
    ),
    "an unknown requirement": (
        version("night_owl", release=RELEASE + '[requires]\npies = "^1"\n')
        | {"pbes/prompt/night_owl/entry.toml": "owners = []\n"},
        "REG014",
    ),
}


@pytest.mark.parametrize(("added", "code"), ACROSS.values(), ids=ACROSS)
@pytest.mark.parametrize("many", [False, True])
def test_rules_across_entries_find_what_they_find_in_the_whole(
    added: dict[str, str], code: str, *, many: bool
) -> None:
    there = owned("apple_pie", 1, more="aliases = ['tart', 'torten']\n")
    rest = [entry(f"{word}_unlike_others") for word in MANY] if many else []
    publisher, at_once = Publisher(), Publisher()
    publisher.publish(tree(there))
    for each in (publisher, at_once):
        with pytest.raises(FindingsError, match="nothing was published"):
            each.publish(tree(there, added, *rest))
        assert code in each.codes()
    assert publisher.codes() == at_once.codes()


MANY = [
    a + b for a in ("red", "green", "blue", "grey", "black") for b in ("house", "tree", "sky", "x")
]
"""So many new names that they are compared with all others."""


def requiring(name: str, number: str, other: str, more: str = "") -> dict[str, str]:
    return version(name, number, release=f'{RELEASE}{more}[requires]\n{other} = "^1"\n')


def test_a_cycle_through_entries_that_do_not_differ_is_found() -> None:
    names = ["night_owl", "apple_pie", "garden_plan", "silver_coin"]
    chain = [requiring(one, "1.0.0", other) for one, other in pairwise(names)]
    owners = [{f"pbes/prompt/{name}/entry.toml": "owners = []\n"} for name in names]
    there = tree(*chain, *owners, version("silver_coin"))
    publisher = Publisher()
    publisher.publish(there)
    assert "REG042" not in publisher.codes()
    closing = tree(requiring("silver_coin", "1.1.0", "night_owl", 'changes = "x"\n'))
    with pytest.raises(FindingsError, match="nothing was published"):
        publisher.publish(there | closing)
    assert publisher.found.names == {"silver_coin"}
    (found,) = [each for each in publisher.told if each.code == "REG042"]
    assert found.path == "pbes/prompt/silver_coin/1.1.0/release.toml"
    assert "silver_coin 1.1.0 requires night_owl 1.0.0 requires apple_pie" in found.message


def test_what_names_another_entry_as_it_should_is_accepted() -> None:
    publisher = Publisher()
    publisher.publish(tree(entry("apple_pie"), entry("garden_plan")))
    advice = 'owners = []\n[deprecated]\nreason = "r"\nreplacement = "apple_pie"\n'
    publisher.publish(tree(entry("apple_pie"), entry("garden_plan", toml=advice)))
    assert publisher.records()["garden_plan"]["deprecated"]["replacement"] == "apple_pie"
    needs = version("night_owl", release=RELEASE + '[requires]\napple_pie = "^1"\n')
    needs["pbes/prompt/night_owl/entry.toml"] = "owners = []\n"
    publisher.publish(tree(entry("apple_pie"), entry("garden_plan", toml=advice), needs))
    assert "REG014" not in publisher.codes()
    assert publisher.records()["night_owl"]["releases"][0]["release"]["requires"] == {
        "apple_pie": "^1"
    }


def test_the_policy_may_name_any_entry() -> None:
    publisher = Publisher()
    files = tree(entry("apple_pie"), entry("garden_plan"))
    publisher.publish(files)
    named = POLICY.replace('"*"', '"*", "garden_plan", "apple_pia"')
    publisher.publish(files | {POLICY_FILE: named.encode()})
    (told,) = (d for d in publisher.told if d.code == "REG020")
    assert "`apple_pia`" in told.message
    assert "`apple_pie`" in told.hint


# Inputs


def test_a_changed_policy_computes_all_records_again() -> None:
    publisher = Publisher()
    files = tree(entry("apple_pie"), entry("garden_plan"))
    publisher.publish(files)
    assert publisher.found.again == ()
    other = POLICY.replace("ever run", "run at all")
    publisher.publish(files | {POLICY_FILE: other.encode()})
    assert (publisher.found.again, len(publisher.found.names)) == (("policy",), 2)
    for record in publisher.records().values():
        (row,) = record["releases"]
        assert row["waived"][0]["reason"] == "Nothing here is run at all."
    with pytest.raises(FindingsError, match="nothing was published"):
        publisher.publish(files | {POLICY_FILE: b""})


def test_inputs_are_policy_actions_and_schema() -> None:
    one = inputs_of(b"")
    assert set(one) == {"policy", "actions", "schema"}
    action = action_of(1, REVOKE, name="alpha", version="1.0.0", sha256="0" * 64)
    two = inputs_of(b"x", [action])
    assert {name for name in one if one[name] != two[name]} == {"policy", "actions"}
    void = {"SHA256:a": VoidKey(key="SHA256:a", after=3, action=1)}
    three = inputs_of(b"", (), void)
    assert {**three, "keys": ""} == {**one, "keys": ""}
    assert three != inputs_of(b"", (), {"SHA256:a": VoidKey(key="SHA256:a", after=2, action=1)})


# Hints


def test_what_is_not_known_compares_everything() -> None:
    publisher = Publisher()
    files = tree(entry("apple_pie"))
    publisher.publish(files)
    seen, head = publisher.seen, publisher._head()
    assert seen is not None
    assert hint_of(publisher.commits, seen, head).places == frozenset()
    unknown = [
        (None, head, "what was last published from here is not known"),
        (seen, "0" * 64, "the registry was published from elsewhere"),
        (replace(seen, tree="f" * 40), head, "this clone lacks the tree that was published last"),
        (seen, "", ""),
    ]
    for said, signed_head, why in unknown:
        hint = hint_of(publisher.commits, said, signed_head)
        assert (hint.places, hint.why, hint.tree) == (None, why, publisher.commits.head)


def test_parts_are_the_folders_of_a_name_in_every_class() -> None:
    places = {PurePosixPath("pbes/prompt/a"), PurePosixPath("pbes/x.txt")}
    assert names_in(places) == {"a"}
    folders = {f"pbes/{each}/a" for each in CLASSES}
    assert {str(part) for part in parts_of(places)} == {"pbes/x.txt", *folders}


# The law


@pytest.mark.parametrize("steps", sampled([200, 40, 41, 42, 43], 1))
def test_law_publishing_one_by_one_gives_what_publishing_the_last_tree_gives(steps: int) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    walk, one_by_one, at_once = History(seed), Publisher(), Publisher()
    files: Tree = {}
    for _ in range(steps):
        files = walk.step()
        one_by_one.publish(files, commit=walk.random.random() < 0.7)
    at_once.publish(files)
    assert one_by_one.records() == at_once.records()
    assert one_by_one.rows() == at_once.rows()
    assert all(map(is_name, one_by_one.rows()))


@pytest.mark.unmeasured
def test_law_histories_that_get_more_bins_give_the_records_and_rows_of_the_last_tree() -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    many = tree(*(entry(f"made_{word}_{at}") for word in WORDS for at in range(28)))
    del many[POLICY_FILE]
    kinds = tuple(kind for kind in KINDS if kind != "policy")  # which computes all of them again
    walk, one_by_one, at_once = History(seed, kinds), Publisher(), Publisher()
    files = many | walk.step()
    while len(walk.versions) + 28 * len(WORDS) < 257:
        one_by_one.publish(files)
        files = many | walk.step()
    before = read_registry(one_by_one.ports.store.read)
    one_by_one.publish(files)
    at_once.publish(files)
    after = read_registry(one_by_one.ports.store.read)
    assert before is not None
    assert after is not None
    assert (before.bins, after.bins) == (Bins.for_names(256), Bins.for_names(257))
    assert one_by_one.records() == at_once.records()
    assert one_by_one.rows() == at_once.rows()


# Registries of an older psreg


def signed_files(ports: Ports) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the head of the catalogue and the records by name, to be changed."""
    state = read_registry(ports.store.read)
    assert state is not None
    records = {name: json.loads(data) for name, data in state.packages.items()}
    return json.loads(state.catalog["head"].data), records


def put_segment(ports: Ports, head: dict[str, Any], data: bytes) -> None:
    """Make `data` the only segment of a head."""
    target, (before,) = Target.of(data), head["segments"]
    ports.store.write(f"targets/segments/{target.sha256}.json", data)
    listed = {"sha256": target.sha256, "length": target.length, "count": before["count"]}
    head["segments"] = [listed]


def sign_files(ports: Ports, head: dict[str, Any], records: dict[str, Any]) -> None:
    """Sign a head and records as the next state."""
    state = read_registry(ports.store.read)
    assert state is not None
    pems = ports.keys.load(state.registry_id)
    signer = MetadataSigner(
        keys=signers_of(pems.values()),
        source="",
        now=NOW,
        registry_id=state.registry_id,
        lifetimes=LIFETIMES,
    )
    files = {"catalog/head.json": head} | {f"pkg/{name}.json": r for name, r in records.items()}
    contents = {path: canonical(value) for path, value in files.items()}
    changes = {path: Target.of(data) for path, data in contents.items()}
    for path, data in contents.items():
        ports.store.write(target_path(path, changes[path].sha256), data)
    for document in issue(state, changes, signer):
        name = document.role if document.role == "timestamp" else None
        place = f"metadata/{name or f'{document.version}.{document.role}'}.json"
        ports.store.write(place, document.data)


def make_older(ports: Ports) -> None:
    """Sign what the versions of psreg signed that knew no digests of folders and inputs."""
    head, records = signed_files(ports)
    (segment,) = head["segments"]
    rows = json.loads(ports.store.read(f"targets/segments/{segment['sha256']}.json") or b"")
    newer = ("aliases", "owners", "sketch", "words")
    put_segment(ports, head, canonical({key: rows[key] for key in rows if key not in newer}))
    for record in records.values():
        del record["folder"]
    sign_files(ports, {k: head[k] for k in head if k not in ("inputs", "latest")}, records)


def test_the_registry_of_an_older_psreg_is_computed_again() -> None:
    publisher = Publisher()
    files = tree(entry("apple_pie"), owned("garden_plan", 2))
    publisher.publish(files)
    new = publisher.records()
    make_older(publisher.ports)
    assert all("folder" not in record for record in publisher.records().values())
    publisher.publish(files)
    assert publisher.found.again == ("layout",)
    assert publisher.records() == new
    assert publisher.rows()["garden_plan"]["owners"] == ("github:2",)
    publisher.publish(files)
    assert publisher.found.is_empty


def test_without_a_commit_there_is_no_hint() -> None:
    assert hint_of(Commits(), None, "0" * 64) == Hint()


def test_the_names_of_a_registry_are_those_of_the_difference_and_the_signed_ones() -> None:
    publisher = Publisher()
    publisher.publish(tree(entry("apple_pie"), entry("garden_plan")))
    signed = SignedNames(read_baseline(publisher.ports), publisher.ports.store.read)
    files = tree(entry("night_owl"))
    whole = _Whole(files, {}, NOW.date(), signed, {"night_owl", "garden_plan"})
    assert dict(whole.names) == {"apple_pie": ("prompt",), "night_owl": ("prompt",)}
    assert len(whole.names) == 2
    assert whole.versions("apple_pie") == whole.versions("night_owl") == ("1.0.0",)
    assert whole.versions("garden_plan") == ()


def test_records_without_sketch_and_words_get_them_when_the_schema_changed() -> None:
    publisher = Publisher()
    words = " ".join(f"word{n}" for n in range(90))
    files = tree(entry("apple_pie"), version("apple_pie", prompt=PROMPT + words + "\n"))
    publisher.publish(files)
    new, rows = publisher.records(), publisher.rows()
    (row,) = new["apple_pie"]["releases"]
    assert len(row["sketch"]) == 320
    assert rows["apple_pie"]["sketch"] == row["sketch"][:20]
    assert row["words"] == rows["apple_pie"]["words"] != ""
    without_texts(publisher.ports)
    assert not {"sketch", "words"} & publisher.records()["apple_pie"]["releases"][0].keys()
    assert not {"sketch", "words"} & publisher.rows()["apple_pie"].keys()
    publisher.publish(files)
    assert publisher.found.again == ("schema",)
    assert (publisher.records(), publisher.rows()) == (new, rows)


LATER = ("sketch", "words")


def without_texts(ports: Ports) -> None:
    """Sign what the versions of psreg signed that made no sketches and listed no words."""
    head, records = signed_files(ports)
    (segment,) = head["segments"]
    rows = json.loads(ports.store.read(f"targets/segments/{segment['sha256']}.json") or b"")
    put_segment(ports, head, canonical({key: rows[key] for key in rows if key not in LATER}))
    head["inputs"] = head["inputs"] | {"schema": "0" * 64}
    for record in records.values():
        for release in record["releases"]:
            for key in LATER:
                del release[key]
    sign_files(ports, head, records)
