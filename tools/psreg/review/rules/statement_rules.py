"""The rule about the content of a `statement.json`, which may be added or changed after a release.

It is the only file that can be added to a released version, and only programs read it. So it
contains a signed statement and nothing else.
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
"""The same limit as for the owners of an entry."""

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_LABEL = re.compile(r"[!-~]{1,200}")
_STATEMENT = {"payload": _BASE64, "payloadType": _LABEL}
_SIGNATURE = {"keyid": _LABEL, "sig": _BASE64}


@rule("CHG033", spec="registry/CHANGES", severity=ERROR)
def statement_invalid(change: ChangeSet) -> Iterator[Finding]:
    """A `statement.json` is not a signed statement.

    ## Why
    This is the only file that can be added or changed after its release. So it must not be a way
    to add something else to a released version: a text that a model would read, a second payload
    under the same name, or hidden content.

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
    """Yield the pointer and message of the first fault."""
    found = [("", issue.message) for issue in tree.issues] or [*_of_statement(tree.value)]
    yield from found[:1]


def _of_statement(value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield "", "a statement must be an object"
        return
    rest = {key: inner for key, inner in value.items() if key != "signatures"}
    yield from _of_texts(rest, _STATEMENT, "")
    items = value.get("signatures")
    if not isinstance(items, list) or not 0 < len(items) <= MOST_SIGNATURES:
        yield "/signatures", f"a statement must have 1 to {MOST_SIGNATURES} signatures"
        return
    for index, item in enumerate(items):
        at = join(("signatures", index))
        if isinstance(item, dict):
            yield from _of_texts(item, _SIGNATURE, at)
        else:
            yield at, "a signature must be an object with `keyid` and `sig`"


def _of_texts(
    members: dict[str, Any], known: dict[str, re.Pattern[str]], at: str
) -> Iterator[tuple[str, str]]:
    """Yield which members are unknown, invalid or missing."""
    for key, text in members.items():
        if key not in known:
            yield at, "the statement contains an unknown key"
        elif not (isinstance(text, str) and known[key].fullmatch(text)):
            kind = "base64" if known[key] is _BASE64 else "1 to 200 printable characters"
            yield at + join((key,)), f"`{key}` must be {kind}"
    needed = next(key for key, pattern in known.items() if pattern is _BASE64)
    if needed not in members:
        yield at, f"`{needed}` is missing"
