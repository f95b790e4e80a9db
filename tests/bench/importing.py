"""What `psreg import` costs: a CSV file, a folder of Markdown, the same again; how files grow."""

import csv
import json
import random
import sys
import tempfile
import time
from pathlib import Path, PurePosixPath

import large_texts
from measure import Metric, cost
from psreg.authoring.importing.formats import prompts_in

ROWS, ROWS_S, MEGABYTES = 1_300, 10, 300
FILES, FILES_S = 10_000, 60
FEW, MANY, RUNS = 1_000, 2_000, 3
MOST_TIMES = 3
"""What takes time in proportion takes twice as long for `MANY` as for `FEW`, else four times."""
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
    for what, write in (("values that are not YAML", _values), ("arguments", _arguments)):
        few, many = (_seconds(write(number)) for number in (FEW, MANY))
        yield Metric(f"read {MANY:,} {what}, times that of {FEW:,}", many, MOST_TIMES, few)


def _values(number):
    return "---\n" + "a: *b\n" * number + "---\nSay it.\n"


def _arguments(number):
    names = [f"n{at}" for at in range(number)]
    return f"---\narguments: {' '.join(names)}\n---\n{' '.join(f'${name}' for name in names)}\n"


def _seconds(text):
    """Return the least CPU seconds that reading a command takes."""
    took = []
    for _ in range(RUNS):
        began = time.process_time()
        list(prompts_in({PurePosixPath("commands/a.md"): text.encode()}, {}, bool, is_alone=False))
        took.append(time.process_time() - began)
    return min(took)


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
