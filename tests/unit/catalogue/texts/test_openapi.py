"""The description of the API: valid, and of files that a site has."""

import json
import re
from pathlib import Path

import pytest
from openapi_spec_validator import validate

from psreg.catalogue.build import FixedParts, build_site
from psreg.catalogue.pages.frame import Site
from psreg.catalogue.site_source import SiteSource
from psreg.catalogue.texts.openapi import OPENAPI, openapi_document
from psreg.cli.rules import all_rules
from support.catalogue import checkout

ABSENT = {"getOwners", "getAdvisory"}
"""What a registry has if a name is claimed, or if something was withdrawn."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    root, out = checkout(tmp_path_factory.mktemp("registry")), tmp_path_factory.mktemp("site")
    source = SiteSource(checkout=root, registry=root / "registry")
    build_site(source, out, "", FixedParts(rules=all_rules, scripts=dict))
    return out


def test_it_is_valid_where_it_is_served(site):
    document = json.loads((site / OPENAPI).read_bytes())
    validate(document, base_uri=(site / OPENAPI).as_uri())
    assert document["openapi"] == "3.1.0"
    assert document["servers"] == [{"url": "../../"}]


def test_the_schemas_that_it_names_are_served(site):
    schemas = re.findall(r'"\$ref": "([^"]+)"', (site / OPENAPI).read_text())
    assert len(schemas) == 7
    assert [each for each in schemas if not (site / Path(OPENAPI).parent / each).is_file()] == []


def test_a_site_has_what_it_describes(site):
    document = json.loads((site / OPENAPI).read_bytes())
    files = [file.relative_to(site).as_posix() for file in site.rglob("*") if file.is_file()]
    for path, item in document["paths"].items():
        schemas = {each["name"]: each["schema"] for each in item["get"]["parameters"]}
        pattern = "".join(_matching(part, schemas) for part in re.split(r"(\{\w+\})", path[1:]))
        found = [file for file in files if re.fullmatch(pattern, file)]
        assert bool(found) != (item["get"]["operationId"] in ABSENT)


def _matching(part, schemas):
    """Return the pattern of a part of a path."""
    if not part.startswith("{"):
        return re.escape(part)
    schema = schemas[part[1:-1]]
    choice = "|".join(schema.get("enum", ())) or schema.get("pattern", "[^/]+").strip("^$")
    return f"(?:{choice})"


def test_it_names_the_address_if_that_is_known():
    site = Site(name="a", registry_id="", mode="dev", root_sha256="", base_url="https://e.org/")
    assert json.loads(openapi_document(site))["servers"] == [{"url": "https://e.org/"}]
