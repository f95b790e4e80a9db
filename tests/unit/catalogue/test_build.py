"""Building and changing a site, as a library: what it reads of the registry, and what it returns."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tuf.api.metadata import Metadata

from psreg.catalogue.build import FixedParts, build_site
from psreg.catalogue.drafts import Draft, DraftCheck, Drafts
from psreg.catalogue.pages import json_api
from psreg.catalogue.previewed_registry import PreviewedRegistry
from psreg.catalogue.served_registry import ServedRegistry
from psreg.catalogue.site_source import SiteSource
from psreg.cli.rules import all_rules, registry_rules
from psreg.core.errors import TrustError, UnavailableError
from psreg.core.identity import EntryId
from psreg.git.work_tree import WorkTree
from psreg.registry.checkout import read_tree
from psreg.registry.keys.rotation import Wanted, rotate
from psreg.registry.search.layers import MOST_WHOLE
from psreg.registry.store_folder import RegistryFolder
from psreg.registry.trust.metadata import signers_of
from psreg.registry.trust.reading import open_registry
from support.catalogue import checkout
from support.claims import claimed
from support.publishing import NOW, entry, files, logless, ports, release


def check_of(source: SiteSource) -> DraftCheck:
    work_tree = WorkTree(source.checkout, "pbes")
    return DraftCheck(rules=registry_rules, now=NOW, work_tree=work_tree)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkout(tmp_path_factory.mktemp("registry"))


def registry(root: Path) -> ServedRegistry:
    read = RegistryFolder(root / "registry").read
    state = open_registry(read)
    assert state is not None
    return ServedRegistry(state, read)


def test_large_segments_have_layers_as_long_as_they_live(tmp_path: Path) -> None:
    tree = {
        path: data for n in range(MOST_WHOLE + 1) for path, data in entry(f"e{n}", "1.0.0").items()
    }

    def built(out: str) -> dict[str, bytes]:
        for path, data in tree.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(data)
        release(tmp_path / "home", tmp_path / "registry", tree)
        source = SiteSource(checkout=tmp_path, registry=tmp_path / "registry")
        fixed = FixedParts(rules=all_rules, scripts=dict)
        done = build_site(source, tmp_path / out, "", fixed)
        found = files(tmp_path / out)
        assert done.files == len(found)
        return found

    def folders(site: dict[str, bytes]) -> set[str]:
        index = json.loads(site["api/v1/index.json"])
        named = {each["search"] for each in index["segments"] if "search" in each}
        assert named == {
            path.rpartition("/")[0] + "/"
            for path in site
            if path.count("/") == 2 and path.startswith("search/")
        }
        return named

    first = folders(built("site"))
    assert len(first) == 1
    tree |= entry("e0", "1.0.0", "1.1.0")
    assert folders(built("site")) == first  # one release is a small segment of its own
    tree |= {p: d for n in range(MOST_WHOLE) for p, d in entry(f"e{n}", "1.0.0", "1.2.0").items()}
    changed = built("site")
    assert len(folders(changed) - first) == 1
    assert not folders(changed) & first
    assert changed == built("whole")


def test_a_site_is_built_and_then_changed(root: Path, tmp_path: Path) -> None:
    source = SiteSource(checkout=root, registry=root / "registry")
    fixed = FixedParts(rules=all_rules, scripts=lambda: {"x.py": b"pass\n"})
    out = tmp_path / "site"
    built = build_site(source, out, "", fixed)
    assert (built.entries, built.changed) == (5, None)
    assert built.files == len(files(out))
    assert (out / "scripts/x.py").read_bytes() == b"pass\n"
    again = build_site(source, out, "", fixed)
    assert (again.entries, again.files, again.changed) == (5, built.files, 0)
    plain = files(out)
    shutil.copytree(root, tmp_path / "copy")
    source = SiteSource(checkout=tmp_path / "copy", registry=tmp_path / "copy/registry")
    shutil.copytree(
        source.checkout / "pbes/prompt/river_letter", source.checkout / "pbes/prompt/apple_pie"
    )
    (source.checkout / "pbes/interactive_engine/listener/entry.toml").write_text("threshold = 1\n")
    drafted = build_site(source, out, "", fixed, draft_check=check_of(source))
    assert drafted.entry_count == "5 entries, 2 drafts"
    assert drafted.files == len(files(out))
    assert (out / "prompt/apple_pie/index.html").is_file()
    back = build_site(source, out, "", fixed)
    assert (back.entries, back.files) == (5, built.files)
    assert files(out) == plain


def test_the_dependents_of_an_entry_are_those_of_now(root: Path, tmp_path: Path) -> None:
    copy, out = tmp_path / "copy", tmp_path / "site"
    shutil.copytree(root, copy)
    source = SiteSource(checkout=copy, registry=copy / "registry")
    fixed = FixedParts(rules=all_rules, scripts=dict)

    def dependents() -> dict[str, list[dict[str, str]]]:
        found = json.loads((out / "api/v1/dependents.json").read_bytes())["dependents"]
        return {name: [f"{e['name']} {e['range']}" for e in each] for name, each in found.items()}

    build_site(source, out, "", fixed)
    assert dependents() == {}
    for path, data in entry("alpha", "1.0.0").items():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_bytes(data)
    with (copy / "pbes/prompt/alpha/1.0.0/release.toml").open("a") as manifest:
        manifest.write('[requires]\nlistener = "^1.1"\n')
    changed = build_site(source, out, "", fixed, draft_check=check_of(source))
    assert changed.changed
    assert dependents() == {"listener": ["alpha ^1.1"]}
    build_site(source, out, "", fixed)
    assert dependents() == {}


def test_sitemaps_that_are_too_many_are_removed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_api, "MOST_ADDRESSES", 1)  # one for each page
    fixed, out = FixedParts(rules=all_rules, scripts=dict), tmp_path / "site"
    shutil.copytree(root, tmp_path / "grown")
    grown = dict(read_tree(root)) | entry("alpha", "1.0.0")
    for path, data in grown.items():
        (tmp_path / "grown" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "grown" / path).write_bytes(data)
    release(tmp_path / "grown/home", tmp_path / "grown/registry", grown)
    sites = []
    for place in (root, tmp_path / "grown", root):
        source = SiteSource(checkout=place, registry=place / "registry")
        assert build_site(source, out, "https://example.org/", fixed).entries
        sites.append(files(out))
    before, between, after = ({path for path in each if "sitemap" in path} for each in sites)
    assert len(between - before) == 1
    assert after == before
    assert sites[2] == sites[0]


def test_a_change_writes_the_feeds_that_a_whole_build_writes(root: Path, tmp_path: Path) -> None:
    fixed, url = FixedParts(rules=all_rules, scripts=dict), "https://example.org/"
    copy, out = tmp_path / "copy", tmp_path / "site"
    shutil.copytree(root, copy)
    source = SiteSource(checkout=copy, registry=copy / "registry")
    build_site(source, out, url, fixed)
    assert 'type="application/atom+xml"' in (out / "index.html").read_text()
    before = files(out)
    grown = dict(read_tree(copy)) | entry("alpha", "1.0.0")
    for path, data in grown.items():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_bytes(data)
    release(copy / "home", copy / "registry", grown)
    assert build_site(source, out, url, fixed).changed
    after = files(out)
    build_site(source, out, url, fixed, full=True)
    assert files(out) == after
    changed = {path for path in after if "feed." in path and after[path] != before.get(path)}
    assert {path.rpartition("/")[0] for path in changed} == {"", "prompt", "prompt/alpha"}
    named = [
        item["_psreg"]["name"] for item in json.loads((out / "feed.json").read_text())["items"]
    ]
    assert {"alpha", "listener"} <= set(named)
    draft = copy / "pbes/prompt/alpha/1.1.0"
    shutil.copytree(copy / "pbes/prompt/alpha/1.0.0", draft)
    build_site(source, out, url, fixed, draft_check=check_of(source))
    assert files(out)["feed.json"] == after["feed.json"]


def test_a_preview_serves_what_is_served_without_drafts(root: Path) -> None:
    signed = registry(root)
    target = signed.state.targets["pkg/listener.json"]
    id_ = EntryId("interactive_engine", "listener")
    draft = Draft(id=id_, entry=None, changed=False, findings=(), refusals=(), signed=target)
    preview = PreviewedRegistry(signed, Drafts({"listener": draft}))
    found = dict(preview.files({}))
    assert set(found) == preview.paths
    assert dict(signed.files({})).items() <= found.items()
    (record,) = found.keys() - signed.paths
    assert hashlib.sha256(found[record]).hexdigest() == target.sha256
    listed = {role: set(preview.records(role)) for role in preview.bins}
    assert listed.pop("drafts") == {"listener"}
    assert set().union(*listed.values()) == {
        name for role in signed.bins for name in signed.records(role) if name != "listener"
    }
    assert "metadata/timestamp.json" not in dict(preview.files(preview.roles))
    assert preview.head == signed.head


def test_a_preview_of_what_was_never_published_serves_nothing() -> None:
    preview = PreviewedRegistry(None, Drafts({}))
    assert (preview.paths, dict(preview.files({}))) == (frozenset(), {})
    assert [*preview.roles] == [*preview.bins] == ["drafts"]
    assert preview.records("drafts") == {}
    assert preview.head.segments == ()


def served_of(folder: Path) -> ServedRegistry:
    read = RegistryFolder(folder).read
    state = open_registry(read)
    assert state is not None
    return ServedRegistry(state, read)


def test_claims_are_served(tmp_path: Path) -> None:
    claimed(tmp_path / "home", tmp_path / "registry")
    served = served_of(tmp_path / "registry")
    found = dict(served.files({}))
    assert set(found) == served.paths
    (claim,) = (path for path in found if path.startswith("targets/owners/"))
    assert json.loads(found[claim])["name"] == "alpha"
    roles = {path.split(".")[-2] for path in found if path.startswith("metadata/")}
    assert roles > {"owners", *served.state.bins_below["owners"].roles}
    assert [*found].index("metadata/2.targets.json") > [*found].index("metadata/1.owners.json")
    assert {*served.bins} == {*served.state.bins.roles}
    again = dict(served.files(served.roles, served={claim}))
    assert not [path for path in again if path == claim or path.startswith("metadata/1.o")]


def test_bins_that_are_former_ones_are_not_served(tmp_path: Path) -> None:
    """After the 257th name there are more bins; the snapshot lists the former ones for good."""
    for count, bins in ((256, 16), (257, 64)):
        tree = {p: d for n in range(count) for p, d in entry(f"n{n}", "1.0.0").items()}
        release(tmp_path / "home", tmp_path / "registry", tree)
        served = served_of(tmp_path / "registry")
        assert len([*served.bins]) == bins
        assert set(dict(served.files({}))) == served.paths
    assert len(served.state.versions) > len(served.roles)


def test_what_is_served_is_all_that_is_in_force(root: Path) -> None:
    served = registry(root)
    found = dict(served.files({}))
    assert set(found) == served.paths
    assert list(found)[-1] == "metadata/timestamp.json"
    for path, data in found.items():
        assert (root / "registry" / path).read_bytes() == data


def test_known_metadata_is_not_read_again(root: Path) -> None:
    served = registry(root)
    known = dict(served.roles)
    metadata = {path for path, _ in served.files(known) if path.startswith("metadata/")}
    assert metadata == set()
    known["snapshot"] = "0" * 64
    assert [path for path, _ in served.files(known)][-1] == "metadata/1.snapshot.json"


def test_every_root_is_served(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root, tmp_path / "copy")
    folder = tmp_path / "copy/registry/metadata"
    (pem,) = (root / "home/keys").glob("*/root.pem")
    second = Metadata[Any].from_bytes((folder / "1.root.json").read_bytes())
    second.signed.version = 2
    second.sign(*signers_of([pem.read_bytes()]).values())
    (folder / "2.root.json").write_bytes(second.to_bytes())
    served = registry(tmp_path / "copy")
    found = dict(served.files({}))
    assert {"metadata/1.root.json", "metadata/2.root.json"} <= set(found) == served.paths


def test_new_roots_follow_a_timestamp_that_former_clients_accept(tmp_path: Path) -> None:
    tree = entry("alpha", "1.0.0")
    root = tmp_path / "checkout"
    for path, data in tree.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    release(tmp_path / "home", root / "registry", tree)
    source = SiteSource(checkout=root, registry=root / "registry")
    fixed, out = FixedParts(rules=all_rules, scripts=dict), tmp_path / "site"
    build_site(source, out, "", fixed)
    served = registry(root).paths
    place = ports(tmp_path / "home", root / "registry")
    rotate(Wanted(new=["online", "timestamp"]), NOW, place)
    timestamp, second = "metadata/timestamp.json", "metadata/2.root.json"
    assert registry(root).last(served) == (timestamp, second)
    assert registry(root).last(()) == ("metadata/1.root.json", second, timestamp)
    assert PreviewedRegistry(registry(root), Drafts({})).last(served) == (timestamp, second)
    assert PreviewedRegistry(None, Drafts({})).last(served) == ()
    assert build_site(source, out, "", fixed).changed
    assert (out / "registry" / second).read_bytes() == (root / "registry" / second).read_bytes()
    rotate(Wanted(new=["timestamp"]), NOW, ports(tmp_path / "home", root / "registry"))
    third = "metadata/3.root.json"
    assert registry(root).last({*served, second}) == (timestamp, third)
    assert registry(root).last(served) == (second, third, timestamp)


def test_bins_list_the_records(root: Path) -> None:
    served = registry(root)
    records = {name: one for role in served.bins for name, one in served.records(role).items()}
    assert "listener" in records
    for name, target in records.items():
        assert (root / f"registry/targets/pkg/{target.sha256}.{name}.json").is_file()


def test_a_missing_file_is_told_where_it_is_needed(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root, tmp_path / "copy")
    served = registry(tmp_path / "copy")
    role = next(role for role in served.bins if served.records(role))
    served = registry(tmp_path / "copy")
    (tmp_path / "copy/registry/metadata" / f"1.{role}.json").unlink()
    assert role in served.roles
    with pytest.raises(TrustError, match="is missing"):
        served.records(role)


def test_a_registry_of_an_older_psreg_has_no_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logless(monkeypatch)
    release(tmp_path / "home", tmp_path / "registry", entry("alpha", "1.0.0"))
    served = registry(tmp_path)
    assert set(dict(served.files({}))) == served.paths
    assert not [path for path in served.paths if "/log/" in f"/{path}"]


def test_a_registry_of_an_older_psreg_has_no_head(root: Path) -> None:
    served = registry(root)
    served.state.catalog = {}
    with pytest.raises(UnavailableError, match="an older psreg"):
        _ = served.head
