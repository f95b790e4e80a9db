"""What has the focus of the keyboard is on the screen."""

import pytest

PAGES = ["", "interactive_engine/listener/", "interactive_engine/listener/1.1.0/", "guide/try/"]
"""One page of each frame."""

FOCUSED = """(() => {
  const focused = document.activeElement;
  if (focused === document.body) return null;
  const parts = [0.1, 0.5, 0.9].flatMap((across) => [0.1, 0.5, 0.9].map((down) => [across, down]));
  const met = [...focused.getClientRects()].some(({ x, y, width, height }) => parts.some(
    ([across, down]) => focused.contains(document.elementFromPoint(x + width * across, y + height * down))));
  const shown = focused.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  return `${met && shown ? "seen" : "hidden"}: ${focused.outerHTML.slice(0, 90)}`;
})()"""
"""The element that has the focus, and whether a part of it is what a person sees where it is."""


def walk(page, key, most):
    """Return what has the focus, one after the other; between the last and the first, nothing has."""
    seen = []
    for _ in range(most):
        page.keyboard.press(key)
        seen.append(page.evaluate(FOCUSED))
    return [each for each in seen if each]


@pytest.fixture(params=[390, 1280], ids=["narrow", "wide"])
def tab(request, open_tab):
    return open_tab(viewport={"width": request.param, "height": 844}, reduced_motion="reduce")


@pytest.mark.parametrize("path", PAGES)
def test_what_has_the_focus_is_on_the_screen(tab, path):
    page = tab.open(path)
    seen = [*walk(page, "Tab", 60), *walk(page, "Shift+Tab", 60)]
    assert [each for each in seen if each.startswith("hidden")] == []
    assert len(seen) > 30


def test_only_the_open_search_of_a_small_screen_has_an_arrow_for_keys(tab):
    page = tab.open("guide/")
    page.keyboard.press("/")
    page.locator(".md-search__input").fill("write")
    page.locator(".ps-found .ps-documents a").first.wait_for()
    after = walk(page, "Tab", 2)
    assert ("Close the search" in after[0]) is (page.viewport_size["width"] == 390)
    assert "<a " in after[1]
    page.keyboard.press("Escape")
    assert not page.locator("#__search").is_checked()
    seen = walk(page, "Tab", 12)
    assert [each for each in seen if each.startswith("hidden") or "Close the search" in each] == []
    assert len(seen) == 12


OPENERS = ".md-sidebar--primary [role=button][aria-expanded]"


@pytest.fixture
def menu(open_tab):
    """Open the menu of a page on a telephone, with keys."""

    def opened(path, motion="reduce"):
        tab = open_tab(viewport={"width": 390, "height": 844}, reduced_motion=motion)
        page = tab.open(path)
        page.locator("header label[for=__drawer]").focus()
        page.keyboard.press("Enter")
        tab.until("document.querySelector('.md-sidebar--primary').getBoundingClientRect().x === 0")
        return tab

    return opened


def is_open(page):
    return page.locator("#__drawer").is_checked()


def walked(page, key):
    """Return what has the focus in the open menu until it leaves that, which closes it."""
    seen = []
    while len(seen) < 100:
        page.keyboard.press(key)
        if not is_open(page):
            break
        seen.append(page.evaluate(FOCUSED))
    assert not is_open(page)
    return seen


@pytest.mark.parametrize("path", PAGES)
def test_the_focus_is_in_what_is_open_of_the_menu(menu, path):
    page = menu(path).page
    seen = walked(page, "Tab")
    assert len(seen) >= 3
    assert [each for each in seen if not each.startswith("seen")] == []


@pytest.mark.parametrize("key", ["Enter", " "])
def test_parts_of_the_menu_are_opened_and_left_by_keys(menu, key):
    page = menu("guide/try/").page
    page.keyboard.press("Tab")
    for _ in range(3):  # from this page up to the list of all
        if "Back from" not in page.evaluate(FOCUSED):
            break
        page.keyboard.press(key)
        assert page.evaluate(FOCUSED).startswith("seen")
    opener = page.locator(OPENERS).first
    opener.focus()
    assert opener.get_attribute("aria-expanded") == "false"
    page.keyboard.press(key)
    assert opener.get_attribute("aria-expanded") == "true"
    focused = page.evaluate(FOCUSED)
    assert focused.startswith("seen")
    assert "Back from Prompts" in focused
    assert [each for each in walked(page, "Tab") if not each.startswith("seen")] == []


def test_escape_closes_the_menu_and_is_where_it_was_opened(menu):
    page = menu("guide/").page
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED).startswith("seen")
    page.keyboard.press("Escape")
    assert not is_open(page)
    assert "Menu" in page.evaluate(FOCUSED)


def test_what_moves_into_the_screen_is_not_scrolled_to(menu):
    tab = menu("guide/try/", "no-preference")
    for key in ("Tab", "Enter", "Enter"):  # to the way back, back, and in again
        tab.page.keyboard.press(key)
        tab.until("document.getAnimations().every(({ playState }) => playState === 'finished')")
    assert "Back from" in tab.page.evaluate(FOCUSED)
    assert tab.page.evaluate("document.activeElement.getBoundingClientRect().x") == 0
