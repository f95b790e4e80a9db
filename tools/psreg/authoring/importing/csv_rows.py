"""Prompts in the rows of a CSV file, such as that of prompts.chat.

The first line names the columns. A row has the text of a prompt, its title, and other fields. In a
file with a column `act`, as prompts.chat has, `${name}` and `${name:default}` are variables.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import islice

from psreg.authoring.importing.found import (
    FIELDS,
    LONGEST_TITLE,
    MAX_FILE,
    STANDARD_INPUT,
    Fields,
    Found,
    Places,
    Refused,
    SourceFile,
    listed,
    named,
    said,
)
from psreg.authoring.importing.variables import Variables, with_variables
from psreg.authoring.literal import trimmed

_SUFFIXES = (".csv", ".tsv")
_DELIMITERS = ",;\t|"
_MOST_COLUMNS = 1_000
_OF_PROMPTS_CHAT = "act"
_VARIABLE = re.compile(r"\$\{(?P<name>[^{}:\n]{1,60})(?::(?P<default>[^{}\n]{0,500}))?\}")


def claims(file: SourceFile, fields: Fields) -> bool:
    """Tell whether a file is CSV, by its suffix; what has no name, by its first line."""
    if file.path != STANDARD_INPUT:
        return file.path.suffix.lower() in _SUFFIXES
    table = _Table(file, fields)
    return len(table.header) > 1 and "text" in table.columns


def read(file: SourceFile, fields: Fields) -> Iterator[Found | Refused]:
    """Yield the prompt of each row, or why it has none."""
    table = _Table(file, fields)
    if table.size > _MOST_COLUMNS:
        reason = f"it has {table.size:,} columns; at most {_MOST_COLUMNS:,} are read"
        yield Refused(path=str(file.path), reason=reason)
        return
    if "text" not in table.columns:
        known = ", ".join(FIELDS["text"])
        reason = f"no column is called {known}; name it in the file of `--map`"
        yield Refused(path=str(file.path), reason=reason)
        return
    for line, row in table.rows():
        place = f"{file.path}#line {line}"
        if isinstance(row, str):
            yield Refused(path=place, reason=row)
        elif len(row) != len(table.header):
            reason = f"it has {len(row):,} cells, and the first line {len(table.header):,}"
            yield Refused(path=place, reason=reason)
        else:
            yield table.found(row)


class _Table:
    """A CSV file: how many columns it has, their names, and which column has which field."""

    def __init__(self, file: SourceFile, fields: Fields) -> None:
        self._text = file.text
        first_line = self._text.partition("\n")[0]
        self._delimiter = max(_DELIMITERS, key=first_line.count)
        _, first = next(self._lines(), (1, ""))
        names = () if isinstance(first, str) else first
        self.size = len(names)
        self.header = tuple(map(said, names[:_MOST_COLUMNS]))
        fields_ = {field: named(field, self.header, fields) for field in FIELDS}
        self.columns = {field: self.header.index(name) for field, name in fields_.items() if name}
        self._others = sorted(set(range(len(self.header))) - set(self.columns.values()))
        self._places = Places(file.path)

    def rows(self) -> Iterator[tuple[int, Sequence[str] | str]]:
        """Yield each row after the first one, or its fault, with the line in which it begins."""
        return islice(self._lines(), 1, None)

    def _lines(self) -> Iterator[tuple[int, Sequence[str] | str]]:
        csv.field_size_limit(MAX_FILE)
        file = StringIO(self._text, newline="")
        reader = csv.reader(file, delimiter=self._delimiter, strict=True)
        row: Sequence[str] | str
        while True:
            line = reader.line_num + 1
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                row = f"it is not valid CSV: {error}"
            if row:
                yield line, row

    def found(self, row: Sequence[str]) -> Found:
        """Return the prompt of a row, which has as many cells as the first one."""
        cells = {field: row[at] for field, at in self.columns.items()}
        title = said(cells.get("title", ""))[:LONGEST_TITLE]
        variables: Variables = {}
        text = trimmed(cells["text"])
        if _OF_PROMPTS_CHAT in self.header:
            text, variables = with_variables(text, _VARIABLE)
        return Found(
            path=self._places.of(title),
            sha256=hashlib.sha256(json.dumps(row, ensure_ascii=False).encode()).hexdigest(),
            text=text,
            title=title,
            summary=said(cells.get("summary", "")),
            tags=listed(cells.get("tags", "")),
            languages=listed(cells.get("languages", "")),
            license=said(cells.get("license", "")),
            variables=variables,
            lost=tuple(self.header[at] for at in self._others if row[at].strip()),
        )
