import json
import re

import jsonschema
import pytest

from psreg.catalogue.pages.frame import ROOT
from psreg.catalogue.pages.rule_pages import rule_pages
from psreg.catalogue.pages.spec_pages import (
    citation_html,
    decision_table,
    document_path,
    spec_document,
    spec_list,
    spec_pages,
)
from psreg.cli.rules import all_rules
from psreg.formats import schema
from psreg.formats.protocol_versions import PROTOCOLS
from psreg.formats.specs import specifications
from support.paths import ROOT as CHECKOUT

RULES = all_rules()

SPECS = specifications()


@pytest.fixture(scope="module")
def pages():
    """The pages of specifications and of rules, by path."""
    return {page.path: page for page in (*spec_pages(SPECS, RULES), *rule_pages(RULES))}


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.cited)
def test_page_has_an_anchor_for_every_id(spec, pages):
    body = pages[spec.page].body
    anchors = re.findall(r'<a id="([^"]+)" href="#\1">', body)
    assert anchors == [row.id for row in spec.rows]
    assert len(re.findall(' id="', body)) == len(set(re.findall(' id="([^"]+)"', body)))


def test_rule_pages_and_specification_pages_link_to_each_other(pages):
    for rule, citation in ((one, each) for one in RULES for each in one.spec.split()):
        cited, _, identifier = citation.partition("/")
        for spec in SPECS:
            if spec.cited == cited:
                there = f'<a href="{ROOT}{spec.page}#{identifier}"><code>{citation}</code></a>'
                assert there in pages[rule.page].body
                assert f'<a href="{ROOT}{rule.page}">' in pages[spec.page].body


def test_a_citation_of_something_else_is_plain_text():
    assert citation_html("registry/LAYOUT", SPECS) == "<code>registry/LAYOUT</code>"


def test_every_row_says_what_psreg_does(pages):
    for page in (pages[spec.page] for spec in SPECS):
        assert "<td></td>" not in page.body
    assert f'<a href="{ROOT}semantics/#ending">' in pages["specs/pbe/1.0/"].body
    assert "Not checkable: " in pages["specs/prompt/0.0.1/"].body
    assert f'<a href="{ROOT}rules/VPP001/">' in pages["specs/vpp/1.4/"].body


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_page_of_a_protocol_has_its_decision_table(name):
    html = decision_table(name, SPECS, RULES)
    assert html.count("<tr>") == 1 + len(next(s for s in SPECS if s.name == name).readings)
    page = (CHECKOUT / f"site/docs/protocols/{name}.md").read_text()
    assert page.count("<!--psreg:readings-->") == 1


def test_a_decision_table_has_every_reading_and_leads_to_the_rules():
    html = decision_table("vpp", SPECS, RULES)
    assert html.count("<tr>") == 1 + len(next(s for s in SPECS if s.name == "vpp").readings)
    assert '<a href="../../rules/VPP012/"><code>VPP012</code></a>' in html
    assert decision_table("mail", SPECS, RULES) == ""


def test_list_leads_to_every_page():
    html = spec_list(SPECS, RULES)
    assert re.findall('href="([^"]+)"', html) == [
        spec.page.removeprefix("specs/") for spec in SPECS
    ]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.cited)
def test_document_is_what_its_schema_says(spec):
    value = json.loads(spec_document(spec, RULES))
    jsonschema.Draft202012Validator(schema.document("specification")).validate(value)
    assert document_path(spec) == f"api/v1/specs/{spec.name}/{spec.version}.json"
    assert len(value["rules"]) == len(spec.clauses)
    assert [row["id"] for row in value["readings"]] == [row.id for row in spec.readings]
    for row in (*value["rules"], *value["readings"]):
        assert row["checked_by"] or row["semantics"] or row["not_checkable"] or row["later"]
