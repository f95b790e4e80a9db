"""Change the name or version in an artifact, and no other byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from psreg.core.classes import Format
from psreg.core.diagnostics import Change
from psreg.core.identity import ReleaseId
from psreg.formats import dotprompt, pbe
from psreg.formats.dotprompt import Prompt
from psreg.formats.json.pointer import join, split
from psreg.formats.pbe import LOAD_INSTRUCTION, RECOGNITION_KEY, SAVE_TEMPLATE, Pbe

_WORD = re.compile(r"[A-Za-z0-9_]+")


def with_release(data: bytes, release: ReleaseId) -> bytes:
    """Return the artifact `data` with the name and version of `release` wherever it states them.

    In a PBE this includes the save key, the recognition key, the key quoted in the loading
    instruction and the version inside the save template (PBE 1.0, rule 4); in a `.prompt` only
    `@version`, since `@name` is a title. Data that does not parse is returned unchanged.
    """
    if release.format is Format.PBE:
        document = pbe.read(data)
        changes = list(_in_pbe(document, release))
        return _changed(document.tree.text, changes) if changes else data
    prompt = dotprompt.read(data)
    changes = list(_in_prompt(prompt, release))
    return _changed(prompt.text, changes) if changes else data


def _changed(text: str, changes: list[Change]) -> bytes:
    for change in sorted(changes, key=lambda change: change.span, reverse=True):
        text = text[: change.span.start] + change.replacement + text[change.span.end :]
    return text.encode()


def _in_prompt(prompt: Prompt, release: ReleaseId) -> Iterator[Change]:
    if prompt.readable and prompt.metadata.get("version", release.version) != release.version:
        yield Change(prompt.span("/metadata/version"), release.version)


def _in_pbe(document: Pbe, release: ReleaseId) -> Iterator[Change]:
    if not document.is_object:
        return
    template = document.get(*SAVE_TEMPLATE)
    roots = list(template) if isinstance(template, dict) else []
    pointers = {"/pbe_version": release.version, "/pbe_name": release.name}
    if len(roots) == 1:
        pointers[join(RECOGNITION_KEY)] = f"{release.name}_save"
        yield from _save_key(document, roots[0], f"{release.name}_save")
        if document.text(*SAVE_TEMPLATE, roots[0], "pbe_version") == document.version:
            pointers[join((*SAVE_TEMPLATE, roots[0], "pbe_version"))] = release.version
    for pointer, text in pointers.items():
        said = document.text(*split(pointer))
        if said is not None and said != text:
            yield Change(document.tree.span(pointer), json.dumps(text))


def _save_key(document: Pbe, root: str, key: str) -> Iterator[Change]:
    if root == key:
        return
    yield Change(document.tree.key_span(join((*SAVE_TEMPLATE, root))), json.dumps(key))
    pointer = join(LOAD_INSTRUCTION)
    # NOTE: only a plain word is the same in JSON and in the text.
    if document.text(*LOAD_INSTRUCTION) is None or not _WORD.fullmatch(root):
        return
    span = document.tree.span(pointer)
    said = document.tree.text[span.start : span.end]
    new = re.sub(rf"(?<![A-Za-z0-9_]){root}(?![A-Za-z0-9_])", key, said)
    if new != said:
        yield Change(span, new)
