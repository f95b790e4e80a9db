"""Prompts in a configuration of promptfoo, of which one file may have several.

They are texts, objects with `raw` or `id`, and references to files of the source. Their variables
are those of Nunjucks, and `defaultTest.vars` has their defaults. Nothing is executed: programs that
make prompts are refused.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from psreg.authoring.importing.documents import JSON, YAML, document, stated, table
from psreg.authoring.importing.found import (
    LONGEST_TITLE,
    Fields,
    Found,
    Places,
    Refused,
    SourceFile,
    said,
    unix_lines,
)
from psreg.authoring.importing.front_matter import loaded
from psreg.authoring.importing.messages import text_of
from psreg.authoring.importing.template_languages import JINJA, LANGUAGES, converted
from psreg.authoring.importing.variables import Converted
from psreg.authoring.literal import trimmed

_BESIDE = ("providers", "targets", "tests")
_PROMPTS_IN_YAML = re.compile(r"^[\"']?prompts[\"']?[ \t]*:", re.MULTILINE)
_BESIDE_IN_YAML = re.compile(rf"^[\"']?(?:{'|'.join(_BESIDE)})[\"']?[ \t]*:", re.MULTILINE)
_FILE = "file://"
_PATH = re.compile(r"[^\s{}]{1,200}\.(?:txt|md|jsonl?|ya?ml|csv|j2|py|[cm]?[jt]s|sh)(?::\w{1,60})?")
_PROGRAM = re.compile(r"\.(?:py|[cm]?[jt]s|sh|rb|go|exe|bat)(?::[\w.]{1,60})?$")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+-]{1,20}://\S{1,500}|exec:[^\n]{1,500}")
_TEXTS, _MARKDOWN = ".txt", ".md"
_DELIMITER = re.compile(r"^[ \t]*---[ \t]*$", re.MULTILINE)
_VALUES = "defaultTest.vars"
_SHOWN = 100


def claims(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file is a configuration: it has prompts, and what they are tested with."""
    suffix = file.path.suffix.lower()
    if suffix in YAML:
        return all(each.search(file.text) for each in (_PROMPTS_IN_YAML, _BESIDE_IN_YAML))
    if suffix not in JSON or '"prompts"' not in file.text:
        return False
    try:
        config = document(file)
    except ValueError:
        return any(f'"{key}"' in file.text for key in _BESIDE)
    return (
        isinstance(config, dict) and "prompts" in config and any(key in config for key in _BESIDE)
    )


def read(file: SourceFile, _fields: Fields) -> Iterator[Found | Refused]:
    """Yield the prompts of a configuration, or why it has none.

    Raises:
        ValueError: it is not valid; the message says why.
    """
    config = stated(document(file))
    rows = config.get("prompts")
    if isinstance(rows, dict):
        rows = [{"raw": raw, "label": label} for raw, label in rows.items()]
    elif isinstance(rows, str):
        rows = [rows]
    if not isinstance(rows, list):
        raise ValueError("it has no list of `prompts`")  # noqa: TRY004 - that of a source
    prompts = _Prompts(file, config)
    for row in rows:
        yield from prompts.of(row if isinstance(row, dict) else {"raw": row})


class _Prompts:
    """The prompts of a configuration, each with its place in the file."""

    def __init__(self, file: SourceFile, config: Mapping[str, Any]) -> None:
        self._file = file
        self._places = Places(file.path)
        self._seen = set[PurePosixPath]()
        test = config.get("defaultTest")
        facts = stated(test)
        # NOTE: promptfoo reads templates in values, and those of files.
        self._values = {
            name: None if "{{" in str(value) or str(value).startswith(_FILE) else value
            for name, value in table(facts.get("vars")).items()
        }
        lost = [key for key in config if key not in ("prompts", "defaultTest")]
        lost += [f"defaultTest.{key}" for key in facts if key != "vars" or not self._values]
        self._lost = (*lost, *["defaultTest"] * (test is not None and not facts))

    def of(self, row: Mapping[Any, Any]) -> Iterator[Found | Refused]:
        """Yield the prompts of a row, or why it has none."""
        facts = stated(row)
        raw = facts.get("raw", facts.get("id"))
        reference = _reference(raw) if isinstance(raw, str) else ""
        names = [said(facts.get(key)) for key in ("label", "id") if facts.get(key) != raw]
        title = next(filter(None, (*names, PurePosixPath(reference).stem)), "")[:LONGEST_TITLE]
        lost = [key for key in facts if key not in ("raw", "label", "id")]
        lost += ["id"] * (len([*filter(None, names)]) > 1)
        try:
            texts = self._texts(raw, reference)
        except ValueError as error:
            yield Refused(path=self._places.of(title), reason=str(error))
            return
        for text in texts:
            yield self._found(title, text, [f"prompts.{key}" for key in lost])

    def _texts(self, raw: Any, reference: str) -> Sequence[Converted]:
        if not isinstance(raw, str):
            raise ValueError("it is not a text")  # noqa: TRY004 - that of a source
        if not reference:
            return [_inline(raw)]
        shown, suffix = said(reference)[:_SHOWN], PurePosixPath(reference).suffix.lower()
        if _PROGRAM.search(reference) or _ELSEWHERE.fullmatch(reference):
            raise ValueError(
                f"`{shown}` is a program or elsewhere; only files of the source are read"
            )
        if suffix not in (_TEXTS, _MARKDOWN, *JSON, *YAML):
            raise ValueError(f"`{shown}` is not a text, Markdown, JSON or YAML by its suffix")
        other = self._file.beside(reference)
        if other.path in self._seen:
            raise ValueError(f"`{shown}` is the file of a prompt before it")
        self._seen.add(other.path)
        if suffix == _TEXTS:
            texts = filter(None, map(trimmed, _DELIMITER.split(other.text)))
            return [*map(Converted, texts)] or [Converted("")]
        if suffix not in YAML:
            return [_inline(other.text) if suffix in JSON else Converted(other.text)]
        text = text_of(document(other))
        if text is None:
            raise ValueError(f"`{shown}` has no messages")
        return [text]

    def _found(self, title: str, read: Converted, lost: Sequence[str]) -> Found | Refused:
        path, text = self._places.of(title), read.text
        try:
            made = converted(trimmed(unix_lines(text)), LANGUAGES[JINJA], self._values, _VALUES)
        except ValueError as error:
            return Refused(path=path, reason=str(error))
        digest = hashlib.sha256(json.dumps([title, text, made.variables]).encode())
        return Found(
            path=path,
            sha256=digest.hexdigest(),
            text=made.text,
            title=title,
            variables=made.variables,
            roles=read.roles,
            lost=(*lost, *read.lost, *made.lost, *self._lost),
        )


def _reference(raw: str) -> str:
    """Return what of the source, or elsewhere, a prompt refers to; "" if it is the text itself."""
    if raw.startswith(_FILE):
        return raw[len(_FILE) :]
    return raw if _PATH.fullmatch(raw) or _ELSEWHERE.fullmatch(raw) else ""


def _inline(text: str) -> Converted:
    """Return the messages that a text has in JSON or YAML as one text, else the text."""
    said_: Any = None
    if text.lstrip().startswith(("[", "{")):
        try:
            said_ = json.loads(text)
        except (ValueError, RecursionError):
            return Converted(text)
    elif text.startswith("- role:"):
        said_ = loaded(text, "it")
    return text_of(said_) or Converted(text)
