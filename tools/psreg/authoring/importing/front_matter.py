"""YAML front matter, which many formats of prompts have before their text, and YAML alone.

YAML is read by PyYAML, of the extra `psreg[import]`, with the loader that makes nothing but texts,
lists and mappings of it. Aliases, deep nesting and long front matter, with which a small file asks
for much work, are refused.

People write front matter that is not valid YAML, such as `globs: *.ts` and `title: Use: it`,
and programs for assistants read it all the same. So values without quotes that are not valid, or
that are aliases of nothing, are texts as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from psreg.core.terminal import one_line
from psreg.system.extras import extra

_FENCED = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_LONGEST = 16 * 1024
_TEXT = "tag:yaml.org,2002:str"
_NULL = ("", "~", "null")
_SAME_NUMBER = re.compile(r"-?(?:[1-9][0-9]{0,9}|0(?=\.))(?:\.[0-9]{0,3}[1-9])?|0")


class Scalar(str):
    """A value of YAML that is not a text: a number, a date, true, false or null, as written."""

    __slots__ = ()

    @property
    def is_null(self) -> bool:
        """Whether it says nothing."""
        return self.lower() in _NULL

    @property
    def is_same(self) -> bool:
        """Whether programs that read it and write it as a text write what is there."""
        return _SAME_NUMBER.fullmatch(self) is not None


class FrontMatter(NamedTuple):
    """Front matter by its keys, and the text after it.

    `as_text` are the keys of values that are not valid YAML, and were read as they are written.
    """

    matter: Mapping[str, Any]
    body: str
    as_text: tuple[str, ...] = ()


class _InvalidError(ValueError):
    """A text is not valid YAML, or has an alias; read as texts, values without quotes may be.

    `has_anchor`: before that, it has what an alias may refer to.
    """

    def __init__(self, message: str, *, is_alias: bool = False, has_anchor: bool = False) -> None:
        super().__init__(message)
        self.is_alias, self.has_anchor = is_alias, has_anchor


_WHAT = "its front matter"
_FIRST_LINE = 2
"""The line of a file after the one that begins front matter."""


def divided(text: str, *, is_strict: bool = False) -> FrontMatter:
    """Return the front matter of `text` and what follows it; without any, {} and `text`.

    `is_strict`: the programs of this format refuse what is not valid YAML.

    Raises:
        ValueError: it is not a mapping in YAML, or too complex.
        UnavailableError: `EXTRA_MISSING`.
    """
    fenced = _FENCED.match(text)
    if fenced is None:
        return FrontMatter({}, text)
    body = text[fenced.end() :]
    try:
        found = loaded(fenced[1], _WHAT, _FIRST_LINE)
    except _InvalidError:
        if is_strict:
            raise
        return _read_by_keys(fenced[1], body)
    if not isinstance(found, dict):
        raise ValueError("its front matter is not a mapping")  # noqa: TRY004 - that of a source
    return FrontMatter({str(key): value for key, value in found.items()}, body)


def loaded(text: str, what: str, first_line: int = 1) -> Any:
    """Return what a text in YAML says, in texts, lists and mappings; `what` it is, for messages.

    Of the texts, those are a `Scalar` that YAML reads as something else. `first_line` is where it
    begins in its file.

    Raises:
        ValueError: it is not valid, or too complex.
        UnavailableError: `EXTRA_MISSING`.
    """
    return _read(text, what, first_line)[0]


def _read(text: str, what: str, first_line: int) -> tuple[Any, bool]:
    """Return the same, and whether it has anchors."""
    if len(text) > _LONGEST:
        raise ValueError(f"{what} has more than {_LONGEST:,} characters")
    with extra("import"):
        import yaml  # noqa: PLC0415 - an extra
    try:
        # NOTE: for the safe loader, `on:` is True and `1.10` is 1.1.
        loader = _loader()(text)
        return loader.get_single_data() or {}, loader.has_anchor
    except yaml.MarkedYAMLError as error:
        raise _not_yaml(text, what, first_line, error, has_anchor=loader.has_anchor) from error
    except yaml.reader.ReaderError as error:
        line = first_line + text.count("\n", 0, error.position)
        why = f"line {line}: U+{error.character:04X} is not allowed"
    except RecursionError:
        why = "it is nested too deeply"
    except (ValueError, OverflowError):  # of `chr`
        why = "an escape in double quotes does not stand for a character"
    raise ValueError(f"{what} is not valid YAML: {why}")


_UNFINISHED = {
    "expected ':'": "it is not `key: value`",
    "end of stream": "a quote is not closed",
    "',' or": "a bracket is not closed, or a value in brackets needs quotes",
}
"""What is wrong where something begins, by a part of what PyYAML says."""
_PROBLEMS = {
    **_UNFINISHED,
    "mapping values": "a value with `: ` in it needs quotes, and a key the right indentation",
    "that cannot start": "a value that begins with such a character needs quotes",
    "alphabetic or numeric": "a value that begins with `*`, `&` or `%` needs quotes",
    "escape": "a backslash in double quotes begins an escape; use single quotes",
    "<block end>": "it does not belong to the value before it; check quotes and indentation",
    "another document": "it begins another document",
}
"""What a person can do, by a part of what PyYAML says."""
_ALIAS = "alias"
_SHOWN = 60


def _not_yaml(
    text: str, what: str, first_line: int, error: Any, *, has_anchor: bool
) -> _InvalidError:
    """Return an error that names the line and what is wrong with it."""
    is_unfinished = any(part in error.problem for part in _UNFINISHED)
    at = error.context_mark if is_unfinished else error.problem_mark
    lines = text.rstrip().split("\n")
    # NOTE: what is missing at the end is missing in the last line.
    line = min(at.line, len(lines) - 1)
    where = _where(first_line + line, lines[line])
    if error.problem == _ALIAS:
        message = f"{what} has an alias of YAML: {where}"
        return _InvalidError(message, is_alias=True, has_anchor=has_anchor)
    problem = " ".join((error.problem, error.context or ""))
    why = next((said for part, said in _PROBLEMS.items() if part in problem), "it is incomplete")
    return _InvalidError(f"{what} is not valid YAML: {where}: {why}", has_anchor=has_anchor)


def _where(number: int, line: str) -> str:
    shown = one_line(line.strip()[: _SHOWN + 1]).replace("`", "'")
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    return f"line {number}" + f", `{shown}`" * bool(shown)


_KEY = re.compile(r"(?P<key>\w[\w .-]{0,59}|\"[^\"]{1,60}\"|'[^']{1,60}')[ \t]{0,9}:(?=[ \t]|\Z)")
_LIKE_A_KEY = re.compile(r"[\w.-]+:")
_BLOCK = re.compile(r"[|>][+-]?[1-9]?[+-]?[ \t]*(?:#.*)?")
_LIST_ITEM = re.compile(r"""-[ \t]+(?:["']([^"']+)["']|([^\s"'\[{|>#&-](?:[^:]|:(?=\S))*))""")
_CLOSING = {'"': '"', "'": "'", "[": "]", "{": "}"}


class _Item(NamedTuple):
    """A key of front matter: its lines, of which the first is `number`, and what it says there."""

    key: str
    number: int
    first: str
    lines: list[str]

    @property
    def is_plain(self) -> bool:
        """Whether its value has neither quotes nor brackets around it, and is not a block."""
        is_other = self.first[:1] in ("", "#", *_CLOSING)
        return not is_other and _BLOCK.fullmatch(self.first) is None

    @property
    def is_text(self) -> bool:
        """Whether its value is a text if YAML cannot read it."""
        opening, rest = self.first[:1], self.first[1:]
        return self.is_plain or (opening in _CLOSING and _CLOSING[opening] in rest)

    @property
    def text(self) -> str:
        """Its value as it is written, on one line."""
        following = (line.strip() for line in self.lines[1:])
        said = (line for line in following if not line.startswith("#"))
        return " ".join(" ".join((self.first, *said)).split())

    @property
    def items(self) -> list[str]:
        """Its value if that is a list of texts, one on each line; else []."""
        below = list(filter(None, map(str.strip, self.lines[1:])))
        found = [item[1] or item[2] for item in map(_LIST_ITEM.fullmatch, below) if item]
        return found if not self.first and len(found) == len(below) else []

    def differs(self, read: Mapping[Any, Any]) -> bool:
        """Tell whether YAML reads another text of it than what is written, such as a part."""
        (_, value), *others = read.items()
        is_text = isinstance(value, str) and not others
        return is_text and " ".join(value.split()) != self.text


def _read_by_keys(text: str, body: str) -> FrontMatter:
    """Return front matter of which some values without quotes are not valid YAML.

    Raises:
        ValueError: something else in it is not valid; or it has an alias, and what that refers to.
    """
    found: dict[str, Any] = {}
    as_text, aliases, has_anchor = [], [], False
    written: str | list[str]
    for item in _items(text):
        try:
            read, its_anchor = _read("\n".join([*item.lines, ""]), _WHAT, item.number)
            written, is_text = item.text, item.is_plain and item.differs(read)
        except _InvalidError as error:
            written = item.text if item.is_text else item.items
            if not written:
                raise
            aliases += [error] * error.is_alias
            read, its_anchor, is_text = {}, error.has_anchor, True
        has_anchor |= its_anchor
        found |= {item.key: written} if is_text else {str(key): read[key] for key in read}
        as_text += [item.key] * is_text
    if aliases and has_anchor:
        raise aliases[0]
    return FrontMatter(found, body, tuple(dict.fromkeys(as_text)))


def _items(text: str) -> Sequence[_Item]:
    """Return each key at the beginning of a line with what follows it.

    Raises:
        ValueError: a line is neither.
    """
    items: list[_Item] = []
    for number, line in enumerate(text.split("\n"), _FIRST_LINE):
        if key := _KEY.match(line):
            name, first = key["key"].strip("\"' \t"), line[key.end() :].strip()
            items.append(_Item(name, number, first, [line]))
        elif _LIKE_A_KEY.match(line):
            raise _unreadable(number, line, "a blank is needed after the colon")
        elif items:
            items[-1].lines.append(line)
        elif line.strip() and not line.startswith("#"):
            what = "a key has blanks before it" if line[0] in " \t" else "it is not `key: value`"
            raise _unreadable(number, line, what)
    return items


def _unreadable(number: int, line: str, why: str) -> ValueError:
    return ValueError(f"{_WHAT} is not valid YAML: {_where(number, line)}: {why}")


@cache
def _loader() -> Any:
    """Return the loader that makes nothing but texts, lists and mappings."""
    import yaml  # noqa: PLC0415 - an extra

    class Loader(yaml.BaseLoader):  # type: ignore[misc]
        yaml_implicit_resolvers = yaml.SafeLoader.yaml_implicit_resolvers
        has_anchor = False

        def construct_scalar(self, node: Any) -> str:
            text = str(super().construct_scalar(node))
            return text if node.tag == _TEXT else Scalar(text)

        def get_event(self) -> Any:
            event = super().get_event()
            # NOTE: an alias lets few characters stand for very much.
            if isinstance(event, yaml.AliasEvent):
                raise yaml.MarkedYAMLError(problem=_ALIAS, problem_mark=event.start_mark)
            self.has_anchor |= getattr(event, "anchor", None) is not None
            return event

    return Loader
