"""PBEs and `.prompt` files, which become entries as they are, but for their name and version."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any

from psreg.authoring.importing.found import Fields, Found, Refused, SourceFile, listed, said
from psreg.core.classes import PBE_CLASSES, Format
from psreg.formats import dotprompt, pbe
from psreg.formats.dotprompt_sections import ORDER
from psreg.formats.json.syntax_error import shown

PBE_SUFFIXES = (".pbe", ".json", ".txt")
"""How the names of files end that may be PBEs."""

_CLASS = "pbe_class"
_MARK = f'"{_CLASS}"'.encode()
_HEADER = re.compile(rf"^\[(?:{'|'.join(ORDER)})\][ \t]*$", re.MULTILINE)


def claims_pbe(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file is a PBE, by its name or what it says it is."""
    named = file.path.name.endswith((f".{Format.PBE}", Format.PBE.suffix))
    # NOTE: other files with these suffixes need not be texts.
    may_be = file.path.suffix in PBE_SUFFIXES and _MARK in file.data
    return named or (may_be and file.data.removeprefix(BOM_UTF8).lstrip()[:1] == b"{")


def read_pbe(file: SourceFile, _fields: Fields) -> Iterator[Found | Refused]:
    """Yield the PBE in a file, or why there is none."""
    document = pbe.read(file.data)
    if not document.is_object:
        what = next((issue.message for issue in document.tree.issues), "it is not a JSON object")
        yield Refused(path=str(file.path), reason=f"it is not a PBE: {what}")
    elif document.pbe_class not in PBE_CLASSES:
        stated = shown(str(document.get(_CLASS)))
        known = ", ".join(f"`{each}`" for each in PBE_CLASSES)
        reason = f"its class is {stated}; the classes are {known}"
        yield Refused(path=str(file.path), reason=reason)
    else:
        yield _found(
            file,
            document.pbe_class,
            "\n\n".join(text for _, text in document.strings),
            {"name": document.name, "description": document.text("description")},
        )


def claims_prompt(file: SourceFile, _fields: Fields) -> bool:
    """Tell whether a file is a `.prompt`, by its suffix and a header of a section."""
    return file.path.suffix == Format.PROMPT.suffix and _HEADER.search(file.text) is not None


def read_prompt(file: SourceFile, _fields: Fields) -> Iterator[Found | Refused]:
    """Yield the `.prompt` in a file, or why there is none."""
    prompt = dotprompt.read(file.data)
    if prompt.readable:
        text = dotprompt.render(prompt, {}).text
        yield _found(file, Format.PROMPT.value, text, prompt.metadata)
    else:
        reason = f"it is not a `.prompt` that can be read: {dotprompt.why_unreadable(prompt)}"
        yield Refused(path=str(file.path), reason=reason)


def _found(file: SourceFile, entry_class: str, text: str, about: Any) -> Found:
    return Found(
        path=str(file.path),
        sha256=file.sha256,
        text=text,
        title=said(about.get("name")) or file.path.name.partition(".")[0],
        summary=said(about.get("description")),
        tags=listed(about.get("tags")),
        languages=listed(about.get("language")),
        license=said(about.get("license")),
        entry_class=entry_class,
        artifact=file.data,
    )
