"""Reading the catalogue and finding entries in it."""

from __future__ import annotations

import json

import pytest

from psreg.core.errors import TrustError, UnavailableError
from psreg.registry.search import folded, read_shard, search, suggestions
from simulator import Simulator, encode
from support.search_cases import CASES, TABLE, made_up, queries, shards_of


def shard_value():
    simulator = Simulator()
    simulator.release("quiz_master", release={"summary": "Asks questions.", "tags": ["learning"]})
    simulator.release("trivia", release={"summary": "A quiz for evenings.", "tags": ["fun"]})
    simulator.release("exam_coach", release={"summary": "Prepares.", "tags": ["quiz", "learning"]})
    simulator.release("quiz", release={"summary": "Short.", "tags": ["fun"]})
    simulator.release("diary", release={"summary": "Writes.", "use_case": "Before a QUIZ night."})
    simulator.records["diary"]["releases"][-1]["release"]["tags"] = ["calm"]
    simulator.records["diary"]["deprecated"] = {"reason": "old"}
    return json.loads(encode(simulator._shard("interactive_engine")))


@pytest.fixture
def shards():
    return [read_shard("interactive_engine", encode(shard_value()))]


def found(shards, *words):
    return [entry.name for entry in search(shards, words)]


def test_the_catalogue_of_another_class_is_refused():
    with pytest.raises(TrustError, match="catalogue of 'interactive_engine'"):
        read_shard("prompt", encode(shard_value()))


def test_no_words_list_everything_by_name(shards):
    assert found(shards) == ["diary", "exam_coach", "quiz", "quiz_master", "trivia"]


def test_a_name_outranks_a_tag_a_summary_and_a_use_case(shards):
    assert found(shards, "quiz") == ["quiz", "quiz_master", "exam_coach", "trivia", "diary"]


def test_all_words_must_occur_whatever_their_case(shards):
    assert found(shards, "Quiz", "LEARNING") == ["quiz_master", "exam_coach"]
    assert found(shards, "quiz", "absent") == []


@pytest.mark.parametrize(("query", "names"), CASES, ids=ascii)
def test_the_table_of_cases(query, names):
    catalogue = [read_shard(name, encode(one)) for name, one in shards_of(TABLE["entries"]).items()]
    assert found(catalogue, query) == names
    assert found(catalogue, *query.split()) == names


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["quizz_mastre"], ("quiz_master",)),
        (["Quiz-Mastr"], ("quiz_master",)),
        (["lerning"], ("learning",)),
        (["quizz mastre", "lerning"], ("quiz",)),
        (["quiz", "lerning"], ("learning",)),
        (["mastre"], ("master",)),
        (["diary", "fun"], ()),
        (["xyzzy"], ()),
        ([], ()),
    ],
)
def test_words_that_find_nothing_suggest_what_is_spelled_alike(shards, words, names):
    assert found(shards, *words) == [] or not words
    assert suggestions(shards, words)[: len(names)] == names
    assert bool(suggestions(shards, words)) == bool(names)


def test_made_up_queries_find_what_holds_every_word():
    catalogue = [read_shard(name, encode(one)) for name, one in shards_of(made_up()).items()]
    texts = {
        entry.name: [
            folded(text) for text in (entry.name, *entry.tags, entry.summary, entry.use_case)
        ]
        for entry in search(catalogue, [])
    }
    hits = 0
    for query in queries():
        words = folded(query).split()
        held = {
            name
            for name, where in texts.items()
            if all(
                word.replace("-", "_") in name or any(word in text for text in where)
                for word in words
            )
        }
        assert set(found(catalogue, query)) == held
        hits += len(held) > 1
    assert hits > 100


def test_a_name_may_be_typed_with_blanks(shards):
    assert found(shards, "quiz master") == ["quiz_master"]


def test_an_entry_tells_what_a_machine_needs(shards):
    (entry,) = search(shards, ["diary"])
    document = entry.to_json()
    assert document["class"] == "interactive_engine"
    assert document["tags"] == ["calm"]
    assert document["license"] == "MIT"
    assert document["deprecated"] == "old"


@pytest.mark.parametrize(
    "change",
    [
        {"count": 4},
        {"name": ["a"]},
        {"name": "quiz"},
        {"summary": [1, 2, 3, 4, 5]},
        {"name": ["../x", "b", "c", "d", "e"]},
        {"tags": {"values": [], "rows": [[0], [0], [0], [0], [0]]}},
        {"tags": {"values": ["a"], "rows": [[-1], [0], [0], [0], [0]]}},
        {"tags": []},
        {"license": {"values": ["MIT"], "rows": ["0"] * 5}},
        {"deprecated": None},
        {"schema": None},
        {"schema": 2},
        {"schema": "psreg.report/2"},
        {"schema": "psreg.catalog/0"},
        {"schema": "psreg.catalog/two"},
    ],
    ids=str,
)
def test_a_malformed_catalogue_is_refused(change):
    with pytest.raises(TrustError) as caught:
        read_shard("interactive_engine", encode(shard_value() | change))
    assert caught.value.code == "TRUST_METADATA"


@pytest.mark.parametrize("data", [b"{}", b"[]", b"\xff", b'{"schema":1,"schema":2}'])
def test_what_is_no_catalogue_is_refused(data):
    with pytest.raises(TrustError):
        read_shard("interactive_engine", data)


def test_a_newer_catalogue_asks_for_a_newer_psreg():
    with pytest.raises(UnavailableError) as caught:
        read_shard("prompt", encode(shard_value() | {"schema": "psreg.catalog/2"}))
    assert caught.value.code == "NEWER_FORMAT"
