"""Read off the patterns of the content rules which words they need, and print `data/words.toml`.

    python tests/bench/rare_words.py pbes site/docs > words.toml

For each row the file has the demands that exclude most of these texts, as marks; a row is read if a
text has one of each. To read all rows would take half of the time of an installation. A test says
when a line is not what its row needs.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from psreg.lint.content import texts
from psreg.lint.content.pattern_tables import Row, any_spelling, hosts, table

FILES = ("access", "idioms", "payloads", "secrets", "threats")
SUFFIXES = (".json", ".md", ".prompt", ".toml")


def lines(ordinary: list[frozenset[str]]) -> Iterator[str]:
    """Yield the lines of the file; `ordinary` has the marks of each text."""
    yield "# Words that the patterns of the other files need; printed by tests/bench/rare_words.py."
    for code, rows in sorted(by_rule().items()):
        yield f"\n[{code}]"
        for row in sorted(rows, key=_id):
            words = [" ".join(sorted(each)) for each in excluding(row, ordinary)]
            yield f"{json.dumps(_id(row))} = {json.dumps(words, ensure_ascii=False)}"


def _id(row: Row) -> str:
    return row.spellings[0].id


def excluding(row: Row, ordinary: list[frozenset[str]]) -> Iterator[frozenset[str]]:
    """Yield the demands of a row that exclude a text, those first that exclude most."""
    left = ordinary
    demands = [each for each in row.demands if each and "" not in each]
    while demands:
        kept = [[marks for marks in left if not each.isdisjoint(marks)] for each in demands]
        best = min(range(len(demands)), key=lambda at: len(kept[at]))
        if len(kept[best]) == len(left):
            return
        left = kept[best]
        yield demands.pop(best)


def by_rule() -> dict[str, list[Row]]:
    """Return the rows of all files by the code of their rule."""
    found: dict[str, list[Row]] = {"host": [*hosts().rows]}
    for name in FILES:
        for code, section in table(name).items():
            if isinstance(section, list) and "pattern" in section[0]:
                found.setdefault(code, []).extend(any_spelling(name, code).rows)
    return found


def main() -> None:
    paths = [p for name in sys.argv[1:] for p in sorted(Path(name).rglob("*"))]
    found = [texts.of_readme(p.read_text()).marks for p in paths if p.suffix in SUFFIXES]
    for line in lines(found):
        print(line)


if __name__ == "__main__":
    main()
