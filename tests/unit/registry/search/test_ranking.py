"""Finding entries in the catalogue."""

from __future__ import annotations

import pytest

from psreg.registry.catalog_segments import (
    Segment,
    folded_rows,
    read_checked_segment,
    read_segment,
    write_segment,
)
from psreg.registry.search.ranking import search, suggestions, unknown_values
from psreg.registry.search.thesaurus import Thesaurus
from psreg.registry.search.words import words_of
from simulator import Simulator, encode
from support.search_cases import CASES, TABLE, made_up, queries, segments_of

READERS = pytest.mark.parametrize("read", [read_segment, read_checked_segment])


@pytest.fixture
def segments():
    simulator = Simulator()
    simulator.release("quiz_master", release={"summary": "Asks questions.", "tags": ["learning"]})
    simulator.release("trivia", release={"summary": "A quiz for evenings.", "tags": ["fun"]})
    simulator.release("exam_coach", release={"summary": "Prepares.", "tags": ["quiz", "learning"]})
    simulator.release("quiz", release={"summary": "Short.", "tags": ["fun"]})
    simulator.release("diary", release={"summary": "Writes.", "use_case": "Before a QUIZ night."})
    simulator.records["diary"]["releases"][-1]["release"]["tags"] = ["calm"]
    simulator.records["diary"]["deprecated"] = {"reason": "old"}
    return [read_segment(encode(simulator.segment()))]


def found(segments, *words, **more):
    return [entry.name for entry in search(segments, words, **more) if not entry.partial]


def some(segments, *words, **more):
    return [entry.name for entry in search(segments, words, **more) if entry.partial]


def test_no_words_list_everything_by_name(segments):
    assert found(segments) == ["diary", "exam_coach", "quiz", "quiz_master", "trivia"]
    assert found(segments, " ") == found(segments)
    assert found(segments, "?") == []


def test_a_name_outranks_a_tag_a_summary_and_a_use_case(segments):
    assert found(segments, "quiz") == ["quiz", "quiz_master", "exam_coach", "trivia", "diary"]


def test_what_matches_all_words_comes_first(segments):
    assert found(segments, "Quiz", "LEARNING") == ["quiz_master", "exam_coach"]
    assert some(segments, "Quiz", "LEARNING") == ["quiz", "trivia", "diary"]
    assert (found(segments, "quiz", "absent"), len(some(segments, "quiz", "absent"))) == ([], 5)


def test_a_long_list_has_no_partial_matches():
    entry = {"class": "prompt", "summary": "", "use_case": "", "tags": ["a"]}
    entries = [{**entry, "name": f"quiz_{n}"} for n in range(12)]
    entries += [{**entry, "name": f"more_{n}", "tags": ["b"]} for n in range(12)]
    catalogue = [read_segment(data) for data in segments_of(entries)]
    assert len(found(catalogue, "quiz a")) == 12
    assert some(catalogue, "quiz a") == []
    assert (len(found(catalogue, "quiz_1 b")), len(some(catalogue, "quiz_1 b"))) == (0, 10)


@READERS
@pytest.mark.parametrize(("query", "names", "partial"), CASES, ids=ascii)
def test_the_table_of_cases(read, query, names, partial):
    catalogue = [read(data) for data in segments_of(TABLE["entries"])]
    for words in ([query], query.split(" ")):
        assert found(catalogue, *words) == names
        assert some(catalogue, *words) == partial


def test_made_up_queries_find_what_holds_every_word():
    catalogue = [read_segment(data) for data in segments_of(made_up())]
    texts = {
        entry.name: {
            word
            for text in (entry.name.replace("_", " "), *entry.tags, entry.summary, entry.use_case)
            for word in words_of(text)
        }
        for entry in search(catalogue, [])
    }
    nothing = Thesaurus("")
    hits = 0
    for query in queries():
        if any(mark in query for mark in '"„“'):
            continue
        wanted = words_of(query)
        held = {name for name, words in texts.items() if {*wanted} <= words}
        assert held <= {*found(catalogue, query, thesaurus=nothing)}
        hits += len(held) > 1
    assert hits > 40


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Quizz", ["quiz", "quiz_master", "trivia", "exam_coach", "diary"]),
        ("quzi master", ["quiz_master"]),
        ("uqiz master", ["quiz_master"]),
        ("dia", ["diary"]),
        ("iaryx", []),
        ("iary", ["diary"]),
        ("examcoach", ["exam_coach"]),
        ("coachquiz", ["exam_coach"]),
        ("quizmaster", ["quiz_master"]),
        ("quiz-master", ["quiz_master"]),
        ("dia ry", ["diary"]),
        ("lerning", ["exam_coach", "quiz_master"]),
        ("lehrerin", ["exam_coach"]),
        ("teecher", ["exam_coach"]),
        ('"asks questions"', ["quiz_master"]),
        ('"quiz master"', ["quiz_master"]),
        ('"questions asks"', []),
        ('"question"', []),
        ('""', []),
        ('quiz "asks questions"', ["quiz_master"]),
        ("q", ["quiz", "quiz_master", "exam_coach"]),
        ("nig", ["diary"]),
        ("ni", []),
    ],
)
def test_a_word_is_found_however_it_is_written(segments, query, names):
    assert found(segments, query) == names


def test_a_registry_may_have_words_of_its_own(segments):
    assert found(segments, "kudos") == []
    assert found(segments, "kudos", thesaurus=Thesaurus("kudos, calm")) == ["diary"]


def test_words_that_fit_every_prompt_need_not_occur(segments):
    assert found(segments, "a prompt for my diary") == ["diary"]
    assert found(segments, "the") == []


@READERS
def test_texts_with_accents_and_line_breaks(read):
    texts = {"a": "Une réunion\nd'équipe", "b": "plain", "c": "日本語 and 中文"}
    rows = {name: made(name, summary) for name, summary in texts.items()}
    catalogue = [read(write_segment(rows))]
    for query, names in (
        ("reunion", ["a"]),
        ('"reunion d"', ["a"]),
        ("equipe", ["a"]),
        ("plain", ["b"]),
        ("日本", ["c"]),
        ("文", ["c"]),
        ("pro plain", []),
    ):
        assert found(catalogue, query) == names, query


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["lrning"], ("learning",)),
        (["cam", "funn"], ("calm", "fun")),
        (["xyzzy"], ()),
        ([], ()),
    ],
)
def test_words_that_find_nothing_suggest_what_is_spelled_alike(segments, words, names):
    rows = [*folded_rows(segments).values()]
    assert suggestions(rows, words) == names


def test_an_entry_tells_what_a_machine_needs(segments):
    (entry,) = search(segments, ["diary"])
    document = entry.to_json()
    assert document["class"] == "interactive_engine"
    assert document["tags"] == ["calm"]
    assert document["license"] == "MIT"
    assert document["deprecated"] == "old"
    assert document["partial"] is False


@READERS
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
def test_entries_are_filtered_by_whole_values(read, filters, names):
    rows = {
        "a": {**made("a", "quiz"), "class": "prompt", "language": ["de"]},
        "b": {**made("b", "quiz"), "license": "MIT", "protocol": ["vpp"]},
        "c": {**made("c", "quiz"), "license": "MIT", "tags": ["calm", "fun"]},
        "d": {**made("d", "quiz"), "tags": ["fun"], "platform": ["claude"]},
    }
    catalogue = [read(write_segment(rows))]
    assert found(catalogue, "quiz", filters=filters) == names
    assert found(catalogue, filters=filters) == names
    assert found(catalogue, "xyzzy", filters=filters) == []


def test_a_value_that_no_row_has_is_told_with_a_similar_one():
    rows = [{**made("a", ""), "tags": ["education"], "license": "MIT"}]
    assert [*unknown_values(rows, {"tag": ["Education"], "license": ["mit"]})] == []
    assert [*unknown_values(rows, {"tag": ["x", "educatoin"], "license": ["MITT"]})] == [
        ("tag", "x", ""),
        ("tag", "educatoin", "education"),
        ("license", "MITT", "MIT"),
    ]


def test_the_former_layout_lacks_some_columns():
    row = made("a", "")
    columns = {key: [value] for key, value in row.items() if key != "platform"}
    assert found([Segment(columns=columns)], filters={"platform": ["claude"]}) == []
    assert [*unknown_values([{"name": "a"}], {"platform": ["claude"]})] == [
        ("platform", "claude", "")
    ]


@READERS
def test_a_row_that_is_replaced_or_gone_does_not_match(read):
    old = {name: {**made(name, "quiz"), "tags": ["calmer"]} for name in "abc"}
    newer = {"b": {**made("b", "diary"), "tags": ["calendar"]}, "a": made("a", "quiz")}
    catalogue = [read(write_segment(old)), read(write_segment(newer, ["c"]))]
    assert found(catalogue, "quiz") == ["a"]
    assert found(catalogue, "diary") == ["b"]
    assert found(catalogue) == ["a", "b"]
    assert found(catalogue, "calmer") == found(catalogue, "calmre") == []


def made(name, summary):
    row = dict.fromkeys(("class", "version", "use_case", "date", "sha256", "license"), "")
    many = dict.fromkeys(("tags", "language", "platform", "protocol", "aliases", "owners"), ())
    return {**row, **many, "name": name, "summary": summary, "deprecated": None}
