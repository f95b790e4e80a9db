"""The home page in a real browser: a form that is alive, what a query hides, what a finger needs."""

from urllib.parse import urlsplit

import pytest

from psreg.catalogue.build import FixedParts, build_site
from psreg.catalogue.server import SiteServer
from psreg.catalogue.site_source import SiteSource
from psreg.cli.rules import all_rules
from psreg.formats.dotprompt import read, render
from support.catalogue import TEMPLATE

PROMPT = read(TEMPLATE.encode())
COPIED_LINK = "document.querySelector('[data-copy-link]').textContent === 'Copied the link'"


def test_somebody_types_and_a_prompt_is_built(tab):
    page = tab.open()
    assert page.locator(".ps-pick h3").all_text_contents() == ["Listener", "River letter"]
    page.locator(".ps-home textarea").first.fill("the Elbe at Dresden")
    page.locator("textarea[name='unknown-one']").fill("so be it")
    values = {"river": "the Elbe at Dresden", "unknown-one": "so be it"}
    assert page.locator(".ps-fill__text").text_content() == render(PROMPT, values).text
    page.get_by_role("button", name="Copy a link with these values").click()
    tab.until(COPIED_LINK)
    link = tab.clipboard()
    assert link.startswith(f"{tab.site}prompt/river_letter/#fill?")
    page = tab.open(link.removeprefix(tab.site))
    assert page.locator(".ps-fill__text").text_content() == render(PROMPT, values).text


def test_a_query_hides_the_rest_until_it_is_cleared(tab):
    page = tab.open("?q=listens")
    assert page.locator(".ps-result").count() == 1
    assert not page.locator(".ps-home").is_visible()
    assert not page.locator(".ps-lead").is_visible()
    page.locator("#ps-q").fill("")
    page.locator(".ps-home").wait_for(state="visible")
    assert page.locator(".ps-lead").is_visible()


def test_without_the_data_the_page_shows_what_it_has(tab):
    tab.foreseen = "Failed to load resource"
    tab.page.route("**/api/v1/index.json", lambda route: route.abort())
    page = tab.page
    page.goto(f"{tab.site}?q=listens")
    page.locator(".ps-home").wait_for(state="visible")
    status = page.locator(".ps-search__status")
    assert "could not be loaded" in status.text_content()
    tab.page.unroute("**/api/v1/index.json")
    page.locator("#ps-q").fill("listen")
    page.locator(".ps-result").wait_for(state="visible")
    assert status.text_content().startswith("1 prompt")
    tab.failed.clear()


SHIFT = """() => new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) sum += each.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(sum), 300);
})"""


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("path", ["", "?q=test", "?tag=river", "prompt/river_letter/"])
def test_nothing_moves_while_a_page_loads(open_tab, path, width):
    tab = open_tab(viewport={"width": width, "height": 800})
    page = tab.open(path)
    assert page.evaluate(SHIFT) <= 0.02
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("path", ["", "prompt/river_letter/", "guide/"])
def test_a_long_name_stays_on_the_line_of_the_header(open_tab, path):
    page = open_tab(viewport={"width": 390, "height": 844}).open(path)
    name = page.locator(".md-header__title .md-ellipsis")
    assert name.get_attribute("title") == name.text_content() == "psreg"
    height = name.bounding_box()["height"]
    name.evaluate("(e) => { e.textContent = 'Prompts of the example team '.repeat(4); }")
    assert name.bounding_box()["height"] == height
    assert name.evaluate("(e) => e.scrollWidth > e.clientWidth")
    search = page.locator(".md-header__button[for=__search]").bounding_box()
    assert search["x"] + search["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


SMALL = """[...document.querySelectorAll(
  ".ps-search :is(input, select, button), .ps-home :is(.ps-copy, textarea, summary, h2 a, a.ps-card),"
  + ".ps-footer__about a, .md-header__button.md-icon"
)].filter((each) => {
  const { width, height } = each.getBoundingClientRect();
  return width && (width < 44 || height < 44);
}).map((each) => each.outerHTML)"""


@pytest.mark.parametrize("path", ["", "?q=test"])
def test_a_finger_meets_every_control(open_tab, path):
    tab = open_tab(viewport={"width": 390, "height": 844}, has_touch=True)
    page = tab.open(path)
    assert page.evaluate(SMALL) == []


@pytest.mark.parametrize("width", [320, 390, 600, 820, 1280, 1600])
def test_the_kinds_never_leave_one_alone(open_tab, width):
    page = open_tab(viewport={"width": width, "height": 800}).open()
    tops = page.evaluate(
        "[...document.querySelectorAll('.ps-cards > a')].map((a) => a.getBoundingClientRect().top)"
    )
    assert len({tops.count(top) for top in tops}) == 1


def test_an_unknown_address_is_not_the_end(open_tab, registry, tmp_path):
    source = SiteSource(checkout=registry, registry=registry / "registry")
    build_site(source, tmp_path / "site", "", FixedParts(rules=all_rules, scripts=dict))
    with SiteServer(tmp_path / "site", 0) as server, server.in_background():
        tab = open_tab()
        tab.site, tab.foreseen = server.url, "404 (Not Found)"
        page = tab.open("prompt/river-leter/", ready="document.querySelector('#ps-lost')?.value")
        assert page.input_value("#ps-lost") == "river leter"
        links = page.locator("article li a").all_text_contents()
        assert links[:2] == ["Prompts", "Conversations"]
        assert links[-2:] == ["Learn", "Contribute"]
        page.locator(".ps-lost button").click()
        page.wait_for_url(f"{tab.site}?q=river+leter")
        tab.until("document.querySelectorAll('.ps-result').length")
        page.close()
        assert tab.failed.pop(0) == f"404 {tab.site}prompt/river-leter/"


def test_without_scripts_there_is_no_control_that_needs_them(open_tab):
    page = open_tab(java_script_enabled=False).open("", ready="true")
    assert page.locator(".ps-pick").count() == 2
    assert page.locator(".ps-fill__text").is_visible()
    for control in ("#ps-q", ".ps-copy", ".ps-fill textarea", "label[for=__search]"):
        assert page.locator(control).count()
        assert not page.locator(control).first.is_visible()
    page.goto(f"{page.url}interactive_engine/listener/")
    assert page.locator(".ps-copy").count() > 2
    assert not [each for each in page.locator(".ps-copy").all() if each.is_visible()]
    assert page.get_by_text("Download the prompt").is_visible()


def test_a_page_that_was_saved_can_be_read_and_its_text_be_selected(open_tab, registry, tmp_path):
    source = SiteSource(checkout=registry, registry=registry / "registry")
    build_site(source, tmp_path / "site", "", FixedParts(rules=all_rules, scripts=dict))
    tab = open_tab(viewport={"width": 390, "height": 844})
    tab.site = "file:///"
    tab.foreseen = "psreg.js"  # browsers load no modules from files
    page = tab.page
    page.goto((tmp_path / "site/interactive_engine/listener/index.html").as_uri())
    assert not [each for each in page.locator(".ps-copy").all() if each.is_visible()]
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.ps-source'))")
    page.keyboard.press("Control+C")
    artifact = registry / "pbes/interactive_engine/listener/1.1.0/listener.pbe.txt"
    assert tab.clipboard().strip() == artifact.read_text().strip()
    tab.failed.clear()


@pytest.mark.parametrize("path", ["gone", "prompt/gone/", "prompt/gone/1.0.0/more/"])
def test_an_unknown_address_of_a_site_below_a_path_leads_into_it(tab, path):
    tab.foreseen = "some/path/"  # and what is looked for above it
    page = tab.page
    body = page.request.get(f"{tab.site}404.html").body()
    page.route(f"{tab.site}{path}", lambda route: route.fulfill(status=404, body=body))
    page.goto(tab.site + path)
    page.locator(f".ps-lost[action='{urlsplit(tab.site).path}.']").wait_for()
    page.wait_for_load_state("networkidle")
    for link in page.locator("article a[href], footer a[href]").all():
        assert link.evaluate("(a) => a.href").startswith(tab.site)
    assert page.evaluate("getComputedStyle(document.querySelector('.ps-lost')).display") == "flex"
    page.locator(".ps-lost input").fill("river")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{tab.site}?q=river")
    above = tab.site.removesuffix("some/path/")
    tab.said[:] = [line for line in tab.said if above not in line]
    tab.failed[:] = [url for url in tab.failed if above not in url]
    tab.asked[:] = [url for url in tab.asked if not url.startswith(above)]
