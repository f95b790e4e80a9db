"""SARIF logs are valid, tell alike findings apart, and stay within GitHub's limits."""

import gzip
import json
import random
from dataclasses import replace
from urllib.parse import unquote

import pytest

from psreg import __version__
from psreg.cli.rules import all_rules
from psreg.core.diagnostics import ERROR, INFO, WARNING, Fix, Position, Related, Report
from psreg.lint.engine import check_file
from psreg.lint.reports.sarif import cropped, sarif_document
from support.paths import CORPUS
from support.reports import PBE, SAMPLE, SITE, diagnostic
from support.sarif_schema import faults
from support.walks import sampled

RULES = all_rules()


def run(report, **limits):
    document = sarif_document(report, RULES, **limits)
    assert faults(document) == []
    (only,) = document["runs"]
    return only


def fingerprints(report):
    return [result["partialFingerprints"]["psreg/v1"] for result in run(report)["results"]]


def test_the_tool_states_its_version_and_its_columns():
    found = run(SAMPLE)
    assert found["tool"]["driver"]["version"] == __version__
    assert found["tool"]["driver"]["informationUri"] == SITE
    assert found["columnKind"] == "unicodeCodePoints"
    assert list(found["originalUriBaseIds"]) == ["SRCROOT"]


def test_the_table_of_rules_is_whole_whatever_was_found():
    for report in (SAMPLE, Report(checked=0)):
        rules = run(report)["tool"]["driver"]["rules"]
        assert [rule["id"] for rule in rules] == sorted(rule.code for rule in RULES)


def test_a_rule_is_described_in_full():
    known = {rule.code: rule for rule in RULES}
    for described in run(SAMPLE)["tool"]["driver"]["rules"]:
        rule = known[described["id"]]
        assert described["helpUri"] == f"{SITE}rules/{rule.code}/"
        assert described["shortDescription"]["text"] == rule.summary
        assert described["fullDescription"]["text"].startswith(rule.summary)
        assert len(described["fullDescription"]["text"]) > len(rule.summary) + 20
        assert "## Fix" in described["help"]["markdown"]
        level = {ERROR: "error", WARNING: "warning", INFO: "note"}[rule.severity]
        assert described["defaultConfiguration"] == {"level": level}
        assert rule.family in described["properties"]["tags"]
        assert ("security" in described["properties"]["tags"]) == (rule.family == "PS")
        assert 2 <= len(described["properties"]["tags"]) <= 10


def test_results_point_into_the_table():
    found = run(SAMPLE)
    rules = found["tool"]["driver"]["rules"]
    for result in found["results"]:
        if "ruleIndex" in result:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_without_a_known_site_no_address_is_made_up():
    driver = run(replace(SAMPLE, site=""))["tool"]["driver"]
    assert "informationUri" not in driver
    assert not any("helpUri" in rule for rule in driver["rules"])


def test_a_long_description_is_cropped():
    assert cropped("x" * 1000) == "x" * 1000
    assert cropped("x" * 1001) == "x" * 999 + "…"


def test_paths_are_encoded_and_relative():
    (result,) = run(Report.of(1, [diagnostic()]))["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uriBaseId"] == "SRCROOT"
    assert "caf%C3%A9%20quiz" in place["uri"]
    assert unquote(place["uri"]) == PBE


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/tmp/a b", "file:///tmp/a%20b"),
        ("a:b", "a%3Ab"),
        ("a\udce4", "a%E4"),
        ("50%", "50%25"),
        ("//host/x", "file:////host/x"),
    ],
)
def test_uncommon_paths(path, uri):
    (result,) = run(Report.of(1, [diagnostic(path=path)]))["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == uri
    assert ("uriBaseId" in place) == (not path.startswith("/"))


def test_a_message_cannot_link():
    (result,) = run(Report.of(1, [diagnostic(message="[a](https://evil.example)\u202e")]))[
        "results"
    ]
    assert result["message"]["text"] == "[a] (https://evil.example)\\u{202e}"


def test_waived_findings_are_suppressed_with_their_reason():
    by = {result["ruleId"]: result.get("suppressions") for result in run(SAMPLE)["results"]}
    assert by["REG011"][0]["kind"] == "inSource"
    assert by["REG011"][0]["justification"] == "Nobody could | run @it yet."
    assert by["REG012"][0]["kind"] == "external"
    assert by["PBE006"] is None


def test_fixes_name_every_file_once():
    result = next(r for r in run(SAMPLE)["results"] if r["ruleId"] == "PBE004")
    (fix,) = result["fixes"]
    assert [len(change["replacements"]) for change in fix["artifactChanges"]] == [2, 1]
    assert fix["description"]["text"] == "Write the name in snake_case, everywhere"


def test_a_fix_without_edits_is_none():
    report = Report.of(1, [diagnostic(fix=Fix(title="nothing", edits=()))])
    assert "fixes" not in run(report)["results"][0]


def test_only_as_many_related_places_as_are_shown():
    other = Related(message="m", path="p", start=Position(1, 1), end=Position(1, 1))
    report = Report.of(1, [diagnostic(related=(other,) * 300)])
    assert len(run(report)["results"][0]["relatedLocations"]) == 99


def test_alike_findings_are_told_apart():
    report = Report.of(1, [diagnostic(start=Position(n, 1), end=Position(n, 2)) for n in (3, 4)])
    first, second = fingerprints(report)
    assert (first[-2:], second[-2:]) == (":1", ":2")


BROKEN = sorted(
    path
    for path in CORPUS.glob("*/bad-*")
    if path.suffix in {".txt", ".prompt", ".toml"} and path.is_file()
    if path.parent.name != "TOML005"  # it is about what the first line begins with
)


@pytest.mark.parametrize(
    "path",
    sampled(BROKEN, 50, kinds=lambda path: [path.parent.name.rstrip("0123456789"), path.suffix]),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_blank_lines_on_top_change_no_fingerprint(path):
    def found(data):
        return sorted(fingerprints(Report.of(1, check_file(data, path=path.name))))

    data = path.read_bytes()
    top = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    before = found(data)
    assert found(top + b"\n" * 5 + data.removeprefix(top)) == before
    assert len(set(before)) == len(before)


def many(number, **changes):
    return [
        diagnostic(start=Position(n, 1), end=Position(n, 2), fingerprint=str(n), **changes)
        for n in range(1, number + 1)
    ]


MIXED = Report.of(
    1,
    [
        *many(4, severity=INFO),
        *many(3, severity=WARNING),
        *many(2),
        *many(2, waived="because", waived_by="policy"),
    ],
)


def test_few_findings_keep_their_order_and_need_no_words():
    found = run(MIXED)
    lines = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in found["results"]]
    assert lines == sorted(lines)
    assert "toolExecutionNotifications" not in found["invocations"][0]


def test_more_than_are_shown_come_worst_first():
    found = run(MIXED, shown=5)
    levels = [result["level"] for result in found["results"]]
    assert levels == ["error"] * 2 + ["warning"] * 3 + ["note"] * 4 + ["error"] * 2
    (said,) = found["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"] == "11 findings; GitHub shows the first 5."


def test_more_than_are_taken_are_counted():
    found = run(MIXED, shown=3, taken=4)
    assert [result["level"] for result in found["results"]] == ["error"] * 2 + ["warning"] * 2
    left, shown = found["invocations"][0]["toolExecutionNotifications"]
    assert left["message"]["text"] == "Left out 7 of 11 findings, the least severe."
    assert left["level"] == "warning"
    assert shown["message"]["text"].startswith("4 findings")


def test_more_bytes_than_are_taken_are_left_out():
    noise = random.Random(7)
    texts = [noise.randbytes(20_000).hex() for _ in range(60)]
    report = Report.of(1, [diagnostic(message=text, fingerprint=text[:9]) for text in texts])
    found = run(report, packed=500_000)
    assert 10 < len(found["results"]) < 60
    assert len(gzip.compress(json.dumps(found["results"]).encode())) < 600_000
    (said,) = found["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"].startswith(f"Left out {60 - len(found['results'])} of 60")
