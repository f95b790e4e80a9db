"""The frame: what mkdocs makes of a folder of Markdown, quietly and strictly."""

import re
import shutil

import pytest

from psreg.catalogue.mkdocs_frame import build_frame, frame_source, repository_links
from psreg.catalogue.pages.markdown_pages import SHELLS, all_sources
from psreg.core.errors import FindingsError
from support.paths import ROOT

OURS = ROOT / "site"


@pytest.fixture(scope="module")
def frame():
    return build_frame(OURS, all_sources(), site_name="Reg", base_url="https://example.org/a/")


def test_psregs_own_frame_is_found(tmp_path):
    assert frame_source(tmp_path) == OURS


def test_a_registry_may_have_its_own(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site/mkdocs.yml").write_text("site_name: mine\n")
    assert frame_source(tmp_path) == tmp_path / "site"


def test_shells_have_holes(frame):
    for path in ("shell/2/index.html", "shell/3/3/index.html", "shell/4/4/4/index.html"):
        html = frame.pages[path]
        for mark in ("policy", "title", "head", "body"):
            assert f"<!--psreg:{mark}-->" in html
        assert "canonical" not in html
    assert len(SHELLS) == 3


def test_pages_load_nothing_from_elsewhere(frame):
    assert {"index.html", "404.html", "rules/index.html", "prompt/index.html"} <= set(frame.pages)
    for path, html in frame.pages.items():
        loaded = re.findall(r"<(?:script|img|iframe)[^>]*\ssrc=\"([^\"]*)\"", html)
        loaded += re.findall(r"<link[^>]*rel=\"(?:stylesheet|icon|preconnect)\"[^>]*>", html)
        assert loaded, path
        assert not any("//" in each for each in loaded), path
        assert not re.search(r"\son[a-z]+=\"", html), path


def test_the_theme_brings_no_scripts_and_no_search(frame):
    assert not [path for path in frame.files if path.endswith(".js") and "psreg/" not in path]
    assert not [path for path in frame.files if path.startswith("search/")]
    for path, html in frame.pages.items():
        assert not re.search(r"<script(?! src| type=\"module\")", html), path


def test_what_all_pages_share_is_in_files(frame):
    for path, html in frame.pages.items():
        header = html.partition("<header")[2].partition("</header>")[0]
        assert header.count('<i class="ps-icon ') == 7, path
        assert "<svg" not in header, path
        assert "data-md-component" not in html, path
        assert "md-dialog" not in html, path


def test_links_are_relative_but_for_the_404(frame):
    assert "example.org" not in frame.pages["rules/index.html"].replace(
        "https://example.org/a/rules/", ""
    )
    assert "/a/assets/psreg/psreg.css" in frame.pages["404.html"]


def test_nothing_of_the_day_of_the_build_is_in_it(frame):
    again = build_frame(OURS, all_sources(), site_name="Reg", base_url="https://example.org/a/")
    assert again == frame
    assert not any(path.startswith("sitemap") for path in frame.files)


def test_pages_about_psreg_itself_are_in_its_own_site_alone(frame):
    assert {"adr/index.html", "architecture/index.html"} <= set(frame.pages)
    assert "Built with psreg" not in frame.pages["index.html"]
    theirs = build_frame(OURS, all_sources(), site_name="Reg", house=False)
    gone = {path for path in frame.pages if path.startswith(("adr/", "architecture/"))}
    assert set(frame.pages) - set(theirs.pages) == gone
    for path, html in theirs.pages.items():
        assert not re.search(r'href="[^"]*(adr/|architecture)', html), path
        assert "([why]" not in html
        assert "Decisions" not in html
        assert "Built with psreg" in html


def test_there_are_three_tabs(frame):
    found = re.findall(
        r'md-tabs__link">\s*(.*?)\s*</a>', frame.pages["rules/index.html"], re.DOTALL
    )
    assert found == ["Prompts", "Learn", "Contribute"]


def small(tmp_path, text="# Home\n", config="site_name: small\n"):
    site = tmp_path / "site"
    (site / "docs").mkdir(parents=True)
    (site / "docs/index.md").write_text(text)
    (site / "mkdocs.yml").write_text(config)
    return site


def test_a_dead_link_is_an_error(tmp_path, capfd):
    with pytest.raises(FindingsError, match=r"gone\.md") as raised:
        build_frame(small(tmp_path, "[x](gone.md)\n"), {})
    assert raised.value.code == "SITE_FRAME"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("config", ["site_name: [\n", "site_name: x\ntheme: no-such-theme\n"])
def test_a_wrong_configuration_is_an_error(tmp_path, config):
    with pytest.raises(FindingsError):
        build_frame(small(tmp_path, config=config), {})


def test_a_small_frame_keeps_its_own_name(tmp_path):
    frame = build_frame(small(tmp_path), {"more/page.md": "# More\n"})
    assert "small" in frame.pages["index.html"]
    assert "more/page/index.html" in frame.pages


@pytest.mark.parametrize(
    ("repository", "submit", "ask", "report"),
    [
        (
            "https://github.com/a/b",
            "/issues/new?template=submit-a-prompt.yml",
            "/issues/new?title=",
            "/issues/new?template=report-a-prompt.yml&release=",
        ),
        (
            "https://gitlab.com/a/b",
            "",
            "/-/issues/new?issue[title]=",
            "/-/issues/new?issue[title]=",
        ),
        ("https://git.example.org/a", "", None, None),
    ],
)
def test_what_people_bring_miss_or_report_leads_to_the_repository(
    tmp_path, repository, submit, ask, report
):
    assert repository_links(repository).get("report") == (report and repository + report)
    config = "site_name: x\ntheme: {name: null, custom_dir: overrides}\n"
    site = small(tmp_path, config=config)
    (site / "overrides").mkdir()
    (site / "overrides/main.html").write_text("{{ config.extra.submit }} {{ config.extra.ask }}")
    links = build_frame(site, {}, repository=repository).pages["index.html"]
    asked = "" if ask is None else repository + ask
    assert links == f"{repository}{submit} {asked}"


def test_a_broken_template_is_an_error(tmp_path):
    config = "site_name: x\ntheme: {name: material, custom_dir: overrides}\n"
    site = small(tmp_path, config=config)
    (site / "overrides").mkdir()
    (site / "overrides/main.html").write_text("{% nonsense %}")
    with pytest.raises(FindingsError, match="nonsense"):
        build_frame(site, {})


def test_missing_docs_are_an_error(tmp_path):
    site = small(tmp_path)
    shutil.rmtree(site / "docs")
    with pytest.raises(FindingsError):
        build_frame(site, {})
