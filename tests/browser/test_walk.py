"""A person with a telephone finds, judges, fills in and copies a prompt of this repository."""

import shutil
from dataclasses import dataclass

import pytest

from psreg.catalogue.build import FixedParts, build_site
from psreg.catalogue.server import SiteServer
from psreg.catalogue.site_source import SiteSource
from psreg.cli.rules import all_rules
from psreg.formats.dotprompt import read, render
from psreg.registry.checkout import read_tree
from support.paths import PBES, ROOT
from support.publishing import release

MOST_TAPS = 8
MOST_SCREENS = 4
HEIGHT = 844
STICKY = 60
"""The header covers what is behind it."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The address of a site of this repository's own prompts."""
    root = tmp_path_factory.mktemp("whole")
    shutil.copytree(PBES, root / "pbes")
    (root / "registry").mkdir()
    shutil.copy(ROOT / "registry/policy.toml", root / "registry/policy.toml")
    (root / "site").symlink_to(ROOT / "site")
    release(root / "home", root / "registry", dict(read_tree(root)))
    source = SiteSource(checkout=root, registry=root / "registry")
    build_site(source, root / "out", "", FixedParts(rules=all_rules, scripts=dict))
    with SiteServer(root / "out", 0) as server, server.in_background():
        yield server.url


@dataclass
class Person:
    """Counts taps, and screens: each page, and each further part of one that is scrolled to."""

    page: object
    taps: int = 0
    screens: int = 1

    def sees(self, locator):
        """Tell whether it can be read without scrolling."""
        box = locator.bounding_box()
        return bool(box) and box["y"] >= STICKY and box["y"] + min(box["height"], 44) <= HEIGHT

    def tap(self, locator):
        """Scroll to it if need be, and tap on it."""
        if not self.sees(locator):
            box = locator.bounding_box()
            self.screens += max(1, abs(round(box["y"])) // HEIGHT)
            locator.evaluate("(e) => e.scrollIntoView({block: 'center', behavior: 'instant'})")
        before = self.page.url.split("?")[0]
        locator.tap()
        self.page.wait_for_load_state("networkidle")
        self.taps += 1
        if self.page.url.split("?")[0] != before:
            self.screens += 1

    def searches(self, words):
        self.tap(self.page.get_by_role("searchbox").first)
        self.page.keyboard.type(words)
        self.page.locator(".ps-result").first.wait_for()
        self.screens += 1


@pytest.fixture
def person(open_tab, whole):
    tab = open_tab(viewport={"width": 390, "height": HEIGHT}, has_touch=True, is_mobile=True)
    tab.site = whole
    tab.open()
    return Person(tab.page)


def judges(person, name, release):
    """The first screen says what it is, its version, licence and language, whether it was run."""
    assert person.sees(person.page.locator("h1"))
    assert person.sees(person.page.locator(".ps-lead").first)
    assert person.sees(person.page.locator(".ps-name"))
    facts = f"{name} {release} · MIT · en · not yet tested on any platform"
    assert person.page.locator(".ps-name").inner_text().replace("\n", " ") == facts


def copied(person):
    return person.page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("words", ["quiz on German vocabulary", "Vokabeln abfragen"])
def test_a_quiz_is_found_and_copied(person, words):
    person.searches(words)
    result = person.page.locator(".ps-result > a", has_text="spaced_recall")
    person.tap(result)
    artifact = max(PBES.glob("interactive_engine/spaced_recall/*/*.pbe.txt"))
    judges(person, "spaced_recall", artifact.parent.name)
    copy = person.page.get_by_role("button", name="Copy the prompt").first
    assert person.sees(copy)
    person.tap(copy)
    person.page.get_by_role("button", name="Copied the prompt").first.wait_for()
    assert copied(person) == artifact.read_text(encoding="utf-8")
    assert person.taps <= 3
    assert person.screens <= MOST_SCREENS


def test_a_form_is_found_filled_in_and_copied(person):
    person.searches("German vocabulary translation explained")
    result = person.page.locator(".ps-result > a", has_text="explained_translation")
    person.tap(result)
    artifact = max(PBES.glob("prompt/explained_translation/*/*.prompt"))
    judges(person, "explained_translation", artifact.parent.name)
    fill = person.page.get_by_role("link", name="Fill in and copy")
    assert person.sees(fill)
    person.tap(fill)
    prompt = read(artifact.read_bytes())
    values = {v.name: "die Fledermaus" for v in prompt.variables if v.default is None}
    for name, value in values.items():
        person.tap(person.page.locator(f".ps-fill textarea[name={name}]"))
        person.page.keyboard.type(value)
    person.tap(person.page.locator(".ps-fill").get_by_role("button", name="Copy the prompt"))
    assert copied(person) == render(prompt, values).text
    assert person.taps <= MOST_TAPS
    assert person.screens <= MOST_SCREENS
