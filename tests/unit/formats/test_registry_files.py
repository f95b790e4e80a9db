"""release.toml, entry.toml and policy.toml: what is read, and what of it is wrong."""

import inspect
import json
import re
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from psreg.core.spelling import did_you_mean, nearest
from psreg.formats import entry, policy, release
from psreg.formats.licenses import DEFAULT_ALLOWED
from psreg.formats.schema import CODES

SCHEMAS = files("psreg.formats") / "schemas"
NAMES = ("release", "entry", "policy", "package", "segment", "head")

RELEASE = b"""
summary = "Asks you questions about any topic."
license = "MIT"
tags = ["quiz", 7]
languages = ["en"]
use_case = "To find out what you remember."
[[tested]]
platform = "claude"
model = "a model"
date = 2026-11-01
sha256 = "00"
result = "pass"
evidence = "evidence/claude.jsonl"
settings = {temperature = 0.20}
[[tested]]
platform = 7
[requires]
glossary = "^1.2"
other = 1
[waivers]
PS010 = "a reason"
"""


def test_a_release_file_is_json_data():
    read = release.read(RELEASE)
    first = read.value["tested"][0]
    assert first["date"] == "2026-11-01"
    assert first["settings"] == {"temperature": "0.20"}
    assert json.loads(json.dumps(read.value)) == read.value


def test_accessors_leave_out_what_is_of_the_wrong_type():
    read = release.read(RELEASE)
    assert read.text("summary") == "Asks you questions about any topic."
    assert read.text("tags") == ""
    assert read.strings("tags") == ((0, "quiz"),)
    assert read.strings("summary") == ()
    assert read.requires == {"glossary": "^1.2"}
    assert read.waivers == {"PS010": "a reason"}
    assert [(run.platform, run.pointer) for run in read.tested] == [
        ("claude", "/tested/0"),
        ("", "/tested/1"),
    ]
    assert read.tested[0].date == "2026-11-01"


def test_violations_name_places_and_rules():
    found = {(v.code, v.pointer) for v in release.read(RELEASE).violations}
    assert ("REG008", "/tags/1") in found
    assert ("REG008", "/requires/other") in found
    assert ("REG008", "/tested/1/platform") in found
    assert ("REG007", "/tested/1") in found


@pytest.mark.parametrize("read", [release.read, entry.read, policy.read])
@pytest.mark.parametrize("data", [b"= 1", b"\xff", b"[" * 9999, b"a" * 2_000_000])
def test_what_cannot_be_read_is_empty_and_has_no_violations(read, data):
    file = read(data)
    assert not file.tree.parsed
    assert file.value == {}
    assert file.violations == ()


def test_an_entry_without_a_person_belongs_to_the_maintainers():
    read = entry.read(b"owners = []")
    assert (read.owners, read.threshold, read.aliases) == ((), 1, ())
    assert read.deprecated is None
    assert read.yanked == {}
    assert read.violations == ()


def test_an_entry_with_everything():
    read = entry.read(
        b'owners = [{forge = "github", id = 583231, login = "octocat", keys = ["k", 3]},'
        b' {keys = "k"}, 3]\n'
        b'threshold = true\naliases = ["quiz", 1]\n'
        b'[deprecated]\nreason = "old"\nreplacement = "new_quiz"\n[yanked]\n"1.0.0" = "bad"\n'
    )
    assert [owner.get("login") for owner in read.owners] == ["octocat", None]
    assert [*read.keys] == [(("owners", 0, "keys", 0), "k")]
    assert read.threshold == 1
    assert read.aliases == ("quiz",)
    assert read.deprecated == {"reason": "old", "replacement": "new_quiz"}
    assert read.yanked == {"1.0.0": "bad"}
    assert {v.pointer for v in read.violations} >= {"/owners/0/keys/1", "/owners/1/keys"}
    assert {v.pointer for v in read.violations} >= {"/owners/2", "/threshold", "/aliases/1"}
    assert {v.code for v in read.violations} == {"REG016"}


def test_a_registry_without_a_policy_has_the_defaults():
    read = policy.read(b"")
    assert read.licenses == DEFAULT_ALLOWED
    assert {"MIT", "CC0-1.0", "CC-BY-4.0", "GPL-3.0-only"} <= read.licenses
    assert (read.site_name, read.site_url) == ("", "")
    assert read.waiver("REG011", "quiz") == ""


def test_a_policy_decides_licences_and_waivers():
    read = policy.read(
        b'[site]\nname = "Prompts"\nurl = "https://prompts.example/"\n'
        b'[licenses]\nallow = ["MIT", 3]\n'
        b'[[waiver]]\ncode = "REG011"\nnames = ["quiz"]\nreason = "seed"\n'
        b'[[waiver]]\ncode = "REG017"\nnames = ["*"]\nreason = " "\n'
        b'[[waiver]]\ncode = "REG018"\nnames = "*"\nreason = 3\n'
        b'[[waiver]]\ncode = "REG019"\nnames = ["*"]\nreason = "all"\n'
    )
    assert read.licenses == {"MIT"}
    assert (read.site_name, read.site_url) == ("Prompts", "https://prompts.example/")
    assert read.waiver("REG011", "quiz") == "seed"
    assert read.waiver("REG011", "other") == ""
    assert read.waiver("REG017", "quiz") == ""
    assert read.waiver("REG018", "quiz") == ""
    assert read.waiver("REG019", "anything") == "all"


ORIGIN_WAIVER = (
    '[[waiver]]\ncode = "REG011"\norigin = "{}"\nreason = "imported"\n'
    '[[waiver]]\ncode = "PS010"\norigin = "{}"\nreason = "not for an origin"\n'
)


@pytest.mark.parametrize(
    ("waived", "stated"),
    [
        ("https://example.org/a", "https://example.org/a"),
        ("https://example.org/a", "https://example.org/a/"),
        ("https://example.org/a/", "https://example.org/a/b/c"),
        ("https://Example.ORG/a", "https://example.org:443/a"),
        ("https://example.org", "https://example.org/anything"),
        ("https://example.org:8443/a", "https://example.org:8443/a/b"),
    ],
)
def test_a_policy_waives_missing_runs_for_an_origin_and_what_is_below_it(waived, stated):
    read = policy.read(ORIGIN_WAIVER.format(waived, waived).encode())
    assert read.waiver("REG011", "quiz", stated) == "imported"
    assert read.waiver("REG011", "quiz") == ""
    assert read.waiver("PS010", "quiz", stated) == ""


@pytest.mark.parametrize(
    ("waived", "stated"),
    [
        ("https://example.org/a", "https://example.org/ab"),
        ("https://example.org/a", "https://example.org/"),
        ("https://example.org/a", "https://example.org/A"),
        ("https://example.org/a/b", "https://example.org/a"),
        ("https://example.org/a", "https://example.org/a/../b"),
        ("https://example.org/a", "https://example.org/a/%2E%2e/b"),
        ("https://example.org/a", "https://example.org/a/%2e%2e%2fb"),
        ("https://example.org/a", "https://example.org/a/..%5cb"),
        ("https://example.org/a", "https://example.org//a"),
        ("https://example.org/a", "https://example.org/a?at=/b"),
        ("https://example.org/a", "https://example.org/a#b"),
        ("https://example.org/a", "http://example.org/a"),
        ("https://example.org/a", "https://example.org:8443/a"),
        ("https://example.org/a", "https://example.org.evil.test/a"),
        ("https://example.org/a", "https://example.org@evil.test/a"),
        ("https://example.org/a", "https://evil.test\\@example.org/a"),
        ("https://example.org/a", "https://evil.test/https://example.org/a"),
        ("https://example.org/a", "https://user@example.org/a"),
        ("https://example.org/a", "https://example.org/a\n"),
        ("https://example.org/a", "https://ex\u0430mple.org/a"),
        ("https://user@example.org/a", "https://user@example.org/a"),
        ("https://", "https://example.org/a"),
        ("", ""),
    ],
)
def test_an_origin_that_only_looks_like_the_waived_one_is_not_waived(waived, stated):
    read = policy.read(ORIGIN_WAIVER.format(waived, waived).encode())
    assert read.waiver("REG011", "quiz", stated) == ""


def test_a_waiver_for_an_origin_has_a_reason_and_a_text():
    read = policy.read(
        b'[[waiver]]\ncode = "REG011"\norigin = "https://example.org"\nreason = " "\n'
        b'[[waiver]]\ncode = "REG011"\norigin = 3\nreason = "number"\n'
        b'[[waiver]]\ncode = "REG012"\norigin = "https://example.org"\nreason = "other"\n'
    )
    assert read.waiver("REG011", "quiz", "https://example.org") == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_and_its_examples_are(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"/schemas/{name}.schema.json"
    assert schema["title"]
    for example in schema.get("examples", []):
        Draft202012Validator(schema).validate(example)


ASSERTIONS = {
    "type",
    "enum",
    "const",
    "required",
    "additionalProperties",
    *(low + what for low in ("min", "max") for what in ("Items", "Length", "Properties", "imum")),
    "uniqueItems",
    "pattern",
}


def keywords(schema):
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in ASSERTIONS:
                yield key
            if key in ("properties", "$defs"):
                for inner in value.values():
                    yield from keywords(inner)
            elif key in ("items", "additionalProperties"):
                yield from keywords(value)


@pytest.mark.parametrize("name", ["release", "entry", "policy"])
def test_every_keyword_of_a_schema_belongs_to_a_rule(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())
    known = {keyword for _, keyword, _ in CODES[name]}
    assert set(keywords(schema)) <= known


def test_the_schema_of_a_policy_knows_every_key_that_is_read():
    asked = set(re.findall(r'table\("(\w+)"\)\.get\("(\w+)"', inspect.getsource(policy)))
    assert ("site", "pictures") in asked
    tables = json.loads((SCHEMAS / "policy.schema.json").read_bytes())["properties"]
    assert [pair for pair in sorted(asked) if pair[1] not in tables[pair[0]]["properties"]] == []


def test_guesses():
    assert nearest("Licence", ["license", "tags"]) == "license"
    assert nearest("qqq", ["license"]) is None
    assert did_you_mean("tag", ["license", "tags"]) == "Did you mean `tags`?"
    assert did_you_mean("qqq", ["license", "tags"]) == "Choose one of license, tags."


@pytest.mark.parametrize(
    ("text", "fails", "valid"),
    [
        ("", False, True),
        ('[review]\nneeds_human = "neutral"', False, True),
        ('[review]\nneeds_human = "failing"', True, True),
        ('[review]\nneeds_human = "red"', False, False),
        ("[review]\nneeds_human = true", False, False),
    ],
)
def test_the_status_of_what_a_person_decides(text, fails, valid):
    read = policy.read(text.encode())
    assert (read.needs_human_fails, read.violations == ()) == (fails, valid)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("", (14, 14)),
        ("snapshot_days = 7", (7, 14)),
        ("timestamp_days = 1\nsnapshot_days = 365", (365, 1)),
        ("timestamp_days = 0\nsnapshot_days = 366", (14, 14)),
        ("timestamp_days = true\nsnapshot_days = '7'", (14, 14)),
    ],
)
def test_how_long_signatures_last(text, days):
    lifetimes = policy.read(f"[signatures]\n{text}\n".encode()).lifetimes
    assert (lifetimes["snapshot"].days, lifetimes["timestamp"].days) == days
    assert {lifetimes[role].days for role in ("root", "targets", "owners", "releases")} == {365}


def test_the_other_roles_have_lifetimes_of_their_own() -> None:
    lifetimes = policy.read(b"[signatures]\nowners_days = 180\nreleases_days = 30\n").lifetimes
    assert (lifetimes["owners"].days, lifetimes["releases"].days) == (180, 30)


@pytest.mark.parametrize(
    ("text", "days"),
    [("", 30), ("keep_days = 60", 60), ("keep_days = 0", 30), ("keep_days = true", 30)],
)
def test_how_long_old_files_are_kept(text, days):
    assert policy.read(f"[publish]\n{text}\n".encode()).keep.days == days


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("https://github.com/team/prompts/", "https://github.com/team/prompts"),
        ("javascript:alert(1)", ""),
        ('https://x\\"><script>', ""),
    ],
)
def test_the_repository_of_a_site_is_an_address_or_none(written, address):
    assert policy.read(f'[site]\nrepository = "{written}"\n'.encode()).site_repository == address


@pytest.mark.parametrize(
    ("written", "logo"),
    [
        ("registry/logo.svg", "registry/logo.svg"),
        ("logo.png", "logo.png"),
        ("../logo.png", ""),
        ("/logo.png", ""),
        ("registry/logo.html", ""),
    ],
)
def test_the_logo_of_a_site_is_a_picture_of_the_repository(written, logo):
    assert policy.read(f'[site]\nlogo = "{written}"\n'.encode()).site_logo == logo


@pytest.mark.parametrize(
    ("written", "accent"),
    [
        ('{light = "#123abc", dark = "#FFEEDD"}', {"light": "#123abc", "dark": "#FFEEDD"}),
        ('{light = "red", dark = "#fff"}', {}),
        ('"#123abc"', {}),
    ],
)
def test_the_colours_of_a_site_are_colours(written, accent):
    assert policy.read(f"[site]\naccent = {written}\n".encode()).site_accent == accent


@pytest.mark.parametrize(
    ("written", "picks"), [('["a", 1, "b"]', ("a", "b")), ('"a"', ()), ("[]", ())]
)
def test_the_picks_of_a_site_are_names(written, picks):
    assert policy.read(f"[site]\npicks = {written}\n".encode()).site_picks == picks
    assert policy.read(b"").site_picks == ()


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        (
            '["ward, unit > bed", 1, "Übergabe, handover"]',
            ("ward, unit > bed", "Übergabe, handover"),
        ),
        ('["a, b\\n! quiz", "! quiz", "# note", ""]', ()),
        ('"a, b"', ()),
    ],
)
def test_synonyms_are_lines_and_no_weak_words(written, lines):
    assert policy.read(f"[search]\nsynonyms = {written}\n".encode()).synonyms == lines
    assert policy.read(b"").synonyms == ()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("583231.0", "583231.0"),
        ("5e3", "5E+3"),
        ("nan", "NaN"),
        ("2026-11-01", "a date or time"),
        ("12:00:00", "a date or time"),
        ('"583231"', "a string"),
        ("true", "true"),
    ],
)
def test_a_value_of_the_wrong_type_is_named_as_it_was_written(written, said):
    row = f'{{forge = "github", id = {written}, login = "octocat"}}'
    (violation,) = entry.read(f"owners = [{row}]\n".encode()).violations
    assert violation.message == f"`owners[0].id` must be a whole number, not {said}"
