"""The index: a pure function of tree, previous records and time."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from importlib.resources import files as resources
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from psreg.core.identity import ReleaseId
from psreg.formats.json.canonical import canonical
from psreg.formats.tree import Tree
from psreg.lint.score import read_score, score
from psreg.registry.build import build
from psreg.registry.records import PackageRecord
from support.registry_trees import PROMPT, RELEASE, entry, transcript, tree, version

NOW = datetime(2026, 11, 21, 5, 0, 0, 987654, tzinfo=UTC)
LATER = NOW + timedelta(days=30)
FOLDER = "pbes/prompt/hello/1.0.0"


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_first_publication():
    settings_row = (
        '[[tested]]\nplatform = "claude"\nmodel = "m"\ndate = 2026-11-01\nsha256 = "00"\n'
        'result = "pass"\nevidence = "evidence/a.jsonl"\nsettings = {temperature = 0.2}\n'
    )
    files = tree(
        entry(toml='owners = [{forge = "github", id = 7, login = "o"}]\naliases = ["hi"]\n'),
        version(release=RELEASE + settings_row, **{"evidence/a.jsonl": "{}\n"}),
    )
    index = build(files, {}, NOW)
    assert index.released == (ReleaseId(entry_class="prompt", name="hello", version="1.0.0"),)
    assert index.changed == ()
    record = index.records["hello"]
    assert (record.serial, record.threshold, record.aliases) == (1, 1, ("hi",))
    assert record.owners == ({"forge": "github", "id": 7, "login": "o"},)
    (release,) = record.releases
    assert release.date == "2026-11-21T05:00:00Z"
    assert release.media_type == "text/plain; charset=utf-8"
    assert release.path == f"{FOLDER}/hello.prompt"
    assert release.sha256 == hashlib.sha256(files[PurePosixPath(release.path)]).hexdigest()
    assert release.size == len(files[PurePosixPath(release.path)])
    assert [file.path for file in release.files] == [
        f"{FOLDER}/README.md",
        f"{FOLDER}/evidence/a.jsonl",
        f"{FOLDER}/hello.prompt",
        f"{FOLDER}/release.toml",
    ]
    assert release.release["tested"][0]["settings"] == {"temperature": "0.2"}
    assert release.release["tested"][0]["date"] == "2026-11-01"
    assert canonical(record.to_json())


def test_a_release_gets_its_score_once():
    files = tree(entry("hello", "1.0.0"))
    first = build(files, {}, NOW).records["hello"]
    assert read_score(first.releases[0].score) == score(next(iter(Tree(files).submissions)))
    old = replace(first, rows=tuple(replace(row, score=None) for row in first.releases))
    again = build(tree(entry("hello", "1.0.0", "1.1.0")), {"hello": old}, LATER).records["hello"]
    assert [row.score is None for row in again.releases] == [True, False]
    assert build(files, {"hello": old}, LATER).records["hello"] is old


def test_the_date_is_utc_whatever_the_clock_says():
    east = datetime(2026, 11, 21, 7, 0, tzinfo=timezone(timedelta(hours=2)))
    assert build(tree(entry()), {}, east).records == build(tree(entry()), {}, NOW).records


def test_a_clock_without_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        build({}, {}, datetime(2026, 11, 21))  # noqa: DTZ001


def test_publishing_again_changes_nothing():
    files = tree(entry("hello", "1.0.0", "1.1.0"), entry("other"))
    first = build(files, {}, NOW)
    again = build(files, first.records, LATER)
    assert again.records == first.records
    assert (again.released, again.changed) == ((), ())


def test_a_new_version_gets_its_own_date_and_raises_the_serial():
    first = build(tree(entry("hello", "1.0.0"), entry("other")), {}, NOW)
    files = tree(entry("hello", "1.0.0", "0.9.0"), entry("other"))
    second = build(files, first.records, LATER)
    record = second.records["hello"]
    assert [(r.version, r.date) for r in record.releases] == [
        ("0.9.0", "2026-12-21T05:00:00Z"),
        ("1.0.0", "2026-11-21T05:00:00Z"),
    ]
    assert record.serial == 2
    assert second.records["other"] is first.records["other"]
    assert [r.version for r in second.released] == ["0.9.0"]


@pytest.mark.parametrize(
    ("toml", "what"),
    [
        ('owners = []\n[yanked]\n"1.0.0" = "bad"\n', lambda r: r.releases[0].yanked == "bad"),
        (
            'owners = []\n[deprecated]\nreason = "old"\n',
            lambda r: r.deprecated == {"reason": "old"},
        ),
        ('owners = []\naliases = ["hi"]\n', lambda r: r.aliases == ("hi",)),
        ("owners = []\nthreshold = 2\n", lambda r: r.threshold == 2),
    ],
)
def test_what_entry_toml_says_may_change_and_raises_the_serial(toml, what):
    first = build(tree(entry()), {}, NOW)
    second = build(tree(entry(toml=toml)), first.records, LATER)
    assert what(second.records["hello"])
    assert second.records["hello"].serial == 2
    assert second.records["hello"].releases[0].date == "2026-11-21T05:00:00Z"
    third = build(tree(entry()), second.records, LATER)
    assert third.records["hello"].serial == 3
    assert third.records["hello"].releases == first.records["hello"].releases


def test_a_record_says_since_when_something_is_yanked_or_deprecated():
    def told(records):
        record = records["hello"]
        return record.releases[0].yanked_at, record.deprecated_at

    now, later = "2026-11-21T05:00:00Z", LATER.strftime("%Y-%m-%dT%H:%M:%SZ")
    toml = 'owners = []\n[yanked]\n"1.0.0" = "bad"\n[deprecated]\nreason = "old"\n'
    first = build(tree(entry()), {}, NOW).records
    assert told(first) == ("", "")
    second = build(tree(entry(toml=toml)), first, LATER).records
    assert told(second) == (later, later)
    assert told(build(tree(entry(toml=toml)), second, NOW).records) == (later, later)
    other = toml.replace("bad", "worse").replace("old", "older")
    assert told(build(tree(entry(toml=other)), second, NOW).records) == (later, later)
    assert told(build(tree(entry()), second, LATER).records) == ("", "")
    assert told(build(tree(entry(toml=toml)), {}, NOW).records) == (now, now)
    before = {name: replace(each, deprecated_at="") for name, each in second.items()}
    assert told(build(tree(entry(toml=toml)), before, LATER).records) == (later, "")
    again = PackageRecord.from_json(second["hello"].to_json())
    assert again == second["hello"]


@pytest.mark.parametrize("toml", ["owners = [", None])
def test_an_unreadable_entry_takes_no_yank_back(toml):
    yanked = build(tree(entry(toml='owners = []\n[yanked]\n"1.0.0" = "bad"\n')), {}, NOW)
    files = tree(entry(toml=toml or ""))
    if toml is None:
        del files[PurePosixPath("pbes/prompt/hello/entry.toml")]
    assert build(files, yanked.records, LATER).records == yanked.records


def test_a_changed_a_missing_and_a_new_file_of_a_release_are_reported():
    first = build(tree(entry()), {}, NOW)
    files = tree(entry(), version(prompt="other", **{"evidence/new.md": "new"}))
    del files[PurePosixPath(f"{FOLDER}/README.md")]
    second = build(files, first.records, LATER)
    was = {file.path: file.sha256 for file in first.records["hello"].releases[0].files}
    assert [(str(c.path), c.was, c.now) for c in second.changed] == [
        (f"{FOLDER}/README.md", was[f"{FOLDER}/README.md"], None),
        (f"{FOLDER}/evidence/new.md", None, sha("new")),
        (f"{FOLDER}/hello.prompt", was[f"{FOLDER}/hello.prompt"], sha("other")),
    ]
    assert second.records["hello"].rows == first.records["hello"].rows


def test_a_signature_may_come_later():
    first = build(tree(entry()), {}, NOW)
    later = {f"{FOLDER.rpartition('/')[0]}/signatures/1.0.0.1.txt": "signed"}
    second = build(tree(entry(), later), first.records, LATER)
    assert second.changed == ()
    assert second.records["hello"].rows == first.records["hello"].rows
    assert second.records["hello"].folder != first.records["hello"].folder


@pytest.mark.parametrize("left", [{}, {"pbes/prompt/hello/entry.toml": "owners = []\n"}])
def test_what_left_the_tree_keeps_its_record(left):
    first = build(tree(entry()), {}, NOW)
    second = build(tree(left), first.records, LATER)
    assert second.records["hello"].rows == first.records["hello"].rows
    assert {c.now for c in second.changed} == {None}
    assert len(second.changed) == 3


def test_a_folder_without_artifact_is_no_release():
    files = tree(entry())
    del files[PurePosixPath(f"{FOLDER}/hello.prompt")]
    assert build(files, {}, NOW).records == {}


def test_a_name_in_two_classes_stays_with_the_published_one():
    other = {"pbes/stateless_executor/hello/2.0.0/hello.pbe.txt": "{}"}
    assert build(tree(entry(), other), {}, NOW).records["hello"].entry_class == "stateless_executor"
    first = build(tree(entry()), {}, NOW)
    second = build(tree(entry(), other), first.records, LATER)
    assert second.records == first.records


def test_unknown_members_and_rows_survive():
    first = build(tree(entry()), {}, NOW).records["hello"].to_json()
    first["purged"] = ["0.1.0"]
    first["releases"][0]["marks"] = {"index": 3}
    first["releases"].append({"v": 2, "version": "1.1.0"})
    before = {"hello": PackageRecord.from_json(first)}
    assert build(tree(entry()), before, LATER).records == before
    again = build(tree(entry("hello", "1.0.0", "1.1.0", "1.2.0")), before, LATER)
    record = again.records["hello"].to_json()
    assert record["purged"] == ["0.1.0"]
    assert [row["version"] for row in record["releases"]] == ["1.0.0", "1.1.0", "1.2.0"]
    assert record["releases"][0]["marks"] == {"index": 3}
    assert record["releases"][1] == {"v": 2, "version": "1.1.0"}


def test_waived_findings_are_recorded_once_with_reason_and_author():
    release = RELEASE + '[waivers]\nPS010 = "a quotation"\n'
    files = tree(entry(), version(release=release))
    one = ReleaseId(entry_class="prompt", name="hello", version="1.0.0")
    index = build(files, {}, NOW, waived={one: ["REG011", "PS010", "REG011", "PS999"]})
    waived = index.records["hello"].releases[0].waived
    assert [(w.code, w.reason, w.by) for w in waived] == [
        ("PS010", "a quotation", "release"),
        ("REG011", "Nothing here is ever run.", "policy"),
    ]
    again = build(files, index.records, LATER, waived={one: []})
    assert again.records == index.records


VERSIONS = st.lists(
    st.sampled_from(["0.1.0", "1.0.0-rc.1", "1.0.0", "1.0.1", "2.0.0+x"]), unique=True, min_size=1
)
TREES = st.dictionaries(st.sampled_from(["a", "b", "c_d"]), VERSIONS, max_size=3).map(
    lambda found: tree(*(entry(name, *numbers) for name, numbers in found.items()))
)


@settings(max_examples=50)
@given(TREES, TREES)
def test_law_the_order_of_files_does_not_matter_and_nothing_is_lost(one, two):
    first = build(one, {}, NOW)
    backwards = build(dict(reversed(one.items())), {}, NOW)
    assert backwards == first
    second = build(two, first.records, LATER)
    assert build(two, second.records, LATER).records == second.records
    for name, record in first.records.items():
        after = {r.version: r.date for r in second.records[name].releases}
        assert all(after[r.version] == r.date for r in record.releases)
        assert second.records[name].serial == record.serial + (
            second.records[name].folder != record.folder
        )


def test_the_digest_of_a_folder_is_over_path_mode_size_and_digest_of_each_file():
    (record,) = build(tree(entry()), {}, NOW).records.values()
    lines = sorted(
        f"{path} 100644 {len(data)} {hashlib.sha256(data).hexdigest()}\n"
        for path, data in tree(entry()).items()
        if path.parts[0] == "pbes"
    )
    assert record.folder == sha("".join(lines))
    (other,) = build(tree(entry(toml="owners = []\n# A note.\n")), {}, NOW).records.values()
    assert other.folder != record.folder


def test_waivers_of_a_release_are_those_of_the_policy_when_it_changed():
    waiver = '[[waiver]]\ncode = "REG011"\nnames = ["*"]\nreason = "{}"\n'
    policies = [tree(entry(), {"registry/policy.toml": waiver.format(r)}) for r in ("one", "two")]
    release = ReleaseId(entry_class="prompt", name="hello", version="1.0.0")
    first = build(policies[0], {}, NOW, waived={release: ["REG011"]})
    for again, reason in ((False, "one"), (True, "two")):
        second = build(policies[1], first.records, LATER, waived={release: ["REG011"]}, again=again)
        (row,) = second.records["hello"].releases
        assert [(w.code, w.reason, w.by) for w in row.waived] == [("REG011", reason, "policy")]
        assert row.date == first.records["hello"].releases[0].date
    gone = build(tree({}), first.records, LATER, again=True)
    assert gone.records == first.records


@settings(max_examples=25)
@given(TREES)
def test_law_records_are_valid_and_round_trip(files):
    path = resources("psreg.formats") / "schemas" / "package.schema.json"
    validator = Draft202012Validator(json.loads(path.read_bytes()))
    for record in build(files, {}, NOW).records.values():
        value = json.loads(canonical(record.to_json()))
        validator.validate(value)
        assert PackageRecord.from_json(value) == record


def ran(platform="claude", day="2026-11-20", **more):
    return transcript(PROMPT, platform, date=day, result="pass", **more)


LATE = {"evidence/claude-2026-11-20.jsonl": ran()}


def test_a_transcript_may_be_added_and_counts_as_a_row():
    first = build(tree(entry()), {}, NOW)
    later = build(tree(entry(), version(**LATE)), first.records, LATER)
    assert later.changed == ()
    record = later.records["hello"]
    (before,), (after,) = first.records["hello"].releases, record.releases
    assert record.serial == 2
    assert (after.files, after.date, after.score) == (before.files, before.date, before.score)
    (added,) = after.added
    assert added.path == f"{FOLDER}/evidence/claude-2026-11-20.jsonl"
    assert (added.sha256, added.date) == (sha(ran()), "2026-12-21T05:00:00Z")
    (run,) = after.runs
    assert (run.platform, run.counts, run.added) == ("claude", True, "2026-12-21T05:00:00Z")
    assert run.standing == "reported by the author, agrees with its transcript"
    assert PackageRecord.from_json(record.to_json()) == record
    again = build(tree(entry(), version(**LATE)), later.records, LATER + timedelta(days=1))
    assert (again.records, again.changed) == (later.records, ())


def test_what_was_added_never_changes_again():
    first = build(tree(entry()), {}, NOW)
    later = build(tree(entry(), version(**LATE)), first.records, LATER)
    changed = {"evidence/claude-2026-11-20.jsonl": ran(model="another")}
    for files in ({}, changed):
        (found,) = build(tree(entry(), version(**files)), later.records, LATER).changed
        assert found.was == sha(ran())
        assert found.now == (sha(changed["evidence/claude-2026-11-20.jsonl"]) if files else None)


@pytest.mark.parametrize("name", ["evidence/claude.jsonl", "claude-2026-11-20.jsonl", "notes.md"])
def test_nothing_else_may_be_added(name):
    first = build(tree(entry()), {}, NOW)
    (found,) = build(tree(entry(), version(**{name: ran()})), first.records, LATER).changed
    assert str(found.path) == f"{FOLDER}/{name}"


def test_the_copy_of_a_known_run_does_not_count_when_it_is_added():
    told = {"answers": ["Hello, and welcome to this long day! " * 8]}
    cited = '[[tested]]\nplatform = "claude"\nmodel = "m"\ndate = 2026-11-20\n'
    cited += f'sha256 = "{sha(PROMPT)}"\nresult = "pass"\nevidence = "evidence/a.jsonl"\n'
    old = {"release": RELEASE + cited, "evidence/a.jsonl": ran(**told)}
    first = build(tree(entry(), version(**old)), {}, NOW)
    copy = {"evidence/grok-2026-11-20.jsonl": ran("grok", **told)}
    later = build(tree(entry(), version(**old, **copy)), first.records, LATER)
    (release,) = later.records["hello"].releases
    assert [(run.platform, run.counts) for run in release.runs] == [
        ("claude", True),
        ("grok", False),
    ]


def test_a_record_from_before_runs_were_judged_gets_them_with_the_first_addition():
    first = build(tree(entry()), {}, NOW, psreg="0.1.0").records["hello"]
    old = replace(first, rows=tuple(replace(row, runs=None) for row in first.rows))
    assert "runs" not in old.to_json()["releases"][0]
    later = build(tree(entry(), version(**LATE)), {"hello": old}, LATER)
    (release,) = later.records["hello"].releases
    assert [run.platform for run in release.runs] == ["claude"]
    assert release.psreg == "0.1.0"
