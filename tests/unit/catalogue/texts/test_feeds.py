"""Feeds: valid, ordered, bounded, and safe whatever a record says."""

import json
from dataclasses import replace
from datetime import datetime
from xml.etree import ElementTree as ET

import pytest

from psreg.catalogue.feed_files import (
    SignedRecords,
    changed_tags,
    class_feed,
    dropped_tags,
    entry_feed_files,
    feed_files,
    feed_tags,
)
from psreg.catalogue.pages.feed_links import entry_feed_links, feed_links, home_feed_links
from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.listing import Row
from psreg.catalogue.site_manifest import Shown
from psreg.catalogue.texts.feed_items import record_advisories, release_items
from psreg.core.classes import CLASSES
from psreg.core.errors import TrustError
from psreg.formats.json.canonical import canonical
from psreg.registry.actions.chain import NOTHING
from psreg.registry.actions.withdrawal import Withdrawal
from psreg.registry.records import PackageRecord, ReleaseRecord
from psreg.registry.trust.roles import Target, package_target, target_path
from psreg.registry.withdrawing.effects import Effects
from support.catalogue import opened, tree

ATOM = "{http://www.w3.org/2005/Atom}"
SITE = Site(
    name="Reg & <1>",
    registry_id="ab" * 16,
    mode="dev",
    root_sha256="cd" * 32,
    base_url="https://e.org/a/",
)
NASTY = "]]> <b>&amp; \x00\x07\x0b\x1b\x7f\x85\u202e\ud800\ufffe\uffff \"' \n é"


def released(version="1.0.0", date="2026-11-21T05:00:00Z", **changes):
    values = {
        "version": version,
        "path": "p",
        "media_type": "text/plain",
        "sha256": "ef" * 32,
        "size": 1,
        "date": date,
        "files": (),
        "release": {"summary": "It sums.", "tags": ["one"]},
    }
    return ReleaseRecord(**{**values, **changes})


def revoked(kind="revoke"):
    return Withdrawal(kind=kind, reason="It lies.", date="2026-11-25T05:00:00Z", action=1)


def record_with(*rows, **changes):
    values = {"name": "x", "entry_class": "prompt", "serial": 1}
    return PackageRecord(**{**values, **changes, "rows": rows})


def item(**changes):
    (found,) = release_items(record_with(released(**changes)))
    return found


def made(*items):
    """Return the only entry or all of the feed in both formats."""
    files = dict(class_feed("prompt", items).files(SITE))
    return ET.fromstring(files["prompt/feed.atom"]), json.loads(files["prompt/feed.json"])


def test_a_release_has_the_same_id_and_address_in_both_formats():
    atom, document = made(item(release={"summary": "It sums.", "changes": "More.", "tags": ["a"]}))
    entry, one = atom.find(f"{ATOM}entry"), document["items"][0]
    assert entry.findtext(f"{ATOM}id") == one["id"] == f"urn:psreg:{'ab' * 16}:x:1.0.0:{'ef' * 32}"
    assert entry.find(f"{ATOM}link").get("href") == one["url"] == "https://e.org/a/prompt/x/1.0.0/"
    assert entry.findtext(f"{ATOM}content") == one["content_text"] == "It sums.\n\nMore."
    assert entry.findtext(f"{ATOM}updated") == one["date_published"] == "2026-11-21T05:00:00Z"
    assert entry.find(f"{ATOM}category").get("term") == one["tags"][0] == "a"
    assert atom.findtext(f"{ATOM}title") == document["title"]
    assert atom.find(f"{ATOM}author/{ATOM}name").text == "Reg & <1>"
    assert atom.find(f"{ATOM}link[@rel='self']").get("href") == "https://e.org/a/prompt/feed.atom"
    assert document["feed_url"] == "https://e.org/a/prompt/feed.json"


@pytest.mark.parametrize(
    ("changes", "state", "updated"),
    [
        ({"yanked": "It forgets."}, "yanked", "2026-11-21T05:00:00Z"),
        (
            {"yanked": "It forgets.", "yanked_at": "2026-11-24T05:00:00Z"},
            "yanked",
            "2026-11-24T05:00:00Z",
        ),
        ({"revoked": revoked()}, "revoked", "2026-11-25T05:00:00Z"),
    ],
)
def test_a_withdrawn_release_says_so(changes, state, updated):
    atom, document = made(item(**changes))
    assert atom.findtext(f"{ATOM}entry/{ATOM}title") == f"x 1.0.0 ({state})"
    assert document["items"][0]["_psreg"]["state"] == state
    assert "It " in document["items"][0]["content_text"].partition("\n")[0]
    assert atom.findtext(f"{ATOM}updated") == document["items"][0]["date_modified"] == updated


def test_hostile_texts_stay_text():
    release = {"summary": NASTY, "changes": NASTY, "tags": [NASTY]}
    atom, document = made(item(release=release, yanked=NASTY))
    said = atom.findtext(f"{ATOM}entry/{ATOM}content")
    assert said == document["items"][0]["content_text"]
    assert "]]> <b>&amp; ⟨U+0000⟩⟨U+0007⟩" in said
    assert "⟨U+202E⟩⟨U+D800⟩⟨U+FFFE⟩⟨U+FFFF⟩" in said
    assert [each.tag for each in atom.find(f"{ATOM}entry/{ATOM}content")] == []


@pytest.mark.parametrize("number", [*range(32), 127, 0x85, 0x202E, 0xD800, 0xFFFE, 0xFFFF])
def test_each_control_character_leaves_valid_xml(number):
    atom, _ = made(item(release={"summary": f"a{chr(number)}b"}))
    assert atom.findtext(f"{ATOM}entry/{ATOM}content").startswith("a")


def test_a_feed_without_items_is_valid():
    atom, document = made()
    assert datetime.fromisoformat(atom.findtext(f"{ATOM}updated"))
    assert document["items"] == []


def test_long_texts_and_long_tags_are_cut():
    release = {"summary": "long " * 300_000, "tags": ["t" * 65, *map(str, range(30))]}
    atom, document = made(item(release=release))
    assert len(document["items"][0]["content_text"]) == 10_000
    assert document["items"][0]["tags"] == [*map(str, range(20))]
    assert len(atom.findall(f"{ATOM}entry/{ATOM}category")) == 20


def test_pages_name_the_feeds_of_their_entry_and_class():
    links = entry_feed_links("prompt/x/1.0.0/")
    assert 'href="../../../prompt/feed.atom"' in links
    assert 'title="new releases of x" href="../../../prompt/x/feed.json"' in links
    assert 'title="new releases of forms to fill in"' in feed_links("prompt", "../")
    for address in ("feed.json", "advisories/feed.atom", "feeds.opml"):
        assert f'href="{address}"' in home_feed_links()


def test_yanks_and_deprecations_are_advisories():
    yanked = released(yanked="It forgets.")
    gone = released("0.9.0", yanked="It lies.", revoked=revoked("purge"))
    newer = released("1.1.0", "2026-11-23T05:00:00Z")
    because = {"reason": "Too short.", "replacement": "y"}
    record = record_with(gone, yanked, newer, deprecated=because)
    one, other = record_advisories(record)
    assert (one.key, one.title, one.text) == ("yanked:x:1.0.0", "x 1.0.0 was yanked", "It forgets.")
    assert (one.path, one.updated) == ("prompt/x/1.0.0/", "2026-11-21T05:00:00Z")
    assert (other.key, other.title) == ("deprecated:x", "x is deprecated")
    assert (other.text, other.path) == ("Too short. Use y instead.", "prompt/x/")
    assert other.updated == "2026-11-23T05:00:00Z"
    day = "2026-11-24T05:00:00Z"
    dated = record_with(replace(yanked, yanked_at=day), deprecated=because, deprecated_at=day)
    assert [each.updated for each in record_advisories(dated)] == [day, day]
    (alone,) = record_advisories(record_with(newer, deprecated={"reason": "Gone."}))
    assert alone.text == "Gone."
    assert [*record_advisories(record_with(gone, deprecated=because))] == []


def row(name, last, **changes):
    values = {
        "name": name,
        "entry_class": "prompt",
        "version": "1.0.0",
        "summary": "",
        "date": last,
        "tags": (),
        "newest": "1.0.0",
        "released": last,
        "last": last,
    }
    return Row(**{**values, **changes})


class Stored:
    """Records as a registry stores them, and the rows of their entries."""

    def __init__(self):
        self.rows, self.signed, self.files = [], {}, {}

    def put(self, row, *rows, **changes):
        data = canonical(record_with(*rows, name=row.name, **changes).to_json())
        self.signed[row.name] = Target.of(data).sha256
        self.files[target_path(package_target(row.name), self.signed[row.name])] = data
        self.rows.append(row)

    def feeds(self, *tags, files=None):
        found = self.files if files is None else files
        records = SignedRecords(self.signed, found.get)
        effects = Effects((), None, NOTHING)
        return dict(feed_files(SITE, self.rows, records, effects, tags))


def items_in(files, folder=""):
    items = json.loads(files[f"{folder}feed.json"])["items"]
    return [(each["_psreg"]["name"], each["_psreg"].get("version")) for each in items]


def test_the_newest_releases_of_all_entries_are_listed():
    stored = Stored()
    stored.rows.append(row("draft", ""))
    for n in range(60):
        date = f"2026-11-{1 + n // 3:02}T05:00:00Z"
        old = released("0.9.0", "2026-11-01T05:00:00Z")
        purged = released("0.8.0", date, revoked=revoked("purge"))
        stored.put(row(f"n{n:02}", date), purged, old, released(date=date))
    files = stored.feeds()
    newest = sorted(range(60), key=lambda n: (-(n // 3), n))[:50]
    assert items_in(files) == [(f"n{n:02}", "1.0.0") for n in newest]
    assert items_in(files, "prompt/") == items_in(files)
    assert items_in(files, "stateless_executor/") == items_in(files, "advisories/") == []
    with pytest.raises(TrustError):
        stored.feeds(files={})


def test_the_feed_of_a_tag_has_the_releases_with_the_tag():
    stored = Stored()
    for n in range(25):
        date = f"2026-11-{1 + n:02}T05:00:00Z"
        untagged = released("0.9.0", "2026-11-20T05:00:00Z", release={})
        stored.put(row(f"n{n:02}", date, tags=("one",)), untagged, released(date=date))
    stored.put(row("other", "2026-11-28T05:00:00Z"), released(date="2026-11-28T05:00:00Z"))
    files = stored.feeds("one")
    assert items_in(files, "tags/one/") == [(f"n{n:02}", "1.0.0") for n in range(24, 4, -1)]
    document = json.loads(files["tags/one/feed.json"])
    assert document["title"] == "Reg & <1>: new releases tagged one"
    assert document["home_page_url"] == "https://e.org/a/?tag=one"


def test_the_feed_of_advisories_has_what_is_yanked_or_deprecated():
    stored = Stored()
    date = "2026-11-21T05:00:00Z"
    stored.put(row("a", date, advised=date), released(yanked="It forgets."))
    stored.put(row("b", date, advised=date), released(), deprecated={"reason": "Gone."})
    stored.put(row("c", date), released(yanked="Its row is older."))
    assert items_in(stored.feeds(), "advisories/") == [("a", "1.0.0"), ("b", None)]


def test_all_feeds_are_in_one_list():
    stored = Stored()
    stored.rows.append(row("a", "", tags=("one", "No tag", "x" * 41, "a-b")))
    outlines = [*ET.fromstring(stored.feeds()["feeds.opml"]).iter("outline")]
    assert [each.get("xmlUrl").removeprefix("https://e.org/a/") for each in outlines] == [
        "feed.atom",
        *(f"{slug}/feed.atom" for slug in CLASSES),
        *("advisories/feed.atom", "tags/a-b/feed.atom", "tags/one/feed.atom"),
    ]
    assert outlines[0].get("text") == "Reg & <1>: new releases"


def test_few_tags_have_a_feed():
    """Ten thousand tags of one entry displace none that two entries have."""
    rows = [row("a", "", tags=tuple(f"t{n}" for n in range(10_000))), row("b", "", tags=("zz",))]
    found = feed_tags([*rows, row("c", "", tags=("zz", "zz", "z" * 1_000_000))])
    assert len(found) == 100
    assert found[-1] == "zz"


def test_a_change_concerns_the_tags_of_what_changed():
    def shown(sha256, *tags):
        return Shown(sha256=sha256, row=row("a", "", tags=tags))

    before = {"r-0": {"a": shown("1", "old", "both"), "b": shown("2", "kept")}}
    after = {"r-0": {"a": shown("3", "both", "new"), "b": shown("2", "kept")}}
    assert changed_tags(before, after) == ["both", "new"]
    assert dropped_tags(before, after) == ["old"]
    assert changed_tags({}, after) == ["both", "kept", "new"]
    assert changed_tags(before, {"r-0": {"b": before["r-0"]["b"]}}) == []
    assert changed_tags({"r-0": {"a": Shown(sha256="1", row=None)}}, {}) == []


def test_the_feed_of_an_entry_has_its_advisories_and_no_drafts():
    entry = opened(tree())["listener"]
    newest, older = entry.releases
    files = dict(entry_feed_files(entry, SITE))
    document = json.loads(files["interactive_engine/listener/feed.json"])
    assert [each["title"] for each in document["items"]] == [
        *("listener 1.0.0 was yanked", "listener 1.1.0", "listener 1.0.0 (yanked)"),
    ]
    drafted = replace(entry, releases=(replace(newest, draft=True), older))
    files = dict(entry_feed_files(drafted, SITE))
    assert b"1.1.0" not in files["interactive_engine/listener/feed.json"]
    atom = ET.fromstring(files["interactive_engine/listener/feed.atom"])
    assert atom.findtext(f"{ATOM}id") == f"urn:psreg:{'ab' * 16}:entry:listener"
