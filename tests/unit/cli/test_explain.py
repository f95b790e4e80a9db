"""`psreg explain`: rules, errors, and what is neither."""

import pytest

from psreg.cli.rules import all_rules
from psreg.core.error_codes import ERROR_CODES
from support.clients import Client

RULES = all_rules()


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    return Client(tmp_path_factory.mktemp("client"))


@pytest.mark.parametrize("typed", ["TREE_MALFORMED", "tree_malformed"])
def test_an_error(client, typed):
    row = ERROR_CODES["TREE_MALFORMED"]
    done = client.run("explain", typed)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"TREE_MALFORMED\nexit code 1 · Review\n\n{row.meaning}\n\n## Fix\n{row.remedy}\n"
    )


def test_a_rule_by_its_name_and_a_family(client):
    rule = next(each for each in RULES if each.code == "PBE006")
    for typed in (rule.slug, rule.slug.upper(), "pbe006"):
        assert client.run("explain", typed).out.startswith(f"PBE006 {rule.slug}\n")
    codes = [line.split()[0] for line in client.run("explain", "ps").out.splitlines()]
    assert codes == sorted(each.code for each in RULES if each.code.startswith("PS"))
    assert len(codes) > 30


def test_an_error_for_machines(client):
    row = ERROR_CODES["TRUST_FROZEN"]
    assert client.run("explain", "TRUST_FROZEN", "--format", "json").json == {
        "schema": "psreg.error-code/1",
        "code": "TRUST_FROZEN",
        "exit_code": 3,
        "subject": "Trust",
        "meaning": row.meaning,
        "remedy": row.remedy,
        "url": "errors/#TRUST_FROZEN",
    }


def test_an_error_that_ends_no_command(client):
    assert client.run("explain", "NOT_JSON").out.splitlines()[1] == "sent over HTTP · Gateway"
    assert client.run("explain", "NOT_JSON", "--format", "json").json["exit_code"] is None


def test_all_errors(client):
    listed = client.run("explain", "--errors").out.splitlines()
    assert [line.split()[0] for line in listed] == sorted(ERROR_CODES)
    assert all(ERROR_CODES[line.split()[0]].meaning in line for line in listed)
    found = client.run("explain", "--errors", "--format", "json").json
    assert [row["code"] for row in found] == sorted(ERROR_CODES)


def test_all_rules_are_without_errors(client):
    found = client.run("explain", "--all", "--format", "json").json
    assert [row["code"] for row in found] == sorted(rule.code for rule in RULES)
    assert "schema" not in found[0]


def test_a_rule_says_since_which_version_it_exists(client):
    assert client.run("explain", "PS053").out.splitlines()[1].endswith(" · since psreg 0.1.0")
    assert " · since psreg 0.2.0\n" in client.run("explain", "REG035").out
    found = client.run("explain", "--all", "--format", "json").json
    assert {row["code"]: row["since"] for row in found} == {r.code: r.since for r in RULES}


def test_a_rule_is_explained_as_before(client):
    assert client.run("explain", "pbe006").out.startswith("PBE006 version-not-semver\nerror · ")


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("TRUST_FROZN", "Did you mean `TRUST_FROZEN`?"),
        ("PBE0006", "Did you mean `PBE006`?"),
        ("PBE06", "Did you mean `PBE006`?"),
        ("pbe-6", "Did you mean `PBE006`?"),
        ("PBE" + "9" * 50, "Run `psreg explain --all` or `psreg explain --errors`."),
        ("?", "Run `psreg explain --all` or `psreg explain --errors`."),
    ],
)
def test_an_unknown_code(client, typed, hint):
    done = client.run("explain", typed, "--format", "json")
    assert done.refusal == (2, "NO_SUCH_RULE")
    assert done.json["error"]["hint"] == hint


@pytest.mark.parametrize("typed", [(), ("--all", "--errors"), ("PBE006", "--errors")])
def test_one_thing_at_a_time(client, typed):
    assert client.run("explain", *typed, "--format", "json").refusal == (2, "USAGE")


def test_every_code_that_a_person_meets_can_be_explained(client):
    for command in (("bogus",), ("show", "nowhere"), ("info", "quiz")):
        _, code = client.run(*command, "--format", "json").refusal
        assert client.run("explain", code).out.startswith(f"{code}\n")
