"""The data files of patterns.

Each file in `data/` is divided into rows when it is first needed; `words.toml`, `phrases.toml` and
`longest.toml` say what is known of a row before it is read. `pattern_search` looks for the rows in
a text.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pkgutil import get_data
from typing import Any

from psreg.core.dataclass import replace
from psreg.core.diagnostics import Severity
from psreg.lint.content.pattern_search import Pattern, Row, Rows


def _data(file: str) -> bytes:
    # NOTE: the data folder is not a package; this also works from a wheel.
    return get_data("psreg.lint.content", f"data/{file}") or b""


@cache
def _sections(name: str) -> list[tuple[str, bytes]]:
    """Return titles and texts of the sections of `data/<name>.toml`; the first has no title."""
    first, *others = _data(f"{name}.toml").split(b"\n[")
    parts = (other.partition(b"]\n") for other in others)
    return [("", first), *((title.decode(), text) for title, _, text in parts)]


@cache
def table(name: str) -> dict[str, Any]:
    """Return the content of `data/<name>.toml`; sections whose title is in `[[…]]` are in a list.

    The files use little of TOML, so that they are read several times faster than by `tomllib`: a
    value is JSON on one line, a text between `'''`, or a list whose first line ends with `[`, whose
    last line is `]`, and whose items are each followed by a comma.
    """
    (_, first), *others = _sections(name)
    found = _values(first)
    for title, text in others:
        if title[0] == "[":
            found.setdefault(title[1:-1], []).append(_values(text))
        else:
            found[title] = _values(text)
    return found


def listed(name: str) -> frozenset[str]:
    """Return the words of `data/<name>.txt`."""
    return frozenset(lines(name))


def lines(name: str) -> list[str]:
    """Return the lines of `data/<name>.txt` after the first one, which is a comment."""
    # NOTE: `splitlines` takes three times as long.
    return _data(f"{name}.txt").decode().strip("\n").split("\n")[1:]


def _known(code: str, name: str, row: bytes) -> Any:
    """Return what `data/<name>.toml` says of a row of a rule, or None; the others are not read."""
    line = _lines(name)[code].get(row)
    return line and _read(line.decode())


@cache
def _lines(name: str) -> dict[str, dict[bytes, bytes]]:
    """Return the unread values in `data/<name>.toml`, each of which is one line, by section."""
    found = defaultdict[str, dict[bytes, bytes]](dict)
    section = found[""]
    # NOTE: to look for the sections first would take ten times as long in the largest file.
    for line in _data(f"{name}.toml").split(b"\n"):
        if line[:1] == b"[":
            section = found[line[1:-1].decode()]
        else:
            key, _, value = line.partition(b'" = ')
            section[key[1:]] = value
    return found


def _values(section: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    lines = iter(section.decode().splitlines())
    for line in lines:
        if line and line[0] != "#":
            key, _, value = line.partition(" = ")
            if value == "[":
                value = f"[{' '.join(iter(lines.__next__, ']')).rstrip(' ,')}]"
            quoted_text = value.startswith("'''")
            found[key.strip('"')] = value[3:-3] if quoted_text else _read(value)
    return found


def _read(value: str) -> Any:
    # NOTE: most values are texts without escapes, or lists of these.
    if "\\" not in value:
        if value[0] == '"':
            return value[1:-1]
        if value[:2] == '["':
            return value[2:-2].split('", "')
    return json.loads(value)


def _rows(name: str, code: str, read: Callable[[bytes], Iterable[Pattern]]) -> Rows:
    """Return the sections `[[code]]` of `data/<name>.toml`; `read` returns the spellings of one."""
    title, known = f"[{code}]", partial(_known, code)
    return Rows(Row(text, read, known) for section, text in _sections(name) if section == title)


@cache
def patterns(name: str, code: str) -> Rows:
    """Return the rows of `data/<name>.toml` that belong to the rule `code`."""
    return _rows(name, code, lambda text: (_pattern(text),))


def _pattern(section: bytes) -> Pattern:
    row = _values(section)
    return Pattern(
        id=row["id"],
        pattern=row["pattern"],
        starts=tuple(row["starts"]),
        needles=tuple(row.get("needles", ())),
        note=row["note"],
        cased=row.get("cased", False),
        severity=Severity(row["level"]) if "level" in row else None,
        only_after=row.get("only_after", ""),
        unless_before=row.get("unless_before", ""),
        unless_after=row.get("unless_after", ""),
    )


@cache
def phrases(code: str) -> Rows:
    """Return the rows of the rule `code` in `data/idioms.toml` and `data/threats.toml`."""
    return Rows.of_all((any_spelling("idioms", code), any_spelling("threats", code)))


@cache
def any_spelling(name: str, code: str) -> Rows:
    """Return the rows of `patterns`, each that has accents also without them."""
    return _rows(name, code, lambda text: _spellings(_pattern(text)))


def _spellings(row: Pattern) -> Iterator[Pattern]:
    before = row.unless_before.translate(_UNACCENTED)
    if before != row.unless_before:
        row = replace(row, unless_before=f"(?:{row.unless_before}|{before})")
    yield row
    for letters in (_UNACCENTED, _SPELLED_OUT):
        plain = row.pattern.translate(letters)
        if plain != row.pattern:
            yield replace(
                row,
                pattern=plain,
                starts=tuple(start.translate(letters) for start in row.starts),
                needles=tuple(needle.translate(letters) for needle in row.needles),
            )


_UNACCENTED = {code: unicodedata.normalize("NFD", chr(code))[0] for code in range(0x80, 0x250)}
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
"""What people write who have no keys for accents."""


@cache
def hosts() -> Rows:
    """Return the rows of `data/hosts.toml`, the patterns of rule PS022."""
    return _rows("hosts", "host", lambda text: (_host(text),))


def _host(section: bytes) -> Pattern:
    row = _values(section)
    name = re.escape(row["host"] + row.get("path", ""))
    return Pattern(
        id=row["host"],
        pattern=rf"(?<![\w-]){name}(?![\w-]|\.[a-z0-9])",
        starts=(row["host"],),
        needles=(),
        only_after=r"://[^\s/]{0,64}" if row.get("url_only") else "",
        severity=Severity(row["level"]) if "level" in row else None,
        note=f"{row['host']} {row['note']}",
    )


_THREATS = ("PS016", "PS017", "PS018", "PS019", "PS026")


@cache
def disguisable() -> dict[str, Rows]:
    """Return the patterns, by rule, of what is never disguised or encoded by accident."""
    return {
        **{code: phrases(code) for code in ("PS010", "PS011", "PS012")},
        **{code: any_spelling("threats", code) for code in _THREATS},
        "PS022": hosts(),
        "PS032": patterns("payloads", "PS032"),
        "PS033": patterns("payloads", "PS033"),
        "PS040": patterns("secrets", "PS040"),
    }
