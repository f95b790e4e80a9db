"""One site, served below a path, and one headless Chromium for all browser tests."""

from __future__ import annotations

import functools
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from psreg.catalogue.build import FixedParts, build_site
from psreg.catalogue.drafts import DraftCheck
from psreg.catalogue.server import SiteServer
from psreg.catalogue.site_source import SiteSource
from psreg.cli.rules import all_rules, registry_rules
from psreg.git.work_tree import WorkTree
from support.catalogue import checkout, tree
from support.paths import ROOT
from support.publishing import NOW

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]


PATIENCE = 60
"""Seconds after which what was waited for does not come, even on a machine with much else to do."""


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)


READY = """
  (!document.querySelector('.ps-search') || document.querySelector('.ps-search.ps-ready'))
  && (!document.querySelector('.ps-fill') || document.querySelector('.ps-fill.ps-ready'))
  && (!document.querySelector('.ps-source') || document.querySelector('.ps-source span'))
"""
"""True once the scripts of a page have done their work."""


POLICY = """\
[site]
picks = ["listener", "river_letter", "greeter"]
"""


@pytest.fixture(scope="session")
def registry(tmp_path_factory):
    """The checkout the site is built from."""
    root = checkout(tmp_path_factory.mktemp("registry"))
    (root / "registry/policy.toml").write_text(POLICY)
    (root / "site").symlink_to(ROOT / "site")  # with the pages about how psreg is made
    return root


@pytest.fixture(scope="session")
def site(registry, tmp_path_factory):
    """The address of the site, which stands below a path, as on many static hosts."""
    root = tmp_path_factory.mktemp("host")
    place = SiteSource(checkout=registry, registry=registry / "registry")
    build_site(place, root / "some/path", "", FixedParts(rules=all_rules, scripts=dict))
    with SiteServer(root, 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"{server.url}some/path/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def preview(tmp_path_factory):
    """The address of a site of which everything is a draft."""
    root = tmp_path_factory.mktemp("preview")
    for path, data in tree().items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    source = SiteSource(checkout=root, registry=root / "registry")
    fixed = FixedParts(rules=all_rules, scripts=dict)
    check = DraftCheck(rules=registry_rules, now=NOW, work_tree=WorkTree(root, "pbes"))
    build_site(source, root / "site", "", fixed, draft_check=check)
    with SiteServer(root / "site", 0) as server, server.in_background():
        yield server.url


@pytest.fixture(scope="session")
def chromium():
    """A running Chromium; without one, or without playwright, the tests are skipped."""
    if not os.access(CHROMIUM, os.X_OK):
        pytest.skip(f"there is no {CHROMIUM}: apt-get install chromium")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Tab:
    """A page with a clean profile that writes down everything it says and asks for."""

    site: str
    page: object
    said: list[str] = field(default_factory=list)
    foreseen: str = ""  # what the browser may say, however late it says it
    elsewhere: tuple[str, ...] = ()  # addresses that the person asks for, whatever comes of it
    asked: list[str] = field(default_factory=list)
    answers: list[object] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def open(self, path="", ready=READY):
        self.page.goto(self.site + path)
        self.until(ready)
        return self.page

    def until(self, truth):
        """Wait until the expression `truth` holds."""
        # NOTE: playwright's own wait_for_function needs eval, which our policy refuses.
        self.wait_for(lambda: self.page.evaluate(truth), truth)

    def wait_for(self, happened, what):
        """Wait until the function `happened` returns what is true."""
        until = time.monotonic() + PATIENCE
        while not happened():
            if time.monotonic() > until:
                pytest.fail(f"never true: {what}")
            self.page.wait_for_timeout(20)

    def clipboard(self):
        return self.page.evaluate("navigator.clipboard.readText()")

    def check(self):
        """Everything came from the site's own origin, and nothing was refused."""
        ours = [line for line in self.said if not any(each in line for each in self.elsewhere)]
        assert [line for line in ours if not self.foreseen or self.foreseen not in line] == []
        assert [url for url in self.failed if not any(each in url for each in self.elsewhere)] == []
        allowed = (self.site, "data:", "blob:", *self.elsewhere)
        assert [url for url in self.asked if not url.startswith(allowed)] == []


@pytest.fixture
def open_tab(chromium, site):
    """Return a function that opens tabs with the given settings of a browser context."""
    tabs = []

    def opened(**settings):
        context = chromium.new_context(**settings)
        # What is not named here is denied.
        context.grant_permissions(["clipboard-read", "clipboard-write", "local-network-access"])
        context.set_default_timeout(PATIENCE * 1_000)
        tab = Tab(site=site, page=context.new_page())
        tab.page.on("console", functools.partial(_note_message, tab))
        tab.page.on("pageerror", lambda error: tab.said.append(str(error)))
        tab.page.on("request", lambda request: tab.asked.append(request.url))
        tab.page.on("requestfailed", functools.partial(_note_failure, tab))
        tab.page.on("response", functools.partial(_note_status, tab))
        tabs.append((context, tab))
        return tab

    yield opened
    for context, tab in tabs:
        context.close()
        tab.check()


def _note_message(tab, message):
    tab.said.append(f"{message.text} {message.location['url']}")


def _note_failure(tab, request):
    if request.failure != "net::ERR_ABORTED":  # the page was left, or closed, before it came
        tab.failed.append(request.url)


def _note_status(tab, response):
    tab.answers.append(response)
    if response.status >= 400:
        tab.failed.append(f"{response.status} {response.url}")


@pytest.fixture
def tab(open_tab):
    """A tab as wide as a laptop."""
    return open_tab(viewport={"width": 1280, "height": 900})
