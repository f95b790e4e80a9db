"""No control of any kind of page is dead, covered, or leads to what is missing."""

from dataclasses import dataclass
from urllib.parse import urldefrag, urlsplit

import pytest

from psreg.formats import platforms
from stub import running

WHOLE = ["", "interactive_engine/listener/", "guide/try/"]
"""One page of each frame is pressed with its header and menus, which are the same on the others."""

PAGES = [
    *WHOLE,
    "?q=river",
    "interactive_engine/",
    "interactive_engine/listener/1.0.0/",
    "interactive_engine/listener/1.1.0/",
    "interactive_engine/listener/1.1.0/runs/",
    "prompt/river_letter/",
    "persistent_service/watcher/",
    "rules/PBE006/",
]

SIZES = [(390, 844), (1280, 800)]

SCRIPT = """(() => {
const CONTROLS = "button, summary, select, [type=checkbox]:not(.md-toggle), [role=tab], "
  + "label[for^=__], .ps-copy, a[download], a[href^='#'], .ps-chips a";
const KINDS = ["select", ".ps-copy", "[download]", "[href^='#']", "a, form[action] button:not([type]), .ps-compare button", "*"];
const all = (selector) => [...document.querySelectorAll(selector)];
const pressable = (control) => control.checkVisibility({ visibilityProperty: true })
  && control.offsetWidth * control.offsetHeight > 0
  && getComputedStyle(control).pointerEvents !== "none"
  && !(control.matches("label") && !control.control)
  && !(control.matches("form:has(button:not([type=button])) select"));

// What a person can see, or has written; a button that copied says so for a moment.
function state() {
  const copy = document.documentElement.cloneNode(true);
  for (const each of copy.querySelectorAll(".ps-copy, body > [role=status]")) each.remove();
  const fields = all("input, textarea").map((each) => `${each.value} ${each.checked}`);
  return JSON.stringify([location.href, copy.outerHTML, fields]);
}
const position = () => JSON.stringify([scrollX, scrollY, all("*").indexOf(document.activeElement)]);

// Shuts what `open` has opened, and leaves the place in the page that a link has named.
function shut() {
  for (const each of all("details")) each.open = begun.open.has(each);
  for (const each of all(".md-toggle")) each.checked = false;
  if (location.hash !== begun.hash) history.replaceState(null, "", begun.href);
}

// Opens what holds a control: menus and texts that can be folded.
function open(control) {
  for (let at = control.parentElement; at; at = at.parentElement) {
    if (at.matches("details") && at.firstElementChild !== control) at.open = true;
    const toggle = at.matches(".md-sidebar--primary") ? document.querySelector("#__drawer")
      : at.matches(".md-search") ? document.querySelector("#__search")
      : at.matches("nav") && at.parentElement.querySelector(":scope > .md-toggle");
    if (toggle) toggle.checked = true;
  }
  if (control.matches("[for=__drawer].md-overlay")) document.querySelector("#__drawer").checked = true;
  if (control.matches("[type=reset]")) control.form.elements[0].value = "x";
  if (control.matches(".md-skip")) control.focus();
}

// A point at which a press meets the control.
function point(control) {
  for (const { x, y, width, height } of control.getClientRects()) {
    for (const at of [0.5, 0.2, 0.8, 0.98]) {
      const [left, top] = [x + width * at, y + height * at];
      if (document.elementFromPoint(left, top)?.closest(`${CONTROLS}, a`) === control) return [left, top];
    }
  }
  return null;
}

let begun;
window.controls = {
  begin(part) {
    const opened = all("details").filter((each) => each.open);
    begun = { href: location.href, hash: location.hash, open: new Set(opened), all: all(`${part} :is(${CONTROLS})`) };
    shut();
    begun.state = state();
    return begun.all.length;
  },
  reach(at) {
    const control = begun.all[at];
    shut();
    open(control);
    if (!pressable(control) || control.disabled) return null;
    control.scrollIntoView({ block: "center", behavior: "instant" });
    begun.now = control;
    const said = control.outerHTML.slice(0, 200);
    const kind = KINDS.findIndex((each) => control.matches(each));
    begun.before = [0, 5].includes(kind) && [state(), position()];
    return { said, kind, point: point(control) };
  },
  now: () => begun.now,
  changed: () => state() !== begun.before[0] || position() !== begun.before[1],
  // The button says what it did, or where to look.
  told: () => begun.now.matches(".ps-copy--done, .ps-copy--failed") && begun.now.textContent,
  // A link shows its place, not what covers it.
  arrived() {
    const { top, left } = document.getElementById(location.hash.slice(1)).getBoundingClientRect();
    const shown = document.elementFromPoint(Math.max(left, 0) + 1, Math.max(top, 0) + 1);
    return top > -1 && top < innerHeight && !shown.closest(".md-overlay, .md-sidebar--primary");
  },
  choose() {
    const { options, selectedIndex } = begun.now;
    return [...options].findIndex((each, at) => at !== selectedIndex && !each.disabled);
  },
  left: () => shut() || state() !== begun.state,
};
})()"""
"""Finds every control of a page, uncovers one after the other, and tells what a press has changed."""


@dataclass
class Presser:
    """Presses every control of the page that `load` opens, once, and undoes what came of it."""

    tab: object
    load: object
    part: str = ".md-content"
    number: int = 0
    pressed: int = 0

    @property
    def page(self):
        return self.tab.page

    def begin(self):
        self.load()
        self.number = self.page.evaluate("(part) => controls.begin(part)", self.part)

    def press_all(self):
        self.begin()
        for at in range(self.number):
            found = self.page.evaluate("(at) => controls.reach(at)", at)
            if found:
                self.press(**found)

    def press(self, said, kind, point):
        assert point, f"covered: {said}"
        press = [self.choose, self.copy, self.download, self.show, self.go, self.change][kind]
        press(said, lambda: self.page.mouse.click(*point))
        self.pressed += 1
        if kind == 4 or (kind in (0, 5) and self.page.evaluate("controls.left()")):
            self.begin()

    def choose(self, said, _):
        at = self.page.evaluate("controls.choose()")
        self.page.evaluate_handle("controls.now()").as_element().select_option(index=at)
        self.tab.wait_for(lambda: self.page.evaluate("controls.changed()"), said)

    def copy(self, said, click):
        self.page.evaluate("navigator.clipboard.writeText('nothing')")
        click()
        self.tab.until("controls.told()")
        refused = self.page.evaluate("controls.told()") == "Missing: unknown-one"
        assert (self.tab.clipboard() == "nothing") is refused, said
        for opened in self.page.context.pages[1:]:
            opened.close()

    def download(self, said, click):
        with self.page.expect_download() as begun:
            click()
        assert begun.value.path().stat().st_size, said

    def show(self, said, click):
        click()
        self.tab.wait_for(lambda: self.page.evaluate("controls.arrived()"), said)

    def go(self, said, click):
        with self.page.expect_navigation() as gone:
            click()
        assert gone.value.ok, said

    def change(self, said, click):
        click()
        self.tab.wait_for(lambda: self.page.evaluate("controls.changed()"), said)


@pytest.fixture(params=SIZES, ids=["narrow", "wide"])
def tab(request, open_tab):
    width, height = request.param
    tab = open_tab(viewport={"width": width, "height": height}, reduced_motion="reduce")
    tab.page.add_init_script(SCRIPT)
    return tab


@pytest.mark.parametrize("path", PAGES)
def test_every_control_does_something(tab, path):
    for address in platforms.PAGES.values():
        tab.page.context.route(address, lambda route: route.fulfill(body="an assistant"))
    presser = Presser(tab, lambda: tab.open(path), "body" if path in WHOLE else ".md-content")
    presser.press_all()
    assert presser.pressed


def test_every_control_of_the_page_for_unknown_addresses_does_something(tab, preview):
    tab.site = preview
    presser = Presser(tab, lambda: tab.open("404.html"))
    presser.press_all()
    assert presser.pressed


def test_every_control_of_a_conversation_does_something(tab):
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(tab.site))
    with running(origin=origin) as stub:
        tab.elsewhere = (stub.url,)

        def talk():
            tab.page.goto(
                "about:blank"
            )  # the address differs from that of the page by its place alone
            page = tab.open("run/#listener@1.1.0", "document.querySelector('.ps-run.ps-ready')")
            page.locator(".ps-run__loaded a").wait_for()
            page.fill("input[name=address]", stub.url)
            page.get_by_role("button", name="Start the conversation").click()
            page.get_by_role("button", name="Download the evidence").wait_for()

        presser = Presser(tab, talk)
        presser.press_all()
        assert presser.pressed


def test_no_link_leads_to_what_is_missing(open_tab):
    tab = open_tab()
    links = {}
    for path in PAGES:
        page = tab.open(path)
        for link in page.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.href)"):
            address, place = urldefrag(link)
            links.setdefault(address, set()).add(place)
    ours = {address: places for address, places in links.items() if address.startswith(tab.site)}
    answers = {address: tab.page.request.get(address) for address in ours}
    assert [address for address, answer in answers.items() if not answer.ok] == []
    missing = [
        f"{address}#{place}"
        for address, places in ours.items()
        for place in places - {""}
        if not address.endswith("/run/")  # the place is the prompt that is run
        if f'id="{place}"' not in answers[address].text()
    ]
    assert missing == []
    assert len(ours) > 50
