"""Catalogue shards: search data, column by column."""

import hashlib
import json
from datetime import UTC, datetime
from importlib.resources import files as resources

from jsonschema import Draft202012Validator

from psreg.formats.json.canonical import canonical
from psreg.registry.build import build
from psreg.registry.catalog import catalog_shards
from psreg.registry.records import PackageRecord, ReleaseRecord
from support.registry_trees import PROMPT, RELEASE, entry, transcript, tree, version

NOW = datetime(2026, 11, 21, 5, tzinfo=UTC)


def shards(*parts):
    found = catalog_shards(build(tree(*parts), {}, NOW).records)
    return {name: json.loads(data) for name, data in found.items()}


def test_one_shard_per_class_that_has_releases():
    found = shards(entry("b"), entry("a"), {"pbes/stateless_executor/z/1.0.0/z.pbe.txt": "{}"})
    assert list(found) == ["prompt", "stateless_executor"]
    assert found["prompt"]["name"] == ["a", "b"]
    assert found["prompt"]["count"] == 2
    assert found["stateless_executor"]["summary"] == [""]


def test_values_that_repeat_are_stored_once():
    release = RELEASE.replace('["greeting"]', '["z", "a", "z"]').replace("MIT", "ISC")
    found = shards(entry("a"), entry("b"), version("b", release=release))["prompt"]
    assert found["tags"] == {"values": ["a", "greeting", "z"], "rows": [[1], [0, 2]]}
    assert found["license"] == {"values": ["ISC", "MIT"], "rows": [1, 0]}
    assert found["language"] == {"values": ["en"], "rows": [[0], [0]]}
    assert found["summary"] == ["Says hello, and nothing else."] * 2
    assert found["use_case"] == ["To greet somebody."] * 2


def test_the_latest_release_is_shown():
    yank = 'owners = []\n[yanked]\n"1.1.0" = "bad"\n[deprecated]\nreason = "old"\n'
    found = shards(entry("a", "1.0.0", "1.1.0", "2.0.0-rc.1", toml=yank), entry("b"))["prompt"]
    assert found["version"] == ["1.0.0", "1.0.0"]
    assert found["deprecated"] == ["old", None]
    assert found["date"] == ["2026-11-21T05:00:00Z"] * 2


def test_only_platforms_that_passed_with_this_artifact_count():
    digest = hashlib.sha256(PROMPT.encode()).hexdigest()
    rows = "".join(
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
    found = shards(entry("a"), version("a", release=RELEASE + rows, **runs))["prompt"]
    assert found["platform"] == {"values": ["chatgpt", "claude"], "rows": [[0, 1]]}


def test_protocols_have_a_column_where_there_are_any():
    declared = RELEASE + '[protocols]\nvpp = "1.4"\nplsp = {version = "0.5"}\n'
    found = shards(entry("a"), entry("b"), version("b", release=declared))["prompt"]
    assert found["protocol"] == {"values": ["plsp", "vpp"], "rows": [[], [0, 1]]}
    assert "protocol" not in shards(entry("a"))["prompt"]


def test_values_of_the_wrong_type_are_left_out():
    release = 'summary = 1\ntags = "x"\nlanguages = [1, "en"]\ntested = ["x", {result = "pass"}]\n'
    records = build(tree(version("a", release=release)), {}, NOW).records
    value = records["a"].to_json() | {"deprecated": {"reason": 3}}
    shard = json.loads(catalog_shards({"a": PackageRecord.from_json(value)})["prompt"])
    assert shard["summary"] == [""]
    assert shard["tags"] == {"values": [], "rows": [[]]}
    assert shard["language"] == {"values": ["en"], "rows": [[0]]}
    assert shard["platform"] == {"values": [], "rows": [[]]}
    assert shard["deprecated"] == [""]


def test_a_record_without_releases_is_in_no_shard():
    record = build(tree(entry()), {}, NOW).records["hello"].to_json() | {"releases": []}
    assert catalog_shards({"hello": PackageRecord.from_json(record)}) == {}


def test_shards_are_canonical_and_valid():
    path = resources("psreg.formats") / "schemas" / "catalog.schema.json"
    validator = Draft202012Validator(json.loads(path.read_bytes()))
    for data in catalog_shards(build(tree(entry("a"), entry("b")), {}, NOW).records).values():
        assert canonical(json.loads(data)) == data
        validator.validate(json.loads(data))


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
    shard = json.loads(catalog_shards({"a": record})["prompt"])
    assert shard["platform"]["values"] == ["claude"]
