"""`psreg check --format …` and the choice of rules, through the real command line."""

from __future__ import annotations

import json

import pytest

from psreg.cli.rules import all_rules
from psreg.lint.reports.report_formats import FORMATS
from support.clients import Client

RULES = all_rules()

BROKEN = '{\n  "pbe_name": "hello",\n  "pbe_version": "1.0"\n}\n'
CLEAN = "[METADATA]\n@dotprompt_format_version 0.0.1\n[CONTENT]\nHello\n"
POLICY = '[site]\nurl = "https://prompts.example"\n'


@pytest.fixture
def client(tmp_path):
    client = Client(tmp_path)
    (client.place / "hello.pbe.txt").write_text(BROKEN)
    (client.place / "clean.prompt").write_text(CLEAN)
    return client


def log(client, path, code):
    done = client.run("check", path, "--format", "sarif")
    assert done.code == code
    return done.json["runs"][0]


def test_a_clean_and_a_broken_file_have_the_same_rules(client):
    broken, clean = log(client, "hello.pbe.txt", 1), log(client, "clean.prompt", 0)
    for found in (broken, clean):
        assert len(found["tool"]["driver"]["rules"]) == len(RULES)
    assert broken["results"]
    assert clean["results"] == []


def test_five_blank_lines_on_top_change_no_fingerprint(client):
    def found():
        results = log(client, "hello.pbe.txt", 1)["results"]
        return [result["partialFingerprints"] for result in results]

    before = found()
    (client.place / "hello.pbe.txt").write_text("\n" * 5 + BROKEN)
    assert found() == before
    assert len({json.dumps(each) for each in before}) == len(before)


@pytest.mark.parametrize("form", sorted({*FORMATS} - {"text", "json", "sarif"}))
def test_the_exit_code_is_the_reports_in_every_form(client, form):
    for path, code in (("hello.pbe.txt", 1), ("clean.prompt", 0)):
        done = client.run("check", path, "--format", form)
        assert (done.code, done.err) == (code, "")
        assert ("PBE006" in done.out) == bool(code)


def test_the_site_of_the_registry_is_linked_to(client):
    (client.place / "pbes").mkdir()
    (client.place / "registry").mkdir()
    assert "rules/PBE006" not in client.run("check", "hello.pbe.txt", "--format", "markdown").out
    (client.place / "registry" / "policy.toml").write_text(POLICY)
    link = "[PBE006](https://prompts.example/rules/PBE006/)"
    assert link in client.run("check", "hello.pbe.txt", "--format", "markdown").out
    rules = log(client, "hello.pbe.txt", 1)["tool"]["driver"]["rules"]
    assert all(rule["helpUri"].startswith("https://prompts.example/rules/") for rule in rules)


@pytest.mark.parametrize(
    "url", ["", "javascript:alert(1)", "https://a b", "https://x/)|", "ftp://x"]
)
def test_what_is_no_address_is_not_linked_to(client, url):
    (client.place / "pbes").mkdir()
    (client.place / "registry").mkdir()
    (client.place / "registry" / "policy.toml").write_text(f'[site]\nurl = "{url}"\n')
    assert "](" not in client.run("check", "hello.pbe.txt", "--format", "markdown").out


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_a_rule_that_does_not_exist_is_a_mistake(client, option):
    done = client.run("check", "hello.pbe.txt", option, "PBE0006")
    assert done.code == 2
    assert "unknown rule or family `PBE0006`" in done.err
    assert "Did you mean `PBE006`?" in done.err
    done = client.run("check", "hello.pbe.txt", option, "zzzzz", "--format", "json")
    assert done.refusal == (2, "NO_SUCH_RULE")
    assert "explain --all" in done.json["error"]["hint"]


def test_codes_and_families_are_known_by_their_letters(client):
    def codes(*options):
        done = client.run("check", "hello.pbe.txt", "--format", "json", *options)
        return {found["code"] for found in done.json["diagnostics"]}

    assert codes("--select", "pbe006") == {"PBE006"}
    assert codes("--select", "pbe", "--ignore", "PBE006") == codes() - {"PBE006"}
    assert codes("--ignore", "Pbe") == set()
