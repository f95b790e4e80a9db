"""The transcripts of a release are judged by the protocols that it declares."""

import hashlib
import json
from pathlib import PurePosixPath

import pytest

from psreg.authoring.missing_files import missing_files
from psreg.cli.rules import all_rules
from psreg.core.diagnostics import ERROR, WARNING, Report
from psreg.core.identity import Author
from psreg.formats.protocol_versions import STUB, ProtocolConformance, read_conformances
from psreg.formats.tree import Tree
from psreg.lint.locate import LISTED_IN_ALL
from psreg.lint.registry_walk import check_tree
from psreg.lint.release_transcripts import conformance
from psreg.review.review import review
from psreg.review.verdict import Verdict
from support import registry_trees
from support.changes import changes_between

FOLDER = "pbes/prompt/hello/1.0.0"
ASKED = {"role": "user", "content": "!<g>\nHello?"}
SAID = {
    "role": "assistant",
    "content": "<g>\nHello!\n"
    "[Version=v1.4 | Tag=g_1 | Sources=none | Assumptions=0 | Cycle=1/3 | Locus=]",
}
BANG = SAID | {"content": "!" + SAID["content"]}
VPP = '[protocols]\nvpp = "1.4"\n'


def lines(*records):
    return "".join(f"{json.dumps(record)}\n" for record in records)


def ran(evidence="evidence/a.jsonl", *, result="pass", platform="claude", prompt=None):
    text = registry_trees.PROMPT if prompt is None else prompt
    digest = hashlib.sha256(text.encode()).hexdigest()
    notes = 'notes = "It shouted."\n' if result != "pass" else ""
    return (
        f'[[tested]]\nplatform = "{platform}"\nmodel = "m"\ndate = 2026-11-01\n'
        f'sha256 = "{digest}"\nresult = "{result}"\nevidence = "{evidence}"\n{notes}'
    )


def release(more, files):
    text = registry_trees.RELEASE + more
    return registry_trees.tree(
        {"pbes/prompt/hello/entry.toml": "owners = []\n"},
        registry_trees.version(release=text, **{f"evidence/{k}": v for k, v in files.items()}),
    )


def found(more, files):
    """Return the findings about conversations, as they are printed."""
    report = Report.of(1, check_tree(release(more, files), all_rules()))
    return [d for d in report.diagnostics if d.family in ("VPP", "PLSP", "PB2S", "PROTO")]


def told(more, files):
    (submission,) = Tree(release(more, files)).submissions
    return conformance(submission)


def test_a_finding_stands_at_the_line_of_its_record_and_says_where_in_the_message():
    (finding,) = found(VPP, {"a.jsonl": "\n" + lines(ASKED, BANG)})
    assert (finding.code, finding.path) == ("VPP012", f"{FOLDER}/evidence/a.jsonl")
    assert (finding.start.line, finding.start.column) == (3, 1)
    assert finding.end.column == len(json.dumps(BANG)) + 1
    assert finding.excerpt == json.dumps(BANG)
    assert finding.message.startswith("turn 2, line 1:1: ")
    assert (finding.pointer, finding.fix) == ("/1/content", None)


@pytest.mark.parametrize(
    "more",
    ["", '[protocols]\nvpp = "2.0"\n', "[protocols]\nvpp = {}\n", '[protocols]\nx = "1.0"\n'],
)
def test_only_declared_protocols_judge(more):
    assert found(more, {"a.jsonl": lines(ASKED, BANG)}) == []


def test_what_no_protocol_speaks_about_is_no_finding():
    files = {"a.jsonl": "nothing\n", "b.jsonl": '{"next": "S{"}\n', "c.json": "{}", "d.txt": "x"}
    assert found(VPP, files) == []


def test_a_later_minor_version_is_judged_by_the_known_one():
    later = SAID | {"content": SAID["content"].replace("v1.4", "v1.99")}
    more = '[protocols]\nvpp = "1.99"\n'
    assert found(more, {"a.jsonl": lines(ASKED, later)}) == []
    assert [d.code for d in found(more, {"a.jsonl": lines(ASKED, SAID)})] == ["VPP026"]


def test_a_table_declares_the_dialect_of_plsp():
    trace = {"instr": "INSTR:\n@set:$a=1;", "previous": "S{}S", "next": "S{$a:2;}S"}
    files = {"a.jsonl": lines(trace)}
    (finding,) = found('[protocols]\nplsp = {version = "0.5", imf = "psreg-1"}\n', files)
    assert (finding.code, finding.pointer) == ("PLSP044", "/0/next")
    assert finding.message.startswith("cycle 1, line 1:")
    assert [d.code for d in found('[protocols]\nplsp = "0.5"\n', files)] == ["PLSP045"]


def test_exchanges_of_pb2s():
    reply = {"message": "m", "text": "DRAFT\nx\n"}
    (finding, *_) = found('[protocols]\npb2s = "0.2"\n', {"a.jsonl": lines(reply)})
    assert finding.family == "PB2S"
    assert finding.message.startswith("exchange 1, line ")


def test_a_review_rejects_what_breaks_the_declared_protocol():
    base = registry_trees.entry(toml=registry_trees.OWNED)
    talk = {"evidence/a.jsonl": lines(ASKED, BANG)}
    told = registry_trees.update("1.1.0", more=VPP, **talk)
    before = registry_trees.tree(base)
    after = registry_trees.tree(base, told)
    change = changes_between(before, after, author=Author(forge="github", id=1))
    found = review(change, all_rules(), missing_files=missing_files, base="a" * 40, head="b" * 40)
    assert found.verdict is Verdict.REJECT
    assert "VPP012" in {reason.code for reason in found.reasons}


def test_text_is_judged_where_a_run_cites_it():
    files = {"a.txt": f"User: {ASKED['content']}\n\nAssistant: {BANG['content']}\n"}
    assert found(VPP, files) == []
    (finding,) = found(ran("evidence/a.txt") + VPP, files)
    assert (finding.code, finding.start.line) == ("VPP012", 4)


@pytest.mark.parametrize(("result", "severity"), [("pass", ERROR), ("fail", WARNING)])
def test_what_a_release_admits_does_not_stand_against_it(result, severity):
    (finding,) = found(ran(result=result) + VPP, {"a.jsonl": lines(ASKED, BANG)})
    assert finding.severity is severity


def test_a_release_may_waive_a_rule_of_a_protocol():
    more = VPP + '[waivers]\nVPP012 = "The model was told to shout."\n'
    (finding,) = found(more, {"a.jsonl": lines(ASKED, BANG)})
    assert (finding.waived, finding.waived_by) == ("The model was told to shout.", "release")


def test_very_many_findings_are_listed_in_short_and_all_counted():
    number = 2 * LISTED_IN_ALL
    found_ones = found(VPP, {"a.jsonl": lines(*[ASKED, BANG] * number)})
    assert len(found_ones) <= LISTED_IN_ALL + 2
    assert sum(1 + d.more for d in found_ones if d.code == "VPP012") == number


def test_an_error_does_not_hide_behind_many_warnings():
    warned = ASKED | {"content": "!<g> --minor --minor\nHello?"}
    errors = [
        d
        for d in found(VPP, {"a.jsonl": lines(*[warned, SAID] * 400, ASKED, BANG)})
        if d.severity is ERROR
    ]
    assert [d.code for d in errors] == ["VPP012"]


def test_what_the_record_says_of_a_protocol():
    header = json.loads(registry_trees.transcript(registry_trees.PROMPT, "claude").split("\n")[0])
    asked = ASKED | {"content": "!<g>\nSay hello."}
    files = {
        "a.jsonl": lines(header, asked, SAID, ASKED, BANG),
        "b.jsonl": lines(ASKED, SAID, BANG),
    }
    more = ran() + ran("evidence/b.jsonl", platform=STUB) + ran(prompt="other", platform="chatgpt")
    (spoken,) = told(more + VPP, files)
    assert spoken == ProtocolConformance(
        name="vpp",
        version="1.4",
        judged_by="1.4",
        transcripts=(f"{FOLDER}/evidence/a.jsonl", f"{FOLDER}/evidence/b.jsonl"),
        answers=4,
        sound=2,
        platforms=("claude", "stub"),
    )
    assert (spoken.rate, spoken.models, spoken.stubbed) == (50, ("claude",), True)
    assert read_conformances([spoken.to_json()]) == (spoken,)


def test_a_protocol_without_evidence_is_declared_and_no_more():
    (spoken,) = told('[protocols]\nplsp = {version = "0.5", imf = "psreg-1"}\n', {})
    assert spoken == ProtocolConformance(name="plsp", version="0.5", imf="psreg-1")
    assert (spoken.rate, spoken.stubbed) == (None, False)
    assert told("", {}) == ()


@pytest.mark.parametrize(
    "rows",
    [
        None,
        {},
        [3],
        [{"name": "vpp"}],
        [ProtocolConformance(name="a", version="b").to_json() | {"answers": "1"}],
    ],
)
def test_a_record_that_says_something_else_says_nothing(rows):
    assert read_conformances(rows) == ()
    strange = ProtocolConformance(name="a", version="b").to_json() | {"platforms": [3]}
    assert read_conformances([strange]) == ()


def test_evidence_is_read_from_the_folder_of_the_release():
    tree = release(VPP, {"a.jsonl": lines(ASKED, SAID)})
    moved = {PurePosixPath(str(p).replace("/evidence/", "/notes/")): d for p, d in tree.items()}
    (submission,) = Tree(moved).submissions
    assert conformance(submission)[0].transcripts == ()
