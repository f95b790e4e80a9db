"""Nothing moves on its own for people who asked their system for less motion."""

import pytest

PAGES = [
    "",
    "?q=river",
    "interactive_engine/",
    "interactive_engine/listener/",
    "interactive_engine/listener/1.1.0/",
    "interactive_engine/listener/1.1.0/runs/",
    "prompt/river_letter/",
    "guide/try/",
    "rules/",
    "rules/PBE006/",
    "run/",
]

MOVES = """(() => {
  const parts = [null, "::before", "::after", "::placeholder", "::backdrop"];
  const moves = (style) => style.animationName !== "none" || style.scrollBehavior === "smooth"
    || style.transitionDuration.split(", ").some((each) => parseFloat(each) > 0);
  return [...document.querySelectorAll("*")].flatMap((each) => parts
    .filter((part) => moves(getComputedStyle(each, part)))
    .map((part) => `${each.tagName}.${each.className}${part ?? ""}`));
})()"""


def moving(page):
    """Return what moves on a page: as it comes, with the search and with the menu open."""
    found = page.evaluate(MOVES)
    for box in ("#__search", "#__drawer"):
        page.evaluate("(box) => document.querySelector(box).click()", box)
        assert page.locator(box).is_checked()
        found += page.evaluate(MOVES)
        page.evaluate("(box) => document.querySelector(box).checked = false", box)
    return found + page.evaluate(
        "document.getAnimations().map(({ effect }) => effect.target.tagName)"
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_moves_for_people_who_asked_for_less(open_tab, width):
    tab = open_tab(viewport={"width": width, "height": 844}, reduced_motion="reduce")
    found = {path: moving(tab.open(path)) for path in PAGES}
    assert {path: each for path, each in found.items() if each} == {}


def test_what_moves_is_found(open_tab):
    tab = open_tab(viewport={"width": 390, "height": 844}, reduced_motion="no-preference")
    found = moving(tab.open("guide/try/"))
    assert {"LABEL.md-overlay", "INPUT.md-search__input::placeholder"} <= set(found)
    tab.page.evaluate("document.documentElement.style.scrollBehavior = 'smooth'")
    assert any(each.startswith("HTML.") for each in tab.page.evaluate(MOVES))
