"""What `psreg import` costs: a CSV file, a folder of Markdown, and the same again."""

import csv
import json
import random
import sys
import tempfile
from pathlib import Path

import large_texts
from measure import Metric, cost

ROWS, ROWS_S, MEGABYTES = 1_300, 10, 300
FILES, FILES_S = 10_000, 60
PSREG = [sys.executable, "-m", "psreg", "import", "--address", "https://example.org/prompts", "-q"]


def metrics():
    """Import each source into an empty registry, and then again without a change."""
    for what, write, number, seconds in (
        ("rows of CSV", _table, ROWS, ROWS_S),
        ("files of Markdown", _folder, FILES, FILES_S),
    ):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "registry/pbes").mkdir(parents=True)
            source = write(folder, number)
            for again in ("", ", again"):
                took = cost([*PSREG, str(source)], cwd=str(folder / "registry"))
                yield Metric(f"import {number:,} {what}{again}, seconds", took.wall, seconds)
                yield Metric(f"import {number:,} {what}{again}, MB", took.megabytes, MEGABYTES)


def _texts(number):
    """Yield titles and texts of about 1,000 characters, the same each time."""
    source = random.Random(number)
    sentences = large_texts.sentences(source)
    for at in range(number):
        yield (
            f"{' '.join(next(sentences).split()[:3])} {at}",
            "\n".join(next(sentences) for _ in range(12)),
        )


def _table(folder, number):
    path = folder / "prompts.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("act", "prompt"), *_texts(number)])
    return path


def _folder(folder, number):
    path = folder / "prompts"
    path.mkdir()
    for at, (title, text) in enumerate(_texts(number)):
        matter = f"---\ntitle: {json.dumps(title)}\nlicense: MIT\ntags: [a, b]\n---\n"
        (path / f"{at}.md").write_text(matter + text, encoding="utf-8")
    return path
