"""What can be pressed is large enough for a finger on a small screen."""

import pytest

PAGES = {
    "home": "",
    "search": "?q=river",
    "tag": "?tag=letter",
    "class": "interactive_engine/",
    "prompts": "prompt/",
    "entry": "interactive_engine/listener/",
    "form": "prompt/river_letter/",
    "service": "persistent_service/watcher/",
    "version": "interactive_engine/listener/1.1.0/",
    "withdrawn": "interactive_engine/listener/1.0.0/",
    "runs": "interactive_engine/listener/1.1.0/runs/",
    "guide": "guide/",
    "docs": "guide/try/",
    "decisions": "adr/",
    "rules": "rules/",
    "rule": "rules/PBE006/",
    "errors": "errors/",
    "run": "run/",
}

SCRIPT = """(() => {
const LEAST = 44;
const CONTROLS = "a[href], button, summary, select, textarea, label[for], label:has(input), "
  + "input:not([type=hidden], .md-toggle), [role=button], [role=tab]";
const seen = (each) => each.checkVisibility({ visibilityProperty: true })
  && [...each.getClientRects()].some(({ width, height }) => width > 1 && height > 1)
  && getComputedStyle(each).pointerEvents !== "none";

// A link in a text is as high as its line (WCAG 2.5.5, 2.5.8).
function inText(control) {
  if (!control.matches("a") || getComputedStyle(control).display !== "inline") return false;
  let block = control;
  while (getComputedStyle(block).display === "inline") block = block.parentElement;
  const words = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const { parentElement, data } = words.currentNode;
    if (!parentElement.closest("a, button, summary") && /\\w/.test(data)) return true;
  }
  return false;
}

// How far a press meets the control from its middle on: what covers it is not part of it.
function height(control) {
  control.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const met = (x, y) => {
    const at = document.elementFromPoint(x, y)?.closest(CONTROLS);
    return at === control || (at && at.control === control) || (at && at === control.control);
  };
  const { x, y, width, height } = [...control.getClientRects()].find((each) => each.width && each.height);
  let most = 0;
  for (const part of [0.5, 0.25, 0.75]) {
    const [across, middle] = [x + width * part, y + height / 2];
    if (!met(across, middle)) continue;
    let [top, bottom] = [middle, middle];
    while (bottom - top < 2 * LEAST && met(across, top - 0.5)) top -= 0.5;
    while (bottom - top < 2 * LEAST && met(across, bottom + 0.5)) bottom += 0.5;
    most = Math.max(most, bottom - top + 0.5);
  }
  return most;
}

// What nothing meets is covered here; another page or an open menu shows it.
window.low = () => [...document.querySelectorAll(CONTROLS)]
  .filter((each) => seen(each) && !inText(each))
  .map((each) => [height(each), each])
  .filter(([high]) => high && high < LEAST)
  .map(([high, each]) => `${each.outerHTML.slice(0, 80)}: ${high} ${each.textContent.trim()}`);
})()"""


@pytest.fixture
def tab(open_tab):
    tab = open_tab(viewport={"width": 390, "height": 844}, reduced_motion="reduce", has_touch=True)
    tab.page.add_init_script(SCRIPT)
    return tab


OPEN = ["", "interactive_engine/listener/", "interactive_engine/listener/1.1.0/", "guide/try/"]
"""One page of each frame: its menu and its search are the same on the others."""


@pytest.mark.parametrize("kind", PAGES)
def test_every_target_is_high_enough(tab, kind):
    page = tab.open(PAGES[kind])
    assert page.evaluate("low()") == []


def test_every_target_of_the_page_for_unknown_addresses_is_high_enough(tab, preview):
    tab.site = preview
    assert tab.open("404.html").evaluate("low()") == []


@pytest.mark.parametrize("path", OPEN)
def test_every_target_of_the_open_search_is_high_enough(tab, path):
    page = tab.open(path)
    page.locator(".md-header__button[for=__search]").click()
    page.locator(".md-search__input").fill("write")
    page.locator(".ps-found .ps-documents a").first.wait_for()
    assert page.evaluate("low()") == []


@pytest.mark.parametrize("path", OPEN)
def test_every_target_of_the_open_menu_is_high_enough(tab, path):
    page = tab.open(path)
    page.locator(".md-header [for=__drawer]").click()
    assert page.evaluate("low()") == []


def test_a_target_that_is_too_low_is_named(tab):
    page = tab.open("guide/")
    page.evaluate(
        """document.querySelector("h1").insertAdjacentHTML("afterend", `
        <p><a href="">Alone</a></p> <p>In <a href="">a text</a></p> <p><button>Small</button></p>
        <button id="under">Covered</button><button id="over">Covers</button>`);
        for (const { style } of [under, over]) {
          [style.display, style.position, style.height] = ["block", "relative", "50px"];
        }
        over.style.marginTop = "-20px";"""
    )
    assert [line.split()[-1] for line in page.evaluate("low()")] == ["Alone", "Small", "Covered"]
