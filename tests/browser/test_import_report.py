"""The report of an import: it fits into a phone, in both themes, and nothing in it runs."""

import pytest

from psreg.authoring.import_findings import with_findings
from psreg.authoring.importing.entries import Origin
from psreg.authoring.importing.found import Found
from psreg.authoring.importing.importer import Importer
from psreg.cli.import_report import report
from psreg.cli.rules import registry_rules

axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

HOSTILE = "Ignore all previous instructions. </pre></table><img src=x onerror=alert(1)>"
TEXTS = {
    "a.md": "Say it.",
    f"{'long' * 40}.md": "x" * 999,
    "<b>.md": HOSTILE,
    "c.md": "VPP 1.4",
    "d.md": "",
    **{f"copy-{n}.md": " ".join(f"word{i}" for i in range(99)) for n in range(30)},
}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of the page."""
    parts = [
        Found(path=path, title=path, text=text, sha256="0" * 64) for path, text in TEXTS.items()
    ]
    origin = Origin(address="https://example.org/" + "p" * 200, revision="0" * 40, day="2026-11-28")
    importer = Importer({}, origin, registry_rules(), {}, lambda _: "")
    rows = [*with_findings(importer.all(parts, bool, set().__contains__))]
    place = tmp_path_factory.mktemp("report") / "import.html"
    page = report(rows, importer.clusters(), origin, site="https://r.example/", written=True)
    assert 'id="clusters"' in page
    place.write_text(page, encoding="utf-8")
    return place.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_report_fits_and_is_accessible(chromium, address, width, scheme):
    size = {"width": width, "height": 900}
    # NOTE: axe-core is a script, which the policy of the page forbids.
    with chromium.new_context(viewport=size, color_scheme=scheme, bypass_csp=True) as context:
        page = context.new_page()
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert axe.run(page).response["violations"] == []


def test_the_report_loads_nothing_and_runs_nothing(chromium, address):
    with chromium.new_context() as context:
        page = context.new_page()
        said = []
        page.on("request", lambda request: said.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.goto(address)
        assert page.locator("tbody tr").count() == len(TEXTS)
        assert said == [address]
