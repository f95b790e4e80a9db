"""The catalogue in a real browser: find, read, copy, fill in; and nothing from elsewhere."""

import gzip
import json
import re
import shutil
import threading
import unicodedata
from pathlib import PurePosixPath
from urllib.parse import parse_qsl

import pytest

from psreg.catalogue.build import FixedParts, build_site
from psreg.catalogue.server import SiteServer
from psreg.catalogue.site_source import SiteSource
from psreg.cli.rules import all_rules
from psreg.formats import platforms
from psreg.formats.dotprompt import read, render
from psreg.registry.catalog_segments import read_segment
from psreg.registry.checkout import read_tree
from psreg.registry.search.ranking import search
from psreg.registry.search.words import distance, stem, words_of
from support.catalogue import SCRIPT, TEMPLATE, tree
from support.paths import PBES
from support.publishing import release
from support.search_cases import CASES, TABLE, authored, made_up, queries, segments_of

PAGES = [
    "",
    "interactive_engine/",
    "persistent_service/",
    "interactive_engine/listener/",
    "interactive_engine/listener/1.0.0/",
    "interactive_engine/listener/1.1.0/",
    "interactive_engine/listener/1.1.0/runs/",
    "interactive_engine/hostile/",
    "prompt/river_letter/",
    "stateless_executor/greeter/",
    "rules/",
    "rules/PBE006/",
    "guide/",
    "score/",
    "guide/trust/",
    "adr/",
    "architecture/",
    "authors/",
    "errors/",
    "protocols/vpp/",
    "run/",
]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_without_a_word_of_complaint(tab, path):
    page = tab.open(path)
    assert page.locator("h1").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_a_telephone(open_tab, path):
    tab = open_tab(viewport={"width": 320, "height": 640}, has_touch=True, color_scheme="dark")
    page = tab.open(path)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.body.dataset.mdColorScheme") == "slate"


@pytest.mark.parametrize(
    "path",
    ["interactive_engine/listener/", "interactive_engine/listener/1.0.0/", "rules/PBE006/", ""],
)
def test_the_menu_leads_on(open_tab, path):
    tab = open_tab(viewport={"width": 390, "height": 844}, has_touch=True)
    page = tab.open(path)
    page.locator("header label[for=__drawer]").click()
    menu = page.locator(".md-sidebar--primary")
    for back in reversed(menu.locator(".md-nav__toggle:checked ~ .md-nav > .md-nav__title").all()):
        back.click()
    menu.get_by_role("link", name="Learn").first.click(trial=True)


LONGEST = ["guide/maintainers/", "registry-format/"]


@pytest.mark.parametrize("path", [*PAGES, *LONGEST])
def test_a_page_is_light(tab, path):
    tab.open(path).wait_for_load_state("networkidle")
    sizes = {answer.url: len(gzip.compress(answer.body())) for answer in tab.answers}
    assert len(tab.answers) == len(tab.asked) <= 12, tab.asked
    assert sum(sizes.values()) <= 60_000, sizes
    assert not any(url.endswith(".json") for url in sizes)


def test_an_entry_prints_its_facts_and_the_prompt_first(tab):
    page = tab.open("interactive_engine/listener/")
    assert 0 < len(re.findall(rb"/Type /Page\b", page.pdf(format="A4"))) <= 5
    page.emulate_media(media="print")
    assert not page.locator(".ps-take").is_visible()
    tops = [
        page.locator(part).bounding_box()["y"]
        for part in (".ps-head", ".ps-entry__facts", "#artifact", "#use")
    ]
    assert tops == sorted(tops)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_longest_prompt_prints_on_five_sheets(chromium, tmp_path):
    """`pbct` has more text than any other entry of this repository."""
    checkout = tmp_path / "registry"
    shutil.copytree(PBES / "interactive_engine/pbct", checkout / "pbes/interactive_engine/pbct")
    longest = max(PBES.glob("*/*/*/*.pbe.txt"), key=lambda path: path.stat().st_size)
    assert longest.parts[-3] == "pbct"
    release(tmp_path / "home", checkout / "registry", dict(read_tree(checkout)))
    source = SiteSource(checkout=checkout, registry=checkout / "registry")
    build_site(source, tmp_path / "site", "", FixedParts(rules=all_rules, scripts=dict))
    with SiteServer(tmp_path / "site", 0) as server, chromium.new_context() as context:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        page = context.new_page()
        page.goto(f"{server.url}interactive_engine/pbct/")
        for paper in ("A4", "Letter"):
            assert 2 < len(re.findall(rb"/Type /Page\b", page.pdf(format=paper))) <= 5, paper
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_drafts_are_marked_everywhere_and_can_be_copied(open_tab, preview, width):
    tab = open_tab(viewport={"width": width, "height": 900})
    tab.site = preview
    page = tab.open()
    assert page.locator(".ps-note").first.inner_text().startswith("This is a preview with drafts.")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#ps-q").fill("listens")
    tab.until("document.querySelectorAll('.ps-result').length === 1")
    assert page.locator(".ps-result .ps-state--draft").text_content() == "draft"
    page.locator(".ps-result a").click()
    page.wait_for_url(f"{preview}interactive_engine/listener/")
    assert "Draft: not released." in page.locator(".ps-note").first.inner_text()
    assert page.get_by_text("psreg install").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Copy the prompt").click()
    tab.until("document.querySelector('.ps-copy').textContent === 'Copied the prompt'")
    artifact = tree()[PurePosixPath("pbes/interactive_engine/listener/1.1.0/listener.pbe.txt")]
    assert tab.clipboard().encode() == artifact


def results(page):
    return page.locator(".ps-result h3").all_text_contents()


def status(page):
    return page.locator(".ps-search__status").text_content()


def address(page):
    """The address as the page has it; `page.url` hears of a change later."""
    return page.evaluate("location.href")


def test_find_while_typing(tab):
    page = tab.open()
    assert page.locator(".ps-home").is_visible()
    assert results(page) == []
    page.locator("#ps-q").type("listens question")
    tab.until("document.querySelectorAll('.ps-result').length === 1")
    assert results(page) == ["listener"]
    assert status(page) == "1 prompt"
    assert page.locator(".ps-result mark").all_text_contents() == [
        "listener", "Listens", "asks", "question",
    ]  # fmt: skip
    assert address(page) == f"{tab.site}?q=listens+question"
    assert not page.locator(".ps-home").is_visible()
    page.locator(".ps-result a").click()
    page.wait_for_url(f"{tab.site}interactive_engine/listener/")


def test_the_address_brings_a_search_back(tab):
    page = tab.open("?q=RIVER&class=prompt")
    assert results(page) == ["river_letter"]
    assert page.input_value("#ps-q") == "RIVER"
    assert page.input_value("select[name=class]") == "prompt"
    assert address(page) == f"{tab.site}?q=RIVER&class=prompt"
    assert not page.locator("#__search").is_checked()


def test_what_matches_some_words_is_under_a_heading_of_its_own(tab):
    page = tab.open("?q=letter+listens")
    assert sorted(results(page)) == ["listener", "river_letter"]
    assert page.locator(".ps-results > li").first.text_content() == "These match some of your words"
    assert status(page) == "No prompt matches all words; 2 prompts match some"
    page = tab.open("?q=river+letter")
    assert results(page)[0] == "river_letter"
    assert page.locator(".ps-results > li").nth(1).get_attribute("class") == "ps-some"
    assert page.locator(".ps-some h2").count() == 1
    assert status(page) == "1 prompt"


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_everything_found_is_aligned(open_tab, width):
    page = open_tab(viewport={"width": width, "height": 900}).open("?q=letter+listens")
    lefts = page.evaluate(
        "[...document.querySelectorAll('.ps-search__status, .ps-some h2, .ps-result > a > h3')]"
        ".map((each) => each.getBoundingClientRect().left)"
    )
    assert len(lefts) == 4
    assert len(set(lefts)) == 1


def test_nothing_found_says_what_to_do(tab):
    page = tab.open("?q=xyzzy")
    assert results(page) == []
    assert status(page) == "No prompt matches."
    assert page.locator(".ps-advice").text_content() == "Try other words, or another filter."
    page.locator(".ps-facets").get_by_role("button", name="Clear").click()
    assert page.locator(".ps-home").is_visible()
    assert address(page) == tab.site
    page = tab.open("?q=riwwer")
    page.locator(".ps-advice a", has_text="river").click()
    page.wait_for_url(f"{tab.site}?q=river")
    tab.until("document.querySelectorAll('.ps-result').length === 5")


def test_nothing_is_fetched_before_somebody_searches(tab):
    page = tab.open()
    page.wait_for_timeout(100)
    assert not [url for url in tab.asked if "index.json" in url or "synonyms" in url]
    page.keyboard.press("/")
    tab.until("document.querySelector('.ps-facets:not([hidden])')")
    assert [url for url in tab.asked if "synonyms" in url]


def test_results_can_be_sorted(tab):
    page = tab.open("?q=test")
    best = results(page)
    page.select_option("select[name=sort]", "name")
    assert results(page) == sorted(best) != best
    assert address(page) == f"{tab.site}?q=test&sort=name"
    page.select_option("select[name=sort]", "newest")
    assert results(page) == sorted(best)  # they were all released at once
    page = tab.open("?sort=name")
    assert page.input_value("select[name=sort]") == "name"
    assert len(results(page)) == 5
    page = tab.open("?sort=unknown")
    assert results(page) == []


def options(page, name):
    return page.locator(f"select[name={name}] option").all_text_contents()


def test_facets_count_what_they_would_leave(tab):
    page = tab.open()
    page.locator("#ps-q").focus()
    tab.until("document.querySelector('.ps-facets:not([hidden])')")
    assert options(page, "class") == [
        "Any class",
        "interactive engine (2)",
        "persistent service (1)",
        "prompt template (1)",
        "stateless executor (1)",
    ]
    assert options(page, "tag") == ["Any tag", "river (4)", "test (5)", "x<y (1)"]
    assert not page.locator("select[name=license]").is_visible()  # all have the same
    assert options(page, "tested") == [
        "Tested or not",
        "not yet tested (4)",
        "on two or more platforms (1)",
    ]
    assert options(page, "protocol") == ["Any protocol", "VPP (1)"]
    page.select_option("select[name=tested]", "two-or-more")
    assert results(page) == ["listener"]
    assert options(page, "class") == ["Any class", "interactive engine (1)"]
    assert options(page, "tested")[1] == "not yet tested (4)"
    page.select_option("select[name=tested]", "")
    page.select_option("select[name=class]", "persistent_service")
    assert results(page) == ["watcher"]
    assert "nothing executes today" in page.locator(".ps-result").text_content()


def test_search_by_keyboard_alone(tab):
    page = tab.open()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "ps-q"
    page.keyboard.type("test")
    tab.until("document.querySelectorAll('.ps-result').length === 5")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    focused = "document.activeElement.textContent"
    assert page.evaluate(focused) == results(page)[1]
    page.keyboard.press("ArrowUp")
    assert page.evaluate(focused) == results(page)[0]
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "ps-q"
    page.keyboard.press("Enter")
    assert page.evaluate(focused) == results(page)[0]
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "ps-q"


def test_a_class_page_lists_its_entries_and_searches_them(tab):
    page = tab.open("interactive_engine/")
    assert results(page) == ["hostile", "listener"]
    page.locator("#ps-q").fill("xyzzy")
    tab.until("!document.querySelector('.ps-result')")
    page.locator("#ps-q").fill("listens")
    tab.until("document.querySelector('.ps-result')")
    assert results(page) == ["listener"]
    assert page.locator("select[name=class]").count() == 0
    page.locator("#ps-q").fill("")
    tab.until("document.querySelectorAll('.ps-result').length === 2")


def test_without_javascript_everything_is_listed(open_tab):
    page = open_tab(java_script_enabled=False).open("interactive_engine/", ready="true")
    assert results(page) == ["hostile", "listener"]
    assert page.locator("noscript").count() == 1


def found(page):
    """The texts of what the header's search shows, prompts first."""
    return page.locator(".ps-found strong").all_text_contents()


SAID = "document.querySelector('.ps-found [role=status]').textContent"


def test_the_header_finds_prompts_and_then_documentation(tab):
    page = tab.open("guide/")
    field = page.get_by_label("Search prompts and documentation")
    field.click()
    page.keyboard.type("listener")
    tab.until(f"{SAID}.startsWith('1 prompt, ')")
    assert found(page)[0] == "listener"
    field.fill("PBE006")
    tab.until(f"{SAID} === '0 prompts, 1 page of the documentation'")
    assert found(page) == ["PBE006 version-not-semver"]
    field.fill("river protocols")
    tab.until(f"{SAID}.startsWith('5 prompts, ')")
    assert len(found(page)) > 5
    assert page.locator(".ps-found section > p").all_text_contents() == ["Prompts", "Documentation"]
    field.fill("xyzzy")
    tab.until(f"{SAID} === 'Nothing matches.'")
    page.get_by_title("Clear").click()
    tab.until(f"{SAID} === ''")
    field.fill("offline cache")
    page.locator(".ps-documents__part").first.click()
    page.wait_for_url(f"{tab.site}**/#*")


def test_the_header_is_searched_by_keyboard_alone(tab):
    page = tab.open("guide/")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("listener")
    page.locator(".ps-found a").first.wait_for()
    page.keyboard.press("ArrowDown")
    assert "listener" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.press("Escape")
    assert not page.locator("#__search").is_checked()
    page.keyboard.press("/")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{tab.site}?q=listener")
    tab.until("document.querySelectorAll('.ps-result').length === 1")


@pytest.mark.parametrize(
    ("path", "field", "link"),
    [("guide/", "header [name=q]", ".ps-found a"), ("", "#ps-q", ".ps-result > a")],
)
def test_what_arrives_later_leaves_the_focus_where_it_is(tab, path, field, link):
    held = []
    documents = "**/search/documents.json"
    tab.page.route(documents, lambda route, _: held.append(route))
    page = tab.open(path)
    with page.expect_request(documents):
        page.locator(field).press_sequentially("listener")
    page.locator(link).first.wait_for()
    page.keyboard.press("ArrowDown")
    at = page.evaluate("document.activeElement.href")
    assert at.endswith("/listener/")
    tab.until(f"document.querySelector({link!r}) === document.activeElement")
    held.pop().continue_()
    page.locator(".ps-documents a").first.wait_for()
    assert page.evaluate("document.activeElement.href") == at
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.name") == "q"


def test_the_field_has_the_focus_if_the_link_that_had_it_is_gone(tab):
    page = tab.open("?q=listener")
    page.locator(".ps-result > a").first.focus()
    page.evaluate(
        "document.querySelector('#ps-q').value = 'greeter';"
        "document.querySelector('#ps-q').dispatchEvent(new Event('input'))"
    )
    tab.until("document.querySelector('.ps-result > a')?.href.endsWith('/greeter/')")
    assert page.evaluate("document.activeElement.id") == "ps-q"


def test_what_the_header_cannot_fetch_is_told(tab):
    tab.foreseen = "Failed to load resource"
    tab.page.route("**/search/documents.json", lambda route: route.abort())
    page = tab.open("guide/")
    page.get_by_label("Search prompts and documentation").fill("listener")
    tab.until(f"{SAID} === 'The search could not be loaded.'")
    assert found(page) == ["listener"]
    tab.page.unroute("**/search/documents.json")
    page.get_by_label("Search prompts and documentation").fill("listens")
    tab.until(f"{SAID}.startsWith('1 prompt, ')")
    tab.failed.clear()


def test_menu_and_search_open_by_keys_and_close(open_tab):
    tab = open_tab(viewport={"width": 390, "height": 844})
    page = tab.open("guide/")
    page.locator("header label[for=__drawer]").focus()
    page.keyboard.press("Enter")
    assert page.locator("#__drawer").is_checked()
    page.keyboard.press(" ")
    assert not page.locator("#__drawer").is_checked()
    page.get_by_title("Search", exact=True).click()
    assert page.evaluate("document.activeElement.name") == "q"
    page.get_by_title("Close the search").click()
    assert not page.locator("#__search").is_checked()
    assert page.evaluate("document.activeElement.name") is None


def test_the_documentation_is_below_the_prompts(tab):
    page = tab.open("?q=semver")
    page.locator(".ps-documents a").first.wait_for()
    assert "PBE006 version-not-semver" in page.locator(".ps-documents strong").all_text_contents()
    page.locator("#ps-q").fill("")
    page.locator(".ps-documents").wait_for(state="detached")


@pytest.mark.parametrize(
    ("path", "artifact"),
    [
        ("interactive_engine/listener/", "interactive_engine/listener/1.1.0/listener.pbe.txt"),
        ("stateless_executor/greeter/", "stateless_executor/greeter/1.0.0/greeter.pbe.txt"),
        ("interactive_engine/hostile/", "interactive_engine/hostile/0.1.0-rc.1/hostile.pbe.txt"),
        ("prompt/river_letter/", "prompt/river_letter/1.0.0/river_letter.prompt"),
    ],
)
def test_the_copy_button_gives_the_exact_artifact(tab, registry, path, artifact):
    page = tab.open(path)
    button = page.locator("#artifact .ps-copy")
    button.click()
    tab.until("document.querySelector('#artifact .ps-copy').textContent === 'Copied the file'")
    expected = (registry / "pbes" / artifact).read_bytes()
    assert tab.clipboard().encode() == expected
    assert page.locator("p[role=status].ps-hidden").text_content() == "Copied the file"
    # What is shown is the same text, colours or not, but for what would hide.
    shown = page.locator(".ps-source code").text_content()
    assert shown == expected.decode().replace("\u202e", "⟨U+202E⟩")


@pytest.mark.parametrize("clipboard", [True, False])
def test_the_prompt_is_copied_without_a_network(tab, registry, clipboard):
    tab.foreseen = "pbes/"  # what cannot be fetched
    if not clipboard:
        tab.page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: null})")
    page = tab.open("interactive_engine/listener/")
    page.wait_for_load_state("networkidle")  # the scripts of the page are there
    page.context.set_offline(True)
    page.get_by_role("button", name="Copy the prompt", exact=True).click()
    tab.until("document.querySelector('.ps-take .ps-copy').textContent === 'Copied the prompt'")
    page.evaluate("document.body.prepend(document.createElement('textarea'))")
    page.locator("body > textarea").focus()
    page.keyboard.press("Control+V")
    artifact = registry / "pbes/interactive_engine/listener/1.1.0/listener.pbe.txt"
    assert page.locator("body > textarea").input_value() == artifact.read_text()
    tab.failed.clear()


def test_what_hides_is_not_copied_as_it_is_shown(tab):
    tab.foreseen = "pbes/"
    page = tab.open("interactive_engine/hostile/")
    page.wait_for_load_state("networkidle")  # the scripts of the page are there
    page.context.set_offline(True)
    page.get_by_role("button", name="Copy the prompt", exact=True).click()
    tab.until("document.querySelector('.ps-take .ps-copy').textContent === 'Could not copy'")
    tab.failed.clear()


def test_the_first_button_copies_the_prompt(tab, registry):
    page = tab.open("interactive_engine/listener/")
    button = page.locator(".ps-copy").first
    assert button.text_content() == "Copy the prompt"
    button.click()
    tab.until("document.querySelector('.ps-copy').textContent === 'Copied the prompt'")
    listener = registry / "pbes/interactive_engine/listener/1.1.0/listener.pbe.txt"
    assert tab.clipboard().encode() == listener.read_bytes()
    page = tab.open("prompt/river_letter/")
    page.get_by_role("link", name="Fill in and copy").click()
    page.wait_for_url("**/#fill")


@pytest.mark.parametrize("platform", platforms.PAGES)
def test_an_assistant_is_opened_after_the_prompt_was_copied(tab, registry, platform):
    page = tab.open("interactive_engine/listener/")
    page.context.route(platforms.PAGES[platform], lambda route: route.fulfill(body="an assistant"))
    page.get_by_text("Copy and open…").click()
    with page.context.expect_page() as opened:
        page.locator(".ps-take").get_by_role("link", name=platforms.PLATFORMS[platform]).click()
    opened.value.wait_for_url(platforms.PAGES[platform])
    assert opened.value.evaluate("window.opener === null && document.referrer === ''")
    listener = registry / "pbes/interactive_engine/listener/1.1.0/listener.pbe.txt"
    assert tab.clipboard().encode() == listener.read_bytes()


def test_no_assistant_is_opened_while_a_variable_is_open(tab):
    page = tab.open("prompt/river_letter/")
    page.locator(".ps-fill").get_by_text("Copy and open…").click()
    link = page.locator(f".ps-fill a[href='{platforms.PAGES['claude']}']")
    link.click()
    tab.until("document.querySelector('.ps-fill a.ps-copy--failed')")
    assert link.text_content().startswith("Missing: ")
    assert len(page.context.pages) == 1


def test_what_else_can_be_done_is_one_line_on_a_telephone(open_tab):
    page = open_tab(viewport={"width": 390, "height": 844}).open("interactive_engine/listener/")
    tops = page.evaluate(
        "[...document.querySelectorAll('.ps-take-also > *')]"
        ".map((each) => each.getBoundingClientRect().top)"
    )
    assert len(tops) == 3
    assert len(set(tops)) == 1


def test_the_link_of_a_page_can_be_copied(tab):
    page = tab.open("interactive_engine/listener/?x=1#does")
    page.get_by_role("button", name="Copy the link").click()
    tab.until("document.querySelector('[data-copy-page]').textContent === 'Copied the link'")
    assert tab.clipboard() == f"{tab.site}interactive_engine/listener/"


def test_the_download_is_the_artifact(tab, registry):
    page = tab.open("prompt/river_letter/")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the prompt").click()
    data = download.value.path().read_bytes()
    assert data == TEMPLATE.encode()


def test_commands_can_be_copied(tab):
    page = tab.open("interactive_engine/listener/")
    page.locator("#developers .ps-command .ps-copy").click()
    tab.until(
        "document.querySelector('#developers .ps-command .ps-copy').textContent === 'Copied the command'"
    )
    assert tab.clipboard() == "psreg install listener"


def test_the_home_page_knows_its_own_address(tab):
    page = tab.open()
    pin = page.evaluate("fetch('api/v1/index.json').then((a) => a.json())")["root_sha256"]
    page.locator(".ps-home .ps-command .ps-copy").first.click()
    tab.until("document.querySelector('.ps-command .ps-copy').textContent === 'Copied the command'")
    assert tab.clipboard() == f"psreg registry add {tab.site} --root-sha256 {pin}"


def test_code_in_the_guide_can_be_copied(tab):
    page = tab.open("guide/maintainers/")
    block = page.locator("pre").first
    block.hover()
    block.locator(".ps-copy").click()
    tab.until("document.querySelector('pre .ps-copy').textContent === 'Copied the code'")
    assert tab.clipboard() == block.locator("code").inner_text()


PROMPT = read(TEMPLATE.encode())
VALUES = [
    {},
    {"unknown-one": "done"},
    {"river": "", "mood": "sad\n\n- really ", "nothing": "!"},
    {"river": "{mood}", "mood": "{{x}}", "unknown-one": "(% no %) <b>&amp;"},
    {"river": "é 日本 🏞", "nothing": " "},
]


@pytest.mark.parametrize("values", VALUES)
def test_filling_in_gives_what_psreg_renders(tab, values):
    page = tab.open("prompt/river_letter/")
    for name, value in values.items():
        page.locator(f"textarea[name='{name}']").fill(value)
    expected = render(PROMPT, values)
    assert page.locator(".ps-fill__text").text_content() == expected.text
    missing = ", ".join(expected.missing)
    said = f"Missing: {missing}" if missing else "All variables have a value"
    assert page.locator(".ps-fill__open").text_content() == said
    copy = page.get_by_role("button", name="Copy the prompt")
    copy.click()
    if missing:
        tab.until(f"document.querySelector('[data-copy-filled]').textContent === '{said}'")
        assert page.evaluate("document.activeElement.name") == expected.missing[0]
        return
    tab.until("document.querySelector('[data-copy-filled]').textContent === 'Copied the prompt'")
    assert tab.clipboard() == expected.text


COPIED_LINK = "document.querySelector('[data-copy-link]').textContent === 'Copied the link'"


@pytest.mark.parametrize("values", VALUES)
def test_a_link_carries_the_values_to_no_server(tab, values):
    page = tab.open("prompt/river_letter/")
    for name, value in values.items():
        page.locator(f"textarea[name='{name}']").fill(value)
    page.get_by_role("button", name="Copy a link with these values").click()
    tab.until(COPIED_LINK)
    address, _, carried = tab.clipboard().partition("#fill?")
    assert address == f"{tab.site}prompt/river_letter/"
    assert dict(parse_qsl(carried, keep_blank_values=True)) == values
    tab.open(f"prompt/river_letter/#fill?{carried}")
    text = page.locator(".ps-fill__text")
    assert text.text_content() == render(PROMPT, values).text
    page.evaluate("location.hash = '#fill?mood=calm&foreign=x'")
    tab.until("document.querySelector(\"textarea[name='mood']\").value === 'calm'")
    assert text.text_content() == render(PROMPT, {"mood": "calm"}).text


def test_what_is_too_long_for_a_link_is_told(tab):
    page = tab.open("prompt/river_letter/")
    page.locator("textarea[name='unknown-one']").fill("é" * 1_000)
    page.get_by_role("button", name="Copy a link with these values").click()
    tab.until("document.querySelector('[data-copy-link]').textContent === 'Too long for a link'")


def test_a_required_value_can_be_taken_back(tab):
    page = tab.open("prompt/river_letter/")
    field = page.locator("textarea[name='unknown-one']")
    field.fill("x")
    field.fill("")
    assert page.locator(".ps-fill__text").text_content() == render(PROMPT, {}).text


def test_nothing_hostile_runs(tab):
    page = tab.open("interactive_engine/hostile/")
    assert SCRIPT in page.locator("h1").text_content()
    assert page.evaluate("document.querySelectorAll('article script:not([type])').length") == 0
    assert page.evaluate("document.querySelectorAll('article img').length") == 0
    handlers = "[...document.querySelectorAll('article *')].flatMap((e) => e.getAttributeNames())"
    assert not [name for name in page.evaluate(handlers) if name.startswith("on")]
    page = tab.open(f"?q={SCRIPT.replace('(', '%28')}")
    assert results(page) == ["hostile"]


def test_the_policy_stops_what_would_slip_through(tab):
    page = tab.open("interactive_engine/listener/")
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        " document.body.append(s); const i = document.createElement('img');"
        " i.src = 'https://example.org/x.png'; document.body.append(i);"
        " const p = document.createElement('p'); p.innerHTML = '<b style=\"display:none\">x</b>';"
        " document.body.append(p); window.styled = getComputedStyle(p.firstChild).display; }"
    )
    tab.wait_for(lambda: len(tab.said) >= 3, "three are refused")
    assert page.evaluate("window.ran") is None
    refused = [line for line in tab.said if "Content Security Policy" in line]
    assert page.evaluate("window.styled") != "none"
    assert len(refused) == len(tab.said) == 3
    asked = [url for url in tab.asked if "example.org" in url]
    tab.wait_for(lambda: tab.failed == asked, "nothing is answered")
    tab.said.clear()
    tab.failed.clear()
    tab.asked.clear()


def test_a_missing_page_is_missing(tab):
    tab.foreseen = "404 (Not Found)"
    answer = tab.page.goto(f"{tab.site}prompt/gone/")
    assert answer.status == 404
    tab.failed.clear()


def test_the_colours_can_be_changed(tab):
    page = tab.open()
    assert page.evaluate("document.body.dataset.mdColorScheme") == "default"
    page.emulate_media(color_scheme="dark")
    tab.until("document.body.dataset.mdColorScheme === 'slate'")
    page.get_by_title("Switch to light").click()
    assert page.evaluate("document.body.dataset.mdColorScheme") == "default"
    page = tab.open("guide/")
    assert page.evaluate("document.body.dataset.mdColorScheme") == "default"
    page.get_by_title("Switch to dark").click()
    assert page.evaluate("document.body.dataset.mdColorScheme") == "slate"


def test_colours_change_where_nothing_can_be_kept(tab):
    tab.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused') } })"
    )
    page = tab.open()
    page.get_by_title("Switch to dark").click()
    assert page.evaluate("document.body.dataset.mdColorScheme") == "slate"


def contrast(page, selector):
    colours = page.eval_on_selector(
        selector,
        "(e) => { let b = e; while (getComputedStyle(b).backgroundColor === 'rgba(0, 0, 0, 0)')"
        " b = b.parentElement; return [getComputedStyle(e).color, getComputedStyle(b).backgroundColor] }",
    )

    def luminance(colour):
        parts = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
        linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted(map(luminance, colours), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(open_tab, scheme):
    tab = open_tab(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page = tab.open("interactive_engine/listener/")
    for selector in (".ps-lead", ".ps-facts dt", ".ps-class", ".ps-state", ".ps-chips li", "h1"):
        assert contrast(page, selector) >= 4.5, selector
    for selector in (".ps-j-key", ".ps-j-text", ".ps-crumbs a", ".ps-contents a"):
        assert contrast(page, selector) >= 4.5, selector


def test_every_field_and_button_has_a_name(tab):
    for path in ("", "prompt/river_letter/"):
        page = tab.open(path)
        unnamed = page.evaluate(
            "[...document.querySelectorAll('article :is(button, input, select, textarea)')]"
            ".filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length)"
            " || (e.matches('input, select, textarea') && !e.ariaLabel && !e.labels?.length))"
            ".map((e) => e.outerHTML)"
        )
        assert unnamed == []


def test_the_api_speaks_of_the_same_registry(tab):
    page = tab.open()
    record = page.evaluate("fetch('api/v1/packages/listener.json').then((a) => a.json())")
    assert json.dumps(record["name"]) == '"listener"'


FIND = """async ([segments, queries]) => {
  const assets = document.baseURI + "assets/psreg/";
  const { catalogueOf, find } = await import(assets + "search/catalogue.js");
  const synonyms = await fetch(assets + "synonyms.txt").then((answer) => answer.text());
  const catalogue = catalogueOf(segments, synonyms);
  const names = (query, some) =>
    find(catalogue, query, {}).found
      .filter(({ partial }) => partial === some).map(({ row }) => row.name);
  return queries.map((query) => [names(query, false), names(query, true)]);
}"""
"""What the site's search finds in these segments, in its order, for each query: matches of all
words, and of some."""


def test_the_table_of_search_cases(tab):
    page = tab.open()
    segments = [json.loads(data) for data in segments_of(TABLE["entries"])]
    found = page.evaluate(FIND, [segments, [query for query, *_ in CASES]])
    assert found == [[names, some] for _, names, some in CASES]


@pytest.mark.parametrize("entries", [made_up(), authored()], ids=["made up", "authored"])
def test_the_site_and_the_command_rank_alike(tab, entries):
    segments = segments_of(entries)
    asked = queries(entry["summary"] for entry in entries)
    catalogue = [*map(read_segment, segments)]
    told = []
    for query in asked:
        found = search(catalogue, [query])
        told.append([[e.name for e in found if e.partial is some] for some in (False, True)])
    assert tab.open().evaluate(FIND, [[*map(json.loads, segments)], asked]) == told
    assert sum(len(names) > 1 for names, _ in told) > len(asked) / 10


WORDS = """async ([texts, pairs]) => {
  const { distance, stem, wordsOf } = await import(document.baseURI + "assets/psreg/search/words.js");
  return [
    texts.map(wordsOf), texts.map((text) => wordsOf(text).map(stem)),
    pairs.map(([one, other]) => distance(one, other, 2)),
  ];
}"""


def test_the_site_and_the_command_read_the_same_words(tab):
    """Characters that Python knows; the browser may know more."""
    characters = [chr(n) for n in range(0x20000) if unicodedata.category(chr(n)) not in UNKNOWN]
    texts = ["".join(characters[at : at + 64]) for at in range(0, len(characters), 64)]
    texts += [f"a{each}b" for each in characters if each < "\u3000"]
    texts += [entry["summary"] for entry in authored()]
    words = sorted({word for entry in authored() for word in words_of(entry["summary"])})
    pairs = [[one, other] for one in words[::7] for other in words[::11]]
    told = tab.open().evaluate(WORDS, [texts, pairs])
    assert told[0] == [words_of(text) for text in texts]
    assert told[1] == [[*map(stem, words_of(text))] for text in texts]
    assert told[2] == [distance(one, other, 2) for one, other in pairs]


UNKNOWN = ("Cn", "Cs", "Co")
