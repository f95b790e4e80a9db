"""What other pages show of an entry."""

import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from psreg.catalogue.pages.entry.entry_page import entry_pages
from psreg.catalogue.pages.frame import Shells, Site
from psreg.catalogue.texts.embeds import embed_files
from psreg.registry.actions.withdrawal import Withdrawal
from support.catalogue import SCRIPT, opened, tree

SITE = Site(name="Reg", registry_id="", mode="dev", root_sha256="", base_url="https://e.org/a/")
ENTRIES = opened(tree())
GONE = Withdrawal(kind="revoke", reason="It lies.", date="2026-11-25T05:00:00Z", action=1)


def badge_of(entry, site=SITE):
    return ET.fromstring(next(data for _, data in embed_files(entry, site)))


def title_of(entry, site=SITE):
    return badge_of(entry, site).findtext("{http://www.w3.org/2000/svg}title")


def with_latest(name, **changes):
    entry = ENTRIES[name]
    return replace(entry, latest=replace(entry.latest, **changes))


def test_a_badge_says_the_version_and_whether_it_was_tested():
    assert title_of(ENTRIES["listener"]) == "Reg: 1.1.0 tested on 2 platforms"
    assert title_of(ENTRIES["watcher"]) == "Reg: 0.1.0 not yet tested"
    assert title_of(ENTRIES["greeter"]) == "Reg: 1.0.0 deprecated"
    assert title_of(with_latest("watcher", draft=True)) == "Reg: 0.1.0 draft"


@pytest.mark.parametrize(
    ("changes", "state"), [({"yanked": "It loops."}, "yanked"), ({"revoked": GONE}, "revoked")]
)
def test_a_badge_says_what_was_withdrawn(changes, state):
    record = replace(ENTRIES["listener"].latest.record, **changes)
    assert title_of(with_latest("listener", record=record)) == f"Reg: 1.1.0 {state}"


@pytest.mark.parametrize("name", [SCRIPT, "a\u202e\x00\ud800b", "long " * 200_000])
def test_a_badge_is_svg_whatever_the_registry_is_called(name):
    badge = badge_of(ENTRIES["listener"], replace(SITE, name=name))
    assert not [each for each in badge.iter() if each.tag.endswith("}script")]
    assert int(badge.get("width")) < 700


def test_an_embedded_link_has_the_title_and_the_picture():
    files = dict(embed_files(ENTRIES["hostile"], SITE))
    value = json.loads(files["interactive_engine/hostile/oembed.json"])
    assert (value["version"], value["type"]) == ("1.0", "link")
    assert value["title"] == f"Hostile {SCRIPT}"
    assert value["author_name"] == ""
    assert value["provider_url"] == "https://e.org/a/"
    assert value["thumbnail_url"].endswith("/a/assets/psreg/pictures/interactive_engine.png")
    assert [*dict(embed_files(ENTRIES["hostile"], replace(SITE, base_url="")))] == [
        "interactive_engine/hostile/badge.svg"
    ]


def test_the_pages_of_the_latest_release_name_it():
    shell = "<!--psreg:head-->"
    heads = [
        Shells({2: shell, 3: shell}, SITE).fill(page)
        for page in entry_pages(ENTRIES["listener"], SITE)
        if page.of_release
    ]
    link = '<link rel="alternate" type="application/json+oembed" href="https://e.org/a/'
    assert [f"{link}interactive_engine/listener/oembed.json" in head for head in heads] == [
        *(True, True, False),
    ]
