"""What machines read: API index, sitemap, robots; and the pages that are computed."""

import json
import re
from importlib.resources import files

import jsonschema
import pytest
from referencing import Registry, Resource

from psreg.catalogue.pages.frame import SHELLS, Site
from psreg.catalogue.pages.json_api import (
    index_document,
    robots,
    schema_document,
    sitemap_paths,
    sitemaps,
)
from psreg.catalogue.pages.markdown_pages import all_sources
from psreg.catalogue.pages.rule_pages import rule_list, rule_pages
from psreg.cli.rules import all_rules
from psreg.core.rule import rule
from psreg.registry.catalog_head import Head, SegmentRef
from psreg.registry.trust.roles import Target

RULES = all_rules()


def site(base_url=""):
    return Site(
        name="psreg", registry_id="ab" * 16, mode="dev", root_sha256="cd" * 32, base_url=base_url
    )


def test_the_index_leads_to_everything():
    segment = SegmentRef(target=Target(length=9, sha256="ef" * 32), count=2)
    value = json.loads(index_document(site(), Head(segments=(segment,)), 2))
    assert value["schema"] == "psreg.index/2"
    assert value["registry_id"] == "ab" * 16
    assert value["root_sha256"] == "cd" * 32
    assert value["packages"] == {"count": 2, "path": "api/v1/packages/{name}.json"}
    assert value["owners"] == {"path": "api/v1/owners/{name}.json"}
    path = f"registry/targets/segments/{'ef' * 32}.json"
    assert value["segments"] == [{"path": path, "sha256": "ef" * 32, "size": 9, "count": 2}]


@pytest.mark.parametrize("base_url", ["https://example.org/a/", ""])
def test_schemas_lead_to_each_other_where_they_are_served(base_url):
    """An editor fetches a schema by its address, below a sub-path, and follows its references."""
    folder = files("psreg.formats") / "schemas"
    served = {
        f"https://example.org/a/schemas/{file.name}": json.loads(
            schema_document(file.read_bytes(), f"schemas/{file.name}", site(base_url))
        )
        for file in folder.iterdir()
        if file.name.endswith(".json")
    }
    registry = Registry().with_resources(
        (address, Resource.from_contents(document)) for address, document in served.items()
    )
    assert all(document.get("$id") in (None, address) for address, document in served.items())
    for address, document in served.items():
        validator = jsonschema.Draft202012Validator({"$ref": address}, registry=registry)
        for example in document.get("examples", ()):
            assert list(validator.iter_errors(example)) == []
    engine = {"pbe_class": "interactive_engine"}
    pbe = {"$ref": "https://example.org/a/schemas/pbe.schema.json"}
    validator = jsonschema.Draft202012Validator(pbe, registry=registry)
    assert any("start_play" in error.message for error in validator.iter_errors(engine))


def test_the_sitemap_has_complete_addresses():
    pages = [("", ""), ("prompt/x/", "2026-11-21T05:00:00Z")]
    ((path, out),) = sitemaps(site("https://example.org/a/"), pages).items()
    assert path == "sitemap.xml"
    assert "<url><loc>https://example.org/a/</loc></url>" in out
    assert "<loc>https://example.org/a/prompt/x/</loc><lastmod>2026-11-21</lastmod>" in out


@pytest.mark.parametrize(("number", "files"), [(50_000, 1), (50_001, 3), (100_001, 4)])
def test_a_sitemap_lists_others_if_it_has_too_many_addresses(number, files):
    pages = [(f"p{n}/", "") for n in range(number)]
    made = sitemaps(site("https://example.org/"), pages)
    assert [*made] == sitemap_paths(number)
    assert len(made) == files
    top = made.pop("sitemap.xml")
    assert re.findall("<sitemap><loc>https://example.org/([^<]*)", top) == [*made]
    listed = "".join(made.values()) or top
    assert re.findall("<url><loc>https://example.org/([^<]*)", listed) == [p for p, _ in pages]
    assert all(part.count("<url>") <= 50_000 for part in made.values())


@pytest.mark.parametrize(
    ("base_url", "lines"),
    [
        ("", ["User-agent: *", "Disallow: /registry/", "Disallow: /api/"]),
        (
            "https://example.org/a/",
            [
                "User-agent: *",
                "Disallow: /a/registry/",
                "Disallow: /a/api/",
                "Sitemap: https://example.org/a/sitemap.xml",
            ],
        ),
    ],
)
def test_robots(base_url, lines):
    assert robots(site(base_url)).splitlines() == lines


def test_every_shell_and_class_has_a_source():
    sources = all_sources()
    assert {path.replace("/index.html", ".md") for path in SHELLS.values()} <= set(sources)
    assert "Reserved class: a design document" in sources["persistent_service/index.md"]
    assert all(text.startswith("---\n") for text in sources.values())


def test_every_rule_has_a_page_and_a_line_in_the_list():
    pages = {page.path: page.body for page in rule_pages(RULES)}
    listed = rule_list(RULES)
    for each in RULES:
        assert each.slug in pages[each.page]
        assert f'<a href="{each.code}/">' in listed
    relaxed = next(each for each in RULES if each.read is not each.severity)
    assert "in read mode" in pages[relaxed.page]


def _new_family():
    @rule("ZZZ001", spec="psreg/x", severity=RULES[0].severity)
    def odd_one(_document):
        """A `<b>` rule."""
        yield from ()

    return odd_one


def test_an_unknown_family_comes_last():
    listed = rule_list([_new_family(), *RULES])
    assert listed.index("ZZZ001") > listed.index(RULES[-1].code)
    assert "<code>&lt;b&gt;</code>" in listed
