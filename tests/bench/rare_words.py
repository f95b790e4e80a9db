"""Read off the patterns of the content rules which words they need, and print `data/words.toml`.

    python tests/bench/rare_words.py pbes site/docs > words.toml

For each row the file has the clauses of its gate that exclude most of these texts, as marks; a text
is searched if it has one of each. To read the gates themselves would take a check of one file a
fifth longer. A test says when a line is not what its pattern needs.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from psreg.lint.content import texts
from psreg.lint.content.pattern_tables import Pattern, patterns, table

FILES = ("access", "idioms", "payloads", "secrets", "threats")
SUFFIXES = (".json", ".md", ".prompt", ".toml")


def lines(ordinary: list[frozenset[str]]) -> Iterator[str]:
    """Yield the lines of the file; `ordinary` has the marks of each text."""
    yield "# Words that the patterns of the other files need; printed by tests/bench/rare_words.py."
    for code, rows in sorted(by_rule().items()):
        found = {}
        for row in rows:
            if words := [" ".join(sorted(each)) for each in excluding(row, ordinary)]:
                found[row.id] = words
        if found:
            yield f"\n[{code}]"
        for name, words in sorted(found.items()):
            yield f"{json.dumps(name)} = {json.dumps(words, ensure_ascii=False)}"


def excluding(row: Pattern, ordinary: list[frozenset[str]]) -> Iterator[frozenset[str]]:
    """Yield the clauses of a row that exclude a text, those first that exclude most."""
    left = [marks for marks in ordinary if not row.starting.isdisjoint(marks)]
    clauses = [each for each in row.gate.demands if "" not in each]
    while clauses:
        kept = [[marks for marks in left if not each.isdisjoint(marks)] for each in clauses]
        best = min(range(len(clauses)), key=lambda at: len(kept[at]))
        if len(kept[best]) == len(left):
            return
        left = kept[best]
        yield clauses.pop(best)


def by_rule() -> dict[str, list[Pattern]]:
    """Return the rows of all files by the code of their rule."""
    found: dict[str, list[Pattern]] = {}
    for name in FILES:
        for code, section in table(name).items():
            if isinstance(section, list) and "pattern" in section[0]:
                found.setdefault(code, []).extend(patterns(name, code))
    return found


def main() -> None:
    paths = [p for name in sys.argv[1:] for p in sorted(Path(name).rglob("*"))]
    found = [texts.of_readme(p.read_text()).marks for p in paths if p.suffix in SUFFIXES]
    for line in lines(found):
        print(line)


if __name__ == "__main__":
    main()
