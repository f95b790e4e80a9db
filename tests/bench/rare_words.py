"""Print as data files what takes long to find out: what texts the patterns need, and what looks alike.

    python tests/bench/rare_words.py words pbes site/docs > words.toml
    python tests/bench/rare_words.py phrases > phrases.toml
    python tests/bench/rare_words.py longest > longest.toml
    python tests/bench/rare_words.py changed > changed_words.txt
    python tests/bench/rare_words.py pieces > pieces.txt
    python tests/bench/rare_words.py lookalikes > lookalikes.txt

For each row `words.toml` has the demands that exclude most of these texts, as marks, and
`phrases.toml` the phrases of each clause of its gate, each behind a word that it needs. A row is read
if a text has one of each; to read all rows, or their gates, would take half of the time of an
installation. `longest.toml` has the most characters that a row matches, if they are many.
`changed_words.txt` has what becomes of the words of attacks in the ways to disguise them, `pieces.txt`
has their parts, and `lookalikes.txt` the look-alikes of Unicode (UTS 39) beyond ASCII, as code points,
behind what they look like.
A test says when a line is not what its row needs.
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from re import _parser

from confusable_homoglyphs import confusables

from psreg.lint.content.appearance.ways import made_by_ways
from psreg.lint.content.appearance.words import made_pieces
from psreg.lint.content.pattern_gates import grouped, with_any_blanks
from psreg.lint.content.pattern_search import LONG, Pattern, Row
from psreg.lint.content.pattern_tables import any_spelling, hosts, table
from psreg.lint.content.texts import Content, of_readme

FILES = ("access", "idioms", "payloads", "secrets", "threats")
SUFFIXES = (".json", ".md", ".prompt", ".toml")


def words(ordinary: list[Content]) -> Iterator[str]:
    """Yield the lines of words.toml."""
    for title, rows in by_rule().items():
        yield f"\n[{title}]"
        for row in rows:
            found = [" ".join(sorted(each)) for each in excluding(row, ordinary)]
            yield f"{json.dumps(row.id)} = {json.dumps(found, ensure_ascii=False)}"


def phrases(_ordinary: list[Content]) -> Iterator[str]:
    """Yield the lines of phrases.toml."""
    for title, rows in by_rule().items():
        yield f"\n[{title}]"
        for row in rows:
            clauses = [*map(grouped, row.clauses)]
            yield f"{json.dumps(row.id)} = {json.dumps(clauses, ensure_ascii=False)}"


def longest(_ordinary: list[Content]) -> Iterator[str]:
    """Yield the lines of longest.toml."""
    for title, rows in by_rule().items():
        yield f"\n[{title}]"
        for row in rows:
            if (most := max(map(width, row.spellings))) > LONG:
                yield f"{json.dumps(row.id)} = {most}"


def changed(_ordinary: list[Content]) -> Iterator[str]:
    """Yield the lines of changed_words.txt."""
    yield from sorted(made_by_ways())


def pieces(_ordinary: list[Content]) -> Iterator[str]:
    """Yield the lines of pieces.txt."""
    yield from sorted(made_pieces())


def lookalikes(_ordinary: list[Content]) -> Iterator[str]:
    """Yield the lines of lookalikes.txt."""
    found = defaultdict(list)
    for text in sorted(confusables.confusables_data):
        if len(text) == 1 and not text.isascii() and (plain := lookalike(text)):
            found[plain].append(f"{ord(text):x}")
    yield from (f"{plain}\t{' '.join(codes)}" for plain, codes in sorted(found.items()))


def lookalike(character: str) -> str:
    """Return the ASCII characters that `character` looks like, or ""."""
    found = confusables.is_confusable(character, greedy=True) or ()
    similar = [each["c"] for row in found for each in row["homoglyphs"] if each["c"].isascii()]
    best = min(similar, key=lambda each: (len(each), not each.isalpha(), each), default="")
    # Unicode's table writes every upright stroke as `l`; among capitals it is an I.
    return "I" if best == "l" and character.isupper() else best


def width(pattern: Pattern) -> int:
    """Return the most characters of a match."""
    flags = 0 if pattern.cased else re.IGNORECASE
    return _parser.parse(with_any_blanks(pattern.pattern), flags).getwidth()[1]


def excluding(row: Row, ordinary: list[Content]) -> Iterator[frozenset[str]]:
    """Yield the demands of a row that exclude a text, those first that exclude most."""
    left = ordinary
    demands = [each for each in row.demands if each and "" not in each]
    while demands:
        kept = [[text for text in left if not each.isdisjoint(text.marks)] for each in demands]
        best = min(range(len(demands)), key=lambda at: len(kept[at]))
        if len(kept[best]) == len(left):
            return
        left = kept[best]
        yield demands.pop(best)


def by_rule() -> dict[str, list[Row]]:
    """Return the rows of all files by the code of their rule, sorted."""
    found: dict[str, list[Row]] = {"host": [*hosts().rows]}
    for name in FILES:
        for code, section in table(name).items():
            if isinstance(section, list) and "pattern" in section[0]:
                found.setdefault(code, []).extend(any_spelling(name, code).rows)
    return {code: sorted(found[code], key=lambda row: row.id) for code in sorted(found)}


NEEDED = "What the patterns of the other files need"
OF_UNICODE = "Derived from confusables.txt, © Unicode, Inc., https://www.unicode.org/license.txt"
KINDS = {
    "words": (NEEDED, words),
    "phrases": (NEEDED, phrases),
    "longest": (NEEDED, longest),
    "changed": (NEEDED, changed),
    "pieces": (NEEDED, pieces),
    "lookalikes": (OF_UNICODE, lookalikes),
}


def main() -> None:
    kind, *folders = sys.argv[1:]
    paths = [p for name in folders for p in sorted(Path(name).rglob("*"))]
    ordinary = [of_readme(p.read_text()) for p in paths if p.suffix in SUFFIXES]
    about, lines = KINDS[kind]
    print(f"# {about}; printed by tests/bench/rare_words.py {kind}.")
    for line in lines(ordinary):
        print(line)


if __name__ == "__main__":
    main()
