"""The prompts of this repository are found by what people type."""

from __future__ import annotations

from support.relevance import FIRST, MARKS, PAGE, ranks, table


def test_nine_of_ten_queries_have_a_relevant_result_among_the_first_three():
    found = ranks()
    missed = [query for query, rank, _ in found if not 0 < rank <= FIRST]
    assert len(missed) <= len(found) / 10, missed
    assert [query for query, _, names in found if not names] == []


def test_the_table_in_the_documentation_is_of_today():
    """If not, run `python tests/bench/searching.py`."""
    start, end = MARKS
    text = PAGE.read_text(encoding="utf-8").split(start)[1].split(end)[0]
    assert text.strip() == table()
