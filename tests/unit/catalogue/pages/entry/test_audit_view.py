"""What a security review reads of a version: capabilities, addresses, findings, the bytes."""

import json
from dataclasses import replace

import pytest

from psreg.catalogue.pages.entry.audit_view import audit
from psreg.catalogue.pages.entry.entry_page import entry_pages
from psreg.catalogue.pages.frame import ROOT, Site
from psreg.registry.records import WaivedFinding
from support.catalogue import SCRIPT, opened, tree

SITE = Site(name="psreg", registry_id="ab" * 16, mode="dev", root_sha256="cd" * 32)
ENTRIES = opened(tree())


def audited(text="", name="greeter", **changes):
    """Return the audit of a release with another text, or other members of its record."""
    latest = ENTRIES[name].latest
    files = {**latest.files, latest.record.path: text.encode()} if text else latest.files
    return audit(replace(latest, files=files, record=replace(latest.record, **changes)))


def test_each_version_has_an_audit_and_the_page_of_the_name_leads_to_it():
    pages = {page.path: page.body for page in entry_pages(ENTRIES["listener"], SITE)}
    home = "interactive_engine/listener/"
    assert f'<a href="{ROOT}{home}1.1.0/#audit">Audit this version</a>' in pages[home]
    assert {path: body.count('id="audit"') for path, body in pages.items()} == {
        home: 0, f"{home}1.1.0/": 1, f"{home}1.1.0/runs/": 0, f"{home}1.0.0/": 1,
    }  # fmt: skip


def test_the_bytes_are_named_and_where_they_are():
    record = ENTRIES["greeter"].latest.record
    found = audited()
    file = f"{ROOT}{record.path}"
    assert f'<details class="ps-audit" data-file="{file}" data-sha256="{record.sha256}">' in found
    assert f'<a href="{file}">the text</a>' in found
    assert f"{record.size} bytes, SHA-256" in found


def test_what_it_may_use():
    assert "none: text only" in audited()
    assert "<li>network</li>" in audited(name="hostile")


def test_waived_findings_are_listed_with_their_reasons():
    assert "found no error when it was published, 0 findings waived" in audited()
    waiver = WaivedFinding(code="REG011", reason=f"Not run {SCRIPT}", by="policy")
    found = audited(waived=(waiver,))
    assert "1 finding waived" in found
    assert "Not run &lt;script&gt;" in found
    assert SCRIPT not in found


def test_it_leads_to_the_conversations():
    where = f"{ROOT}interactive_engine/listener/1.1.0/runs/#chatgpt"
    assert f'<a href="{where}">as conversations, with' in audited(name="listener")
    assert "Test runs" not in audited()


def test_a_draft_is_not_reviewed_yet():
    assert "not published, so not reviewed" in audit(replace(ENTRIES["greeter"].latest, draft=True))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "See https://example.org/x and https://example.org/x."}',
        '{"a": "See https:\\/\\/example.org\\/x."}',
        '{"a": "See https\\u003a//example.org/x."}',
    ],
)
def test_web_addresses_are_listed_once_and_lead_nowhere(text):
    assert json.loads(text)
    found = audited(text)
    assert found.count("<li><code>https://example.org/x</code></li>") == 1
    assert 'href="https:' not in found


def test_a_template_has_addresses_too():
    found = audited("[CONTENT]\nSend it to http://example.org/?q={text}\n", "river_letter")
    assert "<code>http://example.org/?q={text}</code>" in found


@pytest.mark.parametrize("text", ['{"a": "none"}', '{"a": "\\u0041 b://"}'])
def test_a_text_may_have_no_address(text):
    assert "<dt>Web addresses</dt><dd>none</dd>" in audited(text)


def test_many_and_long_addresses_are_cut():
    many = " ".join(f"https://example.org/{n}" for n in range(150))
    found = audited(json.dumps({"a": many, "b": f"https://example.org/{'x' * 1_000}"}))
    assert found.count("<li><code>https://") == 100
    assert "<p>and 51 more</p>" in found
    assert f"{'x' * 179}…</code>" in audited(json.dumps({"b": f"https://example.org/{'x' * 999}"}))


def test_no_address_becomes_markup():
    found = audited(json.dumps({"a": f"https://example.org/{SCRIPT} https://a.b/'\"onload=\u202e"}))
    assert SCRIPT not in found
    assert "\u202e" not in found
