"""Whatever a report says, every renderer writes it, and its reader can read it back."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from psreg.cli.rules import all_rules
from psreg.core.diagnostics import (
    ERROR,
    INFO,
    WARNING,
    Diagnostic,
    Edit,
    Fix,
    Position,
    Related,
    Report,
    Severity,
)
from psreg.lint.reports.ci_services import SHOWN, github_text, gitlab_document, rdjson_document
from psreg.lint.reports.json import report_document
from psreg.lint.reports.markdown import MARKER, ROWS, markdown_text, neutral
from psreg.lint.reports.report_formats import FORMATS, rendered
from psreg.lint.reports.sarif import sarif_document
from support.reports import SAMPLE, SITE, diagnostic
from support.sarif_schema import faults

hostile = st.sampled_from(
    ["](", "`", "``", "|", "\n", "\r", "::", "%", "@", "#1", "<!--", "\ud800"]
)
texts = st.lists(st.one_of(st.text(max_size=12), hostile), max_size=6).map("".join)
paths = texts.filter(lambda text: "\ud800" not in text)
positions = st.builds(Position, st.integers(1, 40), st.integers(1, 40))
places = st.tuples(positions, positions).map(sorted).map(lambda p: {"start": p[0], "end": p[1]})
edits = st.builds(
    lambda place, **rest: Edit(**place, **rest), places, path=paths, replacement=texts
)
diagnostics = st.builds(
    lambda place, **rest: Diagnostic(**place, **rest),
    places,
    code=st.sampled_from(["PBE006", "PS001", "NEW1"]),
    slug=st.just("a-rule"),
    severity=st.sampled_from(Severity),
    message=texts,
    path=paths,
    hint=texts,
    url=st.sampled_from(["", "rules/PBE006/"]),
    pointer=texts,
    fingerprint=st.sampled_from(["", "a", "a:1"]),
    waived=st.none() | texts,
    waived_by=st.sampled_from(["", "policy", "release"]),
    related=st.lists(
        st.builds(
            lambda place, **rest: Related(**place, **rest), places, message=texts, path=paths
        ),
        max_size=2,
    ).map(tuple),
    fix=st.none() | st.builds(Fix, title=texts, edits=st.lists(edits, max_size=3).map(tuple)),
    excerpt=texts,
)
reports = st.builds(
    Report.of, st.integers(0, 9), st.lists(diagnostics, max_size=6), st.sampled_from(["", SITE])
)
some = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def any_report(test):
    """Run `test` with many reports."""
    return some(given(reports)(test))


def read(report, form):
    """Return what a reader of the JSON that we write to a stream gets."""
    return json.loads(rendered(report, form, all_rules).encode("utf-8", "backslashreplace"))


@any_report
def test_a_sarif_log_is_valid(report):
    log = read(report, "sarif")
    assert faults(log) == []
    results = log["runs"][0]["results"]
    assert len(results) == len(report.diagnostics)
    assert len({r["partialFingerprints"]["psreg/v1"] for r in results}) == len(results)


@any_report
def test_workflow_commands_are_one_line_each(report):
    *commands, last = github_text(report).split("\n")[:-1]
    assert len(commands) == len(report.standing())
    assert last.startswith("checked ")
    for command in commands:
        assert re.fullmatch(r"::(error|warning|notice) [^:\r]*::[^\r]*", command)
        properties = command.split("::")[1].partition(" ")[2].split(",")
        assert [p.partition("=")[0] for p in properties][-2:] == ["endLine", "title"]


@any_report
def test_code_quality_has_an_identity_for_each(report):
    issues = read(report, "gitlab")
    assert len(issues) == len(report.standing())
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    for issue in issues:
        assert issue["severity"] in {"info", "minor", "major"}
        assert issue["location"]["positions"]["begin"]["line"] >= 1
        assert "\n" not in issue["description"]


@any_report
def test_reviewdog_gets_whole_ranges(report):
    document = read(report, "rdjson")
    assert len(document["diagnostics"]) == len(report.standing())
    for found in document["diagnostics"]:
        ranges = [found["location"]["range"], *(s["range"] for s in found.get("suggestions", ()))]
        for each in ranges:
            assert ("column" in each["start"]) == ("column" in each["end"])


@any_report
def test_a_comment_holds_nothing_but_its_own_markup(report):
    text = markdown_text(report)
    assert text.startswith(MARKER)
    for line in text.splitlines():
        if line.startswith("| "):
            assert line.count("|") == 5
    bare = re.sub(r"</?(code|details|summary)>|<br>", "", text.removeprefix(MARKER))
    assert not re.search(r"[<>@`]|\]\((?!https://prompts\.example/)", bare)


@any_report
def test_every_format_is_text(report):
    for form in FORMATS:
        assert rendered(report, form, all_rules).endswith("\n")


def test_ten_annotations_of_a_level():
    found = [diagnostic(severity=s) for s in (ERROR, WARNING, INFO) for _ in range(SHOWN + 2)]
    *commands, last = github_text(Report.of(1, found)).splitlines()
    assert [c.split()[0] for c in commands] == (
        ["::error"] * 10 + ["::warning"] * 10 + ["::notice"] * 10
    )
    assert last.endswith("; not shown as annotations: 2 errors, 2 warnings, 2 notes")


def test_annotations_escape_what_ends_them():
    report = Report.of(1, [diagnostic(path="a,b:c%\r\nd", message="x%\r\ny", hint="", url="")])
    (command, _) = github_text(report).splitlines()
    assert "file=a%2Cb%3Ac%25\\u{000d} d,line=3" in command
    assert command.endswith("::x%25\\u{000d}%0Ay")


def test_an_annotation_of_several_lines_has_no_columns():
    found = diagnostic(start=Position(3, 1), end=Position(4, 2), hint="", url="")
    annotations = rendered(Report.of(1, [found]), "github", all_rules)
    assert ",line=3,endLine=4,title=" in annotations
    assert "col=" not in annotations


def test_code_quality_of_a_job_is_a_list():
    assert json.loads(rendered(Report.of(1, [diagnostic()]), "gitlab", all_rules))[0]["check_name"]
    assert json.loads(rendered(Report.of(1, []), "gitlab", all_rules)) == []


def test_columns_of_reviewdog_count_bytes():
    found = diagnostic(start=Position(1, 3), end=Position(1, 4), excerpt="a𐐀b")
    (first,) = rdjson_document(Report.of(1, [found]))["diagnostics"]
    assert first["location"]["range"] == {
        "start": {"line": 1, "column": 6},
        "end": {"line": 1, "column": 7},
    }


def test_the_start_of_a_line_is_known_without_its_text():
    found = diagnostic(start=Position(2, 1), end=Position(5, 1))
    (first,) = rdjson_document(Report.of(1, [found]))["diagnostics"]
    assert first["location"]["range"] == {
        "start": {"line": 2, "column": 1},
        "end": {"line": 5, "column": 1},
    }


@pytest.mark.parametrize(
    "edits",
    [
        (),
        (("other", 3, 1, 3, 2),),
        (("p", 3, 1, 3, 2), ("p", 3, 4, 3, 5)),
        (("p", 2, 5, 3, 2),),
    ],
)
def test_a_fix_that_reviewdog_cannot_hold_is_left_out(edits):
    made = [
        Edit(path=path, start=Position(a, b), end=Position(c, d), replacement="")
        for path, a, b, c, d in edits
    ]
    found = diagnostic(path="p", excerpt="x" * 30, fix=Fix(title="t", edits=tuple(made)))
    assert "suggestions" not in rdjson_document(Report.of(1, [found]))["diagnostics"][0]


def test_the_overall_severity_is_the_worst_one_not_waived():
    assert rdjson_document(SAMPLE)["severity"] == "ERROR"
    waived = Report.of(1, [diagnostic(waived="so"), diagnostic(severity=INFO)])
    assert rdjson_document(waived)["severity"] == "INFO"
    assert rdjson_document(Report(checked=1))["severity"] == "UNKNOWN_SEVERITY"


def test_waived_findings_are_no_issues():
    assert not {"REG011", "REG012"} & {issue["check_name"] for issue in gitlab_document(SAMPLE)}


def test_a_comment_lists_the_worst_first_and_counts_the_rest():
    found = [diagnostic(severity=INFO)] * ROWS + [diagnostic(start=Position(9, 1))] * 3
    text = markdown_text(Report.of(1, found))
    rows = [line for line in text.splitlines() if line.startswith(("| error", "| info"))]
    assert len(rows) == ROWS
    assert rows[0].startswith("| error")
    assert "…and 3 more." in text


def test_a_comment_is_never_too_long():
    row = diagnostic(message="|" * 79 + " " + "<" * 79, hint="#" * 79, path="_" * 4000)
    waived = diagnostic(message="x", waived="y " * 500, path="_" * 400)
    text = markdown_text(Report.of(1, [row] * 90 + [waived] * 90))
    assert len(text) < 65_536
    assert "90 waived" in text
    assert "more." in text


def test_a_clean_comment_is_short():
    assert markdown_text(Report(checked=2)) == f"{MARKER}\n**psreg** checked 2 files: no findings\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, 'so'; 1.", "plain words, 'so'; 1."),
        ("a.example", "a&#46;example"),
        ("`a_b` is", "<code>a&#95;b</code> is"),
        ("`open", "&#96;open"),
        ("see GH-7", "see GH&#45;&#8203;7"),
        ("- item", "&#45;&#8203; item"),
        ("x" * 90, "x" * 80 + "…"),
        ("two\nlines", "two lines"),
        ("w " * 300, ("w " * 200)[:399] + "…"),
    ],
)
def test_neutral(text, shown):
    assert neutral(text) == shown


def test_the_same_report_makes_the_same_log():
    assert sarif_document(SAMPLE, all_rules()) == sarif_document(SAMPLE, all_rules())


def test_fixes_are_listed_as_long_as_the_report_of_their_file_has_room():
    edit = Edit(path="p", start=Position(1, 1), end=Position(1, 1), replacement="x" * 60_000)
    large = Fix(title="large", edits=(edit,))
    small = Fix(title="small", edits=(replace(edit, replacement="x"),))
    offered = (("a", large), ("a", large), ("a", small), ("b", large))
    found = [diagnostic(path=path, fix=fix) for path, fix in offered]
    document = report_document(Report(checked=2, diagnostics=tuple(found)))
    titles = [d["fix"] and d["fix"]["title"] for d in document["diagnostics"]]
    assert titles == ["large", None, "small", "large"]
