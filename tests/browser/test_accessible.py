"""axe-core finds nothing serious on any kind of page, in both themes."""

from urllib.parse import urlsplit

import pytest

from stub import running

axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

KINDS = [
    "",
    "?q=river",
    "?q=xyzzy",
    "interactive_engine/",
    "persistent_service/",
    "prompt/",
    "interactive_engine/listener/",
    "interactive_engine/listener/1.0.0/",
    "interactive_engine/listener/1.1.0/",
    "interactive_engine/hostile/",
    "prompt/river_letter/",
    "persistent_service/watcher/",
    "stateless_executor/greeter/",
    "adr/",
    "adr/0001-two-positions-of-a-rule/",
    "architecture/",
    "authors/",
    "errors/",
    "guide/",
    "guide/trust/",
    "guide/try/",
    "protocols/pb2s/",
    "protocols/plsp/",
    "protocols/vpp/",
    "registry-format/",
    "rules/",
    "rules/PBE006/",
    "rules/REG035/",
    "rules/VPP003/",
    "run/",
    "score/",
    "semantics/",
    "specs/",
    "specs/vpp/1.4/",
]


def serious(page):
    """Return what axe-core finds: the rule, and where."""
    found = axe.run(page).response["violations"]
    return [
        (each["id"], [node["target"] for node in each["nodes"]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.fixture(params=[("light", 1280), ("dark", 390)], ids=["light-wide", "dark-narrow"])
def tab(request, open_tab):
    theme, width = request.param
    size = {"width": width, "height": 844}
    return open_tab(viewport=size, color_scheme=theme, reduced_motion="reduce")


@pytest.mark.parametrize("some", [KINDS[::2], KINDS[1::2]], ids=["even", "odd"])
def test_axe_finds_nothing_serious(tab, some):
    found = {}
    for path in some:
        page = tab.open(path)
        if path.startswith("?"):
            tab.until("document.querySelector('.ps-search__status').textContent")
        found[path] = serious(page)
    assert {path: each for path, each in found.items() if each} == {}


def test_axe_finds_nothing_serious_at_an_unknown_address(tab):
    tab.elsewhere = (tab.site.removesuffix("some/path/"),)  # where the page looks for its site
    tab.page.goto(f"{tab.site}404.html")
    tab.page.locator(f".ps-lost[action='{urlsplit(tab.site).path}.']").wait_for()
    tab.page.wait_for_load_state("networkidle")
    assert serious(tab.page) == []


def test_axe_finds_nothing_serious_in_a_conversation(tab):
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(tab.site))
    with running(origin=origin) as stub:
        tab.elsewhere = (stub.url,)
        page = tab.open("run/#listener@1.1.0", "document.querySelector('.ps-run.ps-ready')")
        page.wait_for_selector(".ps-run__loaded a")
        page.fill("input[name=address]", stub.url)
        page.get_by_role("button", name="Start the conversation").click()
        page.get_by_role("button", name="Download the evidence").wait_for()
        page.get_by_text("Settings", exact=True).click()
        assert serious(page) == []
        page.fill("input[name=address]", "ftp://x")
        page.get_by_role("button", name="List the models").click()
        page.locator(".ps-run__problem p").wait_for()
        assert serious(page) == []


def test_what_is_not_accessible_is_found(tab):
    page = tab.open("guide/")
    page.evaluate("document.querySelector('h1').style.color = 'silver'")
    page.evaluate("document.querySelector('h1').innerHTML += '<img src=\"data:,\">'")
    assert {rule for rule, _ in serious(page)} >= {"image-alt"}


OUTLINE = """(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  return [document.activeElement.outerHTML.slice(0, 80), outlineStyle, parseFloat(outlineWidth) >= 2];
})()"""


@pytest.mark.parametrize("colours", ["none", "active"])
@pytest.mark.parametrize("path", ["interactive_engine/listener/", "guide/maintainers/"])
def test_what_has_the_focus_is_seen(open_tab, path, colours):
    page = open_tab(viewport={"width": 390, "height": 844}, forced_colors=colours).open(path)
    page.locator("#ps-main").focus()
    seen = []
    for key in ["Shift+Tab"] * 4 + ["Tab"] * 30:
        page.keyboard.press(key)
        seen.append(page.evaluate(OUTLINE))
    assert [each for each in seen if each[1] == "none" or not each[2]] == []
