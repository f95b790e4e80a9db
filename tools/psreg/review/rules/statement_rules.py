"""The rule about what a `statement.json` may hold that comes or changes after the release.

It is the one file that a released version may gain, and nobody reads it but programs. So it holds
what a signed statement is made of, and no room for anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from psreg.core.diagnostics import ERROR, Finding
from psreg.core.identity import ReleaseId
from psreg.core.rule import rule
from psreg.formats.json import json_document
from psreg.formats.json.json_document import JsonTree
from psreg.formats.json.pointer import join
from psreg.registry.build import STATEMENT
from psreg.review.change import ChangeSet, Touch

MOST_SIGNATURES = 100
"""As many as an entry can have owners."""

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_LABEL = re.compile(r"[!-~]{1,200}")
_STATEMENT = {"payload": _BASE64, "payloadType": _LABEL}
_SIGNATURE = {"keyid": _LABEL, "sig": _BASE64}


@rule("CHG033", spec="registry/CHANGES", severity=ERROR)
def statement_is_none(change: ChangeSet) -> Iterator[Finding]:
    """A `statement.json` is no signed statement.

    ## Why
    The file may come, or gain signatures, after the release that it is about; no other file may.
    So it must not become the place where something is added to a released version after all: a
    text that a model would read, a second payload under the same name, or what cannot be seen.

    ## Fix
    Write a payload and its signatures, each in base64, and nothing else:

    ```json
    {
      "payload": "eyJuYW1lIjogImVtYWlsX3JlcGx5In0=",
      "payloadType": "application/vnd.in-toto+json",
      "signatures": [{"keyid": "ana", "sig": "MEUCIQDx"}]
    }
    ```
    """
    for file in change.files:
        release = ReleaseId.of(file.path)
        if release is None or file.path != release.folder / STATEMENT:
            continue
        if file.touch is not Touch.DELETED and file.path in change.head.files:
            tree = json_document.parse(change.head.files[file.path])
            for pointer, message in _faults(tree):
                yield Finding(message=message, at=pointer, path=str(file.path))


def _faults(tree: JsonTree) -> Iterator[tuple[str, str]]:
    """Yield what is wrong, with the place, the first thing only."""
    found = [("", issue.message) for issue in tree.issues] or [*_of_statement(tree.value)]
    yield from found[:1]


def _of_statement(value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield "", "a statement is an object"
        return
    rest = {key: inner for key, inner in value.items() if key != "signatures"}
    yield from _of_texts(rest, _STATEMENT, "")
    items = value.get("signatures")
    if not isinstance(items, list) or not 0 < len(items) <= MOST_SIGNATURES:
        yield "/signatures", f"a statement has 1 to {MOST_SIGNATURES} signatures"
        return
    for index, item in enumerate(items):
        at = join(("signatures", index))
        if isinstance(item, dict):
            yield from _of_texts(item, _SIGNATURE, at)
        else:
            yield at, "a signature is an object with `keyid` and `sig`"


def _of_texts(
    members: dict[str, Any], known: dict[str, re.Pattern[str]], at: str
) -> Iterator[tuple[str, str]]:
    """Yield which members are unknown, are no text of their kind, or are missing."""
    for key, text in members.items():
        if key not in known:
            yield at, "there is a member that no statement has"
        elif not (isinstance(text, str) and known[key].fullmatch(text)):
            kind = "base64" if known[key] is _BASE64 else "a word"
            yield at + join((key,)), f"`{key}` is not {kind}"
    needed = next(key for key, pattern in known.items() if pattern is _BASE64)
    if needed not in members:
        yield at, f"`{needed}` is missing"
