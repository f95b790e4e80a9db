"""How well the search finds what people look for among the prompts of this repository."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from psreg.registry.build import build
from psreg.registry.catalog_segments import read_segment, row_of, write_segment
from psreg.registry.checkout import read_tree
from psreg.registry.search.ranking import search
from support.paths import ROOT, VECTORS

FIRST = 3
"""How many results a person looks at."""

PAGE = ROOT / "site/docs/guide/search.md"
MARKS = "<!-- relevance -->", "<!-- /relevance -->"


def ranks():
    """Return each query with the rank of the first relevant name, from 1, and what is first.

    The rank is 0 if no relevant one is found.
    """
    records = build(read_tree(ROOT), {}, datetime(2026, 11, 21, tzinfo=UTC)).records
    rows = {name: row for name, record in records.items() if (row := row_of(record))}
    segments = [read_segment(write_segment(rows))]
    cases = json.loads((VECTORS / "queries.json").read_text(encoding="utf-8"))["cases"]
    found = []
    for case in cases:
        names = [entry.name for entry in search(segments, [case["query"]])]
        at = [number for number, name in enumerate(names, 1) if name in case["relevant"]]
        found.append((case["query"], min(at, default=0), names))
    return found


def table():
    """Return the ranks as a table in Markdown."""
    rows = (
        f"| {query} | {rank or '–'} | {' '.join(f'`{name}`' for name in names[:FIRST])} |"
        for query, rank, names in ranks()
    )
    return "\n".join(["| Query | Rank | The first three |", "|---|---|---|", *rows])
