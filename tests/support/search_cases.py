"""Catalogues and queries on which `psreg search` and the site's search must agree."""

from __future__ import annotations

import json
import random
import tomllib

from psreg.core.classes import CLASSES
from psreg.registry.catalog_segments import write_segment
from psreg.registry.search.own_words import own_words
from psreg.registry.search.words import words_of
from support.paths import PBES, VECTORS

TABLE = json.loads((VECTORS / "search.json").read_text(encoding="utf-8"))
CASES = [(case["query"], case["found"], case.get("partial", [])) for case in TABLE["cases"]]
"""Queries with the names that match all words, and those that match some."""

WORDS = [
    "quiz",
    "code",
    "review",
    "écrit",
    "Résumé",
    "straße",
    "ΟΔΟΣ",
    "İstanbul",
    "ﬁnd",
    "ＡＢＣ",
    "naïve",
    "co-op",
    "ét",
    "x2",
    "learn",
    "Über",
    "日本",
    "½",
    "a",
    "re",
    "translate",
    "emails",
    "„quiz code“",
    '"code review"',
    "codereview",
    "überblick",
    "testing",
    "vokabeln",
    "decsion",
    "the",
]


def segments_of(entries, parts=2):
    """Return the catalogue of entries that are given as the table of cases gives them.

    An older segment holds something else about some names, and a name that is gone.
    """
    rows = rows_of(entries)
    stale = {name: rows[name] | {"summary": "", "tags": ["stale"]} for name in [*rows][::parts]}
    removed = _row(
        {"name": "removed", "class": "prompt", "summary": "", "use_case": "", "tags": []}
    )
    return [write_segment({**stale, "removed": removed}), write_segment(rows, ["removed"])]


def rows_of(entries):
    """Return the rows of such entries, by name."""
    return {entry["name"]: _row(entry) for entry in entries}


def _row(entry):
    return {
        "name": entry["name"],
        "class": entry["class"],
        "version": "1.0.0",
        "summary": entry["summary"],
        "use_case": entry["use_case"],
        "date": "2026-01-01T00:00:00Z",
        "sha256": "0" * 64,
        "tags": entry["tags"],
        "license": "MIT",
        "language": [],
        "platform": [],
        "protocol": [],
        "deprecated": entry.get("deprecated"),
        "words": entry.get("words", ""),
    }


def authored():
    """Return the entries of this repository, each as one of its versions describes it."""
    entries = {}
    for path in sorted(PBES.glob("*/*/*/release.toml")):
        release = tomllib.loads(path.read_text(encoding="utf-8"))
        entry_class, name = path.parts[-4:-2]
        kept = {key: release[key] for key in ("summary", "use_case", "tags")}
        readme = (path.parent / "README.md").read_text(encoding="utf-8")
        words = own_words((name, kept["summary"]), "", readme)
        entries[name] = {"name": name, "class": entry_class, "words": words, **kept}
    return list(entries.values())


def made_up(number=60):
    """Return entries made of a few words, so that many match the same query; always the same."""
    chance = random.Random(5)

    def some(most):
        return " ".join(chance.choices(WORDS, k=chance.randint(1, most)))

    names = ["quiz", "code", "review", "learn", "a", "re", "x2"]
    entries = {}
    for _ in range(number):
        name = "_".join(chance.choices(names, k=chance.randint(1, 3)))
        entries[name] = {
            "name": name,
            "class": chance.choice(CLASSES),
            "summary": some(6),
            "use_case": some(6),
            "tags": [*dict.fromkeys(chance.choices(WORDS, k=chance.randint(1, 3)))],
            "deprecated": chance.choice([None, None, "old"]),
            "words": " ".join(words_of(some(4))),
        }
    return list(entries.values())


def queries(texts=(), number=400):
    """Return queries of one to three words and parts of words; always the same."""
    chance = random.Random(7)
    words = [*WORDS, *(word for text in texts for word in text.split())]

    def one():
        word = chance.choice(words)
        start = chance.choice([0, 0, 0, chance.randrange(len(word))])
        part = word[start : start + chance.randint(1, 9)]
        return chance.choice([part, part.upper(), part.lower()])

    return [" ".join(one() for _ in range(chance.randint(1, 3))) for _ in range(number)]
