"""Deploying to a bucket: what is written, in which order, and what one that dies leaves behind."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copytree

import pytest
from tuf.api.exceptions import RepositoryError

from psreg.core.errors import TrustError, UnavailableError, UsageError
from psreg.registry.actions.action import PURGE
from psreg.registry.deploy import deploy as deploying
from psreg.registry.deploy.deploy import KEEP, Deployment, deploy
from psreg.registry.deploy.deployable import Deployable
from psreg.registry.deploy.deployed import Deployed, read_deployed
from psreg.registry.deploy.headers import DEPLOY_FILE, TIMESTAMP_FILE
from psreg.registry.deploy.site_files import SiteFiles
from psreg.registry.keys.rotation import Wanted, rotate
from psreg.registry.publish import Change
from psreg.registry.withdrawing.taking import release_subject, take
from support.buckets import MemoryBucket
from support.publishing import (
    FIRST,
    NOW,
    SECOND,
    Died,
    client_reads_with,
    entry,
    logless,
    ports,
    release,
    renewed,
)
from support.sites import PAGES, Published
from support.walks import sampled

LATER = {**PAGES, "index.html": b"<html>" + b"Another page. " * 100}
del LATER["assets/site.css"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A registry with two states, and the sites of both."""
    published = Published.founded(tmp_path_factory.mktemp("shared"))
    sites = [published.site("first", FIRST)]
    published.publish(SECOND)
    sites.append(published.site("second", SECOND, LATER))
    CHECKED.update(dict.fromkeys(sites))
    yield published, *sites
    CHECKED.clear()


CHECKED: dict[Path, Deployable | None] = {}
"""The sites that no test changes, checked once."""


@pytest.fixture
def first(shared):
    return shared[1]


@pytest.fixture
def second(shared):
    return shared[2]


@pytest.fixture
def published(shared, tmp_path):
    """The registry in its second state."""
    return shared[0].clone(tmp_path / "published", shared[2])


@pytest.fixture
def own(first, tmp_path):
    """A copy of the first site, which the test may change."""
    return copytree(first, tmp_path / "own")


def put(site: Path, bucket: MemoryBucket, *, now: datetime = NOW, **options) -> Deployment:
    """Deploy the site in a folder."""
    source = CHECKED.get(site) if now == NOW and bucket.packs else None
    source = source or Deployable(SiteFiles(site), now, pack=bucket.packs)
    if site in CHECKED and now == NOW and bucket.packs:
        CHECKED[site] = source
    return deploy(source, bucket, now, **options)


def served(site: Path) -> set[str]:
    paths = (path for path in site.rglob("*") if path.is_file())
    return {path.relative_to(site).as_posix() for path in paths} - {".psreg-site"}


def reads(bucket: MemoryBucket, cache: Path, name: str = "alpha") -> bytes | None:
    """Return the record that a client accepts, and check the artifacts in it."""
    return client_reads_with(lambda path: bucket.objects.get(f"registry/{path}"), cache, name)


def test_everything_is_written_and_the_timestamp_last(first):
    bucket = MemoryBucket()
    done = put(first, bucket)
    assert set(bucket.objects) == served(first) | {DEPLOY_FILE}
    assert set(done.written) == served(first)
    assert done.written[-1] == TIMESTAMP_FILE
    assert (done.unchanged, done.removed, done.kept, done.foreign) == (0, (), 0, 0)
    order = [path for path in bucket.written if path != DEPLOY_FILE]
    assert order == list(done.written)
    kinds = [kind(path) for path in order]
    assert kinds == sorted(kinds)
    assert {*kinds} == set(range(6))


def kind(path: str) -> int:
    """Return the stage of a file: content, metadata, assets and data, pages, roots, timestamp."""
    if path.startswith("registry/metadata/"):
        return {"root": 4, "timestamp": 5}.get(path.split(".")[-2].rpartition("/")[2], 1)
    if path.startswith(("pbes/", "registry/targets/", "registry/log/tile/")):
        return 0
    return 3 if path.endswith(".html") else 2


def test_what_clients_verify_is_stored_as_it_is_and_pages_are_packed(first):
    bucket = MemoryBucket()
    put(first, bucket)
    packed = {path for path, data in bucket.objects.items() if data.startswith(b"\x1f\x8b")}
    assert packed == {"index.html", "assets/site.css", DEPLOY_FILE}
    for path in served(first) - packed:
        assert bucket.objects[path] == (first / path).read_bytes()
    plain = MemoryBucket(packs=False)
    put(first, plain)
    assert plain.objects["index.html"] == (first / "index.html").read_bytes()


def test_the_same_site_again_writes_nothing(first):
    bucket = MemoryBucket()
    put(first, bucket)
    count = len(bucket.written)
    done = put(first, bucket)
    assert len(bucket.written) == count
    assert (done.written, done.unchanged) == ((), len(served(first)))
    assert bucket.listings == 1  # the first time, to see that nothing is in the way


def test_only_what_differs_is_written(first, second):
    bucket = MemoryBucket()
    put(first, bucket)
    told = []
    done = put(second, bucket, progress=lambda n, of: told.append((n, of)))
    differing = {
        path
        for path in served(second)
        if not (first / path).is_file()
        or (first / path).read_bytes() != (second / path).read_bytes()
    }
    assert set(done.written) == differing
    assert told == [(n + 1, len(differing)) for n in range(len(differing))]
    assert done.kept == len(served(first) - served(second)) > 1
    assert bucket.listings == 1
    assert done.length == sum(len(bucket.objects[path]) for path in done.written)


def test_a_dry_run_changes_nothing(first, second):
    bucket = MemoryBucket()
    put(first, bucket)
    before = dict(bucket.objects)
    done = put(second, bucket, dry_run=True, keep=timedelta(0))
    assert bucket.objects == before
    assert done.written
    assert done.removed == ("assets/site.css",)
    assert done.length == 0
    assert put(second, bucket).written == done.written


def changes(first: Path, second: Path) -> int:
    """Return how many changes the second deployment makes."""
    bucket = MemoryBucket()
    put(first, bucket)
    before = len(bucket.written)
    return len(bucket.written) - before + len(put(second, bucket).written) + 2


@pytest.mark.parametrize(
    ("new", "then"),
    [
        (["online", "timestamp"], "timestamp, root"),
        (["timestamp"], "timestamp, root"),
        (["log"], "root"),
        (["log", "publish"], "root, timestamp"),
        (["online", "timestamp", "again"], "root, root, timestamp"),
    ],
    ids=str,
)
def test_keys_are_replaced(new, then, tmp_path):
    """A client can read at every moment, unless the site lacks what the former keys signed last."""
    published, bucket = Published.founded(tmp_path / "published"), MemoryBucket()
    place = ports(published.home, published.registry)
    put(published.site("first", FIRST), bucket)
    reads(bucket, tmp_path / "old")
    rotate(Wanted(new=[name for name in new if name not in ("again", "publish")]), NOW, place)
    if "publish" in new:
        published.publish(SECOND)
    if again := "again" in new:
        rotate(Wanted(new=["timestamp"]), NOW, ports(published.home, published.registry))
    refused = []

    def read(path: str) -> None:
        for cache in ("old", f"new-{len(bucket.written)}"):
            try:
                assert reads(bucket, tmp_path / cache)
            except RepositoryError:
                refused.append(path)

    bucket.meanwhile = read
    done = put(published.site("second", SECOND if "publish" in new else FIRST), bucket)
    last = [path.split("/")[-1].split(".")[-2] for path in done.written[-1 - then.count(",") :]]
    assert ", ".join(last) == then
    assert set(refused) == ({"registry/metadata/3.root.json", TIMESTAMP_FILE} if again else set())
    assert reads(bucket, tmp_path / "old") == reads(bucket, tmp_path / "newest") is not None
    assert put(tmp_path / "published/second", bucket).written == ()


def test_a_deployment_killed_before_the_new_root_is_completed(tmp_path):
    published, bucket = Published.founded(tmp_path / "published"), MemoryBucket()
    put(published.site("first", FIRST), bucket)
    place = ports(published.home, published.registry)
    rotate(Wanted(new=["online", "timestamp"]), NOW, place)
    site = published.site("second", FIRST)

    def dies(path: str) -> None:
        if path.endswith(".root.json"):
            raise Died

    bucket.meanwhile = dies
    with pytest.raises(Died):
        put(site, bucket)
    assert reads(bucket, tmp_path / "between")
    bucket.meanwhile = lambda _path: None
    assert "registry/metadata/2.root.json" in put(site, bucket).written
    assert reads(bucket, tmp_path / "between") == reads(bucket, tmp_path / "newest") is not None


@pytest.mark.unmeasured
def test_a_deployment_killed_anywhere_leaves_what_clients_accept(first, second, tmp_path):
    count = changes(first, second)
    whole = MemoryBucket()
    put(first, whole)
    put(second, whole)
    for last in sampled(range(count), 12):
        bucket = MemoryBucket()
        put(first, bucket)
        old = reads(bucket, tmp_path / f"cache-{last}")
        bucket.last = last
        with pytest.raises(Died):
            put(second, bucket)
        bucket.last = -1
        there = reads(bucket, tmp_path / f"cache-{last}")
        assert (there != old) == (last == count - 1)  # the timestamp, but not deploy.json
        done = put(second, bucket)
        assert reads(bucket, tmp_path / f"cache-{last}") == reads(whole, tmp_path / "whole") != old
        assert bucket.objects.keys() == whole.objects.keys()
        assert bucket.listings == 1
        assert TIMESTAMP_FILE in done.written or last == count - 1


@pytest.mark.unmeasured
def test_a_first_deployment_killed_anywhere_is_completed(first, tmp_path):
    count = len(served(first)) + 2
    for last in sampled(range(count), 6):
        bucket = MemoryBucket()
        bucket.last = last
        with pytest.raises(Died):
            put(first, bucket)
        bucket.last = -1
        put(first, bucket)
        assert reads(bucket, tmp_path / f"cache-{last}")


def test_a_long_deployment_goes_on_where_it_was_killed(first, monkeypatch):
    monkeypatch.setattr(deploying, "BATCH", 2)
    bucket = MemoryBucket()
    bucket.last = 9
    with pytest.raises(Died):
        put(first, bucket)
    bucket.last = -1
    assert len(put(first, bucket).written) <= len(served(first)) - 4


def test_what_a_killed_deployment_wrote_over_is_written_again(first, second):
    """Nobody knows whether it was written; then the former site is deployed in its place."""
    bucket = MemoryBucket()
    put(first, bucket)
    bucket.last = len(put(second, bucket, dry_run=True).written)
    with pytest.raises(Died):
        put(second, bucket)
    bucket.last = -1
    assert bucket.objects["index.html"] != put_alone(first)["index.html"]
    put(first, bucket)
    assert bucket.objects["index.html"] == put_alone(first)["index.html"]


def put_alone(site: Path) -> dict[str, bytes]:
    bucket = MemoryBucket()
    put(site, bucket)
    return bucket.objects


@pytest.mark.parametrize("full", [False, True])
def test_an_older_state_is_refused(first, second, full):
    bucket = MemoryBucket()
    put(second, bucket)
    before = dict(bucket.objects)
    with pytest.raises(
        TrustError, match="state 2 is in force in memory://bucket, this site is 1"
    ) as told:
        put(first, bucket, full=full)
    assert told.value.code == "DEPLOY_OLDER"
    assert bucket.objects == before


def test_another_registry_is_refused(first, tmp_path):
    bucket = MemoryBucket()
    put(first, bucket)
    (tmp_path / "other").mkdir()
    assert code_of(other_registry(tmp_path / "other"), bucket) == "DEPLOY_FORKED"
    del bucket.objects[DEPLOY_FILE]
    assert code_of(tmp_path / "other/site", bucket) == "DEPLOY_FOREIGN"


def other_registry(folder: Path) -> Path:
    """Return a site of a registry with other keys and another id."""
    other = Published(folder)
    other.publish(FIRST)
    return other.site("site", FIRST)


def code_of(site: Path, bucket: MemoryBucket, **options) -> str:
    """Return the code with which a deployment is refused, and check that it changed nothing."""
    before = dict(bucket.objects)
    with pytest.raises((TrustError, UnavailableError, UsageError)) as told:
        put(site, bucket, **options)
    assert bucket.objects == before
    return told.value.code


def test_another_history_of_the_same_registry_is_refused(published, first, second, tmp_path):
    """Two clones published: the second one must not write over metadata that is in force."""
    fork = published.clone(tmp_path / "fork", first)
    fork.publish(FIRST | entry("delta", "1.0.0"))
    same = published.clone(tmp_path / "renewed", first)
    renewed(same.home, same.registry, timedelta(hours=1))
    bucket = MemoryBucket()
    put(second, bucket)
    assert code_of(same.site("site", FIRST), bucket) == "DEPLOY_FORKED"
    same_version = fork.site("same", FIRST | entry("delta", "1.0.0"))
    bucket = MemoryBucket()
    put(second, bucket)
    assert code_of(same_version, bucket) == "DEPLOY_FORKED"
    tree = FIRST | entry("delta", "1.0.0", "2.0.0")
    fork.publish(tree)
    assert code_of(fork.site("newer", tree), bucket) == "DEPLOY_FORKED"
    tree = FIRST | entry("alpha", "1.0.0", "1.2.0") | entry("gamma", "2.0.0")
    other = published.clone(tmp_path / "other", first)
    for step in (tree, tree | entry("beta", "0.1.0", "0.2.0", entry_class="interactive_engine")):
        other.publish(step)
    assert code_of(other.site("without", step), bucket) == "DEPLOY_FORKED"


@pytest.mark.parametrize("code", ["DEPLOY_OLDER", "DEPLOY_FORKED"])
def test_what_stolen_keys_deployed_is_replaced_once_they_are(first, published, tmp_path, code):
    """A thief deploys newer states, or one of the version that ours has then."""
    own = published.clone(tmp_path / "own", first)
    thief = published.clone(tmp_path / "thief", first)
    tree = FIRST
    for number in range(3 if code == "DEPLOY_OLDER" else 1):
        tree = tree | entry("alpha", *(f"1.{minor}.0" for minor in range(number + 2)))
        thief.publish(tree)
    bucket = MemoryBucket()
    put(first, bucket)
    put(thief.site("site", tree), bucket)
    assert code_of(own.site("before", FIRST), bucket) == "DEPLOY_OLDER"
    assert code_of(tmp_path / "own/before", bucket, full=True) == "DEPLOY_OLDER"
    rotate(Wanted(new=["online", "timestamp"]), NOW, ports(own.home, own.registry))
    site = own.site("after", FIRST)
    assert code_of(site, bucket) == code
    with pytest.raises(TrustError) as told:
        put(site, bucket)
    assert "pass `--full`" in told.value.hint
    put(site, bucket, full=True)
    assert (
        reads(bucket, tmp_path / "new")
        == next(site.glob("registry/targets/pkg/*.alpha.json")).read_bytes()
    )
    assert put(site, bucket).written == ()


OTHER = f"{1:032}:{0:08}"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("registry/metadata/2.snapshot.json", "DEPLOY_FORKED"),
        ("registry/metadata/1.snapshot.json", "DEPLOY_FORKED"),
        ("registry/metadata/7.r0-0.json", ""),  # a bin of another number of bins
        ("registry/targets/pkg/" + "0" * 64 + ".alpha.json", ""),
        ("pbes/prompt/alpha/1.0.1/alpha.prompt", "DEPLOY_FORKED"),
        ("pbes/prompt/lost/1.0.0/lost.prompt", "DEPLOY_FORKED"),
        ("pbes/prompt/alpha/1.0.0/alpha.prompt", "DEPLOY_FORKED"),
        ("pbes/prompt/alpha/1.0.0/notes.md", ""),
        ("lost/index.html", ""),
    ],
)
def test_what_is_in_force_has_to_be_in_the_history_of_the_site(first, path, code):
    bucket = MemoryBucket()
    put(first, bucket)
    note = read_deployed_of(bucket)
    bucket.objects[DEPLOY_FILE] = replace(note, files={**note.files, path: OTHER}).to_bytes()
    if code:
        assert code_of(first, bucket) == code
    else:
        assert put(first, bucket).kept == 1


def test_two_at_once_cannot_roll_each_other_back(own, second):
    """The slower of two deployments notices, and says which pages it wrote over."""
    bucket = MemoryBucket()
    put(own, bucket)
    renewed_page = (second / "index.html").read_bytes()

    def other(path):
        if path == "index.html":
            bucket.meanwhile = lambda _path: None
            put(second, bucket)

    bucket.meanwhile = other
    (own / "index.html").write_bytes(b"<html>" + b"A page that is older. " * 50)
    with pytest.raises(TrustError) as told:
        put(own, bucket)
    assert told.value.code == "DEPLOY_CONFLICT"
    assert read_deployed_of(bucket).begun == {"index.html": ""}
    done = put(second, bucket)
    assert done.written == ("index.html",)
    assert SiteFiles(second).read("index.html") == renewed_page


def test_two_at_once_with_the_same_start(published, first, second):
    """Both began before either had written: only one of two newer states comes into force."""
    bucket = MemoryBucket()
    put(first, bucket)
    published.publish(SECOND | entry("delta", "1.0.0"))
    third = published.site("third", SECOND | entry("delta", "1.0.0"))

    def other(path):
        if path == TIMESTAMP_FILE:
            bucket.meanwhile = lambda _path: None
            put(third, bucket)

    bucket.meanwhile = other
    with pytest.raises(TrustError) as told:
        put(second, bucket)
    assert told.value.code == "DEPLOY_CONFLICT"
    assert bucket.objects[TIMESTAMP_FILE] == (third / TIMESTAMP_FILE).read_bytes()
    assert put(third, bucket).version == 3


def test_both_write_the_note_at_once(own, second):
    """The one that loses has written nothing, so that there is nothing to say."""
    bucket = MemoryBucket()
    put(own, bucket)

    def other(path):
        bucket.meanwhile = lambda _path: None
        put(second, bucket)

    bucket.meanwhile = other
    (own / "index.html").write_bytes(b"changed")
    with pytest.raises(TrustError) as told:
        put(own, bucket)
    assert told.value.code == "DEPLOY_CONFLICT"
    assert put(second, bucket).written == ()


def test_the_loser_cannot_say_it_either(own, second):
    """The other deployment writes once more, and removes deploy.json or keeps writing it."""
    for ends in ("index.html", DEPLOY_FILE):
        bucket = MemoryBucket()
        put(own, bucket)
        (own / "index.html").write_bytes(b"changed" + ends.encode())

        def other(path, bucket=bucket, ends=ends):
            if path == "index.html":
                put_quietly(bucket, second)
                if ends == "index.html":
                    bucket.objects[DEPLOY_FILE] = b"not what psreg writes"
            elif path == DEPLOY_FILE and ends == DEPLOY_FILE:
                bucket.objects[DEPLOY_FILE] += b" "

        bucket.meanwhile = other
        with pytest.raises(TrustError) as told:
            put(own, bucket)
        assert told.value.code == "DEPLOY_CONFLICT"


def put_quietly(bucket: MemoryBucket, site: Path) -> None:
    meanwhile, bucket.meanwhile = bucket.meanwhile, lambda _path: None
    put(site, bucket)
    bucket.meanwhile = meanwhile


def read_deployed_of(bucket: MemoryBucket):
    deployed = read_deployed(bucket.objects[DEPLOY_FILE])
    assert deployed is not None
    return deployed


def test_foreign_objects_are_neither_overwritten_nor_removed(first):
    bucket = MemoryBucket()
    bucket.objects = {"index.html": b"my page", "notes.txt": b"mine"}
    assert code_of(first, bucket) == "DEPLOY_FOREIGN"
    done = put(first, bucket, full=True, keep=timedelta(0))
    assert done.foreign == 1
    assert bucket.objects["notes.txt"] == b"mine"
    assert bucket.objects["index.html"] != b"my page"
    del bucket.objects["index.html"], bucket.objects["notes.txt"]
    bucket.objects = {"only.txt": b"mine"}
    with pytest.raises(TrustError, match=r"did not put there: only.txt$"):
        put(first, bucket)


@pytest.mark.parametrize("hides_md5", [False, True])
def test_full_writes_again_what_is_damaged_or_gone(first, tmp_path, hides_md5):
    bucket = MemoryBucket()
    put(first, bucket)
    whole = dict(bucket.objects)
    artifact = next(path for path in whole if path.startswith("pbes/"))
    segment = next(path for path in whole if path.startswith("registry/targets/segments/"))
    bucket.objects[artifact] = b"x" * len(whole[artifact])
    bucket.objects[segment] = whole[segment][:10]
    bucket.objects["api/v1/index.json"] += b" longer"
    del bucket.objects["404.html"]
    bucket.hides_md5 = hides_md5
    assert put(first, bucket).written == ()
    done = put(first, bucket, full=True)
    assert sorted(done.written) == sorted([artifact, segment, "404.html", "api/v1/index.json"])
    assert {**bucket.objects, DEPLOY_FILE: b""} == {**whole, DEPLOY_FILE: b""}


@pytest.mark.parametrize(
    "altered",
    [
        b"",
        b"{",
        b"\x1f\x8bno",
        b"[]",
        b'{"schema": "psreg.deployment/1"}',
        b'{"schema": "psreg.deployment/1", "registry_id": "x"}',
        b'{"schema": "other/1"}',
    ],
)
def test_an_altered_note_is_not_believed(first, altered):
    bucket = MemoryBucket()
    put(first, bucket)
    bucket.objects[DEPLOY_FILE] = altered
    done = put(first, bucket)
    assert done.why == "deploy.json cannot be read"
    assert set(done.written) == served(first) - {TIMESTAMP_FILE}
    assert put(first, bucket).written == ()


@pytest.mark.parametrize(
    "altered",
    [
        {"files": {"../index.html": f"{0:032}:{0:08}"}},
        {"files": {"/index.html": f"{0:032}:{0:08}"}},
        {"files": {"index.html": "1"}},
        {"files": {"index.html": 1}},
        {"begun": {"index.html": "x"}},
        {"retired": [{"since": "yesterday", "until": "2026-11-22T00:00:00Z", "paths": []}]},
        {"retired": [{"since": f"{NOW:%Y-%m-%dT%H:%M:%SZ}", "until": "", "paths": ["a"]}]},
        {"timestamps": [1]},
    ],
)
def test_one_altered_member_makes_the_whole_note_unusable(altered):
    whole = json.loads(Deployed(registry_id="0" * 32).to_bytes())
    assert read_deployed(json.dumps(whole).encode()) == Deployed(registry_id="0" * 32)
    assert read_deployed(json.dumps(whole | altered).encode()) is None


def test_a_note_that_is_gone_is_written_again(first):
    bucket = MemoryBucket()
    put(first, bucket)
    del bucket.objects[DEPLOY_FILE]
    assert put(first, bucket).why == ""
    assert put(first, bucket).written == ()


def test_a_note_about_another_state_is_compared_with_a_listing(published, first, second):
    """Somebody copied a newer site into the bucket with another tool."""
    bucket = MemoryBucket()
    put(first, bucket)
    for path in served(second):
        bucket.objects[path] = (second / path).read_bytes()
    published.publish(SECOND | entry("delta", "1.0.0"))
    third = published.site("third", SECOND | entry("delta", "1.0.0"), LATER)
    done = put(third, bucket)
    assert done.why == "deploy.json does not describe what is in force"
    assert "index.html" in done.written
    del bucket.objects[TIMESTAMP_FILE]
    assert put(third, bucket).why == "deploy.json does not describe what is in force"


def test_a_note_of_a_newer_psreg_is_refused(first):
    bucket = MemoryBucket()
    put(first, bucket)
    bucket.objects[DEPLOY_FILE] = b'{"schema": "psreg.deployment/2"}'
    assert code_of(first, bucket) == "NEWER_FORMAT"


def test_a_half_written_timestamp_is_written_again_with_full(first, tmp_path):
    bucket = MemoryBucket()
    put(first, bucket)
    bucket.objects[TIMESTAMP_FILE] = bucket.objects[TIMESTAMP_FILE][:100]
    assert code_of(first, bucket) == "DEPLOY_FOREIGN"
    assert put(first, bucket, full=True).written == (TIMESTAMP_FILE,)
    assert reads(bucket, tmp_path / "cache")


def test_what_the_site_no_longer_has_is_removed_after_a_time(published, first, second):
    bucket = MemoryBucket()
    put(first, bucket)
    gone = served(first) - served(second)
    put(second, bucket)
    assert put(second, bucket, keep=KEEP).removed == ()
    soon = put(second, bucket, keep=timedelta(0))
    assert soon.removed == ("assets/site.css",)  # a client may still read the former state
    renewed(published.home, published.registry, timedelta(days=31))
    third = published.site("third", SECOND, LATER)
    now = NOW + timedelta(days=31)
    done = put(third, bucket, now=now, keep=KEEP)
    assert set(done.removed) == gone - {"assets/site.css"}
    assert set(bucket.objects) == served(third) | served(second) | {DEPLOY_FILE}


def test_a_page_that_comes_back_is_kept(published, first, second):
    bucket = MemoryBucket()
    put(first, bucket)
    put(second, bucket)
    again = published.site("again", SECOND, LATER | {"assets/site.css": PAGES["assets/site.css"]})
    done = put(again, bucket, keep=timedelta(0))
    assert done.written == ("assets/site.css",)
    assert done.removed == ()


def test_a_clock_that_is_behind_removes_nothing(first, second):
    bucket = MemoryBucket()
    put(first, bucket)
    put(second, bucket, now=NOW + timedelta(days=2))
    assert put(second, bucket, keep=timedelta(0)).removed == ()


def test_a_site_that_has_expired_is_refused(first):
    late = NOW + timedelta(days=20)
    assert code_of(first, MemoryBucket(), now=late) == "TRUST_FROZEN"


@pytest.mark.parametrize(
    "pattern", ["registry/targets/segments/*", "registry/targets/pkg/*", "pbes/*/*/*/*"]
)
def test_a_site_with_a_missing_or_altered_file_is_refused(own, pattern):
    path = min(own.glob(pattern))
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    assert code_of(own, MemoryBucket()) == "TRUST_DIGEST"
    path.unlink()
    assert code_of(own, MemoryBucket()) == "TRUST_MIXED"


@pytest.mark.parametrize("path", ["0/000.p/2", "entries/000.p/2"])
def test_a_site_with_a_damaged_log_is_refused(own, path):
    tile = own / "registry/log/tile" / path
    tile.write_bytes(tile.read_bytes()[::-1])
    assert code_of(own, MemoryBucket()) == "TRUST_LOG"
    tile.unlink()
    assert code_of(own, MemoryBucket()) == "TRUST_LOG"


def test_a_site_that_tells_monitors_something_else_is_refused(own):
    copy = own / "registry/log/checkpoint"
    copy.write_bytes(copy.read_bytes()[:-1])
    assert code_of(own, MemoryBucket()) == "TRUST_DIGEST"
    copy.unlink()
    assert code_of(own, MemoryBucket()) == "TRUST_MIXED"


def test_a_registry_of_an_older_psreg_has_no_log(tmp_path, monkeypatch):
    logless(monkeypatch)
    older = Published(tmp_path)
    older.publish(FIRST)
    bucket = MemoryBucket()
    put(older.site("site", FIRST), bucket)
    assert not [path for path in bucket.objects if path.startswith("registry/log/")]
    assert reads(bucket, tmp_path / "cache")


def test_a_folder_without_a_registry_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    assert code_of(tmp_path / "empty", MemoryBucket()) == "NOT_PUBLISHED"


def test_a_site_with_drafts_is_refused(own):
    (own / "api/v1/drafts.json").write_bytes(b"{}")
    (own / ".psreg-site").unlink()
    assert code_of(own, MemoryBucket()) == "DRAFT_SITE"


def test_a_link_in_the_site_is_refused(own):
    (own / "link.html").symlink_to(own / "index.html")
    assert code_of(own, MemoryBucket()) == "CANNOT_READ"


def test_a_site_that_changes_meanwhile_is_noticed(own):
    bucket = MemoryBucket()
    put(own, bucket)
    (own / "index.html").write_bytes(b"changed")
    bucket.meanwhile = lambda _path: (own / "index.html").write_bytes(b"changed again")
    with pytest.raises(UnavailableError) as told:
        put(own, bucket)
    assert told.value.code == "SITE_CHANGED"


def test_what_is_left_of_a_purged_release_is_removed_at_once(second, published, tmp_path):
    ports_ = ports(published.home, published.registry)
    subject = release_subject("alpha", "1.1.0", ports_)
    action = take(PURGE, subject, "It contains a secret.", NOW, ports_).action
    left = {path: data for path, data in SECOND.items() if "1.1.0" not in path.parts}
    release(published.home, published.registry, left, change=Change(actions=[action]))
    third = published.site("third", left)
    source = checked(third)
    assert source.is_purged("pbes/prompt/alpha/1.1.0/alpha.prompt")
    assert source.is_purged("prompt/alpha/1.1.0/index.html")
    assert source.is_purged("registry/targets/pkg/0.alpha.json")
    assert source.is_purged("registry/targets/segments/0.json")
    assert not source.is_purged("pbes/prompt/alpha/1.0.0/alpha.prompt")
    assert not source.is_purged("registry/targets/pkg/0.gamma.json")
    assert not checked(second).is_purged("registry/targets/segments/0.json")


def checked(site):
    return Deployable(SiteFiles(site), NOW, pack=True)
