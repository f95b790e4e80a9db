"""Package records: what is read, what is refused, what is kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psreg.formats.json.canonical import canonical
from psreg.registry.records import PackageRecord, ReleaseRecord, UnknownRow, in_order

ROW = {
    "v": 1,
    "version": "1.0.0",
    "path": "pbes/prompt/hello/1.0.0/hello.prompt",
    "media_type": "text/plain; charset=utf-8",
    "sha256": "0" * 64,
    "size": 7,
    "date": "2026-11-21T05:00:00Z",
    "files": [{"path": "pbes/prompt/hello/1.0.0/hello.prompt", "sha256": "0" * 64, "size": 7}],
    "release": {"summary": "s"},
    "waived": [{"code": "REG011", "reason": "r", "by": "policy"}],
    "yanked": None,
    "statement": None,
}
RECORD = {
    "schema": "psreg.package/1",
    "name": "hello",
    "class": "prompt",
    "serial": 1,
    "owners": [{"forge": "github", "id": 1, "login": "octocat"}],
    "threshold": 1,
    "aliases": ["hi"],
    "deprecated": None,
    "releases": [ROW],
}


def row(version, **changes):
    return ROW | {"version": version} | changes


def test_a_record_is_read_and_written_back():
    record = PackageRecord.from_json(RECORD)
    assert (record.name, record.entry_class, record.serial) == ("hello", "prompt", 1)
    assert record.releases[0].files[0].size == 7
    assert record.releases[0].waived[0].by == "policy"
    assert record.to_json() == RECORD


def test_unknown_members_are_kept_everywhere():
    future = json.loads(json.dumps(RECORD))
    future["purged"] = ["0.9.0"]
    future["deprecated"] = {"reason": "r", "since": "now"}
    future["releases"][0]["marks"] = {"index": 3}
    future["releases"][0]["files"][0]["mode"] = "text"
    future["releases"][0]["waived"][0]["until"] = "2027"
    record = PackageRecord.from_json(future)
    assert record.extra == {"purged": ["0.9.0"]}
    assert record.to_json() == future


def test_a_row_may_have_a_score_and_older_ones_have_none():
    score = {"formula": 1, "total": 25, "parts": [], "later": True}
    record = PackageRecord.from_json(RECORD | {"releases": [ROW, row("1.1.0", score=score)]})
    assert [release.score for release in record.releases] == [None, score]
    assert record.to_json()["releases"] == [ROW, row("1.1.0", score=score)]


def test_a_row_may_say_what_was_found_of_its_protocols():
    told = [{"name": "vpp", "later": True}]
    record = PackageRecord.from_json(RECORD | {"releases": [ROW, row("1.1.0", protocols=told)]})
    assert [release.protocols for release in record.releases] == [None, told]
    assert record.to_json()["releases"] == [ROW, row("1.1.0", protocols=told)]


def test_rows_of_another_schema_version_are_kept_and_not_offered():
    strange = {"v": 2, "version": "2.0.0", "blob": "x"}
    record = PackageRecord.from_json(RECORD | {"releases": [ROW, strange, {"v": 3}]})
    assert [release.version for release in record.releases] == ["1.0.0"]
    assert [item.version for item in record.rows] == ["1.0.0", "2.0.0", ""]
    assert record.latest.version == "1.0.0"
    assert record.release("2.0.0") is None
    assert record.release("1.0.0") == record.releases[0]
    assert record.to_json()["releases"] == [ROW, strange, {"v": 3}]


@pytest.mark.parametrize(
    ("versions", "yanked", "latest"),
    [
        (["1.0.0", "1.1.0", "2.0.0-rc.1"], [], "1.1.0"),
        (["1.0.0", "1.1.0", "2.0.0-rc.1"], ["1.1.0"], "1.0.0"),
        (["1.0.0-rc.1", "1.0.0-rc.2"], [], "1.0.0-rc.2"),
        (["1.0.0", "1.1.0"], ["1.0.0", "1.1.0"], "1.1.0"),
        (["1.9.0", "1.10.0"], [], "1.10.0"),
    ],
)
def test_the_latest_release(versions, yanked, latest):
    rows = [row(v, yanked="bad" if v in yanked else None) for v in versions]
    assert PackageRecord.from_json(RECORD | {"releases": rows}).latest.version == latest


def test_a_record_without_releases_has_no_latest():
    assert PackageRecord.from_json(RECORD | {"releases": []}).latest is None


def test_rows_are_ordered_by_precedence():
    rows = [ReleaseRecord.from_json(row(v)) for v in ("1.10.0", "1.9.0", "1.9.0-rc.1", "1.9.0+b")]
    rows += [UnknownRow(data={"v": 2, "version": "1.9.1"}), UnknownRow(data={"v": 2})]
    ordered = [item.version for item in in_order(rows)]
    assert ordered == ["", "1.9.0-rc.1", "1.9.0", "1.9.0+b", "1.9.1", "1.10.0"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": "psreg.package/2"}, "psreg.package/2"),
        ({"name": 7}, "'name' is not a string"),
        ({"serial": True}, "'serial' is not an integer"),
        ({"serial": "1"}, "'serial' is not an integer"),
        ({"owners": [3]}, "an owner is not an object"),
        ({"aliases": [3]}, "an alias is not a string"),
        ({"deprecated": "yes"}, "'deprecated'"),
        ({"releases": {}}, "'releases' is not an array"),
        ({"releases": [3]}, "a release is not an object"),
        ({"releases": [row("1.0")]}, "1.0"),
        ({"releases": [row("1.0.0", v=True)]}, "'v' is not an integer"),
        ({"releases": [row("1.0.0", release=[])]}, "'release' is not an object"),
        ({"releases": [row("1.0.0", yanked=3)]}, "'yanked' is not a string"),
        ({"releases": [row("1.0.0", score=None)]}, "'score' is not an object"),
        ({"releases": [row("1.0.0", files=[{}])]}, "'path' is missing"),
        ({"releases": [row("1.0.0", waived=[3])]}, "a waived finding is not an object"),
    ],
)
def test_another_shape_is_refused_with_its_place(change, words):
    with pytest.raises(ValueError, match=words.replace(".", r"\.")):
        PackageRecord.from_json(RECORD | change)


@pytest.mark.parametrize("member", list(RECORD))
def test_no_member_may_be_missing(member):
    with pytest.raises(ValueError, match=f"'{member}' is missing"):
        PackageRecord.from_json({k: v for k, v in RECORD.items() if k != member})


def test_a_row_is_only_read_as_its_schema_version():
    with pytest.raises(ValueError, match="schema version 1"):
        ReleaseRecord.from_json(row("1.0.0", v=2))


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_a_record_is_an_object(value):
    with pytest.raises(ValueError, match="not an object"):
        PackageRecord.from_json(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
EXTRA = st.dictionaries(st.sampled_from(["future", "marks", "x"]), JSON, max_size=2)
ROWS = st.lists(
    st.builds(
        lambda extra, n, y: extra | row(f"1.{n}.0", yanked=y),
        EXTRA,
        st.integers(0, 9),
        st.none() | st.text(),
    )
    | st.builds(lambda extra, v: extra | {"v": v}, EXTRA, JSON.filter(lambda v: v != 1)),
    max_size=4,
    unique_by=lambda each: each["version"] if each["v"] == 1 else json.dumps(each),
)


@given(EXTRA, ROWS, st.none() | EXTRA)
def test_law_reading_and_writing_are_inverse(extra, rows, deprecated):
    value = extra | RECORD | {"releases": rows, "deprecated": deprecated}
    record = PackageRecord.from_json(value)
    assert record.to_json() == value
    assert PackageRecord.from_json(json.loads(canonical(record.to_json()))) == record


def test_what_release_toml_says_is_read_by_type():
    value = {"summary": 1, "license": "MIT", "tags": ["a", 1, None], "tested": [{"x": 1}, "y"]}
    record = ReleaseRecord.from_json(row("1.0.0", release=value))
    assert (record.text("summary"), record.text("license")) == ("", "MIT")
    assert (record.texts("tags"), record.texts("license")) == (["a"], [])
    assert (record.tables("tested"), record.tables("tags")) == ([{"x": 1}], [])
    assert record.tables("absent") == []


def test_a_version_listed_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        PackageRecord.from_json(RECORD | {"releases": [ROW, ROW | {"sha256": "1" * 64}]})


@pytest.mark.parametrize("digest", ["", "A" * 64, "0" * 63, "0" * 65, "0" * 63 + "g", 7, None])
def test_a_digest_has_one_form(digest):
    for changed in ({"sha256": digest}, {"files": [ROW["files"][0] | {"sha256": digest}]}):
        with pytest.raises(ValueError, match="sha256"):
            ReleaseRecord.from_json(ROW | changed)
