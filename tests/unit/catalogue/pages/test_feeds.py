"""Feeds: valid, ordered, bounded, and safe whatever a record says."""

import json
from datetime import datetime
from xml.etree import ElementTree as ET

import pytest

from psreg.catalogue.feed_files import feed_files
from psreg.catalogue.pages.feed_links import feed_links, page_feed_links
from psreg.catalogue.pages.feeds import Feed, Item
from psreg.catalogue.pages.frame import Site
from psreg.catalogue.pages.listing import Row
from psreg.core.errors import TrustError
from psreg.formats.json.canonical import canonical
from psreg.registry.actions.withdrawal import Withdrawal
from psreg.registry.records import PackageRecord, ReleaseRecord
from psreg.registry.trust.roles import Target, package_target, target_path

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


def item(**changes):
    return Item(name="x", entry_class="prompt", release=released(**changes))


def made(*items):
    """Return the only entry or all of the feed in both formats."""
    files = dict(Feed(slug="prompt", items=items).files(SITE))
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


def test_pages_name_the_feeds_of_their_class():
    assert 'href="../../../prompt/feed.atom"' in page_feed_links("prompt/x/1.0.0/")
    assert 'title="new releases of prompt templates"' in feed_links("prompt", "../")
    assert 'href="feed.json"' in feed_links("", "")
    assert page_feed_links("rules/PBE001/") == ""


def row(name, last, entry_class="prompt"):
    return Row(
        name=name,
        entry_class=entry_class,
        version="1.0.0",
        summary="",
        date=last,
        tags=(),
        newest="1.0.0",
        released=last,
        last=last,
    )


def test_the_newest_releases_of_all_entries_are_listed():
    rows, signed, stored = [row("draft", "")], {}, {}
    for n in range(60):
        name, date = f"n{n:02}", f"2026-11-{1 + n // 3:02}T05:00:00Z"
        old = released("0.9.0", "2026-11-01T05:00:00Z")
        purged = released("0.8.0", date, revoked=revoked("purge"))
        record = PackageRecord(
            name=name, entry_class="prompt", serial=1, rows=(purged, old, released(date=date))
        )
        data = canonical(record.to_json())
        signed[name] = Target.of(data).sha256
        stored[target_path(package_target(name), signed[name])] = data
        rows.append(row(name, date))
    files = dict(feed_files(SITE, rows, signed, stored.get))
    items = json.loads(files["feed.json"])["items"]
    shown = [(each["_psreg"]["name"], each["_psreg"]["version"]) for each in items]
    newest = sorted(range(60), key=lambda n: (-(n // 3), n))[:50]
    assert shown == [(f"n{n:02}", "1.0.0") for n in newest]
    assert json.loads(files["prompt/feed.json"])["items"] == items
    assert json.loads(files["stateless_executor/feed.json"])["items"] == []
    with pytest.raises(TrustError):
        dict(feed_files(SITE, rows, signed, {}.get))
