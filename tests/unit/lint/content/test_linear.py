"""Every pattern that meets foreign text takes linear time, because of how it is written.

An unbounded repetition never gives back what it took (it is possessive), so that no pattern tries
one stretch of text twice; all others have a limit.
"""

import importlib
import pkgutil
import re

from psreg.formats import markdown, toml_document
from psreg.formats.json import json_document
from psreg.lint import content
from psreg.lint.content import pattern_tables

MODULES = [
    markdown,
    content,
    *(
        importlib.import_module(f"psreg.lint.content.{module.name}")
        for module in pkgutil.iter_modules(content.__path__)
    ),
]
WRITTEN = {
    f"{module.__name__}.{name}": value.pattern
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern)
} | {
    f"{module.__name__}.ESCAPE": module.ESCAPE.pattern for module in (json_document, toml_document)
}
FILES = ("access", "idioms", "payloads", "secrets", "threats")
LISTED = {
    f"{file}/{code}/{row['id']}": row["pattern"]
    for file in FILES
    for code, rows in pattern_tables.table(file).items()
    for row in rows
    if "pattern" in row
}
_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]"  # an escape, a set
    r"|(?P<unbounded>[*+]|\{[0-9]*,\})(?P<possessive>\+)?"
    r"|\{[0-9]*+(?:,[0-9]++)?\}[+?]?|\?[+?]?"  # repetitions with a limit
    r"|.",
    re.DOTALL,
)


def unbounded(pattern):
    """Return the repetitions of `pattern` that have no limit and give back what they took."""
    tokens = list(_TOKEN.finditer(pattern))
    return [
        pattern[max(0, token.start() - 20) : token.end()]
        for token in tokens
        if token["unbounded"] and not token["possessive"]
    ]


def test_repetition_is_bounded_or_possessive():
    found = {name: unbounded(pattern) for name, pattern in (WRITTEN | LISTED).items()}
    assert {name: repetitions for name, repetitions in found.items() if repetitions} == {}


def test_the_test_sees_what_it_looks_for():
    assert unbounded(r"(a+)+b*c{2,}d+?") == [
        "(a+",
        "(a+)+",
        "(a+)+b*",
        "(a+)+b*c{2,}",
        "(a+)+b*c{2,}d+",
    ]
    assert unbounded(r"[+*]a++\*(?:b|c){0,9}+[]+]{2}d{3,}+e?+f??") == []


def test_a_blank_is_optional_only_if_it_is_written_so():
    # NOTE: a blank stands for one to four, so that a question mark after it does not make it optional.
    rows = [
        row
        for file in FILES
        for rows in pattern_tables.table(file).values()
        for row in rows
        if isinstance(row, dict)
    ]
    columns = ("pattern", "only_after", "unless_before", "unless_after")
    assert [row[key] for row in rows for key in columns if " ?" in row.get(key, "")] == []
