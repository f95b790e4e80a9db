"""A registry of which every field is hostile: nothing runs, and no page is wider than its window."""

import json

import pytest

from psreg.catalogue.build import FixedParts, build_site
from psreg.catalogue.server import SiteServer
from psreg.catalogue.site_source import SiteSource
from psreg.cli.rules import all_rules
from support.hostile_entries import HOSTILE, NAME, hostile_tree
from support.publishing import release

POLICY = """\
[site]
name = "A <b>name</b> \\u202egpj"
text = "Text <i onclick=alert(1)>x</i> \\u202egpj"
picks = ["hostile_engine", "hostile_prompt", "arabic"]
"""

PAGES = (
    "",
    "?q=hostile",
    "?q=tag9999",
    "interactive_engine/",
    "prompt/",
    "stateless_executor/",
    "interactive_engine/hostile_engine/",
    "interactive_engine/hostile_engine/1.0.0/",
    "interactive_engine/hostile_engine/1.0.0/runs/",
    "prompt/hostile_prompt/",
    "prompt/hostile_prompt/1.0.0/",
    "prompt/hostile_prompt/1.1.0/#compare=1.0.0",
    "prompt/arabic/",
    f"stateless_executor/{NAME}/",
    "stateless_executor/many_tags/",
)

ACTIVE = """[...document.querySelectorAll("*")].filter((each) =>
  [...each.attributes].some(({ name }) => /^on/i.test(name))
  || each.matches("[href^='javascript:' i], [href^='data:' i], img[src*=':']")
  || (each.matches("script") && each.textContent.includes("alert(") && !each.type)
).map((each) => each.outerHTML)"""


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory):
    """The address of the site."""
    root = tmp_path_factory.mktemp("hostile")
    content = hostile_tree()
    for path, data in content.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    release(root / "home", root / "registry", content)
    (root / "registry/policy.toml").write_text(POLICY)
    source = SiteSource(checkout=root, registry=root / "registry")
    url = "https://example.org/"
    build_site(source, root / "site", url, FixedParts(rules=all_rules, scripts=dict))
    with SiteServer(root / "site", 0) as server, server.in_background():
        yield server.url


@pytest.mark.parametrize("width", [320, 1920])
def test_no_field_breaks_a_page(open_tab, hostile_site, width):
    tab = open_tab(viewport={"width": width, "height": 900})
    tab.site = hostile_site
    tab.page.on("dialog", lambda dialog: tab.said.append(f"a dialog opened: {dialog.message}"))
    wide, active = [], []
    for path in PAGES:
        page = tab.open(path)
        assert "⟨U+202E⟩" in page.content() or path in ("?q=tag9999", "prompt/arabic/")
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(path)
        active += page.evaluate(ACTIVE)
    assert active == []
    assert wide == []


def test_one_entry_takes_no_more_room_in_a_list_than_others(open_tab, hostile_site):
    tab = open_tab(viewport={"width": 390, "height": 844})
    tab.site = hostile_site
    tallest = "Math.max(...[...document.querySelectorAll('.ps-result')].map((e) => e.offsetHeight))"
    page = tab.open("stateless_executor/")
    assert page.evaluate(tallest) < 1200
    page.locator("#ps-q").fill("many tags")
    tab.until("document.querySelector('.ps-results mark')")
    assert page.evaluate(tallest) < 1200
    page = tab.open("stateless_executor/many_tags/")
    assert page.get_by_text("and 9,900 more").count() == 1
    assert page.locator(".ps-take").bounding_box()["y"] < 2000


def test_text_begins_on_the_side_of_its_language(open_tab, hostile_site):
    tab = open_tab(viewport={"width": 1280, "height": 900})
    tab.site = hostile_site
    page = tab.open("prompt/arabic/")
    gaps = page.evaluate("""
      [".ps-lead", "h1"].map((selector) => {
        const each = document.querySelector(selector);
        const range = document.createRange();
        range.selectNodeContents(each);
        const [text, box] = [range.getBoundingClientRect(), each.getBoundingClientRect()];
        return [text.left - box.left, box.right - text.right].map(Math.round);
      })
    """)
    (left, right), (other_left, other_right) = gaps
    assert right < 2 < left
    assert other_left < 2 < other_right
    said = "getComputedStyle(document.querySelector('.ps-entry__main section p')).unicodeBidi"
    assert page.evaluate(said) == "plaintext"


def test_a_hostile_prompt_is_copied_byte_for_byte(open_tab, hostile_site):
    tab = open_tab(viewport={"width": 390, "height": 844})
    tab.site = hostile_site
    page = tab.open("interactive_engine/hostile_engine/")
    page.get_by_role("button", name="Copy the prompt", exact=True).click()
    tab.until("document.querySelector('.ps-take .ps-copy').textContent === 'Copied the prompt'")
    assert HOSTILE in json.loads(tab.clipboard())["description"]
