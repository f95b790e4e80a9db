"""Reading the catalogue and finding entries in it."""

from __future__ import annotations

import pytest

from psreg.registry.catalog_segments import (
    Segment,
    folded_rows,
    read_checked_segment,
    read_segment,
    write_segment,
)
from psreg.registry.search import folded, matching_rows, search, suggestions, unknown_values
from simulator import Simulator, encode
from support.search_cases import CASES, TABLE, made_up, queries, segments_of


@pytest.fixture
def rows():
    simulator = Simulator()
    simulator.release("quiz_master", release={"summary": "Asks questions.", "tags": ["learning"]})
    simulator.release("trivia", release={"summary": "A quiz for evenings.", "tags": ["fun"]})
    simulator.release("exam_coach", release={"summary": "Prepares.", "tags": ["quiz", "learning"]})
    simulator.release("quiz", release={"summary": "Short.", "tags": ["fun"]})
    simulator.release("diary", release={"summary": "Writes.", "use_case": "Before a QUIZ night."})
    simulator.records["diary"]["releases"][-1]["release"]["tags"] = ["calm"]
    simulator.records["diary"]["deprecated"] = {"reason": "old"}
    return rows_in([encode(simulator.segment())])


def rows_in(segments):
    return [*folded_rows(map(read_segment, segments)).values()]


def found(rows, *words):
    return [entry.name for entry in search(rows, words)]


def test_no_words_list_everything_by_name(rows):
    assert found(rows) == ["diary", "exam_coach", "quiz", "quiz_master", "trivia"]


def test_a_name_outranks_a_tag_a_summary_and_a_use_case(rows):
    assert found(rows, "quiz") == ["quiz", "quiz_master", "exam_coach", "trivia", "diary"]


def test_all_words_must_occur_whatever_their_case(rows):
    assert found(rows, "Quiz", "LEARNING") == ["quiz_master", "exam_coach"]
    assert found(rows, "quiz", "absent") == []


@pytest.mark.parametrize(("query", "names"), CASES, ids=ascii)
def test_the_table_of_cases(query, names):
    catalogue = rows_in(segments_of(TABLE["entries"]))
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
def test_words_that_find_nothing_suggest_what_is_spelled_alike(rows, words, names):
    assert found(rows, *words) == [] or not words
    assert suggestions(rows, words)[: len(names)] == names
    assert bool(suggestions(rows, words)) == bool(names)


def test_made_up_queries_find_what_holds_every_word():
    catalogue = rows_in(segments_of(made_up()))
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


def test_a_name_may_be_typed_with_blanks(rows):
    assert found(rows, "quiz master") == ["quiz_master"]


def test_an_entry_tells_what_a_machine_needs(rows):
    (entry,) = search(rows, ["diary"])
    document = entry.to_json()
    assert document["class"] == "interactive_engine"
    assert document["tags"] == ["calm"]
    assert document["license"] == "MIT"
    assert document["deprecated"] == "old"


@pytest.mark.parametrize("read", [read_segment, read_checked_segment])
@pytest.mark.parametrize(("query", "names"), CASES, ids=ascii)
def test_only_the_rows_that_match_are_put_together(read, query, names):
    segments = [read(data) for data in segments_of(TABLE["entries"])]
    rows = matching_rows(segments, [query])
    assert {row["name"] for row in rows} == {*names}
    assert found(rows, query) == names


@pytest.mark.parametrize("read", [read_segment, read_checked_segment])
@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"tag": ["Fun"]}, ["c", "d"]),
        ({"tag": ["fun", "calm"]}, ["c"]),
        ({"class": ["prompt"]}, ["a"]),
        ({"license": ["mit"]}, ["b", "c"]),
        ({"license": ["mit"], "tag": ["fun"]}, ["c"]),
        ({"platform": ["claude"]}, ["d"]),
        ({"language": ["de"]}, ["a"]),
        ({"protocol": ["vpp"]}, ["b"]),
        ({"tag": ["fu"]}, []),
    ],
)
def test_rows_are_filtered_by_whole_values(read, filters, names):
    rows = {
        "a": {**made("a", "quiz"), "class": "prompt", "language": ["de"]},
        "b": {**made("b", "quiz"), "license": "MIT", "protocol": ["vpp"]},
        "c": {**made("c", "quiz"), "license": "MIT", "tags": ["calm", "fun"]},
        "d": {**made("d", "quiz"), "tags": ["fun"], "platform": ["claude"]},
    }
    segments = [read(write_segment(rows))]
    assert [row["name"] for row in matching_rows(segments, ["quiz"], filters)] == names
    assert matching_rows(segments, ["quizz"], filters) == []


def test_a_value_that_no_row_has_is_told_with_a_similar_one():
    rows = [{**made("a", ""), "tags": ["education"], "license": "MIT"}]
    assert [*unknown_values(rows, {"tag": ["Education"], "license": ["mit"]})] == []
    assert [*unknown_values(rows, {"tag": ["x", "educatoin"], "license": ["MITT"]})] == [
        ("tag", "x", ""),
        ("tag", "educatoin", "education"),
        ("license", "MITT", "MIT"),
    ]


def test_the_former_layout_lacks_some_columns():
    columns = {
        key: [made("a", "")[key]] for key in ("name", "class", "summary", "use_case", "tags")
    }
    old = Segment(columns=columns)
    assert matching_rows([old], [], {"platform": ["claude"]}) == []
    assert [*unknown_values([{"name": "a"}], {"platform": ["claude"]})] == [
        ("platform", "claude", "")
    ]


def test_a_row_that_is_replaced_or_gone_does_not_match():
    old = {name: made(name, "quiz") for name in "abc"}
    segments = [write_segment(old), write_segment({"b": made("b", "diary")}, ["c"])]
    read = [read_checked_segment(data) for data in segments]
    assert [row["name"] for row in matching_rows(read, ["quiz"])] == ["a"]
    assert [row["name"] for row in matching_rows(read, ["diary"])] == ["b"]
    assert sorted(row["name"] for row in matching_rows(read, [])) == ["a", "b"]


def made(name, summary):
    row = dict.fromkeys(("class", "version", "use_case", "date", "sha256", "license"), "")
    many = dict.fromkeys(("tags", "language", "platform", "protocol", "aliases", "owners"), ())
    return {**row, **many, "name": name, "summary": summary, "deprecated": None}
