"""Segments of the catalogue: rows, column by column, and how they are read."""

import hashlib
import json
from datetime import UTC, datetime
from importlib.resources import files as resources

import pytest
from jsonschema import Draft202012Validator

from psreg.core.errors import TrustError, UnavailableError
from psreg.formats.json.canonical import canonical
from psreg.registry.build import build
from psreg.registry.catalog_segments import (
    check_segment,
    folded_rows,
    read_checked_segment,
    read_segment,
    row_of,
    write_segment,
)
from psreg.registry.records import PackageRecord, ReleaseRecord
from simulator import encode
from support.registry_trees import PROMPT, RELEASE, entry, transcript, tree, version

NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)


def rows(*parts):
    found = build(tree(*parts), {}, NOW).records
    return {name: row for name, record in found.items() if (row := row_of(record)) is not None}


def test_a_row_says_what_is_in_the_release():
    found = rows(entry("b"), {"pbes/stateless_executor/z/1.0.0/z.pbe.txt": "{}"})
    assert found["z"]["class"] == "stateless_executor"
    assert found["z"]["summary"] == ""
    assert found["b"] == {
        "name": "b",
        "class": "prompt",
        "version": "1.0.0",
        "summary": "Says hello, and nothing else.",
        "use_case": "To greet somebody.",
        "date": "2026-11-21T05:00:00Z",
        "sha256": hashlib.sha256(PROMPT.encode()).hexdigest(),
        "tags": ["greeting"],
        "license": "MIT",
        "language": ["en"],
        "platform": [],
        "protocol": [],
        "deprecated": None,
        "aliases": [],
        "owners": [],
        "sketch": "",
        "words": "",
    }


def test_values_that_repeat_are_stored_once():
    release = RELEASE.replace('["greeting"]', '["z", "a", "z"]').replace("MIT", "ISC")
    data = write_segment(rows(entry("a"), entry("b"), version("b", release=release)))
    found = json.loads(data)
    assert found["count"] == 2
    assert found["name"] == ["a", "b"]
    assert found["tags"] == {"values": ["a", "greeting", "z"], "rows": [[1], [0, 2]]}
    assert found["license"] == {"values": ["ISC", "MIT"], "rows": [[1], [0]]}
    assert found["language"] == {"values": ["en"], "rows": [[0], [0]]}


def test_the_latest_release_is_shown():
    yank = 'owners = []\n[yanked]\n"1.1.0" = "bad"\n[deprecated]\nreason = "old"\n'
    found = rows(entry("a", "1.0.0", "1.1.0", "2.0.0-rc.1", toml=yank), entry("b"))
    assert [row["version"] for row in found.values()] == ["1.0.0", "1.0.0"]
    assert [row["deprecated"] for row in found.values()] == ["old", None]


def test_only_platforms_that_passed_with_this_artifact_count():
    digest = hashlib.sha256(PROMPT.encode()).hexdigest()
    tested = "".join(
        f'[[tested]]\nplatform = "{platform}"\nmodel = "m"\ndate = 2026-11-01\nsha256 = "{sha}"\n'
        f'result = "{result}"\nevidence = "evidence/{platform}.jsonl"\n'
        for platform, sha, result in [
            ("claude", digest, "pass"),
            ("claude", digest, "pass"),
            ("gemini", digest, "fail"),
            ("ollama", "0" * 64, "pass"),
            ("chatgpt", digest, "pass"),
            ("stub", digest, "pass"),
            ("grok", digest, "pass"),  # without a transcript
        ]
    )
    platforms = ("claude", "gemini", "ollama", "chatgpt", "stub")
    runs = {f"evidence/{each}.jsonl": transcript(PROMPT, each) for each in platforms}
    found = rows(entry("a"), version("a", release=RELEASE + tested, **runs))
    assert found["a"]["platform"] == ["chatgpt", "claude"]


def test_protocols_are_those_that_are_declared():
    declared = RELEASE + '[protocols]\nvpp = "1.4"\nplsp = {version = "0.5"}\n'
    assert rows(version("b", release=declared))["b"]["protocol"] == ["plsp", "vpp"]


def test_values_of_the_wrong_type_are_left_out():
    release = 'summary = 1\ntags = "x"\nlanguages = [1, "en"]\ntested = ["x", {result = "pass"}]\n'
    records = build(tree(version("a", release=release)), {}, NOW).records
    value = records["a"].to_json() | {"deprecated": {"reason": 3}}
    row = row_of(PackageRecord.from_json(value))
    assert (row["summary"], row["tags"], row["language"]) == ("", [], ["en"])
    assert (row["platform"], row["deprecated"]) == ([], "")


def test_a_record_without_releases_has_no_row():
    record = build(tree(entry()), {}, NOW).records["hello"].to_json() | {"releases": []}
    assert row_of(PackageRecord.from_json(record)) is None


def test_segments_are_canonical_and_valid_and_come_back():
    path = resources("psreg.formats") / "schemas" / "segment.schema.json"
    validator = Draft202012Validator(json.loads(path.read_bytes()))
    found = rows(entry("a"), entry("b"))
    data = write_segment(found, ["z", "c"])
    assert canonical(json.loads(data)) == data
    validator.validate(json.loads(data))
    segment = read_segment(data)
    assert segment.rows() == {name: plain(row) for name, row in found.items()}
    assert list(segment.names) == ["a", "b"]
    assert list(segment.gone) == ["c", "z"]


def plain(row):
    """Return a row as it is read: lists are tuples."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


def test_a_newer_segment_replaces_and_removes_rows():
    found = rows(entry("a"), entry("b"), entry("c"))
    newer = {"b": found["b"] | {"summary": "New."}, "d": found["a"] | {"name": "d"}}
    segments = [write_segment(found), write_segment(newer, ["a"]), write_segment({}, ["x"])]
    folded = folded_rows(map(read_segment, segments))
    assert list(folded) == ["b", "c", "d"]
    assert folded["b"]["summary"] == "New."


def shard_value():
    """Return a catalogue of the former layout, as a psreg before segments wrote it."""
    return {
        "schema": "psreg.catalog/1",
        "shard": "prompt",
        "count": 2,
        "name": ["a", "b"],
        **{key: ["", "x"] for key in ("version", "summary", "use_case", "date", "sha256")},
        "tags": {"values": ["t"], "rows": [[0], []]},
        "license": {"values": ["MIT"], "rows": [0, 0]},
        "language": {"values": [], "rows": [[], []]},
        "platform": {"values": [], "rows": [[], []]},
        "deprecated": [None, "old"],
    }


def test_the_former_layout_is_read():
    rows = read_segment(encode(shard_value()), "prompt").rows()
    assert [row["class"] for row in rows.values()] == ["prompt", "prompt"]
    assert [row["license"] for row in rows.values()] == ["MIT", "MIT"]
    assert [row["tags"] for row in rows.values()] == [("t",), ()]
    with pytest.raises(TrustError, match="catalogue of 'prompt'"):
        read_segment(encode(shard_value()), "interactive_engine")


def segment_value():
    return json.loads(write_segment(rows(entry("a"), entry("b"))))


@pytest.mark.parametrize(
    "change",
    [
        {"count": 4},
        {"name": ["a"]},
        {"name": "quiz"},
        {"summary": [1, 2]},
        {"name": ["../x", "b"]},
        {"gone": ["../x"]},
        {"gone": None},
        {"tags": {"values": [], "rows": [[0], [0]]}},
        {"tags": {"values": ["a"], "rows": [[-1], [0]]}},
        {"tags": []},
        {"license": {"values": ["MIT"], "rows": ["0", "0"]}},
        {"deprecated": None},
        {"sketch": [1, 2]},
        {"sketch": [""]},
        {"words": [1, 2]},
        {"schema": None},
        {"schema": 2},
        {"schema": "psreg.report/2"},
        {"schema": "psreg.segment/0"},
        {"schema": "psreg.segment/two"},
        {"schema": "psreg.catalog/1"},
    ],
    ids=str,
)
def test_a_malformed_segment_is_refused(change):
    with pytest.raises(TrustError) as caught:
        read_segment(encode(segment_value() | change))
    assert caught.value.code == "TRUST_METADATA"


@pytest.mark.parametrize("data", [b"{}", b"[]", b"\xff", b'{"schema":1,"schema":2}'])
def test_what_is_not_a_segment_is_refused(data):
    with pytest.raises(TrustError):
        read_segment(data)


def test_a_newer_segment_asks_for_a_newer_psreg():
    with pytest.raises(UnavailableError) as caught:
        read_segment(encode(segment_value() | {"schema": "psreg.segment/2"}))
    assert caught.value.code == "NEWER_FORMAT"


def test_platforms_of_a_record_from_before_runs_were_judged():
    tested = [
        {"platform": "claude", "result": "pass", "sha256": "0" * 64},
        {"platform": "stub", "result": "pass", "sha256": "0" * 64},
        {"platform": "other", "result": "fail", "sha256": "0" * 64},
        {"platform": "old", "result": "pass", "sha256": "1" * 64},
        {"platform": 1, "result": "pass", "sha256": "0" * 64},
    ]
    row = {
        "v": 1, "version": "1.0.0", "path": "p", "media_type": "m", "sha256": "0" * 64, "size": 1,
        "date": "", "files": [], "release": {"tested": tested}, "waived": [], "yanked": None,
        "statement": None,
    }  # fmt: skip
    record = PackageRecord(
        name="a", entry_class="prompt", serial=1, rows=(ReleaseRecord.from_json(row),)
    )
    assert row_of(record)["platform"] == ["claude"]


# Reading the columns that are used


def same(data):
    whole, checked = read_segment(data), read_checked_segment(data)
    assert checked.rows() == whole.rows()
    assert [*checked.gone] == [*whole.gone]
    assert len(checked.columns) == len(whole.columns)
    check_segment(data)


def hard_rows():
    """Return rows whose texts look like the columns around them."""
    texts = ['","name":["', '\\","gone":[', "],[", '],"values":', "\u2028\x00é", ""]
    first = next(iter(rows(entry("apple_pie")).values()))
    return {
        f"n{at}": {**first, "name": f"n{at}", "summary": text, "tags": [text, "b"][: at % 3]}
        for at, text in enumerate(texts)
    }


def test_columns_that_are_read_one_by_one_are_those_of_the_whole():
    same(write_segment(hard_rows(), ["gone_one"]))
    same(write_segment({}, []))
    former = json.loads(write_segment(hard_rows()))
    for key in ("aliases", "owners", "sketch", "words"):
        del former[key]
        same(canonical(former))
    same(json.dumps(former).encode())  # not canonical
    with pytest.raises(KeyError):
        read_checked_segment(canonical(former)).columns["owners"]


@pytest.mark.parametrize(
    ("key", "decoy"),
    [
        ("m", {"a": 1, "name": ["x"]}),
        ("uz", [1, {"b": 2, "version": ["9.9.9"]}]),
        ("lb", {"a": 1, "license": {"rows": 1, "values": []}}),
        ("lb", {"a": 1, "license": 1}),
        ("e", {"a": 1, "gone": ["b"]}),
    ],
)
def test_a_segment_that_can_be_read_in_two_ways_is_refused(key, decoy):
    value = json.loads(write_segment(hard_rows(), ["a"]))
    check_segment(canonical(value | {key: [decoy["a"]] if "a" in decoy else 1}))
    with pytest.raises(TrustError, match="two ways"):
        check_segment(canonical(value | {key: decoy}))
