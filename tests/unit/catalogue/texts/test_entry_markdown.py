"""The Markdown of entries: what it says, and that nothing foreign has an effect in it."""

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from psreg.catalogue.pages.class_texts import RESERVED
from psreg.catalogue.pages.entry.entry_page import entry_pages
from psreg.catalogue.pages.frame import Shells, Site
from psreg.catalogue.texts.entry_markdown import entry_texts, gone_texts
from psreg.catalogue.texts.markdown import fenced, prose
from psreg.registry.actions.withdrawal import Withdrawal
from psreg.registry.deploy.headers import headers_of
from support.catalogue import ATTRIBUTE, SCRIPT, opened, tree

SITE = Site(name="psreg", registry_id="ab" * 16, mode="dev", root_sha256="cd" * 32)
ENTRIES = opened(tree())
READER = MarkdownIt("gfm-like", {"linkify": False})


def texts(entry, site=SITE):
    return {path: data.decode() for path, data in entry_texts(entry, site)}


def with_latest(entry, **changes):
    """Return an entry whose latest release has another record."""
    latest = replace(entry.latest, record=replace(entry.latest.record, **changes))
    rest = [each for each in entry.releases if each is not entry.latest]
    return replace(entry, latest=latest, releases=(latest, *rest))


def first(entry, site=SITE):
    return next(iter(texts(entry, site).values()))


def test_the_latest_release_and_each_older_one_have_a_text():
    found = texts(ENTRIES["listener"])
    assert [*found] == [
        "interactive_engine/listener/index.md",
        "interactive_engine/listener/1.0.0/index.md",
    ]
    newest, older = found.values()
    assert newest.startswith("# A title\n\n> Listens to you, asks one question at a time.\n")
    assert "- Version: 1.1.0\n" in newest
    assert "- Tested: chatgpt, claude\n" in newest
    assert "- Needs: river\\_letter \\^1.0\n- Protocols: vpp 1.4\n" in newest
    assert "- Trust: New name, not yet countersigned\n" in newest
    assert "signed with development keys" in newest
    assert "\n## What changed\n\nListens twice.\n" in newest
    assert "```sh\npsreg install listener\n```" in newest
    assert ENTRIES["listener"].latest.artifact.decode() in newest
    assert "(<../../pbes/interactive_engine/listener/1.1.0/README.md>)" in newest
    assert "- Version: 1.0.0; the newest is 1.1.0\n" in older
    assert "[1.1.0](../../../interactive_engine/listener/index.md), 20" in older


def test_pages_name_their_text():
    shell = "<!--psreg:head-->"
    shells = Shells({2: shell, 3: shell}, SITE)
    pages = [page for page in entry_pages(ENTRIES["listener"], SITE) if page.of_release]
    heads = [shells.fill(page) for page in pages]
    places = ["../../interactive_engine/listener/", "../../../interactive_engine/listener/"]
    for head, place in zip(heads, (*places, f"{places[1]}1.0.0/"), strict=True):
        assert f'<link rel="alternate" type="text/markdown" href="{place}index.md">' in head


def test_a_yanked_version_shows_the_reason_and_not_the_prompt():
    _, older = texts(ENTRIES["listener"]).values()
    assert "\n**Yanked.** It forgot to listen.\n" in older
    assert "psreg install listener@1.0.0" in older
    assert "pbe_class" not in older
    assert (
        "[1.0.0](../../../interactive_engine/listener/1.0.0/index.md): yanked: It forgot" in older
    )


@pytest.mark.parametrize("kind", ["revoke", "quarantine"])
def test_a_revoked_version_shows_the_reason_and_cannot_be_installed(kind):
    gone = Withdrawal(kind=kind, reason="It lies.", date="2026-11-25T05:00:00Z", action=1)
    text = first(with_latest(ENTRIES["greeter"], revoked=gone))
    assert "**Revoked.** This version " in text
    assert "It lies." in text
    assert "pbe_class" not in text
    assert "psreg install" not in text
    assert "1.0.0](../../stateless_executor/greeter/index.md): it " in text


def test_a_purged_version_leaves_its_reason():
    entry = ENTRIES["listener"]
    gone = Withdrawal(kind="purge", reason="It had a key.", date="2026-11-25T05:00:00Z", action=1)
    old, new = entry.record.releases
    record = replace(entry.record, rows=(replace(old, revoked=gone), new))
    text = first(replace(entry, record=record, releases=(entry.latest,)))
    assert "- 1.0.0: it was removed on 2026-11-25\\: It had a key.\n" in text


def test_a_name_of_which_everything_was_purged_leaves_its_reason():
    record = ENTRIES["greeter"].record
    gone = Withdrawal(kind="purge", reason="A `key`.", date="2026-11-25T05:00:00Z", action=1)
    ((path, data),) = gone_texts(
        replace(record, rows=tuple(replace(row, revoked=gone) for row in record.rows))
    )
    assert path == "stateless_executor/greeter/index.md"
    assert data.decode() == (
        "# greeter\n\n**Removed.** Nothing of this prompt is left to install.\n\n"
        "**Deprecated.** Too short. Use listener instead.\n\n"
        "## Versions\n\n- 1.0.0: it was removed on 2026-11-25\\: A \\`key\\`.\n"
    )


def test_deprecations_and_the_reserved_class_are_told():
    greeter = ENTRIES["greeter"]
    assert "**Deprecated.** Too short. Use listener instead." in first(greeter)
    alone = replace(greeter, record=replace(greeter.record, deprecated={"reason": "Gone."}))
    assert "**Deprecated.** Gone.\n" in first(alone)
    assert first(ENTRIES["watcher"]).count(RESERVED) == 1


def test_a_draft_says_that_it_is_one():
    latest = replace(ENTRIES["greeter"].latest, draft=True)
    text = first(replace(ENTRIES["greeter"], latest=latest, releases=(latest,)))
    assert "**Draft: not released.**" in text
    assert "- Released: not yet\n" in text
    assert "): draft\n" in text
    assert "- Registry" not in text
    assert "psreg install" not in text


def test_a_production_registry_and_a_release_without_facts():
    entry = with_latest(ENTRIES["greeter"], release={"requires": 1}, score=None)
    text = first(entry, replace(SITE, mode="production"))
    assert f"- Registry: `{'ab' * 16}`, signed\n" in text
    assert "Score" not in text
    assert "When to use it" not in text
    assert "- Tested: not yet tested on any platform\n" in text


def test_no_text_of_a_hostile_entry_has_an_effect():
    text = first(ENTRIES["hostile"])
    tokens = READER.parse(text)
    spans = [part for token in tokens for part in token.children or ()]
    assert {token.type for token in tokens}.isdisjoint({"html_block", "hr", "table_open"})
    assert "html_inline" not in {span.type for span in spans}
    links = [span.attrs["href"] for span in spans if span.type == "link_open"]
    assert links
    assert all(href.startswith("../../") for href in links)
    assert "\u202e" not in text
    (prompt,) = (token for token in tokens if token.type == "fence" and token.info == "text")
    assert SCRIPT in prompt.content
    assert ATTRIBUTE.replace('"', '\\"') in prompt.content
    assert [token.tag for token in tokens if token.type == "heading_open"].count("h1") == 1


def test_long_texts_and_long_lists_end():
    long = "<&" * 500_000
    release = dict.fromkeys(("summary", "use_case", "license", "changes"), long)
    lists = {"tags": [f"t{n}" for n in range(10_000)], "limitations": [long] * 60}
    requires = {f"n{n}": "^1" for n in range(10_000)}
    text = first(
        with_latest(ENTRIES["greeter"], release={**release, **lists, "requires": requires})
    )
    assert len(text) < 60 * 20_000
    assert "t49\n" in text
    assert "n49 \\^1\n" in text


@pytest.mark.parametrize(
    "value",
    [
        *("# a", "- a", "+ a", "1. a", "12) a", "> a", "    a", "~~~ a", "``` a", "a | b", "--- a"),
        *("*a* _b_ **c**", "[a](b)", "![a](b)", "<b>a</b>", "<https://e.org>", "&amp; a", "a\\"),
        *("https://e.org", "www.e.org", "a@e.org", "a\n\n# b", "a\r\rb", "[a]: b", "a\n===", "`a`"),
    ],
)
def test_prose_is_one_paragraph_of_plain_text(value):
    tokens = READER.parse(prose(value))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    (line,) = (token.children for token in tokens if token.children)
    assert "".join(part.content for part in line) == " ".join(value.split())
    assert {part.type for part in line} <= {"text", "text_special"}
    for start in ("http://", "https://", "www.", "a@"):  # forges make links of these
        assert start not in prose(value)


def test_prose_is_shortened_and_shows_what_hides():
    assert prose("word " * 300_000, 10) == "word word…"
    assert prose("a\x00\u202e\ud800b") == "a⟨U+0000⟩⟨U+202E⟩⟨U+D800⟩b"


@pytest.mark.parametrize("value", ["a", "```\nb\n```\n", "`" * 9, "~~~\n", "", "a\x1b\u2066b"])
def test_a_code_block_cannot_be_left(value):
    (token,) = MarkdownIt().parse(fenced(value, "text"))
    shown = value.replace("\x1b", "⟨U+001B⟩").replace("\u2066", "⟨U+2066⟩")
    assert token.content == (shown if shown.endswith("\n") else f"{shown}\n")


def test_hosts_serve_it_as_markdown_and_what_authors_wrote_as_plain_text():
    text = headers_of("prompt/x/index.md", 1000, pack=True)
    assert (text.media_type, text.coding) == ("text/markdown; charset=utf-8", "gzip")
    readme = headers_of("pbes/prompt/x/1.0.0/README.md", 1000, pack=True)
    assert (readme.media_type, readme.coding) == ("text/plain; charset=utf-8", "")
