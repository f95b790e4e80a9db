"""What search engines read about a release."""

import json
from dataclasses import replace

import pytest

from psreg.catalogue.pages.entry.entry_page import entry_pages
from psreg.catalogue.pages.entry.linked_data import linked_data
from psreg.catalogue.pages.frame import Shells, Site
from psreg.core.classes import CLASSES
from psreg.registry.actions.withdrawal import Withdrawal
from support.catalogue import opened, tree
from support.paths import ROOT

SITE = Site(name="psreg", registry_id="", mode="dev", root_sha256="", base_url="https://e.org/a/")
ENTRIES = opened(tree())
START, END = '<script type="application/ld+json">', "</script>"
GONE = Withdrawal(kind="revoke", reason="It lies.", date="2099-11-25T05:00:00Z", action=1)


def data_of(entry, release=None, site=SITE):
    element = linked_data(entry, release or entry.latest, site, "p/")
    assert element.startswith(START)
    assert element.endswith(END)
    text = element.removeprefix(START).removesuffix(END)
    assert not set(text) & set("<>&")
    return json.loads(text)


def with_record(entry, **changes):
    return replace(entry.latest, record=replace(entry.latest.record, **changes))


def test_a_release_is_described():
    listener = ENTRIES["listener"]
    row = listener.latest.record
    assert data_of(listener) == {
        "@context": "https://schema.org",
        "@type": "SoftwareSourceCode",
        "name": "listener",
        "identifier": f"pkg:generic/listener@1.1.0?checksum=sha256%3A{row.sha256}",
        "version": "1.1.0",
        "description": "Listens to you, asks one question at a time.",
        "license": "https://spdx.org/licenses/MIT",
        "author": [{"@type": "Person", "name": "octocat"}],
        "publisher": {"@type": "Organization", "name": "psreg"},
        "datePublished": row.date,
        "dateModified": row.date,
        "creativeWorkStatus": "Published",
        "keywords": ["test", "river"],
        "inLanguage": ["en"],
        "encodingFormat": row.media_type,
        "url": "https://e.org/a/p/",
    }
    assert "url" not in data_of(listener, site=replace(SITE, base_url=""))


def test_what_was_withdrawn_or_deprecated_says_so():
    listener = ENTRIES["listener"]
    assert data_of(listener, listener.releases[1])["creativeWorkStatus"] == "Yanked"
    assert data_of(ENTRIES["greeter"])["creativeWorkStatus"] == "Deprecated"
    found = data_of(listener, with_record(listener, revoked=GONE))
    assert (found["creativeWorkStatus"], found["dateModified"]) == ("Revoked", GONE.date)


def test_an_expression_of_licences_is_no_address_and_a_draft_is_not_described():
    entry = ENTRIES["greeter"]
    release = with_record(entry, release={"license": "MIT OR Apache-2.0"})
    assert data_of(entry, release)["license"] == "MIT OR Apache-2.0"
    assert linked_data(entry, replace(entry.latest, draft=True), SITE, "p/") == ""


@pytest.mark.parametrize("text", ["</script><b>", "<!--<script>", "&lt;", "a\u202eb\x00\ud800"])
def test_no_text_ends_the_element(text):
    entry = ENTRIES["greeter"]
    release = with_record(entry, release={"summary": text, "tags": [text], "license": text})
    shown = text.replace("\u202e", "⟨U+202E⟩").replace("\x00", "⟨U+0000⟩")
    assert data_of(entry, release)["description"] == shown.replace("\ud800", "⟨U+D800⟩")


def test_the_pages_of_a_release_have_it_and_the_picture_of_the_class():
    shell = "<!--psreg:head-->"
    shells = Shells({2: shell, 3: shell}, SITE)
    pages = [page for page in entry_pages(ENTRIES["listener"], SITE) if page.of_release]
    heads = [shells.fill(page) for page in pages]
    urls = [json.loads(head.partition(START)[2].partition(END)[0])["url"] for head in heads]
    home = "https://e.org/a/interactive_engine/listener/"
    assert urls == [home, home, f"{home}1.0.0/"]
    picture = "https://e.org/a/assets/psreg/pictures/interactive_engine.png"
    assert all(f'<meta property="og:image" content="{picture}">' in head for head in heads)
    folder = ROOT / "site/overrides/assets/psreg/pictures"
    assert {file.stem for file in folder.iterdir()} == {*CLASSES, "home"}
