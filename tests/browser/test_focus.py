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
